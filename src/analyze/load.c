/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Arithmetic over stamps.  What lacks a stamp lacks its figure.  */
#include "load.h"

#include <stdlib.h>
#include <string.h>

/* ---- Zero ------------------------------------------------------------------------------------ */

/* The stamps are of the real-time clock, which the file's header ties to the session's.  */
static bool zero_from(struct emlat_load *load, const char *name)
{
    const struct emlat_reader *reader = load->run->reader;
    const struct emlat_attribute_value *stamp = emlat_reader_attribute(reader, name);
    const struct emlat_file_info *file = emlat_reader_file(reader);
    if (!stamp || stamp->is_text || stamp->number > file->realtime_ns)
        return false;
    load->t_zero = (int64_t)file->monotonic_ns - (int64_t)(file->realtime_ns - stamp->number);
    return true;
}

static void find_zero(struct emlat_load *load)
{
    load->t_zero = (int64_t)load->run->t_arm;
    load->has_run_stamp = zero_from(load, "run_started_ns");
    load->has_process_stamp = !load->has_run_stamp && zero_from(load, "process_started_ns");
}

/* ---- Milestones ------------------------------------------------------------------------------ */

static int by_time(const void *a, const void *b)
{
    const struct emlat_milestone *x = a, *y = b;
    if (x->reached != y->reached)
        return x->reached ? -1 : 1;
    if (x->reached && x->t != y->t)
        return x->t < y->t ? -1 : 1;
    return (x->word->number > y->word->number) - (x->word->number < y->word->number);
}

static int find_milestones(struct emlat_load *load)
{
    const struct emlat_run *run = load->run;
    const struct emlat_word_value *words;
    size_t count = emlat_reader_words(run->reader, &words);
    load->milestones = calloc(count + 1, sizeof *load->milestones);
    if (!load->milestones)
        return EMLAT_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        if (words[i].class != EMLAT_CLASS_MARK || !(words[i].flags & EMLAT_RUN_MILESTONE))
            continue;
        struct emlat_milestone *milestone = &load->milestones[load->milestones_count++];
        milestone->word = &words[i];
        for (size_t k = run->marks_count; k-- > 0;) {
            if (run->marks[k].kind == words[i].number) {
                milestone->reached = true;
                milestone->t = run->marks[k].t;
            }
        }
    }
    if (load->milestones_count)
        qsort(load->milestones, load->milestones_count, sizeof *load->milestones, by_time);
    for (size_t i = 0; i < load->milestones_count; i++) {
        struct emlat_milestone *milestone = &load->milestones[i];
        if (!milestone->reached)
            break;
        milestone->has_step = i || load->has_run_stamp;
        if (milestone->has_step)
            milestone->step_ns = i ? milestone->t - load->milestones[i - 1].t
                                   : (uint64_t)((int64_t)milestone->t - load->t_zero);
    }
    return 0;
}

/* ---- Stages ---------------------------------------------------------------------------------- */

struct edge {
    uint64_t t;
    size_t stage;
};

static int by_edge(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return (x->t > y->t) - (x->t < y->t);
}

/* SOLE_OPEN: sum of the elementary intervals in which a stage is the only one open.  An
   edge turns its stage over, and all edges of one time are taken before a length is: so in whatever
   order a stage of no length has its two, it is closed after them.  */
static void sweep(struct emlat_load *load, struct edge *edges, size_t count, bool *open)
{
    size_t now_open = 0, only = 0;
    for (size_t i = 0; i < count;) {
        uint64_t t = edges[i].t;
        for (; i < count && edges[i].t == t; i++) {
            size_t stage = edges[i].stage;
            open[stage] = !open[stage];
            now_open += open[stage] ? 1 : (size_t)-1;
        }
        if (i == count)
            break;
        for (only = 0; now_open == 1 && !open[only]; only++)
            ;
        uint64_t length = edges[i].t - t;
        if (now_open)
            load->union_ns += length;
        else
            load->gap_ns += length;
        if (now_open == 1)
            load->stages[only].sole_open_ns += length;
    }
}

static int by_held(const void *a, const void *b)
{
    const struct emlat_stage *x = a, *y = b;
    if (x->held_ns != y->held_ns)
        return x->held_ns < y->held_ns ? 1 : -1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

static void saw_rss(struct emlat_load *load, const struct emlat_run_entry *entry, unsigned field)
{
    if (!emlat_entry_has(entry, field))
        return;
    uint64_t rss = entry->value[field];
    if (!load->has_rss || rss < load->rss_least)
        load->rss_least = rss;
    if (!load->has_rss || rss > load->rss_most)
        load->rss_most = rss;
    load->has_rss = true;
}

static int find_stages(struct emlat_load *load)
{
    const struct emlat_run *run = load->run;
    size_t count = run->stages_count, edges_count = 0;
    struct edge *edges = calloc(2 * count + 1, sizeof *edges);
    bool *open = calloc(count + 1, sizeof *open);
    load->stages = calloc(count + 1, sizeof *load->stages);
    if (!edges || !open || !load->stages) {
        free(edges);
        free(open);
        return EMLAT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const struct emlat_run_entry *entry = &run->stages[i];
        struct emlat_stage *stage = &load->stages[i];
        stage->entry = entry;
        stage->running = !emlat_entry_has(entry, EMLAT_STAGE_wall_ns);
        stage->t_begin = entry->value[EMLAT_STAGE_t_begin];
        stage->t_end =
            stage->running ? run->t_end : stage->t_begin + entry->value[EMLAT_STAGE_wall_ns];
        stage->held_ns = stage->t_end - stage->t_begin;
        load->held_ns += stage->held_ns;
        edges[edges_count++] = (struct edge){stage->t_begin, i};
        edges[edges_count++] = (struct edge){stage->t_end, i};
        if (stage->t_end - run->stages[0].value[EMLAT_STAGE_t_begin] > load->window_ns)
            load->window_ns = stage->t_end - run->stages[0].value[EMLAT_STAGE_t_begin];
        saw_rss(load, entry, EMLAT_STAGE_rss_begin);
        saw_rss(load, entry, EMLAT_STAGE_rss_end);
    }
    load->stages_count = count;
    load->t_first_stage = count ? load->stages[0].t_begin : 0;
    if (edges_count) {
        qsort(edges, edges_count, sizeof *edges, by_edge);
        sweep(load, edges, edges_count, open);
    }
    if (count)
        qsort(load->stages, count, sizeof *load->stages, by_held);
    free(edges);
    free(open);
    return 0;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static struct emlat_gap gap(const struct emlat_run_entry *entry, unsigned from, unsigned to)
{
    struct emlat_gap gap = {0};
    gap.has = emlat_entry_has(entry, from) && emlat_entry_has(entry, to) &&
              entry->value[to] >= entry->value[from];
    if (gap.has)
        gap.ns = entry->value[to] - entry->value[from];
    return gap;
}

static uint64_t number(const struct emlat_run_entry *entry, unsigned field)
{
    return emlat_entry_has(entry, field) ? entry->value[field] : 0;
}

static void measure(struct emlat_job *job)
{
    const struct emlat_run_entry *entry = job->entry;
    job->ready_to_enqueue = gap(entry, EMLAT_JOB_t_plan_ready, EMLAT_JOB_t_enqueued);
    job->queue = gap(entry, EMLAT_JOB_t_enqueued, EMLAT_JOB_t_started);
    job->budget_wait = gap(entry, EMLAT_JOB_t_started, EMLAT_JOB_t_decode_started);
    job->decode = gap(entry, EMLAT_JOB_t_decode_started, EMLAT_JOB_t_finished);
    job->service = gap(entry, EMLAT_JOB_t_started, EMLAT_JOB_t_finished);
    job->to_join = gap(entry, EMLAT_JOB_t_finished, EMLAT_JOB_t_joined);
    job->has_balance = true;
    for (unsigned field = EMLAT_JOB_prepared_bytes; field <= EMLAT_JOB_discarded_bytes; field++)
        if (field != EMLAT_JOB_output_bytes)
            job->has_balance &= emlat_entry_has(entry, field);
    if (job->has_balance)
        job->balance = (int64_t)(entry->value[EMLAT_JOB_prepared_bytes] +
                                 entry->value[EMLAT_JOB_reused_bytes] -
                                 entry->value[EMLAT_JOB_retained_bytes] -
                                 entry->value[EMLAT_JOB_discarded_bytes]);
    job->discarded_without_reason = number(entry, EMLAT_JOB_discarded_bytes) &&
                                    !emlat_entry_has(entry, EMLAT_JOB_discard_reason);
}

static struct emlat_job_kind *kind_of(struct emlat_load *load, const struct emlat_run_entry *entry)
{
    uint64_t number = entry->value[EMLAT_JOB_kind];
    for (size_t i = 0; i < load->kinds_count; i++)
        if (load->kinds[i].number == number)
            return &load->kinds[i];
    struct emlat_job_kind *kinds =
        reallocarray(load->kinds, load->kinds_count + 1, sizeof *load->kinds);
    if (!kinds)
        return NULL;
    load->kinds = kinds;
    kinds[load->kinds_count] = (struct emlat_job_kind){
        .number = number, .word = emlat_reader_word(load->run->reader, EMLAT_CLASS_MARK, number)};
    return &kinds[load->kinds_count++];
}

static void add_to_kind(struct emlat_job_kind *kind, const struct emlat_job *job)
{
    const struct emlat_run_entry *entry = job->entry;
    kind->jobs++;
    kind->items += emlat_entry_has(entry, EMLAT_JOB_items) ? entry->value[EMLAT_JOB_items] : 1;
    kind->failed += number(entry, EMLAT_JOB_items_failed);
    kind->in_flight += !emlat_entry_has(entry, EMLAT_JOB_t_finished);
    kind->decoded += job->decode.has;
    kind->decode_ns += job->decode.ns;
    kind->budget_wait_ns += job->budget_wait.ns;
    kind->held_back += job->budget_wait.has && job->budget_wait.ns > 0;
    kind->queue_ns += job->queue.ns;
    kind->queued += job->queue.has;
    kind->prepared += number(entry, EMLAT_JOB_prepared_bytes);
    kind->reused += number(entry, EMLAT_JOB_reused_bytes);
    kind->retained += number(entry, EMLAT_JOB_retained_bytes);
    kind->discarded += number(entry, EMLAT_JOB_discarded_bytes);
}

static int find_jobs(struct emlat_load *load)
{
    const struct emlat_run *run = load->run;
    load->jobs = calloc(run->jobs_count + 1, sizeof *load->jobs);
    if (!load->jobs)
        return EMLAT_ENOMEM;
    for (size_t i = 0; i < run->jobs_count; i++) {
        struct emlat_job *job = &load->jobs[load->jobs_count++];
        job->entry = &run->jobs[i];
        measure(job);
        struct emlat_job_kind *kind = kind_of(load, job->entry);
        if (!kind)
            return EMLAT_ENOMEM;
        add_to_kind(kind, job);
        saw_rss(load, job->entry, EMLAT_JOB_rss_at_finish);
    }
    return 0;
}

int emlat_load_from(struct emlat_load *load, const struct emlat_run *run)
{
    memset(load, 0, sizeof *load);
    load->run = run;
    find_zero(load);
    int error = find_milestones(load);
    if (!error)
        error = find_stages(load);
    return error ? error : find_jobs(load);
}

void emlat_load_free(struct emlat_load *load)
{
    free(load->milestones);
    free(load->stages);
    free(load->jobs);
    free(load->kinds);
    memset(load, 0, sizeof *load);
}

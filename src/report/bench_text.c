/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The three reports as text.  Each section stands alone: it asks for its own facts and says MISS
   where there are none, whatever became of the others.  */
#include "bench_report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { CELL = 32 };

static const char miss[] = "MISS", none[] = "—";

/* TEXT flush right in WIDTH columns; each character takes one.  */
static void cell(FILE *to, int width, const char *text)
{
    int shown = 0;
    for (const char *at = text; *at; at++)
        shown += (*at & 0xc0) != 0x80;
    fprintf(to, " %*s%s", width > shown ? width - shown : 0, "", text);
}

__attribute__((format(printf, 3, 4))) static void put(FILE *to, int width, const char *format, ...)
{
    char text[CELL];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cell(to, width, text);
}

static void put_ms(FILE *to, int width, double ns)
{
    put(to, width, "%.2f", ns / 1e6);
}

static void put_gap(FILE *to, int width, const struct emlat_gap *gap)
{
    if (gap->has)
        put_ms(to, width, (double)gap->ns);
    else
        cell(to, width, miss);
}

static void put_mib(FILE *to, int width, uint64_t bytes)
{
    put(to, width, "%" PRIu64, (bytes + (1 << 19)) >> 20);
}

static void put_share(FILE *to, int width, double part, double whole)
{
    if (whole > 0)
        put(to, width, "%.1f", 100 * part / whole);
    else
        cell(to, width, none);
}

/* A percentile needs ten values beyond it to mean anything.  */
static void put_rank(FILE *to, int width, const struct emlat_distribution *values,
                     unsigned permille, double unit)
{
    if (!emlat_distribution_supports(values->count, permille))
        put(to, width, "n<%u", 10000 / (1000 - permille));
    else
        put(to, width, "%.2f", (double)emlat_distribution_rank(values, permille) / unit);
}

static void put_cells(FILE *to, int width, const char *const *titles)
{
    for (; *titles; titles++)
        cell(to, width, *titles);
    putc('\n', to);
}

static const char *word_name(const struct emlat_word_value *word)
{
    return word ? word->name : "unnamed";
}

static const char *mark_name(const struct emlat_run *run, uint64_t number)
{
    return word_name(emlat_reader_word(run->reader, EMLAT_CLASS_MARK, number));
}

/* ---- [1/3] ----------------------------------------------------------------------------------- */

static const struct emlat_milestone *playable_of(const struct emlat_load *load)
{
    for (size_t i = 0; i < load->milestones_count; i++)
        if (load->milestones[i].word->flags & EMLAT_RUN_PLAYABLE && load->milestones[i].reached)
            return &load->milestones[i];
    return NULL;
}

static double seconds_from_zero(const struct emlat_load *load, uint64_t t)
{
    return (double)((int64_t)t - load->t_zero) / 1e9;
}

static void write_milestones(FILE *to, const struct emlat_load *load)
{
    static const char *const titles[] = {"at", "+step", NULL};
    const struct emlat_milestone *playable = playable_of(load);
    const char *zero = load->has_run_stamp       ? "the shell command"
                       : load->has_process_stamp ? "process start"
                                                 : "the recorder's start";
    if (playable)
        fprintf(to, "  playable %.3fs after %s\n", seconds_from_zero(load, playable->t), zero);
    else
        fprintf(to, "  playable MISS (zero: %s)\n", zero);
    fprintf(to, "  %-28s", "milestone");
    put_cells(to, 10, titles);
    for (size_t i = 0; i < load->milestones_count; i++) {
        const struct emlat_milestone *milestone = &load->milestones[i];
        fprintf(to, "  %-28s", word_name(milestone->word));
        if (milestone->reached)
            put(to, 10, "%.3fs", seconds_from_zero(load, milestone->t));
        else
            cell(to, 10, miss);
        if (milestone->has_step)
            put(to, 10, "%.3fs", (double)milestone->step_ns / 1e9);
        else
            cell(to, 10, none);
        putc('\n', to);
    }
}

static void write_stage(FILE *to, const struct emlat_load *load, const struct emlat_stage *stage)
{
    const struct emlat_run_entry *entry = stage->entry;
    bool done = emlat_entry_has(entry, EMLAT_STAGE_items_done);
    fprintf(to, "  %-28s", mark_name(load->run, entry->value[EMLAT_STAGE_kind]));
    put(to, 10, "%.3fs", (double)(stage->t_begin - load->t_first_stage) / 1e9);
    put(to, 10, "%.3fs", (double)stage->held_ns / 1e9);
    put(to, 10, "%.3fs", (double)stage->sole_open_ns / 1e9);
    if (done && emlat_entry_has(entry, EMLAT_STAGE_items_total))
        put(to, 12, "%" PRIu64 "/%" PRIu64, entry->value[EMLAT_STAGE_items_done],
            entry->value[EMLAT_STAGE_items_total]);
    else if (done)
        put(to, 12, "%" PRIu64, entry->value[EMLAT_STAGE_items_done]);
    else
        cell(to, 12, "");
    if (emlat_entry_has(entry, EMLAT_STAGE_rss_begin) &&
        emlat_entry_has(entry, EMLAT_STAGE_rss_end))
        put(to, 10, "%+.0f MiB",
            ((double)entry->value[EMLAT_STAGE_rss_end] -
             (double)entry->value[EMLAT_STAGE_rss_begin]) /
                1048576.0);
    else
        cell(to, 10, miss);
    if (stage->running)
        fputs(" (running)", to);
    else if (emlat_entry_has(entry, EMLAT_STAGE_status))
        fprintf(to, " (%s)",
                emlat_type_word(EMLAT_TYPE_STATUS, entry->value[EMLAT_STAGE_status])
                    ? emlat_type_word(EMLAT_TYPE_STATUS, entry->value[EMLAT_STAGE_status])
                    : "unknown end");
    putc('\n', to);
}

static void write_stages(FILE *to, const struct emlat_load *load)
{
    enum { SHOWN = 16 };
    static const char *const titles[] = {"at", "held", "sole_open", NULL};
    uint64_t rest = 0;
    if (!load->stages_count) {
        fputs("\n  stages MISS\n", to);
        return;
    }
    fprintf(to, "\n  stages: %zu, held %.3fs in a window of %.3fs, %.3fs of it with none open, ",
            load->stages_count, (double)load->held_ns / 1e9, (double)load->window_ns / 1e9,
            (double)load->gap_ns / 1e9);
    if (load->union_ns)
        fprintf(to, "occupancy %.1f\n", (double)load->held_ns / (double)load->union_ns);
    else
        fprintf(to, "occupancy %s\n", none);
    fprintf(to, "  %-28s", "stage (at: from the first one)");
    for (const char *const *title = titles; *title; title++)
        cell(to, 10, *title);
    cell(to, 12, "items");
    cell(to, 10, "process");
    putc('\n', to);
    for (size_t i = 0; i < load->stages_count; i++) {
        if (i < SHOWN)
            write_stage(to, load, &load->stages[i]);
        else
            rest += load->stages[i].held_ns;
    }
    if (load->stages_count > SHOWN)
        fprintf(to, "  %zu more, held %.3fs\n", load->stages_count - SHOWN, (double)rest / 1e9);
    fputs("  sole_open is no bound on what a stage's removal would save; a memory delta is the "
          "whole\n"
          "  process's, so they do not add up",
          to);
    if (load->has_rss)
        fprintf(to, " (seen: %" PRIu64 " to %" PRIu64 " MiB)", load->rss_least >> 20,
                load->rss_most >> 20);
    fputs(".\n", to);
}

/* All durations are worker time: of workers beside one another, so not of the load's length.  */
static void write_jobs(FILE *to, const struct emlat_load *load)
{
    static const char *const titles[] = {"jobs",  "items",  "failed", "in flight", "held back",
                                         "queue", "budget", "decode", "per item",  NULL};
    if (!load->jobs_count) {
        fputs("\n  jobs MISS\n", to);
        return;
    }
    fputs("\n  jobs (ms of worker time, summed over workers; queue is a mean)\n", to);
    fprintf(to, "  %-20s", "kind");
    put_cells(to, 9, titles);
    for (size_t i = 0; i < load->kinds_count; i++) {
        const struct emlat_job_kind *kind = &load->kinds[i];
        fprintf(to, "  %-20s", word_name(kind->word));
        put(to, 9, "%" PRIu64, kind->jobs);
        put(to, 9, "%" PRIu64, kind->items);
        put(to, 9, "%" PRIu64, kind->failed);
        put(to, 9, "%" PRIu64, kind->in_flight);
        if (kind->decoded)
            put(to, 9, "%" PRIu64, kind->held_back);
        else
            cell(to, 9, miss);
        if (kind->queued)
            put_ms(to, 9, (double)kind->queue_ns / (double)kind->queued);
        else
            cell(to, 9, miss);
        if (kind->decoded) {
            put_ms(to, 9, (double)kind->budget_wait_ns);
            put_ms(to, 9, (double)kind->decode_ns);
            put_ms(to, 9, (double)kind->decode_ns / (double)(kind->items ? kind->items : 1));
        } else {
            for (int k = 0; k < 3; k++)
                cell(to, 9, miss);
        }
        putc('\n', to);
    }
}

/* Of the slowest jobs, the waits split from the work.  */
static void write_slow_jobs(FILE *to, const struct emlat_load *load)
{
    enum { SHOWN = 16 };
    static const char *const titles[] = {"ready→queue", "queue",    "budget wait", "decode",
                                         "done→join",   "prepared", "reused",      "kept",
                                         "discarded",   NULL};
    size_t shown[SHOWN], count = 0, unbalanced = 0, unreasoned = 0;
    for (size_t i = 0; i < load->jobs_count; i++) {
        size_t at = count;
        for (; at && load->jobs[shown[at - 1]].service.ns < load->jobs[i].service.ns; at--)
            if (at < SHOWN)
                shown[at] = shown[at - 1];
        if (at < SHOWN) {
            shown[at] = i;
            count += count < SHOWN;
        }
        unbalanced += load->jobs[i].has_balance && load->jobs[i].balance;
        unreasoned += load->jobs[i].discarded_without_reason;
    }
    if (!load->jobs_count)
        return;
    fprintf(to, "\n  %-26s", "slowest jobs (ms, MiB)");
    put_cells(to, 11, titles);
    for (size_t i = 0; i < count; i++) {
        const struct emlat_job *job = &load->jobs[shown[i]];
        static const unsigned bytes[] = {EMLAT_JOB_prepared_bytes, EMLAT_JOB_reused_bytes,
                                         EMLAT_JOB_retained_bytes, EMLAT_JOB_discarded_bytes};
        const struct emlat_gap *gaps[] = {&job->ready_to_enqueue, &job->queue, &job->budget_wait,
                                          &job->decode, &job->to_join};
        char name[64];
        snprintf(name, sizeof name, "%s %" PRIu64,
                 mark_name(load->run, job->entry->value[EMLAT_JOB_kind]),
                 job->entry->value[EMLAT_JOB_name_id]);
        fprintf(to, "  %-26s", name);
        for (size_t k = 0; k < sizeof gaps / sizeof *gaps; k++)
            put_gap(to, 11, gaps[k]);
        for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++) {
            if (emlat_entry_has(job->entry, bytes[k]))
                put_mib(to, 11, job->entry->value[bytes[k]]);
            else
                cell(to, 11, miss);
        }
        putc('\n', to);
    }
    if (unbalanced)
        fprintf(to, "  %zu jobs whose bytes do not balance: prepared + reused ≠ kept + discarded\n",
                unbalanced);
    if (unreasoned)
        fprintf(to, "  %zu jobs discarded bytes without a reason: the host does not say why\n",
                unreasoned);
}

static void write_load(FILE *to, const struct emlat_load *load)
{
    bool any = load->stages_count || load->jobs_count;
    for (size_t i = 0; i < load->milestones_count; i++)
        any |=
            load->milestones[i].reached && !(load->milestones[i].word->flags & EMLAT_RUN_PLAYABLE);
    if (!any) {
        fputs("[1/3] Map load: MISS, the run loaded nothing that the host told of\n", to);
        return;
    }
    fputs("[1/3] Map load\n", to);
    write_milestones(to, load);
    write_stages(to, load);
    write_jobs(to, load);
    write_slow_jobs(to, load);
}

/* ---- [2/3] ----------------------------------------------------------------------------------- */

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

static double fps(double ns)
{
    return ns > 0 ? 1e9 / ns : 0;
}

static void write_figures(FILE *to, const struct emlat_frames *frames)
{
    static const char *const titles[] = {"avg", "p50", "p95", "p99", "max", "min", NULL};
    static const unsigned permille[] = {500, 950, 990};
    const struct emlat_distribution *walls = &frames->walls;
    double mean = (double)walls->total / (double)walls->count;
    uint64_t most = walls->values[walls->count - 1], least = walls->values[0];
    fprintf(to, "  %zu frames in %.3fs, %.1f fps (1 / mean)\n  %-20s", walls->count,
            seconds(walls->total), fps(mean), "");
    put_cells(to, 9, titles);
    fprintf(to, "  %-20s", "ms");
    put_ms(to, 9, mean);
    for (size_t i = 0; i < 3; i++)
        put_rank(to, 9, walls, permille[i], 1e6);
    put_ms(to, 9, (double)most);
    put_ms(to, 9, (double)least);
    fprintf(to, "\n  %-20s", "fps");
    put(to, 9, "%.1f", fps(mean));
    for (size_t i = 0; i < 3; i++) {
        if (emlat_distribution_supports(walls->count, permille[i]))
            put(to, 9, "%.1f", fps((double)emlat_distribution_rank(walls, permille[i])));
        else
            cell(to, 9, none);
    }
    put(to, 9, "%.1f", fps((double)most));
    put(to, 9, "%.1f", fps((double)least));
    putc('\n', to);
}

static void write_hitches(FILE *to, const struct emlat_frames *frames)
{
    const struct emlat_hitches *is = &frames->hitches;
    const struct {
        const char *name;
        bool has;
        uint64_t average_ns, integral_ns;
    } lows[] = {{"1 %", is->has_low1, is->low1_average_ns, is->low1_integral_ns},
                {"0.1 %", is->has_low01, is->low01_average_ns, is->low01_integral_ns}};
    for (size_t i = 0; i < 2; i++) {
        if (lows[i].has)
            fprintf(to,
                    "  %s low: average %.1f fps (mean of the slowest %s of frames), integral "
                    "%.1f fps (slowest frames until %s of the time)\n",
                    lows[i].name, fps((double)lows[i].average_ns), lows[i].name,
                    fps((double)lows[i].integral_ns), lows[i].name);
        else
            fprintf(to, "  %s low: MISS, too few frames\n", lows[i].name);
    }
    fprintf(to,
            "  stutter: %" PRIu64 " frames over 2.5 times the median of %.2f ms, %.3fs of all\n",
            is->stutters, (double)is->median_ns / 1e6, seconds(is->stutter_ns));
    if (is->has_delta)
        fprintf(to, "  frame to frame: p99 of the change %.2f ms\n",
                (double)is->delta_p99_ns / 1e6);
    else
        fputs("  frame to frame: MISS, too few frames\n", to);
}

static void write_kind(FILE *to, const struct emlat_frames *frames, size_t place, int depth)
{
    const struct emlat_kind *kind = &frames->kinds[place];
    double n = (double)kind->calls.count, live = (double)frames->walls.count;
    char name[48];
    snprintf(name, sizeof name, "%*s%s%s%s", 2 * depth, "", word_name(kind->word),
             kind->parents > 1 ? "*" : "", kind->parallel ? " ∥" : "");
    int columns = 0;
    for (const char *at = name; *at; at++)
        columns += (*at & 0xc0) != 0x80;
    fprintf(to, "  %s%*s", name, columns < 28 ? 28 - columns : 0, "");
    put(to, 8, "%zu", kind->calls.count);
    put(to, 8, "%.2f", n / live);
    put_ms(to, 8, n > 0 ? (double)kind->calls.total / n : 0);
    put_rank(to, 8, &kind->calls, 500, 1e6);
    put_rank(to, 8, &kind->calls, 950, 1e6);
    put_rank(to, 8, &kind->calls, 990, 1e6);
    put_ms(to, 8, (double)kind->calls.values[kind->calls.count - 1]);
    put_ms(to, 9, (double)kind->outer_ns / live);
    put_ms(to, 10, (double)kind->outer_ns);
    put_share(to, 7, (double)kind->outer_ns, (double)frames->walls.total);
    put_ms(to, 9, (double)kind->self_ns);
    putc('\n', to);
}

/* Children of PARENT, those with most time first.  */
static void write_tree(FILE *to, const struct emlat_frames *frames, int parent, int depth,
                       bool *written)
{
    for (;;) {
        int next = -1;
        for (size_t i = 0; i < frames->kinds_count; i++) {
            const struct emlat_kind *kind = &frames->kinds[i];
            if (written[i] || !kind->calls.count || !kind->placed || kind->parent != parent)
                continue;
            if (next < 0 || kind->outer_ns > frames->kinds[next].outer_ns)
                next = (int)i;
        }
        if (next < 0)
            return;
        written[next] = true;
        write_kind(to, frames, (size_t)next, depth);
        write_tree(to, frames, next, depth + 1, written);
    }
}

static void write_spans(FILE *to, const struct emlat_frames *frames)
{
    static const char *const titles[] = {"n", "n/frame", "avg", "p50", "p95", "p99", "max", NULL};
    bool written[EMLAT_SPAN_KINDS] = {false};
    fprintf(to, "\n  %-28s", "span (ms)");
    for (const char *const *title = titles; *title; title++)
        cell(to, 8, *title);
    cell(to, 9, "per frame");
    cell(to, 10, "total");
    cell(to, 7, "%frame");
    cell(to, 9, "self");
    putc('\n', to);
    write_tree(to, frames, -1, 0, written);
    for (size_t i = 0; i < frames->kinds_count; i++) {
        const struct emlat_kind *kind = &frames->kinds[i];
        if (written[i] || !kind->calls.count)
            continue;
        write_kind(to, frames, i, 0);
        fprintf(to, "    not placed; recorded under %s\n",
                kind->parent < 0 ? none : word_name(frames->kinds[kind->parent].word));
    }
    fputs(
        "  * more than one parent seen   ∥ children overlap one another; self is wall minus their "
        "union\n",
        to);
}

static void write_window(FILE *to, const char *name, const struct emlat_distribution *walls)
{
    fprintf(to, "  %-28s", name);
    put(to, 8, "%zu", walls->count);
    if (!walls->count) {
        for (int i = 0; i < 5; i++)
            cell(to, 8, miss);
    } else {
        put_ms(to, 8, (double)walls->total / (double)walls->count);
        put_rank(to, 8, walls, 500, 1e6);
        put_rank(to, 8, walls, 950, 1e6);
        put_rank(to, 8, walls, 990, 1e6);
        put_ms(to, 8, (double)walls->values[walls->count - 1]);
    }
    putc('\n', to);
}

static void write_states(FILE *to, const struct emlat_run *run, uint64_t states)
{
    const char *before = " ";
    for (uint64_t left = states; left; left &= left - 1) {
        fprintf(to, "%s%s", before, mark_name(run, (uint64_t)__builtin_ctzll(left)));
        before = "|";
    }
}

static void write_worst(FILE *to, const struct emlat_frames *frames)
{
    static const char *const titles[] = {"at", "wall", "unclass.", "carried in", NULL};
    uint64_t t_live = 0;
    for (size_t i = frames->rows_count; i-- > 0;)
        if (frames->rows[i].live)
            t_live = frames->rows[i].frame->t_begin;
    fprintf(to, "\n  %-12s", "worst frames");
    for (const char *const *title = titles; *title; title++)
        cell(to, 11, *title);
    fputs("  largest span (a candidate, not a cause), states\n", to);
    for (size_t i = 0; i < frames->worst_count; i++) {
        const struct emlat_row *row = &frames->rows[frames->worst[i]];
        size_t largest = frames->kinds_count;
        for (size_t k = 0; k < frames->kinds_count; k++)
            if (row->overlap[k] &&
                (largest == frames->kinds_count || row->overlap[k] > row->overlap[largest]))
                largest = k;
        fprintf(to, "  %-12" PRIu64, row->frame->id);
        put(to, 11, "%.3fs", seconds(row->frame->t_begin - t_live));
        put_ms(to, 11, (double)emlat_row_wall(row));
        if (frames->has_roots)
            put_ms(to, 11, (double)emlat_row_unclassified(row));
        else
            cell(to, 11, miss);
        if (row->carried_spans)
            put(to, 11, "%.2f in %" PRIu64, (double)row->carried_in_ns / 1e6, row->carried_spans);
        else
            cell(to, 11, none);
        if (largest < frames->kinds_count)
            fprintf(to, "  %s %.2f", word_name(frames->kinds[largest].word),
                    (double)row->overlap[largest] / 1e6);
        else
            fprintf(to, "  %s", miss);
        write_states(to, frames->run, row->frame->states);
        putc('\n', to);
    }
}

static void write_coverage(FILE *to, const struct emlat_frames *frames)
{
    double live = (double)frames->live;
    if (!frames->live)
        return;
    if (!frames->has_roots) {
        fputs("  unclassified MISS: the host declares no roots\n", to);
    } else {
        const char *before = "";
        fprintf(to, "  unclassified %.2f ms a frame = wall − union of the declared roots (",
                (double)frames->unclassified_ns / live / 1e6);
        for (size_t i = 0; i < frames->kinds_count; i++) {
            const struct emlat_word_value *word = frames->kinds[i].word;
            if (word && word->flags & EMLAT_RUN_TOP_LEVEL) {
                fprintf(to, "%s%s", before, word->name);
                before = ", ";
            }
        }
        fputs(")\n", to);
    }
    if (frames->lower_bounds)
        fprintf(to, "  coverage is a lower bound in %" PRIu64 " frames: records were lost\n",
                frames->lower_bounds);
    if (!frames->has_render || !frames->has_main)
        fputs("  main/render overlap MISS: the host declares no render thread's roots\n", to);
    else
        fprintf(to, "  main/render overlap %.2f ms a frame, in %" PRIu64 " frames\n",
                (double)frames->overlap_ns / live / 1e6, frames->overlap_rows);
}

static void write_nesting(FILE *to, const struct emlat_frames *frames)
{
    if (frames->broken_rows) {
        const struct emlat_row *row = &frames->rows[frames->worst_broken];
        const struct emlat_kind *kind = &frames->kinds[row->over_kind];
        fprintf(
            to,
            "  nesting broken in %zu frames; worst: %s over %s by %.2f ms in frame %" PRIu64 "\n",
            frames->broken_rows, word_name(kind->word), word_name(frames->kinds[kind->parent].word),
            (double)row->over_parent_ns / 1e6, row->frame->id);
    }
    for (size_t i = 0; i < frames->kinds_count; i++) {
        const struct emlat_kind *kind = &frames->kinds[i];
        const struct {
            const char *what;
            uint64_t count;
        } facts[] = {
            {"migrated", kind->migrated},       {"misnested", kind->misnested},
            {"unmatched_end", kind->unmatched}, {"open at exit", kind->open},
            {"recursive", kind->recursive},     {"before first frame", kind->before_first}};
        for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
            if (facts[k].count)
                fprintf(to, "  %s: %s %" PRIu64 "\n", word_name(kind->word), facts[k].what,
                        facts[k].count);
    }
}

static void write_never_opened(FILE *to, const struct emlat_frames *frames)
{
    const char *before = "  declared, never opened in these frames: ";
    for (size_t i = 0; i < frames->kinds_count; i++) {
        if (frames->kinds[i].calls.count)
            continue;
        fprintf(to, "%s%s", before, word_name(frames->kinds[i].word));
        before = ", ";
    }
    if (*before == ',')
        putc('\n', to);
}

static void write_frames(FILE *to, const struct emlat_frames *frames)
{
    static const char *const titles[] = {"frames", "mean", "p50", "p95", "p99", "max", NULL};
    if (!frames->walls.count) {
        fprintf(to, "[2/3] Frame time: MISS, %s\n",
                frames->run->playable ? "no whole frame after the first playable one"
                                      : "the run was never playable");
        return;
    }
    fputs("[2/3] Frame time\n", to);
    write_figures(to, frames);
    write_hitches(to, frames);
    write_spans(to, frames);
    fprintf(to, "\n  rows: %zu kept, %zu live, %zu loading, %zu partial, %zu dropped%s\n",
            frames->rows_count, frames->live, frames->load, frames->partial, frames->rows_dropped,
            frames->rows_dropped ? "; what follows is of the kept ones, the run's first" : "");
    if (frames->rows_count) {
        fprintf(to, "  %-28s", "settling (ms)");
        put_cells(to, 8, titles);
        write_window(to, "first seconds (< 3.0 s)", &frames->first);
        write_window(to, "steady state", &frames->steady);
        write_worst(to, frames);
        write_coverage(to, frames);
    }
    write_nesting(to, frames);
    write_never_opened(to, frames);
}

/* ---- [3/3] ----------------------------------------------------------------------------------- */

/* The tables of the third section.  A counter is in the first one that takes it.  */
static const struct table {
    const char *title;
    uint64_t flag;  /* that a counter must have; 0: none of the others' */
    bool in_ns;     /* durations; else counts */
    bool per_frame; /* a sum a frame means something */
} tables[] = {
    {"GPU passes (ms as delivered; they overlap and come late: never summed)", EMLAT_RUN_GPU, true,
     false},
    {"ages (ms; a moment's, no share of a frame)", EMLAT_RUN_AGE, true, false},
    {"schedule gaps (ms; others fill them: compare with a body, never add)", EMLAT_RUN_GAP, true,
     true},
    {"durations (ms; they do not add up)", 0, true, true},
    {"work", 0, false, true},
};
enum { TABLES = sizeof tables / sizeof *tables };

static size_t table_of(const struct emlat_counter *counter)
{
    bool in_ns = counter->word && strcmp(counter->word->unit, "ns") == 0;
    for (size_t i = 0; i < TABLES; i++)
        if (tables[i].in_ns == in_ns &&
            (tables[i].flag ? (counter->flags & tables[i].flag) != 0 : true))
            return i;
    return TABLES - 1;
}

static void write_counter(FILE *to, const struct emlat_counters *counters,
                          const struct emlat_counter *counter, int phase, const struct table *table)
{
    const struct emlat_distribution *samples = &counter->samples[phase];
    const struct emlat_frames *frames = counters->frames;
    size_t n_frames = phase == EMLAT_PHASE_LIVE ? frames->walls.count : 0;
    double unit = table->in_ns ? 1e6 : 1, n = (double)samples->count;
    bool code = counter->operation == EMLAT_RUN_ENUM;
    fprintf(to, "  %-30s", word_name(counter->word));
    put(to, 8, "%zu", samples->count);
    if (n_frames)
        put(to, 8, "%.2f", n / (double)n_frames);
    else
        cell(to, 8, none);
    if (!samples->count) {
        for (int i = 0; i < 6; i++)
            cell(to, 9, miss);
    } else {
        if (code)
            cell(to, 9, none);
        else
            put(to, 9, "%.2f", (double)samples->total / n / unit);
        put_rank(to, 9, samples, 500, unit);
        put_rank(to, 9, samples, 950, unit);
        put_rank(to, 9, samples, 990, unit);
        put(to, 9, "%.2f", (double)samples->values[samples->count - 1] / unit);
        if (table->per_frame && counter->operation == EMLAT_RUN_SUM && n_frames)
            put(to, 9, "%.2f", (double)samples->total / (double)n_frames / unit);
        else
            cell(to, 9, none);
    }
    fprintf(to, "  %s\n", counter->flags & EMLAT_RUN_GPU ? "gpu" : "cpu");
}

static void write_table(FILE *to, const struct emlat_counters *counters, size_t table, int phase)
{
    static const char *const titles[] = {"avg", "p50", "p95", "p99", "max", "per frame", NULL};
    bool any = false;
    for (size_t i = 0; i < counters->counters_count; i++) {
        if (table_of(&counters->counters[i]) != table)
            continue;
        if (!any) {
            fprintf(to, "\n  %s\n  %-30s", tables[table].title, "counter");
            cell(to, 8, "n");
            cell(to, 8, "n/frame");
            for (const char *const *title = titles; *title; title++)
                cell(to, 9, *title);
            fputs("  where\n", to);
        }
        any = true;
        write_counter(to, counters, &counters->counters[i], phase, &tables[table]);
    }
}

static void write_counters(FILE *to, const struct emlat_counters *counters)
{
    size_t sampled[EMLAT_PHASES] = {0};
    uint64_t rejected = 0, unattributed = 0;
    for (size_t i = 0; i < counters->counters_count; i++) {
        for (int phase = 0; phase < EMLAT_PHASES; phase++) {
            sampled[phase] += counters->counters[i].samples[phase].count;
            rejected += counters->counters[i].rejected[phase];
        }
        unattributed += counters->counters[i].unattributed;
    }
    if (!sampled[EMLAT_PHASE_LIVE] && !sampled[EMLAT_PHASE_LOAD] && !rejected) {
        fputs("[3/3] Counters: MISS, nobody sampled one\n", to);
        return;
    }
    int phase = sampled[EMLAT_PHASE_LIVE] ? EMLAT_PHASE_LIVE : EMLAT_PHASE_LOAD;
    fprintf(to, "[3/3] Counters%s\n",
            phase == EMLAT_PHASE_LIVE ? "" : " (of loading: the live phase has none)");
    for (size_t i = 0; i < TABLES; i++)
        write_table(to, counters, i, phase);
    if (rejected)
        fprintf(to, "  rejected %" PRIu64 " samples that were no number of at least 0\n", rejected);
    if (unattributed)
        fprintf(to, "  unattributed %" PRIu64 " samples: in the figures, in no row\n",
                unattributed);
}

/* ---- Heading --------------------------------------------------------------------------------- */

static const char *attribute_text(const struct emlat_run *run, const char *name)
{
    const struct emlat_attribute_value *value = emlat_reader_attribute(run->reader, name);
    return value && value->is_text ? value->text : miss;
}

void emlat_bench_text(FILE *to, const struct emlat_bench_view *view)
{
    static const char rule[] =
        "================================================================================"
        "================";
    fprintf(to, "%s\n%s  workload %s\ncommand %s\ntrace %s\n", rule,
            attribute_text(view->run, "host"), attribute_text(view->run, "workload"),
            attribute_text(view->run, "command_line"), view->trace);
    if (view->run->records_lost)
        fprintf(to, "LOST %" PRIu64 " records: every figure below may lack them\n",
                view->run->records_lost);
    fprintf(to, "%s\n\n", rule);
    write_load(to, view->load);
    putc('\n', to);
    write_frames(to, view->frames);
    putc('\n', to);
    write_counters(to, view->counters);
}

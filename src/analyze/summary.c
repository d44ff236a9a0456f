/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   One walk, one summary.

   Memory: a fixed part, and 8 bytes a value of each distribution: four for a command, and its
   derived numbers where they are asked for.  What is needed of an interaction beyond that waits
   only until the spans that were flushed with it have come.  */
#include "summary.h"

#include <emlat/errors.h>
#include <stdlib.h>
#include <string.h>

enum { WAITING_MAX = 1 << 14 };

/* The walk's own state, beside the summary that it fills.  */
struct walk {
    struct emlat_summary *summary;
    const struct emlat_reader *reader;
    unsigned flags;
    struct emlat_timeline *timeline;
    struct emlat_record *waiting; /* commands whose spans may still come */
    size_t waiting_count, waiting_room;
    unsigned last_chunk; /* type of the record chunk that was read last */
};

static unsigned bin_of(uint64_t ns)
{
    unsigned bin = 0;
    while (bin < EMLAT_HISTOGRAM_BINS - 1 && ns >= (uint64_t)16000 << bin)
        bin++;
    return bin;
}

static int add_sample(struct emlat_summary *summary, const struct emlat_sample *sample)
{
    struct emlat_population_summary *of = &summary->population[sample->population];
    of->count++;
    if (sample->population == EMLAT_UNFINISHED || sample->population == EMLAT_NO_INPUT)
        return 0;
    bool waited = sample->population == EMLAT_WAITED;
    int error = emlat_distribution_add(&of->lower, sample->lower);
    if (!error && waited)
        error = emlat_distribution_add(&summary->person, sample->person_ns);
    if (!error && sample->has_upper)
        error = emlat_distribution_add(&of->upper, sample->upper);
    if (!error && sample->has_dwell)
        error = emlat_distribution_add(&summary->dwell, sample->dwell_max_ns);
    if (!error && sample->population == EMLAT_FLUSHED) {
        summary->quality[sample->latest_quality % EMLAT_QUALITIES_END]++;
        if (sample->has_upper)
            error = emlat_distribution_add(&of->width, sample->upper - sample->lower);
    }
    of->histogram[bin_of(sample->lower)]++;
    return error;
}

static struct emlat_group *group_of(struct emlat_summary *summary, uint64_t kind,
                                    enum emlat_population population)
{
    for (size_t i = 0; i < summary->groups_count; i++)
        if (summary->groups[i].kind == kind && summary->groups[i].population == population)
            return &summary->groups[i];
    if (summary->groups_count == summary->groups_room) {
        size_t room = summary->groups_room ? 2 * summary->groups_room : 16;
        struct emlat_group *groups = realloc(summary->groups, room * sizeof *groups);
        if (!groups)
            return NULL;
        summary->groups = groups;
        summary->groups_room = room;
    }
    struct emlat_group *group = &summary->groups[summary->groups_count++];
    *group = (struct emlat_group){.kind = kind, .population = population};
    return group;
}

/* Count RECORD with its kind and population.  LATENCY is null where it has none.  */
static int add_to_group(const struct walk *walk, const struct emlat_record *record,
                        enum emlat_population population, const uint64_t *latency)
{
    struct emlat_summary *summary = walk->summary;
    struct emlat_metrics metrics;
    emlat_metrics_of(record, &metrics);
    for (unsigned i = 0; i < EMLAT_METRICS; i++) {
        summary->negative[i] += metrics.negative >> i & 1;
        summary->inside[i] += metrics.inside >> i & 1;
    }
    if (!(walk->flags & EMLAT_WITH_METRICS))
        return 0;
    struct emlat_group *group =
        group_of(summary, record->value[EMLAT_INTERACTION_root_kind] % EMLAT_KINDS_END, population);
    if (!group)
        return EMLAT_ENOMEM;
    group->count++;
    int error = latency ? emlat_distribution_add(&group->latency, *latency) : 0;
    for (unsigned i = 0; i < EMLAT_METRICS && !error; i++)
        if (emlat_metric_has(&metrics, (enum emlat_metric)i))
            error = emlat_distribution_add(&group->metric[i], metrics.value[i]);
    return error;
}

/* The place of NAME among the named, or where it belongs.  */
static size_t named_place(const struct emlat_summary *summary, uint64_t name)
{
    size_t low = 0, high = summary->named_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (summary->named[middle].name < name)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct emlat_named *named_of(struct emlat_summary *summary, uint64_t name)
{
    size_t at = named_place(summary, name);
    if (at < summary->named_count && summary->named[at].name == name)
        return &summary->named[at];
    if (summary->named_count == summary->named_room) {
        size_t room = summary->named_room ? 2 * summary->named_room : 64;
        struct emlat_named *named = realloc(summary->named, room * sizeof *named);
        if (!named)
            return NULL;
        summary->named = named;
        summary->named_room = room;
    }
    struct emlat_named *new = &summary->named[at];
    memmove(new + 1, new, (summary->named_count++ - at) * sizeof *new);
    *new = (struct emlat_named){.name = name};
    return new;
}

/* Count RECORD with its name, if it bears one.  A reader keeps a bounded number of texts, so there
   are no more names than that.  */
static int add_to_named(const struct walk *walk, const struct emlat_record *record,
                        const struct emlat_sample *sample)
{
    const uint64_t *value = record->value;
    uint64_t name = value[EMLAT_INTERACTION_name];
    if (!emlat_record_has(record, EMLAT_INTERACTION_name) ||
        !emlat_reader_string(walk->reader, name))
        return 0;
    struct emlat_named *named = named_of(walk->summary, name);
    if (!named)
        return EMLAT_ENOMEM;
    named->count++;
    named->superseded += sample->population == EMLAT_SUPERSEDED;
    int error = sample->population == EMLAT_FLUSHED
                    ? emlat_distribution_add(&named->latency, sample->lower)
                    : 0;
    if (error || !emlat_record_has(record, EMLAT_INTERACTION_t_dispatch_begin) ||
        !emlat_record_has(record, EMLAT_INTERACTION_t_root_work_end))
        return error;
    uint64_t work =
        value[EMLAT_INTERACTION_t_root_work_end] - value[EMLAT_INTERACTION_t_dispatch_begin];
    return emlat_distribution_add(&named->work,
                                  work > sample->person_ns ? work - sample->person_ns : 0);
}

static int by_work(const void *a, const void *b)
{
    const struct emlat_named *one = a, *other = b;
    return one->work.total != other->work.total ? (one->work.total < other->work.total ? 1 : -1)
           : one->name < other->name            ? -1
                                                : 1;
}

/* A root that is no command.  */
static int add_other(const struct walk *walk, const struct emlat_record *record)
{
    struct emlat_summary *summary = walk->summary;
    struct emlat_kind_summary *of =
        &summary->other[record->value[EMLAT_INTERACTION_root_kind] % EMLAT_KINDS_END];
    uint64_t begin = record->value[EMLAT_INTERACTION_t_dispatch_begin];
    uint64_t end = record->value[EMLAT_INTERACTION_t_root_work_end];
    bool known = emlat_record_has(record, EMLAT_INTERACTION_t_dispatch_begin) &&
                 emlat_record_has(record, EMLAT_INTERACTION_t_root_work_end) && end >= begin;
    uint64_t took = known ? end - begin : 0;
    summary->others++;
    of->count++;
    of->total_ns += took;
    if (took > of->max_ns)
        of->max_ns = took;
    return add_to_group(walk, record, emlat_population_of(walk->reader, record),
                        known ? &took : NULL);
}

static void note_times(struct emlat_summary *summary, const struct emlat_record *record)
{
    if (!emlat_record_has(record, EMLAT_INTERACTION_t_dispatch_begin))
        return;
    uint64_t t = record->value[EMLAT_INTERACTION_t_dispatch_begin];
    if (!summary->t_first || t < summary->t_first)
        summary->t_first = t;
    if (t > summary->t_last)
        summary->t_last = t;
}

static int note_counters(const struct walk *walk, const struct emlat_record *record)
{
    struct emlat_summary *summary = walk->summary;
    uint64_t failed, lost = 0, quit_ns;
    if (emlat_sample_counter(walk->reader, record, "flushes_failed", &failed)) {
        emlat_sample_counter(walk->reader, record, "flush_bytes_lost", &lost);
        summary->counts_flushes = true;
        summary->flushes_failed += failed;
        summary->flush_bytes_lost += lost;
    }
    if (emlat_sample_counter(walk->reader, record, "quit_ns", &quit_ns))
        return emlat_distribution_add(&summary->quit, quit_ns);
    return 0;
}

static int settle(struct walk *walk);

/* RECORD's answer can be told when the spans that were flushed with it are there.  A recorder does
   not flush as many commands at once as would have to wait then.  */
static int let_wait(struct walk *walk, const struct emlat_record *record)
{
    int error = walk->waiting_count == WAITING_MAX ? settle(walk) : 0;
    if (error)
        return error;
    if (walk->waiting_count == walk->waiting_room) {
        size_t room = walk->waiting_room ? 2 * walk->waiting_room : 64;
        struct emlat_record *waiting = realloc(walk->waiting, room * sizeof *waiting);
        if (!waiting)
            return EMLAT_ENOMEM;
        walk->waiting = waiting;
        walk->waiting_room = room;
    }
    walk->waiting[walk->waiting_count++] = *record;
    return 0;
}

static int add_interaction(struct walk *walk, const struct emlat_record *record)
{
    struct emlat_summary *summary = walk->summary;
    struct emlat_sample sample;
    bool command = emlat_word_is_command(emlat_reader_word(
        walk->reader, EMLAT_CLASS_ROOT, record->value[EMLAT_INTERACTION_root_kind]));
    note_times(summary, record);
    int error = note_counters(walk, record);
    if (error)
        return error;
    if (!command)
        return add_other(walk, record);
    if (!emlat_sample_from(walk->reader, record, &sample)) {
        summary->contradictory++;
        return 0;
    }
    summary->commands++;
    summary->seen_fields |= record->present;
    bool timed = sample.population != EMLAT_UNFINISHED && sample.population != EMLAT_NO_INPUT;
    error = add_to_group(walk, record, sample.population, timed ? &sample.lower : NULL);
    if (!error)
        error = add_sample(summary, &sample);
    if (!error)
        error = add_to_named(walk, record, &sample);
    return error ? error : let_wait(walk, record);
}

static void add_loss(struct emlat_loss *loss, const struct emlat_record *record)
{
    uint64_t first = record->value[EMLAT_LOSS_t_first], last = record->value[EMLAT_LOSS_t_last];
    loss->entries++;
    if (emlat_record_has(record, EMLAT_LOSS_records))
        loss->records += record->value[EMLAT_LOSS_records];
    if (emlat_record_has(record, EMLAT_LOSS_bytes))
        loss->bytes += record->value[EMLAT_LOSS_bytes];
    if (emlat_record_has(record, EMLAT_LOSS_t_first) && (!loss->t_first || first < loss->t_first))
        loss->t_first = first;
    if (emlat_record_has(record, EMLAT_LOSS_t_last) && last > loss->t_last)
        loss->t_last = last;
}

/* Everything that was flushed together is there.  */
static int settle(struct walk *walk)
{
    int error = emlat_timeline_settle(walk->timeline);
    for (size_t i = 0; i < walk->waiting_count && !error; i++) {
        struct emlat_response responses[EMLAT_RESPONSES_OF_ONE_MAX];
        unsigned count =
            emlat_responses_of(walk->reader, &walk->waiting[i], walk->timeline, responses);
        for (unsigned k = 0; k < count && !error; k++)
            error = emlat_responses_add(&walk->summary->responses, &responses[k]);
    }
    walk->waiting_count = 0;
    return error;
}

/* A recorder flushes at most one chunk of each type at a time, in the order of their types.  */
static int begin_chunk(struct walk *walk, unsigned type)
{
    if (type == EMLAT_SESSION_CHUNK || type == EMLAT_STRING_CHUNK)
        return 0;
    int error = type <= walk->last_chunk ? settle(walk) : 0;
    walk->last_chunk = type;
    return error;
}

static int add_record(struct walk *walk, const struct emlat_record *record)
{
    int error = emlat_timeline_take(walk->timeline, walk->reader, record);
    if (!error && record->type == EMLAT_INTERACTION)
        error = add_interaction(walk, record);
    else if (record->type == EMLAT_LOSS)
        add_loss(&walk->summary->loss, record);
    return error;
}

/* What can be said only of the whole.  */
static void conclude(struct walk *walk)
{
    struct emlat_summary *summary = walk->summary;
    struct emlat_distribution *all[] = {&summary->dwell, &summary->person, &summary->quit};
    for (int i = 0; i < EMLAT_POPULATIONS; i++) {
        emlat_distribution_sort(&summary->population[i].lower);
        emlat_distribution_sort(&summary->population[i].upper);
        emlat_distribution_sort(&summary->population[i].width);
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        emlat_distribution_sort(all[i]);
    for (size_t i = 0; i < summary->groups_count; i++) {
        emlat_distribution_sort(&summary->groups[i].latency);
        for (int k = 0; k < EMLAT_METRICS; k++)
            emlat_distribution_sort(&summary->groups[i].metric[k]);
    }
    for (size_t i = 0; i < summary->named_count; i++) {
        emlat_distribution_sort(&summary->named[i].latency);
        emlat_distribution_sort(&summary->named[i].work);
    }
    if (summary->named_count)
        qsort(summary->named, summary->named_count, sizeof *summary->named, by_work);
    memcpy(summary->harmless, emlat_timeline_harmless(walk->timeline), sizeof summary->harmless);
    emlat_responses_end(&summary->responses);
    emlat_verdict_of(&summary->responses, &summary->verdict);
}

static int walk_file(struct walk *walk, struct emlat_reader *reader, size_t file,
                     void (*on_skipped)(void *data, size_t file,
                                        const struct emlat_chunk_info *chunk),
                     void *data)
{
    struct emlat_item item;
    int error = 0;
    walk->reader = reader;
    walk->last_chunk = 0;
    while (!error && !(error = emlat_reader_next(reader, &item)) && item.kind != EMLAT_ITEM_END) {
        if (item.kind == EMLAT_ITEM_CHUNK && item.chunk->skipped && on_skipped)
            on_skipped(data, file, item.chunk);
        else if (item.kind == EMLAT_ITEM_CHUNK)
            error = begin_chunk(walk, item.chunk->type);
        else if (item.kind == EMLAT_ITEM_RECORD)
            error = add_record(walk, item.record);
    }
    /* Of a damaged file, what came before the damage.  */
    int unsettled = error != EMLAT_ENOMEM ? settle(walk) : 0;
    return error ? error : unsettled;
}

int emlat_summarize(struct emlat_reader *const *readers, size_t count, unsigned flags,
                    struct emlat_summary *summary,
                    void (*on_skipped)(void *data, size_t file,
                                       const struct emlat_chunk_info *chunk),
                    void *data)
{
    struct walk walk = {.summary = summary, .flags = flags};
    memset(summary, 0, sizeof *summary);
    int error = emlat_timeline_new(&walk.timeline);
    if (error)
        return error;
    for (size_t i = 0; i < count && !error; i++)
        error = walk_file(&walk, readers[i], i, on_skipped, data);
    conclude(&walk);
    emlat_timeline_free(walk.timeline);
    free(walk.waiting);
    return error;
}

void emlat_summary_free(struct emlat_summary *summary)
{
    for (int i = 0; i < EMLAT_POPULATIONS; i++) {
        emlat_distribution_free(&summary->population[i].lower);
        emlat_distribution_free(&summary->population[i].upper);
        emlat_distribution_free(&summary->population[i].width);
    }
    for (size_t i = 0; i < summary->groups_count; i++) {
        emlat_distribution_free(&summary->groups[i].latency);
        for (int k = 0; k < EMLAT_METRICS; k++)
            emlat_distribution_free(&summary->groups[i].metric[k]);
    }
    free(summary->groups);
    for (size_t i = 0; i < summary->named_count; i++) {
        emlat_distribution_free(&summary->named[i].latency);
        emlat_distribution_free(&summary->named[i].work);
    }
    free(summary->named);
    emlat_distribution_free(&summary->dwell);
    emlat_distribution_free(&summary->person);
    emlat_distribution_free(&summary->quit);
    emlat_responses_free(&summary->responses);
}

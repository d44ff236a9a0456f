/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   One walk, one summary.  Memory grows with the number of commands (about 400 bytes each), never
   with what a record claims.  */
#include "summary.h"

#include <emlat/errors.h>
#include <stdlib.h>
#include <string.h>

static int keep_flushed(struct emlat_summary *summary, const struct emlat_sample *sample)
{
    if (summary->flushed_count == summary->flushed_room) {
        size_t room = summary->flushed_room ? 2 * summary->flushed_room : 256;
        struct emlat_sample *kept = realloc(summary->flushed, room * sizeof *kept);
        if (!kept)
            return EMLAT_ENOMEM;
        summary->flushed = kept;
        summary->flushed_room = room;
    }
    summary->flushed[summary->flushed_count++] = *sample;
    return 0;
}

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
        if (!error)
            error = keep_flushed(summary, sample);
    }
    of->histogram[bin_of(sample->lower)]++;
    return error;
}

static int add_metrics(struct emlat_summary *summary, const struct emlat_record *record, bool keep)
{
    struct emlat_metrics metrics;
    int error = 0;
    emlat_metrics_of(record, &metrics);
    for (unsigned i = 0; i < EMLAT_METRICS && !error; i++) {
        summary->negative[i] += metrics.negative >> i & 1;
        if (keep && emlat_metric_has(&metrics, (enum emlat_metric)i))
            error = emlat_distribution_add(&summary->metric[i], metrics.value[i]);
    }
    return error;
}

static void add_other(struct emlat_summary *summary, const struct emlat_record *record)
{
    struct emlat_kind_summary *of =
        &summary->other[record->value[EMLAT_INTERACTION_root_kind] % EMLAT_KINDS_END];
    summary->others++;
    of->count++;
    if (!emlat_record_has(record, EMLAT_INTERACTION_t_dispatch_begin) ||
        !emlat_record_has(record, EMLAT_INTERACTION_t_root_work_end))
        return;
    uint64_t begin = record->value[EMLAT_INTERACTION_t_dispatch_begin];
    uint64_t end = record->value[EMLAT_INTERACTION_t_root_work_end];
    if (end < begin)
        return;
    of->total_ns += end - begin;
    if (end - begin > of->max_ns)
        of->max_ns = end - begin;
}

static int add_interaction(struct emlat_summary *summary, const struct emlat_reader *reader,
                           const struct emlat_record *record)
{
    struct emlat_sample sample;
    const struct emlat_word_value *kind =
        emlat_reader_word(reader, EMLAT_CLASS_ROOT, record->value[EMLAT_INTERACTION_root_kind]);
    if (emlat_record_has(record, EMLAT_INTERACTION_t_dispatch_begin)) {
        uint64_t t = record->value[EMLAT_INTERACTION_t_dispatch_begin];
        if (!summary->t_first || t < summary->t_first)
            summary->t_first = t;
        if (t > summary->t_last)
            summary->t_last = t;
    }
    uint64_t failed, lost = 0;
    if (emlat_sample_counter(reader, record, "flushes_failed", &failed)) {
        emlat_sample_counter(reader, record, "flush_bytes_lost", &lost);
        summary->counts_flushes = true;
        summary->flushes_failed += failed;
        summary->flush_bytes_lost += lost;
    }
    if (!emlat_sample_from(reader, record, &sample)) {
        if (kind && (kind->flags & 1))
            summary->contradictory++;
        else
            add_other(summary, record);
        return 0;
    }
    summary->commands++;
    summary->seen_fields |= record->present;
    int error = add_metrics(summary, record, sample.population == EMLAT_FLUSHED);
    return error ? error : add_sample(summary, &sample);
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

static void sum_tail(struct emlat_summary *summary)
{
    struct emlat_tail *tail = &summary->tail;
    const struct emlat_distribution *lower = &summary->population[EMLAT_FLUSHED].lower;
    tail->permille = emlat_distribution_supports(lower->count, 990)   ? 990
                     : emlat_distribution_supports(lower->count, 950) ? 950
                                                                      : 0;
    if (!tail->permille)
        return;
    tail->threshold = emlat_distribution_rank(lower, tail->permille);
    tail->has_cpu = tail->has_gc = true;
    for (size_t i = 0; i < summary->flushed_count; i++) {
        const struct emlat_sample *sample = &summary->flushed[i];
        if (sample->lower < tail->threshold)
            continue;
        tail->count++;
        tail->total += sample->lower;
        for (int part = 0; part < EMLAT_PARTS; part++)
            tail->part[part] += sample->part[part];
        tail->gc_ns += sample->gc_ns;
        tail->cpu_ns += sample->cpu_ns;
        tail->has_gc &= sample->has_gc;
        tail->has_cpu &= sample->has_cpu;
    }
}

int emlat_summarize(struct emlat_reader *reader, struct emlat_summary *summary,
                    void (*on_skipped)(void *data, const struct emlat_chunk_info *chunk),
                    void *data)
{
    struct emlat_item item;
    int error;
    memset(summary, 0, sizeof *summary);
    while (!(error = emlat_reader_next(reader, &item)) && item.kind != EMLAT_ITEM_END) {
        if (item.kind == EMLAT_ITEM_CHUNK && item.chunk->skipped && on_skipped)
            on_skipped(data, item.chunk);
        if (item.kind != EMLAT_ITEM_RECORD)
            continue;
        if (item.record->type == EMLAT_INTERACTION)
            error = add_interaction(summary, reader, item.record);
        else if (item.record->type == EMLAT_LOSS)
            add_loss(&summary->loss, item.record);
        if (error)
            break;
    }
    for (int i = 0; i < EMLAT_POPULATIONS; i++) {
        emlat_distribution_sort(&summary->population[i].lower);
        emlat_distribution_sort(&summary->population[i].upper);
        emlat_distribution_sort(&summary->population[i].width);
    }
    emlat_distribution_sort(&summary->dwell);
    emlat_distribution_sort(&summary->person);
    for (int i = 0; i < EMLAT_METRICS; i++)
        emlat_distribution_sort(&summary->metric[i]);
    sum_tail(summary);
    return error;
}

void emlat_summary_free(struct emlat_summary *summary)
{
    for (int i = 0; i < EMLAT_POPULATIONS; i++) {
        emlat_distribution_free(&summary->population[i].lower);
        emlat_distribution_free(&summary->population[i].upper);
        emlat_distribution_free(&summary->population[i].width);
    }
    emlat_distribution_free(&summary->dwell);
    emlat_distribution_free(&summary->person);
    for (int i = 0; i < EMLAT_METRICS; i++)
        emlat_distribution_free(&summary->metric[i]);
    free(summary->flushed);
}

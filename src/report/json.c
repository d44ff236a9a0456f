/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The report for programs, "emlat.report/1"; doc/json.md describes it.  All durations are whole
   nanoseconds; what is absent is null.  */
#include "json_write.h"
#include "report.h"

static void put_rank(struct emlat_json *json, const char *key, const struct emlat_distribution *of,
                     unsigned permille)
{
    if (of->count && emlat_distribution_supports(of->count, permille))
        emlat_json_u64(json, key, emlat_distribution_rank(of, permille));
    else
        emlat_json_null(json, key);
}

static void put_distribution(struct emlat_json *json, const char *key,
                             const struct emlat_distribution *of)
{
    if (!of->count) {
        emlat_json_null(json, key);
        return;
    }
    emlat_json_open(json, key, '{');
    emlat_json_u64(json, "count", of->count);
    emlat_json_u64(json, "min_ns", of->values[0]);
    put_rank(json, "p50_ns", of, 500);
    put_rank(json, "p90_ns", of, 900);
    put_rank(json, "p95_ns", of, 950);
    put_rank(json, "p99_ns", of, 990);
    put_rank(json, "p999_ns", of, 999);
    emlat_json_u64(json, "max_ns", of->values[of->count - 1]);
    emlat_json_u64(json, "mean_ns", of->total / of->count);
    emlat_json_u64(json, "total_ns", of->total);
    emlat_json_close(json, '}');
}

static void put_tail(struct emlat_json *json, const struct emlat_tail *tail)
{
    if (!tail->permille) {
        emlat_json_null(json, "tail");
        return;
    }
    emlat_json_open(json, "tail", '{');
    emlat_json_u64(json, "permille", tail->permille);
    emlat_json_u64(json, "threshold_ns", tail->threshold);
    emlat_json_u64(json, "count", tail->count);
    emlat_json_u64(json, "total_ns", tail->total);
    emlat_json_open(json, "parts_ns", '{');
    for (int part = 0; part < EMLAT_PARTS; part++)
        emlat_json_u64(json, emlat_part_name((enum emlat_part)part), tail->part[part]);
    emlat_json_close(json, '}');
    if (tail->has_gc)
        emlat_json_u64(json, "gc_ns", tail->gc_ns);
    else
        emlat_json_null(json, "gc_ns");
    if (tail->has_cpu)
        emlat_json_u64(json, "cpu_ns", tail->cpu_ns);
    else
        emlat_json_null(json, "cpu_ns");
    emlat_json_close(json, '}');
}

static void put_overhead(struct emlat_json *json, const struct emlat_reader *reader)
{
    struct emlat_overhead overhead = emlat_overhead_of(reader);
    const struct {
        const char *key;
        bool has;
        uint64_t value;
    } rows[] = {
        {"elapsed_ns", overhead.has_elapsed, overhead.elapsed_ns},
        {"writer_cpu_ns", overhead.has_writer, overhead.writer_cpu_ns},
        {"clock_reads", overhead.has_clock, overhead.clock_reads},
        {"clock_ns", overhead.has_clock, overhead.clock_ns},
    };
    emlat_json_open(json, "overhead", '{');
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].has)
            emlat_json_u64(json, rows[i].key, rows[i].value);
        else
            emlat_json_null(json, rows[i].key);
    }
    emlat_json_close(json, '}');
}

static void put_count(struct emlat_json *json, const char *key, bool has, uint64_t value)
{
    if (has)
        emlat_json_u64(json, key, value);
    else
        emlat_json_null(json, key);
}

static void put_others(struct emlat_json *json, const struct emlat_report *report)
{
    emlat_json_open(json, "other_work", '[');
    for (unsigned kind = 0; kind < EMLAT_KINDS_END; kind++) {
        const struct emlat_kind_summary *of = &report->summary->other[kind];
        const struct emlat_word_value *word =
            emlat_reader_word(report->reader, EMLAT_CLASS_ROOT, kind);
        if (!of->count)
            continue;
        emlat_json_open(json, NULL, '{');
        if (word)
            emlat_json_string(json, "root_kind", word->name);
        else
            emlat_json_u64(json, "root_kind", kind);
        emlat_json_u64(json, "count", of->count);
        emlat_json_u64(json, "max_ns", of->max_ns);
        emlat_json_u64(json, "total_ns", of->total_ns);
        emlat_json_close(json, '}');
    }
    emlat_json_close(json, ']');
}

void emlat_report_json(FILE *to, const struct emlat_report *report)
{
    const struct emlat_summary *summary = report->summary;
    struct emlat_json json = {.to = to};
    emlat_json_open(&json, NULL, '{');
    emlat_json_string(&json, "schema", "emlat.report/1");
    emlat_json_bool(&json, "whole", report->whole);
    emlat_json_u64(&json, "commands", summary->commands);
    emlat_json_u64(&json, "other_roots", summary->others);
    emlat_json_u64(&json, "contradictory", summary->contradictory);
    emlat_json_open(&json, "populations", '{');
    for (int i = 0; i < EMLAT_POPULATIONS; i++) {
        const struct emlat_population_summary *of = &summary->population[i];
        emlat_json_open(&json, emlat_population_name((enum emlat_population)i), '{');
        emlat_json_u64(&json, "count", of->count);
        put_distribution(&json, "lower", &of->lower);
        put_distribution(&json, "upper", &of->upper);
        put_distribution(&json, "arrival_width", &of->width);
        emlat_json_close(&json, '}');
    }
    emlat_json_close(&json, '}');
    emlat_json_open(&json, "metrics", '{');
    for (int i = 0; i < EMLAT_METRICS; i++)
        put_distribution(&json, emlat_metric_name((enum emlat_metric)i), &summary->metric[i]);
    emlat_json_close(&json, '}');
    emlat_json_open(&json, "negative", '{');
    for (int i = 0; i < EMLAT_METRICS; i++)
        emlat_json_u64(&json, emlat_metric_name((enum emlat_metric)i), summary->negative[i]);
    emlat_json_close(&json, '}');
    put_distribution(&json, "person_wait", &summary->person);
    put_others(&json, report);
    put_count(&json, "flushes_failed", summary->counts_flushes, summary->flushes_failed);
    put_count(&json, "flush_bytes_lost", summary->counts_flushes, summary->flush_bytes_lost);
    put_distribution(&json, "prefix_dwell_max", &summary->dwell);
    put_tail(&json, &summary->tail);
    emlat_json_open(&json, "arrival_quality", '{');
    for (unsigned i = 1; i < EMLAT_QUALITIES_END; i++)
        if (emlat_type_word(EMLAT_TYPE_QUALITY, i))
            emlat_json_u64(&json, emlat_type_word(EMLAT_TYPE_QUALITY, i), summary->quality[i]);
    emlat_json_close(&json, '}');
    emlat_json_open(&json, "loss", '{');
    emlat_json_u64(&json, "records", summary->loss.records);
    emlat_json_u64(&json, "bytes", summary->loss.bytes);
    emlat_json_close(&json, '}');
    emlat_json_u64(&json, "skipped_chunks", emlat_reader_counts(report->reader)->skipped_chunks);
    put_overhead(&json, report->reader);
    emlat_json_close(&json, '}');
    emlat_json_line(&json);
}

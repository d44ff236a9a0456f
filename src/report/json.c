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
    emlat_json_u64(json, "p50_ns", emlat_distribution_rank(of, 500));
    emlat_json_u64(json, "p90_ns", emlat_distribution_rank(of, 900));
    emlat_json_u64(json, "p95_ns", emlat_distribution_rank(of, 950));
    emlat_json_u64(json, "p99_ns", emlat_distribution_rank(of, 990));
    put_rank(json, "p999_ns", of, 999);
    emlat_json_u64(json, "max_ns", of->values[of->count - 1]);
    emlat_json_u64(json, "mean_ns", of->total / of->count);
    emlat_json_u64(json, "total_ns", of->total);
    emlat_json_close(json, '}');
}

static void put_count(struct emlat_json *json, const char *key, bool has, uint64_t value)
{
    if (has)
        emlat_json_u64(json, key, value);
    else
        emlat_json_null(json, key);
}

static void put_share(struct emlat_json *json, const char *key, bool has, double share)
{
    if (has)
        emlat_json_double(json, key, share);
    else
        emlat_json_null(json, key);
}

/* A root kind's name, or its number where it has none.  */
static void put_kind(struct emlat_json *json, const struct emlat_reader *reader, uint64_t kind)
{
    if (kind && !emlat_reader_word(reader, EMLAT_CLASS_ROOT, kind))
        emlat_json_u64(json, "root_kind", kind);
    else
        emlat_json_string(json, "root_kind", emlat_root_name(reader, kind));
}

/* "min", "p50" …, all null where there is no value.  */
static void put_metric(struct emlat_json *json, const char *key,
                       const struct emlat_distribution *of)
{
    static const struct {
        const char *key;
        unsigned permille;
    } ranks[] = {{"p50", 500}, {"p90", 900}, {"p95", 950}, {"p99", 990}};
    if (!of->count) {
        emlat_json_null(json, key);
        return;
    }
    emlat_json_open(json, key, '{');
    emlat_json_u64(json, "n", of->count);
    emlat_json_u64(json, "min", of->values[0]);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        emlat_json_u64(json, ranks[i].key, emlat_distribution_rank(of, ranks[i].permille));
    put_rank(json, "p999", of, 999);
    emlat_json_u64(json, "max", of->values[of->count - 1]);
    emlat_json_u64(json, "mean", of->total / of->count);
    emlat_json_u64(json, "total", of->total);
    emlat_json_close(json, '}');
}

/* Each root kind and population that the file has.  */
static void put_groups(struct emlat_json *json, const struct emlat_report *report)
{
    const struct emlat_summary *summary = report->summary;
    emlat_json_open(json, "populations", '[');
    for (size_t i = 0; i < summary->groups_count; i++) {
        const struct emlat_group *group = &summary->groups[i];
        uint64_t of_kind = 0;
        for (size_t k = 0; k < summary->groups_count; k++)
            of_kind += summary->groups[k].kind == group->kind ? summary->groups[k].count : 0;
        emlat_json_open(json, NULL, '{');
        put_kind(json, report->reader, group->kind);
        emlat_json_string(json, "population", emlat_population_name(group->population));
        emlat_json_u64(json, "n", group->count);
        put_share(json, "share", true, (double)group->count / (double)of_kind);
        emlat_json_open(json, "metrics", '{');
        put_metric(json, "latency_ns", &group->latency);
        for (int k = 0; k < EMLAT_METRICS; k++)
            put_metric(json, emlat_metric_name((enum emlat_metric)k), &group->metric[k]);
        emlat_json_close(json, '}');
        emlat_json_close(json, '}');
    }
    emlat_json_close(json, ']');
}

static void put_blame(struct emlat_json *json, const struct emlat_report *report,
                      const struct emlat_tail *tail)
{
    emlat_json_open(json, "blame", '[');
    for (unsigned i = 0; i < tail->blames; i++) {
        const struct emlat_blame *blame = &tail->blame[i];
        emlat_json_open(json, NULL, '{');
        put_kind(json, report->reader, blame->kind);
        emlat_json_string(json, "component", emlat_component_name(blame->component));
        emlat_json_u64(json, "overlap_ns", blame->ns);
        emlat_json_double(json, "share", (double)blame->ns / (double)tail->total_ns);
        emlat_json_close(json, '}');
    }
    emlat_json_close(json, ']');
}

static const char *quantile_name(const struct emlat_tail *tail)
{
    return tail->permille == 500 ? "p50" : tail->permille == 950 ? "p95" : "p99";
}

/* A column of "where the time went".  */
static void put_column(struct emlat_json *json, const struct emlat_report *report,
                       const struct emlat_tail *tail)
{
    if (!tail->count)
        return;
    emlat_json_open(json, NULL, '{');
    emlat_json_string(json, "quantile", quantile_name(tail));
    emlat_json_u64(json, "threshold_ns", tail->threshold);
    emlat_json_u64(json, "n", tail->count);
    emlat_json_u64(json, "total_ns", tail->total_ns);
    emlat_json_open(json, "components_ns", '{');
    for (int c = 0; c < EMLAT_COMPONENTS; c++)
        emlat_json_u64(json, emlat_component_name((enum emlat_component)c), tail->component[c]);
    emlat_json_close(json, '}');
    emlat_json_open(json, "redisplay_ns", '{');
    emlat_json_u64(json, "desired_matrices", tail->matrices_ns);
    emlat_json_u64(json, "update", tail->update_ns);
    emlat_json_close(json, '}');
    put_blame(json, report, tail);
    emlat_json_close(json, '}');
}

static void put_verdict(struct emlat_json *json, const struct emlat_report *report)
{
    static const char *const findings[] = {"no_responses", "nothing_slow", "not_in_host",
                                           "none_repeats", "one_leads"};
    const struct emlat_verdict *verdict = &report->summary->verdict;
    const struct emlat_tail none = {0};
    bool leads = verdict->finding == EMLAT_ONE_LEADS, slow = verdict->tail.count;
    struct emlat_sentence sentence;
    emlat_json_open(json, "verdict", '{');
    emlat_json_string(json, "finding", findings[verdict->finding]);
    emlat_json_string(json, "component",
                      leads ? emlat_component_name(verdict->component)
                      : verdict->finding == EMLAT_NOT_IN_HOST ? "not_in_emacs"
                                                              : "none");
    if (leads && verdict->on_cpu >= 0)
        emlat_json_bool(json, "on_cpu", verdict->on_cpu);
    else
        emlat_json_null(json, "on_cpu");
    if (slow)
        emlat_json_string(json, "quantile", quantile_name(&verdict->tail));
    else
        emlat_json_null(json, "quantile");
    put_share(json, "share", leads, verdict->share);
    put_blame(json, report, leads ? &verdict->tail : &none);
    put_share(json, "superseded_share", verdict->superseded_share >= 0, verdict->superseded_share);
    put_share(json, "resamples_led", slow, verdict->resamples_led);
    put_count(json, "slices", slow, verdict->slices);
    put_count(json, "slices_led", slow, verdict->slices_led);
    emlat_verdict_sentence(&sentence, report);
    emlat_json_string(json, "text", sentence.text);
    emlat_verdict_next(&sentence, report);
    if (sentence.length)
        emlat_json_string(json, "next", sentence.text);
    else
        emlat_json_null(json, "next");
    emlat_json_close(json, '}');
    emlat_json_open(json, "components", '[');
    put_column(json, report, &verdict->typical);
    put_column(json, report, &verdict->p95);
    put_column(json, report, &verdict->p99);
    emlat_json_close(json, ']');
}

static void put_backlog(struct emlat_json *json, const struct emlat_report *report)
{
    const struct emlat_backlog *backlog = &report->summary->responses.backlog;
    bool any = backlog->bursts;
    emlat_json_open(json, "backlog", '{');
    emlat_json_u64(json, "bursts", backlog->bursts);
    put_count(json, "keys", any, backlog->keys);
    put_count(json, "drain_ns", any, backlog->drain_ns);
    put_count(json, "commands_after", any, backlog->commands_after);
    emlat_json_u64(json, "superseded_run", backlog->superseded_run);
    emlat_json_close(json, '}');
    emlat_json_open(json, "harmless", '[');
    for (unsigned kind = 0; kind < EMLAT_KINDS_END; kind++) {
        const struct emlat_harmless *of = &report->summary->harmless[kind];
        if (!of->count)
            continue;
        emlat_json_open(json, NULL, '{');
        put_kind(json, report->reader, kind);
        emlat_json_u64(json, "count", of->count);
        emlat_json_u64(json, "max_ns", of->max_ns);
        emlat_json_close(json, '}');
    }
    emlat_json_close(json, ']');
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

static void put_others(struct emlat_json *json, const struct emlat_report *report)
{
    emlat_json_open(json, "other_work", '[');
    for (unsigned kind = 0; kind < EMLAT_KINDS_END; kind++) {
        const struct emlat_kind_summary *of = &report->summary->other[kind];
        if (!of->count)
            continue;
        emlat_json_open(json, NULL, '{');
        put_kind(json, report->reader, kind);
        emlat_json_u64(json, "count", of->count);
        emlat_json_u64(json, "max_ns", of->max_ns);
        emlat_json_u64(json, "total_ns", of->total_ns);
        emlat_json_close(json, '}');
    }
    emlat_json_close(json, ']');
}

/* By command, where names were recorded; else null.  */
static void put_named(struct emlat_json *json, const struct emlat_report *report)
{
    const struct emlat_summary *summary = report->summary;
    if (!summary->named_count) {
        emlat_json_null(json, "by_command");
        return;
    }
    emlat_json_open(json, "by_command", '[');
    for (size_t i = 0; i < summary->named_count; i++) {
        const struct emlat_named *named = &summary->named[i];
        emlat_json_open(json, NULL, '{');
        emlat_json_string(json, "command", emlat_reader_string(report->reader, named->name));
        emlat_json_u64(json, "n", named->count);
        emlat_json_u64(json, "superseded", named->superseded);
        put_metric(json, "latency_ns", &named->latency);
        put_metric(json, "work_ns", &named->work);
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
    put_verdict(&json, report);
    put_groups(&json, report);
    put_backlog(&json, report);
    put_distribution(&json, "quit", &summary->quit);
    put_named(&json, report);
    emlat_json_open(&json, "all_commands", '{');
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
    emlat_json_open(&json, "negative", '{');
    for (int i = 0; i < EMLAT_METRICS; i++)
        emlat_json_u64(&json, emlat_metric_name((enum emlat_metric)i), summary->negative[i]);
    emlat_json_close(&json, '}');
    emlat_json_open(&json, "inside", '{');
    for (int i = 0; i < EMLAT_METRICS; i++)
        emlat_json_u64(&json, emlat_metric_name((enum emlat_metric)i), summary->inside[i]);
    emlat_json_close(&json, '}');
    put_distribution(&json, "person_wait", &summary->person);
    put_others(&json, report);
    put_count(&json, "flushes_failed", summary->counts_flushes, summary->flushes_failed);
    put_count(&json, "flush_bytes_lost", summary->counts_flushes, summary->flush_bytes_lost);
    put_distribution(&json, "prefix_dwell_max", &summary->dwell);
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

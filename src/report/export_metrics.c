/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Histograms and counters as OpenMetrics and as Prometheus text.  They differ in two lines: the
   name that HELP and TYPE of a counter take, and the "# EOF" that only OpenMetrics has.

   A population has its own metric, since each measures something else: input to flush, dispatch to
   end, dispatch to the end of the work.  */
#include "export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Upper bounds of the buckets, in ns and as "le" says them in seconds.  */
static const struct {
    uint64_t ns;
    const char *seconds;
} buckets[] = {
    {100000, "0.0001"},  {200000, "0.0002"},  {500000, "0.0005"},  {1000000, "0.001"},
    {2000000, "0.002"},  {5000000, "0.005"},  {10000000, "0.01"},  {20000000, "0.02"},
    {50000000, "0.05"},  {100000000, "0.1"},  {200000000, "0.2"},  {500000000, "0.5"},
    {1000000000, "1.0"}, {2000000000, "2.0"}, {5000000000, "5.0"}, {10000000000, "10.0"},
};
enum { BUCKETS = sizeof buckets / sizeof *buckets, BOUNDS = 2 };
static const char *const bound_names[BOUNDS] = {"min", "max"};

static const struct {
    enum emlat_population population;
    const char *name, *help;
} metrics[] = {
    {EMLAT_FLUSHED, "emlat_input_to_flush_seconds",
     "From the arrival of the input to the end of the flush, by bound of the arrival."},
    {EMLAT_NO_OUTPUT, "emlat_dispatch_to_end_seconds",
     "From dispatch to the end, of interactions that wrote nothing."},
    {EMLAT_SUPERSEDED, "emlat_dispatch_to_work_end_seconds",
     "From dispatch to the end of the work, of interactions whose display was skipped."},
};
enum { METRICS = sizeof metrics / sizeof *metrics };

struct histogram {
    uint64_t below[BUCKETS]; /* not cumulative */
    uint64_t count, sum_ns;
};

struct state {
    struct histogram histogram[METRICS][BOUNDS];
    uint64_t population[EMLAT_POPULATIONS], underived, lost;
};

static void count(struct histogram *histogram, uint64_t ns)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        if (ns <= buckets[i].ns) {
            histogram->below[i]++;
            break;
        }
    }
    histogram->count++;
    histogram->sum_ns += ns;
}

static int interaction(struct emlat_export *export, const struct emlat_record *record,
                       const struct emlat_sample *sample)
{
    struct state *state = export->state;
    (void)record;
    if (!sample) {
        state->underived++;
        return 0;
    }
    state->population[sample->population]++;
    for (size_t i = 0; i < METRICS; i++) {
        if (metrics[i].population != sample->population)
            continue;
        count(&state->histogram[i][0], sample->lower);
        if (sample->has_upper)
            count(&state->histogram[i][1], sample->upper);
    }
    return 0;
}

static int record(struct emlat_export *export, const struct emlat_record *record)
{
    if (record->type == EMLAT_LOSS && emlat_record_has(record, EMLAT_LOSS_records))
        ((struct state *)export->state)->lost += record->value[EMLAT_LOSS_records];
    return 0;
}

static void put_histogram(FILE *to, const char *name, const char *bound, const char *at,
                          const struct histogram *histogram)
{
    uint64_t below = 0;
    for (size_t i = 0; i < BUCKETS; i++) {
        below += histogram->below[i];
        fprintf(to, "%s_bucket{bound=\"%s\",le=\"%s\"} %" PRIu64 "%s\n", name, bound,
                buckets[i].seconds, below, at);
    }
    fprintf(to, "%s_bucket{bound=\"%s\",le=\"+Inf\"} %" PRIu64 "%s\n", name, bound,
            histogram->count, at);
    fprintf(to, "%s_sum{bound=\"%s\"} %" PRIu64 ".%09u%s\n", name, bound,
            histogram->sum_ns / 1000000000u, (unsigned)(histogram->sum_ns % 1000000000u), at);
    fprintf(to, "%s_count{bound=\"%s\"} %" PRIu64 "%s\n", name, bound, histogram->count, at);
}

/* HELP and TYPE; a counter's name has "_total" only in the older text.  */
static void put_head(FILE *to, const char *name, const char *total, const char *type,
                     const char *help)
{
    fprintf(to, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, total, help, name, total, type);
}

/* AT: " " and when the figures were true, or "".  */
static void put_all(struct emlat_export *export, const char *total, const char *at)
{
    struct state *state = export->state;
    FILE *to = export->to;
    for (size_t i = 0; i < METRICS; i++) {
        put_head(to, metrics[i].name, "", "histogram", metrics[i].help);
        for (size_t bound = 0; bound < BOUNDS; bound++)
            put_histogram(to, metrics[i].name, bound_names[bound], at, &state->histogram[i][bound]);
    }
    put_head(to, "emlat_interactions", total, "counter", "Interactions by population.");
    for (int i = 0; i < EMLAT_POPULATIONS; i++)
        fprintf(to, "emlat_interactions_total{population=\"%s\"} %" PRIu64 "%s\n",
                emlat_population_name((enum emlat_population)i), state->population[i], at);
    fprintf(to, "emlat_interactions_total{population=\"none\"} %" PRIu64 "%s\n", state->underived,
            at);
    put_head(to, "emlat_lost_records", total, "counter",
             "Records that were produced and are not in the file.");
    fprintf(to, "emlat_lost_records_total %" PRIu64 "%s\n", state->lost, at);
}

static int end_openmetrics(struct emlat_export *export, bool whole)
{
    const struct emlat_file_info *file = emlat_reader_file(export->reader);
    uint64_t real = file->realtime_ns;
    char at[40];
    (void)whole;
    if (export->t_last > file->monotonic_ns)
        real += export->t_last - file->monotonic_ns;
    snprintf(at, sizeof at, " %" PRIu64 ".%03u", real / 1000000000u,
             (unsigned)(real / 1000000u % 1000u));
    put_all(export, "", at);
    fputs("# EOF\n", export->to);
    return 0;
}

static int end_prometheus(struct emlat_export *export, bool whole)
{
    (void)whole;
    put_all(export, "_total", ""); /* a textfile may not say when */
    return 0;
}

const struct emlat_export_view emlat_export_openmetrics = {
    .name = "openmetrics",
    .about = "histograms and counters, as OpenMetrics",
    .state_bytes = sizeof(struct state),
    .interaction = interaction,
    .record = record,
    .end = end_openmetrics,
};

const struct emlat_export_view emlat_export_prometheus = {
    .name = "prometheus",
    .about = "the same as Prometheus text, for node_exporter's textfiles",
    .state_bytes = sizeof(struct state),
    .interaction = interaction,
    .record = record,
    .end = end_prometheus,
};

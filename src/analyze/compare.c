/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See compare.h.  One table says what is measured of a run, one what must be the same.  */
#include "compare.h"

#include "random.h"

#include <emlat/errors.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is measured of a run ----------------------------------------------------------------
 */

enum { MEAN = 0 }; /* in the place of a permille */

struct value {
    double value; /* NaN: the run has none */
    uint64_t n;
};
static const struct value none = {NAN, 0};

static struct value of_distribution(const struct emlat_distribution *of, unsigned permille)
{
    if (!of->count)
        return none;
    double value = permille == MEAN ? (double)of->total / (double)of->count
                                    : (double)emlat_distribution_rank(of, permille);
    return (struct value){value, of->count};
}

static struct value answers(const struct emlat_summary *summary, int unused, unsigned permille)
{
    (void)unused;
    return of_distribution(&summary->responses.latency, permille);
}

static struct value population(const struct emlat_summary *summary, int which, unsigned permille)
{
    return of_distribution(&summary->population[which].lower, permille);
}

/* A component of the answers that were kept, which are all or a uniform sample.  */
static struct value component(const struct emlat_summary *summary, int which, unsigned permille)
{
    const struct emlat_responses *responses = &summary->responses;
    struct emlat_distribution values = {0};
    int error = 0;
    for (size_t i = 0; i < responses->kept_count && !error; i++) {
        const struct emlat_response *one = &responses->kept[i];
        uint64_t ns = which == EMLAT_MATRICES ? one->matrices_ns
                      : which == EMLAT_UPDATE ? one->update_ns
                                              : one->component[which];
        error = emlat_distribution_add(&values, ns);
    }
    emlat_distribution_sort(&values);
    struct value value = error ? none : of_distribution(&values, permille);
    emlat_distribution_free(&values);
    return value;
}

/* A metric's mean over all commands.  */
static struct value metric(const struct emlat_summary *summary, int which, unsigned unused)
{
    (void)unused;
    double total = 0;
    uint64_t n = 0;
    for (size_t i = 0; i < summary->groups_count; i++) {
        const struct emlat_group *group = &summary->groups[i];
        if (summary->other[group->kind % EMLAT_KINDS_END].count)
            continue;
        total += (double)group->metric[which].total;
        n += group->metric[which].count;
    }
    return n ? (struct value){total / (double)n, n} : none;
}

static struct value superseded(const struct emlat_summary *summary, int unused, unsigned unused_too)
{
    (void)unused;
    (void)unused_too;
    uint64_t n = summary->commands;
    double part = (double)summary->population[EMLAT_SUPERSEDED].count;
    return n ? (struct value){part / (double)n, n} : none;
}

static const struct {
    const char *group, *name; /* a null NAME: the component's */
    enum emlat_measure_unit unit;
    struct value (*of)(const struct emlat_summary *summary, int which, unsigned permille);
    int which;
    unsigned permille;
} measures[] = {
#define RANKS(group, of, which)                           \
    {group, "p50", EMLAT_MEASURE_NS, of, which, 500},     \
        {group, "p90", EMLAT_MEASURE_NS, of, which, 900}, \
        {group, "p95", EMLAT_MEASURE_NS, of, which, 950}, \
        {group, "p99", EMLAT_MEASURE_NS, of, which, 990}, \
    {                                                     \
        group, "mean", EMLAT_MEASURE_NS, of, which, MEAN  \
    }
#define COMPONENT(which)                                            \
    {"component", NULL, EMLAT_MEASURE_NS, component, which, 500},   \
    {                                                               \
        "component", NULL, EMLAT_MEASURE_NS, component, which, MEAN \
    }
    RANKS("answer", answers, 0),
    RANKS("flushed", population, EMLAT_FLUSHED),
    RANKS("no_output", population, EMLAT_NO_OUTPUT),
    RANKS("superseded", population, EMLAT_SUPERSEDED),
    RANKS("waits_for_person", population, EMLAT_WAITED),
    COMPONENT(EMLAT_WAIT),
    COMPONENT(EMLAT_DECODE),
    COMPONENT(EMLAT_PRE_COMMAND),
    COMPONENT(EMLAT_COMMAND),
    COMPONENT(EMLAT_POST_COMMAND),
    COMPONENT(EMLAT_REDISPLAY),
    COMPONENT(EMLAT_MATRICES),
    COMPONENT(EMLAT_UPDATE),
    COMPONENT(EMLAT_REDISPLAY_LISP),
    COMPONENT(EMLAT_TTY_EMIT),
    COMPONENT(EMLAT_GC),
    COMPONENT(EMLAT_OTHER),
    {"command", "on CPU, mean", EMLAT_MEASURE_NS, metric, EMLAT_METRIC_main_cpu_ns, MEAN},
    {"command", "off CPU, mean", EMLAT_MEASURE_NS, metric, EMLAT_METRIC_main_off_cpu_ns, MEAN},
    {"command", "superseded", EMLAT_MEASURE_SHARE, superseded, 0, MEAN},
};
enum { MEASURES = sizeof measures / sizeof *measures };

/* ---- What must be the same --------------------------------------------------------------------
 */

const char emlat_compare_classes[] = "build|machine|size|terminal";

static const struct {
    const char *class, *attribute;
    bool forbids;
} attributes[] = {
    {"workload", "workload", true},
    {"build", "recorder_version", true},
    {"build", "emacs_version", true},
    {"build", "emacs_build_id", true},
    {"build", "emacs_dump_id", true},
    {"build", "emacs_options", true},
    {"build", "emacs_features", true},
    {"clock", "clock", true},
    {"clock", "thread_cpu_source", true},
    {"size", "tty_columns", true},
    {"size", "tty_rows", true},
    {"terminal", "tty_type", true},
    {"terminal", "tty_device", true},
    {"source", "host", true},
    {"source", "source", true},
    {"machine", "machine", true},
    {"machine", "cpu", true},
    {"machine", "cpus", true},
    {"machine", "os", true},
    {"settings", "gc_cons_threshold", false},
    {"settings", "gc_cons_permille", false},
    {"settings", "tty_output_coding", false},
    {"settings", "privacy", false},
};
enum { ATTRIBUTES = sizeof attributes / sizeof *attributes };

static void value_text(const struct emlat_reader *reader, const char *name,
                       char text[EMLAT_DIFFERENCE_TEXT])
{
    const struct emlat_attribute_value *is = emlat_reader_attribute(reader, name);
    if (!is)
        *text = '\0';
    else if (is->is_text)
        snprintf(text, EMLAT_DIFFERENCE_TEXT, "%s", is->text);
    else
        snprintf(text, EMLAT_DIFFERENCE_TEXT, "%" PRIu64, is->number);
}

/* What a run says, where its side has not said it otherwise; a side of several minds says so.  */
static void take_attributes(struct emlat_comparison *comparison, enum emlat_side side,
                            const struct emlat_reader *reader)
{
    for (size_t i = 0; i < ATTRIBUTES; i++) {
        char *said = comparison->said[i][side], text[EMLAT_DIFFERENCE_TEXT];
        value_text(reader, attributes[i].attribute, text);
        if (!comparison->taken[side])
            strcpy(said, text);
        else if (strcmp(said, text) != 0)
            comparison->said_once[i][side] = false;
    }
}

static struct emlat_difference *differ(struct emlat_comparison *comparison, const char *class,
                                       const char *name, bool forbids)
{
    struct emlat_difference *one = &comparison->differences[comparison->differences_count++];
    *one = (struct emlat_difference){.class = class, .name = name, .forbids = forbids};
    return one;
}

/* Where no run names its workload, the same work at least has as many commands.  */
static void judge_workload(struct emlat_comparison *comparison)
{
    double each[EMLAT_SIDES];
    if (*comparison->said[0][EMLAT_SIDE_A] || *comparison->said[0][EMLAT_SIDE_B])
        return;
    for (int side = 0; side < EMLAT_SIDES; side++)
        each[side] = (double)comparison->commands[side] / (double)comparison->runs[side];
    if (fabs(each[EMLAT_SIDE_A] - each[EMLAT_SIDE_B]) <= 0.05 * fmax(each[0], each[1]))
        return;
    struct emlat_difference *one = differ(comparison, "workload", "commands a run", true);
    for (int side = 0; side < EMLAT_SIDES; side++)
        snprintf(one->value[side], EMLAT_DIFFERENCE_TEXT, "%.1f", each[side]);
}

static void judge_attributes(struct emlat_comparison *comparison, const char *excused)
{
    for (size_t i = 0; i < ATTRIBUTES; i++) {
        const bool *once = comparison->said_once[i];
        if (once[EMLAT_SIDE_A] && once[EMLAT_SIDE_B] &&
            strcmp(comparison->said[i][EMLAT_SIDE_A], comparison->said[i][EMLAT_SIDE_B]) == 0)
            continue;
        struct emlat_difference *one =
            differ(comparison, attributes[i].class, attributes[i].attribute, attributes[i].forbids);
        for (int side = 0; side < EMLAT_SIDES; side++)
            snprintf(one->value[side], EMLAT_DIFFERENCE_TEXT, "%.80s%s", comparison->said[i][side],
                     once[side] ? "" : " and others");
    }
    judge_workload(comparison);
    comparison->comparable = true;
    for (size_t i = 0; i < comparison->differences_count; i++) {
        struct emlat_difference *one = &comparison->differences[i];
        one->forbids = one->forbids && !(excused && strcmp(excused, one->class) == 0);
        comparison->comparable = comparison->comparable && !one->forbids;
    }
}

/* ---- Gathering --------------------------------------------------------------------------------
 */

static struct emlat_compare_row *new_row(struct emlat_comparison *comparison, const char *group,
                                         const char *name, enum emlat_measure_unit unit)
{
    if (comparison->rows_count == comparison->rows_room) {
        size_t room = comparison->rows_room ? 2 * comparison->rows_room : 128;
        struct emlat_compare_row *rows = realloc(comparison->rows, room * sizeof *rows);
        if (!rows)
            return NULL;
        comparison->rows = rows;
        comparison->rows_room = room;
    }
    struct emlat_compare_row *row = &comparison->rows[comparison->rows_count];
    *row = (struct emlat_compare_row){.group = group, .unit = unit, .component = -1};
    snprintf(row->name, sizeof row->name, "%s", name);
    for (int side = 0; side < EMLAT_SIDES; side++) {
        row->run[side] = malloc(comparison->runs[side] * sizeof *row->run[side]);
        for (size_t i = 0; row->run[side] && i < comparison->runs[side]; i++)
            row->run[side][i] = NAN;
    }
    comparison->rows_count++;
    return row->run[EMLAT_SIDE_A] && row->run[EMLAT_SIDE_B] ? row : NULL;
}

static const char *slice_name(int of)
{
    return of == EMLAT_MATRICES ? "desired_matrices"
           : of == EMLAT_UPDATE ? "update"
                                : emlat_component_name((enum emlat_component)of);
}

int emlat_comparison_begin(struct emlat_comparison *comparison, const size_t runs[EMLAT_SIDES])
{
    *comparison = (struct emlat_comparison){.runs = {runs[0], runs[1]}};
    comparison->said = calloc(ATTRIBUTES, sizeof *comparison->said);
    comparison->said_once = calloc(ATTRIBUTES, sizeof *comparison->said_once);
    comparison->differences = calloc(ATTRIBUTES + 1, sizeof *comparison->differences);
    if (!comparison->said || !comparison->said_once || !comparison->differences)
        return EMLAT_ENOMEM;
    for (size_t i = 0; i < ATTRIBUTES; i++)
        comparison->said_once[i][EMLAT_SIDE_A] = comparison->said_once[i][EMLAT_SIDE_B] = true;
    for (size_t i = 0; i < MEASURES; i++) {
        bool named = measures[i].name;
        struct emlat_compare_row *row =
            new_row(comparison, measures[i].group, named ? measures[i].name : "", measures[i].unit);
        if (!row)
            return EMLAT_ENOMEM;
        row->permille = measures[i].permille;
        if (named)
            continue;
        row->component = measures[i].which;
        snprintf(row->name, sizeof row->name, "%s %s", slice_name(measures[i].which),
                 measures[i].permille == MEAN ? "mean" : "p50");
    }
    return 0;
}

void emlat_comparison_free(struct emlat_comparison *comparison)
{
    for (size_t i = 0; i < comparison->rows_count; i++)
        for (int side = 0; side < EMLAT_SIDES; side++)
            free(comparison->rows[i].run[side]);
    free(comparison->rows);
    free(comparison->differences);
    free(comparison->said);
    free(comparison->said_once);
}

static void put(struct emlat_compare_row *row, enum emlat_side side, size_t run, struct value value)
{
    row->run[side][run] = value.value;
    row->n[side] += value.n;
}

/* The row of a kind of other work, which is there once any run has one.  */
static struct emlat_compare_row *work_row(struct emlat_comparison *comparison, const char *kind)
{
    for (size_t i = MEASURES; i < comparison->rows_count; i++)
        if (strcmp(comparison->rows[i].name, kind) == 0)
            return &comparison->rows[i];
    return new_row(comparison, "other_work", kind, EMLAT_MEASURE_NS);
}

int emlat_comparison_take(struct emlat_comparison *comparison, enum emlat_side side,
                          const struct emlat_summary *summary, const struct emlat_reader *reader)
{
    size_t run = comparison->taken[side];
    for (size_t i = 0; i < MEASURES; i++)
        put(&comparison->rows[i], side, run,
            measures[i].of(summary, measures[i].which, measures[i].permille));
    for (unsigned kind = 0; kind < EMLAT_KINDS_END; kind++) {
        const struct emlat_kind_summary *of = &summary->other[kind];
        const struct emlat_word_value *word = emlat_reader_word(reader, EMLAT_CLASS_ROOT, kind);
        if (!of->count || !word)
            continue;
        char name[56];
        snprintf(name, sizeof name, "%.40s mean", word->name);
        struct emlat_compare_row *row = work_row(comparison, name);
        if (!row)
            return EMLAT_ENOMEM;
        put(row, side, run, (struct value){(double)of->total_ns / (double)of->count, of->count});
    }
    take_attributes(comparison, side, reader);
    comparison->commands[side] += summary->commands;
    comparison->lost[side] += summary->loss.records;
    comparison->taken[side]++;
    return 0;
}

/* ---- Judging ----------------------------------------------------------------------------------
 */

struct moments {
    double mean, variance; /* of a value */
};

/* Of VALUES, or of those at PLACES.  */
static struct moments moments(const double *values, const size_t *places, size_t count)
{
    struct moments of = {0, 0};
    for (size_t i = 0; i < count; i++)
        of.mean += values[places ? places[i] : i] / (double)count;
    for (size_t i = 0; i < count; i++) {
        double off = values[places ? places[i] : i] - of.mean;
        of.variance += off * off / (double)(count - 1);
    }
    return of;
}

/* The change of ROW and its standard error, of all runs or of those at PLACES.  */
static double change_of(const struct emlat_comparison *comparison,
                        const struct emlat_compare_row *row, size_t *const places[EMLAT_SIDES],
                        double *error)
{
    struct moments of[EMLAT_SIDES];
    double square = 0;
    for (int side = 0; side < EMLAT_SIDES; side++) {
        size_t count = comparison->runs[side];
        of[side] = moments(row->run[side], places ? places[side] : NULL, count);
        square += of[side].variance / (double)count;
    }
    *error = sqrt(square);
    return of[EMLAT_SIDE_B].mean - of[EMLAT_SIDE_A].mean;
}

/* Differences below this part of a value are the arithmetic's.  */
static bool is_nothing(double difference, const struct emlat_compare_row *row)
{
    return fabs(difference) <= 1e-9 * fmax(fabs(row->mean[0]), fabs(row->mean[1]));
}

static void describe(struct emlat_comparison *comparison, struct emlat_compare_row *row)
{
    row->known = true;
    for (int side = 0; side < EMLAT_SIDES; side++) {
        size_t count = comparison->runs[side];
        for (size_t i = 0; i < count; i++)
            row->known = row->known && !isnan(row->run[side][i]);
        row->known = row->known && emlat_distribution_supports(row->n[side], row->permille);
        struct moments of = moments(row->run[side], NULL, count);
        row->mean[side] = of.mean;
        row->deviation[side] = count > 1 ? sqrt(of.variance) : NAN;
    }
    row->change = row->mean[EMLAT_SIDE_B] - row->mean[EMLAT_SIDE_A];
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest |t| of any row in a resample of the runs.  */
static double largest_t(const struct emlat_comparison *comparison,
                        size_t *const places[EMLAT_SIDES])
{
    double largest = 0;
    for (size_t i = 0; i < comparison->rows_count; i++) {
        const struct emlat_compare_row *row = &comparison->rows[i];
        double error;
        if (!row->known)
            continue;
        double off = change_of(comparison, row, places, &error) - row->change;
        /* A resample of one run alone, again and again, has no spread to measure by.  */
        if (!is_nothing(error, row) && fabs(off) / error > largest)
            largest = fabs(off) / error;
    }
    return largest;
}

static int find_critical(struct emlat_comparison *comparison)
{
    size_t *places[EMLAT_SIDES] = {calloc(comparison->runs[0], sizeof(size_t)),
                                   calloc(comparison->runs[1], sizeof(size_t))};
    double *largest = calloc(EMLAT_COMPARE_RESAMPLES, sizeof *largest);
    uint64_t random = EMLAT_RANDOM_SEED;
    bool ready = places[0] && places[1] && largest;
    for (size_t k = 0; ready && k < EMLAT_COMPARE_RESAMPLES; k++) {
        for (int side = 0; side < EMLAT_SIDES; side++)
            for (size_t i = 0; i < comparison->runs[side]; i++)
                places[side][i] = emlat_random_next(&random) % comparison->runs[side];
        largest[k] = largest_t(comparison, places);
    }
    if (ready) {
        qsort(largest, EMLAT_COMPARE_RESAMPLES, sizeof *largest, ascending);
        comparison->critical = largest[emlat_distribution_place(EMLAT_COMPARE_RESAMPLES, 950)];
    }
    free(places[0]);
    free(places[1]);
    free(largest);
    return ready ? 0 : EMLAT_ENOMEM;
}

static void judge_row(const struct emlat_comparison *comparison, struct emlat_compare_row *row)
{
    double error;
    change_of(comparison, row, NULL, &error);
    row->has_interval = true;
    row->low = row->change - comparison->critical * error;
    row->high = row->change + comparison->critical * error;
    if (is_nothing(row->change, row))
        row->verdict = EMLAT_NO_EVIDENCE;
    else
        row->verdict = row->low > 0 ? EMLAT_MORE : row->high < 0 ? EMLAT_LESS : EMLAT_NO_EVIDENCE;
}

int emlat_comparison_judge(struct emlat_comparison *comparison, const char *excused)
{
    judge_attributes(comparison, excused);
    for (size_t i = 0; i < comparison->rows_count; i++)
        describe(comparison, &comparison->rows[i]);
    comparison->enough = comparison->runs[EMLAT_SIDE_A] >= EMLAT_COMPARE_RUNS_LEAST &&
                         comparison->runs[EMLAT_SIDE_B] >= EMLAT_COMPARE_RUNS_LEAST;
    if (!comparison->comparable || !comparison->enough)
        return 0;
    int no_memory = find_critical(comparison);
    for (size_t i = 0; i < comparison->rows_count && !no_memory; i++)
        if (comparison->rows[i].known)
            judge_row(comparison, &comparison->rows[i]);
    return no_memory;
}

/* How much a row tells of what to look at: a wait is what other components do to the next key.  */
static int weight(const struct emlat_compare_row *row)
{
    if (row->component >= 0)
        return row->component == EMLAT_WAIT || row->component == EMLAT_OTHER ? 2 : 3;
    return strcmp(row->group, "answer") == 0 ? 1 : 0;
}

const struct emlat_compare_row *emlat_comparison_lead(const struct emlat_comparison *comparison)
{
    const struct emlat_compare_row *lead = NULL;
    for (size_t i = 0; i < comparison->rows_count; i++) {
        const struct emlat_compare_row *row = &comparison->rows[i];
        if (row->verdict != EMLAT_NO_EVIDENCE &&
            (!lead || weight(row) > weight(lead) ||
             (weight(row) == weight(lead) && fabs(row->change) > fabs(lead->change))))
            lead = row;
    }
    return lead;
}

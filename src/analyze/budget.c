/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See budget.h.  A figure is a pair of bounds from the start: what is exact has two equal ones.  */
#include "budget.h"

#include <emlat/errors.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading ----------------------------------------------------------------------------------
 */

static const struct {
    const char *word;
    enum emlat_budget_statistic statistic;
    unsigned permille;
} statistics[] = {
    {"min", EMLAT_BUDGET_MIN, 0},       {"mean", EMLAT_BUDGET_MEAN, 0},
    {"median", EMLAT_BUDGET_RANK, 500}, {"max", EMLAT_BUDGET_MAX, 0},
    {"total", EMLAT_BUDGET_TOTAL, 0},   {"n", EMLAT_BUDGET_N, 0},
    {"count", EMLAT_BUDGET_N, 0},       {"share", EMLAT_BUDGET_SHARE, 0},
};

static const struct {
    const char *unit;
    double factor;
    bool time;
} units[] = {
    {"ns", 1, true},   {"us", 1e3, true}, {"\u00b5s", 1e3, true}, {"\u03bcs", 1e3, true},
    {"ms", 1e6, true}, {"s", 1e9, true},  {"%", 1, false},        {"", 1, false},
};

__attribute__((format(printf, 2, 3))) static int wrong(char why[EMLAT_BUDGET_WHY],
                                                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, EMLAT_BUDGET_WHY, format, arguments);
    va_end(arguments);
    return EMLAT_EINVAL;
}

/* "p99.9" is 999.  A permille is the finest that is told apart.  */
static bool percentile(const char *word, unsigned *permille)
{
    char *end;
    if (*word != 'p' || word[1] < '0' || word[1] > '9')
        return false;
    double value = strtod(word + 1, &end) * 10;
    *permille = (unsigned)lround(value);
    return !*end && value > 0 && value < 1000 && fabs(value - *permille) < 1e-6;
}

static bool statistic(struct emlat_budget *budget, const char *word)
{
    if (percentile(word, &budget->permille)) {
        budget->statistic = EMLAT_BUDGET_RANK;
        return true;
    }
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++) {
        if (strcmp(word, statistics[i].word) != 0)
            continue;
        budget->statistic = statistics[i].statistic;
        budget->permille = statistics[i].permille;
        return true;
    }
    return false;
}

static int population(const char *word)
{
    for (int i = 0; i < EMLAT_POPULATIONS; i++)
        if (strcmp(word, emlat_population_name((enum emlat_population)i)) == 0)
            return i;
    return -1;
}

/* A metric by its name, with or without its unit.  */
static int metric(const char *word)
{
    size_t length = strlen(word);
    for (int i = 0; i < EMLAT_METRICS; i++) {
        const char *name = emlat_metric_name((enum emlat_metric)i);
        if (strncmp(word, name, length) == 0 &&
            (!name[length] || strcmp(name + length, "_ns") == 0))
            return i;
    }
    return -1;
}

/* What a word before the comparison says.  */
static int take_word(struct emlat_budget *budget, const char *word, bool *has_statistic,
                     bool *has_subject, char why[EMLAT_BUDGET_WHY])
{
    struct emlat_budget twice = *budget;
    if (statistic(*has_statistic ? &twice : budget, word)) {
        int error = *has_statistic ? wrong(why, "'%s' is a second statistic", word) : 0;
        *has_statistic = true;
        return error;
    }
    int of = population(word), is = metric(word);
    if (of >= 0 && budget->population < 0) {
        budget->population = of;
        return 0;
    }
    /* "command" is a metric; no root kind has a metric's name.  */
    if (is >= 0 && budget->metric < 0) {
        budget->metric = is;
        return 0;
    }
    if (*has_subject || *budget->kind)
        return wrong(why, "'%s' is one word too many, or unknown", word);
    if (strcmp(word, "answer") == 0 || strcmp(word, "quit") == 0) {
        budget->subject = *word == 'a' ? EMLAT_BUDGET_ANSWERS : EMLAT_BUDGET_QUITS;
        *has_subject = true;
        return 0;
    }
    if (strlen(word) >= sizeof budget->kind)
        return wrong(why, "'%s' is no root kind", word);
    strcpy(budget->kind, word);
    budget->subject = EMLAT_BUDGET_ROOTS;
    return 0;
}

static int take_limit(struct emlat_budget *budget, const char *at, char why[EMLAT_BUDGET_WHY])
{
    char *end;
    bool count = budget->statistic == EMLAT_BUDGET_N,
         share = budget->statistic == EMLAT_BUDGET_SHARE;
    budget->limit = strtod(at, &end);
    if (end == at || !isfinite(budget->limit) || budget->limit < 0)
        return wrong(why, "a limit such as 16.7ms is wanted after the comparison, not '%s'", at);
    end += strspn(end, " \t");
    size_t length = strlen(end);
    while (length && strchr(" \t\r\n", end[length - 1]))
        length--;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].unit) != length || strncmp(end, units[i].unit, length) != 0)
            continue;
        bool percent = strcmp(units[i].unit, "%") == 0;
        if (units[i].time == (count || share) || (percent && !share))
            break;
        budget->limit *= units[i].factor;
        if (percent)
            budget->limit /= 100; /* as a share is computed: no factor of 0.01 rounds alike */
        return 0;
    }
    return wrong(why, "%s wants %s, not '%.*s'",
                 count   ? "n"
                 : share ? "share"
                         : "a time",
                 count   ? "no unit"
                 : share ? "%% or a number up to 1"
                         : "one of ns, us, ms, s",
                 (int)length, end);
}

static int sensible(const struct emlat_budget *budget, char why[EMLAT_BUDGET_WHY])
{
    bool plain = budget->subject == EMLAT_BUDGET_ANSWERS || budget->subject == EMLAT_BUDGET_QUITS;
    if (plain && (budget->population >= 0 || budget->metric >= 0))
        return wrong(why, "'answer' and 'quit' stand alone");
    if (budget->subject == EMLAT_BUDGET_COMMANDS && budget->population < 0)
        return wrong(why,
                     "of what? a population (flushed …), answer, quit or a root kind is wanted");
    if (budget->statistic == EMLAT_BUDGET_SHARE && (budget->population < 0 || budget->metric >= 0))
        return wrong(why, "share is of a population");
    return 0;
}

int emlat_budget_parse(const char *text, struct emlat_budget *budget, char why[EMLAT_BUDGET_WHY])
{
    bool has_statistic = false, has_subject = false;
    *budget = (struct emlat_budget){.population = -1, .metric = -1};
    *why = '\0';
    if (strlen(text) >= sizeof budget->text)
        return wrong(why, "longer than %d characters", EMLAT_BUDGET_TEXT - 1);
    strcpy(budget->text, text);
    size_t length = strcspn(text, "<>");
    if (!text[length])
        return wrong(why, "a comparison is wanted: < <= > >=");
    char words[EMLAT_BUDGET_TEXT], *rest = words;
    snprintf(words, sizeof words, "%.*s", (int)length, text);
    for (char *word; (word = strsep(&rest, " \t")) != NULL;) {
        int error = *word ? take_word(budget, word, &has_statistic, &has_subject, why) : 0;
        if (error)
            return error;
    }
    if (!has_statistic)
        return wrong(why, "a statistic is wanted: min, mean, median, p99, max, total, n or share");
    budget->at_least = text[length] == '>';
    budget->strict = text[length + 1] != '=';
    int error = take_limit(budget, text + length + (budget->strict ? 1 : 2), why);
    return error ? error : sensible(budget, why);
}

/* ---- Checking ---------------------------------------------------------------------------------
 */

/* What a figure is made of: values known between two bounds.  Those without an upper bound count
   as the highest, so UPPER may have fewer.  */
struct values {
    struct emlat_distribution lower, upper;
    uint64_t count; /* interactions, also those without a value */
    uint64_t of;    /* … and of how many these are a part */
};

static const struct emlat_word_value *kind_of(const struct emlat_reader *reader, const char *name)
{
    const struct emlat_word_value *words;
    size_t count = emlat_reader_words(reader, &words);
    for (size_t i = 0; i < count; i++)
        if (words[i].class == EMLAT_CLASS_ROOT && strcmp(words[i].name, name) == 0)
            return &words[i];
    return NULL;
}

static int add_all(struct emlat_distribution *to, const struct emlat_distribution *from)
{
    int error = 0;
    for (size_t i = 0; i < from->count && !error; i++)
        error = emlat_distribution_add(to, from->values[i]);
    return error;
}

/* Add what BUDGET asks of GROUP.  */
static int add_group(const struct emlat_budget *budget, const struct emlat_group *group,
                     struct values *values)
{
    const struct emlat_distribution *lower = &group->latency, *upper = &group->latency;
    if (budget->metric >= 0)
        lower = upper = &group->metric[budget->metric];
    else if (group->population == EMLAT_FLUSHED)
        upper = &group->metric[EMLAT_METRIC_input_to_flush_max_ns];
    int error = add_all(&values->lower, lower);
    return error ? error : add_all(&values->upper, upper);
}

/* The groups that BUDGET is about.  */
static int gather(const struct emlat_budget *budget, const struct emlat_summary *summary,
                  const struct emlat_reader *reader, struct values *values)
{
    int error = 0;
    for (size_t i = 0; i < summary->groups_count && !error; i++) {
        const struct emlat_group *group = &summary->groups[i];
        const struct emlat_word_value *kind =
            emlat_reader_word(reader, EMLAT_CLASS_ROOT, group->kind);
        if (budget->subject == EMLAT_BUDGET_ROOTS ? !kind || strcmp(kind->name, budget->kind) != 0
                                                  : !emlat_word_is_command(kind))
            continue;
        values->of += group->count;
        if (budget->population >= 0 && group->population != (unsigned)budget->population)
            continue;
        values->count += group->count;
        error = add_group(budget, group, values);
    }
    emlat_distribution_sort(&values->lower);
    emlat_distribution_sort(&values->upper);
    return error;
}

static double at(const struct emlat_distribution *of, size_t place)
{
    return place < of->count ? (double)of->values[place] : INFINITY;
}

/* The figure of a sorted OF, which has the lowest of N values.  */
static double figure(const struct emlat_budget *budget, const struct emlat_distribution *of,
                     size_t n)
{
    bool whole = of->count == n;
    switch (budget->statistic) {
    case EMLAT_BUDGET_MIN: return at(of, 0);
    case EMLAT_BUDGET_MEAN: return whole ? (double)of->total / (double)n : INFINITY;
    case EMLAT_BUDGET_TOTAL: return whole ? (double)of->total : INFINITY;
    case EMLAT_BUDGET_MAX: return at(of, n - 1);
    default: return at(of, emlat_distribution_place(n, budget->permille));
    }
}

static bool keeps(const struct emlat_budget *budget, double figure)
{
    if (budget->at_least)
        return budget->strict ? figure > budget->limit : figure >= budget->limit;
    return budget->strict ? figure < budget->limit : figure <= budget->limit;
}

__attribute__((format(printf, 2, 3))) static void undecided(struct emlat_budget_result *result,
                                                            const char *format, ...)
{
    va_list arguments;
    result->answer = EMLAT_BUDGET_UNDECIDED;
    va_start(arguments, format);
    vsnprintf(result->why, sizeof result->why, format, arguments);
    va_end(arguments);
}

static void judge_time(const struct emlat_budget *budget, const struct values *values,
                       struct emlat_budget_result *result)
{
    size_t n = values->lower.count;
    if (!(result->n = n)) {
        undecided(result, "the recording has none of these");
        return;
    }
    result->has_least = true;
    result->least = figure(budget, &values->lower, n);
    result->most = figure(budget, &values->upper, n);
    result->has_most = isfinite(result->most);
    bool least = keeps(budget, result->least), most = keeps(budget, result->most);
    /* Bounds of all values: if these agree, no percentile can differ.  */
    bool first = keeps(budget, at(&values->lower, 0)),
         last = keeps(budget, at(&values->upper, n - 1));
    bool supported =
        budget->statistic != EMLAT_BUDGET_RANK || emlat_distribution_supports(n, budget->permille);
    result->answer = least ? EMLAT_BUDGET_PASS : EMLAT_BUDGET_FAIL;
    if (least != most && result->has_most)
        undecided(result, "the limit lies between the bounds of the arrival's uncertainty");
    else if (least != most)
        undecided(result, "the earliest arrival of some is unknown, so it has no upper bound");
    else if (!supported && first != last)
        undecided(result, "n is %zu: fewer than 10 values lie beyond that percentile", n);
}

static void judge_count(const struct emlat_budget *budget, const struct values *values,
                        struct emlat_budget_result *result)
{
    bool share = budget->statistic == EMLAT_BUDGET_SHARE;
    result->n = share ? values->of : values->count;
    if (share && !values->of) {
        undecided(result, "the recording has none of these");
        return;
    }
    result->least = share ? (double)values->count / (double)values->of : (double)values->count;
    result->most = result->least;
    result->has_least = result->has_most = true;
    result->answer = keeps(budget, result->least) ? EMLAT_BUDGET_PASS : EMLAT_BUDGET_FAIL;
}

static int values_of(const struct emlat_budget *budget, const struct emlat_summary *summary,
                     const struct emlat_reader *reader, struct values *values)
{
    const struct emlat_distribution *plain = NULL;
    if (budget->subject == EMLAT_BUDGET_ANSWERS)
        plain = &summary->responses.latency;
    else if (budget->subject == EMLAT_BUDGET_QUITS)
        plain = &summary->quit;
    if (!plain)
        return gather(budget, summary, reader, values);
    values->count = values->of = plain->count;
    int error = add_all(&values->lower, plain);
    return error ? error : add_all(&values->upper, plain);
}

void emlat_budget_check(const struct emlat_budget *budget, const struct emlat_summary *summary,
                        const struct emlat_reader *reader, struct emlat_budget_result *result)
{
    struct values values = {0};
    *result = (struct emlat_budget_result){0};
    bool counts = budget->statistic == EMLAT_BUDGET_N || budget->statistic == EMLAT_BUDGET_SHARE;
    const struct emlat_word_value *kind = kind_of(reader, budget->kind);
    if (budget->subject == EMLAT_BUDGET_ROOTS && !kind)
        undecided(result, "the recording knows no root kind '%s'", budget->kind);
    else if (emlat_word_is_command(kind) && budget->population < 0 && budget->metric < 0)
        undecided(result, "'%s' wants a population, too: they have clocks of their own",
                  budget->kind);
    else if (values_of(budget, summary, reader, &values) != 0)
        undecided(result, "memory could not be obtained");
    else if (counts)
        judge_count(budget, &values, result);
    else
        judge_time(budget, &values, result);
    emlat_distribution_free(&values.lower);
    emlat_distribution_free(&values.upper);
}

const char *emlat_budget_answer_name(enum emlat_budget_answer answer)
{
    static const char *const names[] = {"pass", "fail", "undecided"};
    return names[answer];
}

const char *emlat_budget_figure(const struct emlat_budget *budget, double figure, char text[32])
{
    if (budget->statistic == EMLAT_BUDGET_N)
        snprintf(text, 32, "%.0f", figure);
    else if (budget->statistic == EMLAT_BUDGET_SHARE)
        snprintf(text, 32, "%.3g %%", 100 * figure);
    else
        snprintf(text, 32, "%.*f ms",
                 figure >= 99.95e6    ? 1
                 : figure >= 0.9995e6 ? 2
                                      : 3,
                 figure / 1e6);
    return text;
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Budgets against summaries that are made up, with figures that were worked out by hand.  */
#include "budget.h"

#include <emlat/emlat.h>
#include <emlat/errors.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { COMMAND = 1, TIMER = 2 };
#define MS 1000000u

static const struct emlat_word_row roots[] = {{COMMAND, EMLAT_ROOT_COMMAND, "tty_command", NULL},
                                              {TIMER, 0, "timer", NULL}};
static const struct emlat_vocabulary words = {.roots = roots, .roots_count = 2};

/* A summary, and the reader of a file that has nothing but the vocabulary.  */
struct desk {
    char path[48];
    struct emlat_reader *reader;
    struct emlat_group groups[4];
    struct emlat_summary summary;
};

static int set_up(void **state)
{
    struct desk *desk = calloc(1, sizeof *desk);
    struct emlat_options options;
    struct emlat_session *session;
    struct emlat_item item;
    assert_non_null(desk);
    snprintf(desk->path, sizeof desk->path, "/tmp/emlat-budget-%ld.emlat", (long)getpid());
    unlink(desk->path);
    emlat_options_default(&options);
    options.path = desk->path;
    options.words = &words;
    assert_int_equal(emlat_start(&options, &session), 0);
    assert_int_equal(emlat_stop(session, 10000000000), 0);
    assert_int_equal(emlat_reader_open(&desk->reader, desk->path), 0);
    do
        assert_int_equal(emlat_reader_next(desk->reader, &item), 0);
    while (item.kind != EMLAT_ITEM_END);
    desk->summary.groups = desk->groups;
    *state = desk;
    return 0;
}

static int tear_down(void **state)
{
    struct desk *desk = *state;
    for (size_t i = 0; i < desk->summary.groups_count; i++) {
        emlat_distribution_free(&desk->groups[i].latency);
        for (int k = 0; k < EMLAT_METRICS; k++)
            emlat_distribution_free(&desk->groups[i].metric[k]);
    }
    emlat_distribution_free(&desk->summary.responses.latency);
    emlat_reader_close(desk->reader);
    unlink(desk->path);
    free(desk);
    return 0;
}

/* COUNT of KIND in POPULATION: 1, 2, 3 … ms; flushed ones up to WIDTH_NS more, but for UNKNOWN of
   them, of which that is not known.  */
static struct emlat_group *group(struct desk *desk, uint64_t kind, enum emlat_population population,
                                 uint64_t count, uint64_t width_ns, uint64_t unknown)
{
    struct emlat_group *group = &desk->groups[desk->summary.groups_count++];
    group->kind = kind;
    group->population = population;
    group->count = count;
    for (uint64_t i = 1; i <= count; i++) {
        assert_int_equal(emlat_distribution_add(&group->latency, i * MS), 0);
        if (population == EMLAT_FLUSHED && i > unknown)
            assert_int_equal(
                emlat_distribution_add(&group->metric[EMLAT_METRIC_input_to_flush_max_ns],
                                       i * MS + width_ns),
                0);
    }
    return group;
}

static void expect(struct desk *desk, const char *text, enum emlat_budget_answer answer)
{
    struct emlat_budget budget;
    struct emlat_budget_result result;
    char why[EMLAT_BUDGET_WHY];
    if (emlat_budget_parse(text, &budget, why))
        fail_msg("%s: %s", text, why);
    emlat_budget_check(&budget, &desk->summary, desk->reader, &result);
    if (result.answer != answer)
        fail_msg("%s: %s (%s)", text, emlat_budget_answer_name(result.answer), result.why);
    assert_int_equal(answer == EMLAT_BUDGET_UNDECIDED, *result.why != '\0');
}

static void refuse(const char *text, const char *about)
{
    struct emlat_budget budget;
    char why[EMLAT_BUDGET_WHY];
    if (emlat_budget_parse(text, &budget, why) != EMLAT_EINVAL || !strstr(why, about))
        fail_msg("'%s': '%s', expected something about '%s'", text, why, about);
}

static void bad_ones(void **state)
{
    (void)state;
    refuse("", "comparison");
    refuse("p99 flushed 16ms", "comparison");
    refuse("flushed <= 16ms", "statistic");
    refuse("p99 <= 16ms", "of what");
    refuse("p99 flushed <= ", "limit");
    refuse("p99 flushed <= fast", "limit");
    refuse("p99 flushed <= -1ms", "limit");
    refuse("p99 flushed <= infms", "limit");
    refuse("p99 flushed <= 16", "ns, us, ms, s");
    refuse("p99 flushed <= 16 parsecs", "ns, us, ms, s");
    refuse("p99 flushed <= 16 %", "ns, us, ms, s");
    refuse("n flushed <= 16ms", "no unit");
    refuse("share flushed <= 16ms", "% or a number");
    refuse("share answer <= 1%", "share is of a population");
    refuse("share command_ns flushed <= 1%", "share is of a population");
    refuse("p99 answer flushed <= 16ms", "stand alone");
    refuse("p99 timer idle <= 16ms", "'idle'");
    refuse("p99 p98 flushed <= 16ms", "second statistic");
    refuse("p100 flushed <= 16ms", "statistic");
    refuse("p0 flushed <= 16ms", "statistic");
    refuse("p99.99 flushed <= 16ms", "statistic");
    refuse("p99 flushed <= 16ms                                                              "
           "                                                        ",
           "characters");
}

/* 1 … 1000 ms: the 990th is p99; ten lie beyond it.  */
static void exact(void **state)
{
    struct desk *desk = *state;
    group(desk, COMMAND, EMLAT_NO_OUTPUT, 1000, 0, 0);
    expect(desk, "p99 no_output <= 990ms", EMLAT_BUDGET_PASS);
    expect(desk, "p99 no_output < 990ms", EMLAT_BUDGET_FAIL);
    expect(desk, "p99 no_output <= 989999us", EMLAT_BUDGET_FAIL);
    expect(desk, "p99 no_output >= 0.99 s", EMLAT_BUDGET_PASS);
    expect(desk, "p99 no_output > 0.99s", EMLAT_BUDGET_FAIL);
    expect(desk, "no_output median <= 500 ms", EMLAT_BUDGET_PASS);
    expect(desk, "p50 no_output < 500ms", EMLAT_BUDGET_FAIL);
    expect(desk, "min no_output <= 1000000ns", EMLAT_BUDGET_PASS);
    expect(desk, "max no_output < 1000ms", EMLAT_BUDGET_FAIL);
    expect(desk, "mean no_output <= 500.5ms", EMLAT_BUDGET_PASS);
    expect(desk, "mean no_output < 500.5ms", EMLAT_BUDGET_FAIL);
    expect(desk, "total no_output <= 500.5s", EMLAT_BUDGET_PASS);
    expect(desk, "n no_output >= 1000", EMLAT_BUDGET_PASS);
    expect(desk, "n no_output > 1000", EMLAT_BUDGET_FAIL);
    /* One lies beyond p99.9.  */
    expect(desk, "p99.9 no_output <= 999ms", EMLAT_BUDGET_UNDECIDED);
    expect(desk, "p99.9 no_output <= 1s", EMLAT_BUDGET_PASS);
    expect(desk, "p99.9 no_output < 1ms", EMLAT_BUDGET_FAIL);
}

static void bounds(void **state)
{
    struct desk *desk = *state;
    group(desk, COMMAND, EMLAT_FLUSHED, 100, MS / 2, 0);
    expect(desk, "p90 flushed <= 90.5ms", EMLAT_BUDGET_PASS);
    expect(desk, "p90 flushed <= 90.4ms", EMLAT_BUDGET_UNDECIDED);
    expect(desk, "p90 flushed <= 90ms", EMLAT_BUDGET_UNDECIDED);
    expect(desk, "p90 flushed < 90ms", EMLAT_BUDGET_FAIL);
    expect(desk, "p90 flushed >= 90ms", EMLAT_BUDGET_PASS);
    expect(desk, "p90 flushed >= 90.1ms", EMLAT_BUDGET_UNDECIDED);
    expect(desk, "p90 flushed > 90.5ms", EMLAT_BUDGET_FAIL);
    expect(desk, "p90 tty_command flushed <= 90.5ms", EMLAT_BUDGET_PASS);
}

/* The lowest ten have no upper bound: then each percentile's is ten places higher.  */
static void no_upper_bound(void **state)
{
    struct desk *desk = *state;
    group(desk, COMMAND, EMLAT_FLUSHED, 100, 0, 10);
    expect(desk, "p50 flushed <= 60ms", EMLAT_BUDGET_PASS);
    expect(desk, "p50 flushed <= 59ms", EMLAT_BUDGET_UNDECIDED);
    expect(desk, "p50 flushed <= 49ms", EMLAT_BUDGET_FAIL);
    expect(desk, "p91 flushed <= 1s", EMLAT_BUDGET_UNDECIDED);
    expect(desk, "mean flushed <= 1s", EMLAT_BUDGET_UNDECIDED);
    expect(desk, "max flushed <= 50ms", EMLAT_BUDGET_FAIL);
}

static void others(void **state)
{
    struct desk *desk = *state;
    group(desk, COMMAND, EMLAT_SUPERSEDED, 30, 0, 0);
    struct emlat_group *flushed = group(desk, COMMAND, EMLAT_FLUSHED, 70, 0, 0);
    group(desk, TIMER, EMLAT_NO_INPUT, 4, 0, 0);
    for (uint64_t i = 1; i <= 20; i++) {
        assert_int_equal(emlat_distribution_add(&flushed->metric[EMLAT_METRIC_command_ns], 7 * MS),
                         0);
        assert_int_equal(emlat_distribution_add(&desk->summary.responses.latency, i * MS), 0);
    }
    expect(desk, "share superseded <= 30%", EMLAT_BUDGET_PASS);
    expect(desk, "share superseded < 0.3", EMLAT_BUDGET_FAIL);
    expect(desk, "share flushed >= 70 %", EMLAT_BUDGET_PASS);
    expect(desk, "share no_input timer >= 100%", EMLAT_BUDGET_PASS);
    expect(desk, "max timer <= 4ms", EMLAT_BUDGET_PASS);
    expect(desk, "n timer <= 3", EMLAT_BUDGET_FAIL);
    expect(desk, "p50 command flushed <= 7ms", EMLAT_BUDGET_PASS);
    expect(desk, "p50 command_ns tty_command < 7ms", EMLAT_BUDGET_FAIL);
    expect(desk, "p50 answer <= 10ms", EMLAT_BUDGET_PASS);
    expect(desk, "n answer <= 20", EMLAT_BUDGET_PASS);
    /* What is not there is neither kept nor broken; to count it is another thing.  */
    expect(desk, "p50 quit <= 1s", EMLAT_BUDGET_UNDECIDED);
    expect(desk, "p50 open <= 1s", EMLAT_BUDGET_UNDECIDED);
    expect(desk, "p50 decade <= 1s", EMLAT_BUDGET_UNDECIDED);
    expect(desk, "p50 tty_command <= 1s", EMLAT_BUDGET_UNDECIDED);
    expect(desk, "n open <= 0", EMLAT_BUDGET_PASS);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {CASE(bad_ones), CASE(exact), CASE(bounds),
                                       CASE(no_upper_bound), CASE(others)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

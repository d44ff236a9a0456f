/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Budgets: what a recording has to keep to, and whether it does.

       p99 flushed <= 16.7ms          p95 command_ns flushed < 5ms       max timer <= 50ms
       share superseded <= 10%        n quit >= 1                        p95 answer <= 50ms

   A budget is a statistic, of what, a comparison, a limit.  The statistic: min, mean, median, p50,
   p90, p95, p99, p99.9 or any pN, max, total, n, or share.  Of what: a population (flushed,
   no_output, superseded, waits_for_person, no_input, open), "answer" (each key's wait, whatever
   became of its display), "quit", or a root kind of the recording; a metric may stand there too,
   and then a root kind and a population narrow it down.  Words come in any order.

   Three answers.  An arrival is known only between two bounds: a limit between them is undecided.
   So is a percentile beyond which fewer than ten values lie, unless all values are on one side of
   the limit; and so is what the recording has nothing of.  */
#ifndef EMLAT_BUDGET_H
#define EMLAT_BUDGET_H

#include "summary.h"

enum emlat_budget_statistic {
    EMLAT_BUDGET_MIN,
    EMLAT_BUDGET_MEAN,
    EMLAT_BUDGET_RANK,
    EMLAT_BUDGET_MAX,
    EMLAT_BUDGET_TOTAL,
    EMLAT_BUDGET_N,
    EMLAT_BUDGET_SHARE,
};

enum emlat_budget_subject {
    EMLAT_BUDGET_COMMANDS, /* all commands of POPULATION */
    EMLAT_BUDGET_ANSWERS,
    EMLAT_BUDGET_QUITS,
    EMLAT_BUDGET_ROOTS, /* of root kind KIND, and of POPULATION if that is given */
};

enum { EMLAT_BUDGET_TEXT = 128 };

struct emlat_budget {
    char text[EMLAT_BUDGET_TEXT]; /* as given */
    enum emlat_budget_statistic statistic;
    unsigned permille; /* of RANK */
    enum emlat_budget_subject subject;
    int population; /* or -1 */
    int metric;     /* or -1: latency */
    char kind[32];  /* a root kind's name, or "" */
    bool at_least;  /* > or >=, else < or <= */
    bool strict;    /* < or > */
    double limit;   /* ns, a count, or a share of 1 */
};

/* Read TEXT.  0, or EMLAT_EINVAL with what is wrong in WHY, for a person.  */
enum { EMLAT_BUDGET_WHY = 160 };
int emlat_budget_parse(const char *text, struct emlat_budget *budget, char why[EMLAT_BUDGET_WHY]);

enum emlat_budget_answer { EMLAT_BUDGET_PASS, EMLAT_BUDGET_FAIL, EMLAT_BUDGET_UNDECIDED };

struct emlat_budget_result {
    enum emlat_budget_answer answer;
    bool has_least, has_most;   /* the figure lies between the two; absent: not known */
    double least, most;         /* in the limit's unit */
    uint64_t n;                 /* values that it rests on */
    char why[EMLAT_BUDGET_WHY]; /* of UNDECIDED, else empty */
};

/* Hold BUDGET against SUMMARY, gathered with EMLAT_WITH_METRICS from READER's session.  */
void emlat_budget_check(const struct emlat_budget *budget, const struct emlat_summary *summary,
                        const struct emlat_reader *reader, struct emlat_budget_result *result);

const char *emlat_budget_answer_name(enum emlat_budget_answer answer); /* "pass" … */

/* A figure of BUDGET's kind for a person: "16.7 ms", "3.1 %", "12".  */
const char *emlat_budget_figure(const struct emlat_budget *budget, double figure, char text[32]);

#endif

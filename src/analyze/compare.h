/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Two sides, several runs of the same workload on each: what differs between them, and whether that
   is more than the runs of one side differ among themselves.

   A run gives one value a measure: a percentile, a mean.  Interactions of a run follow one another
   and are not independent, so only runs are resampled, never interactions.  The change is the
   difference of the sides' means; its interval is the bootstrap-t's (Efron and Tibshirani 1993,
   chapter 12.5), with one critical value for all rows, the 95th percentile of the largest |t| of
   any row (Westfall and Young 1993): that all of them cover is as sure as one would be alone, so
   that two sides of the same build differ in no row, with a chance of 95 in 100.  Resampling is
   seeded: the same files give the same answer.

   What may differ on purpose is for the caller to say; anything else that differs forbids
   intervals.  */
#ifndef EMLAT_COMPARE_H
#define EMLAT_COMPARE_H

#include "summary.h"

enum {
    EMLAT_COMPARE_RUNS_LEAST = 5, /* of each side, for an interval */
    EMLAT_COMPARE_RESAMPLES = 4000,
    EMLAT_DIFFERENCE_TEXT = 96,
};

enum emlat_side { EMLAT_SIDE_A, EMLAT_SIDE_B, EMLAT_SIDES };

enum emlat_measure_unit { EMLAT_MEASURE_NS, EMLAT_MEASURE_SHARE };

enum emlat_change { EMLAT_NO_EVIDENCE, EMLAT_LESS, EMLAT_MORE };

/* A measure on both sides.  */
struct emlat_compare_row {
    const char *group; /* "answer", a population, "component", "command", "other_work" */
    char name[56];     /* "p95", "post_command p50", … */
    enum emlat_measure_unit unit;
    int component;            /* of group "component", else -1 */
    unsigned permille;        /* of a percentile, else 0 */
    double *run[EMLAT_SIDES]; /* a value a run; NaN where the run has none */
    uint64_t n[EMLAT_SIDES];  /* interactions that they rest on */
    bool known;               /* every run has a value, and enough lie beyond the percentile */
    double mean[EMLAT_SIDES], deviation[EMLAT_SIDES]; /* over the runs; deviation of a run */
    double change;                                    /* B - A */
    bool has_interval;
    double low, high; /* of the change */
    enum emlat_change verdict;
};

/* Something that SESSION says differently.  */
struct emlat_difference {
    const char *class, *name;
    bool forbids; /* the sides cannot be compared, unless its class is excused */
    char value[EMLAT_SIDES][EMLAT_DIFFERENCE_TEXT];
};

struct emlat_comparison {
    size_t runs[EMLAT_SIDES], taken[EMLAT_SIDES];
    uint64_t commands[EMLAT_SIDES], lost[EMLAT_SIDES];
    struct emlat_compare_row *rows;
    size_t rows_count, rows_room;
    struct emlat_difference *differences;
    size_t differences_count;
    char (*said)[EMLAT_SIDES][EMLAT_DIFFERENCE_TEXT]; /* by place in the table of attributes */
    bool (*said_once)[EMLAT_SIDES];
    bool comparable; /* nothing forbids */
    bool enough;     /* runs, for intervals */
    double critical; /* |t| beyond which a row differs */
};

/* Begin with so many RUNS on each side.  EMLAT_ENOMEM.  Free in any case.  */
int emlat_comparison_begin(struct emlat_comparison *comparison, const size_t runs[EMLAT_SIDES]);
void emlat_comparison_free(struct emlat_comparison *comparison);

/* Take in the next run of SIDE: its SUMMARY, gathered with EMLAT_WITH_METRICS, and the READER of
   its last file.  EMLAT_ENOMEM.  */
int emlat_comparison_take(struct emlat_comparison *comparison, enum emlat_side side,
                          const struct emlat_summary *summary, const struct emlat_reader *reader);

/* All runs are there.  EXCUSED is the class of differences that are wanted, or null.  Without
   intervals where the sides cannot be compared.  EMLAT_ENOMEM.  */
int emlat_comparison_judge(struct emlat_comparison *comparison, const char *excused);

/* What moved: of the rows that differ, that which says most.  Components come first, the waits that
   they lead to after them, then answers, then the others; among equals the largest change.  Null
   where no row differs.  */
const struct emlat_compare_row *emlat_comparison_lead(const struct emlat_comparison *comparison);

/* The classes that may be excused, "build|machine|…".  */
extern const char emlat_compare_classes[];

#endif

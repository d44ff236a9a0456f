/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Frames: what each span costs each frame, what no declared root covers, and how frames compare.

   A span is charged by intersection: each row has the part of it that lies inside, so a row's
   figures never depend on when a span ended.  Intervals are half-open; unions are exact.  */
#ifndef EMLAT_FRAMES_H
#define EMLAT_FRAMES_H

#include "distribution.h"
#include "run.h"

enum { EMLAT_SPAN_KINDS = 256 };

struct emlat_row {
    const struct emlat_run_frame *frame;
    bool live;
    uint64_t covered_ns;      /* union of declared roots */
    uint64_t main_covered_ns; /* the same without the render thread's */
    uint64_t render_ns;       /* union of the render thread's */
    uint64_t render_thread;   /* that ended a render root in it; 0 none */
    uint64_t carried_in_ns;   /* of spans that end here and began before: what earlier rows have */
    uint64_t carried_spans;
    bool lower_bound;        /* records of its time were lost: covered_ns may be more */
    bool open_at_exit;       /* a span that never ended lies in it */
    uint64_t *overlap;       /* by place in emlat_frames.kinds */
    uint64_t *ran;           /* bit set: that kind was there, if only for no time */
    uint64_t over_parent_ns; /* the worst span that has more time than its only parent */
    uint32_t over_kind;      /* which, as a place; meaningless without the above */
};

/* A kind of span over the live phase (or over loading).  */
struct emlat_kind {
    uint32_t number;
    const struct emlat_word_value *word; /* or null */
    struct emlat_distribution calls;     /* whole length of each span that ended in the phase */
    uint64_t outer_ns;                   /* total without those inside one of their own kind */
    uint64_t self_ns;                    /* total minus the union of each span's children */
    uint64_t live_ns;                    /* its overlap with live rows */
    uint64_t recursive;                  /* calls inside a span of the same kind */
    uint64_t open;                       /* never ended: in rows, in no distribution */
    uint64_t before_first;               /* ended before the first frame */
    uint64_t migrated, misnested, unmatched;
    bool parallel;                          /* children of one span overlapped one another */
    uint32_t calls_under[EMLAT_SPAN_KINDS]; /* by the parent's place */
    uint32_t calls_outermost;
    int parent;       /* place of the one it is drawn under: the most frequent; -1 none */
    unsigned parents; /* distinct ones, none counted as one */
    bool placed;
};

/* Frames that are slow, all over live whole rows.  */
struct emlat_hitches {
    bool has_low1, has_low01;
    uint64_t low1_average_ns, low01_average_ns;   /* mean of the slowest 1 %, 0.1 % of frames */
    uint64_t low1_integral_ns, low01_integral_ns; /* slowest frames until that share of time */
    uint64_t median_ns, stutters, stutter_ns;     /* longer than 2.5 times the median */
    bool has_delta;
    uint64_t delta_p99_ns; /* of |frame - the one before| */
};

struct emlat_frames {
    const struct emlat_run *run;
    struct emlat_kind *kinds;
    size_t kinds_count;
    struct emlat_row *rows; /* the first ROWS_MAX frames */
    size_t rows_count, rows_dropped;
    size_t live, load, partial;      /* kept rows by what they are; partial ones are in neither */
    struct emlat_distribution walls; /* of live whole frames, kept or not */
    struct emlat_distribution first, steady; /* of kept rows: first seconds, and after */
    uint64_t unclassified_ns, covered_ns, main_ns, overlap_ns, overlap_rows, lower_bounds;
    bool has_roots, has_render, has_main;
    size_t broken_rows, worst_broken;
    size_t *worst; /* rows, slowest first */
    size_t worst_count;
    struct emlat_hitches hitches;
    uint64_t *overlaps, *ran; /* the rows' memory */
};

#define EMLAT_FIRST_SECONDS_NS ((uint64_t)3000000000)
enum { EMLAT_ROWS_DEFAULT = 36000, EMLAT_WORST_MAX = 20 };

/* Compute over RUN, which must outlive the result; a table of at most ROWS_MAX rows.
   0 or EMLAT_ENOMEM; free in any case.  */
int emlat_frames_from(struct emlat_frames *frames, const struct emlat_run *run, size_t rows_max);
void emlat_frames_free(struct emlat_frames *frames);

/* Wall minus covered; never negative, since both are of one row.  */
uint64_t emlat_row_wall(const struct emlat_row *row);
uint64_t emlat_row_unclassified(const struct emlat_row *row);
/* What a main root and a render root were both inside.  */
uint64_t emlat_row_overlap(const struct emlat_row *row);

static inline bool emlat_row_ran(const struct emlat_row *row, size_t kind)
{
    return row->ran[kind / 64] >> kind % 64 & 1;
}

#endif

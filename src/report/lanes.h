/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Slices of time on lanes, for viewers in which the slices of a lane must nest: of any two, either
   one lies inside the other or they don't overlap.  Viewers repair what does not nest by swapping
   ends, silently, so nothing here relies on the recording: a slice that does not fit goes to the
   next lane of its group.

   Slices come in about the order of their ends and leave, lane by lane, in the order of their
   begins, outer ones first.  Memory is bounded: a window of slices is kept for the sorting, and
   what comes too late for it gets a lane on which nothing has begun since.  */
#ifndef EMLAT_LANES_H
#define EMLAT_LANES_H

#include "reader.h"

/* What is known of a slice: TEXT, or NUMBER where TEXT is null.  */
struct emlat_argument {
    const char *name, *text; /* static, or the reader's */
    uint64_t number;
};

/* In the order in which viewers are to show them.  */
enum emlat_lane_family {
    EMLAT_LANE_LOSS,       /* where records were lost */
    EMLAT_LANE_POPULATION, /* interactions and their phases; NUMBER: enum emlat_population */
    EMLAT_LANE_ROOT,       /* the same of those in no population; NUMBER: their root kind */
    EMLAT_LANE_THREAD,     /* spans; NUMBER: thread */
    EMLAT_LANE_OUTPUT,     /* first byte of an output epoch to the end of its flush */
    EMLAT_LANE_WAITING,    /* input that waited to be taken */
    EMLAT_LANE_CAUSE,      /* all of one interaction; NUMBER: its cause */
};

struct emlat_slice {
    uint64_t begin, end;
    uint64_t order; /* of slices with the same bounds, the smaller is the outer one */
    enum emlat_lane_family family;
    uint64_t number;  /* of the family */
    const char *name; /* static; or null: WORD of class WORD_CLASS in the vocabulary */
    unsigned word_class;
    uint64_t word;
    const char *category;
    uint64_t flow_in, flow_out; /* ties of cause to effect, or 0 */
    size_t arguments_count;
    struct emlat_argument argument[]; /* arguments_count */
};

struct emlat_lane {
    uint64_t id; /* from 1, in the order of first use */
    enum emlat_lane_family family;
    uint64_t number;
    unsigned index; /* among the lanes of the group, from 0 */
    void *data;     /* the view's own; null at first */
    /* What keeps it nested.  */
    struct emlat_slice **open;
    size_t open_count, open_room;
    uint64_t last_begin;
    struct emlat_lane *next;
};

/* Where slices leave to.  END comes in proper order too, innermost first; it may be null.  */
struct emlat_lane_view {
    int (*begin)(void *data, struct emlat_lane *lane, const struct emlat_slice *slice);
    int (*end)(void *data, struct emlat_lane *lane, const struct emlat_slice *slice);
    void *data;
};

enum { EMLAT_LANES_WINDOW = 8192 };

struct emlat_lanes {
    const struct emlat_lane_view *view;
    struct emlat_slice **window;
    size_t count;
    struct emlat_lane *lanes, **last; /* in the order of first use */
    uint64_t lanes_count;
};

int emlat_lanes_begin(struct emlat_lanes *lanes, const struct emlat_lane_view *view);

/* Room for a slice of COUNT arguments, all zero; or null.  */
struct emlat_slice *emlat_slice_new(size_t count);

/* Take SLICE over; its end must not be before its begin.  0, the view's error or EMLAT_ENOMEM.  */
int emlat_lanes_add(struct emlat_lanes *lanes, struct emlat_slice *slice);

/* Let all go that is kept.  */
int emlat_lanes_finish(struct emlat_lanes *lanes);
void emlat_lanes_free(struct emlat_lanes *lanes);

/* Where LANE stands among all, below 2^31: by family, number and index.  */
unsigned emlat_lane_place(const struct emlat_lane *lane);

enum { EMLAT_LANE_NAME = 96 };
/* "flushed", "flushed (2)", "thread 1" ….  */
const char *emlat_lane_name(char text[EMLAT_LANE_NAME], const struct emlat_reader *reader,
                            const struct emlat_lane *lane);
/* SLICE's name; TEXT serves where the vocabulary has none.  */
const char *emlat_slice_name(char text[EMLAT_LANE_NAME], const struct emlat_reader *reader,
                             const struct emlat_slice *slice);

#endif

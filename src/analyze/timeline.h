/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Who held a thread, and with what, at each moment: slices of time that do not overlap, for the
   last stretch of a recording.  Each slice belongs to the innermost thing that was going on, so
   garbage collection is not also the command that it interrupted.

   It is fed with the records of a file in their order, and keeps a bounded number of slices and
   roots of each thread; of what it has let go it says that it does not know.  */
#ifndef EMLAT_TIMELINE_H
#define EMLAT_TIMELINE_H

#include "reader.h"

/* What time goes to.  The first ones are the parts of an answer to a key, in their order.  */
enum emlat_component {
    EMLAT_WAIT,
    EMLAT_DECODE,
    EMLAT_PRE_COMMAND,
    EMLAT_COMMAND,
    EMLAT_POST_COMMAND,
    EMLAT_REDISPLAY,
    EMLAT_REDISPLAY_LISP,
    EMLAT_TTY_EMIT,
    EMLAT_GC,
    EMLAT_OTHER, /* work that no boundary names */
    EMLAT_COMPONENTS,
    /* Only of slices: */
    EMLAT_MATRICES = EMLAT_COMPONENTS, /* redisplay that works out what the screen should show */
    EMLAT_UPDATE,                      /* redisplay that makes it so */
    EMLAT_IDLE,                        /* the thread waited for any input */
    EMLAT_SLICE_COMPONENTS,
};
const char *emlat_component_name(enum emlat_component component); /* "wait" … */

/* What a slice's component is of an answer.  */
static inline enum emlat_component emlat_component_of(enum emlat_component of_slice)
{
    return of_slice == EMLAT_MATRICES || of_slice == EMLAT_UPDATE ? EMLAT_REDISPLAY : of_slice;
}

struct emlat_slice {
    uint64_t begin, end;
    uint64_t cause; /* 0: on nobody's behalf */
    enum emlat_component component;
};

/* A root that held a thread, by its record.  */
struct emlat_holder {
    uint64_t cause, kind, wall_ns, cpu_ns; /* of its work */
    bool has_cpu;
    bool command; /* its kind is one of commands */
    bool delayed; /* an interaction had to wait for it: set by emlat_timeline_delayed */
};

struct emlat_timeline;

int emlat_timeline_new(struct emlat_timeline **timeline); /* 0 or EMLAT_ENOMEM */
void emlat_timeline_free(struct emlat_timeline *timeline);

/* Take RECORD of READER's file in, whatever its type; it is laid out by the next settle.  0 or
   EMLAT_ENOMEM.  */
int emlat_timeline_take(struct emlat_timeline *timeline, const struct emlat_reader *reader,
                        const struct emlat_record *record);

/* Lay out what was taken in since the last time.  To be called between what the recorder flushed at
   one time and the next.  0 or EMLAT_ENOMEM.  */
int emlat_timeline_settle(struct emlat_timeline *timeline);

/* The first slice of THREAD that ends after T, in *COUNT of them in their order.  Null and 0 where
   there is none.  They stay good until the next settle.  */
const struct emlat_slice *emlat_timeline_from(const struct emlat_timeline *timeline,
                                              uint64_t thread, uint64_t t, size_t *count);

/* The root CAUSE, or null where it is not known (any more, or yet).  */
const struct emlat_holder *emlat_timeline_holder(const struct emlat_timeline *timeline,
                                                 uint64_t cause);
/* An interaction had to wait for CAUSE.  */
void emlat_timeline_delayed(struct emlat_timeline *timeline, uint64_t cause);

/* By root kind: roots that are not commands and delayed nobody, though they held a thread for at
   least EMLAT_SLOW_NS (a frame of a screen with 60 Hz).  To be called at the end: roots that are
   still known are counted as they are.  */
enum { EMLAT_SLOW_NS = 16700000, EMLAT_HOLDER_KINDS = 256 };
struct emlat_harmless {
    uint64_t count, max_ns;
};
const struct emlat_harmless *emlat_timeline_harmless(struct emlat_timeline *timeline);

#endif

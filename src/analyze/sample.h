/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   One interaction as an answer: which population it belongs to, how long it took, and into which
   parts that time falls.  */
#ifndef EMLAT_SAMPLE_H
#define EMLAT_SAMPLE_H

#include "reader.h"

/* Populations are never mixed in one distribution.  */
enum emlat_population {
    EMLAT_FLUSHED,    /* its input is known and its output was flushed: input → flush */
    EMLAT_NO_OUTPUT,  /* its display was not skipped, and nothing was written: dispatch → end */
    EMLAT_SUPERSEDED, /* its display was skipped: dispatch → work end */
    EMLAT_WAITED,     /* it waited for the person: dispatch → work end, less these waits */
    EMLAT_NO_INPUT,   /* flushed, but no byte of a terminal decided it: no latency */
    EMLAT_UNFINISHED, /* open when the recording ended: no latency */
    EMLAT_POPULATIONS
};

/* The parts of a duration.  They follow one another and add up to it exactly: a stretch that no
   boundary names is OTHER.  EMIT, the writing and flushing inside a display, is taken out of it. */
enum emlat_part {
    EMLAT_PART_WAIT, /* from the input's latest arrival until it left the queue */
    EMLAT_PART_DECODE,
    EMLAT_PART_PRE,
    EMLAT_PART_COMMAND,
    EMLAT_PART_POST,
    EMLAT_PART_DISPLAY_WAIT, /* from the end of the work to the begin of the display */
    EMLAT_PART_DISPLAY,
    EMLAT_PART_EMIT,
    EMLAT_PART_OTHER,
    EMLAT_PARTS
};

struct emlat_sample {
    uint64_t cause, kind;
    enum emlat_population population;
    uint64_t t_begin, t_end;    /* of the lower bound; their difference is LOWER + PERSON_NS */
    uint64_t lower, upper;      /* ns; UPPER is LOWER where nothing is uncertain */
    bool has_upper;             /* false: the earliest arrival is unknown */
    uint64_t part[EMLAT_PARTS]; /* ns; sum LOWER */
    bool has_cpu, has_gc, has_dwell;
    uint64_t cpu_ns, gc_ns;
    uint64_t person_ns;                  /* spent in waits for the person's keys; not in LOWER */
    uint64_t dwell_min_ns, dwell_max_ns; /* wait for the rest of a key sequence; not in LOWER */
    uint64_t latest_quality;             /* EMLAT_QUALITY_… or 0 */
};

/* What RECORD, an INTERACTION of READER's file, comes to.  False if its kind is not a command, or
   if its timestamps contradict each other.  */
bool emlat_sample_from(const struct emlat_reader *reader, const struct emlat_record *record,
                       struct emlat_sample *sample);

/* The parts of RECORD between BEGIN and END, in their order, without gaps; returns their number. */
enum { EMLAT_STRETCHES_MAX = 18 };
struct emlat_stretch {
    enum emlat_part part;
    uint64_t begin, end;
};
size_t emlat_stretches_of(const struct emlat_record *record, uint64_t begin, uint64_t end,
                          struct emlat_stretch stretches[EMLAT_STRETCHES_MAX]);

/* Which population RECORD, of whatever kind, belongs to.  */
enum emlat_population emlat_population_of(const struct emlat_reader *reader,
                                          const struct emlat_record *record);

/* Where on the time axis PART of SAMPLE lies, as far as one stretch can say: what EMIT and DISPLAY
   interleave is shown as a whole.  False where it has no time.  */
bool emlat_sample_stretch(const struct emlat_record *record, const struct emlat_sample *sample,
                          enum emlat_part part, uint64_t *begin, uint64_t *end);

/* Counter NAME of RECORD to *VALUE; false where it has none.  */
bool emlat_sample_counter(const struct emlat_reader *reader, const struct emlat_record *record,
                          const char *name, uint64_t *value);

const char *emlat_population_name(enum emlat_population population); /* "flushed" … */
const char *emlat_part_name(enum emlat_part part);                   /* "wait" … */

#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   A bench run in memory: what its recording states, sorted, and which frames are live.  Everything
   else is computed from it: frames.h, load.h, counters.h.  Times are of the session's clock.  */
#ifndef EMLAT_RUN_H
#define EMLAT_RUN_H

#include "reader.h"

#define EMLAT_NO_FRAME UINT64_MAX

/* Flags of the vocabulary, as bench.h gives them to the file.  */
enum {
    EMLAT_RUN_TOP_LEVEL = 4,
    EMLAT_RUN_RENDER = 16,
    EMLAT_RUN_WAITS = 32,
    EMLAT_RUN_SUM = 1,
    EMLAT_RUN_LAST = 2,
    EMLAT_RUN_ENUM = 3,
    EMLAT_RUN_OPERATION = 15,
    EMLAT_RUN_GPU = 16,
    EMLAT_RUN_AGE = 32,
    EMLAT_RUN_GAP = 64,
    EMLAT_RUN_CADENCE = 128,
    EMLAT_RUN_STAGE = 1,
    EMLAT_RUN_MILESTONE = 2,
    EMLAT_RUN_STATE = 4,
    EMLAT_RUN_JOB = 8,
    EMLAT_RUN_REASON = 16,
    EMLAT_RUN_PLAYABLE = 32,
};

struct emlat_run_frame {
    uint64_t id, t_begin, t_end, states;
    uint64_t present; /* of the record: which of the following there are */
    uint64_t thread, position, cpu_ns, switches, faults_minor, faults_major;
    bool partial; /* closed by the recording's end */
};

struct emlat_run_span {
    uint64_t id, parent, thread, t_begin, t_end;
    uint32_t kind, status;
    bool open; /* never ended; t_end is the run's */
};

struct emlat_run_sample {
    uint64_t frame; /* or EMLAT_NO_FRAME */
    uint64_t value;
    uint32_t counter;
    bool rejected;
};

/* A stage's or a job's fields, as in its record.  */
struct emlat_run_entry {
    uint64_t present, value[24];
};

struct emlat_run_mark {
    uint64_t t, frame;
    uint32_t kind, span_kind; /* one of them is 0 */
};

struct emlat_run {
    struct emlat_reader *reader;
    struct emlat_run_frame *frames; /* by number, which is by time */
    struct emlat_run_span *spans;   /* by begin, then the longer first */
    struct emlat_run_sample *samples;
    struct emlat_run_entry *stages, *jobs; /* stages by begin, jobs by number */
    struct emlat_run_mark *marks;          /* by time */
    size_t frames_count, spans_count, samples_count, stages_count, jobs_count, marks_count;
    uint64_t records_lost, t_lost_first, t_lost_last;
    uint64_t t_arm, t_end; /* the recorder's start, and the last time that any record has */
    bool has_playable;     /* the host declares when it is playable */
    bool playable;         /* and it was (or it declares nothing: all frames are live) */
    uint64_t t_playable, first_live; /* number of the first live frame */
};

/* Read PATH into *RUN.  On failure its reader, if any, tells the problem; free it in any case.  */
int emlat_run_read(struct emlat_run *run, const char *path);
void emlat_run_free(struct emlat_run *run);

/* The frame in which T lies, as a place in frames; frames_count where in none.  A moment that ends
   something lies in the frame that it ends in: [begin, end) for a begin, (begin, end] for an END.
 */
size_t emlat_run_frame_at(const struct emlat_run *run, uint64_t t, bool end);

bool emlat_run_is_live(const struct emlat_run *run, uint64_t frame);

static inline bool emlat_entry_has(const struct emlat_run_entry *entry, unsigned field)
{
    return entry->present >> field & 1;
}

#endif

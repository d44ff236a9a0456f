/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The bench: what a host with a frame loop adds to emlat.h.

   A host marks the top of its loop; one clock reading closes a frame and opens the next.  It begins
   and ends spans on any thread, gives counters their values, and tells of its loading: stages,
   jobs, milestones.  All goes through the session's rings into its file; which frames are live,
   what a span costs each of them, and the three reports are the reader's work (emlat bench RUN).

   What a host declares (struct emlat_word_row in emlat_vocabulary):
       spans      EMLAT_SPAN_TOP_LEVEL for its declared roots, with EMLAT_SPAN_RENDER for those of
                  the render thread
       counters   operation, origin and unit; a counter in "ns" is a duration
       marks      stages, milestones, states and job kinds, told apart by their flags

   As in emlat.h, "hot" calls allocate nothing, lock nothing, wait for nothing and never fail. Where
   the bench is off every handle is null and each call is one predicted branch.  A thread joins once
   and uses its own handle alone; a span's token may be ended by any thread that has one.
   Each call takes its time at T; 0 means now.  Times are of the session's clock.  */
#ifndef EMLAT_BENCH_H
#define EMLAT_BENCH_H

#include <emlat/emlat.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum emlat_bench_flags {
    EMLAT_SPAN_RENDER = 16, /* with EMLAT_SPAN_TOP_LEVEL: a root of the render thread */
    EMLAT_SPAN_WAITS = 32,  /* it sleeps, or waits for another thread */

    /* A counter's operation is EMLAT_COUNTER_SUM or _LAST, or: */
    EMLAT_COUNTER_ENUM = 3,       /* a code: neither sum nor mean means anything */
    EMLAT_COUNTER_OPERATION = 15, /* mask */
    EMLAT_COUNTER_GPU = 16, /* arrives frames after its work; passes overlap, no sum is shown */
    EMLAT_COUNTER_AGE = 32, /* a moment's age: no share of a frame */
    EMLAT_COUNTER_GAP = 64, /* a gap between two bodies, which others may fill */
    EMLAT_COUNTER_CADENCE = 128, /* each sample is the completion of one rendered frame */

    EMLAT_MARK_STAGE = 1,
    EMLAT_MARK_MILESTONE = 2,
    EMLAT_MARK_STATE = 4, /* its number is below 64 */
    EMLAT_MARK_JOB = 8,
    EMLAT_MARK_REASON = 16,   /* why results are discarded */
    EMLAT_MARK_PLAYABLE = 32, /* a milestone: the frame after the one it falls into is live */
};

struct emlat_bench;
struct emlat_bench_thread;

enum { EMLAT_BENCH_SPANS_MAX = 64, EMLAT_BENCH_SOURCES_MAX = 8, EMLAT_BENCH_ATTRIBUTES_MAX = 128 };

struct emlat_bench_options {
    /* Words, host, attributes: what the workload is.  Where path is null, emlat_bench_start makes
       it: trace.emlat in the directory EMLAT_BENCH_RUN, which emlat bench has made, else in
       emlat-artifacts/runs/UUID/.  */
    struct emlat_options session;
    const uint64_t *virtual_rss;   /* for tests: instead of the process's resident memory */
    uint32_t jobs_max, stages_max; /* open at a time; what is beyond is counted as lost */
    uint64_t stop_frames, stop_ns; /* when emlat_bench_frame asks the host to end; 0 never */
    bool usage;                    /* CPU time, switches and faults of each frame: a system call */
};

/* EMLAT_BENCH in the environment: off where it is unset, empty, 0, false or off.  */
bool emlat_bench_wanted(void);

/* The defaults, with stop_frames and stop_ns (in seconds there) from EMLAT_BENCH_STOP_FRAMES and
   EMLAT_BENCH_STOP_SECONDS.  A value that is no number is EMLAT_EINVAL, and *OPTIONS is whole.  */
int emlat_bench_options_default(struct emlat_bench_options *options);

/* Start a session for a frame loop.  Adds to the session's attributes what the environment says:
   run_started_ns (EMLAT_BENCH_STARTED_NS, when the shell command began, of CLOCK_REALTIME),
   process_started_ns, and env_NAME for every EMLAT_NAME.  Errors as emlat_start.  */
int emlat_bench_start(const struct emlat_bench_options *options, struct emlat_bench **bench);

/* Close the open frame as partial, write what is still open as open, and stop the session.  Its
   threads must not be recording.  Errors as emlat_stop.  */
int emlat_bench_stop(struct emlat_bench *bench, uint64_t wait_ns);

/* The calling thread's handle.  EMLAT_EFULL when all are taken.  A null BENCH gives null and 0.  */
int emlat_bench_join(struct emlat_bench *bench, struct emlat_bench_thread **thread);

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Hot, but for one system call where options.usage asks for it.  The loop begins a turn: the open
   frame is closed and the next one opened by one clock reading.  One thread at a time.  True when
   the run has lasted as long as it should.  */
bool emlat_bench_frame(struct emlat_bench_thread *thread, uint64_t t);

/* Hot.  The open frame's number, to address samples to; EMLAT_BENCH_NO_FRAME before the first.  */
#define EMLAT_BENCH_NO_FRAME UINT64_MAX
uint64_t emlat_bench_frame_now(const struct emlat_bench_thread *thread);

/* Hot.  STATE holds from now on, or no more; it marks each frame in which it held.  */
void emlat_bench_state(struct emlat_bench_thread *thread, uint32_t state, bool holds);

/* Hot.  The open frame is marked with STATE, that one alone.  */
void emlat_bench_state_once(struct emlat_bench_thread *thread, uint32_t state);

/* Hot.  How far the workload is (a tick of a demo, say).  */
void emlat_bench_position(struct emlat_bench_thread *thread, uint64_t position);

/* ---- Spans ----------------------------------------------------------------------------------- */

/* What begin decided.  KIND 0: was not recorded.  */
struct emlat_bench_span {
    struct emlat_bench_thread *thread; /* that began it */
    uint64_t id, parent, t_begin;
    uint32_t kind, slot;
};

/* Hot.  A span of KIND begins on THREAD; the innermost one open there is its parent.  */
struct emlat_bench_span emlat_bench_begin(struct emlat_bench_thread *thread, uint32_t kind,
                                          uint64_t t);

/* Hot.  The same for work that THREAD does on behalf of PARENT, a span of any thread.  */
struct emlat_bench_span emlat_bench_begin_under(struct emlat_bench_thread *thread, uint32_t kind,
                                                struct emlat_bench_span parent, uint64_t t);

/* Hot.  It ends on THREAD, which need not have begun it (then it is counted as migrated, and has no
   parent), and need not be innermost (then it is misnested); its inner spans go on.  A span that is
   not open any more is counted as unmatched.  */
void emlat_bench_end(struct emlat_bench_thread *thread, struct emlat_bench_span span, uint64_t t);

/* Hot.  An end of KIND on THREAD of which the host knows no begin: it is counted, nothing else.  */
void emlat_bench_unmatched(struct emlat_bench_thread *thread, uint32_t kind, uint64_t t);

/* ---- Counters -------------------------------------------------------------------------------- */

/* Hot.  One sample, of the frame that is open now.  A VALUE that is negative or not finite is
   counted as rejected.  Rounded to whole units (ns, bytes, items).  */
void emlat_bench_count(struct emlat_bench_thread *thread, uint32_t counter, double value);

/* Hot.  The same, of FRAME (emlat_bench_frame_now of then), however late.  */
void emlat_bench_count_for(struct emlat_bench_thread *thread, uint32_t counter, uint64_t frame,
                           double value);

/* Hot.  True the first time in a row that SOURCE (below EMLAT_BENCH_SOURCES_MAX) has the batch
   named BATCH: results that are still lying there are not counted twice.  One thread at a time.  */
bool emlat_bench_fresh(struct emlat_bench_thread *thread, uint32_t source, uint64_t batch);

/* ---- Loading --------------------------------------------------------------------------------- */

/* MILESTONE is reached; the first time counts.  */
void emlat_bench_reach(struct emlat_bench_thread *thread, uint32_t milestone, uint64_t t);

/* A stage: begin gives a number, 0 where too many are open.  Reads the process's memory (a system
   call).  Ends on any thread.  ITEMS_TOTAL 0: it has none.  */
uint32_t emlat_bench_stage_begin(struct emlat_bench_thread *thread, uint32_t kind,
                                 uint64_t items_total, uint64_t t);
void emlat_bench_stage_done(struct emlat_bench_thread *thread, uint32_t stage, uint64_t items);
void emlat_bench_stage_end(struct emlat_bench_thread *thread, uint32_t stage, uint64_t t,
                           enum emlat_outcome outcome);

/* A job's stamps in their order.  */
enum emlat_bench_stamp {
    EMLAT_JOB_DISCOVERED,
    EMLAT_JOB_PLAN_READY,
    EMLAT_JOB_ENQUEUED,
    EMLAT_JOB_STARTED,
    EMLAT_JOB_DECODE_STARTED,
    EMLAT_JOB_FINISHED, /* reads the process's memory: a system call */
    EMLAT_JOB_JOINED,
    EMLAT_JOB_STAMPS
};

enum emlat_bench_job_number {
    EMLAT_JOB_OUTSTANDING,
    EMLAT_JOB_ITEMS,
    EMLAT_JOB_ITEMS_FAILED,
    EMLAT_JOB_SOURCE,
    EMLAT_JOB_PREPARED,
    EMLAT_JOB_REUSED,
    EMLAT_JOB_OUTPUT,
    EMLAT_JOB_RETAINED,
    EMLAT_JOB_DISCARDED,
    EMLAT_JOB_DISCARD_REASON, /* a mark */
    EMLAT_JOB_CACHE,          /* 1 hit, 2 miss, 3 stored, 4 failed */
    EMLAT_JOB_NUMBERS
};

/* A job of KIND for the host's own NAME (a number) is discovered; NEEDS is a job that must be done
   before, or 0.  Gives its number, 0 where too many are open.  A job passes from thread to thread
   by the host's own hand-over (a lock, a queue).  */
uint64_t emlat_bench_job(struct emlat_bench_thread *thread, uint32_t kind, uint64_t name,
                         uint64_t needs, uint64_t t);

/* STAMP of JOB; the first time counts.  */
void emlat_bench_job_stamp(struct emlat_bench_thread *thread, uint64_t job,
                           enum emlat_bench_stamp stamp, uint64_t t);
void emlat_bench_job_number(struct emlat_bench_thread *thread, uint64_t job,
                            enum emlat_bench_job_number number, uint64_t value);

/* Nothing more will be said of JOB: it is recorded.  One that is still open at the end is too.  */
void emlat_bench_job_close(struct emlat_bench_thread *thread, uint64_t job);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Loading: milestones from the command to playable, stages and what ran alone, jobs with their
   waits split from their work, and the balance of their bytes.  */
#ifndef EMLAT_LOAD_H
#define EMLAT_LOAD_H

#include "run.h"

struct emlat_milestone {
    const struct emlat_word_value *word;
    bool reached, has_step;
    uint64_t t, step_ns; /* since the reached one before it; the first one's is since the zero */
};

struct emlat_stage {
    const struct emlat_run_entry *entry;
    uint64_t t_begin, t_end, held_ns, sole_open_ns;
    bool running;
};

/* A gap between two stamps; absent where either is missing.  */
struct emlat_gap {
    bool has;
    uint64_t ns;
};

struct emlat_job {
    const struct emlat_run_entry *entry;
    struct emlat_gap ready_to_enqueue, queue, budget_wait, decode, service, to_join;
    bool has_balance; /* all four sides are there */
    int64_t balance;  /* prepared + reused - retained - discarded; 0 is right */
    bool discarded_without_reason;
};

/* Jobs of one kind: all in worker time, which is never laid against a milestone.  */
struct emlat_job_kind {
    uint64_t number;
    const struct emlat_word_value *word;
    uint64_t jobs, items, failed, in_flight, decoded;
    uint64_t decode_ns, budget_wait_ns, queue_ns, queued, held_back;
    uint64_t prepared, reused, retained, discarded;
};

struct emlat_load {
    const struct emlat_run *run;
    bool has_run_stamp;                 /* T_ZERO is the shell command's; else: */
    bool has_process_stamp;             /* the process's; else the recorder's start */
    int64_t t_zero;                     /* on the session's clock; may be negative */
    struct emlat_milestone *milestones; /* by time, unreached ones last */
    size_t milestones_count;
    struct emlat_stage *stages; /* by held time, longest first */
    size_t stages_count;
    uint64_t held_ns, union_ns, window_ns, gap_ns, t_first_stage;
    struct emlat_job *jobs;
    size_t jobs_count;
    struct emlat_job_kind *kinds;
    size_t kinds_count;
    bool has_rss;
    uint64_t rss_least, rss_most; /* over all that stages and jobs saw */
};

/* 0 or EMLAT_ENOMEM; free in any case.  RUN must outlive it.  */
int emlat_load_from(struct emlat_load *load, const struct emlat_run *run);
void emlat_load_free(struct emlat_load *load);

#endif

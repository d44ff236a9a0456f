/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Counters of a frame loop: the samples of each, by phase, and what each row has of them.  */
#ifndef EMLAT_COUNTERS_H
#define EMLAT_COUNTERS_H

#include "distribution.h"
#include "frames.h"

enum { EMLAT_PHASE_LOAD, EMLAT_PHASE_LIVE, EMLAT_PHASES };

struct emlat_counter {
    uint32_t number;
    const struct emlat_word_value *word; /* or null */
    uint64_t operation, flags;
    struct emlat_distribution samples[EMLAT_PHASES];
    uint64_t rejected[EMLAT_PHASES];
    uint64_t unattributed; /* of a frame that no row has: in the samples, in no row */
    /* By row: the sum, or the last one where the counter is no sum.  */
    uint64_t *row;
    bool *has_row;
};

struct emlat_counters {
    const struct emlat_frames *frames;
    struct emlat_counter *counters; /* declared, then undeclared ones that were sampled */
    size_t counters_count;
};

/* 0 or EMLAT_ENOMEM; free in any case.  FRAMES must outlive it.  */
int emlat_counters_from(struct emlat_counters *counters, const struct emlat_frames *frames);
void emlat_counters_free(struct emlat_counters *counters);

#endif

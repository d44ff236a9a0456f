/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Numbers to resample by: the same on each machine and in each run.  */
#ifndef EMLAT_RANDOM_H
#define EMLAT_RANDOM_H

#include <stdint.h>

#define EMLAT_RANDOM_SEED ((uint64_t)0x9e3779b97f4a7c15)

/* xorshift64* (Vigna 2016).  STATE is not 0.  */
static inline uint64_t emlat_random_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1d;
}

#endif

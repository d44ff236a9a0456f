/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Durations, kept, and exact figures of them.  */
#ifndef EMLAT_DISTRIBUTION_H
#define EMLAT_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct emlat_distribution {
    uint64_t *values; /* sorted after emlat_distribution_sort */
    size_t count, room;
    uint64_t total; /* saturates */
};

/* 0 or EMLAT_ENOMEM; then the value is not in.  */
int emlat_distribution_add(struct emlat_distribution *distribution, uint64_t value);
void emlat_distribution_sort(struct emlat_distribution *distribution);
void emlat_distribution_free(struct emlat_distribution *distribution);

/* The value at rank ceil (N * PERMILLE / 1000) of a sorted distribution that is not empty: the
   nearest-rank percentile, which is always one of the values.  */
uint64_t emlat_distribution_rank(const struct emlat_distribution *distribution, unsigned permille);

/* Where that value is among N sorted ones.  */
size_t emlat_distribution_place(size_t n, unsigned permille);

/* Whether N values say anything about that percentile: at least ten of them lie beyond it.  */
bool emlat_distribution_supports(size_t n, unsigned permille);

#endif

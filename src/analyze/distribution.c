/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Exact percentiles from kept values; no buckets, no interpolation.  */
#include "distribution.h"

#include <emlat/errors.h>
#include <stdlib.h>

int emlat_distribution_add(struct emlat_distribution *distribution, uint64_t value)
{
    if (distribution->count == distribution->room) {
        size_t room = distribution->room ? 2 * distribution->room : 256;
        uint64_t *values = realloc(distribution->values, room * sizeof *values);
        if (!values)
            return EMLAT_ENOMEM;
        distribution->values = values;
        distribution->room = room;
    }
    distribution->values[distribution->count++] = value;
    distribution->total =
        value > UINT64_MAX - distribution->total ? UINT64_MAX : distribution->total + value;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void emlat_distribution_sort(struct emlat_distribution *distribution)
{
    if (distribution->count)
        qsort(distribution->values, distribution->count, sizeof *distribution->values, compare);
}

void emlat_distribution_free(struct emlat_distribution *distribution)
{
    free(distribution->values);
    *distribution = (struct emlat_distribution){0};
}

uint64_t emlat_distribution_rank(const struct emlat_distribution *distribution, unsigned permille)
{
    return distribution->values[emlat_distribution_place(distribution->count, permille)];
}

size_t emlat_distribution_place(size_t n, unsigned permille)
{
    size_t rank = n / 1000 * permille + (n % 1000 * permille + 999) / 1000;
    return rank ? rank - 1 : 0;
}

bool emlat_distribution_supports(size_t n, unsigned permille)
{
    /* The median needs no tail.  */
    return permille <= 500 ? n > 0 : n * (1000 - permille) >= 10000;
}

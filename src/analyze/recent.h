/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The interactions of the last minute of a recording that goes on: a window over its time, in
   bounded memory.  */
#ifndef EMLAT_RECENT_H
#define EMLAT_RECENT_H

#include "distribution.h"
#include "sample.h"

enum { EMLAT_RECENT_MAX = 16384 }; /* kept; of more, the latest are */

struct emlat_recent_entry {
    struct emlat_sample sample; /* only CAUSE and KIND where it is not DERIVED */
    bool derived;
    uint64_t t; /* when it was over */
    uint64_t work_ns;
    bool has_work; /* dispatch to end, for what has no sample */
};

struct emlat_recent {
    struct emlat_recent_entry *entries; /* a ring of EMLAT_RECENT_MAX */
    size_t first, count;
    uint64_t window_ns, t_last; /* T_LAST: the latest time in any record so far */
    uint64_t cut_before;        /* entries of before were given up for memory; 0: none */
    uint64_t lost;              /* records, by LOSS, of the whole file so far */
};

/* Memory for a window of WINDOW_NS.  0 or EMLAT_ENOMEM.  */
int emlat_recent_begin(struct emlat_recent *recent, uint64_t window_ns);
void emlat_recent_free(struct emlat_recent *recent);

/* Take RECORD in, of whatever type.  */
void emlat_recent_take(struct emlat_recent *recent, const struct emlat_reader *reader,
                       const struct emlat_record *record);

/* Let go of what was over before NOW less the window.  */
void emlat_recent_expire(struct emlat_recent *recent, uint64_t now);

/* The entry at PLACE, oldest first.  */
const struct emlat_recent_entry *emlat_recent_at(const struct emlat_recent *recent, size_t place);

/* Sorted bounds of the kept ones of POPULATION, and their NUMBER, to be freed by the caller.
   0 or EMLAT_ENOMEM.  */
int emlat_recent_distribution(const struct emlat_recent *recent, enum emlat_population population,
                              struct emlat_distribution *lower, struct emlat_distribution *upper,
                              size_t *number);

#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   What a whole file says, gathered in one walk over it.  Every view of a report shows this.  */
#ifndef EMLAT_SUMMARY_H
#define EMLAT_SUMMARY_H

#include "distribution.h"
#include "metrics.h"
#include "sample.h"
#include "verdict.h"

enum { EMLAT_HISTOGRAM_BINS = 24, EMLAT_QUALITIES_END = 8, EMLAT_KINDS_END = 256 };

struct emlat_population_summary {
    struct emlat_distribution lower, upper; /* UPPER has only those that are known */
    struct emlat_distribution width;        /* upper - lower, where it is not surely 0 */
    uint64_t count;
    uint64_t
        histogram[EMLAT_HISTOGRAM_BINS]; /* of LOWER; bin I: below 2^I * 16 µs, last: the rest */
};

/* The interactions of one root kind in one population, with their derived numbers.  */
struct emlat_group {
    uint64_t kind, count;
    enum emlat_population population;
    struct emlat_distribution latency; /* a command's as in its population, another's work */
    struct emlat_distribution metric[EMLAT_METRICS];
};

/* The commands of one name, where the recording has names.  */
struct emlat_named {
    uint64_t name; /* its STRING ID */
    uint64_t count, superseded;
    struct emlat_distribution latency; /* lower bounds, of those that were flushed */
    struct emlat_distribution work; /* dispatch to work end, without waits for a person; of all */
};

/* The roots of one kind that are no commands.  */
struct emlat_kind_summary {
    uint64_t count, total_ns, max_ns; /* dispatch to the end of their work */
};

struct emlat_loss {
    uint64_t records, bytes, entries;
    uint64_t t_first, t_last;
};

struct emlat_summary {
    struct emlat_population_summary population[EMLAT_POPULATIONS];
    struct emlat_distribution dwell; /* upper bounds; not in any latency */
    struct emlat_group *groups;      /* only with EMLAT_WITH_METRICS */
    size_t groups_count, groups_room;
    struct emlat_named *named; /* by name while gathered, then by their work in total, most first */
    size_t named_count, named_room;
    struct emlat_responses responses;
    struct emlat_verdict verdict;
    struct emlat_harmless harmless[EMLAT_KINDS_END]; /* slow, and nobody waited for it */
    struct emlat_distribution quit;                  /* a quit's request to its effect */
    uint64_t quality[EMLAT_QUALITIES_END]; /* of the flushed ones' latest arrival; 0: none */
    uint64_t commands, others, contradictory;
    struct emlat_kind_summary other[EMLAT_KINDS_END]; /* by root kind */
    uint64_t negative[EMLAT_METRICS];                 /* of all interactions: left out */
    uint64_t inside[EMLAT_METRICS];   /* the one happened inside the other: there is no duration */
    struct emlat_distribution person; /* the person's waits, of those that waited */
    uint64_t flushes_failed, flush_bytes_lost; /* of all interactions */
    bool counts_flushes;                       /* the host counts them */
    uint64_t seen_fields;                      /* presence bits that any command had */
    struct emlat_loss loss;
    uint64_t t_first, t_last; /* of all interactions; equal to 0 where there is none */
};

/* Every derived number of every group: 8 bytes each, which not every view needs.  */
enum { EMLAT_WITH_METRICS = 1 };

/* Walk READERS, COUNT files of one session in their order, to their ends.  FLAGS: what to gather
   beside the rest.  0, EMLAT_ENOMEM, or the error of a reader, whose problem says it; what was
   gathered before it stays good.  ON_SKIPPED, which may be null, is called for each chunk that was
   passed over, with the file's place among READERS.  */
int emlat_summarize(struct emlat_reader *const *readers, size_t count, unsigned flags,
                    struct emlat_summary *summary,
                    void (*on_skipped)(void *data, size_t file,
                                       const struct emlat_chunk_info *chunk),
                    void *data);
void emlat_summary_free(struct emlat_summary *summary);

#endif

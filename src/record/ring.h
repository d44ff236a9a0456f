/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The single-producer ring between a recording thread and the writer thread.
   doc/ring.md has its states, its races and every atomic with its partner; the rows that the
   comments name are there.  */
#ifndef EMLAT_RING_H
#define EMLAT_RING_H

#include "schema.h"

#include <emlat/emlat.h>
#include <stdatomic.h>

/* Losses that a producer counts, by REASON (EMLAT_REASON_ring_full, …).  */
enum { EMLAT_REASONS_END = 8 };

struct emlat_lost {
    _Atomic uint64_t records, bytes, first, last; /* producer's */
    _Atomic uint64_t reported;                    /* writer's: RECORDS that LOSS has told */
    uint64_t bytes_reported;                      /* writer's own */
};

struct emlat_shared {
    _Alignas(64) _Atomic uint64_t head; /* rows R1, R2: units ever published */
    _Atomic uint64_t clock_reads;
    _Alignas(64) _Atomic uint64_t tail; /* row R3: units ever given back */
    _Alignas(64) struct emlat_lost lost[EMLAT_REASONS_END];
    _Alignas(64) _Atomic uint32_t sleeping; /* row W1: of the whole session, in ring 0 only */
};

/* Make PRODUCER's NEXT and LIMIT of its HEAD and TAIL_SEEN.  Producer only.  */
void emlat_ring_ready(struct emlat_producer *producer);

/* Store RECORD, or count it as lost where it does not fit.  Producer only.  Hot.  */
void emlat_ring_put(struct emlat_producer *producer, const struct emlat_record *record, uint64_t t);

/* Store the span that the unit SPAN says, with its end at T, and its COUNTERS (a mask) as they are
   in VALUES, by number.  It has a cause.  Producer only.  Hot.  */
void emlat_ring_put_span(struct emlat_producer *producer, const struct emlat_unit *span,
                         uint64_t counters, const uint64_t *values, uint64_t t);

/* Count a record of BYTES, produced at T, as lost for REASON.  Producer only.  Hot.  */
void emlat_ring_lose(struct emlat_producer *producer, enum emlat_word reason, uint64_t bytes,
                     uint64_t t);

/* The writer's (or a test's) end.  Take the record at *AT, which is below the head, into RECORD,
   and move *AT past it.  Writer only.  */
void emlat_ring_take(const struct emlat_producer *producer, uint64_t *at,
                     struct emlat_record *record);

#endif

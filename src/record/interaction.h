/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The life of an interaction, as one state machine per producer.  doc/life.md draws it.  */
#ifndef EMLAT_INTERACTION_H
#define EMLAT_INTERACTION_H

#include "clock.h"
#include "input.h"
#include "ring.h"
#include "schema.h"

enum {
    EMLAT_ROOTS_OPEN_MAX = 32,
    EMLAT_SERVING_MAX = 8,
    EMLAT_INTERACTIONS_MAX =
        64, /* the two above, one that waits, and some that drain; a bit each */
    EMLAT_KINDS_MAX = 256,
};

/* free → open → (waiting → serving → | after →) draining → free; doc/life.md has every transition.
 */
enum emlat_interaction_state {
    EMLAT_FREE,
    EMLAT_ROOT_OPEN,
    EMLAT_WAITING,  /* its work is done, its display not yet decided */
    EMLAT_SERVING,  /* its display was decided and has not returned */
    EMLAT_AFTER,    /* its work is done; it owns the display until the host waits again */
    EMLAT_DRAINING, /* complete, but bytes of it are not flushed */
};

struct emlat_interaction {
    struct emlat_record record;
    uint64_t cause;
    uint32_t kind;
    enum emlat_interaction_state state;
    enum emlat_outcome outcome;
    bool display_begun; /* an attempt since the decision has begun */
    uint16_t epochs;    /* by place in the machine's EPOCHS: has bytes in it */
    uint64_t t_complete;
};

/* What the core itself counts, by the names of the host's counters; absent ones are not counted. */
struct emlat_own_counters {
    int displays, output_bytes, output_calls, flushes, flushes_empty, flushes_failed,
        flush_bytes_lost, output_ns, batch_bytes, run_delay;
};

/* Session-wide numbers that producers draw from.  */
struct emlat_numbers {
    _Atomic uint64_t cause, batch, display, epoch; /* the last one given */
};

/* What the session's vocabulary means to the machine.  */
struct emlat_kinds {
    uint32_t root_flags[EMLAT_KINDS_MAX], span_flags[EMLAT_KINDS_MAX];
    int16_t span_begin_field[EMLAT_KINDS_MAX], span_end_field[EMLAT_KINDS_MAX]; /* or -1 */
    uint32_t counter_operation[EMLAT_COUNTERS_MAX];
    uint64_t sums;                           /* mask of the counters that begin at 0 */
    uint64_t span_counters[EMLAT_KINDS_MAX]; /* by kind: mask of those that its spans carry */
    struct emlat_own_counters own;
};

/* Bytes written to a terminal and not flushed yet.  */
struct emlat_epoch {
    uint64_t terminal, id, t_begin, bytes;
};

/* What an open span's counters were when it began, in the order of its kind's mask.  */
struct emlat_counted {
    const struct emlat_interaction *of; /* whom the span is charged to; null: it carries none */
    uint64_t value[EMLAT_SPAN_COUNTERS_MAX];
};

struct emlat_machine {
    struct emlat_interaction pool[EMLAT_INTERACTIONS_MAX];
    uint64_t used;    /* by place in the pool: not free */
    uint64_t writing; /* by place in the pool: has bytes in an epoch that is open */
    struct emlat_interaction *open[EMLAT_ROOTS_OPEN_MAX];
    uint32_t open_count;
    struct emlat_interaction *waiting;
    struct {
        struct emlat_interaction *interaction;
        uint32_t roots; /* open when its display was decided */
    } serving[EMLAT_SERVING_MAX];
    uint32_t serving_count;
    struct emlat_interaction *after; /* owns the display until the host waits again, or null */
    uint32_t after_roots;            /* open when its work ended */
    uint64_t t_stale;                /* since then the screen lags behind the work, or 0 */
    struct emlat_epoch epochs[EMLAT_TERMINALS_MAX];
    struct emlat_counted counted[EMLAT_SPANS_OPEN_MAX]; /* by the depth of the span */
    struct emlat_input *input; /* the session's: whoever reads, another thread may dispatch */
    struct emlat_kinds *kinds;
    struct emlat_numbers *numbers;
    bool thread_cpu; /* reads of the CPU clock are within their budget */
    const uint64_t *virtual_cpu;
    int run_delay_fd;      /* see emlat_run_delay_open; 0: cannot be known */
    uint64_t run_delay_ns; /* as it was when the host last went to wait, or it was last charged */
};

static inline uint64_t emlat_number_next(_Atomic uint64_t *last)
{
    return 1 + atomic_fetch_add_explicit(last, 1, memory_order_relaxed);
}

/* Learn what the vocabulary's names mean.  EMLAT_EINVAL for a number out of range, or for a span's
   counter that is no sum.  */
int emlat_kinds_learn(struct emlat_kinds *kinds, const struct emlat_vocabulary *words);

/* The host is about to wait: what owned the display until now does so no more.  */
void emlat_machine_idle(struct emlat_producer *producer);

/* Everything that is open ends now, at T, as still open.  For a session's stop.  */
void emlat_machine_close(struct emlat_producer *producer, uint64_t t);

#endif

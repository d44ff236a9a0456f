/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Read batches and what they prove about when their bytes arrived.  */
#ifndef EMLAT_INPUT_H
#define EMLAT_INPUT_H

#include "schema.h"

#include <emlat/emlat.h>

enum {
    EMLAT_TERMINALS_MAX = 16,
    EMLAT_BATCHES_KEPT =
        4096, /* a power of two; a token of an older batch has no bounds any more */
};

struct emlat_batch {
    uint64_t id, terminal;
    uint64_t t_empty, t_ready, t_counted, t_begin, t_end; /* 0 absent */
    uint64_t counted, read;
    uint32_t empty_quality, ready_quality; /* EMLAT_QUALITY_… */
    bool first_after_empty;
};

/* What is known of a terminal's descriptor now.  */
struct emlat_descriptor {
    uint64_t terminal;
    uint64_t t_empty, t_ready; /* 0 absent; T_READY is later than T_EMPTY */
    uint32_t empty_quality, ready_quality;
    bool empty_since_read; /* seen empty after the last batch */
};

/* Of a session.  The host serializes its calls, whatever threads they come from.  */
struct emlat_input {
    struct emlat_descriptor descriptors[EMLAT_TERMINALS_MAX];
    struct emlat_batch batches[EMLAT_BATCHES_KEPT];
    uint64_t last_batch;
    uint64_t poll_wake_ns;
};

/* Bounds on when byte OFFSET of batch BATCH arrived, with what they rest on.  False where the batch
   is no longer kept.  A bound that is unknown is 0 with quality 0.  */
struct emlat_arrival {
    uint64_t t_earliest, t_latest;
    uint32_t earliest_quality, latest_quality;
    const struct emlat_batch *batch;
};
bool emlat_input_arrival(const struct emlat_input *input, uint64_t batch, uint64_t offset,
                         struct emlat_arrival *arrival);

#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   From the payload of a record chunk to records, by walking the field table.  Knows no file.  */
#ifndef EMLAT_RECORDS_H
#define EMLAT_RECORDS_H

#include "schema.h"
#include "wire.h"

/* Where decoding stands in a payload.  */
struct emlat_blocks {
    struct emlat_get get;
    enum emlat_record_type type;
    unsigned chunk_version;
    uint64_t left; /* records of the block that are still to come */
    uint64_t version, base, thread;
    /* What the payload has said so far, as in the encoder.  */
    uint64_t field[EMLAT_FIELDS_MAX], last[EMLAT_TYPES], counter[EMLAT_COUNTERS_MAX];
    struct emlat_shape shapes[EMLAT_SHAPES_MAX];
    uint32_t shapes_count;
    char why[128]; /* what is wrong, where a call said so */
};

void emlat_blocks_begin(struct emlat_blocks *blocks, enum emlat_record_type type, unsigned version,
                        const void *payload, size_t size);

/* The next record: 1, 0 at the payload's end, or EMLAT_ECORRUPT with WHY.  */
int emlat_blocks_next(struct emlat_blocks *blocks, struct emlat_record *record);

#endif

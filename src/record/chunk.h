/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   From records to whole chunks in memory.  Writer thread only.  */
#ifndef EMLAT_CHUNK_H
#define EMLAT_CHUNK_H

#include "schema.h"
#include "wire.h"

enum {
    EMLAT_BLOCK_RECORDS_MAX = 64,
    /* A record takes at most its shape, its fields (a range three), and the counters.  */
    EMLAT_RECORD_BYTES_MAX =
        (4 + EMLAT_SHAPE_VALUES_MAX + EMLAT_FIELDS_MAX + 4 + 1 + EMLAT_COUNTERS_MAX) *
        EMLAT_LEB128_MAX,
    EMLAT_BLOCK_BYTES_MAX = 4 * EMLAT_LEB128_MAX + EMLAT_BLOCK_RECORDS_MAX * EMLAT_RECORD_BYTES_MAX,
};

/* What a payload has said so far: the last values, and the shapes.  */
struct emlat_said {
    uint64_t base, field[EMLAT_FIELDS_MAX], type[EMLAT_TYPES], counter[EMLAT_COUNTERS_MAX];
    struct emlat_shape shapes[EMLAT_SHAPES_MAX];
    uint32_t shapes_count;
};

/* A chunk that is being formed from records of one type.  */
struct emlat_chunk {
    enum emlat_record_type type;
    uint8_t *payload; /* room for the wanted size, a block that passes it, and one more */
    size_t size;      /* bytes of whole blocks */
    uint64_t records; /* in whole blocks and in the block below */
    /* The block that is being gathered; its base is known only when it is whole.  */
    struct emlat_record *block; /* EMLAT_BLOCK_RECORDS_MAX of them */
    uint32_t block_records;
    uint64_t block_thread, block_least, block_most;
    struct emlat_said said;
};

/* Add RECORD of THREAD.  */
void emlat_chunk_add(struct emlat_chunk *chunk, const struct emlat_record *record, uint64_t thread);

/* Begin anew, with an empty payload.  */
void emlat_chunk_clear(struct emlat_chunk *chunk);

/* Encode what is gathered: the payload is whole after it.  */
void emlat_chunk_finish_block(struct emlat_chunk *chunk);

/* The 40 bytes before PAYLOAD of SIZE.  */
void emlat_chunk_header(uint8_t header[EMLAT_CHUNK_HEADER_BYTES], unsigned type, unsigned version,
                        uint64_t sequence, const void *payload, size_t size);

/* The 64 bytes at a file's begin.  */
struct emlat_file_header {
    uint8_t uuid[16];
    uint64_t sequence, realtime_ns, monotonic_ns;
};
void emlat_file_header(uint8_t header[EMLAT_FILE_HEADER_BYTES], const struct emlat_file_header *is);

#endif

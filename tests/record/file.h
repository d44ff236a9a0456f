/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   What a finished file holds, counted by a small decoder of the tests' own, which fails the test at
   the first byte that is not as it should be.  */
#ifndef EMLAT_TEST_FILE_H
#define EMLAT_TEST_FILE_H

#include "crc32c.h"
#include "fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct tally {
    uint64_t records[EMLAT_RECORD_TYPES];
    uint64_t lost[EMLAT_REASONS_END]; /* what LOSS says, by reason */
    uint64_t sequence;                /* of the file */
    uint64_t size, chunks;
    uint64_t span_sum; /* over span IDs, modulo 2^64 */
};

static inline void tally_block(struct tally *tally, unsigned type, struct emlat_get *get)
{
    const struct emlat_schema *schema = &emlat_schemas[type];
    uint64_t last[EMLAT_FIELDS_MAX] = {0};
    assert_int_equal(emlat_get_u(get), schema->version);
    uint64_t base = emlat_get_u(get);
    emlat_get_u(get); /* thread */
    uint64_t count = emlat_get_u(get);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value[EMLAT_FIELDS_MAX] = {0};
        uint64_t present = emlat_get_u(get);
        for (unsigned k = 0; k < schema->fields_count; k++) {
            if (!(present >> k & 1))
                continue;
            switch (emlat_type_coding(schema->fields[k].type)) {
            case EMLAT_PLAIN: value[k] = emlat_get_u(get); break;
            case EMLAT_BASE: value[k] = base + emlat_get_u(get); break;
            case EMLAT_CHAIN: value[k] = last[k] += (uint64_t)emlat_get_s(get); break;
            case EMLAT_CHAIN_ALL: emlat_get_s(get); break;
            case EMLAT_RANGE:
                emlat_get_s(get);
                emlat_get_u(get);
                emlat_get_u(get);
                break;
            case EMLAT_COUNTERS:
                for (uint64_t left = emlat_get_u(get); left; left &= left - 1)
                    emlat_get_u(get);
                break;
            case EMLAT_BLOCK:
            case EMLAT_COMPUTED:
            case EMLAT_TEXT: break;
            }
        }
        assert_false(get->failed);
        tally->records[type]++;
        if (type == EMLAT_SPAN)
            tally->span_sum += value[EMLAT_SPAN_span_id];
        if (type == EMLAT_LOSS) {
            assert_true(value[EMLAT_LOSS_reason] < EMLAT_REASONS_END);
            assert_true(value[EMLAT_LOSS_t_first] <= value[EMLAT_LOSS_t_last]);
            assert_true(value[EMLAT_LOSS_records] > 0);
            tally->lost[value[EMLAT_LOSS_reason]] += value[EMLAT_LOSS_records];
        }
    }
}

/* Add the file at PATH to TALLY: header and chunks are whole, checked and in sequence.  */
static inline void tally_file(struct tally *tally, const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &status), 0);
    size_t size = (size_t)status.st_size;
    uint8_t *bytes = malloc(size + 1);
    assert_non_null(bytes);
    assert_int_equal(read(fd, bytes, size), size);
    close(fd);
    assert_true(size >= EMLAT_FILE_HEADER_BYTES);
    assert_memory_equal(bytes, EMLAT_FILE_MAGIC, 8);
    struct emlat_get get = emlat_get_from(bytes + 32, size - 32);
    tally->sequence = emlat_get_le(&get, 8);
    tally->size += size;
    get = emlat_get_from(bytes + EMLAT_FILE_HEADER_BYTES, size - EMLAT_FILE_HEADER_BYTES);
    uint64_t previous = 0;
    while (emlat_get_left(&get)) {
        const uint8_t *header = emlat_get_bytes(&get, EMLAT_CHUNK_HEADER_BYTES);
        assert_non_null(header);
        assert_memory_equal(header, EMLAT_CHUNK_MAGIC, 4);
        struct emlat_get fields = emlat_get_from(header + 4, EMLAT_CHUNK_HEADER_BYTES - 4);
        unsigned type = (unsigned)emlat_get_le(&fields, 2);
        emlat_get_le(&fields, 2);
        emlat_get_le(&fields, 4);
        assert_int_equal(emlat_get_le(&fields, 4), EMLAT_CHUNK_HEADER_BYTES);
        uint64_t length = emlat_get_le(&fields, 4);
        emlat_get_le(&fields, 4);
        uint64_t sequence = emlat_get_le(&fields, 8);
        uint64_t crc = emlat_get_le(&fields, 4);
        assert_true(!previous || sequence == previous + 1);
        previous = sequence;
        const uint8_t *payload = emlat_get_bytes(&get, length);
        assert_non_null(payload);
        assert_non_null(emlat_get_bytes(&get, (8 - length % 8) % 8));
        assert_int_equal(emlat_crc32c(0, payload, length), crc);
        tally->chunks++;
        for (unsigned record = 0; record < EMLAT_RECORD_TYPES; record++) {
            struct emlat_get block = emlat_get_from(payload, length);
            while (emlat_schemas[record].chunk == type && emlat_get_left(&block))
                tally_block(tally, record, &block);
            assert_false(block.failed);
        }
    }
    assert_false(get.failed);
    free(bytes);
}

#endif

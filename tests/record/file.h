/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   What a finished file holds, counted.  Any damage, gap or unknown chunk fails the test.  */
#ifndef EMLAT_TEST_FILE_H
#define EMLAT_TEST_FILE_H

#include "fixture.h"
#include "reader.h"

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

static inline void tally_record(struct tally *tally, const struct emlat_record *record)
{
    const uint64_t *value = record->value;
    tally->records[record->type]++;
    if (record->type == EMLAT_SPAN)
        tally->span_sum += value[EMLAT_SPAN_span_id];
    if (record->type == EMLAT_LOSS) {
        assert_true(value[EMLAT_LOSS_reason] < EMLAT_REASONS_END);
        assert_true(value[EMLAT_LOSS_t_first] <= value[EMLAT_LOSS_t_last]);
        assert_true(value[EMLAT_LOSS_records] > 0);
        tally->lost[value[EMLAT_LOSS_reason]] += value[EMLAT_LOSS_records];
    }
}

/* Add the file at PATH to TALLY.  */
static inline void tally_file(struct tally *tally, const char *path)
{
    struct emlat_reader *reader;
    struct emlat_item item;
    assert_int_equal(emlat_reader_open(&reader, path), 0);
    do {
        assert_int_equal(emlat_reader_next(reader, &item), 0);
        if (item.kind == EMLAT_ITEM_RECORD)
            tally_record(tally, item.record);
    } while (item.kind != EMLAT_ITEM_END);
    const struct emlat_reader_counts *counts = emlat_reader_counts(reader);
    assert_int_equal(counts->skipped_chunks, 0);
    assert_int_equal(counts->sequence_gaps, 0);
    tally->sequence = emlat_reader_file(reader)->sequence;
    tally->size += counts->bytes;
    tally->chunks += counts->chunks;
    emlat_reader_close(reader);
}

#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The reader against forged files: what was encoded comes back, and every kind of damage is said
   and costs nothing of what lies before it.  */
#include "crc32c.h"
#include "forge.h"
#include "reader.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/emlat-test-XXXXXX";
static struct forge forge;

static int make_path(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

/* What reading PATH comes to.  */
struct outcome {
    int error;
    struct emlat_problem problem;
    struct emlat_reader_counts counts;
    uint32_t digest; /* of all records and strings */
};

static uint32_t digest_item(uint32_t crc, const struct emlat_item *item)
{
    if (item->kind == EMLAT_ITEM_STRING)
        return emlat_crc32c(crc, item->string, item->string_length);
    if (item->kind != EMLAT_ITEM_RECORD)
        return crc;
    crc = emlat_crc32c(crc, &item->record->present, sizeof item->record->present);
    for (unsigned i = 0; i < EMLAT_FIELDS_MAX; i++)
        if (emlat_record_has(item->record, i))
            crc = emlat_crc32c(crc, &item->record->value[i], sizeof(uint64_t));
    return crc;
}

static struct outcome read_all(void)
{
    struct outcome outcome = {0};
    struct emlat_reader *reader;
    struct emlat_item item;
    outcome.error = emlat_reader_open(&reader, path);
    while (!outcome.error && !(outcome.error = emlat_reader_next(reader, &item)) &&
           item.kind != EMLAT_ITEM_END)
        outcome.digest = digest_item(outcome.digest, &item);
    if (outcome.error) /* it stays */
        assert_int_equal(emlat_reader_next(reader, &item), outcome.error);
    outcome.problem = *emlat_reader_problem(reader);
    outcome.counts = *emlat_reader_counts(reader);
    assert_int_equal(outcome.problem.code, outcome.error);
    if (outcome.error)
        assert_true(*outcome.problem.message);
    emlat_reader_close(reader);
    return outcome;
}

static struct outcome read_forged(void)
{
    assert_true(forge_save(&forge, path));
    return read_all();
}

static void expect(int error, const char *message)
{
    struct outcome outcome = read_forged();
    assert_int_equal(outcome.error, error);
    if (!strstr(outcome.problem.message, message))
        fail_msg("'%s' is not in '%s'", message, outcome.problem.message);
}

static void records_come_back(void **state)
{
    enum { COUNT = 300 };
    struct emlat_record *wanted = calloc(COUNT, sizeof *wanted);
    (void)state;
    assert_non_null(wanted);
    for (unsigned type = 0; type < EMLAT_RECORD_TYPES; type++) {
        struct emlat_reader *reader;
        struct emlat_item item;
        unsigned n = 0;
        forge_begin(&forge);
        forge_session(&forge);
        forge_records(&forge, (enum emlat_record_type)type, COUNT, type + 1, wanted);
        assert_true(forge_save(&forge, path));
        assert_int_equal(emlat_reader_open(&reader, path), 0);
        while (emlat_reader_next(reader, &item) == 0 && item.kind != EMLAT_ITEM_END) {
            if (item.kind != EMLAT_ITEM_RECORD)
                continue;
            const struct emlat_record *want = &wanted[n++];
            assert_int_equal(item.record->type, type);
            assert_true(item.record->present == want->present);
            assert_true(item.record->counters_present == want->counters_present);
            for (unsigned i = 0; i < EMLAT_FIELDS_MAX; i++)
                if (emlat_record_has(want, i))
                    assert_true(item.record->value[i] == want->value[i]);
            for (unsigned i = 0; i < EMLAT_COUNTERS_MAX; i++)
                if (want->counters_present >> i & 1)
                    assert_true(item.record->counter[i] == want->counter[i]);
        }
        assert_int_equal(emlat_reader_problem(reader)->code, 0);
        assert_int_equal(n, COUNT);
        assert_int_equal(emlat_reader_counts(reader)->records[type], COUNT);
        emlat_reader_close(reader);
    }
    free(wanted);
}

/* What doc/format.md shows byte by byte.  */
static void the_documents_example(void **state)
{
    static const char payload[] = "\x01\xe8\x07\x01\x02"
                                  "\x00\x79\x10\x02\x04\xac\x02"
                                  "\x00\x59\x00\x01\x7e\x14"
                                  "\x01\xc8\x01\x01\x01"
                                  "\x01\x02\x07";
    static const uint64_t wanted[3][4] = {
        {5, 2, 1000, 300}, {4, 1, 1020, UINT64_MAX}, {7, 2, 1200, 7}};
    struct emlat_reader *reader;
    struct emlat_item item;
    unsigned n = 0;
    (void)state;
    forge_begin(&forge);
    forge_chunk(&forge, 5, 1, payload, sizeof payload - 1);
    assert_true(forge_save(&forge, path));
    assert_int_equal(emlat_reader_open(&reader, path), 0);
    while (emlat_reader_next(reader, &item) == 0 && item.kind != EMLAT_ITEM_END) {
        if (item.kind != EMLAT_ITEM_RECORD)
            continue;
        const uint64_t *value = item.record->value;
        assert_int_equal(value[EMLAT_SPAN_span_id], wanted[n][0]);
        assert_int_equal(value[EMLAT_SPAN_kind], wanted[n][1]);
        assert_int_equal(value[EMLAT_SPAN_t_begin], wanted[n][2]);
        assert_int_equal(value[EMLAT_SPAN_thread_id], 1);
        if (wanted[n][3] == UINT64_MAX)
            assert_false(emlat_record_has(item.record, EMLAT_SPAN_wall_ns));
        else
            assert_int_equal(value[EMLAT_SPAN_wall_ns], wanted[n][3]);
        n++;
    }
    assert_int_equal(emlat_reader_problem(reader)->code, 0);
    assert_int_equal(n, 3);
    emlat_reader_close(reader);
}

/* A shape has room for the values of each record's fields that lie in it.  */
static void shapes_have_room(void **state)
{
    (void)state;
    for (unsigned type = 0; type < EMLAT_RECORD_TYPES; type++) {
        unsigned values = 0;
        for (unsigned i = 0; i < emlat_schemas[type].fields_count; i++)
            values += emlat_type_coding(emlat_schemas[type].fields[i].type) == EMLAT_SHAPE;
        assert_true(values <= EMLAT_SHAPE_VALUES_MAX);
    }
}

static void session_comes_back(void **state)
{
    struct emlat_reader *reader;
    struct emlat_item item;
    (void)state;
    forge_begin(&forge);
    forge_session(&forge);
    forge_chunk(&forge, EMLAT_SESSION_CHUNK, 1, "\1\1\5rings\0\7\0", 11);
    assert_true(forge_save(&forge, path));
    assert_int_equal(emlat_reader_open(&reader, path), 0);
    while (emlat_reader_next(reader, &item) == 0 && item.kind != EMLAT_ITEM_END)
        ;
    assert_int_equal(emlat_reader_problem(reader)->code, 0);
    assert_string_equal(emlat_reader_attribute(reader, "host")->text, "a \"host\"\n");
    assert_int_equal(emlat_reader_attribute(reader, "rings")->number, 7); /* the later one */
    assert_null(emlat_reader_attribute(reader, "absent"));
    assert_string_equal(emlat_reader_word(reader, EMLAT_CLASS_ROOT, 1)->name, "tty_command");
    assert_string_equal(emlat_reader_word(reader, EMLAT_CLASS_COUNTER, 0)->unit, "ünits");
    assert_null(emlat_reader_word(reader, EMLAT_CLASS_SPAN, 1));
    assert_int_equal(emlat_reader_file(reader)->monotonic_ns, 5000);
    emlat_reader_close(reader);
}

static void whole_sample(void)
{
    forge_begin(&forge);
    forge_session(&forge);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned type = 0; type < EMLAT_RECORD_TYPES; type++)
            forge_records(&forge, (enum emlat_record_type)type, 2, 100 + i, NULL);
}

static void a_cut_costs_only_what_it_cuts(void **state)
{
    enum { CUTS = 1000 };
    (void)state;
    forge_begin(&forge);
    forge_session(&forge);
    for (unsigned i = 0; i < 40; i++)
        forge_records(&forge, (enum emlat_record_type)(i % EMLAT_RECORD_TYPES), 1 + i % 7, i, NULL);
    assert_true(forge.size > CUTS);
    assert_true(forge_save(&forge, path));
    for (size_t i = CUTS; i-- > 0;) {
        size_t cut = forge.size * i / CUTS, wanted = 0;
        bool at_end = cut == EMLAT_FILE_HEADER_BYTES;
        assert_int_equal(truncate(path, (off_t)cut), 0);
        for (size_t k = 0; k < forge.chunks; k++) {
            wanted += forge.payload_end[k] <= cut;
            at_end |= forge.end[k] == cut;
        }
        struct outcome outcome = read_all();
        assert_int_equal(outcome.counts.chunks, wanted);
        assert_int_equal(outcome.error, at_end ? 0 : cut ? EMLAT_ETRUNCATED : EMLAT_EEMPTY);
    }
}

/* Bytes that no CRC covers and that a reader ignores.  */
static bool ignored(size_t at)
{
    if (at < EMLAT_FILE_HEADER_BYTES)
        return at >= 60;
    for (size_t i = 0; i < forge.chunks; i++)
        if (at >= forge.payload_end[i] && at < forge.end[i])
            return true;
    return false;
}

static void every_flipped_bit_is_reported(void **state)
{
    (void)state;
    whole_sample();
    struct outcome whole = read_forged();
    assert_int_equal(whole.error, 0);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    for (size_t at = 0; at < forge.size; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            uint8_t byte = (uint8_t)(forge.bytes[at] ^ 1u << bit);
            assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
            struct outcome outcome = read_all();
            size_t before = 0;
            for (size_t k = 0; k < forge.chunks; k++)
                before += forge.end[k] <= at;
            if (ignored(at))
                assert_true(outcome.error == 0 && outcome.digest == whole.digest);
            else
                assert_true(outcome.error && outcome.counts.chunks == before);
        }
        assert_int_equal(pwrite(fd, &forge.bytes[at], 1, (off_t)at), 1);
    }
    close(fd);
}

/* Damage whose CRC is right: only the decoder can find it.  */
static void every_flipped_payload_bit_with_a_good_crc_is_survived(void **state)
{
    static struct forge original;
    (void)state;
    whole_sample();
    original = forge;
    for (size_t k = 0; k < original.chunks; k++) {
        size_t begin = k ? original.end[k - 1] : EMLAT_FILE_HEADER_BYTES;
        size_t payload = begin + EMLAT_CHUNK_HEADER_BYTES, size = original.payload_end[k] - payload;
        const uint8_t *header = original.bytes + begin;
        for (size_t bit = 0; bit < 8 * size; bit++) {
            forge.bytes[payload + bit / 8] ^= (uint8_t)(1u << bit % 8);
            emlat_chunk_header(forge.bytes + begin, header[4], header[6], k + 1,
                               forge.bytes + payload, size);
            struct outcome outcome = read_forged();
            /* Either it still decodes, or all before it does and nothing of it is given.  */
            if (outcome.error && outcome.problem.chunk == k + 1)
                assert_int_equal(outcome.counts.chunks, k);
            forge.bytes[payload + bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        memcpy(forge.bytes + begin, header, EMLAT_CHUNK_HEADER_BYTES);
    }
}

static void foreign_files_are_named(void **state)
{
    (void)state;
    struct emlat_reader *reader;
    assert_int_equal(emlat_reader_open(&reader, "/nonexistent/x.emlat"), EMLAT_EOPEN);
    assert_string_equal(emlat_reader_problem(reader)->message, "No such file or directory");
    emlat_reader_close(reader);
    assert_int_equal(emlat_reader_open(&reader, "/tmp"), EMLAT_ENOTREG);
    emlat_reader_close(reader);
    forge.size = 0;
    expect(EMLAT_EEMPTY, "empty");
    memcpy(forge.bytes, "#!/bin/sh\n", forge.size = 10);
    expect(EMLAT_EMAGIC, "expected 45 4d 4c 41 54 00 0d 0a");
    memcpy(forge.bytes, "EM", forge.size = 2);
    expect(EMLAT_ETRUNCATED, "2 of 64");
    forge_begin(&forge);
    forge.bytes[8] = 2;
    expect(EMLAT_ECORRUPT, "header CRC32C");
    struct emlat_put put = emlat_put_to(forge.bytes + 56, 4);
    emlat_put_le(&put, emlat_crc32c(0, forge.bytes, 56), 4);
    expect(EMLAT_EVERSION, "format 2.0");
}

static void newer_chunks_are_skipped(void **state)
{
    (void)state;
    forge_begin(&forge);
    forge_session(&forge);
    forge_chunk(&forge, 99, 1, "unknown", 7);
    forge_chunk(&forge, EMLAT_STRING_CHUNK, 2, "newer", 5);
    forge_chunk(&forge, 0xffff, 9, NULL, 0);
    forge_records(&forge, EMLAT_SPAN, 3, 1, NULL);
    struct outcome outcome = read_forged();
    assert_int_equal(outcome.error, 0);
    assert_int_equal(outcome.counts.chunks, 6);
    assert_int_equal(outcome.counts.skipped_chunks, 3);
    assert_int_equal(outcome.counts.skipped_bytes, 12);
    assert_int_equal(outcome.counts.records[EMLAT_SPAN], 3);
    /* Compressed: the flags say so, and the CRC is of what we cannot make.  */
    uint8_t *header = forge.bytes + forge.end[4];
    header[8] = 1;
    header[20] ^= 0xff;
    memset(header + 36, 0, 4);
    struct emlat_put put = emlat_put_to(header + 36, 4);
    emlat_put_le(&put, emlat_crc32c(0, header, 40), 4);
    outcome = read_forged();
    assert_int_equal(outcome.error, 0);
    assert_int_equal(outcome.counts.skipped_chunks, 4);
    assert_int_equal(outcome.counts.records[EMLAT_SPAN], 0);
}

static void impossible_payloads_are_refused(void **state)
{
    static const struct {
        unsigned type;
        size_t size;
        const char *payload, *message;
    } cases[] = {
        {5, 4, "\2\0\0\0", "schema version 2"},
        {5, 4, "\1\0\0\5", "claims 5 records"},
        {5, 6, "\1\0\0\1\x80\x80", "runs past"},
        {5, 9, "\1\0\0\1\0\x80\x80\1\0", "presence bit 14"},
        {4, 11, "\1\0\0\1\0\x80\4\0\1\0\0", "first_source"},
        {4, 10, "\1\0\0\1\0\x80\4\0\1\0", "runs past"},
        {4, 11, "\1\0\0\1\0\x80\4\0\0\0\0", "first_source"},
        {5, 5, "\1\0\0\1\3", "shape 3 of 0"},
        {5, 7, "\1\0\0\1\0\1\2", "does not have"},
        {4, 9, "\1\0\0\1\0\x80\4\x80\4", "first_source cannot be called the same"},
        {5, 10, "\1\0\0\1\0\x80\x8\0\1\2", "counters 0x2 change, of 0x1"},
        {2, 2, "\1\5", "more entries"},
        {2, 4, "\1\1\0\0", "string ID"},
        {2, 8, "\1\2\1\1a\1\1b", "string ID"},
        {2, 4, "\1\0xx", "past its entries"},
        {1, 3, "\1\x90\4", "attributes"},
        {1, 6, "\1\1\1x\2\0", "type past 1"},
        {1, 8, "\1\0\1\1\1\x63\0\0", "not defined"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        forge_begin(&forge);
        forge_chunk(&forge, cases[i].type, 1, cases[i].payload, cases[i].size);
        if (i == 4) /* a valid one, as a measure of the next */
            assert_int_equal(read_forged().error, 0);
        else
            expect(EMLAT_ECORRUPT, cases[i].message);
    }
    forge_begin(&forge);
    forge_session(&forge);
    forge.sequence = 1;
    forge_chunk(&forge, 99, 1, "x", 1);
    expect(EMLAT_ECORRUPT, "sequence 2 follows 2");
    forge_begin(&forge);
    forge_session(&forge);
    forge.sequence = 12;
    forge_chunk(&forge, 99, 1, "x", 1);
    assert_int_equal(read_forged().counts.sequence_gaps, 10);
}

static void large_claims_take_no_memory(void **state)
{
    (void)state;
    forge_begin(&forge);
    forge_chunk(&forge, 99, 1, "x", 1);
    uint8_t *header = forge.bytes + EMLAT_FILE_HEADER_BYTES;
    memset(header + 16, 0xff, 8);
    memset(header + 36, 0, 4);
    struct emlat_put put = emlat_put_to(header + 36, 4);
    emlat_put_le(&put, emlat_crc32c(0, header, 40), 4);
    expect(EMLAT_ECORRUPT, "payload is 4294967295 bytes, expected at most 16777216");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_back),
        cmocka_unit_test(the_documents_example),
        cmocka_unit_test(shapes_have_room),
        cmocka_unit_test(session_comes_back),
        cmocka_unit_test(a_cut_costs_only_what_it_cuts),
        cmocka_unit_test(every_flipped_bit_is_reported),
        cmocka_unit_test(every_flipped_payload_bit_with_a_good_crc_is_survived),
        cmocka_unit_test(foreign_files_are_named),
        cmocka_unit_test(newer_chunks_are_skipped),
        cmocka_unit_test(impossible_payloads_are_refused),
        cmocka_unit_test(large_claims_take_no_memory),
    };
    return cmocka_run_group_tests_name("reader", tests, make_path, remove_path);
}

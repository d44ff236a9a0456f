/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The ring between a producer and the writer: what does not fit is counted, what fits comes out as
   it went in.  doc/ring.md's rows R1 to R3, L1, L2 and P1.  */
#include "file.h"

#include <pthread.h>

static void span(struct fixture *f, uint64_t t)
{
    emlat_span_end_at(&f->producer, emlat_span_begin_at(&f->producer, SPAN_PLAIN, t), t + 1);
}

static void overflow(void **state)
{
    struct fixture *f = *state;
    struct emlat_lost *lost = &f->shared.lost[EMLAT_REASON_ring_full];
    for (uint64_t i = 0; i < UNITS + 476; i++)
        span(f, i * 10);
    assert_int_equal(lost->records, 476);
    assert_int_equal(lost->bytes, 476 * 64);
    assert_int_equal(lost->first, UNITS * 10 + 1); /* its end: that is when it was lost */
    assert_int_equal(lost->last, (UNITS + 475) * 10 + 1);
    for (uint64_t i = 0; i < UNITS; i++) {
        struct emlat_record record = take(f);
        SPAN_IS(record, span_id, i + 1);
        SPAN_IS(record, t_begin, i * 10);
    }
    expect_no_more(f);
    span(f, 90000); /* there is room again (R3) */
    struct emlat_record record = take(f);
    SPAN_IS(record, span_id, UNITS + 477); /* the lost ones took IDs too */
    assert_int_equal(lost->records, 476);
}

/* L2: what is lost before the writer's report and after it are two stretches.  */
static void stretches(void **state)
{
    struct fixture *f = *state;
    struct emlat_lost *lost = &f->shared.lost[EMLAT_REASON_too_deep];
    emlat_ring_lose(&f->producer, EMLAT_REASON_too_deep, 64, 100);
    emlat_ring_lose(&f->producer, EMLAT_REASON_too_deep, 64, 200);
    assert_int_equal(lost->first, 100);
    assert_int_equal(lost->last, 200);
    atomic_store(&lost->reported, 1); /* the report came between the two */
    emlat_ring_lose(&f->producer, EMLAT_REASON_too_deep, 64, 300);
    assert_int_equal(lost->first, 100);
    atomic_store(&lost->reported, 3);
    emlat_ring_lose(&f->producer, EMLAT_REASON_too_deep, 64, 400);
    assert_int_equal(lost->first, 400);
    assert_int_equal(lost->last, 400);
    assert_int_equal(lost->records, 4);
}

/* Record number I: of every size from 1 unit to 15, and some spans.  */
static struct emlat_record made(uint64_t i)
{
    struct emlat_record record = {.type = EMLAT_INTERACTION};
    for (unsigned k = 0; k < i % 50; k++)
        emlat_record_set(&record, k, i * 100 + k);
    for (unsigned k = 0; k < i % (EMLAT_COUNTERS_MAX + 1); k++)
        emlat_record_add(&record, k, i * 1000 + k);
    return record;
}

static void wrap_around(void **state)
{
    struct fixture *f = *state;
    enum { RECORDS = 5000, LAG = 60 };
    for (uint64_t i = 0; i < RECORDS + LAG; i++) {
        struct emlat_record record = made(i);
        if (i < RECORDS)
            emlat_ring_put(&f->producer, &record, i);
        if (i < LAG)
            continue;
        struct emlat_record is = take(f), was = made(i - LAG);
        assert_int_equal(is.type, was.type);
        assert_int_equal(is.present, was.present);
        assert_int_equal(is.counters_present, was.counters_present);
        for (unsigned k = 0; k < EMLAT_FIELDS_MAX; k++)
            assert_int_equal(field(&is, k), field(&was, k));
        for (unsigned k = 0; k < EMLAT_COUNTERS_MAX; k++)
            assert_int_equal(counter(&is, k), counter(&was, k));
    }
    expect_no_more(f);
    assert_true(f->taken > 10 * UNITS);
    assert_int_equal(f->shared.lost[EMLAT_REASON_ring_full].records, 0);
}

/* A record of several units either fits as a whole or is lost as a whole.  */
static void nearly_full(void **state)
{
    struct fixture *f = *state;
    struct emlat_record large = made(28); /* 28 fields, 28 counters: 60 words, 8 units */
    for (uint64_t i = 0; i < UNITS - 7; i++)
        span(f, i);
    emlat_ring_put(&f->producer, &large, 5000);
    assert_int_equal(f->shared.lost[EMLAT_REASON_ring_full].records, 1);
    assert_int_equal(f->shared.lost[EMLAT_REASON_ring_full].bytes, 8 * 64);
    take(f);
    emlat_ring_put(&f->producer, &large, 5001);
    assert_int_equal(f->shared.lost[EMLAT_REASON_ring_full].records, 1);
    for (uint64_t i = 0; i < UNITS - 8; i++)
        take(f);
    struct emlat_record record = take(f);
    assert_int_equal(record.present, large.present);
    assert_int_equal(record.counter[7], large.counter[7]);
    expect_no_more(f);
}

/* ---- With the writer --------------------------------------------------------------------------
 */

enum { THREADS = 2, SPANS_EACH = 100000 };

static void *produce(void *argument)
{
    struct emlat_producer *producer;
    if (emlat_producer_join(argument, &producer) != 0)
        return NULL;
    for (int i = 0; i < SPANS_EACH; i++) {
        emlat_span_end(producer, emlat_span_begin(producer, SPAN_PLAIN));
        if (i % 1000 == 0)
            emlat_idle(producer);
        if (i % 20000 == 0) {
            emlat_producer_leave(producer); /* P1: a handover, to whom it may be */
            if (emlat_producer_join(argument, &producer) != 0)
                return NULL;
        }
    }
    emlat_producer_leave(producer);
    return argument;
}

/* Two producers and the writer, through the smallest rings: kept + lost = produced.
   Meant for ThreadSanitizer as well.  */
static void two_threads(void **state)
{
    (void)state;
    char folder[] = "/tmp/emlat-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.emlat", folder);
    struct emlat_options options;
    emlat_options_default(&options);
    options.path = path;
    options.words = &words;
    options.producers = THREADS;
    options.ring_bytes = 64 << 10;
    options.chunk_bytes = 4 << 10;
    options.chunk_interval_ns = 1000000;
    struct emlat_session *session;
    assert_int_equal(emlat_start(&options, &session), 0);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, produce, session), 0);
    for (int i = 0; i < 50; i++) {
        struct emlat_status status;
        emlat_status(session, &status);
        assert_true(status.ring_waiting <= THREADS * options.ring_bytes);
    }
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_non_null(result);
    }
    assert_int_equal(emlat_stop(session, 30000000000u), 0);
    struct tally tally = {{0}};
    tally_file(&tally, path);
    assert_true(tally.records[EMLAT_SPAN] > 0);
    assert_int_equal(tally.records[EMLAT_SPAN] + tally.lost[EMLAT_REASON_ring_full],
                     THREADS * SPANS_EACH);
    unlink(path);
    rmdir(folder);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(overflow),
        CASE(stretches),
        CASE(wrap_around),
        CASE(nearly_full),
        cmocka_unit_test(two_threads),
    };
    return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   What the tests of src/record share: a producer without a writer thread, whose ring the test
   itself reads, on a clock that the test itself sets.  */
#ifndef EMLAT_TEST_FIXTURE_H
#define EMLAT_TEST_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "session.h"

#define ABSENT UINT64_MAX

enum { COMMAND = 1, TIMER = 2, SHOWING = 3 };                              /* root kinds */
enum { SPAN_COMMAND = 1, SPAN_PRE = 2, SPAN_PLAIN = 3, SPAN_COUNTED = 4 }; /* span kinds */
enum {
    DISPLAYS,
    OUTPUT_BYTES,
    OUTPUT_CALLS,
    FLUSHES,
    FLUSHES_EMPTY,
    FLUSHES_FAILED,
    BYTES_LOST,
    OUTPUT_NS,
    SUMMED,
    LAST,
    BATCH_BYTES,
    RUN_DELAY,
};

static const struct emlat_word_row roots[] = {{COMMAND, EMLAT_ROOT_COMMAND, "command", ""},
                                              {TIMER, 0, "timer", ""},
                                              {SHOWING, EMLAT_ROOT_DISPLAYS, "showing", ""}};
static const struct emlat_word_row spans[] = {{SPAN_COMMAND, EMLAT_SPAN_STAMPS, "command", ""},
                                              {SPAN_PRE, EMLAT_SPAN_STAMPS, "pre_command", ""},
                                              {SPAN_PLAIN, 0, "plain", ""},
                                              {SPAN_COUNTED, 0, "counted", ""}};
static const struct emlat_word_row counters[] = {
    {DISPLAYS, EMLAT_COUNTER_SUM, "redisplays", ""},
    {OUTPUT_BYTES, EMLAT_COUNTER_SUM, "output_bytes", "bytes"},
    {OUTPUT_CALLS, EMLAT_COUNTER_SUM, "output_calls", ""},
    {FLUSHES, EMLAT_COUNTER_SUM, "flushes", ""},
    {FLUSHES_EMPTY, EMLAT_COUNTER_SUM, "flushes_empty", ""},
    {FLUSHES_FAILED, EMLAT_COUNTER_SUM, "flushes_failed", ""},
    {BYTES_LOST, EMLAT_COUNTER_SUM, "flush_bytes_lost", "bytes"},
    {OUTPUT_NS, EMLAT_COUNTER_SUM, "output_ns", "ns"},
    {SUMMED, EMLAT_COUNTER_SUM, "summed", ""},
    {LAST, EMLAT_COUNTER_LAST, "last", ""},
    {BATCH_BYTES, EMLAT_COUNTER_LAST, "batch_bytes", "bytes"},
    {RUN_DELAY, EMLAT_COUNTER_LAST, "run_delay_ns", "ns"},
};
static const struct emlat_span_counters counted[] = {
    {SPAN_COUNTED, (uint64_t)1 << OUTPUT_BYTES | (uint64_t)1 << SUMMED}};
static const struct emlat_vocabulary words = {.roots = roots,
                                              .roots_count = 3,
                                              .spans = spans,
                                              .spans_count = 4,
                                              .counters = counters,
                                              .counters_count = 12,
                                              .counted = counted,
                                              .counted_count = 1};

enum { UNITS = 1024 };

struct fixture {
    struct emlat_session session;
    struct emlat_producer producer;
    struct emlat_shared shared;
    struct emlat_machine machine;
    struct emlat_input input;
    struct emlat_unit units[UNITS];
    uint64_t now, taken;
};

static inline int set_up(void **state)
{
    struct fixture *f = aligned_alloc(64, (sizeof *f + 63) & ~(size_t)63);
    assert_non_null(f);
    memset(f, 0, sizeof *f);
    assert_int_equal(emlat_clock_choose(&f->session.clock, EMLAT_CLOCK_VIRTUAL, &f->now, 0), 0);
    assert_int_equal(emlat_kinds_learn(&f->session.kinds, &words), 0);
    f->producer.recording = 1;
    f->producer.clock_id = f->session.clock.id;
    f->producer.mask = UNITS - 1;
    f->producer.next_span = f->producer.span_step = 1;
    f->producer.units = f->units;
    f->producer.shared = &f->shared;
    f->producer.top = f->producer.open + 1;
    emlat_ring_ready(&f->producer);
    f->producer.machine = &f->machine;
    f->producer.session = &f->session;
    f->session.shared = &f->shared;
    f->producer.span_flags = f->session.kinds.span_flags;
    f->machine.kinds = &f->session.kinds;
    f->machine.numbers = &f->session.numbers;
    f->machine.virtual_cpu = &f->now;
    f->machine.input = &f->input;
    f->input.poll_wake_ns = 10;
    *state = f;
    return 0;
}

static inline int tear_down(void **state)
{
    free(*state);
    return 0;
}

/* The next record, which must be there; its space goes back to the ring.  */
static inline struct emlat_record take(struct fixture *f)
{
    struct emlat_record record;
    assert_true(f->taken < atomic_load(&f->shared.head));
    emlat_ring_take(&f->producer, &f->taken, &record);
    atomic_store(&f->shared.tail, f->taken);
    return record;
}

static inline void expect_no_more(const struct fixture *f)
{
    assert_int_equal(f->taken, atomic_load(&f->shared.head));
}

static inline uint64_t field(const struct emlat_record *record, unsigned number)
{
    return emlat_record_has(record, number) ? record->value[number] : ABSENT;
}

static inline uint64_t counter(const struct emlat_record *record, unsigned number)
{
    return record->counters_present >> number & 1 ? record->counter[number] : ABSENT;
}

/* Field NAME of RECORD, a variable of type struct emlat_record, is VALUE.  */
#define IS(TYPE, record, name, expected)                                     \
    do {                                                                     \
        assert_int_equal((record).type, EMLAT_##TYPE);                       \
        assert_int_equal(field(&(record), EMLAT_##TYPE##_##name), expected); \
    } while (0)
#define ROOT_IS(record, name, expected) IS(INTERACTION, record, name, expected)
#define SPAN_IS(record, name, expected) IS(SPAN, record, name, expected)

#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The life of an interaction, case by case, on the virtual clock.  Each case drives the machine by
   explicit times and looks at the records that reach the ring; every expected value is written down
   by hand from doc/life.md.  */
#include "interaction.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COMMAND = 1, TIMER = 2 };
enum { SPAN_COMMAND = 1, SPAN_POST = 2, SPAN_GC = 3 };
enum { OUTPUT_BYTES, FLUSHES, FLUSHES_EMPTY, FLUSHES_FAILED, BYTES_LOST, OUTPUT_NS, GC_COUNT };

static const struct emlat_word_row roots[] = {{COMMAND, EMLAT_ROOT_COMMAND, "command", NULL},
                                              {TIMER, 0, "timer", NULL}};
static const struct emlat_word_row spans[] = {{SPAN_COMMAND, EMLAT_SPAN_STAMPS, "command", NULL},
                                              {SPAN_POST, EMLAT_SPAN_STAMPS, "post_command", NULL},
                                              {SPAN_GC, 0, "gc", NULL}};
static const struct emlat_word_row counters[] = {
    {OUTPUT_BYTES, EMLAT_COUNTER_SUM, "output_bytes", NULL},
    {FLUSHES, EMLAT_COUNTER_SUM, "flushes", NULL},
    {FLUSHES_EMPTY, EMLAT_COUNTER_SUM, "flushes_empty", NULL},
    {FLUSHES_FAILED, EMLAT_COUNTER_SUM, "flushes_failed", NULL},
    {BYTES_LOST, EMLAT_COUNTER_SUM, "flush_bytes_lost", NULL},
    {OUTPUT_NS, EMLAT_COUNTER_SUM, "output_ns", NULL},
    {GC_COUNT, EMLAT_COUNTER_SUM, "gc_count", NULL}};
static const struct emlat_vocabulary words = {roots, spans, counters, 2, 3, 7};

/* A producer without a session: its ring is read by the test.  */
struct fixture {
    struct emlat_producer producer;
    struct emlat_shared shared;
    struct emlat_machine machine;
    struct emlat_kinds kinds;
    struct emlat_numbers numbers;
    struct emlat_session *session; /* only its clock is ever asked for */
    struct emlat_unit units[1024];
    uint64_t taken;
};

static uint64_t virtual_now;

static int set_up(void **state)
{
    struct fixture *f = aligned_alloc(64, (sizeof *f + 63) / 64 * 64);
    assert_non_null(f);
    memset(f, 0, sizeof *f);
    assert_int_equal(emlat_kinds_learn(&f->kinds, &words), 0);
    f->producer.recording = 1;
    f->producer.clock_id = CLOCK_MONOTONIC;
    f->producer.generation = 1;
    f->producer.mask = 1023;
    f->producer.next_span = f->producer.span_step = 1;
    f->producer.units = f->units;
    f->producer.shared = &f->shared;
    f->producer.machine = &f->machine;
    f->producer.span_flags = f->kinds.span_flags;
    f->machine.kinds = &f->kinds;
    f->machine.numbers = &f->numbers;
    f->machine.virtual_cpu = &virtual_now;
    f->machine.input.poll_wake_ns = 100;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

/* The next record of TYPE in the ring; others are passed over.  Fails if there is none.  */
static struct emlat_record next(struct fixture *f, enum emlat_record_type type)
{
    struct emlat_record record;
    do {
        assert_true(f->taken < f->producer.head);
        emlat_ring_take(&f->producer, &f->taken, &record);
    } while (record.type != type);
    return record;
}

static void assert_no_more(struct fixture *f, enum emlat_record_type type)
{
    struct emlat_record record;
    while (f->taken < f->producer.head) {
        emlat_ring_take(&f->producer, &f->taken, &record);
        assert_int_not_equal(record.type, type);
    }
}

#define HAS(record, name)   emlat_record_has(&(record), EMLAT_INTERACTION_##name)
#define VALUE(record, name) ((record).value[EMLAT_INTERACTION_##name])
#define ASSERT_FIELD(record, name, expected)             \
    do {                                                 \
        assert_true(HAS(record, name));                  \
        assert_int_equal(VALUE(record, name), expected); \
    } while (0)

/* Output of BYTES; the epoch that it opens begins at a real clock's time, which no case asserts. */
static void output(struct fixture *f, uint64_t bytes)
{
    emlat_output(&f->producer, 1, bytes);
}

static void test_flushed(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    virtual_now = 7;
    uint64_t cause = emlat_root_begin(p, COMMAND, 100);
    assert_int_equal(cause, 1);
    struct emlat_span span = emlat_span_begin_at(p, SPAN_COMMAND, 110);
    emlat_span_end_at(p, span, 150);
    emlat_root_work_end(p, cause, 160);
    emlat_display_decide(p, EMLAT_DISPLAY_PERFORMED, 170);
    assert_int_equal(emlat_display_begin(p, 180), 1);
    output(f, 40);
    output(f, 2);
    emlat_output_flush(p, 1, 190, 200, false);
    emlat_display_end(p, 210);
    virtual_now = 57;
    emlat_display_done(p, 220);
    struct emlat_record record = next(f, EMLAT_INTERACTION);
    ASSERT_FIELD(record, cause_id, 1);
    ASSERT_FIELD(record, status, EMLAT_STATUS_normal);
    ASSERT_FIELD(record, presentation, EMLAT_PRESENTATION_performed);
    ASSERT_FIELD(record, t_dispatch_begin, 100);
    ASSERT_FIELD(record, t_command_begin, 110);
    ASSERT_FIELD(record, t_command_end, 150);
    ASSERT_FIELD(record, t_root_work_end, 160);
    ASSERT_FIELD(record, t_redisplay_decision, 170);
    ASSERT_FIELD(record, t_redisplay_begin, 180);
    ASSERT_FIELD(record, t_redisplay_end, 210);
    ASSERT_FIELD(record, first_redisplay_id, 1);
    ASSERT_FIELD(record, last_redisplay_id, 1);
    ASSERT_FIELD(record, t_flush_begin, 190);
    ASSERT_FIELD(record, t_flush_end, 200);
    ASSERT_FIELD(record, final_output_epoch, 1);
    ASSERT_FIELD(record, t_end, 220);
    ASSERT_FIELD(record, thread_cpu_begin, 7);
    ASSERT_FIELD(record, thread_cpu_end, 57);
    assert_false(HAS(record, parent_cause_id));
    assert_false(HAS(record, t_first_flush_end));
    assert_int_equal(record.counter[OUTPUT_BYTES], 42);
    assert_int_equal(record.counter[FLUSHES], 1);
    assert_no_more(f, EMLAT_INTERACTION);
}

static void test_no_output(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    uint64_t cause = emlat_root_begin(p, COMMAND, 1);
    emlat_root_work_end(p, cause, 2);
    emlat_display_decide(p, EMLAT_DISPLAY_PERFORMED, 3);
    emlat_display_begin(p, 4);
    emlat_output_flush(p, 1, 5, 6, false);
    emlat_display_end(p, 7);
    emlat_display_done(p, 8);
    struct emlat_record record = next(f, EMLAT_INTERACTION);
    ASSERT_FIELD(record, status, EMLAT_STATUS_normal);
    assert_false(HAS(record, t_flush_end));
    assert_false(HAS(record, final_output_epoch));
    assert_int_equal(record.counter[FLUSHES_EMPTY], 1);
    assert_int_equal(record.counters_present >> FLUSHES & 1, 0);
}

static void test_superseded(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    uint64_t cause = emlat_root_begin(p, COMMAND, 1);
    emlat_root_work_end(p, cause, 2);
    emlat_display_decide(p, EMLAT_DISPLAY_SUPERSEDED, 3);
    struct emlat_record record = next(f, EMLAT_INTERACTION);
    ASSERT_FIELD(record, status, EMLAT_STATUS_superseded);
    ASSERT_FIELD(record, presentation, EMLAT_PRESENTATION_superseded);
    ASSERT_FIELD(record, t_redisplay_decision, 3);
    assert_false(HAS(record, t_redisplay_begin));
}

/* The decision was passed over: the next command's dispatch proves it.  */
static void test_not_reached(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    uint64_t cause = emlat_root_begin(p, COMMAND, 1);
    emlat_root_work_end(p, cause, 2);
    emlat_root_begin(p, COMMAND, 9);
    struct emlat_record record = next(f, EMLAT_INTERACTION);
    ASSERT_FIELD(record, cause_id, cause);
    ASSERT_FIELD(record, status, EMLAT_STATUS_superseded);
    ASSERT_FIELD(record, presentation, EMLAT_PRESENTATION_not_reached);
    ASSERT_FIELD(record, t_end, 9);
    assert_false(HAS(record, t_redisplay_decision));
}

/* An error keeps its own word, even where the display was skipped too.  */
static void test_error_then_superseded(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    uint64_t cause = emlat_root_begin(p, COMMAND, 1);
    emlat_span_begin_at(p, SPAN_COMMAND, 2);
    emlat_span_begin_at(p, SPAN_GC, 3);
    emlat_unwind(p, 0, 5, EMLAT_OUTCOME_ERROR);
    emlat_root_outcome(p, cause, EMLAT_OUTCOME_ERROR);
    emlat_root_outcome(p, cause, EMLAT_OUTCOME_QUIT); /* the first word stands */
    emlat_root_work_end(p, cause, 8);
    emlat_display_decide(p, EMLAT_DISPLAY_SUPERSEDED, 9);
    struct emlat_record gc = next(f, EMLAT_SPAN), command = next(f, EMLAT_SPAN);
    assert_int_equal(gc.value[EMLAT_SPAN_kind], SPAN_GC);
    assert_int_equal(gc.value[EMLAT_SPAN_status], EMLAT_STATUS_error);
    assert_int_equal(gc.value[EMLAT_SPAN_parent_span_id], command.value[EMLAT_SPAN_span_id]);
    assert_int_equal(gc.value[EMLAT_SPAN_wall_ns], 2);
    assert_int_equal(command.value[EMLAT_SPAN_wall_ns], 3);
    struct emlat_record record = next(f, EMLAT_INTERACTION);
    ASSERT_FIELD(record, status, EMLAT_STATUS_error);
    ASSERT_FIELD(record, presentation, EMLAT_PRESENTATION_superseded);
    ASSERT_FIELD(record, t_command_end, 5);
}

/* A minibuffer: inner commands run, and are displayed, while the outer one is open.  */
static void test_nested(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    uint64_t outer = emlat_root_begin(p, COMMAND, 1);
    struct emlat_span outer_span = emlat_span_begin_at(p, SPAN_COMMAND, 2);
    uint64_t inner = emlat_root_begin(p, COMMAND, 10);
    struct emlat_span inner_span = emlat_span_begin_at(p, SPAN_COMMAND, 11);
    emlat_span_end_at(p, inner_span, 12);
    emlat_root_work_end(p, inner, 13);
    emlat_display_decide(p, EMLAT_DISPLAY_PERFORMED, 14);
    emlat_display_begin(p, 15);
    output(f, 5);
    emlat_output_flush(p, 1, 16, 17, false);
    emlat_display_end(p, 18);
    emlat_display_done(p, 19);
    struct emlat_record record = next(f, EMLAT_INTERACTION);
    ASSERT_FIELD(record, cause_id, inner);
    ASSERT_FIELD(record, parent_cause_id, outer);
    ASSERT_FIELD(record, t_command_begin, 11);
    ASSERT_FIELD(record, t_command_end, 12);
    /* A last inner command still waits when the outer one's work ends.  */
    uint64_t last = emlat_root_begin(p, COMMAND, 20);
    emlat_root_work_end(p, last, 21);
    emlat_span_end_at(p, outer_span, 30);
    emlat_root_work_end(p, outer, 31);
    record = next(f, EMLAT_INTERACTION);
    ASSERT_FIELD(record, cause_id, last);
    ASSERT_FIELD(record, presentation, EMLAT_PRESENTATION_not_reached);
    emlat_display_decide(p, EMLAT_DISPLAY_PERFORMED, 32);
    emlat_display_done(p, 33);
    record = next(f, EMLAT_INTERACTION);
    ASSERT_FIELD(record, cause_id, outer);
    ASSERT_FIELD(record, t_command_begin, 2);
    ASSERT_FIELD(record, t_command_end, 30);
    assert_false(HAS(record, t_flush_end));
}

/* A throw leaves roots and spans behind; where it lands, they end with its word.  */
static void test_throw_past_roots(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    emlat_root_begin(p, COMMAND, 1);
    emlat_span_begin_at(p, SPAN_COMMAND, 2);
    uint64_t inner = emlat_root_begin(p, COMMAND, 3);
    emlat_span_begin_at(p, SPAN_COMMAND, 4);
    emlat_unwind(p, 0, 9, EMLAT_OUTCOME_THROW);
    emlat_roots_unwind(p, 0, 9, EMLAT_OUTCOME_THROW);
    assert_int_equal(emlat_roots_open(p), 0);
    assert_int_equal(p->depth, 0);
    assert_int_equal(p->cause, 0);
    struct emlat_record record = next(f, EMLAT_INTERACTION);
    ASSERT_FIELD(record, cause_id, inner);
    ASSERT_FIELD(record, status, EMLAT_STATUS_throw);
}

/* An end that comes after its span was closed by an unwinding does nothing.  */
static void test_late_span_end(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    struct emlat_span outer = emlat_span_begin_at(p, SPAN_GC, 1);
    struct emlat_span inner = emlat_span_begin_at(p, SPAN_GC, 2);
    emlat_span_end_at(p, outer, 5); /* closes the inner one too, as dropped */
    emlat_span_end_at(p, inner, 9);
    struct emlat_record record = next(f, EMLAT_SPAN);
    assert_int_equal(record.value[EMLAT_SPAN_span_id], inner.id);
    assert_int_equal(record.value[EMLAT_SPAN_status], EMLAT_STATUS_dropped);
    record = next(f, EMLAT_SPAN);
    assert_int_equal(record.value[EMLAT_SPAN_span_id], outer.id);
    assert_false(emlat_record_has(&record, EMLAT_SPAN_status));
    assert_no_more(f, EMLAT_SPAN);
}

/* A command that flushes in its work and again in its display keeps the first and the last.  */
static void test_first_and_final_flush(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    uint64_t cause = emlat_root_begin(p, COMMAND, 1);
    for (uint64_t i = 0; i < 3; i++) {
        output(f, 10);
        emlat_output_flush(p, 1, 100 + 10 * i, 105 + 10 * i, false);
    }
    emlat_root_work_end(p, cause, 200);
    emlat_display_decide(p, EMLAT_DISPLAY_PERFORMED, 201);
    emlat_display_done(p, 202);
    struct emlat_record record = next(f, EMLAT_INTERACTION);
    ASSERT_FIELD(record, t_first_flush_end, 105);
    ASSERT_FIELD(record, t_flush_end, 125);
    ASSERT_FIELD(record, final_output_epoch, 3);
    assert_int_equal(record.counter[FLUSHES], 3);
    assert_int_equal(record.counter[OUTPUT_BYTES], 30);
}

static void test_failed_flush(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    uint64_t cause = emlat_root_begin(p, COMMAND, 1);
    output(f, 33);
    assert_int_equal(emlat_output_pending(p, 1), 33);
    emlat_output_flush(p, 1, 10, 20, true);
    assert_int_equal(emlat_output_pending(p, 1), 0);
    emlat_root_work_end(p, cause, 30);
    emlat_display_decide(p, EMLAT_DISPLAY_PERFORMED, 31);
    emlat_display_done(p, 32);
    struct emlat_record record = next(f, EMLAT_INTERACTION);
    assert_false(HAS(record, t_flush_end));
    assert_int_equal(record.counter[FLUSHES_FAILED], 1);
    assert_int_equal(record.counter[BYTES_LOST], 33);
}

/* One flush completes what two interactions wrote; the first was complete but for it.  */
static void test_coalesced(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    uint64_t first = emlat_root_begin(p, COMMAND, 1);
    output(f, 3);
    emlat_root_work_end(p, first, 2);
    emlat_display_decide(p, EMLAT_DISPLAY_PERFORMED, 3);
    emlat_display_done(p, 4);
    assert_no_more(f, EMLAT_INTERACTION);
    uint64_t second = emlat_root_begin(p, COMMAND, 5);
    output(f, 4);
    emlat_output_flush(p, 1, 6, 7, false);
    struct emlat_record record = next(f, EMLAT_INTERACTION);
    ASSERT_FIELD(record, cause_id, first);
    ASSERT_FIELD(record, t_end, 4);
    ASSERT_FIELD(record, t_flush_end, 7);
    ASSERT_FIELD(record, final_output_epoch, 1);
    assert_int_equal(record.counter[OUTPUT_BYTES], 3);
    emlat_root_work_end(p, second, 8);
    emlat_display_decide(p, EMLAT_DISPLAY_PERFORMED, 9);
    emlat_display_done(p, 10);
    record = next(f, EMLAT_INTERACTION);
    ASSERT_FIELD(record, final_output_epoch, 1);
    assert_int_equal(record.counter[OUTPUT_BYTES], 4);
}

/* A root that is no command is complete when its work is, and leaves the waiting command alone.  */
static void test_timer_between(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    uint64_t command = emlat_root_begin(p, COMMAND, 1);
    emlat_root_work_end(p, command, 2);
    uint64_t timer = emlat_root_begin(p, TIMER, 3);
    emlat_root_work_end(p, timer, 4);
    struct emlat_record record = next(f, EMLAT_INTERACTION);
    ASSERT_FIELD(record, cause_id, timer);
    assert_false(HAS(record, presentation));
    emlat_display_decide(p, EMLAT_DISPLAY_PERFORMED, 5);
    emlat_display_done(p, 6);
    record = next(f, EMLAT_INTERACTION);
    ASSERT_FIELD(record, cause_id, command);
    ASSERT_FIELD(record, presentation, EMLAT_PRESENTATION_performed);
}

/* A throw out of the display: the next dispatch at that level proves the display to be over.  */
static void test_display_left(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    uint64_t cause = emlat_root_begin(p, COMMAND, 1);
    emlat_root_work_end(p, cause, 2);
    emlat_display_decide(p, EMLAT_DISPLAY_PERFORMED, 3);
    emlat_display_begin(p, 4);
    emlat_root_begin(p, COMMAND, 50);
    struct emlat_record record = next(f, EMLAT_INTERACTION);
    ASSERT_FIELD(record, cause_id, cause);
    ASSERT_FIELD(record, t_end, 50);
    assert_false(HAS(record, t_redisplay_end));
}

static void test_too_deep(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    for (int i = 0; i < EMLAT_ROOTS_OPEN_MAX; i++)
        assert_int_not_equal(emlat_root_begin(p, TIMER, 1), 0);
    assert_int_equal(emlat_root_begin(p, TIMER, 2), 0);
    for (int i = 0; i < EMLAT_SPANS_OPEN_MAX; i++)
        assert_int_not_equal(emlat_span_begin_at(p, SPAN_GC, 3).id, 0);
    assert_int_equal(emlat_span_begin_at(p, SPAN_GC, 4).id, 0);
    const struct emlat_lost *lost = &f->shared.lost[EMLAT_REASON_too_deep];
    assert_int_equal(atomic_load(&lost->records), 2);
    assert_int_equal(atomic_load(&lost->first), 2);
    assert_int_equal(atomic_load(&lost->last), 4);
}

static void test_close(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    uint64_t cause = emlat_root_begin(p, COMMAND, 1);
    emlat_span_begin_at(p, SPAN_COMMAND, 2);
    emlat_machine_close(p, 9);
    struct emlat_record span = next(f, EMLAT_SPAN);
    assert_int_equal(span.value[EMLAT_SPAN_status], EMLAT_STATUS_open);
    assert_false(emlat_record_has(&span, EMLAT_SPAN_wall_ns));
    struct emlat_record record = next(f, EMLAT_INTERACTION);
    ASSERT_FIELD(record, cause_id, cause);
    ASSERT_FIELD(record, status, EMLAT_STATUS_open);
    assert_false(HAS(record, t_command_end));
    assert_false(HAS(record, t_end));
}

/* ---- Input ------------------------------------------------------------------------------------
 */

static struct emlat_record command_from(struct fixture *f, struct emlat_source_range range)
{
    struct emlat_producer *p = &f->producer;
    uint64_t cause = emlat_root_begin(p, COMMAND, 5000);
    emlat_root_source(p, cause, &range, 4999);
    emlat_root_work_end(p, cause, 5001);
    emlat_display_decide(p, EMLAT_DISPLAY_SUPERSEDED, 5002);
    return next(f, EMLAT_INTERACTION);
}

static struct emlat_source_range byte_of(uint64_t batch, uint32_t offset)
{
    struct emlat_source_range range = {.events = 0};
    emlat_source_add(&range, (struct emlat_token){batch, 2500, offset, 0}, 2600);
    return range;
}

static void test_arrival(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    emlat_input_empty(p, 1, 1000);
    emlat_input_ready(p, 1, 1100, EMLAT_SEEN_BY_OBSERVER);
    emlat_input_ready(p, 1, 1200, EMLAT_SEEN_BY_POLL); /* not the first */
    uint64_t batch = emlat_input_batch(p, 1, 2000, 2, 2100, 2200, 3);
    emlat_input_queued(p, 3);
    struct emlat_record input = next(f, EMLAT_INPUT);
    assert_int_equal(input.value[EMLAT_INPUT_t_known_empty], 1000);
    assert_int_equal(input.value[EMLAT_INPUT_t_ready], 1100);
    assert_int_equal(input.value[EMLAT_INPUT_bytes_queued], 3);
    /* The first byte after empty arrived before it was seen.  */
    struct emlat_record record = command_from(f, byte_of(batch, 0));
    ASSERT_FIELD(record, t_input_earliest, 1000);
    ASSERT_FIELD(record, earliest_quality, EMLAT_QUALITY_read);
    ASSERT_FIELD(record, t_input_latest, 1100);
    ASSERT_FIELD(record, latest_quality, EMLAT_QUALITY_observer_ready);
    ASSERT_FIELD(record, decisive_source, emlat_source(batch, 0, 1));
    ASSERT_FIELD(record, t_queue_insert, 2500);
    ASSERT_FIELD(record, t_queue_remove, 2600);
    ASSERT_FIELD(record, t_key_decode_done, 4999);
    ASSERT_FIELD(record, t_read_begin, 2100);
    ASSERT_FIELD(record, t_read_end, 2200);
    assert_false(HAS(record, t_first_earliest));
    /* The second one was among those counted, the third came before the read's end.  */
    record = command_from(f, byte_of(batch, 1));
    ASSERT_FIELD(record, t_input_latest, 2000);
    ASSERT_FIELD(record, latest_quality, EMLAT_QUALITY_read);
    record = command_from(f, byte_of(batch, 2));
    ASSERT_FIELD(record, t_input_latest, 2200);
    /* A batch right after it, without an empty state between: the old bound still holds, and its
       first byte is no first byte after empty.  */
    uint64_t second = emlat_input_batch(p, 1, 0, 0, 2300, 2400, 1);
    record = command_from(f, byte_of(second, 0));
    ASSERT_FIELD(record, t_input_earliest, 1000);
    ASSERT_FIELD(record, t_input_latest, 2400);
}

/* What a poll proves and what it only suggests.  POLL_WAKE is 100.  */
static void test_poll(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    emlat_input_poll(p, 1, 1000, 1500, true); /* blocked, then woken by a byte */
    uint64_t batch = emlat_input_batch(p, 1, 1510, 1, 1520, 1530, 1);
    struct emlat_record record = command_from(f, byte_of(batch, 0));
    ASSERT_FIELD(record, t_input_earliest, 1400);
    ASSERT_FIELD(record, earliest_quality, EMLAT_QUALITY_inferred);
    ASSERT_FIELD(record, t_input_latest, 1500);
    ASSERT_FIELD(record, latest_quality, EMLAT_QUALITY_main_poll_ready);
    emlat_input_poll(p, 1, 2000, 2050, false); /* short, and nothing came: empty at its begin */
    emlat_input_poll(p, 1, 2060, 2070, true);  /* back at once: says nothing about before */
    batch = emlat_input_batch(p, 1, 2080, 1, 2090, 2095, 1);
    record = command_from(f, byte_of(batch, 0));
    ASSERT_FIELD(record, t_input_earliest, 2000);
    ASSERT_FIELD(record, earliest_quality, EMLAT_QUALITY_main_poll_ready);
    ASSERT_FIELD(record, t_input_latest, 2070);
}

/* A key sequence in two sends: both ends are kept, so that the person's wait can be told apart.  */
static void test_prefix(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    emlat_input_empty(p, 1, 1000);
    uint64_t first = emlat_input_batch(p, 1, 1010, 1, 1020, 1030, 1);
    emlat_input_empty(p, 1, 2000);
    uint64_t second = emlat_input_batch(p, 1, 2010, 1, 2020, 2030, 1);
    struct emlat_source_range range = byte_of(first, 0);
    emlat_source_add(&range, (struct emlat_token){second, 2040, 0, 0}, 2050);
    struct emlat_record record = command_from(f, range);
    ASSERT_FIELD(record, first_source, emlat_source(first, 0, 1));
    ASSERT_FIELD(record, decisive_source, emlat_source(second, 0, 1));
    ASSERT_FIELD(record, t_first_earliest, 1000);
    ASSERT_FIELD(record, t_first_latest, 1010);
    ASSERT_FIELD(record, t_input_earliest, 2000);
    ASSERT_FIELD(record, t_input_latest, 2010);
}

/* What no terminal sent has no arrival: absent, not zero.  */
static void test_no_input(void **state)
{
    struct fixture *f = *state;
    struct emlat_source_range range = {.events = 0};
    emlat_source_add(&range, (struct emlat_token){.batch = 0}, 10);
    struct emlat_record record = command_from(f, range);
    assert_false(HAS(record, t_input_latest));
    assert_false(HAS(record, first_source));
    /* A batch so old that it is not kept any more: its bounds are unknown, its number is not.  */
    for (int i = 0; i <= EMLAT_BATCHES_KEPT; i++)
        emlat_input_batch(&f->producer, 1, 0, 0, 1, 2, 1);
    record = command_from(f, byte_of(1, 0));
    assert_false(HAS(record, t_input_latest));
    ASSERT_FIELD(record, decisive_source, emlat_source(1, 0, 1));
}

/* ---- The ring ---------------------------------------------------------------------------------
 */

/* Kept and lost add up to what was produced, whatever is taken in between.  */
static void test_overflow(void **state)
{
    struct fixture *f = *state;
    struct emlat_producer *p = &f->producer;
    uint64_t kept = 0, produced = 0;
    struct emlat_record record;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 700; i++, produced++)
            emlat_span_whole(p, SPAN_GC, 1000 + produced, 2000 + produced, 0, EMLAT_OUTCOME_NORMAL);
        for (int i = 0; i < 300 && f->taken < p->head; i++, kept++) {
            emlat_ring_take(p, &f->taken, &record);
            assert_int_equal(record.type, EMLAT_SPAN);
        }
        atomic_store(&f->shared.tail, f->taken);
    }
    for (; f->taken < p->head; kept++)
        emlat_ring_take(p, &f->taken, &record);
    const struct emlat_lost *lost = &f->shared.lost[EMLAT_REASON_ring_full];
    assert_true(atomic_load(&lost->records) > 0);
    assert_int_equal(kept + atomic_load(&lost->records), produced);
    assert_int_equal(atomic_load(&lost->bytes), 64 * atomic_load(&lost->records));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(test_flushed),
        CASE(test_no_output),
        CASE(test_superseded),
        CASE(test_not_reached),
        CASE(test_nested),
        CASE(test_error_then_superseded),
        CASE(test_throw_past_roots),
        CASE(test_late_span_end),
        CASE(test_failed_flush),
        CASE(test_first_and_final_flush),
        CASE(test_coalesced),
        CASE(test_timer_between),
        CASE(test_display_left),
        CASE(test_too_deep),
        CASE(test_close),
        CASE(test_arrival),
        CASE(test_poll),
        CASE(test_prefix),
        CASE(test_no_input),
        CASE(test_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

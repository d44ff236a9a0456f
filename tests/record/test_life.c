/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The life of an interaction, case by case: explicit times in, hand-computed records out.  */
#include "fixture.h"

#include <unistd.h>

enum { TTY = 7 };

static void output(struct fixture *f, uint64_t t, uint64_t bytes)
{
    f->now = t;
    emlat_output(&f->producer, TTY, bytes);
}

static void flush(struct fixture *f, uint64_t t_begin, uint64_t t_end)
{
    emlat_output_flush(&f->producer, TTY, t_begin, t_end, false);
}

/* A root of KIND whose work is done; returns its cause.  */
static uint64_t work(struct fixture *f, uint32_t kind, uint64_t t_begin, uint64_t t_end)
{
    uint64_t cause = emlat_root_begin(&f->producer, kind, t_begin);
    emlat_root_work_end(&f->producer, cause, t_end);
    return cause;
}

static void performed(struct fixture *f, uint64_t t)
{
    emlat_display_decide(&f->producer, EMLAT_DISPLAY_PERFORMED, t);
}

/* ---- One command ------------------------------------------------------------------------------
 */

static void flushed(void **state)
{
    struct fixture *f = *state;
    f->now = 99;
    uint64_t cause = emlat_root_begin(&f->producer, COMMAND, 100);
    struct emlat_span span = emlat_span_begin_at(&f->producer, SPAN_COMMAND, 110);
    emlat_span_end_at(&f->producer, span, 150);
    emlat_root_work_end(&f->producer, cause, 160);
    performed(f, 170);
    assert_int_equal(emlat_display_begin(&f->producer, 180), 1);
    output(f, 190, 5);
    output(f, 195, 7);
    assert_int_equal(emlat_output_pending(&f->producer, TTY), 12);
    flush(f, 200, 220);
    assert_int_equal(emlat_output_pending(&f->producer, TTY), 0);
    emlat_display_end(&f->producer, 230);
    f->now = 239;
    emlat_display_done(&f->producer, 240);

    struct emlat_record record = take(f);
    SPAN_IS(record, span_id, 1);
    SPAN_IS(record, cause_id, 1);
    SPAN_IS(record, parent_span_id, ABSENT);
    SPAN_IS(record, kind, SPAN_COMMAND);
    SPAN_IS(record, t_begin, 110);
    SPAN_IS(record, wall_ns, 40);
    SPAN_IS(record, status, ABSENT);
    record = take(f);
    ROOT_IS(record, cause_id, 1);
    ROOT_IS(record, parent_cause_id, ABSENT);
    ROOT_IS(record, root_kind, COMMAND);
    ROOT_IS(record, status, EMLAT_STATUS_normal);
    ROOT_IS(record, presentation, EMLAT_PRESENTATION_performed);
    ROOT_IS(record, t_dispatch_begin, 100);
    ROOT_IS(record, t_command_begin, 110);
    ROOT_IS(record, t_command_end, 150);
    ROOT_IS(record, t_pre_command_begin, ABSENT);
    ROOT_IS(record, t_root_work_end, 160);
    ROOT_IS(record, t_redisplay_decision, 170);
    ROOT_IS(record, first_redisplay_id, 1);
    ROOT_IS(record, last_redisplay_id, 1);
    ROOT_IS(record, t_redisplay_begin, 180);
    ROOT_IS(record, t_redisplay_end, 230);
    ROOT_IS(record, t_output_begin, 190);
    ROOT_IS(record, t_output_end, 200);
    ROOT_IS(record, t_flush_begin, 200);
    ROOT_IS(record, t_flush_end, 220);
    ROOT_IS(record, final_output_epoch, 1);
    ROOT_IS(record, t_first_output_begin, ABSENT);
    ROOT_IS(record, t_first_flush_end, ABSENT);
    ROOT_IS(record, t_end, 240);
    ROOT_IS(record, thread_cpu_begin, 99);
    ROOT_IS(record, thread_cpu_end, 239);
    assert_int_equal(counter(&record, DISPLAYS), 1);
    assert_int_equal(counter(&record, OUTPUT_BYTES), 12);
    assert_int_equal(counter(&record, OUTPUT_CALLS), 2);
    assert_int_equal(counter(&record, FLUSHES), 1);
    assert_int_equal(counter(&record, FLUSHES_FAILED), 0);
    assert_int_equal(counter(&record, OUTPUT_NS), 30);
    expect_no_more(f);
}

static void no_output(void **state)
{
    struct fixture *f = *state;
    work(f, COMMAND, 100, 160);
    performed(f, 170);
    emlat_display_begin(&f->producer, 180);
    flush(f, 185, 186);
    emlat_display_end(&f->producer, 190);
    emlat_display_done(&f->producer, 200);
    struct emlat_record record = take(f);
    ROOT_IS(record, status, EMLAT_STATUS_normal);
    ROOT_IS(record, presentation, EMLAT_PRESENTATION_performed);
    ROOT_IS(record, t_redisplay_end, 190);
    ROOT_IS(record, t_end, 200);
    ROOT_IS(record, t_output_begin, ABSENT);
    ROOT_IS(record, t_flush_end, ABSENT);
    ROOT_IS(record, final_output_epoch, ABSENT);
    assert_int_equal(counter(&record, FLUSHES_EMPTY), 1);
    assert_int_equal(counter(&record, FLUSHES), 0);
    assert_int_equal(counter(&record, OUTPUT_BYTES), 0);
    expect_no_more(f);
}

static void superseded(void **state)
{
    struct fixture *f = *state;
    work(f, COMMAND, 100, 160);
    emlat_display_decide(&f->producer, EMLAT_DISPLAY_INPUT_PENDING, 170);
    struct emlat_record record = take(f);
    ROOT_IS(record, status, EMLAT_STATUS_superseded);
    ROOT_IS(record, presentation, EMLAT_PRESENTATION_superseded);
    ROOT_IS(record, t_redisplay_decision, 170);
    ROOT_IS(record, t_redisplay_begin, ABSENT);
    ROOT_IS(record, t_end, 170);
    emlat_display_done(&f->producer, 180); /* nobody is served: nothing happens */
    expect_no_more(f);
}

static void not_reached(void **state)
{
    struct fixture *f = *state;
    work(f, COMMAND, 100, 160);
    expect_no_more(f);
    assert_int_equal(emlat_root_begin(&f->producer, COMMAND, 300), 2);
    struct emlat_record record = take(f);
    ROOT_IS(record, cause_id, 1);
    ROOT_IS(record, status, EMLAT_STATUS_superseded);
    ROOT_IS(record, presentation, EMLAT_PRESENTATION_not_reached);
    ROOT_IS(record, t_redisplay_decision, ABSENT);
    ROOT_IS(record, t_end, 300);
    expect_no_more(f);
}

static void skipped_for_each_reason(void **state)
{
    static const struct {
        enum emlat_decision decision;
        uint64_t t_decision, presentation, skip;
    } cases[] = {
        {EMLAT_DISPLAY_INPUT_PENDING, 170, EMLAT_PRESENTATION_superseded, EMLAT_SKIP_input_pending},
        {EMLAT_DISPLAY_UNREAD_EVENTS, ABSENT, EMLAT_PRESENTATION_not_reached,
         EMLAT_SKIP_unread_events},
        {EMLAT_DISPLAY_MACRO, ABSENT, EMLAT_PRESENTATION_not_reached, EMLAT_SKIP_macro},
        {EMLAT_DISPLAY_NEXT_COMMAND, ABSENT, EMLAT_PRESENTATION_not_reached,
         EMLAT_SKIP_next_command},
        {EMLAT_DISPLAY_PERFORMED, 170, EMLAT_PRESENTATION_not_reached, EMLAT_SKIP_inhibited},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        work(f, COMMAND, 100, 160);
        emlat_display_decide(&f->producer, cases[i].decision, 170);
        emlat_display_done(&f->producer, 180); /* performed, but no attempt was begun */
        struct emlat_record record = take(f);
        ROOT_IS(record, t_redisplay_decision, cases[i].t_decision);
        ROOT_IS(record, presentation, cases[i].presentation);
        ROOT_IS(record, superseded_by, cases[i].skip);
        ROOT_IS(record, status, EMLAT_STATUS_superseded);
        expect_no_more(f);
    }
}

/* The screen lags from the first skipped command's end to the end of the next display.  */
static void stale_screen(void **state)
{
    struct fixture *f = *state;
    for (uint64_t t = 100; t < 300; t += 100) {
        work(f, COMMAND, t, t + 50);
        emlat_display_decide(&f->producer, EMLAT_DISPLAY_INPUT_PENDING, t + 60);
        struct emlat_record skipped = take(f);
        ROOT_IS(skipped, t_stale_since, ABSENT);
    }
    for (uint64_t t = 300; t < 500; t += 100) {
        work(f, COMMAND, t, t + 50);
        performed(f, t + 60);
        emlat_display_begin(&f->producer, t + 70);
        emlat_display_end(&f->producer, t + 80);
        emlat_display_done(&f->producer, t + 90);
        struct emlat_record shown = take(f);
        ROOT_IS(shown, t_stale_since, t == 300 ? 150 : ABSENT);
    }
}

/* ---- Roots that own the display after them ----------------------------------------------------
 */

static void shows_after_its_end(void **state)
{
    struct fixture *f = *state;
    uint64_t cause = emlat_root_begin(&f->producer, SHOWING, 100);
    emlat_root_work_end(&f->producer, cause, 150);
    expect_no_more(f);
    assert_int_equal(f->producer.cause, cause); /* spans of its display are its own */
    emlat_display_begin(&f->producer, 160);
    output(f, 170, 3);
    flush(f, 180, 190);
    emlat_display_end(&f->producer, 200);
    f->now = 210;
    emlat_idle(&f->producer);
    assert_int_equal(f->producer.cause, 0);
    struct emlat_record record = take(f);
    ROOT_IS(record, cause_id, cause);
    ROOT_IS(record, status, EMLAT_STATUS_normal);
    ROOT_IS(record, presentation, EMLAT_PRESENTATION_performed);
    ROOT_IS(record, t_root_work_end, 150);
    ROOT_IS(record, t_redisplay_begin, 160);
    ROOT_IS(record, t_redisplay_end, 200);
    ROOT_IS(record, t_flush_end, 190);
    ROOT_IS(record, t_end, 210);
    assert_int_equal(counter(&record, OUTPUT_BYTES), 3);
}

/* One display serves the last root of a batch; the others are over when the next one begins.  */
static void last_of_a_batch_shows(void **state)
{
    struct fixture *f = *state;
    uint64_t first = work(f, SHOWING, 100, 110);
    uint64_t second = emlat_root_begin(&f->producer, SHOWING, 120);
    struct emlat_record record = take(f);
    ROOT_IS(record, cause_id, first);
    ROOT_IS(record, t_end, 120);
    ROOT_IS(record, first_redisplay_id, ABSENT);
    emlat_root_work_end(&f->producer, second, 130);
    assert_int_equal(emlat_display_begin(&f->producer, 140), 1);
    emlat_display_end(&f->producer, 150);
    f->now = 160;
    emlat_idle(&f->producer);
    record = take(f);
    ROOT_IS(record, cause_id, second);
    ROOT_IS(record, first_redisplay_id, 1);
    expect_no_more(f);
}

/* Inside a command that waits, a root's display is its own; the command's is the command's.  */
static void shows_inside_a_command(void **state)
{
    struct fixture *f = *state;
    uint64_t command = emlat_root_begin(&f->producer, COMMAND, 100);
    uint64_t inner = work(f, SHOWING, 110, 120);
    emlat_display_begin(&f->producer, 130);
    emlat_display_end(&f->producer, 140);
    f->now = 150;
    emlat_idle(&f->producer);
    assert_int_equal(f->producer.cause, command);
    struct emlat_record record = take(f);
    ROOT_IS(record, cause_id, inner);
    ROOT_IS(record, parent_cause_id, command);
    ROOT_IS(record, t_redisplay_begin, 130);
    emlat_display_begin(&f->producer, 160);
    emlat_display_end(&f->producer, 170);
    emlat_root_work_end(&f->producer, command, 180);
    emlat_display_decide(&f->producer, EMLAT_DISPLAY_INPUT_PENDING, 190);
    record = take(f);
    ROOT_IS(record, cause_id, command);
    ROOT_IS(record, first_redisplay_id, 2);
    ROOT_IS(record, t_redisplay_begin, 160);
}

/* Between a command and its decision a root ran: the display is the command's.  */
static void decision_ends_what_shows(void **state)
{
    struct fixture *f = *state;
    uint64_t command = work(f, COMMAND, 100, 110);
    uint64_t timer = work(f, SHOWING, 120, 130);
    performed(f, 140);
    struct emlat_record record = take(f);
    ROOT_IS(record, cause_id, timer);
    ROOT_IS(record, t_end, 140);
    emlat_display_begin(&f->producer, 150);
    emlat_display_end(&f->producer, 160);
    emlat_display_done(&f->producer, 170);
    record = take(f);
    ROOT_IS(record, cause_id, command);
    ROOT_IS(record, t_redisplay_begin, 150);
    expect_no_more(f);
}

static void observed_and_scheduled(void **state)
{
    struct fixture *f = *state;
    uint64_t asks = emlat_root_begin(&f->producer, COMMAND, 100);
    assert_int_equal(emlat_root_innermost(&f->producer), asks);
    emlat_root_work_end(&f->producer, asks, 110);
    assert_int_equal(emlat_root_innermost(&f->producer), 0);
    uint64_t cause = emlat_root_begin(&f->producer, TIMER, 200);
    emlat_root_observed(&f->producer, cause, 180, 190, EMLAT_INFERRED);
    emlat_root_scheduled(&f->producer, cause, asks);
    emlat_root_work_end(&f->producer, cause, 210);
    struct emlat_record record = take(f);
    ROOT_IS(record, scheduled_by_cause_id, asks);
    ROOT_IS(record, t_input_earliest, 180);
    ROOT_IS(record, earliest_quality, EMLAT_QUALITY_inferred);
    ROOT_IS(record, t_input_latest, 190);
    ROOT_IS(record, latest_quality, EMLAT_QUALITY_inferred);
    cause = emlat_root_begin(&f->producer, TIMER, 300);
    emlat_root_observed(&f->producer, cause, 0, 290, EMLAT_SEEN_BY_POLL);
    emlat_root_scheduled(&f->producer, cause, 0);
    emlat_root_work_end(&f->producer, cause, 310);
    record = take(f);
    ROOT_IS(record, scheduled_by_cause_id, ABSENT);
    ROOT_IS(record, t_input_earliest, ABSENT);
    ROOT_IS(record, earliest_quality, ABSENT);
    ROOT_IS(record, latest_quality, EMLAT_QUALITY_main_poll_ready);
}

static void counted_by_all(void **state)
{
    struct fixture *f = *state;
    uint64_t outer = emlat_root_begin(&f->producer, COMMAND, 100);
    emlat_count_all(&f->producer, SUMMED, 5);
    uint64_t inner = emlat_root_begin(&f->producer, TIMER, 110);
    emlat_count_all(&f->producer, SUMMED, 7);
    emlat_root_work_end(&f->producer, inner, 120);
    struct emlat_record record = take(f);
    assert_int_equal(counter(&record, SUMMED), 7);
    emlat_root_work_end(&f->producer, outer, 130);
    emlat_count_all(&f->producer, SUMMED, 100); /* nobody is open */
    emlat_display_decide(&f->producer, EMLAT_DISPLAY_INPUT_PENDING, 140);
    record = take(f);
    assert_int_equal(counter(&record, SUMMED), 12);
}

static void timer_between(void **state)
{
    /* A root that is no command neither waits nor disturbs who does.  */
    struct fixture *f = *state;
    work(f, COMMAND, 100, 160);
    work(f, TIMER, 200, 210);
    struct emlat_record record = take(f);
    ROOT_IS(record, cause_id, 2);
    ROOT_IS(record, parent_cause_id, ABSENT);
    ROOT_IS(record, presentation, ABSENT);
    ROOT_IS(record, status, EMLAT_STATUS_normal);
    ROOT_IS(record, t_end, 210);
    performed(f, 220);
    emlat_display_begin(&f->producer, 225);
    emlat_display_done(&f->producer, 230);
    record = take(f);
    ROOT_IS(record, cause_id, 1);
    ROOT_IS(record, presentation, EMLAT_PRESENTATION_performed);
    expect_no_more(f);
}

static void flushed_then_superseded(void **state)
{
    struct fixture *f = *state;
    uint64_t cause = emlat_root_begin(&f->producer, COMMAND, 100);
    output(f, 120, 3);
    flush(f, 130, 140);
    emlat_root_work_end(&f->producer, cause, 160);
    emlat_display_decide(&f->producer, EMLAT_DISPLAY_INPUT_PENDING, 170);
    struct emlat_record record = take(f);
    ROOT_IS(record, status, EMLAT_STATUS_superseded);
    ROOT_IS(record, t_output_begin, 120);
    ROOT_IS(record, t_flush_end, 140);
    ROOT_IS(record, t_end, 170);
    assert_int_equal(counter(&record, OUTPUT_BYTES), 3);
    expect_no_more(f);
}

static void counters_and_frame(void **state)
{
    struct fixture *f = *state;
    emlat_count(&f->producer, SUMMED, 1000); /* outside of any: lost */
    uint64_t cause = emlat_root_begin(&f->producer, TIMER, 100);
    emlat_count(&f->producer, SUMMED, 4);
    emlat_count(&f->producer, SUMMED, 5);
    emlat_count(&f->producer, LAST, 4);
    emlat_count(&f->producer, LAST, 5);
    emlat_count(&f->producer, EMLAT_COUNTERS_MAX, 1);
    emlat_frame(&f->producer, TTY, 3);
    emlat_frame(&f->producer, TTY + 1, 4);
    emlat_root_work_end(&f->producer, cause, 200);
    struct emlat_record record = take(f);
    assert_int_equal(counter(&record, SUMMED), 9);
    assert_int_equal(counter(&record, LAST), 5);
    ROOT_IS(record, terminal_id, TTY);
    ROOT_IS(record, frame_id, 4);
}

/* ---- Nesting ----------------------------------------------------------------------------------
 */

static void nested(void **state)
{
    struct fixture *f = *state;
    uint64_t outer = emlat_root_begin(&f->producer, COMMAND, 100);
    uint64_t inner = work(f, COMMAND, 200, 300);
    assert_int_equal(f->producer.cause, outer);
    performed(f, 310);
    assert_int_equal(f->producer.cause, inner);
    output(f, 320, 4);
    flush(f, 330, 340);
    emlat_display_done(&f->producer, 350);
    assert_int_equal(f->producer.cause, outer);
    struct emlat_record record = take(f);
    ROOT_IS(record, cause_id, inner);
    ROOT_IS(record, parent_cause_id, outer);
    ROOT_IS(record, t_output_begin, 320);
    ROOT_IS(record, t_end, 350);

    output(f, 360, 9); /* the outer command's own */
    flush(f, 370, 380);
    uint64_t second = work(f, COMMAND, 400, 500); /* still waits when the outer one ends */
    emlat_root_work_end(&f->producer, outer, 600);
    record = take(f);
    ROOT_IS(record, cause_id, second);
    ROOT_IS(record, parent_cause_id, outer);
    ROOT_IS(record, presentation, EMLAT_PRESENTATION_not_reached);
    ROOT_IS(record, t_end, 600);
    performed(f, 610);
    emlat_display_done(&f->producer, 620);
    record = take(f);
    ROOT_IS(record, cause_id, outer);
    ROOT_IS(record, t_root_work_end, 600);
    ROOT_IS(record, t_output_begin, 360);
    ROOT_IS(record, t_end, 620);
    assert_int_equal(counter(&record, OUTPUT_BYTES), 9);
    expect_no_more(f);
}

static void abandoned(void **state)
{
    struct fixture *f = *state;
    uint64_t outer = emlat_root_begin(&f->producer, COMMAND, 100);
    uint64_t inner = emlat_root_begin(&f->producer, COMMAND, 200);
    assert_int_equal(emlat_roots_open(&f->producer), 2);
    emlat_root_work_end(&f->producer, outer, 300);
    assert_int_equal(emlat_roots_open(&f->producer), 0);
    struct emlat_record record = take(f);
    ROOT_IS(record, cause_id, inner);
    ROOT_IS(record, status, EMLAT_STATUS_dropped);
    ROOT_IS(record, presentation, ABSENT);
    ROOT_IS(record, t_root_work_end, 300);
    ROOT_IS(record, t_end, 300);
    emlat_root_work_end(&f->producer, inner, 400); /* is over: nothing happens */
    expect_no_more(f);
    emlat_display_decide(&f->producer, EMLAT_DISPLAY_NEXT_COMMAND, 410);
    record = take(f);
    ROOT_IS(record, cause_id, outer);
    ROOT_IS(record, t_redisplay_decision, ABSENT); /* there was none */
    ROOT_IS(record, superseded_by, EMLAT_SKIP_next_command);
    ROOT_IS(record, status, EMLAT_STATUS_superseded);
}

static void serving_left_by_throw(void **state)
{
    struct fixture *f = *state;
    uint64_t outer = emlat_root_begin(&f->producer, COMMAND, 100);
    uint64_t inner = work(f, COMMAND, 200, 300);
    performed(f, 310);
    emlat_display_begin(&f->producer, 320);
    emlat_roots_unwind(&f->producer, 0, 400, EMLAT_OUTCOME_THROW);
    assert_int_equal(f->producer.cause, 0);
    struct emlat_record record = take(f);
    ROOT_IS(record, cause_id, inner);
    ROOT_IS(record, status, EMLAT_STATUS_normal);
    ROOT_IS(record, presentation, EMLAT_PRESENTATION_performed);
    ROOT_IS(record, t_redisplay_begin, 320);
    ROOT_IS(record, t_redisplay_end, ABSENT);
    ROOT_IS(record, t_end, 400);
    /* And one at the top: the next command proves that it is over.  */
    performed(f, 410);
    emlat_root_begin(&f->producer, COMMAND, 500);
    record = take(f);
    ROOT_IS(record, cause_id, outer);
    ROOT_IS(record, status, EMLAT_STATUS_throw);
    ROOT_IS(record, t_root_work_end, 400);
    ROOT_IS(record, t_end, 500);
    expect_no_more(f);
}

/* ---- Abnormal ends ----------------------------------------------------------------------------
 */

static void outcomes(void **state)
{
    struct fixture *f = *state;
    const enum emlat_outcome all[] = {EMLAT_OUTCOME_ERROR, EMLAT_OUTCOME_QUIT, EMLAT_OUTCOME_THROW};
    for (int i = 0; i < 3; i++) {
        uint64_t cause = emlat_root_begin(&f->producer, COMMAND, 100);
        uint32_t depth = emlat_depth(&f->producer);
        struct emlat_span outer = emlat_span_begin_at(&f->producer, SPAN_COMMAND, 110);
        struct emlat_span inner = emlat_span_begin_at(&f->producer, SPAN_PLAIN, 120);
        emlat_unwind(&f->producer, depth, 150, all[i]);
        emlat_root_outcome(&f->producer, cause, all[i]);
        emlat_root_outcome(&f->producer, cause, EMLAT_OUTCOME_FAILED); /* the first word stands */
        emlat_span_end_at(&f->producer, inner, 155);                   /* over already */
        emlat_span_end_at(&f->producer, outer, 156);
        emlat_root_work_end(&f->producer, cause, 160);
        emlat_display_decide(&f->producer, EMLAT_DISPLAY_INPUT_PENDING, 170);

        struct emlat_record record = take(f);
        SPAN_IS(record, span_id, inner.id);
        SPAN_IS(record, parent_span_id, outer.id);
        SPAN_IS(record, status, all[i]);
        SPAN_IS(record, wall_ns, 30);
        record = take(f);
        SPAN_IS(record, span_id, outer.id);
        SPAN_IS(record, status, all[i]);
        SPAN_IS(record, wall_ns, 40);
        record = take(f);
        ROOT_IS(record, cause_id, cause);
        ROOT_IS(record, status, all[i]); /* not superseded: only a normal end becomes that */
        ROOT_IS(record, presentation, EMLAT_PRESENTATION_superseded);
        ROOT_IS(record, t_command_begin, 110);
        ROOT_IS(record, t_command_end, 150);
        expect_no_more(f);
    }
}

static void cpu_of_spans(void **state)
{
    struct fixture *f = *state;
    uint64_t cause = emlat_root_begin(&f->producer, TIMER, 100);
    for (uint64_t i = 0; i < 3; i++) {
        f->now = 110 + i;
        struct emlat_span span = emlat_span_begin_at(&f->producer, SPAN_PLAIN, 110);
        if (i)
            span = emlat_span_with_cpu(&f->producer, span);
        f->now = 120 + 2 * i;
        emlat_span_end_at(&f->producer, span, 150);
        struct emlat_record record = take(f);
        SPAN_IS(record, wall_ns, 40);
        SPAN_IS(record, cpu_ns, i ? 10 + i : ABSENT);
    }
    /* The root's own CPU time ends before it does.  */
    f->now = 170;
    emlat_root_work_end(&f->producer, cause, 160);
    struct emlat_record record = take(f);
    ROOT_IS(record, thread_cpu_end, 170);
    ROOT_IS(record, t_root_work_end, 160);
    ROOT_IS(record, t_end, 170);
}

/* How long a thread that was off its processor had been ready for one is asked of the kernel, here
   a file of the test's own.  */
static void run_delay(void **state)
{
    struct fixture *f = *state;
    char path[] = "/tmp/emlat-test-XXXXXX";
    uint64_t cpu = 0;
    f->machine.virtual_cpu = &cpu;
    f->machine.run_delay_fd = mkstemp(path);
    assert_true(f->machine.run_delay_fd > 0);
    unlink(path);
    const struct {
        const char *before, *after;
        uint64_t wall, delay;
    } cases[] = {
        {"1 500 7", "1 900 7", 999999, ABSENT}, /* short: not worth a question */
        {"1 500 7", "1 900 7", 1000000, 400},
        {"1 900 7", "1 18446744073709551615 7", 5000000, UINT64_MAX - 900},
        {"1 900 7", "damaged", 5000000, ABSENT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int fd = f->machine.run_delay_fd;
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_true(pwrite(fd, cases[i].before, strlen(cases[i].before), 0) > 0);
        f->producer.idle_head = f->producer.head - 1;
        emlat_machine_idle(&f->producer);
        uint64_t begin = f->now;
        uint64_t cause = emlat_root_begin(&f->producer, TIMER, begin);
        f->now += cases[i].wall;
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_true(pwrite(fd, cases[i].after, strlen(cases[i].after), 0) > 0);
        emlat_root_work_end(&f->producer, cause, f->now);
        struct emlat_record record = take(f);
        assert_int_equal(counter(&record, RUN_DELAY), cases[i].delay);
    }
    close(f->machine.run_delay_fd);
}

static void expect_gained(struct fixture *f, uint64_t wall, uint64_t bytes, uint64_t summed)
{
    struct emlat_record record = take(f);
    SPAN_IS(record, kind, SPAN_COUNTED);
    SPAN_IS(record, wall_ns, wall);
    assert_int_equal(counter(&record, OUTPUT_BYTES), bytes);
    assert_int_equal(counter(&record, SUMMED), summed);
    assert_int_equal(counter(&record, FLUSHES), ABSENT);
}

/* A span's counters are what they gained inside it for the interaction that it is charged to.  */
static void counters_of_spans(void **state)
{
    struct fixture *f = *state;
    struct emlat_span alone = emlat_span_begin_at(&f->producer, SPAN_COUNTED, 90);
    emlat_span_end_at(&f->producer, alone, 95);
    expect_gained(f, 5, ABSENT, ABSENT); /* there is no interaction */

    uint64_t cause = emlat_root_begin(&f->producer, TIMER, 100);
    emlat_count(&f->producer, SUMMED, 5);
    output(f, 105, 1);
    struct emlat_span outer = emlat_span_begin_at(&f->producer, SPAN_COUNTED, 110);
    emlat_count(&f->producer, SUMMED, 3);
    output(f, 120, 7);
    struct emlat_span inner = emlat_span_begin_at(&f->producer, SPAN_COUNTED, 130);
    output(f, 140, 20);
    emlat_span_end_at(&f->producer, inner, 150);
    expect_gained(f, 20, 20, 0);
    /* What another interaction gains is none of it.  */
    uint64_t nested = emlat_root_begin(&f->producer, TIMER, 160);
    emlat_count(&f->producer, SUMMED, 1000);
    struct emlat_span other = emlat_span_begin_at(&f->producer, SPAN_COUNTED, 170);
    emlat_count(&f->producer, SUMMED, 40);
    emlat_span_end_at(&f->producer, other, 180);
    expect_gained(f, 10, 0, 40);
    emlat_root_work_end(&f->producer, nested, 190);
    assert_int_equal(take(f).type, EMLAT_INTERACTION);
    emlat_span_end_at(&f->producer, outer, 200);
    expect_gained(f, 90, 27, 3);

    /* Its interaction is over before it is.  */
    flush(f, 205, 206);
    struct emlat_span late = emlat_span_begin_at(&f->producer, SPAN_COUNTED, 210);
    emlat_root_work_end(&f->producer, cause, 220);
    assert_int_equal(take(f).type, EMLAT_INTERACTION);
    emlat_span_end_at(&f->producer, late, 230);
    expect_gained(f, 20, ABSENT, ABSENT);

    /* One that is still open at the end says what it has gained so far.  */
    emlat_root_begin(&f->producer, TIMER, 300);
    emlat_span_begin_at(&f->producer, SPAN_COUNTED, 310);
    emlat_count(&f->producer, SUMMED, 2);
    emlat_machine_close(&f->producer, 320);
    expect_gained(f, ABSENT, 0, 2);
}

/* A whole span is told when it is over; what is open by then need not contain it.  */
static void parent_of_a_late_span(void **state)
{
    struct fixture *f = *state;
    struct emlat_span outer = emlat_span_begin_at(&f->producer, SPAN_PLAIN, 100);
    struct emlat_span inner = emlat_span_begin_at(&f->producer, SPAN_PLAIN, 200);
    static const uint64_t begins[] = {50, 150, 250};
    const uint64_t parents[] = {ABSENT, outer.id, inner.id};
    for (size_t i = 0; i < 3; i++) {
        emlat_span_whole(&f->producer, SPAN_PRE, begins[i], 300, 0, EMLAT_OUTCOME_NORMAL);
        struct emlat_record record = take(f);
        SPAN_IS(record, parent_span_id, parents[i]);
    }
}

static void short_spans_are_left_out(void **state)
{
    struct fixture *f = *state;
    struct emlat_span outer = emlat_span_begin_at(&f->producer, SPAN_PLAIN, 100);
    struct emlat_span span = emlat_span_begin_at(&f->producer, SPAN_PLAIN, 110);
    emlat_span_end_unless_short(&f->producer, span, 119, 10);
    expect_no_more(f);
    assert_int_equal(emlat_depth(&f->producer), 1);
    span = emlat_span_begin_at(&f->producer, SPAN_PLAIN, 120);
    emlat_span_detail(&f->producer, 42);
    emlat_span_end_unless_short(&f->producer, span, 130, 10); /* long enough */
    struct emlat_record record = take(f);
    SPAN_IS(record, span_id, span.id);
    SPAN_IS(record, detail_id, 42);
    SPAN_IS(record, parent_span_id, outer.id);
    span = emlat_span_begin_at(&f->producer, SPAN_PLAIN, 140);
    emlat_span_whole(&f->producer, SPAN_PRE, 141, 142, 0, EMLAT_OUTCOME_NORMAL);
    emlat_span_end_unless_short(&f->producer, span, 143, 10); /* is a parent */
    record = take(f);
    SPAN_IS(record, parent_span_id, span.id);
    record = take(f);
    SPAN_IS(record, span_id, span.id);
    SPAN_IS(record, detail_id, ABSENT); /* of the span that had its place before */
    emlat_span_end_unless_short(&f->producer, span, 144, 10); /* is over: nothing happens */
    emlat_span_end_at(&f->producer, outer, 150);
    record = take(f);
    SPAN_IS(record, span_id, outer.id);
    expect_no_more(f);
}

static void end_after_unwinding(void **state)
{
    struct fixture *f = *state;
    struct emlat_span old = emlat_span_begin_at(&f->producer, SPAN_PLAIN, 10);
    emlat_unwind(&f->producer, 0, 20, EMLAT_OUTCOME_THROW);
    take(f);
    struct emlat_span reuses = emlat_span_begin_at(&f->producer, SPAN_PLAIN, 30);
    emlat_span_end_at(&f->producer, old, 40); /* the same place, another span */
    expect_no_more(f);
    emlat_span_end_at(&f->producer, reuses, 50);
    struct emlat_record record = take(f);
    SPAN_IS(record, span_id, reuses.id);
    SPAN_IS(record, wall_ns, 20);
    emlat_span_end_at(&f->producer, reuses, 60); /* ended twice */
    expect_no_more(f);
}

/* A read while the exit unwinds: the span that it left contains it.  */
static void recorded_while_unwinding(void **state)
{
    struct fixture *f = *state;
    uint64_t cause = emlat_root_begin(&f->producer, TIMER, 90);
    emlat_span_begin_at(&f->producer, SPAN_COMMAND, 100);
    emlat_span_whole(&f->producer, SPAN_PLAIN, 155, 160, 0, EMLAT_OUTCOME_NORMAL);
    emlat_unwind(&f->producer, 0, 150, EMLAT_OUTCOME_QUIT);
    take(f);
    struct emlat_record record = take(f);
    SPAN_IS(record, kind, SPAN_COMMAND);
    SPAN_IS(record, wall_ns, 60);
    SPAN_IS(record, status, EMLAT_STATUS_quit);
    emlat_root_work_end(&f->producer, cause, 170);
    record = take(f);
    ROOT_IS(record, t_command_end, 150); /* when it was left */
}

/* The last attempt has not ended, so there is no end.  */
static void open_in_a_display(void **state)
{
    struct fixture *f = *state;
    emlat_root_begin(&f->producer, COMMAND, 100);
    emlat_display_begin(&f->producer, 110);
    emlat_display_end(&f->producer, 120);
    emlat_display_begin(&f->producer, 130);
    emlat_machine_close(&f->producer, 140);
    struct emlat_record record = take(f);
    ROOT_IS(record, t_redisplay_begin, 130);
    ROOT_IS(record, t_redisplay_end, ABSENT);
}

static void inner_span_dropped(void **state)
{
    struct fixture *f = *state;
    struct emlat_span outer = emlat_span_begin_at(&f->producer, SPAN_PLAIN, 10);
    struct emlat_span inner = emlat_span_begin_at(&f->producer, SPAN_PLAIN, 20);
    emlat_span_end_at(&f->producer, outer, 50);
    struct emlat_record record = take(f);
    SPAN_IS(record, span_id, inner.id);
    SPAN_IS(record, status, EMLAT_STATUS_dropped);
    SPAN_IS(record, wall_ns, 30);
    record = take(f);
    SPAN_IS(record, span_id, outer.id);
    SPAN_IS(record, status, ABSENT);
    SPAN_IS(record, wall_ns, 40);
    assert_int_equal(emlat_depth(&f->producer), 0);
    expect_no_more(f);
}

static void whole_span(void **state)
{
    struct fixture *f = *state;
    uint64_t cause = work(f, COMMAND, 100, 160); /* waits: what runs meanwhile is its */
    emlat_span_whole(&f->producer, SPAN_PLAIN, 165, 168, 42, EMLAT_OUTCOME_FAILED);
    struct emlat_record record = take(f);
    SPAN_IS(record, cause_id, cause);
    SPAN_IS(record, wall_ns, 3);
    SPAN_IS(record, detail_id, 42);
    SPAN_IS(record, status, EMLAT_STATUS_failed);
}

/* A span's stamps are of the root that it belongs to, not of the one around its display.  */
static void stamps_while_serving(void **state)
{
    struct fixture *f = *state;
    uint64_t outer = emlat_root_begin(&f->producer, COMMAND, 100);
    struct emlat_span command = emlat_span_begin_at(&f->producer, SPAN_COMMAND, 110);
    work(f, COMMAND, 200, 300);
    performed(f, 310);
    emlat_span_end_at(&f->producer, emlat_span_begin_at(&f->producer, SPAN_PRE, 320), 330);
    emlat_display_done(&f->producer, 350);
    emlat_span_end_at(&f->producer, command, 390);
    emlat_root_work_end(&f->producer, outer, 400);
    emlat_display_decide(&f->producer, EMLAT_DISPLAY_INPUT_PENDING, 410);
    take(f);
    take(f);
    take(f);
    struct emlat_record record = take(f);
    ROOT_IS(record, cause_id, outer);
    ROOT_IS(record, t_command_begin, 110);
    ROOT_IS(record, t_command_end, 390);
    ROOT_IS(record, t_pre_command_begin, ABSENT);
    ROOT_IS(record, t_pre_command_end, ABSENT);
}

static void too_deep(void **state)
{
    struct fixture *f = *state;
    struct emlat_lost *lost = &f->shared.lost[EMLAT_REASON_too_deep];
    for (uint64_t i = 0; i < EMLAT_SPANS_OPEN_MAX; i++)
        assert_int_equal(emlat_span_begin_at(&f->producer, SPAN_PLAIN, i).id, i + 1);
    struct emlat_span span = emlat_span_begin_at(&f->producer, SPAN_PLAIN, 100);
    assert_int_equal(span.id, 0);
    emlat_span_end_at(&f->producer, span, 110);
    expect_no_more(f);
    assert_int_equal(lost->records, 1);
    assert_int_equal(lost->bytes, 64);
    for (uint64_t i = 0; i < EMLAT_ROOTS_OPEN_MAX; i++)
        assert_int_equal(emlat_root_begin(&f->producer, COMMAND, 200 + i), i + 1);
    assert_int_equal(emlat_root_begin(&f->producer, COMMAND, 300), 0);
    emlat_root_work_end(&f->producer, 0, 310);
    assert_int_equal(emlat_roots_open(&f->producer), EMLAT_ROOTS_OPEN_MAX);
    assert_int_equal(lost->records, 2);
    assert_int_equal(lost->first, 100);
    assert_int_equal(lost->last, 300);
    expect_no_more(f);
}

/* A command that is lost as too deep ends what was served before it all the same.  */
static void too_deep_while_serving(void **state)
{
    struct fixture *f = *state;
    for (uint64_t i = 1; i < EMLAT_ROOTS_OPEN_MAX; i++)
        emlat_root_begin(&f->producer, TIMER, i);
    uint64_t served = work(f, COMMAND, 100, 110);
    uint64_t last = emlat_root_begin(&f->producer, TIMER, 120); /* takes the last place */
    performed(f, 130);
    assert_int_equal(f->producer.cause, served);
    assert_int_equal(emlat_root_begin(&f->producer, COMMAND, 140), 0);
    struct emlat_record record = take(f);
    ROOT_IS(record, cause_id, served);
    ROOT_IS(record, t_end, 140);
    assert_int_equal(f->producer.cause, last);
}

/* ---- Output -----------------------------------------------------------------------------------
 */

static void first_and_final_flush(void **state)
{
    struct fixture *f = *state;
    uint64_t cause = emlat_root_begin(&f->producer, TIMER, 100);
    output(f, 120, 1);
    flush(f, 130, 140);
    output(f, 150, 2);
    flush(f, 160, 170);
    output(f, 180, 3);
    flush(f, 190, 200);
    emlat_root_work_end(&f->producer, cause, 210);
    struct emlat_record record = take(f);
    ROOT_IS(record, t_first_output_begin, 120);
    ROOT_IS(record, t_first_flush_end, 140);
    ROOT_IS(record, t_output_begin, 180);
    ROOT_IS(record, t_output_end, 190);
    ROOT_IS(record, t_flush_begin, 190);
    ROOT_IS(record, t_flush_end, 200);
    ROOT_IS(record, final_output_epoch, 3);
    assert_int_equal(counter(&record, FLUSHES), 3);
    assert_int_equal(counter(&record, OUTPUT_BYTES), 6);
    assert_int_equal(counter(&record, OUTPUT_NS), 60);
}

static void failed_flush(void **state)
{
    struct fixture *f = *state;
    uint64_t cause = emlat_root_begin(&f->producer, TIMER, 100);
    output(f, 120, 10);
    emlat_output_flush(&f->producer, TTY, 130, 140, true);
    emlat_root_work_end(&f->producer, cause, 150);
    struct emlat_record record = take(f);
    ROOT_IS(record, t_output_begin, ABSENT);
    ROOT_IS(record, t_flush_end, ABSENT);
    ROOT_IS(record, final_output_epoch, ABSENT);
    assert_int_equal(counter(&record, FLUSHES), 1);
    assert_int_equal(counter(&record, FLUSHES_FAILED), 1);
    assert_int_equal(counter(&record, BYTES_LOST), 10);

    cause = emlat_root_begin(&f->producer, TIMER, 200);
    output(f, 220, 10);
    emlat_output_flush(&f->producer, TTY, 230, 240, true);
    output(f, 250, 4);
    flush(f, 260, 270);
    emlat_root_work_end(&f->producer, cause, 280);
    record = take(f);
    ROOT_IS(record, t_output_begin, 250);
    ROOT_IS(record, t_flush_end, 270);
    ROOT_IS(record, final_output_epoch, 3);
    ROOT_IS(record, t_first_flush_end, ABSENT);
    assert_int_equal(counter(&record, BYTES_LOST), 10);
    assert_int_equal(counter(&record, OUTPUT_BYTES), 14);
    expect_no_more(f);
}

static void drained_together(void **state)
{
    struct fixture *f = *state;
    for (uint64_t i = 1; i <= 2; i++) {
        work(f, COMMAND, 100 * i, 100 * i + 5);
        performed(f, 100 * i + 10);
        emlat_display_begin(&f->producer, 100 * i + 15);
        output(f, 100 * i + 20, i);
        emlat_display_done(&f->producer, 100 * i + 30);
        expect_no_more(f); /* its bytes are not out */
    }
    emlat_output_flush(&f->producer, TTY + 1, 300, 301, false); /* of another terminal */
    expect_no_more(f);
    flush(f, 310, 320);
    for (uint64_t i = 1; i <= 2; i++) {
        struct emlat_record record = take(f);
        ROOT_IS(record, cause_id, i);
        ROOT_IS(record, status, EMLAT_STATUS_normal);
        ROOT_IS(record, t_end, 100 * i + 30);
        ROOT_IS(record, final_output_epoch, 1);
        ROOT_IS(record, t_output_begin, 120);
        ROOT_IS(record, t_flush_begin, 310);
        ROOT_IS(record, t_flush_end, 320);
        assert_int_equal(counter(&record, OUTPUT_BYTES), i);
    }
    expect_no_more(f);
}

/* Bytes on two terminals: the interaction goes out with the last flush, whose times it has.  */
static void drained_on_two_terminals(void **state)
{
    struct fixture *f = *state;
    uint64_t cause = emlat_root_begin(&f->producer, TIMER, 100);
    output(f, 110, 1);
    f->now = 120;
    emlat_output(&f->producer, TTY + 1, 2);
    emlat_root_work_end(&f->producer, cause, 130);
    flush(f, 140, 150);
    expect_no_more(f);
    emlat_output_flush(&f->producer, TTY + 1, 160, 170, false);
    struct emlat_record record = take(f);
    ROOT_IS(record, t_first_flush_end, 150);
    ROOT_IS(record, t_flush_end, 170);
    ROOT_IS(record, t_output_begin, 120);
    assert_int_equal(counter(&record, OUTPUT_BYTES), 3);
    assert_int_equal(counter(&record, FLUSHES), 2); /* nobody else was there to be charged */
    assert_int_equal(counter(&record, OUTPUT_NS), 40 + 50);
}

/* ---- Closing ----------------------------------------------------------------------------------
 */

static void closed(void **state)
{
    struct fixture *f = *state;
    uint64_t drains = emlat_root_begin(&f->producer, TIMER, 10);
    output(f, 20, 1);
    emlat_root_work_end(&f->producer, drains, 30);
    uint64_t waits = work(f, COMMAND, 100, 160);
    uint64_t open = emlat_root_begin(&f->producer, TIMER, 200);
    struct emlat_span span = emlat_span_begin_at(&f->producer, SPAN_COMMAND, 210);
    emlat_machine_close(&f->producer, 300);

    struct emlat_record record = take(f);
    SPAN_IS(record, span_id, span.id);
    SPAN_IS(record, status, EMLAT_STATUS_open);
    SPAN_IS(record, wall_ns, ABSENT);
    record = take(f);
    ROOT_IS(record, cause_id, drains);
    ROOT_IS(record, status, EMLAT_STATUS_normal);
    ROOT_IS(record, t_end, 30);
    ROOT_IS(record, t_flush_end, ABSENT);
    record = take(f);
    ROOT_IS(record, cause_id, waits);
    ROOT_IS(record, status, EMLAT_STATUS_open);
    ROOT_IS(record, presentation, EMLAT_PRESENTATION_pending);
    ROOT_IS(record, t_end, ABSENT);
    record = take(f);
    ROOT_IS(record, cause_id, open);
    ROOT_IS(record, status, EMLAT_STATUS_open);
    ROOT_IS(record, presentation, ABSENT);
    ROOT_IS(record, t_command_begin, 210);
    ROOT_IS(record, t_command_end, ABSENT);
    ROOT_IS(record, t_end, ABSENT);
    expect_no_more(f);
    assert_int_equal(f->machine.used, 0);
    assert_int_equal(emlat_roots_open(&f->producer), 0);

    /* The next owner's output begins an epoch of its own.  */
    uint64_t next = emlat_root_begin(&f->producer, TIMER, 1000);
    output(f, 1010, 2);
    flush(f, 1020, 1030);
    emlat_root_work_end(&f->producer, next, 1040);
    record = take(f);
    ROOT_IS(record, t_output_begin, 1010);
    assert_int_equal(counter(&record, OUTPUT_NS), 20);
}

static void off(void **state)
{
    struct fixture *f = *state;
    f->producer.recording = 0;
    assert_int_equal(work(f, COMMAND, 100, 160), 0);
    output(f, 165, 1);
    flush(f, 170, 180);
    emlat_display_decide(&f->producer, EMLAT_DISPLAY_INPUT_PENDING, 190);
    emlat_span_end(&f->producer, emlat_span_begin(&f->producer, SPAN_PLAIN));
    emlat_input_batch(&f->producer, TTY, 0, 0, 200, 210, 1);
    emlat_input_queued(&f->producer, 1);
    emlat_input_empty(NULL, TTY, 220);
    emlat_input_ready(NULL, TTY, 220, EMLAT_SEEN_BY_POLL);
    emlat_input_poll(NULL, TTY, 220, 230, true);
    assert_int_equal(emlat_input_batch(NULL, TTY, 0, 0, 240, 250, 1), 0);
    emlat_input_queued(NULL, 1);
    expect_no_more(f);
}

/* ---- Input ------------------------------------------------------------------------------------
 */

static void expect_arrival(struct fixture *f, uint64_t batch, uint64_t offset, uint64_t t_earliest,
                           uint32_t earliest_quality, uint64_t t_latest, uint32_t latest_quality)
{
    struct emlat_arrival arrival;
    assert_true(emlat_input_arrival(f->machine.input, batch, offset, &arrival));
    assert_int_equal(arrival.t_earliest, t_earliest);
    assert_int_equal(arrival.earliest_quality, earliest_quality);
    assert_int_equal(arrival.t_latest, t_latest);
    assert_int_equal(arrival.latest_quality, latest_quality);
}

/* Seen empty at 50 and ready at 60, two bytes counted at 70, three read from 80 to 90.  */
static uint64_t first_batch(struct fixture *f)
{
    emlat_input_empty(&f->producer, TTY, 50);
    emlat_input_ready(&f->producer, TTY, 60, EMLAT_SEEN_BY_OBSERVER);
    emlat_input_ready(&f->producer, TTY, 65, EMLAT_SEEN_BY_POLL); /* only the first counts */
    return emlat_input_batch(&f->producer, TTY, 70, 2, 80, 90, 3);
}

static void bounds(void **state)
{
    struct fixture *f = *state;
    const uint32_t read = EMLAT_QUALITY_read;
    uint64_t batch = first_batch(f);
    assert_int_equal(batch, 1);
    expect_arrival(f, batch, 0, 50, read, 60, EMLAT_QUALITY_observer_ready);
    expect_arrival(f, batch, 1, 50, read, 70, read);
    expect_arrival(f, batch, 2, 50, read, 90, read);
    emlat_input_queued(&f->producer, 2);
    struct emlat_record record = take(f);
    IS(INPUT, record, batch_id, 1);
    IS(INPUT, record, terminal_id, TTY);
    IS(INPUT, record, t_known_empty, 50);
    IS(INPUT, record, empty_quality, read);
    IS(INPUT, record, t_ready, 60);
    IS(INPUT, record, ready_quality, EMLAT_QUALITY_observer_ready);
    IS(INPUT, record, t_counted, 70);
    IS(INPUT, record, bytes_counted, 2);
    IS(INPUT, record, t_read_begin, 80);
    IS(INPUT, record, t_read_end, 90);
    IS(INPUT, record, bytes_read, 3);
    IS(INPUT, record, bytes_queued, 2);

    /* Not seen empty since: ready proves nothing about the first byte.  */
    emlat_input_ready(&f->producer, TTY, 95, EMLAT_SEEN_BY_POLL);
    batch = emlat_input_batch(&f->producer, TTY, 0, 0, 100, 110, 1);
    expect_arrival(f, batch, 0, 50, read, 110, read);
    emlat_input_queued(&f->producer, 1);
    record = take(f);
    IS(INPUT, record, t_ready, ABSENT);
    IS(INPUT, record, ready_quality, ABSENT);
    IS(INPUT, record, t_counted, ABSENT);
    IS(INPUT, record, bytes_counted, ABSENT);

    /* Another terminal knows nothing yet.  */
    batch = emlat_input_batch(&f->producer, TTY + 1, 0, 0, 120, 130, 1);
    expect_arrival(f, batch, 0, 0, 0, 130, read);
}

static void bounds_by_poll(void **state)
{
    struct fixture *f = *state;
    emlat_input_poll(&f->producer, TTY, 100, 200, true); /* blocked: empty until it woke */
    uint64_t batch = emlat_input_batch(&f->producer, TTY, 0, 0, 210, 220, 2);
    expect_arrival(f, batch, 0, 190, EMLAT_QUALITY_inferred, 200, EMLAT_QUALITY_main_poll_ready);
    expect_arrival(f, batch, 1, 190, EMLAT_QUALITY_inferred, 220, EMLAT_QUALITY_read);

    emlat_input_poll(&f->producer, TTY, 300, 305, true); /* came back at once: says nothing */
    batch = emlat_input_batch(&f->producer, TTY, 0, 0, 310, 320, 1);
    expect_arrival(f, batch, 0, 190, EMLAT_QUALITY_inferred, 320, EMLAT_QUALITY_read);

    emlat_input_poll(&f->producer, TTY, 400, 405, false); /* asked, and there was nothing */
    emlat_input_poll(&f->producer, TTY, 410, 412, true);
    batch = emlat_input_batch(&f->producer, TTY, 0, 0, 420, 430, 1);
    expect_arrival(f, batch, 0, 400, EMLAT_QUALITY_main_poll_ready, 412,
                   EMLAT_QUALITY_main_poll_ready);
}

static struct emlat_token token(uint64_t batch, uint32_t offset, uint64_t t_insert)
{
    return (struct emlat_token){batch, t_insert, offset, 0};
}

static void source(void **state)
{
    struct fixture *f = *state;
    struct emlat_source_range range = {0};
    uint64_t batch = first_batch(f);
    emlat_source_add(&range, token(batch, 0, 95), 100);
    emlat_source_add(&range, token(batch, 1, 96), 105); /* after a prefix key */
    uint64_t cause = emlat_root_begin(&f->producer, TIMER, 120);
    emlat_root_source(&f->producer, cause, &range, 110);
    emlat_root_work_end(&f->producer, cause, 130);
    struct emlat_record record = take(f);
    ROOT_IS(record, first_source, emlat_source(batch, 0, 1));
    ROOT_IS(record, decisive_source, emlat_source(batch, 1, 2));
    ROOT_IS(record, t_first_earliest, 50);
    ROOT_IS(record, t_first_latest, 60);
    ROOT_IS(record, t_input_earliest, 50);
    ROOT_IS(record, t_input_latest, 70);
    ROOT_IS(record, earliest_quality, EMLAT_QUALITY_read);
    ROOT_IS(record, latest_quality, EMLAT_QUALITY_read);
    ROOT_IS(record, t_input_ready, 60);
    ROOT_IS(record, t_read_begin, 80);
    ROOT_IS(record, t_read_end, 90);
    ROOT_IS(record, t_queue_insert, 96);
    ROOT_IS(record, t_queue_remove, 105);
    ROOT_IS(record, t_key_decode_done, 110);
    ROOT_IS(record, terminal_id, TTY);
    assert_int_equal(counter(&record, BATCH_BYTES), 3);
}

static void source_of_one(void **state)
{
    struct fixture *f = *state;
    struct emlat_source_range range = {0};
    uint64_t batch = first_batch(f);
    emlat_source_add(&range, token(batch, 0, 95), 100);
    uint64_t cause = emlat_root_begin(&f->producer, TIMER, 120);
    emlat_root_source(&f->producer, cause, &range, 110);
    emlat_root_work_end(&f->producer, cause, 130);
    struct emlat_record record = take(f);
    ROOT_IS(record, first_source, emlat_source(batch, 0, 1));
    ROOT_IS(record, decisive_source, emlat_source(batch, 0, 1));
    ROOT_IS(record, t_first_latest, ABSENT);
    ROOT_IS(record, t_input_latest, 60);
    ROOT_IS(record, latest_quality, EMLAT_QUALITY_observer_ready);
}

static void source_synthetic(void **state)
{
    struct fixture *f = *state;
    struct emlat_source_range range = {0};
    emlat_source_add(&range, token(0, 0, 95), 100); /* an event that is no terminal's */
    uint64_t cause = emlat_root_begin(&f->producer, TIMER, 120);
    emlat_root_source(&f->producer, cause, &range, 110);
    emlat_root_work_end(&f->producer, cause, 130);
    struct emlat_record record = take(f);
    ROOT_IS(record, t_key_decode_done, 110);
    ROOT_IS(record, first_source, ABSENT);
    ROOT_IS(record, decisive_source, ABSENT);
    ROOT_IS(record, t_input_latest, ABSENT);
    ROOT_IS(record, t_queue_insert, ABSENT);

    /* A key, then such an event, which decided.  */
    range = (struct emlat_source_range){0};
    uint64_t batch = first_batch(f);
    emlat_source_add(&range, token(batch, 0, 195), 200);
    emlat_source_add(&range, token(0, 0, 196), 201);
    cause = emlat_root_begin(&f->producer, TIMER, 220);
    emlat_root_source(&f->producer, cause, &range, 210);
    emlat_root_work_end(&f->producer, cause, 230);
    record = take(f);
    ROOT_IS(record, first_source, emlat_source(batch, 0, 1));
    ROOT_IS(record, decisive_source, ABSENT);
    ROOT_IS(record, t_input_latest, ABSENT);
    ROOT_IS(record, t_queue_remove, ABSENT);
}

static void source_of_old_batch(void **state)
{
    struct fixture *f = *state;
    struct emlat_source_range range = {0};
    struct emlat_arrival arrival;
    uint64_t batch = first_batch(f);
    for (uint64_t i = 0; i < EMLAT_BATCHES_KEPT; i++)
        emlat_input_batch(&f->producer, TTY, 0, 0, 1000 + i, 1001 + i, 1);
    assert_false(emlat_input_arrival(f->machine.input, batch, 0, &arrival));
    assert_false(emlat_input_arrival(f->machine.input, 0, 0, &arrival));
    assert_true(emlat_input_arrival(f->machine.input, batch + 1, 0, &arrival));
    emlat_source_add(&range, token(batch, 0, 95), 9000);
    uint64_t cause = emlat_root_begin(&f->producer, TIMER, 9020);
    emlat_root_source(&f->producer, cause, &range, 9010);
    emlat_root_work_end(&f->producer, cause, 9030);
    struct emlat_record record = take(f);
    ROOT_IS(record, decisive_source, emlat_source(batch, 0, 1));
    ROOT_IS(record, t_queue_insert, 95);
    ROOT_IS(record, t_queue_remove, 9000);
    ROOT_IS(record, t_input_earliest, ABSENT);
    ROOT_IS(record, t_input_latest, ABSENT);
    ROOT_IS(record, latest_quality, ABSENT);
    ROOT_IS(record, t_read_begin, ABSENT);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(flushed),
        CASE(no_output),
        CASE(superseded),
        CASE(not_reached),
        CASE(skipped_for_each_reason),
        CASE(stale_screen),
        CASE(shows_after_its_end),
        CASE(last_of_a_batch_shows),
        CASE(shows_inside_a_command),
        CASE(decision_ends_what_shows),
        CASE(observed_and_scheduled),
        CASE(counted_by_all),
        CASE(timer_between),
        CASE(flushed_then_superseded),
        CASE(counters_and_frame),
        CASE(nested),
        CASE(abandoned),
        CASE(serving_left_by_throw),
        CASE(outcomes),
        CASE(end_after_unwinding),
        CASE(cpu_of_spans),
        CASE(counters_of_spans),
        CASE(run_delay),
        CASE(parent_of_a_late_span),
        CASE(short_spans_are_left_out),
        CASE(recorded_while_unwinding),
        CASE(open_in_a_display),
        CASE(inner_span_dropped),
        CASE(whole_span),
        CASE(stamps_while_serving),
        CASE(too_deep),
        CASE(too_deep_while_serving),
        CASE(first_and_final_flush),
        CASE(failed_flush),
        CASE(drained_together),
        CASE(drained_on_two_terminals),
        CASE(closed),
        CASE(off),
        CASE(bounds),
        CASE(bounds_by_poll),
        CASE(source),
        CASE(source_of_one),
        CASE(source_synthetic),
        CASE(source_of_old_batch),
    };
    return cmocka_run_group_tests_name("interaction", tests, NULL, NULL);
}

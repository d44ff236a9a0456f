/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The bench's worked cases, each through the whole way: bench.h on a virtual clock, the writer, the
   file, the reader, the analysis.  Expected values are the cases' own, in milliseconds.  */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "counters.h"
#include "load.h"

#include <emlat/bench.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS ((uint64_t)1000000)

enum { A = 1, B, P, C, C2, RENDER, X };
static const struct emlat_word_row spans[] = {
    {A, EMLAT_SPAN_TOP_LEVEL, "a", ""},
    {B, EMLAT_SPAN_TOP_LEVEL, "b", ""},
    {P, 0, "p", ""},
    {C, 0, "c", ""},
    {C2, 0, "c2", ""},
    {RENDER, EMLAT_SPAN_TOP_LEVEL | EMLAT_SPAN_RENDER, "render", ""},
    {X, 0, "x", ""},
};
enum { COST, DRAWS, GAUGE, CODE, PASS_A, PASS_B, AGE, BODY, GAP, DONE };
static const struct emlat_word_row counters[] = {
    {COST, EMLAT_COUNTER_SUM, "cost", "ns"},
    {DRAWS, EMLAT_COUNTER_SUM, "draws", ""},
    {GAUGE, EMLAT_COUNTER_LAST, "gauge", ""},
    {CODE, EMLAT_COUNTER_ENUM, "code", ""},
    {PASS_A, EMLAT_COUNTER_SUM | EMLAT_COUNTER_GPU, "gpu_a", "ns"},
    {PASS_B, EMLAT_COUNTER_SUM | EMLAT_COUNTER_GPU, "gpu_b", "ns"},
    {AGE, EMLAT_COUNTER_LAST | EMLAT_COUNTER_AGE, "age", "ns"},
    {BODY, EMLAT_COUNTER_SUM, "body", "ns"},
    {GAP, EMLAT_COUNTER_SUM | EMLAT_COUNTER_GAP, "gap", "ns"},
    {DONE, EMLAT_COUNTER_SUM | EMLAT_COUNTER_CADENCE, "rendered", ""},
};
enum { READY = 1, OPENED, READ, WALK, IMAGE, AUDIO, LOADING, STALE };
static const struct emlat_word_row marks[] = {
    {READY, EMLAT_MARK_MILESTONE | EMLAT_MARK_PLAYABLE, "playable", ""},
    {OPENED, EMLAT_MARK_MILESTONE, "opened", ""},
    {READ, EMLAT_MARK_STAGE, "read", ""},
    {WALK, EMLAT_MARK_STAGE, "walk", ""},
    {IMAGE, EMLAT_MARK_JOB, "image", ""},
    {AUDIO, EMLAT_MARK_JOB, "audio", ""},
    {LOADING, EMLAT_MARK_STATE, "loading", ""},
    {STALE, EMLAT_MARK_REASON, "stale", ""},
};
#define COUNT(rows) (uint32_t)(sizeof(rows) / sizeof *(rows))
static const struct emlat_vocabulary words = {.spans = spans,
                                              .spans_count = COUNT(spans),
                                              .counters = counters,
                                              .counters_count = COUNT(counters),
                                              .marks = marks,
                                              .marks_count = COUNT(marks)};
/* Without the render root.  */
static const struct emlat_vocabulary serial = {.spans = spans, .spans_count = 5};

static _Atomic uint64_t now; /* the writer thread reads it */
static uint64_t rss;
static char path[64];
static struct emlat_bench *bench;
static struct emlat_bench_thread *t1, *t2, *t3;
static struct emlat_run run;
static struct emlat_frames frames;
static struct emlat_counters counted;
static struct emlat_load load;
static bool analyzed;

static void done(void)
{
    emlat_counters_free(&counted);
    emlat_frames_free(&frames);
    emlat_load_free(&load);
    emlat_run_free(&run);
    unlink(path);
    analyzed = false;
}

static void begin_with(const struct emlat_vocabulary *vocabulary)
{
    struct emlat_bench_options options;
    if (analyzed)
        done();
    now = 0;
    snprintf(path, sizeof path, "/tmp/emlat-cases-%d.emlat", (int)getpid());
    unlink(path);
    assert_int_equal(emlat_bench_options_default(&options), 0);
    options.session.path = path;
    options.session.words = vocabulary;
    options.session.host = "cases";
    options.session.producers = 3;
    options.session.clock = EMLAT_CLOCK_VIRTUAL;
    options.session.virtual_now = (const uint64_t *)&now;
    options.virtual_rss = &rss;
    assert_int_equal(emlat_bench_start(&options, &bench), 0);
    assert_int_equal(emlat_bench_join(bench, &t1), 0);
    assert_int_equal(emlat_bench_join(bench, &t2), 0);
    assert_int_equal(emlat_bench_join(bench, &t3), 0);
}

/* All frames of these are live at once.  */
static void begin(void)
{
    begin_with(&words);
    emlat_bench_reach(t1, READY, 0);
}

/* The run ends at T; what it was is in run, frames, counted and load until the next case.  */
static void end_with(uint64_t t, size_t rows)
{
    now = t * MS;
    assert_int_equal(emlat_bench_stop(bench, 1000 * MS), 0);
    assert_int_equal(emlat_run_read(&run, path), 0);
    assert_int_equal(run.records_lost, 0);
    assert_int_equal(emlat_frames_from(&frames, &run, rows), 0);
    assert_int_equal(emlat_counters_from(&counted, &frames), 0);
    assert_int_equal(emlat_load_from(&load, &run), 0);
    analyzed = true;
}

static void end(uint64_t t)
{
    end_with(t, EMLAT_ROWS_DEFAULT);
}

static void frame(uint64_t t)
{
    now = t * MS;
    emlat_bench_frame(t1, 0);
}

static struct emlat_bench_span open_on(struct emlat_bench_thread *thread, uint32_t kind, uint64_t t)
{
    now = t * MS;
    return emlat_bench_begin(thread, kind, 0);
}

static void close_on(struct emlat_bench_thread *thread, struct emlat_bench_span span, uint64_t t)
{
    now = t * MS;
    emlat_bench_end(thread, span, 0);
}

static void whole(struct emlat_bench_thread *thread, uint32_t kind, uint64_t from, uint64_t to)
{
    close_on(thread, open_on(thread, kind, from), to);
}

static size_t place(uint32_t kind)
{
    for (size_t i = 0; i < frames.kinds_count; i++)
        if (frames.kinds[i].number == kind)
            return i;
    fail_msg("kind %u is not there", kind);
    return 0;
}

static const struct emlat_kind *kind(uint32_t number)
{
    return &frames.kinds[place(number)];
}

static uint64_t overlap(size_t row, uint32_t number)
{
    return frames.rows[row].overlap[place(number)];
}

static const struct emlat_counter *counter(uint32_t number)
{
    for (size_t i = 0; i < counted.counters_count; i++)
        if (counted.counters[i].number == number)
            return &counted.counters[i];
    fail_msg("counter %u is not there", number);
    return NULL;
}

#define EXPECT_MS(value, ms) assert_int_equal((value), (uint64_t)(ms)*MS)

static void case_1_two_threads_cover_once(void **state)
{
    (void)state;
    begin();
    frame(0);
    struct emlat_bench_span a = open_on(t1, A, 0), b = open_on(t2, B, 0);
    close_on(t1, a, 10);
    close_on(t2, b, 10);
    frame(10);
    end(10);
    EXPECT_MS(frames.rows[0].covered_ns, 10);
    EXPECT_MS(emlat_row_unclassified(&frames.rows[0]), 0);
}

static void case_2_a_hole_is_unclassified(void **state)
{
    (void)state;
    begin();
    frame(0);
    whole(t1, A, 0, 3);
    whole(t1, B, 7, 10);
    frame(10);
    end(10);
    EXPECT_MS(frames.rows[0].covered_ns, 6);
    EXPECT_MS(emlat_row_unclassified(&frames.rows[0]), 4);
}

static void case_3_any_order_of_arrival(void **state)
{
    static const uint64_t stretch[3][2] = {{2, 6}, {5, 9}, {12, 15}};
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    struct emlat_bench_thread *on[3];
    (void)state;
    for (int i = 0; i < 6; i++) {
        begin();
        frame(0);
        on[0] = t1;
        on[1] = t2;
        on[2] = t3;
        for (int k = 0; k < 3; k++) {
            const uint64_t *is = stretch[order[i][k]];
            emlat_bench_end(on[k], emlat_bench_begin(on[k], A, is[0] * MS), is[1] * MS);
        }
        frame(20);
        end(20);
        EXPECT_MS(frames.rows[0].covered_ns, 10);
        EXPECT_MS(emlat_row_unclassified(&frames.rows[0]), 10);
    }
}

static void case_4_a_span_over_four_frames(void **state)
{
    static const uint64_t part[] = {3, 10, 10, 6}, carried[] = {0, 0, 0, 23};
    uint64_t sum = 0;
    (void)state;
    begin();
    frame(0);
    struct emlat_bench_span a = open_on(t2, A, 7);
    frame(10);
    frame(20);
    frame(30);
    close_on(t2, a, 36);
    frame(40);
    end(40);
    for (size_t i = 0; i < 4; i++) {
        EXPECT_MS(overlap(i, A), part[i]);
        EXPECT_MS(frames.rows[i].carried_in_ns, carried[i]);
        assert_int_equal(frames.rows[i].carried_spans, i == 3);
        EXPECT_MS(emlat_row_unclassified(&frames.rows[i]), 10 - part[i]);
        sum += overlap(i, A);
    }
    EXPECT_MS(sum, 29);
    assert_int_equal(kind(A)->calls.count, 1);
    EXPECT_MS(kind(A)->calls.values[0], 29);
}

static void case_5_render_one_frame_behind(void **state)
{
    (void)state;
    begin();
    frame(0);
    struct emlat_bench_span main = open_on(t1, A, 0), render = open_on(t2, RENDER, 5);
    close_on(t1, main, 9);
    frame(10);
    main = open_on(t1, A, 10);
    close_on(t2, render, 15);
    close_on(t1, main, 19);
    frame(20);
    end(20);
    const struct emlat_row *row = frames.rows;
    EXPECT_MS(row[0].covered_ns, 10);
    EXPECT_MS(row[0].main_covered_ns, 9);
    EXPECT_MS(row[0].render_ns, 5);
    EXPECT_MS(emlat_row_overlap(&row[0]), 4);
    EXPECT_MS(emlat_row_unclassified(&row[0]), 0);
    EXPECT_MS(row[1].covered_ns, 9);
    EXPECT_MS(emlat_row_overlap(&row[1]), 5);
    EXPECT_MS(emlat_row_unclassified(&row[1]), 1);
    EXPECT_MS(row[1].carried_in_ns, 5);
    EXPECT_MS(frames.overlap_ns, 9);
    assert_int_equal(frames.overlap_rows, 2);
    assert_int_equal(row[1].render_thread, 2);
    assert_int_equal(row[0].render_thread, 0);
}

static void case_6_serial_has_no_overlap(void **state)
{
    (void)state;
    begin();
    frame(0);
    whole(t1, A, 0, 6);
    whole(t1, RENDER, 6, 9);
    frame(10);
    end(10);
    EXPECT_MS(emlat_row_overlap(&frames.rows[0]), 0);
    EXPECT_MS(emlat_row_unclassified(&frames.rows[0]), 1);
    assert_true(frames.has_render);
    begin_with(&serial);
    frame(0);
    frame(10);
    end(10);
    assert_false(frames.has_render);
}

static void case_7_self_by_interval(void **state)
{
    (void)state;
    begin();
    frame(0);
    struct emlat_bench_span p = open_on(t1, P, 0);
    now = 1 * MS;
    struct emlat_bench_span c1 = emlat_bench_begin_under(t2, C, p, 0);
    struct emlat_bench_span c2 = emlat_bench_begin_under(t3, C, p, 0);
    close_on(t2, c1, 9);
    close_on(t3, c2, 9);
    close_on(t1, p, 10);
    frame(10);
    end(10);
    EXPECT_MS(kind(C)->calls.total, 16);
    EXPECT_MS(kind(P)->self_ns, 2);
    assert_true(kind(P)->parallel);
    assert_int_equal(kind(C)->parent, place(P));
    assert_int_equal(frames.broken_rows, 0);
    EXPECT_MS(frames.unclassified_ns, 10);
}

static void case_8_a_child_outlives(void **state)
{
    (void)state;
    begin();
    frame(0);
    struct emlat_bench_span p = open_on(t1, P, 0), c = open_on(t1, C, 2);
    close_on(t1, p, 6);
    close_on(t1, c, 9);
    frame(10);
    end(10);
    assert_int_equal(frames.broken_rows, 1);
    EXPECT_MS(frames.rows[0].over_parent_ns, 1);
    assert_int_equal(frames.rows[0].over_kind, place(C));
    assert_int_equal(kind(P)->misnested + kind(C)->misnested, 1);
    EXPECT_MS(overlap(0, C), 7);
    EXPECT_MS(overlap(0, P), 6);
}

static void case_9_ended_on_another_thread(void **state)
{
    (void)state;
    begin();
    frame(0);
    struct emlat_bench_span x = open_on(t1, X, 1), a = open_on(t1, A, 2);
    close_on(t2, a, 8);
    close_on(t1, x, 8);
    whole(t1, C, 8, 9);
    frame(10);
    end(10);
    EXPECT_MS(kind(A)->calls.values[0], 6);
    EXPECT_MS(overlap(0, A), 6);
    EXPECT_MS(frames.rows[0].covered_ns, 6);
    assert_int_equal(kind(A)->migrated, 1);
    assert_int_equal(kind(A)->parents, 0);
    /* The first thread does not keep it as a parent.  */
    assert_int_equal(kind(C)->parent, -1);
    assert_int_equal(kind(C)->calls_outermost, 1);
}

static void case_10_recursion(void **state)
{
    (void)state;
    begin();
    frame(0);
    struct emlat_bench_span outer = open_on(t1, A, 0), inner = open_on(t1, A, 4);
    close_on(t1, inner, 6);
    close_on(t1, outer, 9);
    frame(10);
    end(10);
    assert_int_equal(kind(A)->calls.count, 2);
    EXPECT_MS(kind(A)->calls.values[0], 2);
    EXPECT_MS(kind(A)->calls.values[1], 9);
    EXPECT_MS(kind(A)->outer_ns, 9);
    assert_int_equal(kind(A)->recursive, 1);
    EXPECT_MS(overlap(0, A), 9);
    EXPECT_MS(frames.rows[0].covered_ns, 9);
    assert_int_equal(kind(A)->unmatched, 0);
}

static void case_11_one_kind_on_two_threads(void **state)
{
    (void)state;
    begin();
    frame(0);
    struct emlat_bench_span one = open_on(t1, A, 0), two = open_on(t2, A, 2);
    close_on(t2, two, 8);
    close_on(t1, one, 10);
    frame(10);
    end(10);
    assert_int_equal(kind(A)->calls.count, 2);
    EXPECT_MS(kind(A)->calls.total, 16);
    EXPECT_MS(frames.rows[0].covered_ns, 10);
}

static void case_12_an_end_or_a_begin_alone(void **state)
{
    (void)state;
    begin();
    frame(0);
    emlat_bench_unmatched(t1, C, 3 * MS);
    struct emlat_bench_span twice = open_on(t1, P, 3);
    close_on(t1, twice, 3);
    close_on(t1, twice, 3);
    open_on(t1, A, 4);
    end(10);
    assert_int_equal(kind(C)->calls.count, 0);
    assert_int_equal(kind(C)->unmatched, 1);
    assert_int_equal(kind(P)->calls.count, 1);
    assert_int_equal(kind(P)->unmatched, 1);
    EXPECT_MS(overlap(0, A), 6);
    assert_true(frames.rows[0].open_at_exit);
    assert_int_equal(kind(A)->calls.count, 0);
    assert_int_equal(kind(A)->open, 1);
}

static void case_13_before_the_first_frame(void **state)
{
    (void)state;
    begin();
    whole(t1, C, 5, 95);
    struct emlat_bench_span into = open_on(t1, P, 95);
    frame(100);
    close_on(t1, into, 105);
    frame(110);
    end(110);
    EXPECT_MS(overlap(0, C), 0);
    assert_false(emlat_row_ran(&frames.rows[0], place(C)));
    assert_int_equal(kind(C)->before_first, 1);
    assert_int_equal(kind(C)->calls.count, 0); /* of the live phase; it was of loading */
    EXPECT_MS(run.spans[0].t_end - run.spans[0].t_begin, 90);
    EXPECT_MS(overlap(0, P), 5);
    EXPECT_MS(frames.rows[0].carried_in_ns, 5);
}

static void case_14_playable_inside_a_frame(void **state)
{
    (void)state;
    begin_with(&words);
    frame(0);
    frame(10);
    whole(t1, C, 11, 12);
    emlat_bench_reach(t1, READY, 15 * MS);
    emlat_bench_reach(t1, READY, 16 * MS);
    whole(t1, C, 17, 18);
    frame(20);
    whole(t1, C, 20, 30);
    frame(30);
    end(30);
    assert_false(frames.rows[0].live);
    assert_false(frames.rows[1].live);
    assert_true(frames.rows[2].live);
    EXPECT_MS(run.t_playable, 15);
    assert_int_equal(frames.walls.count, 1);
    /* It ended exactly with its frame, and belongs to that one.  */
    assert_int_equal(kind(C)->calls.count, 1);
    EXPECT_MS(kind(C)->calls.values[0], 10);
}

static void case_15_the_exit_frame_is_no_frame_time(void **state)
{
    (void)state;
    begin();
    for (uint64_t t = 0; t <= 30; t += 10)
        frame(t);
    end(32);
    assert_int_equal(frames.walls.count, 3);
    EXPECT_MS(frames.walls.total / frames.walls.count, 10);
    EXPECT_MS(frames.walls.values[0], 10);
    assert_int_equal(frames.rows_count, 4);
    assert_true(frames.rows[3].frame->partial);
    EXPECT_MS(emlat_row_wall(&frames.rows[3]), 2);
    assert_int_equal(frames.partial, 1);
}

static void case_16_quit_at_the_first_playable_frame(void **state)
{
    (void)state;
    begin_with(&words);
    frame(0);
    emlat_bench_count(t1, DRAWS, 7);
    emlat_bench_reach(t1, READY, 5 * MS);
    end(9);
    assert_true(run.playable);
    assert_int_equal(frames.walls.count, 0);
    assert_int_equal(counter(DRAWS)->samples[EMLAT_PHASE_LIVE].count, 0);
    assert_int_equal(counter(DRAWS)->samples[EMLAT_PHASE_LOAD].count, 1);
}

struct stage_case {
    uint64_t begin, end, sole;
};

static void check_stages(const struct stage_case *wanted, size_t count, uint64_t held,
                         uint64_t together, uint64_t gap, uint64_t window)
{
    uint32_t open[8];
    begin();
    for (size_t i = 0; i < count; i++)
        open[i] = emlat_bench_stage_begin(t1, READ, 0, wanted[i].begin * MS + 1);
    for (size_t i = 0; i < count; i++)
        emlat_bench_stage_end(t2, open[i], wanted[i].end * MS + 1, EMLAT_OUTCOME_NORMAL);
    end(1000);
    assert_int_equal(load.stages_count, count);
    EXPECT_MS(load.held_ns, held);
    EXPECT_MS(load.union_ns, together);
    EXPECT_MS(load.gap_ns, gap);
    EXPECT_MS(load.window_ns, window);
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (size_t k = 0; k < count; k++) {
            const struct emlat_stage *stage = &load.stages[k];
            if (found || stage->t_begin != wanted[i].begin * MS + 1 ||
                stage->t_end != wanted[i].end * MS + 1)
                continue;
            found = true;
            EXPECT_MS(stage->sole_open_ns, wanted[i].sole);
        }
        assert_true(found);
    }
}

static void case_17_sole_open(void **state)
{
    (void)state;
    check_stages((struct stage_case[]){{0, 150, 100}, {100, 200, 50}}, 2, 250, 200, 0, 200);
    check_stages((struct stage_case[]){{0, 200, 150}, {50, 100, 0}}, 2, 250, 200, 0, 200);
}

static void case_18_gaps_and_stages_of_no_length(void **state)
{
    (void)state;
    check_stages((struct stage_case[]){{0, 100, 50}, {50, 150, 50}, {400, 500, 100}}, 3, 300, 250,
                 250, 500);
    check_stages((struct stage_case[]){{50, 50, 0}, {0, 100, 60}, {60, 100, 0}}, 3, 140, 100, 0,
                 100);
    check_stages((struct stage_case[]){{0, 40, 40}, {40, 100, 0}, {40, 100, 0}}, 3, 160, 100, 0,
                 100);
}

static void case_19_memory_is_the_processes(void **state)
{
    (void)state;
    begin();
    rss = 100;
    uint32_t a = emlat_bench_stage_begin(t1, READ, 0, 1);
    uint32_t b = emlat_bench_stage_begin(t2, WALK, 0, 1);
    rss = 300;
    emlat_bench_stage_end(t1, a, 10 * MS, EMLAT_OUTCOME_NORMAL);
    emlat_bench_stage_end(t2, b, 10 * MS, EMLAT_OUTCOME_NORMAL);
    end(20);
    assert_int_equal(load.rss_most - load.rss_least, 200);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(load.stages[i].entry->value[EMLAT_STAGE_rss_begin], 100);
        assert_int_equal(load.stages[i].entry->value[EMLAT_STAGE_rss_end], 300);
    }
}

static void case_20_a_job(void **state)
{
    static const uint64_t at[] = {1, 10, 30, 50, 80, 200, 260};
    static const struct {
        enum emlat_bench_job_number number;
        uint64_t value;
    } said[] = {{EMLAT_JOB_PREPARED, 100},
                {EMLAT_JOB_REUSED, 40},
                {EMLAT_JOB_RETAINED, 90},
                {EMLAT_JOB_DISCARDED, 50}};
    (void)state;
    begin();
    uint64_t job = emlat_bench_job(t1, IMAGE, 7, 0, at[0] * MS);
    uint64_t empty = emlat_bench_job(t1, IMAGE, 8, job, 2 * MS);
    for (int i = 1; i < EMLAT_JOB_STAMPS; i++) {
        emlat_bench_job_stamp(t2, job, (enum emlat_bench_stamp)i, at[i] * MS);
        emlat_bench_job_stamp(t2, job, (enum emlat_bench_stamp)i, 999 * MS); /* first one counts */
        if (i != EMLAT_JOB_DECODE_STARTED)
            emlat_bench_job_stamp(t3, empty, (enum emlat_bench_stamp)i, at[i] * MS);
    }
    for (int i = 0; i < 4; i++)
        emlat_bench_job_number(t1, job, said[i].number, said[i].value);
    emlat_bench_job_close(t1, job);
    end(300);
    const struct emlat_job *is = &load.jobs[0], *without = &load.jobs[1];
    EXPECT_MS(is->ready_to_enqueue.ns, 20);
    EXPECT_MS(is->queue.ns, 20);
    EXPECT_MS(is->budget_wait.ns, 30);
    EXPECT_MS(is->decode.ns, 120);
    EXPECT_MS(is->service.ns, 150);
    EXPECT_MS(is->to_join.ns, 60);
    assert_true(is->has_balance);
    assert_int_equal(is->balance, 0);
    assert_true(is->discarded_without_reason);
    assert_int_equal(load.kinds[0].prepared, 100);
    assert_false(without->budget_wait.has);
    assert_false(without->decode.has);
    EXPECT_MS(without->service.ns, 150);
    assert_int_equal(without->entry->value[EMLAT_JOB_needs_job_id], job);
}

static void case_21_the_gate_is_a_threshold_on_starting(void **state)
{
    (void)state;
    begin();
    uint64_t job = emlat_bench_job(t1, IMAGE, 1, 0, 1);
    emlat_bench_job_stamp(t1, job, EMLAT_JOB_STARTED, 10 * MS);
    emlat_bench_job_stamp(t1, job, EMLAT_JOB_DECODE_STARTED, 10 * MS);
    emlat_bench_job_number(t1, job, EMLAT_JOB_OUTSTANDING, 886);
    end(20);
    assert_int_equal(load.jobs[0].entry->value[EMLAT_JOB_outstanding_bytes], 886);
    assert_true(load.jobs[0].budget_wait.has);
    EXPECT_MS(load.jobs[0].budget_wait.ns, 0);
    assert_int_equal(load.kinds[0].held_back, 0);
}

static void case_22_worker_time(void **state)
{
    (void)state;
    begin();
    for (int i = 0; i < 2; i++) {
        uint64_t job = emlat_bench_job(t1, AUDIO, 1, 0, 1);
        emlat_bench_job_stamp(t1, job, EMLAT_JOB_DECODE_STARTED, 1000 * MS);
        emlat_bench_job_stamp(t1, job, EMLAT_JOB_FINISHED, 4000 * MS);
    }
    uint64_t batch = emlat_bench_job(t1, IMAGE, 1, 0, 1);
    emlat_bench_job_number(t1, batch, EMLAT_JOB_ITEMS, 64);
    emlat_bench_job_number(t1, batch, EMLAT_JOB_ITEMS_FAILED, 1);
    emlat_bench_job_stamp(t1, batch, EMLAT_JOB_DECODE_STARTED, 1000 * MS);
    emlat_bench_job_stamp(t1, batch, EMLAT_JOB_FINISHED, 1640 * MS);
    end(5000);
    EXPECT_MS(load.kinds[0].decode_ns, 6000);
    assert_int_equal(load.kinds[0].items, 2);
    assert_int_equal(load.kinds[1].failed, 1);
    EXPECT_MS(load.kinds[1].decode_ns / load.kinds[1].items, 10);
}

static void case_23_a_gap_and_the_body_in_it(void **state)
{
    (void)state;
    begin();
    frame(0);
    emlat_bench_count(t1, BODY, 3e6);
    emlat_bench_count(t1, GAP, 5e6);
    frame(10);
    end(10);
    EXPECT_MS(counter(BODY)->row[0], 3);
    EXPECT_MS(counter(GAP)->row[0], 5);
    assert_true(counter(GAP)->flags & EMLAT_RUN_GAP);
    assert_false(counter(BODY)->flags & EMLAT_RUN_GAP);
}

static void case_24_late_results_arrive_once(void **state)
{
    (void)state;
    begin();
    for (uint64_t i = 0; i < 12; i++) {
        frame(i * 10);
        if (i >= 10 && emlat_bench_fresh(t1, 0, 7)) {
            emlat_bench_count(t1, PASS_A, 4e6);
            emlat_bench_count(t1, PASS_B, 4e6);
        }
    }
    frame(120);
    end(120);
    assert_false(counter(PASS_A)->has_row[7]);
    assert_true(counter(PASS_A)->has_row[10]);
    assert_false(counter(PASS_A)->has_row[11]);
    EXPECT_MS(counter(PASS_A)->row[10], 4);
    EXPECT_MS(counter(PASS_B)->row[10], 4);
    assert_true(counter(PASS_A)->flags & counter(PASS_B)->flags & EMLAT_RUN_GPU);
}

static void case_25_no_sample_is_not_zero(void **state)
{
    (void)state;
    begin();
    frame(0);
    emlat_bench_count(t1, COST, 0.0);
    emlat_bench_count(t1, DRAWS, (double)NAN);
    emlat_bench_count(t1, DRAWS, -1);
    emlat_bench_count(t1, GAUGE, (double)INFINITY);
    frame(10);
    end(10);
    assert_int_equal(counter(BODY)->samples[EMLAT_PHASE_LIVE].count, 0);
    assert_false(counter(BODY)->has_row[0]);
    assert_int_equal(counter(COST)->samples[EMLAT_PHASE_LIVE].count, 1);
    assert_true(counter(COST)->has_row[0]);
    EXPECT_MS(counter(COST)->row[0], 0);
    assert_int_equal(counter(DRAWS)->samples[EMLAT_PHASE_LIVE].count, 0);
    assert_int_equal(counter(DRAWS)->rejected[EMLAT_PHASE_LIVE], 2);
    assert_false(counter(DRAWS)->has_row[0]);
    assert_int_equal(counter(GAUGE)->rejected[EMLAT_PHASE_LIVE], 1);
}

static void case_26_twice_a_frame(void **state)
{
    (void)state;
    begin();
    for (uint64_t i = 0; i < 100; i++) {
        frame(i * 10);
        emlat_bench_count(t1, COST, 1e6);
        emlat_bench_count(t1, COST, 1e6);
    }
    frame(1000);
    end(1000);
    const struct emlat_distribution *samples = &counter(COST)->samples[EMLAT_PHASE_LIVE];
    assert_int_equal(samples->count, 200);
    EXPECT_MS(samples->total / samples->count, 1);
    assert_int_equal(frames.live, 100);
    EXPECT_MS(samples->total / frames.live, 2);
    EXPECT_MS(counter(COST)->row[5], 2);
}

static void case_27_addressed_to_a_frame(void **state)
{
    (void)state;
    begin();
    for (uint64_t i = 0; i < 6; i++)
        frame(i * 10);
    emlat_bench_count_for(t2, COST, 3, 2e6);
    emlat_bench_count_for(t2, DRAWS, 5, 1);
    frame(60);
    emlat_bench_count_for(t1, GAUGE, 5, 9); /* of frame 5, said after it closed */
    end_with(60, 5);
    assert_true(counter(COST)->has_row[3]);
    EXPECT_MS(counter(COST)->row[3], 2);
    assert_false(counter(COST)->has_row[4]);
    assert_int_equal(counter(DRAWS)->unattributed, 1);
    assert_int_equal(counter(DRAWS)->samples[EMLAT_PHASE_LIVE].count, 1);
    assert_int_equal(counter(GAUGE)->unattributed, 1);
}

static void case_27_allocations_of_the_frame_that_closed(void **state)
{
    (void)state;
    begin();
    frame(0);
    uint64_t then = emlat_bench_frame_now(t1);
    frame(10);
    emlat_bench_count_for(t1, GAUGE, then, 9);
    frame(20);
    end(20);
    assert_int_equal(counter(GAUGE)->row[0], 9);
    assert_false(counter(GAUGE)->has_row[1]);
}

static void case_28_percentiles_are_exact(void **state)
{
    (void)state;
    begin();
    frame(0);
    for (int i = 0; i < 10; i++)
        emlat_bench_count(t1, COST, 100);
    emlat_bench_count(t1, BODY, 10e6);
    frame(10);
    end(10);
    assert_int_equal(emlat_distribution_rank(&counter(COST)->samples[EMLAT_PHASE_LIVE], 500), 100);
    EXPECT_MS(emlat_distribution_rank(&counter(BODY)->samples[EMLAT_PHASE_LIVE], 990), 10);
}

static void frames_of(const uint64_t *walls, size_t count)
{
    uint64_t t = 0;
    begin();
    frame(0);
    for (size_t i = 0; i < count; i++)
        frame(t += walls[i]);
    end(t);
}

static void case_29_nearest_rank(void **state)
{
    uint64_t walls[100];
    (void)state;
    for (int i = 0; i < 100; i++)
        walls[i] = i == 40 ? 110 : 10;
    frames_of(walls, 100);
    EXPECT_MS(frames.walls.total / 100, 11);
    EXPECT_MS(emlat_distribution_rank(&frames.walls, 990), 10);
    EXPECT_MS(frames.walls.values[99], 110);
    frames_of((uint64_t[]){1, 4}, 2);
    /* 2 frames in 5 ms are 400 a second.  */
    assert_int_equal(2 * 1000 * MS / frames.walls.total, 400);
}

static void case_30_a_table_of_three_rows(void **state)
{
    (void)state;
    begin();
    for (uint64_t t = 0; t <= 50; t += 10)
        frame(t);
    end_with(50, 3);
    assert_int_equal(frames.rows_count, 3);
    assert_int_equal(frames.rows_dropped, 3); /* two whole ones, and the one that the exit closed */
    assert_int_equal(frames.walls.count, 5);
    assert_int_equal(frames.live, 3);
}

static void case_31_seventy_roots(void **state)
{
    (void)state;
    begin();
    frame(0);
    for (uint64_t i = 0; i < 70; i++)
        whole(t1, i % 2 ? A : B, 2 * i, 2 * i + 1);
    frame(200);
    end(200);
    EXPECT_MS(frames.rows[0].covered_ns, 70);
    assert_false(frames.rows[0].lower_bound);
}

static void case_32_more_than_one_parent(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        begin();
        frame(0);
        for (int i = 0; i < 2; i++) {
            uint64_t t = (uint64_t)i * 4;
            if (i == order) {
                whole(t1, C, t, t + 1);
                continue;
            }
            struct emlat_bench_span x = open_on(t1, X, t);
            whole(t1, C, t + 1, t + 2);
            close_on(t1, x, t + 3);
        }
        frame(10);
        end(10);
        assert_int_equal(kind(C)->parents, 2);
        assert_int_equal(kind(X)->parents, 1);
    }
}

static void case_33_one_zero(void **state)
{
    (void)state;
    begin_with(&words);
    emlat_bench_reach(t1, OPENED, 3 * MS);
    frame(5);
    emlat_bench_reach(t1, READY, 7 * MS);
    frame(15);
    frame(25);
    end(25);
    /* Frames, milestones and jobs have times of one clock; only the zero of a table is derived. */
    EXPECT_MS(run.t_arm, 0);
    EXPECT_MS(run.frames[0].t_begin, 5);
    EXPECT_MS(load.milestones[0].t, 3);
    EXPECT_MS(load.milestones[1].t, 7);
    EXPECT_MS(load.milestones[1].step_ns, 4);
    assert_true(load.t_zero <= 0); /* the process began before the recorder */
}

static void case_34_gauges_are_not_added(void **state)
{
    (void)state;
    begin();
    frame(0);
    emlat_bench_count(t1, GAUGE, 5);
    emlat_bench_count(t1, GAUGE, 7);
    emlat_bench_count(t1, CODE, 3);
    emlat_bench_count(t1, CODE, 3);
    emlat_bench_count(t1, DRAWS, 5);
    emlat_bench_count(t1, DRAWS, 7);
    frame(10);
    end(10);
    assert_int_equal(counter(GAUGE)->row[0], 7);
    assert_int_equal(counter(CODE)->row[0], 3);
    assert_int_equal(counter(DRAWS)->row[0], 12);
}

static void case_35_two_finishes_in_one_frame(void **state)
{
    uint64_t sum = 0;
    (void)state;
    begin();
    frame(0);
    whole(t2, RENDER, 1, 4);
    emlat_bench_count(t2, DONE, 1);
    whole(t2, RENDER, 4, 8);
    emlat_bench_count(t2, DONE, 1);
    frame(10);
    frame(17);
    frame(29);
    end(30);
    assert_int_equal(counter(DONE)->samples[EMLAT_PHASE_LIVE].count, 2);
    assert_int_equal(counter(DONE)->row[0], 2);
    for (size_t i = 0; i < frames.rows_count; i++) {
        sum += emlat_row_wall(&frames.rows[i]);
        if (i)
            assert_int_equal(frames.rows[i].frame->t_begin, frames.rows[i - 1].frame->t_end);
    }
    assert_int_equal(sum, frames.rows[frames.rows_count - 1].frame->t_end -
                              frames.rows[0].frame->t_begin);
}

static void states_mark_the_frames_they_hold_in(void **state)
{
    (void)state;
    begin();
    frame(0);
    emlat_bench_state(t1, LOADING, true);
    frame(10);
    frame(20);
    emlat_bench_state(t2, LOADING, false);
    frame(30);
    emlat_bench_state(t2, LOADING, false);
    emlat_bench_state_once(t2, STALE);
    frame(40);
    end(40);
    static const uint64_t wanted[] = {1 << LOADING, 1 << LOADING, 1 << LOADING, 1 << STALE};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(frames.rows[i].frame->states, wanted[i]);
}

static void off_is_nothing(void **state)
{
    static const struct {
        const char *value;
        bool wanted;
    } rows[] = {{"", false}, {"0", false}, {" off ", false}, {"FALSE", false},
                {"1", true}, {"on", true}, {"00", true},     {"offf", true}};
    struct emlat_bench_thread *none;
    (void)state;
    unsetenv("EMLAT_BENCH");
    assert_false(emlat_bench_wanted());
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("EMLAT_BENCH", rows[i].value, 1);
        assert_int_equal(emlat_bench_wanted(), rows[i].wanted);
    }
    unsetenv("EMLAT_BENCH");
    assert_int_equal(emlat_bench_join(NULL, &none), 0);
    assert_null(none);
    assert_false(emlat_bench_frame(none, 0));
    struct emlat_bench_span span = emlat_bench_begin(none, A, 0);
    assert_int_equal(span.kind, 0);
    emlat_bench_end(none, span, 0);
    emlat_bench_count(none, COST, 1);
    assert_int_equal(emlat_bench_job(none, IMAGE, 1, 0, 0), 0);
    assert_int_equal(emlat_bench_stop(NULL, 0), 0);
}

static int last(void **state)
{
    (void)state;
    done();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_1_two_threads_cover_once),
        cmocka_unit_test(case_2_a_hole_is_unclassified),
        cmocka_unit_test(case_3_any_order_of_arrival),
        cmocka_unit_test(case_4_a_span_over_four_frames),
        cmocka_unit_test(case_5_render_one_frame_behind),
        cmocka_unit_test(case_6_serial_has_no_overlap),
        cmocka_unit_test(case_7_self_by_interval),
        cmocka_unit_test(case_8_a_child_outlives),
        cmocka_unit_test(case_9_ended_on_another_thread),
        cmocka_unit_test(case_10_recursion),
        cmocka_unit_test(case_11_one_kind_on_two_threads),
        cmocka_unit_test(case_12_an_end_or_a_begin_alone),
        cmocka_unit_test(case_13_before_the_first_frame),
        cmocka_unit_test(case_14_playable_inside_a_frame),
        cmocka_unit_test(case_15_the_exit_frame_is_no_frame_time),
        cmocka_unit_test(case_16_quit_at_the_first_playable_frame),
        cmocka_unit_test(case_17_sole_open),
        cmocka_unit_test(case_18_gaps_and_stages_of_no_length),
        cmocka_unit_test(case_19_memory_is_the_processes),
        cmocka_unit_test(case_20_a_job),
        cmocka_unit_test(case_21_the_gate_is_a_threshold_on_starting),
        cmocka_unit_test(case_22_worker_time),
        cmocka_unit_test(case_23_a_gap_and_the_body_in_it),
        cmocka_unit_test(case_24_late_results_arrive_once),
        cmocka_unit_test(case_25_no_sample_is_not_zero),
        cmocka_unit_test(case_26_twice_a_frame),
        cmocka_unit_test(case_27_addressed_to_a_frame),
        cmocka_unit_test(case_27_allocations_of_the_frame_that_closed),
        cmocka_unit_test(case_28_percentiles_are_exact),
        cmocka_unit_test(case_29_nearest_rank),
        cmocka_unit_test(case_30_a_table_of_three_rows),
        cmocka_unit_test(case_31_seventy_roots),
        cmocka_unit_test(case_32_more_than_one_parent),
        cmocka_unit_test(case_33_one_zero),
        cmocka_unit_test(case_34_gauges_are_not_added),
        cmocka_unit_test(case_35_two_finishes_in_one_frame),
        cmocka_unit_test(states_mark_the_frames_they_hold_in),
        cmocka_unit_test(off_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, last);
}

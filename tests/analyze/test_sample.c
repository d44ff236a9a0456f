/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Populations, durations and parts of interactions that the recorder itself wrote on a virtual
   clock, against numbers that were worked out by hand.  */
#include "sample.h"

#include <emlat/emlat.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { COMMAND = 1, TIMER = 2, TTY = 3 };
enum { SPAN_PRE = 1, SPAN_COMMAND, SPAN_POST };
enum { OUTPUT_NS, PERSON_WAIT_NS, NESTED_LOOPS, GC_NS };

static const struct emlat_word_row roots[] = {{COMMAND, EMLAT_ROOT_COMMAND, "tty_command", NULL},
                                              {TIMER, 0, "timer", NULL}};
static const struct emlat_word_row spans[] = {{SPAN_PRE, EMLAT_SPAN_STAMPS, "pre_command", NULL},
                                              {SPAN_COMMAND, EMLAT_SPAN_STAMPS, "command", NULL},
                                              {SPAN_POST, EMLAT_SPAN_STAMPS, "post_command", NULL}};
static const struct emlat_word_row counters[] = {
    {OUTPUT_NS, EMLAT_COUNTER_SUM, "output_ns", "ns"},
    {PERSON_WAIT_NS, EMLAT_COUNTER_SUM, "person_wait_ns", "ns"},
    {NESTED_LOOPS, EMLAT_COUNTER_SUM, "nested_loops", NULL},
    {GC_NS, EMLAT_COUNTER_SUM, "gc_ns", "ns"}};
static const struct emlat_vocabulary words = {roots, spans, counters, 2, 3, 4};

/* A recording that a test makes and then reads.  */
struct tape {
    char folder[32], path[64];
    _Atomic uint64_t now; /* virtual: time and CPU time; the writer thread reads it */
    struct emlat_session *session;
    struct emlat_producer *producer;
    struct emlat_sample samples[8];
    struct emlat_record records[8];
    size_t count;
    bool refused[8];
};

static int set_up(void **state)
{
    struct tape *tape = calloc(1, sizeof *tape);
    struct emlat_options options;
    assert_non_null(tape);
    strcpy(tape->folder, "/tmp/emlat-test-XXXXXX");
    assert_non_null(mkdtemp(tape->folder));
    snprintf(tape->path, sizeof tape->path, "%s/a.emlat", tape->folder);
    emlat_options_default(&options);
    options.path = tape->path;
    options.words = &words;
    options.clock = EMLAT_CLOCK_VIRTUAL;
    options.virtual_now = (const uint64_t *)&tape->now;
    assert_int_equal(emlat_start(&options, &tape->session), 0);
    assert_int_equal(emlat_producer_join(tape->session, &tape->producer), 0);
    *state = tape;
    return 0;
}

static int tear_down(void **state)
{
    struct tape *tape = *state;
    unlink(tape->path);
    int left = rmdir(tape->folder);
    free(tape);
    return left;
}

/* Stop recording, and read all interactions back.  */
static void play(struct tape *tape)
{
    struct emlat_reader *reader;
    struct emlat_item item;
    assert_int_equal(emlat_stop(tape->session, 10000000000), 0);
    assert_int_equal(emlat_reader_open(&reader, tape->path), 0);
    while (emlat_reader_next(reader, &item) == 0 && item.kind != EMLAT_ITEM_END) {
        if (item.kind != EMLAT_ITEM_RECORD || item.record->type != EMLAT_INTERACTION)
            continue;
        size_t n = tape->count++;
        tape->records[n] = *item.record;
        tape->refused[n] = !emlat_sample_from(reader, item.record, &tape->samples[n]);
    }
    assert_int_equal(emlat_reader_problem(reader)->code, 0);
    emlat_reader_close(reader);
}

static uint64_t span(struct tape *tape, uint32_t kind, uint64_t begin, uint64_t end)
{
    emlat_span_end_at(tape->producer, emlat_span_begin_at(tape->producer, kind, begin), end);
    return end;
}

/* A command from a key that arrived between T + 10 and T + 20, dispatched at T + 60, with its
   hooks, done at T + 150.  */
static uint64_t command(struct tape *tape, uint64_t t, bool with_input)
{
    struct emlat_producer *producer = tape->producer;
    struct emlat_source_range range = {0};
    struct emlat_token token = {.t_insert = t + 35};
    emlat_input_empty(producer, TTY, t + 10);
    emlat_input_ready(producer, TTY, t + 20, EMLAT_SEEN_BY_OBSERVER);
    token.batch = emlat_input_batch(producer, TTY, t + 25, 1, t + 28, t + 30, 1);
    emlat_input_queued(producer, 1);
    if (with_input)
        emlat_source_add(&range, token, t + 45);
    tape->now = t + 60;
    uint64_t cause = emlat_root_begin(producer, COMMAND, t + 60);
    emlat_root_source(producer, cause, &range, t + 55);
    span(tape, SPAN_PRE, t + 62, t + 65);
    span(tape, SPAN_COMMAND, t + 70, t + 130);
    span(tape, SPAN_POST, t + 131, t + 140);
    return cause;
}

static void work_end(struct tape *tape, uint64_t cause, uint64_t t)
{
    tape->now = t;
    emlat_root_work_end(tape->producer, cause, t);
}

/* Its display from T + 160 to T + 190, with BYTES flushed from T + 170 to T + 180.  */
static void display(struct tape *tape, uint64_t t, uint64_t bytes)
{
    struct emlat_producer *producer = tape->producer;
    emlat_display_decide(producer, EMLAT_DISPLAY_PERFORMED, t + 155);
    emlat_display_begin(producer, t + 160);
    tape->now = t + 170;
    if (bytes)
        emlat_output(producer, TTY, bytes);
    emlat_output_flush(producer, TTY, t + 175, t + 180, false);
    emlat_display_end(producer, t + 190);
    tape->now = t + 195;
    emlat_display_done(producer, t + 195);
}

static void expect_parts(const struct emlat_sample *sample, const uint64_t *parts)
{
    uint64_t sum = 0;
    for (int i = 0; i < EMLAT_PARTS; i++) {
        assert_int_equal(sample->part[i], parts[i]);
        sum += parts[i];
    }
    assert_int_equal(sum, sample->lower);
}

static void flushed(void **state)
{
    struct tape *tape = *state;
    work_end(tape, command(tape, 1000, true), 1150);
    display(tape, 1000, 7);
    play(tape);
    const struct emlat_sample *sample = &tape->samples[0];
    assert_int_equal(tape->count, 1);
    assert_int_equal(sample->population, EMLAT_FLUSHED);
    assert_int_equal(sample->lower, 180 - 20);
    assert_true(sample->has_upper);
    assert_int_equal(sample->upper, 180 - 10);
    assert_int_equal(sample->latest_quality, EMLAT_QUALITY_observer_ready);
    assert_true(sample->has_cpu);
    assert_int_equal(sample->cpu_ns, 195 - 60);
    assert_false(sample->has_dwell);
    /* Until 45 in the queue, decoded at 55; hooks and command; 150 to 160 waits for the display,
       which is cut at the flush's end and of which 170 to 180 is emission.  */
    expect_parts(sample, (const uint64_t[EMLAT_PARTS]){
                             [EMLAT_PART_WAIT] = 25,
                             [EMLAT_PART_DECODE] = 10,
                             [EMLAT_PART_PRE] = 3,
                             [EMLAT_PART_COMMAND] = 60,
                             [EMLAT_PART_POST] = 9,
                             [EMLAT_PART_DISPLAY_WAIT] = 10,
                             [EMLAT_PART_DISPLAY] = 10,
                             [EMLAT_PART_EMIT] = 10,
                             [EMLAT_PART_OTHER] = 7 + 5 + 1 + 10,
                         });
}

static void no_output(void **state)
{
    struct tape *tape = *state;
    work_end(tape, command(tape, 1000, true), 1150);
    display(tape, 1000, 0);
    play(tape);
    assert_int_equal(tape->samples[0].population, EMLAT_NO_OUTPUT);
    assert_int_equal(tape->samples[0].lower, 195 - 60);
    assert_int_equal(tape->samples[0].upper, 195 - 60);
}

static void superseded(void **state)
{
    struct tape *tape = *state;
    work_end(tape, command(tape, 1000, true), 1150);
    emlat_display_decide(tape->producer, EMLAT_DISPLAY_INPUT_PENDING, 1155);
    work_end(tape, command(tape, 2000, true), 2150);
    emlat_display_decide(tape->producer, EMLAT_DISPLAY_MACRO, 2155);
    play(tape);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tape->samples[i].population, EMLAT_SUPERSEDED);
        assert_int_equal(tape->samples[i].lower, 150 - 60);
    }
}

/* A person's thinking is in no latency: by a wait for keys, or by a loop whose keys were there.  */
static void waits_for_person(void **state)
{
    struct tape *tape = *state;
    uint64_t cause = command(tape, 1000, true);
    emlat_count(tape->producer, PERSON_WAIT_NS, 40);
    work_end(tape, cause, 1150);
    display(tape, 1000, 7);
    cause = command(tape, 2000, true);
    emlat_count(tape->producer, NESTED_LOOPS, 1);
    work_end(tape, cause, 2150);
    emlat_display_decide(tape->producer, EMLAT_DISPLAY_INPUT_PENDING, 2155);
    cause = command(tape, 3000, true);
    emlat_count(tape->producer, PERSON_WAIT_NS, 1000); /* longer than it took */
    work_end(tape, cause, 3150);
    display(tape, 3000, 7);
    play(tape);
    assert_int_equal(tape->samples[0].population, EMLAT_WAITED);
    assert_int_equal(tape->samples[0].person_ns, 40);
    assert_int_equal(tape->samples[0].lower, 150 - 60 - 40);
    expect_parts(&tape->samples[0], (const uint64_t[EMLAT_PARTS]){
                                        [EMLAT_PART_PRE] = 3,
                                        [EMLAT_PART_COMMAND] = 60 - 40,
                                        [EMLAT_PART_POST] = 9,
                                        [EMLAT_PART_OTHER] = 2 + 5 + 1 + 10,
                                    });
    assert_int_equal(tape->samples[1].population, EMLAT_WAITED);
    assert_int_equal(tape->samples[1].person_ns, 0);
    assert_int_equal(tape->samples[1].lower, 150 - 60);
    assert_true(tape->refused[2]); /* contradicts itself */
}

static void no_input_unfinished_and_no_command(void **state)
{
    struct tape *tape = *state;
    work_end(tape, command(tape, 1000, false), 1150);
    display(tape, 1000, 7);
    work_end(tape, emlat_root_begin(tape->producer, TIMER, 1500), 1600);
    command(tape, 2000, true);
    play(tape);
    assert_int_equal(tape->count, 3);
    assert_int_equal(tape->samples[0].population, EMLAT_NO_INPUT);
    assert_true(tape->refused[1]);
    assert_int_equal(tape->samples[2].population, EMLAT_UNFINISHED);
}

/* The key before it came between 910 and 920: its prefix dwelt from then on.  */
static void prefix_dwell(void **state)
{
    struct tape *tape = *state;
    struct emlat_producer *producer = tape->producer;
    struct emlat_source_range range = {0};
    struct emlat_token token = {.t_insert = 935};
    emlat_input_empty(producer, TTY, 910);
    emlat_input_ready(producer, TTY, 920, EMLAT_SEEN_BY_POLL);
    token.batch = emlat_input_batch(producer, TTY, 0, 0, 925, 930, 1);
    emlat_input_queued(producer, 1);
    emlat_source_add(&range, token, 940);
    emlat_input_empty(producer, TTY, 1010);
    emlat_input_ready(producer, TTY, 1020, EMLAT_SEEN_BY_POLL);
    token.batch = emlat_input_batch(producer, TTY, 0, 0, 1025, 1030, 1);
    emlat_input_queued(producer, 1);
    token.t_insert = 1035;
    emlat_source_add(&range, token, 1045);
    uint64_t cause = emlat_root_begin(producer, COMMAND, 1060);
    emlat_root_source(producer, cause, &range, 1055);
    work_end(tape, cause, 1150);
    display(tape, 1000, 7);
    play(tape);
    assert_true(tape->samples[0].has_dwell);
    assert_int_equal(tape->samples[0].dwell_min_ns, 1010 - 920);
    assert_int_equal(tape->samples[0].dwell_max_ns, 1020 - 910);
    assert_int_equal(tape->samples[0].lower, 1180 - 1020);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(flushed),          CASE(no_output),    CASE(superseded),
        CASE(waits_for_person), CASE(prefix_dwell), CASE(no_input_unfinished_and_no_command),
    };
    return cmocka_run_group_tests_name("sample", tests, NULL, NULL);
}

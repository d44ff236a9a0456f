/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Where the time of answers went, who was in the way, and what is concluded from it: sessions that
   the recorder wrote on a virtual clock, and responses made up one by one, against numbers that
   were worked out by hand.  Times are in thousands of ns unless a case says otherwise.  */
#include "summary.h"

#include <emlat/emlat.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { COMMAND = 1, TIMER = 2, FILTER = 3, TTY = 3 };
enum { SPAN_PRE = 1, SPAN_COMMAND, SPAN_POST, REDISPLAY, LISP, WRITE, FLUSH, GC, POLL, DECISION };
enum { PERSON_WAIT_NS, QUIT_NS };

static const struct emlat_word_row roots[] = {{COMMAND, EMLAT_ROOT_COMMAND, "tty_command", NULL},
                                              {TIMER, 0, "timer", NULL},
                                              {FILTER, 0, "process_data", NULL}};
static const struct emlat_word_row spans[] = {{SPAN_PRE, EMLAT_SPAN_STAMPS, "pre_command", NULL},
                                              {SPAN_COMMAND, EMLAT_SPAN_STAMPS, "command", NULL},
                                              {SPAN_POST, EMLAT_SPAN_STAMPS, "post_command", NULL},
                                              {REDISPLAY, 0, "redisplay", NULL},
                                              {LISP, 0, "redisplay_lisp", NULL},
                                              {WRITE, 0, "tty_write", NULL},
                                              {FLUSH, 0, "flush", NULL},
                                              {GC, 0, "gc", NULL},
                                              {POLL, 0, "poll", NULL},
                                              {DECISION, 0, "redisplay_decision", NULL}};
static const struct emlat_word_row counters[] = {
    {PERSON_WAIT_NS, EMLAT_COUNTER_SUM, "person_wait_ns", "ns"},
    {QUIT_NS, EMLAT_COUNTER_LAST, "quit_ns", "ns"}};
static const struct emlat_vocabulary words = {.roots = roots,
                                              .roots_count = 3,
                                              .spans = spans,
                                              .spans_count = 10,
                                              .counters = counters,
                                              .counters_count = 2};

/* A recording that a test makes and then summarizes.  */
struct tape {
    char folder[32], path[64];
    _Atomic uint64_t now; /* virtual: time and CPU time; the writer thread reads it */
    struct emlat_session *session;
    struct emlat_producer *producer;
    struct emlat_summary summary;
    bool played;
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
    options.chunk_bytes = 4 << 10; /* so that long cases take many chunks */
    assert_int_equal(emlat_start(&options, &tape->session), 0);
    assert_int_equal(emlat_producer_join(tape->session, &tape->producer), 0);
    *state = tape;
    return 0;
}

static int tear_down(void **state)
{
    struct tape *tape = *state;
    if (tape->played)
        emlat_summary_free(&tape->summary);
    unlink(tape->path);
    int left = rmdir(tape->folder);
    free(tape);
    return left;
}

static const struct emlat_summary *play(struct tape *tape)
{
    struct emlat_reader *reader;
    assert_int_equal(emlat_stop(tape->session, 10000000000), 0);
    assert_int_equal(emlat_reader_open(&reader, tape->path), 0);
    assert_int_equal(emlat_summarize(&reader, 1, EMLAT_WITH_METRICS, &tape->summary, NULL, NULL),
                     0);
    emlat_reader_close(reader);
    tape->played = true;
    return &tape->summary;
}

static uint64_t us(uint64_t t)
{
    return t * 1000;
}

static struct emlat_span begin(struct tape *tape, uint32_t kind, uint64_t t)
{
    return emlat_span_begin_at(tape->producer, kind, us(t));
}

static void end(struct tape *tape, struct emlat_span span, uint64_t t)
{
    emlat_span_end_at(tape->producer, span, us(t));
}

/* A span of KIND with nothing inside it; one that stamps its root must begin and end.  */
static void span(struct tape *tape, uint32_t kind, uint64_t first, uint64_t last)
{
    if (kind <= SPAN_POST)
        end(tape, begin(tape, kind, first), last);
    else
        emlat_span_whole(tape->producer, kind, us(first), us(last), 0, EMLAT_OUTCOME_NORMAL);
}

/* A key that arrived at T_KEY, left the queue at T and is decoded at T + 1; its command is
   dispatched at T + 2.  */
static uint64_t key(struct tape *tape, uint64_t t_key, uint64_t t)
{
    struct emlat_source_range range = {0};
    struct emlat_token token = {.t_insert = us(t_key)};
    emlat_input_empty(tape->producer, TTY, us(t_key) - 1);
    emlat_input_ready(tape->producer, TTY, us(t_key), EMLAT_SEEN_BY_OBSERVER);
    token.batch = emlat_input_batch(tape->producer, TTY, 0, 0, us(t_key), us(t_key), 1);
    emlat_input_queued(tape->producer, 1);
    emlat_source_add(&range, token, us(t));
    tape->now = us(t + 2);
    uint64_t cause = emlat_root_begin(tape->producer, COMMAND, us(t + 2));
    emlat_root_source(tape->producer, cause, &range, us(t + 1));
    return cause;
}

static void work_end(struct tape *tape, uint64_t cause, uint64_t t)
{
    tape->now = us(t);
    emlat_root_work_end(tape->producer, cause, us(t));
}

static void root(struct tape *tape, uint32_t kind, uint64_t begin, uint64_t end)
{
    tape->now = us(begin);
    work_end(tape, emlat_root_begin(tape->producer, kind, us(begin)), end);
}

/* Its display from BEGIN to END, the last 3 of which it writes and flushes.  */
static void show(struct tape *tape, uint64_t first, uint64_t last)
{
    struct emlat_producer *producer = tape->producer;
    emlat_display_decide(producer, EMLAT_DISPLAY_PERFORMED, us(first));
    emlat_display_begin(producer, us(first));
    struct emlat_span display = begin(tape, REDISPLAY, first);
    tape->now = us(last - 3);
    emlat_output(producer, TTY, 10);
    span(tape, WRITE, last - 3, last - 1);
    span(tape, FLUSH, last - 1, last);
    emlat_output_flush(producer, TTY, us(last - 1), us(last), false);
    end(tape, display, last);
    emlat_display_end(producer, us(last));
    tape->now = us(last);
    emlat_display_done(producer, us(last));
}

static void superseded(struct tape *tape, uint64_t t)
{
    emlat_display_decide(tape->producer, EMLAT_DISPLAY_INPUT_PENDING, us(t));
}

static const struct emlat_response *response(const struct emlat_summary *summary, uint64_t cause)
{
    for (size_t i = 0; i < summary->responses.kept_count; i++)
        if (summary->responses.kept[i].cause == cause)
            return &summary->responses.kept[i];
    fail_msg("no response of %llu", (unsigned long long)cause);
    return NULL;
}

/* The components of CAUSE's response, in the order of their enumeration, end with OTHER.  */
static void expect_components(const struct emlat_summary *summary, uint64_t cause,
                              const uint64_t expected[EMLAT_COMPONENTS])
{
    const struct emlat_response *one = response(summary, cause);
    uint64_t total = 0;
    for (int c = 0; c < EMLAT_COMPONENTS; c++) {
        if (one->component[c] != us(expected[c]))
            fail_msg("%s: %llu, expected %llu", emlat_component_name((enum emlat_component)c),
                     (unsigned long long)one->component[c], (unsigned long long)us(expected[c]));
        total += one->component[c];
    }
    assert_int_equal(total, emlat_response_ns(one));
}
#define COMPONENTS(...) ((const uint64_t[EMLAT_COMPONENTS]){__VA_ARGS__})

static void expect_blame(const struct emlat_response *one, unsigned i, uint64_t kind,
                         enum emlat_component component, uint64_t time)
{
    assert_true(i < one->blames);
    assert_int_equal(one->blame[i].kind, kind);
    assert_int_equal(one->blame[i].component, component);
    assert_int_equal(one->blame[i].ns, us(time));
}

/* ---- Where one answer's time went -------------------------------------------------------------
 */

/* What lies inside something is not that something; and all adds up.  */
static void each_its_own(void **state)
{
    struct tape *tape = *state;
    uint64_t cause = key(tape, 100, 110);
    span(tape, SPAN_PRE, 113, 120);
    struct emlat_span command = begin(tape, SPAN_COMMAND, 120);
    span(tape, GC, 130, 160);
    end(tape, command, 200);
    struct emlat_span post = begin(tape, SPAN_POST, 200);
    span(tape, GC, 205, 206);
    end(tape, post, 230);
    work_end(tape, cause, 232);
    emlat_display_decide(tape->producer, EMLAT_DISPLAY_PERFORMED, us(240));
    emlat_display_begin(tape->producer, us(240));
    struct emlat_span display = begin(tape, REDISPLAY, 240);
    struct emlat_span lisp = begin(tape, LISP, 250);
    span(tape, GC, 255, 275);
    end(tape, lisp, 290);
    tape->now = us(300);
    emlat_output(tape->producer, TTY, 10);
    span(tape, WRITE, 300, 310);
    span(tape, FLUSH, 310, 330);
    emlat_output_flush(tape->producer, TTY, us(310), us(330), false);
    end(tape, display, 335);
    emlat_display_end(tape->producer, us(335));
    tape->now = us(336);
    emlat_display_done(tape->producer, us(336));
    const struct emlat_summary *summary = play(tape);
    /* wait 10 + 8, decode 1, pre 7, command 80 - 30, post 30 - 1, display 90 - 40 - 30, Lisp 40 -
       20, writing 30, GC 30 + 1 + 20, other 1 + 1 around the dispatch and 2 before the work's end
     */
    expect_components(summary, cause, COMPONENTS(18, 1, 7, 50, 29, 20, 20, 30, 51, 4));
    assert_int_equal(response(summary, cause)->blames, 0);
    assert_int_equal(response(summary, cause)->uncovered_ns, us(18));
}

/* A key waits for a timer, in which garbage was collected, and for nothing that is known before and
   after it.  */
static void waits_for_a_timer(void **state)
{
    struct tape *tape = *state;
    tape->now = us(90);
    uint64_t timer = emlat_root_begin(tape->producer, TIMER, us(90));
    span(tape, GC, 120, 150);
    work_end(tape, timer, 200);
    root(tape, TIMER, 205, 208);
    uint64_t cause = key(tape, 100, 210);
    span(tape, SPAN_COMMAND, 212, 220);
    work_end(tape, cause, 220);
    show(tape, 220, 230);
    const struct emlat_summary *summary = play(tape);
    expect_components(summary, cause, COMPONENTS(110, 1, 0, 8, 0, 7, 0, 3, 0, 1));
    const struct emlat_response *one = response(summary, cause);
    expect_blame(one, 0, TIMER, EMLAT_COMMAND, 70 + 3);
    expect_blame(one, 1, TIMER, EMLAT_GC, 30);
    assert_int_equal(one->blames, 2);
    assert_int_equal(one->uncovered_ns, us(5 + 2));
    /* On the virtual clock all time is processor time.  */
    assert_int_equal(one->blame[0].known_ns, us(73));
    assert_int_equal(one->blame[0].cpu_ns, us(73));
}

/* A timer that runs between a command and its display holds that up.  */
static void timer_before_the_display(void **state)
{
    struct tape *tape = *state;
    uint64_t cause = key(tape, 100, 100);
    span(tape, SPAN_COMMAND, 102, 110);
    work_end(tape, cause, 110);
    struct emlat_span decision = begin(tape, DECISION, 111);
    root(tape, TIMER, 112, 152);
    end(tape, decision, 153);
    show(tape, 153, 163);
    const struct emlat_summary *summary = play(tape);
    expect_components(summary, cause, COMPONENTS(43, 1, 0, 8, 0, 7, 0, 3, 0, 1));
    expect_blame(response(summary, cause), 0, TIMER, EMLAT_COMMAND, 40);
}

/* What a command runs inside it is its own time, but it is said who ran; a display of its own in it
   is display.  */
static void nested_work(void **state)
{
    struct tape *tape = *state;
    uint64_t cause = key(tape, 100, 100);
    struct emlat_span command = begin(tape, SPAN_COMMAND, 102);
    root(tape, FILTER, 110, 140);
    span(tape, POLL, 140, 150); /* not for a key: the command waits */
    span(tape, REDISPLAY, 150, 155);
    tape->now = us(160);
    uint64_t filter = emlat_root_begin(tape->producer, FILTER, us(160));
    span(tape, GC, 165, 170);
    work_end(tape, filter, 180);
    end(tape, command, 200);
    work_end(tape, cause, 200);
    superseded(tape, 201);
    const struct emlat_summary *summary = play(tape);
    expect_components(summary, cause, COMPONENTS(0, 1, 0, 88, 0, 5, 0, 0, 5, 1));
    const struct emlat_response *one = response(summary, cause);
    expect_blame(one, 0, FILTER, EMLAT_COMMAND, 30 + 15);
    expect_blame(one, 1, FILTER, EMLAT_GC, 5);
    assert_int_equal(one->idle_ns, 0);
    assert_int_equal(one->population, EMLAT_SUPERSEDED);
}

/* Keys behind one another, through many chunks.  */
static void burst(void **state)
{
    enum { KEYS = 200, EACH = 50 };
    struct tape *tape = *state;
    uint64_t first = 0;
    for (uint64_t i = 0; i < KEYS; i++) {
        uint64_t t = 1000 + i * EACH;
        uint64_t cause = key(tape, 1000 + i, t);
        first = i ? first : cause;
        span(tape, SPAN_POST, t + 2, t + EACH - 1);
        work_end(tape, cause, t + EACH - 1);
        if (i < KEYS - 1)
            superseded(tape, t + EACH - 1);
        else
            show(tape, t + EACH - 1, t + EACH + 9);
    }
    const struct emlat_summary *summary = play(tape);
    assert_int_equal(summary->responses.latency.count, KEYS);
    expect_components(summary, first, COMPONENTS(0, 1, 0, 0, 47, 0, 0, 0, 0, 1));
    /* The last one waited for 199 commands, of each of which 47 were the hook, and 3 nobody's.  */
    uint64_t last = first + KEYS - 1, waited = 199 * EACH - 199;
    expect_components(summary, last, COMPONENTS(waited, 1, 0, 0, 47, 7, 0, 3, 0, 1));
    const struct emlat_response *one = response(summary, last);
    /* It came when the first four commands were done, and part of the fifth: 199 = 3 * 50 + 49.  */
    expect_blame(one, 0, COMMAND, EMLAT_POST_COMMAND, 195 * 47);
    const struct emlat_backlog *backlog = &summary->responses.backlog;
    assert_int_equal(backlog->bursts, 1);
    assert_int_equal(backlog->keys, KEYS);
    assert_int_equal(backlog->superseded_run, KEYS - 1);
    assert_int_equal(backlog->drain_ns, us(199 * EACH + EACH + 9 - 199));
    assert_int_equal(backlog->commands_after, 196);
}

/* A command that asks: its first answer is the question, its second the outcome.  */
static void answers_twice(void **state)
{
    struct tape *tape = *state;
    uint64_t cause = key(tape, 100, 100);
    struct emlat_span command = begin(tape, SPAN_COMMAND, 102);
    tape->now = us(110);
    emlat_display_begin(tape->producer, us(110));
    struct emlat_span display = begin(tape, REDISPLAY, 110);
    tape->now = us(115);
    emlat_output(tape->producer, TTY, 10);
    span(tape, WRITE, 115, 117);
    span(tape, FLUSH, 117, 120);
    emlat_output_flush(tape->producer, TTY, us(117), us(120), false);
    end(tape, display, 121);
    emlat_display_end(tape->producer, us(121));
    emlat_span_whole(tape->producer, POLL, us(125), us(5000), 1, EMLAT_OUTCOME_NORMAL);
    emlat_count(tape->producer, PERSON_WAIT_NS, us(4875));
    end(tape, command, 5300);
    work_end(tape, cause, 5301);
    show(tape, 5301, 5311);
    const struct emlat_summary *summary = play(tape);
    assert_int_equal(summary->responses.latency.count, 2);
    assert_int_equal(summary->responses.latency.values[0], us(20));
    assert_int_equal(summary->responses.latency.values[1], us(311));
    assert_int_equal(summary->responses.kept[0].component[EMLAT_COMMAND], us(300));
    assert_int_equal(summary->responses.kept[1].component[EMLAT_COMMAND], us(8));
    assert_int_equal(summary->responses.kept[1].component[EMLAT_REDISPLAY], us(5));
    assert_int_equal(summary->responses.kept[1].component[EMLAT_TTY_EMIT], us(5));
}

/* Waiting for a key is nobody's fault; a quit has its own class.  */
static void idle_is_no_fault(void **state)
{
    struct tape *tape = *state;
    emlat_span_whole(tape->producer, POLL, us(10), us(101), 1, EMLAT_OUTCOME_NORMAL);
    uint64_t cause = key(tape, 100, 110);
    span(tape, SPAN_COMMAND, 112, 120);
    emlat_count(tape->producer, QUIT_NS, us(7));
    work_end(tape, cause, 120);
    superseded(tape, 120);
    const struct emlat_summary *summary = play(tape);
    expect_components(summary, cause, COMPONENTS(10, 1, 0, 8, 0, 0, 0, 0, 0, 1));
    assert_int_equal(response(summary, cause)->blames, 0);
    assert_int_equal(response(summary, cause)->uncovered_ns, us(10));
    assert_int_equal(summary->quit.count, 1);
    assert_int_equal(summary->quit.values[0], us(7));
}

/* Slow work counts as harmless only where nobody waited for it; what is quick is not counted.  */
static void harmless(void **state)
{
    struct tape *tape = *state;
    root(tape, TIMER, 1000, 30000);    /* nobody's */
    root(tape, TIMER, 40000, 41000);   /* quick */
    root(tape, FILTER, 50000, 70000);  /* nobody's */
    root(tape, TIMER, 100000, 150000); /* this one is waited for */
    uint64_t cause = key(tape, 140000, 150000);
    work_end(tape, cause, 150010);
    superseded(tape, 150010);
    const struct emlat_summary *summary = play(tape);
    assert_int_equal(summary->harmless[TIMER].count, 1);
    assert_int_equal(summary->harmless[TIMER].max_ns, us(29000));
    assert_int_equal(summary->harmless[FILTER].count, 1);
    assert_int_equal(summary->harmless[COMMAND].count, 0);
}

/* Kinds and populations have their own numbers.  */
static void groups(void **state)
{
    struct tape *tape = *state;
    root(tape, TIMER, 10, 30);
    uint64_t cause = key(tape, 100, 100);
    span(tape, SPAN_COMMAND, 102, 110);
    work_end(tape, cause, 110);
    show(tape, 110, 120);
    cause = key(tape, 200, 200);
    span(tape, SPAN_COMMAND, 202, 214);
    work_end(tape, cause, 214);
    superseded(tape, 214);
    const struct emlat_summary *summary = play(tape);
    const struct {
        uint64_t kind, latency, command;
        enum emlat_population population;
    } expected[] = {{TIMER, 20, 0, EMLAT_NO_OUTPUT},
                    {COMMAND, 20, 8, EMLAT_FLUSHED},
                    {COMMAND, 12, 12, EMLAT_SUPERSEDED}};
    assert_int_equal(summary->groups_count, 3);
    for (int i = 0; i < 3; i++) {
        const struct emlat_group *group = &summary->groups[i];
        assert_int_equal(group->kind, expected[i].kind);
        assert_int_equal(group->population, expected[i].population);
        assert_int_equal(group->count, 1);
        assert_int_equal(group->latency.values[0], us(expected[i].latency));
        const struct emlat_distribution *command = &group->metric[EMLAT_METRIC_command_ns];
        assert_int_equal(command->count, expected[i].command ? 1 : 0);
        if (command->count)
            assert_int_equal(command->values[0], us(expected[i].command));
    }
}

/* ---- What is concluded ------------------------------------------------------------------------
 */

#define MS ((uint64_t)1000000)

struct jury {
    struct emlat_responses responses;
    struct emlat_verdict verdict;
    uint64_t t;
};

static int seat(void **state)
{
    *state = calloc(1, sizeof(struct jury));
    return *state ? 0 : -1;
}

static int dismiss(void **state)
{
    emlat_responses_free(&((struct jury *)*state)->responses);
    free(*state);
    return 0;
}

/* A response of NS, all of it COMPONENT's, a second after the one before.  */
static struct emlat_response plain(struct jury *jury, enum emlat_component component, uint64_t ns)
{
    struct emlat_response one = {.population = EMLAT_FLUSHED, .has_cpu = true};
    one.t_begin = jury->t += 1000 * MS;
    one.t_end = one.t_begin + ns;
    one.component[component] = one.wall_ns = one.cpu_ns = ns;
    return one;
}

static void add(struct jury *jury, struct emlat_response one)
{
    assert_int_equal(emlat_responses_add(&jury->responses, &one), 0);
}

static const struct emlat_verdict *judge(struct jury *jury)
{
    emlat_responses_end(&jury->responses);
    emlat_verdict_of(&jury->responses, &jury->verdict);
    return &jury->verdict;
}

/* Commands that bear a name stand together; one without is in no group.  */
static void by_name(void **state)
{
    struct tape *tape = *state;
    uint64_t quick, slow;
    assert_int_equal(emlat_session_name(tape->session, "quick", 5, &quick), 0);
    assert_int_equal(emlat_session_name(tape->session, "slow", 4, &slow), 0);
    const struct {
        uint64_t name, took; /* from dispatch */
        bool shown;
    } commands[] = {{quick, 10, true}, {slow, 500, true}, {quick, 30, true},
                    {0, 900, true},    {quick, 20, true}, {slow, 300, false}};
    uint64_t t = 1000;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++, t += 2000) {
        uint64_t cause = key(tape, t, t);
        emlat_root_name(tape->producer, cause, commands[i].name);
        work_end(tape, cause, t + 2 + commands[i].took);
        if (commands[i].shown)
            show(tape, t + 2 + commands[i].took, t + 2 + commands[i].took + 10);
        else
            superseded(tape, t + 2 + commands[i].took);
    }
    const struct emlat_summary *summary = play(tape);
    assert_int_equal(summary->named_count, 2);
    const struct emlat_named *first = &summary->named[0], *second = &summary->named[1];
    assert_int_equal(first->name, slow);
    assert_int_equal(first->count, 2);
    assert_int_equal(first->superseded, 1);
    assert_int_equal(first->work.total, us(800));
    assert_int_equal(first->latency.count, 1);
    assert_int_equal(first->latency.values[0], us(2 + 500 + 10));
    assert_int_equal(second->name, quick);
    assert_int_equal(second->count, 3);
    assert_int_equal(second->superseded, 0);
    assert_int_equal(second->work.total, us(60));
    assert_int_equal(emlat_distribution_rank(&second->latency, 500), us(2 + 20 + 10));
}

static void no_responses(void **state)
{
    const struct emlat_verdict *verdict = judge(*state);
    assert_int_equal(verdict->finding, EMLAT_NO_RESPONSES);
    assert_true(verdict->superseded_share < 0);
    assert_int_equal(verdict->typical.count, 0);
}

/* Two outliers among 150 quick answers are luck; so is one long one among ten.  */
static void nothing_slow(void **state)
{
    struct jury *jury = *state;
    for (int i = 0; i < 150; i++)
        add(jury,
            plain(jury, i % 2 ? EMLAT_REDISPLAY : EMLAT_COMMAND, i % 100 == 9 ? 90 * MS : MS));
    const struct emlat_verdict *verdict = judge(jury);
    assert_int_equal(verdict->finding, EMLAT_NOTHING_SLOW);
    assert_int_equal(verdict->tail.count, 0);
    assert_int_equal(verdict->p95.threshold, MS);
    assert_true(verdict->superseded_share == 0);
}

/* But three that stand out are not, and what they have in common is named.  */
static void some_stand_out(void **state)
{
    struct jury *jury = *state;
    for (int i = 0; i < 100; i++)
        add(jury, i % 30 == 9 ? plain(jury, EMLAT_GC, 60 * MS) : plain(jury, EMLAT_COMMAND, MS));
    const struct emlat_verdict *verdict = judge(jury);
    assert_int_equal(verdict->finding, EMLAT_ONE_LEADS);
    assert_int_equal(verdict->component, EMLAT_GC);
    assert_int_equal(verdict->tail.count, 4);
    assert_true(verdict->share == 1);
    assert_int_equal(verdict->on_cpu, 1);
}

/* The slowest ten of forty, and no more, where p95 has but three.  */
static void one_leads(void **state)
{
    struct jury *jury = *state;
    for (uint64_t i = 0; i < 40; i++) {
        struct emlat_response one = plain(jury, EMLAT_TTY_EMIT, (20 + i) * MS);
        one.component[EMLAT_TTY_EMIT] -= 5 * MS;
        one.component[EMLAT_REDISPLAY] = 5 * MS;
        one.cpu_ns = 6 * MS; /* the rest of it the terminal was slow */
        add(jury, one);
    }
    const struct emlat_verdict *verdict = judge(jury);
    assert_int_equal(verdict->finding, EMLAT_ONE_LEADS);
    assert_int_equal(verdict->component, EMLAT_TTY_EMIT);
    assert_int_equal(verdict->on_cpu, 0);
    assert_int_equal(verdict->tail.permille, 950);
    assert_int_equal(verdict->tail.count, 10);
    assert_int_equal(verdict->tail.threshold, 57 * MS); /* rank 38 of 40 */
    assert_int_equal(verdict->tail.total_ns, (50 + 59) * 5 * MS);
    assert_true(verdict->share == 1 - 50.0 / 545);
    assert_int_equal(verdict->p95.count, 3);
    assert_int_equal(verdict->p99.count, 1);
    assert_int_equal(verdict->typical.count, 20);
    assert_true(verdict->resamples_led == 1);
    assert_int_equal(verdict->slices, verdict->slices_led);
}

/* One enormous answer decides most sums, but leads in one part of the session of five.  */
static void none_repeats(void **state)
{
    struct jury *jury = *state;
    for (int i = 0; i < 50; i++)
        add(jury, plain(jury, i % 10 < 5 ? EMLAT_COMMAND : EMLAT_REDISPLAY, 30 * MS));
    add(jury, plain(jury, EMLAT_GC, 5000 * MS));
    const struct emlat_verdict *verdict = judge(jury);
    assert_int_equal(verdict->finding, EMLAT_NONE_REPEATS);
    assert_int_equal(verdict->component, EMLAT_GC);
    assert_true(verdict->slices_led < verdict->slices);
}

/* No processor to run on, or nothing in the way at all, is not the host's doing.  */
static void not_in_the_host(void **state)
{
    struct jury *jury = *state;
    for (int i = 0; i < 20; i++) {
        struct emlat_response one = plain(jury, EMLAT_COMMAND, 40 * MS);
        one.run_delay_ns = i ? 30 * MS : 0;
        one.cpu_ns = 10 * MS;
        add(jury, one);
    }
    assert_int_equal(judge(jury)->finding, EMLAT_NOT_IN_HOST);
}

static void nothing_in_the_way(void **state)
{
    struct jury *jury = *state;
    for (int i = 0; i < 20; i++) {
        struct emlat_response one = plain(jury, EMLAT_WAIT, 40 * MS);
        one.uncovered_ns = 25 * MS;
        add(jury, one);
    }
    assert_int_equal(judge(jury)->finding, EMLAT_NOT_IN_HOST);
}

/* Who is in the way in each answer is added up, the most first.  */
static void blame_adds_up(void **state)
{
    struct jury *jury = *state;
    for (int i = 0; i < 20; i++) {
        struct emlat_response one = plain(jury, EMLAT_WAIT, 40 * MS);
        one.blames = 2;
        one.blame[0] = (struct emlat_blame){TIMER, EMLAT_COMMAND, 10 * MS, 10 * MS, 10 * MS};
        one.blame[1] = (struct emlat_blame){FILTER, EMLAT_GC, 20 * MS, 0, 20 * MS};
        add(jury, one);
    }
    const struct emlat_verdict *verdict = judge(jury);
    assert_int_equal(verdict->finding, EMLAT_ONE_LEADS);
    assert_int_equal(verdict->tail.blames, 2);
    assert_int_equal(verdict->tail.blame[0].kind, FILTER);
    assert_int_equal(verdict->tail.blame[0].ns, verdict->tail.count * 20 * MS);
    assert_int_equal(verdict->tail.blame[1].ns, verdict->tail.count * 10 * MS);
    assert_int_equal(verdict->on_cpu, 0); /* a third of it was */
}

/* Memory is bounded: of many the latencies are exact, and the sums those of a fair sample.  */
static void many(void **state)
{
    enum { N = 4 * EMLAT_RESPONSES_MAX };
    struct jury *jury = *state;
    for (int i = 0; i < N; i++)
        add(jury, i % 10 ? plain(jury, EMLAT_COMMAND, MS) : plain(jury, EMLAT_GC, 30 * MS));
    const struct emlat_verdict *verdict = judge(jury);
    assert_int_equal(jury->responses.latency.count, N);
    assert_int_equal(jury->responses.kept_count, EMLAT_RESPONSES_MAX);
    assert_int_equal(verdict->component, EMLAT_GC);
    assert_int_equal(verdict->finding, EMLAT_ONE_LEADS);
    /* A tenth of the sample, within ten standard deviations.  */
    assert_in_range(verdict->tail.count, 3277 - 543, 3277 + 543);
    assert_int_equal(verdict->slices, 5);
}

int main(void)
{
#define SESSION(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define TRIAL(name)   cmocka_unit_test_setup_teardown(name, seat, dismiss)
    const struct CMUnitTest tests[] = {
        SESSION(each_its_own),
        SESSION(waits_for_a_timer),
        SESSION(timer_before_the_display),
        SESSION(nested_work),
        SESSION(burst),
        SESSION(answers_twice),
        SESSION(idle_is_no_fault),
        SESSION(harmless),
        SESSION(groups),
        SESSION(by_name),
        TRIAL(no_responses),
        TRIAL(nothing_slow),
        TRIAL(some_stand_out),
        TRIAL(one_leads),
        TRIAL(none_repeats),
        TRIAL(not_in_the_host),
        TRIAL(nothing_in_the_way),
        TRIAL(blame_adds_up),
        TRIAL(many),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   make_session FILE [COMMANDS [huge]]: a recording on a virtual clock of what makes exports hard:
   keys typed ahead, so that interactions overlap; spans that begin together; whole spans across
   others' bounds; deferred work; commands that were superseded, wrote nothing, or were still open
   at the end.  */
#include <emlat/emlat.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEY = 1, TIMER = 2 };
enum { PRE = 1, COMMAND = 2, POST = 3, GC = 4, QUEUE = 5 };
enum { GC_NS = 0, OUTPUT_BYTES = 1, DEPTH = 2 };
static const struct emlat_word_row roots[] = {{KEY, EMLAT_ROOT_COMMAND, "tty_command", 0},
                                              {TIMER, 0, "timer \"of\", a host", 0}};
static const struct emlat_word_row spans[] = {{PRE, EMLAT_SPAN_STAMPS, "pre_command", 0},
                                              {COMMAND, EMLAT_SPAN_STAMPS, "command", 0},
                                              {POST, EMLAT_SPAN_STAMPS, "post_command", 0},
                                              {GC, 0, "gc", 0},
                                              {QUEUE, 0, "queue", 0}};
static const struct emlat_word_row counters[] = {
    {GC_NS, EMLAT_COUNTER_SUM, "gc_ns", "ns"},
    {OUTPUT_BYTES, EMLAT_COUNTER_SUM, "output_bytes", "bytes"},
    {DEPTH, EMLAT_COUNTER_LAST, "queue_depth", ""}};
static const struct emlat_vocabulary words = {roots, spans, counters, 2, 5, 3};

enum { COMMANDS = 3000, TERMINAL = 1 };

struct world {
    struct emlat_producer *producer;
    _Atomic uint64_t now; /* the writer thread reads it */
    uint64_t random, scheduled_by;
};

/* Up to LESS_THAN microseconds later, never none; now and then much more.  */
static uint64_t later(struct world *world, uint64_t less_than)
{
    world->random = world->random * 6364136223846793005u + 1442695040888963407u;
    uint64_t number = world->random >> 33;
    world->now += 1 + number % (less_than * 1000) * (number % 97 == 0 ? 40 : 1);
    return world->now;
}

/* A key arrives and is queued.  */
static struct emlat_token read_key(struct world *world)
{
    struct emlat_producer *producer = world->producer;
    emlat_input_empty(producer, TERMINAL, later(world, 20));
    emlat_input_ready(producer, TERMINAL, later(world, 50), EMLAT_SEEN_BY_POLL);
    uint64_t begin = later(world, 5), end = later(world, 5);
    uint64_t batch = emlat_input_batch(producer, TERMINAL, 0, 0, begin, end, 1);
    emlat_input_queued(producer, 1);
    return (struct emlat_token){batch, end, 0, 0};
}

static void run_timer(struct world *world)
{
    struct emlat_producer *producer = world->producer;
    uint64_t cause = emlat_root_begin(producer, TIMER, later(world, 10));
    emlat_root_scheduled(producer, cause, world->scheduled_by);
    struct emlat_span gc = emlat_span_begin_at(producer, GC, later(world, 10));
    emlat_span_end_at(producer, gc, later(world, 3000));
    emlat_root_work_end(producer, cause, later(world, 10));
}

/* A command for TOKEN; while it runs the next key may arrive, which then waits.  */
static struct emlat_token run_command(struct world *world, unsigned i, struct emlat_token token)
{
    struct emlat_producer *producer = world->producer;
    struct emlat_source_range range = {0};
    struct emlat_token next = {0};
    uint64_t removed = later(world, 20);
    emlat_source_add(&range, token, removed);
    uint64_t dispatched = later(world, 20);
    uint64_t cause = emlat_root_begin(producer, KEY, dispatched);
    emlat_root_source(producer, cause, &range, dispatched);
    emlat_span_whole(producer, QUEUE, token.t_insert, removed, 0, EMLAT_OUTCOME_NORMAL);
    emlat_count(producer, DEPTH, i % 4);
    struct emlat_span span = emlat_span_begin_at(producer, PRE, dispatched);
    emlat_span_end_at(producer, span, later(world, 30));
    span = emlat_span_begin_at(producer, COMMAND, world->now); /* where the one before it ended */
    struct emlat_span gc = emlat_span_begin_at(producer, GC, world->now);
    uint64_t begun = world->now;
    emlat_span_end_at(producer, gc, later(world, 500));
    emlat_count(producer, GC_NS, world->now - begun);
    if (i % 3 == 0) {
        next = read_key(world);
        later(world, 2000);
    }
    if (i % 11 == 0)
        run_timer(world);
    emlat_span_end_at(producer, span, later(world, 2000));
    span = emlat_span_begin_at(producer, POST, world->now);
    emlat_span_end_at(producer, span, later(world, 30));
    emlat_root_work_end(producer, cause, later(world, 5));
    if (i % 6 == 0) {
        emlat_display_decide(producer, EMLAT_DISPLAY_INPUT_PENDING, later(world, 5));
    } else {
        emlat_display_decide(producer, EMLAT_DISPLAY_PERFORMED, later(world, 5));
        emlat_display_begin(producer, later(world, 5));
        later(world, 1000);
        if (i % 7 != 0) {
            emlat_output(producer, TERMINAL, 10 + i % 50);
            uint64_t flush = later(world, 100);
            emlat_output_flush(producer, TERMINAL, flush, later(world, 400), false);
        }
        emlat_display_end(producer, later(world, 20));
        emlat_display_done(producer, later(world, 5));
    }
    world->scheduled_by = cause;
    return next;
}

int main(int argc, char **argv)
{
    struct world world = {.now = 5000000000, .random = 1};
    struct emlat_options options;
    struct emlat_session *session;
    emlat_options_default(&options);
    if (argc < 2 || argc > 4)
        return 2;
    const struct emlat_attribute huge = {"huge", NULL, UINT64_MAX};
    options.attributes = &huge;
    options.attributes_count = argc == 4;
    unsigned commands = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : COMMANDS;
    options.ring_bytes = 64 << 20; /* nothing may be lost, however fast virtual time passes */
    options.path = argv[1];
    options.host = "make_session";
    options.words = &words;
    options.clock = EMLAT_CLOCK_VIRTUAL;
    options.virtual_now = (const uint64_t *)&world.now;
    int error = emlat_start(&options, &session);
    if (!error)
        error = emlat_producer_join(session, &world.producer);
    struct emlat_token token = {0};
    for (unsigned i = 0; !error && i < commands; i++) {
        later(&world, 3000);
        if (!token.batch)
            token = read_key(&world);
        token = run_command(&world, i, token);
    }
    if (!error) { /* left open, with a span */
        emlat_root_begin(world.producer, KEY, later(&world, 10));
        emlat_span_begin_at(world.producer, COMMAND, later(&world, 10));
        later(&world, 1000);
        error = emlat_stop(session, 5000000000);
    }
    if (error)
        fprintf(stderr, "make_session: %s\n", emlat_strerror(error));
    return error != 0;
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   A synthetic engine: what a game's frame loop does with threads, and nothing else.

   It loads images with a pool of two workers behind a memory gate, then turns FRAMES frames: the
   main thread simulates and hands each frame to a render thread that works on it one frame later,
   and whose "GPU" answers three frames late.  Every tenth frame a task is begun on the main thread
   and ended on the render thread.  Its figures are a machine's; the exact cases are in
   test_cases.c.  */
#include <emlat/bench.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORKERS = 2, IMAGES = 12, FRAMES = 240, GPU_LATE = 3, IMAGE_BYTES = 4 << 20 };
enum { GATE_BYTES = 3 * IMAGE_BYTES };

enum { SIMULATE = 1, PHYSICS, ANIMATE, EXTRACT, PRESENT_WAIT, RENDER, SUBMIT, TASK };
static const struct emlat_word_row spans[] = {
    {SIMULATE, EMLAT_SPAN_TOP_LEVEL, "simulate", ""},
    {PHYSICS, 0, "physics", ""},
    {ANIMATE, 0, "animate", ""},
    {EXTRACT, EMLAT_SPAN_TOP_LEVEL, "extract", ""},
    {PRESENT_WAIT, EMLAT_SPAN_TOP_LEVEL | EMLAT_SPAN_WAITS, "present_wait", ""},
    {RENDER, EMLAT_SPAN_TOP_LEVEL | EMLAT_SPAN_RENDER, "render_thread", ""},
    {SUBMIT, 0, "submit", ""},
    {TASK, 0, "task", ""},
};
enum { DRAWS, BODY, GAP, GPU_COLOUR, GPU_SHADOW, STATE_AGE, RENDERED, LIVE_OBJECTS };
static const struct emlat_word_row counters[] = {
    {DRAWS, EMLAT_COUNTER_SUM, "draws", ""},
    {BODY, EMLAT_COUNTER_SUM, "submit_body", "ns"},
    {GAP, EMLAT_COUNTER_SUM | EMLAT_COUNTER_GAP, "submit_schedule_interval", "ns"},
    {GPU_COLOUR, EMLAT_COUNTER_SUM | EMLAT_COUNTER_GPU, "gpu_colour", "ns"},
    {GPU_SHADOW, EMLAT_COUNTER_SUM | EMLAT_COUNTER_GPU, "gpu_shadow", "ns"},
    {STATE_AGE, EMLAT_COUNTER_LAST | EMLAT_COUNTER_AGE, "presented_state_age", "ns"},
    {RENDERED, EMLAT_COUNTER_SUM | EMLAT_COUNTER_CADENCE, "rendered_frames", ""},
    {LIVE_OBJECTS, EMLAT_COUNTER_LAST, "live_objects", ""},
};
enum { STARTED = 1, LOADED, PLAYABLE, OPEN_ZONE, DECODE, IMAGE, WARMUP };
static const struct emlat_word_row marks[] = {
    {STARTED, EMLAT_MARK_MILESTONE, "load_requested", ""},
    {LOADED, EMLAT_MARK_MILESTONE, "loaded", ""},
    {PLAYABLE, EMLAT_MARK_MILESTONE | EMLAT_MARK_PLAYABLE, "first_drawn_frame", ""},
    {OPEN_ZONE, EMLAT_MARK_STAGE, "open_zone", ""},
    {DECODE, EMLAT_MARK_STAGE, "decode_images", ""},
    {IMAGE, EMLAT_MARK_JOB, "image_decode", ""},
    {WARMUP, EMLAT_MARK_STATE, "warmup", ""},
};
#define COUNT(rows) (uint32_t)(sizeof(rows) / sizeof *(rows))

/* What it does not tell of: the handle that those calls get is null.  */
static bool no_load, no_frames, no_counters;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct emlat_bench *bench;

/* A handle or none; the engine goes on either way.  */
static struct emlat_bench_thread *join(void)
{
    struct emlat_bench_thread *thread;
    if (emlat_bench_join(bench, &thread) != 0)
        fputs("engine: more threads than the bench has places for\n", stderr);
    return thread;
}

static struct emlat_bench_thread *unless(bool silent, struct emlat_bench_thread *thread)
{
    return silent ? NULL : thread;
}

static uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void spin_us(unsigned us)
{
    uint64_t end = clock_ns() + us * 1000u;
    while (clock_ns() < end)
        ;
}

/* ---- Loading --------------------------------------------------------------------------------- */

static struct {
    uint64_t jobs[IMAGES];
    int next, finished, joined; /* images taken, done, and taken over by the main thread */
    int order[IMAGES];          /* in which they were done */
} pool;

static void *work(void *unused)
{
    struct emlat_bench_thread *me = join();
    (void)unused;
    pthread_mutex_lock(&lock);
    while (pool.next < IMAGES) {
        int image = pool.next++;
        uint64_t job = pool.jobs[image];
        emlat_bench_job_stamp(unless(no_load, me), job, EMLAT_JOB_STARTED, 0);
        /* The gate: results that nobody has taken fill the memory.  */
        while (pool.finished > pool.joined &&
               (pool.finished - pool.joined) * IMAGE_BYTES >= GATE_BYTES)
            pthread_cond_wait(&changed, &lock);
        emlat_bench_job_stamp(unless(no_load, me), job, EMLAT_JOB_DECODE_STARTED, 0);
        emlat_bench_job_number(unless(no_load, me), job, EMLAT_JOB_OUTSTANDING,
                               (uint64_t)(pool.finished - pool.joined + 1) * IMAGE_BYTES);
        pthread_mutex_unlock(&lock);
        spin_us(1500);
        emlat_bench_job_number(unless(no_load, me), job, EMLAT_JOB_PREPARED, IMAGE_BYTES);
        emlat_bench_job_number(unless(no_load, me), job, EMLAT_JOB_REUSED, 0);
        emlat_bench_job_stamp(unless(no_load, me), job, EMLAT_JOB_FINISHED, 0);
        pthread_mutex_lock(&lock);
        pool.order[pool.finished++] = image;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void take_image(struct emlat_bench_thread *me, uint64_t job)
{
    emlat_bench_job_stamp(unless(no_load, me), job, EMLAT_JOB_JOINED, 0);
    emlat_bench_job_number(unless(no_load, me), job, EMLAT_JOB_RETAINED, IMAGE_BYTES);
    emlat_bench_job_number(unless(no_load, me), job, EMLAT_JOB_DISCARDED, 0);
    emlat_bench_job_close(unless(no_load, me), job);
}

static void load(struct emlat_bench_thread *me)
{
    pthread_t workers[WORKERS];
    emlat_bench_reach(unless(no_load, me), STARTED, 0);
    uint32_t zone = emlat_bench_stage_begin(unless(no_load, me), OPEN_ZONE, 0, 0);
    uint32_t decode = emlat_bench_stage_begin(unless(no_load, me), DECODE, IMAGES, 0);
    for (int i = 0; i < IMAGES; i++) {
        pool.jobs[i] = emlat_bench_job(unless(no_load, me), IMAGE, (uint64_t)i + 1, 0, 0);
        emlat_bench_job_stamp(unless(no_load, me), pool.jobs[i], EMLAT_JOB_PLAN_READY, 0);
        emlat_bench_job_stamp(unless(no_load, me), pool.jobs[i], EMLAT_JOB_ENQUEUED, 0);
    }
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&workers[i], NULL, work, NULL) != 0)
            exit(3);
    spin_us(1000);
    emlat_bench_stage_end(unless(no_load, me), zone, 0, EMLAT_OUTCOME_NORMAL);
    /* One result a loading frame, so the gate is felt.  */
    for (int i = 0; i < IMAGES; i++) {
        emlat_bench_frame(unless(no_frames, me), 0);
        pthread_mutex_lock(&lock);
        while (pool.finished <= i)
            pthread_cond_wait(&changed, &lock);
        int image = pool.order[i];
        pthread_mutex_unlock(&lock);
        spin_us(2000);
        take_image(me, pool.jobs[image]);
        pthread_mutex_lock(&lock);
        pool.joined++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
        emlat_bench_stage_done(unless(no_load, me), decode, (uint64_t)i + 1);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    emlat_bench_stage_end(unless(no_load, me), decode, 0, EMLAT_OUTCOME_NORMAL);
    emlat_bench_reach(unless(no_load, me), LOADED, 0);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* What the main thread hands over: one slot, one frame ahead.  */
static struct {
    bool full, ending;
    uint64_t frame, t_extract;
    struct emlat_bench_span task; /* KIND 0: none */
    uint64_t rendered;            /* frames the GPU has got */
} handoff;

static void draw(struct emlat_bench_thread *me, uint64_t frame, uint64_t t_extract)
{
    struct emlat_bench_span render = emlat_bench_begin(unless(no_frames, me), RENDER, 0);
    uint64_t t_gap = clock_ns();
    spin_us(200);
    uint64_t t_body = clock_ns();
    struct emlat_bench_span submit = emlat_bench_begin(unless(no_frames, me), SUBMIT, 0);
    spin_us(400);
    emlat_bench_end(unless(no_frames, me), submit, 0);
    emlat_bench_count_for(unless(no_counters, me), BODY, frame, (double)(clock_ns() - t_body));
    emlat_bench_count_for(unless(no_counters, me), GAP, frame, (double)(clock_ns() - t_gap));
    emlat_bench_count_for(unless(no_counters, me), DRAWS, frame, 100 + (double)(frame % 3));
    emlat_bench_end(unless(no_frames, me), render, 0);
    emlat_bench_count(unless(no_counters, me), STATE_AGE, (double)(clock_ns() - t_extract));
    emlat_bench_count(unless(no_counters, me), RENDERED, 1);
}

static void *render(void *unused)
{
    struct emlat_bench_thread *me = join();
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!handoff.full && !handoff.ending)
            pthread_cond_wait(&changed, &lock);
        if (!handoff.full)
            break;
        uint64_t frame = handoff.frame, t_extract = handoff.t_extract;
        struct emlat_bench_span task = handoff.task;
        handoff.full = false;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
        emlat_bench_end(unless(no_frames, me), task, 0);
        draw(me, frame, t_extract);
        pthread_mutex_lock(&lock);
        handoff.rendered++;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void simulate(struct emlat_bench_thread *me)
{
    struct emlat_bench_span all = emlat_bench_begin(unless(no_frames, me), SIMULATE, 0);
    struct emlat_bench_span part = emlat_bench_begin(unless(no_frames, me), PHYSICS, 0);
    spin_us(500);
    emlat_bench_end(unless(no_frames, me), part, 0);
    part = emlat_bench_begin(unless(no_frames, me), ANIMATE, 0);
    spin_us(300);
    emlat_bench_end(unless(no_frames, me), part, 0);
    emlat_bench_end(unless(no_frames, me), all, 0);
}

/* The newest answer lies there until the next one comes.  */
static void read_gpu(struct emlat_bench_thread *me, uint64_t rendered)
{
    if (rendered < GPU_LATE || !emlat_bench_fresh(unless(no_counters, me), 0, rendered - GPU_LATE))
        return;
    emlat_bench_count(unless(no_counters, me), GPU_COLOUR, 400000);
    emlat_bench_count(unless(no_counters, me), GPU_SHADOW, 300000);
}

static void hand_over(struct emlat_bench_thread *me, int turn)
{
    struct emlat_bench_span task = {0};
    struct emlat_bench_span wait = emlat_bench_begin(unless(no_frames, me), PRESENT_WAIT, 0);
    pthread_mutex_lock(&lock);
    while (handoff.full)
        pthread_cond_wait(&changed, &lock);
    emlat_bench_end(unless(no_frames, me), wait, 0);
    struct emlat_bench_span extract = emlat_bench_begin(unless(no_frames, me), EXTRACT, 0);
    spin_us(100);
    emlat_bench_end(unless(no_frames, me), extract, 0);
    if (turn % 10 == 0)
        task = emlat_bench_begin(unless(no_frames, me), TASK, 0);
    handoff.full = true;
    handoff.frame = emlat_bench_frame_now(me);
    handoff.t_extract = clock_ns();
    handoff.task = task;
    uint64_t rendered = handoff.rendered;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    read_gpu(me, rendered);
}

static void play(struct emlat_bench_thread *me)
{
    pthread_t renderer;
    if (pthread_create(&renderer, NULL, render, NULL) != 0)
        exit(3);
    emlat_bench_state(me, WARMUP, true);
    for (int turn = 0; turn < FRAMES; turn++) {
        if (emlat_bench_frame(unless(no_frames, me), 0))
            break;
        if (turn == 2)
            emlat_bench_reach(me, PLAYABLE, 0);
        if (turn == 10)
            emlat_bench_state(me, WARMUP, false);
        emlat_bench_position(me, (uint64_t)turn);
        simulate(me);
        emlat_bench_count(unless(no_counters, me), LIVE_OBJECTS, 40 + turn % 5);
        hand_over(me, turn);
    }
    pthread_mutex_lock(&lock);
    handoff.ending = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(renderer, NULL);
}

int main(int argc, char **argv)
{
    static const struct emlat_vocabulary words = {.spans = spans,
                                                  .spans_count = COUNT(spans),
                                                  .counters = counters,
                                                  .counters_count = COUNT(counters),
                                                  .marks = marks,
                                                  .marks_count = COUNT(marks)};
    static const struct emlat_attribute attributes[] = {{"workload", "synthetic", 0},
                                                        {"command_line", "engine", 0},
                                                        {"scheduling", "pipelined", 0}};
    struct emlat_bench_options options;
    for (int i = 1; i < argc; i++) {
        no_load |= strcmp(argv[i], "load") == 0;
        no_frames |= strcmp(argv[i], "frames") == 0;
        no_counters |= strcmp(argv[i], "counters") == 0;
    }
    if (emlat_bench_options_default(&options) != 0)
        fputs("engine: EMLAT_BENCH_STOP_… is no number\n", stderr);
    options.session.host = "engine";
    options.session.words = &words;
    options.session.attributes = attributes;
    options.session.attributes_count = COUNT(attributes);
    options.session.producers = 4;
    int error = emlat_bench_wanted() ? emlat_bench_start(&options, &bench) : 0;
    if (error)
        fprintf(stderr, "engine: %s\n", emlat_strerror(error));
    struct emlat_bench_thread *me = join();
    load(me);
    play(me);
    error = emlat_bench_stop(bench, 10000000000u);
    if (error)
        fprintf(stderr, "engine: %s\n", emlat_strerror(error));
    return 0;
}

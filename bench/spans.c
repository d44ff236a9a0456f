/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   What a span costs its thread, against what two reads of the session's clock cost, in one run.

   A sample is the thread CPU time per span of one loop, minus the mean of the loops without spans
   just before and just after it, so that a drift of the machine cancels.  All loops take turns in
   every round; "real" ones hash the next 96 bytes of a 48 KiB text, about 130 ns, "tight" ones do
   nothing.  A gate looks at the differences to two clock reads of the same round: it passes if the
   95 % interval of their median is within it, fails if that is beyond it, else it is undecided.
   A dropped span costs less than a kept one, so with drops no gate can pass.
   Exit 0, or 1 if a gate fails or spans were dropped.  */
#include <emlat/emlat.h>

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 101, SPANS = 10000, WORK = 96, TEXT = 512 * WORK };
enum { RING_BYTES = 4 << 20, RING_UNITS = RING_BYTES / sizeof(struct emlat_unit) };

enum loop { BARE, CLOCKS, FLOOR, RECORDED, NO_PRODUCER, STOPPED, LOOPS };
static const char *const names[LOOPS] = {"loop alone",     "two clock reads",   "  and a store",
                                         "span, recorded", "span, no producer", "span, stopped"};

static uint8_t text[TEXT];
static uint32_t position, hash;
static struct emlat_unit stored[RING_UNITS];
static uint64_t stored_count;
static double sample[2][LOOPS][ROUNDS];

static uint64_t cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void fill_text(void)
{
    srand(1);
    for (int i = 0; i < TEXT; i++)
        text[i] = (uint8_t)rand();
}

static inline uint64_t read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* FNV-1a of the next bytes from *AT on.  Unrolled: whether a loop's end is foreseen depends on what
   surrounds it, and costs as much as a span.  */
static inline __attribute__((always_inline)) uint32_t work(uint32_t sum, uint32_t *at)
{
    const uint8_t *bytes = text + *at % TEXT;
#pragma GCC unroll 96
    for (int i = 0; i < WORK; i++)
        sum = (sum ^ bytes[i]) * 16777619;
    *at += WORK;
    return sum;
}

/* Inlined with LOOP and REAL constant: each loop is its own code.  */
static inline __attribute__((always_inline)) uint64_t run_one(enum loop loop, bool real,
                                                              clockid_t id,
                                                              struct emlat_producer *producer)
{
    struct emlat_span span = {0, NULL};
    uint64_t a = 0, b = 0, begin = cpu_now();
    uint32_t at = position, sum = hash;
    for (int i = 0; i < SPANS; i++) {
        if (loop == CLOCKS || loop == FLOOR)
            a = read_clock(id);
        else if (loop != BARE)
            span = emlat_span_begin(producer, 1);
        if (real)
            sum = work(sum, &at);
        __asm__ volatile("" : "+r"(sum)); /* done, and before what follows */
        if (loop == CLOCKS || loop == FLOOR)
            b = read_clock(id);
        else if (loop != BARE)
            emlat_span_end(producer, span);
        if (loop == FLOOR) {
            uint64_t *word = stored[stored_count++ % RING_UNITS].word;
            word[0] = word[1] = word[2] = word[3] = word[6] = word[7] = stored_count;
            word[4] = a;
            word[5] = b;
        }
        __asm__ volatile("" : : "r"(a), "r"(b) : "memory");
    }
    position = at;
    hash = sum;
    return cpu_now() - begin;
}

static __attribute__((noinline)) uint64_t run(enum loop loop, bool real,
                                              struct emlat_producer *producer,
                                              struct emlat_producer *stopped)
{
    /* Volatile, so that the compiler cannot know that there is none.  */
    struct emlat_producer *volatile none = NULL;
    clockid_t id = (clockid_t)producer->clock_id;
    switch (loop) {
    case CLOCKS: return real ? run_one(CLOCKS, true, id, NULL) : run_one(CLOCKS, false, id, NULL);
    case FLOOR: return real ? run_one(FLOOR, true, id, NULL) : run_one(FLOOR, false, id, NULL);
    case RECORDED:
        return real ? run_one(RECORDED, true, id, producer)
                    : run_one(RECORDED, false, id, producer);
    case NO_PRODUCER:
        return real ? run_one(NO_PRODUCER, true, id, none) : run_one(NO_PRODUCER, false, id, none);
    case STOPPED:
        return real ? run_one(STOPPED, true, id, stopped) : run_one(STOPPED, false, id, stopped);
    case BARE:
    case LOOPS: break;
    }
    return real ? run_one(BARE, true, id, NULL) : run_one(BARE, false, id, NULL);
}

static void run_round(int round, bool real, struct emlat_producer *producer,
                      struct emlat_producer *stopped)
{
    run(BARE, real, producer, stopped); /* warm again after the sleep */
    uint64_t before = run(BARE, real, producer, stopped);
    for (int i = 0; i < LOOPS - 1; i++) {
        /* Each round starts with another loop.  */
        enum loop loop = (enum loop)(CLOCKS + (i + round + 1) % (LOOPS - 1));
        uint64_t with = run(loop, real, producer, stopped);
        uint64_t after = run(BARE, real, producer, stopped);
        double bare = ((double)before + (double)after) / 2;
        if (round >= 0) {
            sample[real][loop][round] = ((double)with - bare) / SPANS;
            sample[real][BARE][round] = bare / SPANS;
        }
        before = after;
    }
}

/* Sleep until the writer has given back enough of the ring for another round.  */
static void let_writer_catch_up(struct emlat_session *session, struct emlat_producer *producer)
{
    struct emlat_status status;
    emlat_idle(producer);
    for (int tries = 0; tries < 100; tries++) {
        usleep(25000);
        emlat_status(session, &status);
        if (status.ring_waiting / sizeof(struct emlat_unit) + 3 * SPANS < RING_UNITS)
            return;
    }
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

struct summary {
    double q1, median, q3, low, high; /* LOW .. HIGH: 95 % interval of the median */
};

static struct summary summarize(const double *values)
{
    double sorted[ROUNDS];
    memcpy(sorted, values, sizeof sorted);
    qsort(sorted, ROUNDS, sizeof *sorted, compare);
    int half = (int)ceil(0.98 * sqrt(ROUNDS)); /* ranks: normal approximation of the binomial */
    return (struct summary){sorted[ROUNDS / 4], sorted[ROUNDS / 2], sorted[3 * ROUNDS / 4],
                            sorted[ROUNDS / 2 - half], sorted[ROUNDS / 2 + half]};
}

static struct summary above_clocks(enum loop loop, bool real)
{
    double difference[ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        difference[i] = sample[real][loop][i] - sample[real][CLOCKS][i];
    return summarize(difference);
}

static void print_table(bool real)
{
    double clocks = summarize(sample[real][CLOCKS]).median;
    printf("%-18s %9s %17s %9s %10s\n", real ? "real" : "tight", "median", "quartiles", "x 2 reads",
           "- 2 reads");
    for (enum loop loop = BARE; loop < LOOPS; loop++) {
        struct summary s = summarize(sample[real][loop]);
        printf("%-18s %6.1f ns %7.1f..%5.1f ns", names[loop], s.median, s.q1, s.q3);
        if (loop == BARE)
            printf("\n");
        else
            printf(" %9.2f %+7.1f ns\n", s.median / clocks, above_clocks(loop, real).median);
    }
}

static bool gate(const char *name, struct summary s, double limit, bool dropped)
{
    const char *verdict = s.low > limit ? "fail" : s.high > limit || dropped ? "undecided" : "pass";
    printf("%s: %s (median %+.2f ns, 95 %% interval %+.2f..%+.2f)\n", name, verdict, s.median,
           s.low, s.high);
    return s.low <= limit;
}

static bool report(const struct emlat_status *status)
{
    bool dropped = status->records_lost != 0, good = !dropped;
    printf("clock %s, %d rounds of %d spans, %llu dropped%s\n", status->clock, ROUNDS, SPANS,
           (unsigned long long)status->records_lost,
           dropped ? ": the recorded figures flatter, for a drop costs less" : "");
    print_table(true);
    print_table(false);
    good &= gate("recorded span, real, <= two clock reads + 8 ns", above_clocks(RECORDED, true), 8,
                 dropped);
    good &=
        gate("span without a producer <= 1 ns", summarize(sample[false][NO_PRODUCER]), 1, false);
    good &= gate("span that is stopped <= 1 ns", summarize(sample[false][STOPPED]), 1, false);
    printf("memory of the recorder, fixed at its start: %.1f MiB\n",
           (double)status->memory_bytes / (1 << 20));
    return good;
}

/* Stay on this processor, so that the writer finds the other one.  After emlat_start, whose thread
   would inherit it.  */
static void stay_here(void)
{
    cpu_set_t here;
    int cpu = sched_getcpu();
    CPU_ZERO(&here);
    CPU_SET(cpu < 0 ? 0 : (size_t)cpu, &here);
    sched_setaffinity(0, sizeof here, &here);
}

int main(void)
{
    static const struct emlat_word_row spans[] = {{1, 0, "work", NULL}};
    static const struct emlat_vocabulary words = {.spans = spans, .spans_count = 1};
    static struct emlat_producer stopped = {.recording = 0};
    struct emlat_options options;
    struct emlat_session *session;
    struct emlat_producer *producer;
    struct emlat_status status;
    char folder[4000], path[4096];
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/emlat-bench-XXXXXX",
             parent                          ? parent
             : access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                             : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    snprintf(path, sizeof path, "%s/spans.emlat", folder);
    emlat_options_default(&options);
    options.path = path;
    options.words = &words;
    options.ring_bytes = RING_BYTES;
    int error = emlat_start(&options, &session);
    if (!error)
        error = emlat_producer_join(session, &producer);
    if (error) {
        fprintf(stderr, "spans: %s\n", emlat_strerror(error));
        unlink(path);
        rmdir(folder);
        return 1;
    }
    stay_here();
    fill_text();
    memset(stored, 1, sizeof stored);               /* its pages exist, as the ring's do */
    for (int round = -1; round < ROUNDS; round++) { /* the first one warms up */
        run_round(round, true, producer, &stopped);
        run_round(round, false, producer, &stopped);
        let_writer_catch_up(session, producer);
    }
    emlat_status(session, &status);
    error = emlat_stop(session, 5000000000);
    unlink(path);
    rmdir(folder);
    return report(&status) && !error ? 0 : 1;
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   What a span costs its thread, against what two reads of the session's clock cost, in one run.

   Method: loops of real work (dependent loads in a 256 KiB table, about 130 ns) with and without
   spans take turns; a sample is the thread CPU time of one loop with, minus the loop without next
   to it, per span.  Medians over many rounds, with quartiles; absolute figures belong to this
   machine and this minute, the ratio and the difference are what the gates look at.  A span that
   was dropped costs less than one that was kept, so drops are printed; the ring is large enough for
   none. Exit 0, or 1 if a gate fails; undecided (quartiles on both sides of it) is said and is no
   failure.  */
#include <emlat/emlat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 41, SPANS = 20000, WORK = 16, TABLE = 256 * 1024 / sizeof(uint32_t) };

static uint32_t table[TABLE];
static uint32_t position;

static uint64_t cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline void work(void)
{
    for (int i = 0; i < WORK; i++)
        position = table[position];
}

/* One permutation that is a single cycle, so that every load waits for the one before.  */
static void fill_table(void)
{
    for (uint32_t i = 0; i < TABLE; i++)
        table[i] = i;
    srand(1);
    for (uint32_t i = TABLE - 1; i > 0; i--) {
        uint32_t other = (uint32_t)rand() % i, kept = table[i];
        table[i] = table[other];
        table[other] = kept;
    }
}

enum loop { BARE, CLOCKS, RECORDED, NO_PRODUCER, NOT_RECORDING, LOOPS };
static const char *const names[LOOPS] = {"work alone", "two clock reads", "span, recorded",
                                         "span, never started", "span, stopped"};

static uint64_t run(enum loop loop, struct emlat_producer *producer, struct emlat_producer *stopped)
{
    uint64_t begin = cpu_now();
    /* Volatile, so that the compiler cannot know that there is none.  */
    struct emlat_producer *volatile none = NULL;
    for (int i = 0; i < SPANS; i++) {
        struct emlat_span span;
        switch (loop) {
        case BARE: work(); break;
        case CLOCKS: {
            struct timespec a, b;
            clock_gettime((clockid_t)producer->clock_id, &a);
            work();
            clock_gettime((clockid_t)producer->clock_id, &b);
            break;
        }
        case RECORDED:
            span = emlat_span_begin(producer, 1);
            work();
            emlat_span_end(producer, span);
            break;
        case NO_PRODUCER:
            span = emlat_span_begin(none, 1);
            work();
            emlat_span_end(none, span);
            break;
        case NOT_RECORDING:
            span = emlat_span_begin(stopped, 1);
            work();
            emlat_span_end(stopped, span);
            break;
        case LOOPS: break;
        }
    }
    return cpu_now() - begin;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static const char *verdict(double low, double median, double high, double limit, bool *failed)
{
    if (low > limit)
        *failed = true;
    return low > limit       ? "FAIL"
           : high <= limit   ? "pass"
           : median <= limit ? "undecided, median in"
                             : "undecided, median out";
}

int main(void)
{
    static const struct emlat_word_row spans[] = {{1, 0, "work", NULL}};
    static const struct emlat_vocabulary words = {.spans = spans, .spans_count = 1};
    static double sample[LOOPS][ROUNDS];
    struct emlat_options options;
    struct emlat_session *session;
    struct emlat_producer *producer;
    struct emlat_producer stopped = {.recording = 0};
    struct emlat_status status;
    char path[] = "/tmp/emlat-bench-XXXXXX";
    bool failed = false;
    close(mkstemp(path));
    unlink(path);
    emlat_options_default(&options);
    options.path = path;
    options.words = &words;
    options.ring_bytes = 2 << 20;
    int error = emlat_start(&options, &session);
    if (!error)
        error = emlat_producer_join(session, &producer);
    if (error) {
        fprintf(stderr, "spans: %s\n", emlat_strerror(error));
        return 1;
    }
    fill_table();
    for (int round = -1; round < ROUNDS; round++) { /* the first one warms up */
        run(BARE, producer, &stopped);              /* and this does after the sleep below */
        for (enum loop loop = CLOCKS; loop < LOOPS; loop++) {
            /* Between two loops without, so that a drift of the machine cancels.  */
            uint64_t before = run(BARE, producer, &stopped);
            uint64_t with = run(loop, producer, &stopped);
            double bare = ((double)before + (double)run(BARE, producer, &stopped)) / 2;
            if (round >= 0) {
                sample[loop][round] = ((double)with - bare) / SPANS;
                sample[BARE][round] = bare / SPANS;
            }
        }
        emlat_idle(producer);
        usleep(30000); /* the writer's turn */
    }
    emlat_status(session, &status);
    for (enum loop loop = BARE; loop < LOOPS; loop++)
        qsort(sample[loop], ROUNDS, sizeof **sample, compare);
    double clocks = sample[CLOCKS][ROUNDS / 2];
    printf("%-22s %8s %18s %10s   clock %s, %d spans, %llu dropped\n", "", "median", "quartiles",
           "x 2 reads", status.clock, ROUNDS * SPANS, (unsigned long long)status.records_lost);
    for (enum loop loop = BARE; loop < LOOPS; loop++)
        printf("%-22s %5.1f ns %8.1f..%5.1f ns %9.2f\n", names[loop], sample[loop][ROUNDS / 2],
               sample[loop][ROUNDS / 4], sample[loop][3 * ROUNDS / 4],
               sample[loop][ROUNDS / 2] / clocks);
    printf("recorded span <= two reads + 8 ns: %s (%+.1f ns)\n",
           verdict(sample[RECORDED][ROUNDS / 4] - clocks, sample[RECORDED][ROUNDS / 2] - clocks,
                   sample[RECORDED][3 * ROUNDS / 4] - clocks, 8, &failed),
           sample[RECORDED][ROUNDS / 2] - clocks);
    for (enum loop loop = NO_PRODUCER; loop < LOOPS; loop++)
        printf("%s <= 1 ns: %s\n", names[loop],
               verdict(sample[loop][ROUNDS / 4], sample[loop][ROUNDS / 2],
                       sample[loop][3 * ROUNDS / 4], 1, &failed));
    printf("memory of the recorder, fixed at its start: %.1f MiB\n",
           (double)status.memory_bytes / (1 << 20));
    error = emlat_stop(session, 5000000000);
    unlink(path);
    return failed || error || status.records_lost ? 1 : 0;
}

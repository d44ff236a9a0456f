/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The smallest host: a loop that counts primes, told of in the lines that doc/hosts.md names.
       emlat bench -- build/examples/loop  */
#include <emlat/bench.h>
#include <stdio.h>

enum { WORK = 1, FIND };
enum { PRIMES };
enum { READY = 1 };
static const struct emlat_word_row spans[] = {{WORK, EMLAT_SPAN_TOP_LEVEL, "work", ""},
                                              {FIND, 0, "find", ""}};
static const struct emlat_word_row counters[] = {{PRIMES, EMLAT_COUNTER_SUM, "primes", ""}};
static const struct emlat_word_row marks[] = {
    {READY, EMLAT_MARK_MILESTONE | EMLAT_MARK_PLAYABLE, "ready", ""}};
static const struct emlat_vocabulary words = {.spans = spans,
                                              .spans_count = 2,
                                              .counters = counters,
                                              .counters_count = 1,
                                              .marks = marks,
                                              .marks_count = 1};

static unsigned count_primes(unsigned from, unsigned to)
{
    unsigned count = 0;
    for (unsigned n = from; n < to; n++) {
        unsigned divisor = 2;
        while (divisor * divisor <= n && n % divisor)
            divisor++;
        count += n > 1 && divisor * divisor > n;
    }
    return count;
}

int main(void)
{
    struct emlat_bench *bench = NULL;
    struct emlat_bench_thread *me;
    if (emlat_bench_wanted()) {
        struct emlat_bench_options options;
        emlat_bench_options_default(&options);
        options.session.host = "loop";
        options.session.words = &words;
        int error = emlat_bench_start(&options, &bench);
        if (error)
            fprintf(stderr, "loop: not recorded: %s\n", emlat_strerror(error));
    }
    emlat_bench_join(bench, &me);
    emlat_bench_reach(me, READY, 0);
    unsigned all = 0;
    for (unsigned turn = 0; turn < 500 && !emlat_bench_frame(me, 0); turn++) {
        struct emlat_bench_span work = emlat_bench_begin(me, WORK, 0);
        struct emlat_bench_span find = emlat_bench_begin(me, FIND, 0);
        unsigned found = count_primes(turn * 1000, (turn + 1) * 1000);
        emlat_bench_end(me, find, 0);
        emlat_bench_count(me, PRIMES, found);
        all += found;
        emlat_bench_end(me, work, 0);
    }
    emlat_bench_stop(bench, 10000000000u);
    printf("%u primes\n", all);
    return 0;
}

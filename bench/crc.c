/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   CRC32C by table against CRC32C by the processor's instruction, over one chunk of 64 KiB.
   The two take turns; the ratio is taken within each round.  Exit 1 only if they disagree.  */
#include "crc32c.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 51, REPEATS = 8, SIZE = 64 << 10 };

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void print_row(const char *name, double *values, const char *unit)
{
    qsort(values, ROUNDS, sizeof *values, compare);
    printf("%-14s %8.2f %s, quartiles %.2f..%.2f\n", name, values[ROUNDS / 2], unit,
           values[ROUNDS / 4], values[3 * ROUNDS / 4]);
}

int main(void)
{
    static unsigned char bytes[SIZE];
    static double by_table[ROUNDS], by_instruction[ROUNDS], ratio[ROUNDS];
    int supported = 0;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)(i * 131 >> 3);
    for (int round = -1; round < ROUNDS; round++) { /* the first one warms up */
        uint32_t table = 0, instruction = 0;
        double begin = cpu_now();
        for (int i = 0; i < REPEATS; i++)
            table = emlat_crc32c_table(table, bytes, SIZE);
        double middle = cpu_now();
        for (int i = 0; i < REPEATS; i++)
            instruction = emlat_crc32c_hardware(instruction, bytes, SIZE, &supported);
        double end = cpu_now();
        if (supported && table != instruction) {
            printf("table and instruction disagree: %08x, %08x\n", table, instruction);
            return 1;
        }
        if (round < 0)
            continue;
        by_table[round] = (double)SIZE * REPEATS / (middle - begin);
        by_instruction[round] = (double)SIZE * REPEATS / (end - middle);
        ratio[round] = by_instruction[round] / by_table[round];
    }
    print_row("table", by_table, "GB/s");
    if (!supported) {
        printf("instruction    MISS: this processor has none\n");
        return 0;
    }
    print_row("instruction", by_instruction, "GB/s");
    print_row("ratio", ratio, "x   ");
    return 0;
}

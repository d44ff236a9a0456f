/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Choice and cost of the clocks.

   One table holds the candidates in the order in which they are preferred.  A clock works if the
   system reads it and knows its resolution.  Its cost is measured, never assumed: the least of
   several short runs, because whatever disturbs a run only adds to it.  */
#include "clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    enum emlat_clock clock;
    clockid_t id;
    const char *name;
    bool includes_suspend;
} candidates[] = {
    {EMLAT_CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_RAW, "CLOCK_MONOTONIC_RAW", false},
    {EMLAT_CLOCK_MONOTONIC, CLOCK_MONOTONIC, "CLOCK_MONOTONIC", false},
    {EMLAT_CLOCK_REALTIME, CLOCK_REALTIME, "CLOCK_REALTIME, never less than before", true},
};

static uint64_t read_clock(clockid_t id)
{
    struct timespec t;
    if (clock_gettime(id, &t) != 0)
        return 0;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Picoseconds that one READ (SOURCE) costs.  */
static uint64_t measure(uint64_t (*read)(struct emlat_clock_source *),
                        struct emlat_clock_source *source)
{
    enum { RUNS = 8, READS = 256 };
    uint64_t least = UINT64_MAX;
    for (int run = 0; run < RUNS; run++) {
        uint64_t begin = read_clock(CLOCK_MONOTONIC);
        for (int i = 0; i < READS; i++)
            read(source);
        uint64_t took = read_clock(CLOCK_MONOTONIC) - begin;
        if (took < least)
            least = took;
    }
    return least * 1000 / READS;
}

uint64_t emlat_clock_now(struct emlat_clock_source *source)
{
    if (source->clock == EMLAT_CLOCK_VIRTUAL)
        /* The writer reads it too, while the test that owns it goes on.  */
        return __atomic_load_n(source->virtual_now, __ATOMIC_RELAXED);
    if (source->clock != EMLAT_CLOCK_REALTIME)
        return read_clock((clockid_t)source->id);
    uint64_t now = read_clock(CLOCK_REALTIME);
    uint64_t latest = atomic_load_explicit(&source->latest, memory_order_relaxed);
    while (latest < now &&
           !atomic_compare_exchange_weak_explicit(&source->latest, &latest, now,
                                                  memory_order_relaxed, memory_order_relaxed))
        continue;
    return latest > now ? latest : now;
}

int emlat_clock_choose(struct emlat_clock_source *source, enum emlat_clock wanted,
                       const uint64_t *virtual_now, unsigned forbidden)
{
    memset(source, 0, sizeof *source);
    source->id = EMLAT_CLOCK_ID_NONE;
    if (wanted == EMLAT_CLOCK_VIRTUAL) {
        if (!virtual_now)
            return EMLAT_EINVAL;
        source->clock = EMLAT_CLOCK_VIRTUAL;
        source->name = "virtual";
        source->resolution_ns = 1;
        source->virtual_now = virtual_now;
        return 0;
    }
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        struct timespec t;
        if ((wanted != EMLAT_CLOCK_AUTO && wanted != candidates[i].clock) ||
            forbidden >> candidates[i].clock & 1 || clock_gettime(candidates[i].id, &t) != 0 ||
            clock_getres(candidates[i].id, &t) != 0)
            continue;
        source->clock = candidates[i].clock;
        source->name = candidates[i].name;
        source->resolution_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
        source->includes_suspend = candidates[i].includes_suspend;
        if (source->clock != EMLAT_CLOCK_REALTIME)
            source->id = (uint32_t)candidates[i].id;
        source->read_ps = measure(emlat_clock_now, source);
        return 0;
    }
    return EMLAT_ECLOCK;
}

uint64_t emlat_thread_cpu_now(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static uint64_t read_thread_cpu(struct emlat_clock_source *unused)
{
    (void)unused;
    return emlat_thread_cpu_now();
}

int emlat_run_delay_open(void)
{
    uint64_t ns;
    int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && !emlat_run_delay_read(fd, &ns)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The file says: time on a processor, time ready for one, turns.  */
bool emlat_run_delay_read(int fd, uint64_t *ns)
{
    char text[96];
    ssize_t length = pread(fd, text, sizeof text - 1, 0);
    if (length <= 0)
        return false;
    text[length] = '\0';
    char *second = strchr(text, ' ');
    if (!second)
        return false;
    *ns = strtoull(second, NULL, 10);
    return true;
}

uint64_t emlat_thread_cpu_measure(void)
{
    return measure(read_thread_cpu, NULL);
}

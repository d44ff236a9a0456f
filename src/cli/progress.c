/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See progress.h.  A line that is written over itself: "scan 62 %  1.3 GiB  410 MiB/s  ETA 2 s".
   A pipe has no known size, so it gets neither a share nor an ETA.  */
#include "progress.h"

#include "reader.h"
#include "words.h"

#include <inttypes.h>
#include <time.h>
#include <unistd.h>

static const uint64_t first_after_ns = 500000000, every_ns = 100000000;

static const struct emlat_reader *scanned;
static uint64_t begun_ns, said_ns; /* said_ns is 0 where nothing is on the screen */

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void say(uint64_t done, uint64_t size, uint64_t past_ns)
{
    char amount[EMLAT_SHORT_TEXT], speed[EMLAT_SHORT_TEXT];
    double per_second = (double)done * 1e9 / (double)past_ns;
    fputs("\rscan ", stderr);
    if (size >= done && size)
        fprintf(stderr, "%" PRIu64 " %%  ", (uint64_t)(100.0 * (double)done / (double)size));
    fprintf(stderr, "%s  %s/s", emlat_size_text(amount, done),
            emlat_size_text(speed, (uint64_t)per_second));
    if (size >= done && size && per_second > 0)
        fprintf(stderr, "  ETA %.0f s", (double)(size - done) / per_second);
    fputs("\033[K", stderr);
    fflush(stderr);
}

static void wipe(void)
{
    if (said_ns)
        fputs("\r\033[K", stderr);
    said_ns = 0;
}

static void watch(const struct emlat_reader *reader, uint64_t size, bool ended)
{
    uint64_t now = now_ns();
    if (reader != scanned) {
        scanned = reader;
        begun_ns = now;
    }
    if (ended) {
        wipe();
        scanned = NULL;
    } else if (now - begun_ns >= first_after_ns && now - said_ns >= every_ns) {
        /* The scan's results may be going to the same screen.  */
        fflush(stdout);
        said_ns = now;
        say(emlat_reader_counts(reader)->bytes, size, now - begun_ns);
    }
}

void emlat_progress_begin(void)
{
    if (isatty(STDERR_FILENO))
        emlat_reader_watch_all(watch);
}

void emlat_progress_stop_where_seen(void)
{
    if (isatty(STDOUT_FILENO))
        emlat_reader_watch_all(NULL);
}

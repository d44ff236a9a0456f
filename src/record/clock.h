/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The session's clock: which one, what it costs, what it promises.  */
#ifndef EMLAT_CLOCK_H
#define EMLAT_CLOCK_H

#include <emlat/emlat.h>
#include <stdatomic.h>

/* No clock of any system: clock_gettime refuses it, and emlat_clock_read goes the slow way.  */
#define EMLAT_CLOCK_ID_NONE ((uint32_t)INT32_MAX)

struct emlat_clock_source {
    enum emlat_clock clock;
    uint32_t id;      /* clockid_t, or EMLAT_CLOCK_ID_NONE for the slow ones */
    const char *name; /* static */
    uint64_t resolution_ns, read_ps;
    bool includes_suspend;
    const uint64_t *virtual_now;
    _Atomic uint64_t latest; /* of REALTIME: what was answered last */
};

/* Choose WANTED, or for AUTO the first that works in the order of enum emlat_clock, and measure it.
   FORBIDDEN is a set of (1 << enum emlat_clock) that count as not working (for tests).
   EMLAT_ECLOCK; EMLAT_EINVAL for VIRTUAL without VIRTUAL_NOW.  */
int emlat_clock_choose(struct emlat_clock_source *source, enum emlat_clock wanted,
                       const uint64_t *virtual_now, unsigned forbidden);

/* Now, in nanoseconds.  Any thread, async-signal-safe.  */
uint64_t emlat_clock_now(struct emlat_clock_source *source);

/* The thread's CPU clock: what reading it costs, and its value (0 where the system has none).  */
uint64_t emlat_thread_cpu_measure(void);
uint64_t emlat_thread_cpu_now(void);

/* How long the calling thread has ever been ready to run while no processor was free for it, in ns:
   a descriptor to ask by, or -1 where the kernel does not tell; and the answer of it, with a system
   call of about a microsecond, or false.  */
int emlat_run_delay_open(void);
bool emlat_run_delay_read(int fd, uint64_t *ns);

#endif

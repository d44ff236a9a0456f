/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The recorder's own cost, from what SESSION measured: CPU time of the writer thread, and reads of
   the clock times the cost of one.  What it leaves out (stores, the reads of the thread's CPU
   clock) is for the A/B runs to find.  */
#include "report.h"

static bool number(const struct emlat_reader *reader, const char *name, uint64_t *value)
{
    const struct emlat_attribute_value *attribute = emlat_reader_attribute(reader, name);
    if (!attribute || attribute->is_text)
        return false;
    *value = attribute->number;
    return true;
}

struct emlat_overhead emlat_overhead_of(const struct emlat_reader *reader)
{
    struct emlat_overhead overhead = {0};
    uint64_t complete, read_ps, t_totals;
    uint64_t begin = emlat_reader_file(reader)->monotonic_ns;
    /* The totals at a file's begin are those of nothing.  */
    if (!number(reader, "complete", &complete) || !complete)
        return overhead;
    overhead.has_writer = number(reader, "writer_cpu_ns", &overhead.writer_cpu_ns);
    overhead.has_clock = number(reader, "clock_reads", &overhead.clock_reads) &&
                         number(reader, "clock_read_ps", &read_ps);
    if (overhead.has_clock)
        overhead.clock_ns = (uint64_t)((double)overhead.clock_reads * (double)read_ps / 1000);
    overhead.has_elapsed = number(reader, "t_totals", &t_totals) && t_totals > begin;
    if (overhead.has_elapsed)
        overhead.elapsed_ns = t_totals - begin;
    return overhead;
}

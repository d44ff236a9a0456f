/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The numbers that follow from an interaction's raw times: section 4 of the profiler's
   specification, as one table of differences.

   A metric whose inputs are not all there is absent, never zero.  A negative difference is never
   clamped in silence: the metric is absent and its bit in NEGATIVE or INSIDE is set, so that a
   report can count it.  Knows no file and prints nothing.  */
#ifndef EMLAT_METRICS_H
#define EMLAT_METRICS_H

#include "schema.h"

/* ROW (name, minuend, subtrahend, flag).  An operand is F (field of INTERACTION) or M (a metric of
   a row above).  Flags: STRICT, a negative difference is an anomaly; ZERO, it is 0 by definition;
   INSIDE, it means that the one happened inside the other, and that there is no such duration.  */
#define EMLAT_METRIC_TABLE(ROW)                                                  \
    ROW(batch_ready_wait_ns, F(t_read_begin), F(t_input_ready), STRICT)          \
    ROW(input_queue_ns, F(t_queue_remove), F(t_queue_insert), STRICT)            \
    ROW(key_decode_ns, F(t_key_decode_done), F(t_queue_remove), STRICT)          \
    ROW(pre_command_ns, F(t_pre_command_end), F(t_pre_command_begin), STRICT)    \
    ROW(command_ns, F(t_command_end), F(t_command_begin), STRICT)                \
    ROW(post_command_ns, F(t_post_command_end), F(t_post_command_begin), STRICT) \
    ROW(redisplay_wait_ns, F(t_redisplay_begin), F(t_root_work_end), INSIDE)     \
    ROW(redisplay_ns, F(t_redisplay_end), F(t_redisplay_begin), STRICT)          \
    ROW(tty_emit_ns, F(t_flush_end), F(t_output_begin), STRICT)                  \
    ROW(input_to_command_min_ns, F(t_command_end), F(t_input_latest), STRICT)    \
    ROW(input_to_command_max_ns, F(t_command_end), F(t_input_earliest), STRICT)  \
    ROW(input_to_flush_min_ns, F(t_flush_end), F(t_input_latest), STRICT)        \
    ROW(input_to_flush_max_ns, F(t_flush_end), F(t_input_earliest), STRICT)      \
    ROW(wall_ns, F(t_end), F(t_dispatch_begin), STRICT)                          \
    ROW(main_cpu_ns, F(thread_cpu_end), F(thread_cpu_begin), STRICT)             \
    ROW(main_off_cpu_ns, M(wall_ns), M(main_cpu_ns), STRICT)                     \
    ROW(prefix_dwell_min_ns, F(t_input_earliest), F(t_first_latest), ZERO)       \
    ROW(prefix_dwell_max_ns, F(t_input_latest), F(t_first_earliest), STRICT)

enum emlat_metric {
#define ROW(name, minuend, subtrahend, flag) EMLAT_METRIC_##name,
    EMLAT_METRIC_TABLE(ROW)
#undef ROW
        EMLAT_METRICS
};

struct emlat_metrics {
    uint32_t present, negative, inside; /* a bit a metric */
    uint64_t value[EMLAT_METRICS];      /* ns; of a negative one its magnitude */
};

const char *emlat_metric_name(enum emlat_metric metric); /* "batch_ready_wait_ns" … */
void emlat_metrics_of(const struct emlat_record *interaction, struct emlat_metrics *metrics);

static inline bool emlat_metric_has(const struct emlat_metrics *metrics, enum emlat_metric metric)
{
    return metrics->present >> metric & 1;
}

#endif

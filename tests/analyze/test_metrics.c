/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Each derived number against one that was worked out by hand.  */
#include "metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SET(field, number) emlat_record_set(&r, EMLAT_INTERACTION_##field, number)

/* A flushed command, every boundary there.  */
static struct emlat_record whole(void)
{
    struct emlat_record r = {.type = EMLAT_INTERACTION};
    SET(t_first_earliest, 100);
    SET(t_first_latest, 130);
    SET(t_input_earliest, 1000);
    SET(t_input_latest, 1040);
    SET(t_input_ready, 1041);
    SET(t_read_begin, 1100);
    SET(t_queue_insert, 1115);
    SET(t_queue_remove, 1150);
    SET(t_key_decode_done, 1163);
    SET(t_dispatch_begin, 1170);
    SET(t_pre_command_begin, 1180);
    SET(t_pre_command_end, 1191);
    SET(t_command_begin, 1200);
    SET(t_command_end, 1500);
    SET(t_post_command_begin, 1510);
    SET(t_post_command_end, 1522);
    SET(t_root_work_end, 1530);
    SET(t_redisplay_begin, 1547);
    SET(t_output_begin, 1600);
    SET(t_flush_end, 1700);
    SET(t_redisplay_end, 1710);
    SET(t_end, 1720);
    SET(thread_cpu_begin, 50);
    SET(thread_cpu_end, 550);
    return r;
}

static void without(struct emlat_record *r, unsigned field)
{
    r->present &= ~((uint64_t)1 << field);
}

static const struct {
    enum emlat_metric metric;
    uint64_t value;
    unsigned inputs[2]; /* without either the metric is absent */
} expected[] = {
#define INPUTS(a, b)                                 \
    {                                                \
        EMLAT_INTERACTION_##a, EMLAT_INTERACTION_##b \
    }
    {EMLAT_METRIC_batch_ready_wait_ns, 59, INPUTS(t_read_begin, t_input_ready)},
    {EMLAT_METRIC_input_queue_ns, 35, INPUTS(t_queue_remove, t_queue_insert)},
    {EMLAT_METRIC_key_decode_ns, 13, INPUTS(t_key_decode_done, t_queue_remove)},
    {EMLAT_METRIC_pre_command_ns, 11, INPUTS(t_pre_command_begin, t_pre_command_end)},
    {EMLAT_METRIC_command_ns, 300, INPUTS(t_command_begin, t_command_end)},
    {EMLAT_METRIC_post_command_ns, 12, INPUTS(t_post_command_begin, t_post_command_end)},
    {EMLAT_METRIC_redisplay_wait_ns, 17, INPUTS(t_redisplay_begin, t_root_work_end)},
    {EMLAT_METRIC_redisplay_ns, 163, INPUTS(t_redisplay_begin, t_redisplay_end)},
    {EMLAT_METRIC_tty_emit_ns, 100, INPUTS(t_output_begin, t_flush_end)},
    {EMLAT_METRIC_input_to_command_min_ns, 460, INPUTS(t_command_end, t_input_latest)},
    {EMLAT_METRIC_input_to_command_max_ns, 500, INPUTS(t_command_end, t_input_earliest)},
    {EMLAT_METRIC_input_to_flush_min_ns, 660, INPUTS(t_flush_end, t_input_latest)},
    {EMLAT_METRIC_input_to_flush_max_ns, 700, INPUTS(t_flush_end, t_input_earliest)},
    {EMLAT_METRIC_wall_ns, 550, INPUTS(t_end, t_dispatch_begin)},
    {EMLAT_METRIC_main_cpu_ns, 500, INPUTS(thread_cpu_begin, thread_cpu_end)},
    {EMLAT_METRIC_main_off_cpu_ns, 50, INPUTS(t_end, thread_cpu_end)},
    {EMLAT_METRIC_prefix_dwell_min_ns, 870, INPUTS(t_input_earliest, t_first_latest)},
    {EMLAT_METRIC_prefix_dwell_max_ns, 940, INPUTS(t_input_latest, t_first_earliest)},
};

static void each_by_hand(void **state)
{
    (void)state;
    struct emlat_record r = whole();
    struct emlat_metrics m;
    emlat_metrics_of(&r, &m);
    assert_int_equal(sizeof expected / sizeof *expected, EMLAT_METRICS);
    for (size_t i = 0; i < EMLAT_METRICS; i++) {
        assert_true(emlat_metric_has(&m, expected[i].metric));
        assert_int_equal(m.value[expected[i].metric], expected[i].value);
    }
    assert_int_equal(m.negative, 0);
}

static void absent_in_absent_out(void **state)
{
    (void)state;
    struct emlat_metrics m;
    for (size_t i = 0; i < EMLAT_METRICS; i++) {
        for (int input = 0; input < 2; input++) {
            struct emlat_record r = whole();
            without(&r, expected[i].inputs[input]);
            emlat_metrics_of(&r, &m);
            assert_false(emlat_metric_has(&m, expected[i].metric));
            assert_int_equal(m.negative, 0);
        }
    }
    struct emlat_record r = {.type = EMLAT_INTERACTION};
    emlat_metrics_of(&r, &m);
    assert_int_equal(m.present, 0);
}

static void negative_is_counted(void **state)
{
    (void)state;
    struct emlat_record r = whole();
    struct emlat_metrics m;
    SET(t_command_end, 1199);
    SET(thread_cpu_end, 601); /* 551 of CPU in 550 */
    emlat_metrics_of(&r, &m);
    assert_false(emlat_metric_has(&m, EMLAT_METRIC_command_ns));
    assert_false(emlat_metric_has(&m, EMLAT_METRIC_main_off_cpu_ns));
    assert_int_equal(m.negative,
                     1u << EMLAT_METRIC_command_ns | 1u << EMLAT_METRIC_main_off_cpu_ns);
    assert_int_equal(m.value[EMLAT_METRIC_command_ns], 1); /* by how much */
}

/* The specification: prefix_dwell_min is max (0, …).  A display that began inside the command did
   not wait for its end.  */
static void zero_and_inside(void **state)
{
    (void)state;
    struct emlat_record r = whole();
    struct emlat_metrics m;
    SET(t_first_latest, 1030);
    SET(t_redisplay_begin, 1300);
    emlat_metrics_of(&r, &m);
    assert_true(emlat_metric_has(&m, EMLAT_METRIC_prefix_dwell_min_ns));
    assert_int_equal(m.value[EMLAT_METRIC_prefix_dwell_min_ns], 0);
    assert_false(emlat_metric_has(&m, EMLAT_METRIC_redisplay_wait_ns));
    assert_int_equal(m.negative, 0);
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(emlat_metric_name(EMLAT_METRIC_batch_ready_wait_ns), "batch_ready_wait_ns");
    assert_string_equal(emlat_metric_name(EMLAT_METRIC_prefix_dwell_max_ns), "prefix_dwell_max_ns");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_by_hand),
        cmocka_unit_test(absent_in_absent_out),
        cmocka_unit_test(negative_is_counted),
        cmocka_unit_test(zero_and_inside),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Exact percentiles on sets whose ranks can be counted by hand.  */
#include "distribution.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* FIRST, FIRST + STEP, … added from the largest down, so that sorting matters.  */
static struct emlat_distribution series(uint64_t first, uint64_t step, size_t count)
{
    struct emlat_distribution of = {0};
    for (size_t i = count; i-- > 0;)
        assert_int_equal(emlat_distribution_add(&of, first + step * i), 0);
    emlat_distribution_sort(&of);
    return of;
}

static void test_nearest_rank(void **state)
{
    (void)state;
    /* The ranks of 5 values: ceil (5 p).  p50 is the 3rd, p90 and above the 5th.  */
    struct emlat_distribution of = series(10, 10, 5);
    assert_int_equal(emlat_distribution_rank(&of, 0), 10);
    assert_int_equal(emlat_distribution_rank(&of, 200), 10);
    assert_int_equal(emlat_distribution_rank(&of, 201), 20);
    assert_int_equal(emlat_distribution_rank(&of, 500), 30);
    assert_int_equal(emlat_distribution_rank(&of, 900), 50);
    assert_int_equal(emlat_distribution_rank(&of, 999), 50);
    assert_int_equal(of.total, 150);
    emlat_distribution_free(&of);
    /* Of 1..2000: rank ceil (2000 p).  */
    of = series(1, 1, 2000);
    assert_int_equal(emlat_distribution_rank(&of, 500), 1000);
    assert_int_equal(emlat_distribution_rank(&of, 950), 1900);
    assert_int_equal(emlat_distribution_rank(&of, 990), 1980);
    assert_int_equal(emlat_distribution_rank(&of, 999), 1998);
    emlat_distribution_free(&of);
    of = series(7, 0, 1);
    assert_int_equal(emlat_distribution_rank(&of, 500), 7);
    emlat_distribution_free(&of);
}

/* A percentile is said only where at least ten values lie beyond it.  */
static void test_support(void **state)
{
    (void)state;
    assert_false(emlat_distribution_supports(0, 500));
    assert_true(emlat_distribution_supports(1, 500));
    assert_false(emlat_distribution_supports(99, 900));
    assert_true(emlat_distribution_supports(100, 900));
    assert_false(emlat_distribution_supports(199, 950));
    assert_true(emlat_distribution_supports(200, 950));
    assert_false(emlat_distribution_supports(999, 990));
    assert_true(emlat_distribution_supports(1000, 990));
    assert_false(emlat_distribution_supports(9999, 999));
    assert_true(emlat_distribution_supports(10000, 999));
}

static void test_total_saturates(void **state)
{
    (void)state;
    struct emlat_distribution of = series(UINT64_MAX - 1, 1, 2);
    assert_true(of.total == UINT64_MAX);
    emlat_distribution_free(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nearest_rank),
                                       cmocka_unit_test(test_support),
                                       cmocka_unit_test(test_total_saturates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

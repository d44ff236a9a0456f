/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Lanes nest, whatever slices come and in whatever order.  The judge is here and independent of
   lanes.c: it looks at all pairs.  */
#include "lanes.h"

#include <emlat/errors.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SLICES_MAX = 3 * EMLAT_LANES_WINDOW };

struct seen {
    struct {
        uint64_t lane, begin, end;
    } slice[SLICES_MAX];
    size_t count, ended;
    uint64_t last[64]; /* time of each lane's last event */
    size_t open[64];
};

static int on_begin(void *data, struct emlat_lane *lane, const struct emlat_slice *slice)
{
    struct seen *seen = data;
    seen->slice[seen->count].lane = lane->id;
    seen->slice[seen->count].begin = slice->begin;
    seen->slice[seen->count].end = slice->end;
    seen->count++;
    assert_true(lane->id < 64);
    assert_true(slice->begin >= seen->last[lane->id]);
    seen->last[lane->id] = slice->begin;
    seen->open[lane->id]++;
    return 0;
}

static int on_end(void *data, struct emlat_lane *lane, const struct emlat_slice *slice)
{
    struct seen *seen = data;
    assert_true(slice->end >= seen->last[lane->id]);
    assert_true(seen->open[lane->id] > 0);
    seen->last[lane->id] = slice->end;
    seen->open[lane->id]--;
    seen->ended++;
    return 0;
}

/* The judge: of any two on one lane, one holds the other or they don't overlap.  */
static bool nests(const struct seen *seen)
{
    for (size_t i = 0; i < seen->count; i++) {
        for (size_t j = 0; j < i; j++) {
            uint64_t a = seen->slice[i].begin, b = seen->slice[i].end;
            uint64_t c = seen->slice[j].begin, d = seen->slice[j].end;
            if (seen->slice[i].lane == seen->slice[j].lane && b > c && d > a &&
                !(a >= c && b <= d) && !(c >= a && d <= b))
                return false;
        }
    }
    return true;
}

static void add_to(struct emlat_lanes *lanes, enum emlat_lane_family family, uint64_t begin,
                   uint64_t end, uint64_t order)
{
    struct emlat_slice *slice = emlat_slice_new(0);
    assert_non_null(slice);
    slice->family = family;
    slice->name = "slice";
    slice->begin = begin;
    slice->end = end;
    slice->order = order;
    assert_int_equal(emlat_lanes_add(lanes, slice), 0);
}

static void add(struct emlat_lanes *lanes, uint64_t begin, uint64_t end, uint64_t order)
{
    add_to(lanes, EMLAT_LANE_THREAD, begin, end, order);
}

static void finish(struct emlat_lanes *lanes, struct seen *seen, size_t count)
{
    assert_int_equal(emlat_lanes_finish(lanes), 0);
    assert_int_equal(seen->count, count);
    assert_int_equal(seen->ended, count);
    assert_true(nests(seen));
    emlat_lanes_free(lanes);
}

static void test_the_judge(void **state)
{
    (void)state;
    struct seen seen = {.count = 2, .slice = {{1, 10, 20}, {1, 15, 25}}};
    assert_false(nests(&seen));
    seen.slice[1].lane = 2;
    assert_true(nests(&seen));
    seen.slice[1].lane = 1;
    seen.slice[1].end = 20;
    assert_true(nests(&seen));
    seen.slice[1].begin = 20;
    seen.slice[1].end = 30;
    assert_true(nests(&seen));
}

static struct seen *seen_new(void)
{
    struct seen *seen = calloc(1, sizeof *seen);
    assert_non_null(seen);
    return seen;
}

/* Children come before their parents, and begin with them.  */
static void test_nested_ones_share_a_lane(void **state)
{
    (void)state;
    struct seen *seen = seen_new();
    const struct emlat_lane_view view = {on_begin, on_end, seen};
    struct emlat_lanes lanes;
    assert_int_equal(emlat_lanes_begin(&lanes, &view), 0);
    add(&lanes, 10, 10, 3);
    add(&lanes, 10, 15, 2);
    add(&lanes, 10, 20, 1);
    add(&lanes, 20, 30, 4);
    add(&lanes, 20, 20, 5);
    finish(&lanes, seen, 5);
    const uint64_t order[5][2] = {{10, 20}, {10, 15}, {10, 10}, {20, 30}, {20, 20}};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(seen->slice[i].lane, 1);
        assert_int_equal(seen->slice[i].begin, order[i][0]);
        assert_int_equal(seen->slice[i].end, order[i][1]);
    }
    free(seen);
}

static void test_overlap_takes_another_lane(void **state)
{
    (void)state;
    struct seen *seen = seen_new();
    const struct emlat_lane_view view = {on_begin, on_end, seen};
    struct emlat_lanes lanes;
    assert_int_equal(emlat_lanes_begin(&lanes, &view), 0);
    add(&lanes, 0, 10, 0);
    add(&lanes, 5, 15, 0);
    add(&lanes, 7, 17, 0);
    add(&lanes, 15, 20, 0);
    finish(&lanes, seen, 4);
    assert_int_equal(seen->slice[0].lane, 1);
    assert_int_equal(seen->slice[1].lane, 2);
    assert_int_equal(seen->slice[2].lane, 3);
    assert_int_equal(seen->slice[3].lane, 1);
    free(seen);
}

/* Keys of one read wait from the same time on, each longer than the one before.  */
static void test_waits_stand_side_by_side(void **state)
{
    (void)state;
    struct seen *seen = seen_new();
    const struct emlat_lane_view view = {on_begin, on_end, seen};
    struct emlat_lanes lanes;
    assert_int_equal(emlat_lanes_begin(&lanes, &view), 0);
    for (uint64_t i = 1; i <= 3; i++)
        add_to(&lanes, EMLAT_LANE_WAITING, 0, 10 * i, 0);
    add_to(&lanes, EMLAT_LANE_WAITING, 10, 12, 0);
    finish(&lanes, seen, 4);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(seen->slice[i].lane, i + 1);
    assert_int_equal(seen->slice[3].lane, 3); /* where the shortest has ended */
    free(seen);
}

/* A slice around all others, known only after more of them than the window holds.  */
static void test_one_that_comes_too_late(void **state)
{
    (void)state;
    struct seen *seen = seen_new();
    const struct emlat_lane_view view = {on_begin, on_end, seen};
    struct emlat_lanes lanes;
    enum { MANY = EMLAT_LANES_WINDOW + 100 };
    assert_int_equal(emlat_lanes_begin(&lanes, &view), 0);
    for (uint64_t i = 0; i < MANY; i++)
        add(&lanes, 10 * i, 10 * i + 5, i + 1);
    add(&lanes, 0, 10 * MANY, 0);
    finish(&lanes, seen, MANY + 1);
    for (size_t i = 0; i <= MANY; i++)
        assert_int_equal(seen->slice[i].lane, seen->slice[i].end == 10 * MANY ? 2 : 1);
    free(seen);
}

static void test_any_slices(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int round = 0; round < 20; round++) {
        struct seen *seen = seen_new();
        const struct emlat_lane_view view = {on_begin, on_end, seen};
        struct emlat_lanes lanes;
        assert_int_equal(emlat_lanes_begin(&lanes, &view), 0);
        for (uint64_t i = 0; i < 300; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            uint64_t begin = random >> 40 & 1023, length = random >> 52 & 63;
            add(&lanes, begin, begin + length, i);
        }
        finish(&lanes, seen, 300);
        free(seen);
    }
}

static int fails(void *data, struct emlat_lane *lane, const struct emlat_slice *slice)
{
    size_t *left = data;
    (void)lane;
    (void)slice;
    return (*left)-- ? 0 : EMLAT_EIO;
}

/* Whatever of the view fails first is returned, and nothing is leaked or freed twice.  */
static void test_a_view_that_fails(void **state)
{
    (void)state;
    for (size_t after = 0; after < 6; after++) {
        size_t left = after;
        const struct emlat_lane_view view = {fails, fails, &left};
        struct emlat_lanes lanes;
        assert_int_equal(emlat_lanes_begin(&lanes, &view), 0);
        add(&lanes, 0, 10, 0);
        add(&lanes, 0, 5, 0);
        add(&lanes, 5, 15, 0);
        assert_int_equal(emlat_lanes_finish(&lanes), EMLAT_EIO);
        emlat_lanes_free(&lanes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_judge),
        cmocka_unit_test(test_nested_ones_share_a_lane),
        cmocka_unit_test(test_overlap_takes_another_lane),
        cmocka_unit_test(test_waits_stand_side_by_side),
        cmocka_unit_test(test_one_that_comes_too_late),
        cmocka_unit_test(test_any_slices),
        cmocka_unit_test(test_a_view_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

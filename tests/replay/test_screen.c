/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The screen that scripts wait on, and the episodes of a witness.  */
#include "screen.h"
#include "witness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char replied[256];
static size_t replied_size;

static void keep_reply(void *data, const char *bytes, size_t size)
{
    assert_ptr_equal(data, replied);
    assert_true(replied_size + size < sizeof replied);
    memcpy(replied + replied_size, bytes, size);
    replied_size += size;
    replied[replied_size] = '\0';
}

static struct emlat_screen *new_screen(unsigned cols, unsigned rows)
{
    replied_size = 0;
    struct emlat_screen *screen = emlat_screen_new(cols, rows, keep_reply, replied);
    assert_non_null(screen);
    return screen;
}

static void feed(struct emlat_screen *screen, const char *text)
{
    emlat_screen_feed(screen, text, strlen(text));
}

static bool found(struct emlat_screen *screen, const char *text)
{
    return emlat_screen_find(screen, text, strlen(text));
}

static void text_is_found_in_a_row(void **state)
{
    (void)state;
    struct emlat_screen *screen = new_screen(20, 5);
    feed(screen, "one two\r\nthree");
    assert_true(found(screen, "one two"));
    assert_true(found(screen, "e tw"));
    assert_true(found(screen, "three"));
    assert_false(found(screen, "four"));
    assert_false(found(screen, "two\nthree"));
    assert_false(found(screen, "twothree"));
    feed(screen, "\033[1;1H\033[K");
    assert_false(found(screen, "one"));
    assert_string_equal(emlat_screen_row(screen, 0), "");
    assert_string_equal(emlat_screen_row(screen, 1), "three");
    assert_null(emlat_screen_row(screen, 5));
    emlat_screen_free(screen);
}

static void a_row_ends_in_spaces(void **state)
{
    (void)state;
    struct emlat_screen *screen = new_screen(20, 5);
    feed(screen, "M-x\r\nab  c\r\nM-x");
    assert_true(found(screen, "M-x "));
    assert_true(found(screen, "M-x   "));
    assert_true(found(screen, "ab "));
    assert_true(found(screen, "ab  "));
    assert_false(found(screen, "ab   "));
    assert_false(found(screen, "a "));
    emlat_screen_free(screen);
}

static void gaps_read_as_spaces(void **state)
{
    (void)state;
    struct emlat_screen *screen = new_screen(20, 5);
    feed(screen, "\033[2;3Ha\033[2;6Hb");
    assert_string_equal(emlat_screen_row(screen, 1), "  a  b");
    assert_true(found(screen, "a  b"));
    emlat_screen_free(screen);
}

static void utf8_and_wide_characters(void **state)
{
    (void)state;
    struct emlat_screen *screen = new_screen(20, 5);
    /* A character split over two feeds, a wide one, a combining one.  */
    feed(screen, "caf\xc3");
    feed(screen, "\xa9 \xe6\xbc\xa2\xe5\xad\x97! e\xcc\x81");
    assert_true(found(screen, "caf\xc3\xa9 \xe6\xbc\xa2\xe5\xad\x97!"));
    assert_true(found(screen, "e\xcc\x81"));
    emlat_screen_free(screen);
}

static void the_alternate_screen_goes_away(void **state)
{
    (void)state;
    struct emlat_screen *screen = new_screen(20, 5);
    feed(screen, "shell\033[?1049h\033[2J\033[Heditor");
    assert_true(found(screen, "editor"));
    assert_false(found(screen, "shell"));
    feed(screen, "\033[?1049l");
    assert_true(found(screen, "shell"));
    assert_false(found(screen, "editor"));
    emlat_screen_free(screen);
}

static void questions_are_answered(void **state)
{
    (void)state;
    struct emlat_screen *screen = new_screen(20, 5);
    feed(screen, "\033[3;4H\033[6n");
    assert_string_equal(replied, "\033[3;4R");
    replied_size = 0;
    feed(screen, "\033[5n");
    assert_string_equal(replied, "\033[0n");
    emlat_screen_free(screen);
}

static void it_can_be_resized(void **state)
{
    (void)state;
    struct emlat_screen *screen = new_screen(20, 5);
    feed(screen, "left");
    emlat_screen_resize(screen, 300, 50);
    feed(screen, "\033[50;290Hright");
    assert_true(found(screen, "left"));
    assert_true(found(screen, "right"));
    assert_non_null(emlat_screen_row(screen, 49));
    emlat_screen_resize(screen, 2, 2);
    assert_false(found(screen, "right"));
    assert_null(emlat_screen_row(screen, 2));
    emlat_screen_free(screen);
}

static void noise_does_no_harm(void **state)
{
    (void)state;
    unsigned number = 1;
    static const unsigned sizes[][2] = {{80, 24}, {2, 2}, {1000, 2}, {3, 100}, {40, 40}};
    struct emlat_screen *screen = new_screen(2, 2);
    for (unsigned round = 0; round < 2000; round++) {
        char bytes[512];
        for (size_t i = 0; i < sizeof bytes; i++) {
            number = number * 1103515245 + 12345;
            unsigned random = number >> 16;
            static const char likely[] =
                "\033[];?0123456789HJKLMPSTXhlmr@\n\r\b\t\303\251\346\274\242";
            bytes[i] = random % 4 ? likely[random / 4 % (sizeof likely - 1)] : (char)random;
        }
        emlat_screen_feed(screen, bytes, sizeof bytes);
        replied_size = 0;
        (void)found(screen, "xyzzy");
        if (round % 50 == 0)
            emlat_screen_resize(screen, sizes[round / 50 % 5][0], sizes[round / 50 % 5][1]);
    }
    emlat_screen_free(screen);
}

/* ---- The witness ----------------------------------------------------------------------------- */

static void a_burst_shares_an_episode(void **state)
{
    (void)state;
    struct emlat_witness witness;
    emlat_witness_init(&witness);
    emlat_witness_output(&witness, 5, 100); /* before any event: nobody's answer */
    emlat_witness_write_begin(&witness, 10, 2, 0);
    emlat_witness_written(&witness, 11, "ab", 2, 7);
    emlat_witness_output(&witness, 12, 4);
    emlat_witness_write_begin(&witness, 13, 3, 1);
    emlat_witness_written(&witness, 14, "\a", 1, 7);
    emlat_witness_written(&witness, 15, "c\a", 2, 7);
    emlat_witness_write_begin(&witness, 16, 0, 0);
    emlat_witness_written(&witness, 17, "r", 1, 7);
    emlat_witness_output(&witness, 18, 1);
    emlat_witness_output(&witness, 19, 1);
    emlat_witness_settled(&witness, 40);
    emlat_witness_output(&witness, 41, 50);
    emlat_witness_write_begin(&witness, 50, 4, 0);
    emlat_witness_written(&witness, 51, "d", 1, 7);
    emlat_witness_settled(&witness, 70);
    emlat_witness_write_begin(&witness, 80, 5, 0);
    emlat_witness_settled(&witness, 0);

    const struct emlat_witness_event expected[] = {
        {2, 2, 0, 1, 0, 0, 0, 10, 11, 12, 19, 40}, {3, 3, 2, 2, 2, 1, 0, 13, 15, 18, 19, 40},
        {0, 1, 5, 1, 0, 0, 0, 16, 17, 18, 19, 40}, {4, 1, 6, 1, 0, 0, 1, 50, 51, 0, 0, 70},
        {5, 0, 7, 0, 0, 0, 2, 80, 0, 0, 0, 0},
    };
    assert_int_equal(witness.events_count, 5);
    assert_memory_equal(witness.events, expected, sizeof expected);
    assert_int_equal(witness.episodes, 3);
    assert_int_equal(witness.bytes_written, 7);
    assert_int_equal(witness.output_bytes, 156);
    assert_int_equal(witness.output_bytes_outside, 150);
    assert_int_equal(witness.output_count, 5);
    emlat_witness_free(&witness);
}

static void output_is_kept_up_to_a_limit(void **state)
{
    (void)state;
    struct emlat_witness witness;
    emlat_witness_init(&witness);
    for (uint64_t i = 0; i < EMLAT_WITNESS_OUTPUT_MAX + 10; i++)
        emlat_witness_output(&witness, i + 1, 1);
    assert_int_equal(witness.output_count, EMLAT_WITNESS_OUTPUT_MAX);
    assert_int_equal(witness.output_chunks, EMLAT_WITNESS_OUTPUT_MAX + 10);
    assert_int_equal(witness.output_bytes, EMLAT_WITNESS_OUTPUT_MAX + 10);
    emlat_witness_free(&witness);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_found_in_a_row),
        cmocka_unit_test(a_row_ends_in_spaces),
        cmocka_unit_test(gaps_read_as_spaces),
        cmocka_unit_test(utf8_and_wide_characters),
        cmocka_unit_test(the_alternate_screen_goes_away),
        cmocka_unit_test(questions_are_answered),
        cmocka_unit_test(it_can_be_resized),
        cmocka_unit_test(noise_does_no_harm),
        cmocka_unit_test(a_burst_shares_an_episode),
        cmocka_unit_test(output_is_kept_up_to_a_limit),
    };
    return cmocka_run_group_tests_name("replay screen", tests, NULL, NULL);
}

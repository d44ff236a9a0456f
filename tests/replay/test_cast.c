/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Reading scripts: both versions, and everything that is wrong with a file.  */
#include "cast.h"
#include "replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define V2 "{\"version\": 2, \"width\": 80, \"height\": 24}\n"
#define V3 "{\"version\": 3, \"term\": {\"cols\": 100, \"rows\": 30}}\n"

struct script {
    struct emlat_cast cast;
    struct emlat_cast_event event;
    int fd;
};

static bool open_bytes(struct script *script, const char *bytes, size_t size)
{
    script->fd = memfd_create("script", MFD_CLOEXEC);
    assert_true(script->fd >= 0);
    assert_int_equal(write(script->fd, bytes, size), size);
    assert_int_equal(lseek(script->fd, 0, SEEK_SET), 0);
    return emlat_cast_open(&script->cast, script->fd);
}

static bool open_text(struct script *script, const char *text)
{
    return open_bytes(script, text, strlen(text));
}

static void close_script(struct script *script)
{
    emlat_cast_close(&script->cast);
    close(script->fd);
}

static void expect(struct script *script, enum emlat_cast_kind kind, uint64_t delay_ms,
                   uint64_t line, const char *text)
{
    if (!emlat_cast_next(&script->cast, &script->event))
        fail_msg("no event: %s", script->cast.error.what);
    assert_int_equal(script->event.kind, kind);
    assert_int_equal(script->event.delay_ns, delay_ms * 1000000);
    assert_int_equal(script->event.line, line);
    if (text) {
        assert_int_equal(script->event.size, strlen(text));
        assert_memory_equal(script->event.text, text, strlen(text));
    }
}

static void expect_end(struct script *script)
{
    assert_false(emlat_cast_next(&script->cast, &script->event));
    assert_false(script->cast.failed);
    assert_false(emlat_cast_next(&script->cast, &script->event));
    close_script(script);
}

/* TEXT fails at LINE and OFFSET with WHAT in its message, and stays failed.  */
static void expect_wrong(const char *text, uint64_t line, uint64_t offset, const char *what)
{
    struct script script;
    if (open_text(&script, text))
        while (emlat_cast_next(&script.cast, &script.event))
            continue;
    assert_true(script.cast.failed);
    if (!strstr(script.cast.error.what, what))
        fail_msg("\"%s\" is not in \"%s\"", what, script.cast.error.what);
    assert_int_equal(script.cast.error.line, line);
    assert_int_equal(script.cast.error.offset, offset);
    assert_false(emlat_cast_next(&script.cast, &script.event));
    close_script(&script);
}

/* ---- What is right --------------------------------------------------------------------------- */

static void v2_times_are_absolute(void **state)
{
    (void)state;
    struct script script;
    assert_true(open_text(&script, V2 "[0.5, \"i\", \"a\"]\n[0.75, \"o\", \"A\"]\n"
                                      "[1.5, \"r\", \"90x20\"]\n[1.5, \"m\", \"chapter\"]\n"));
    assert_int_equal(script.cast.version, 2);
    assert_int_equal(script.cast.cols, 80);
    assert_int_equal(script.cast.rows, 24);
    expect(&script, EMLAT_CAST_INPUT, 500, 2, "a");
    expect(&script, EMLAT_CAST_RESIZE, 1000, 4, NULL);
    assert_int_equal(script.event.cols, 90);
    assert_int_equal(script.event.rows, 20);
    expect(&script, EMLAT_CAST_CHAPTER, 0, 5, "chapter");
    expect_end(&script);
}

static void v3_times_are_intervals(void **state)
{
    (void)state;
    struct script script;
    /* What is skipped keeps its time: output, exit, and a kind of event that we don't know.  */
    assert_true(open_text(&script, V3 "# comment\n[0.5, \"i\", \"a\"]\n\n[0.25, \"o\", \"A\"]\n"
                                      "[0.25, \"x\", \"0\"]\n[0.25, \"z\", {}]\n"
                                      "[0.25, \"i\", \"b\"]\n[1, \"i\", \"c\"]"));
    assert_int_equal(script.cast.version, 3);
    assert_int_equal(script.cast.cols, 100);
    assert_int_equal(script.cast.rows, 30);
    expect(&script, EMLAT_CAST_INPUT, 500, 3, "a");
    expect(&script, EMLAT_CAST_INPUT, 1000, 8, "b");
    expect(&script, EMLAT_CAST_INPUT, 1000, 9, "c");
    expect_end(&script);
}

static void input_may_hold_anything(void **state)
{
    (void)state;
    struct script script;
    assert_true(open_text(&script, V3 "[0, \"i\", \"\\u0000\\u001b[A\\\"\\\\\\n\"]\r\n"
                                      "[0, \"i\", \"\\u00e9\xc3\xa9\\ud83d\\ude00\"]\n"
                                      "[0, \"i\", \"\"]\n"));
    assert_true(emlat_cast_next(&script.cast, &script.event));
    assert_int_equal(script.event.size, 7);
    assert_memory_equal(script.event.text, "\0\033[A\"\\\n", 7);
    expect(&script, EMLAT_CAST_INPUT, 0, 3, "\xc3\xa9\xc3\xa9\xf0\x9f\x98\x80");
    expect(&script, EMLAT_CAST_INPUT, 0, 4, "");
    expect_end(&script);
}

static void expect_wait(struct script *script, enum emlat_wait_kind kind, uint64_t quiet_ms,
                        uint64_t timeout_ns, const char *text)
{
    assert_true(emlat_cast_next(&script->cast, &script->event));
    assert_int_equal(script->event.kind, EMLAT_CAST_WAIT);
    assert_int_equal(script->event.wait.kind, kind);
    assert_int_equal(script->event.wait.quiet_ns, quiet_ms * 1000000);
    assert_true(script->event.wait.timeout_ns == timeout_ns);
    if (text) {
        assert_int_equal(script->event.size, strlen(text));
        assert_memory_equal(script->event.text, text, strlen(text));
    }
}

static void markers_wait(void **state)
{
    (void)state;
    struct script script;
    assert_true(open_text(&script, V3 "[0, \"m\", \"wait:quiet 50\"]\n"
                                      "[0, \"m\", \"wait:quiet 0.5 @2.5\"]\n"
                                      "[0, \"m\", \"wait:text M-x \"]\n"
                                      "[0, \"m\", \"wait:text M-x  @3\"]\n"
                                      "[0, \"m\", \"wait:gone a @b\"]\n"
                                      "[0, \"m\", \"wait:text @5\"]\n"
                                      "[0, \"m\", \"wait:text user @5 @6\"]\n"
                                      "[0, \"m\", \"wait:exit\"]\n"
                                      "[0, \"m\", \"wait:exit @0.25\"]\n"
                                      "[0, \"m\", \"waiting\"]\n"));
    expect_wait(&script, EMLAT_WAIT_QUIET, 50, UINT64_MAX, NULL);
    assert_true(emlat_cast_next(&script.cast, &script.event));
    assert_int_equal(script.event.wait.quiet_ns, 500000);
    assert_int_equal(script.event.wait.timeout_ns, 2500000000);
    expect_wait(&script, EMLAT_WAIT_TEXT, 0, UINT64_MAX, "M-x ");
    expect_wait(&script, EMLAT_WAIT_TEXT, 0, 3000000000, "M-x ");
    expect_wait(&script, EMLAT_WAIT_GONE, 0, UINT64_MAX, "a @b");
    /* That it waits for nothing is an error; see below.  */
    assert_false(emlat_cast_next(&script.cast, &script.event));
    assert_true(script.cast.failed);
    close_script(&script);

    assert_true(open_text(&script, V3 "[0, \"m\", \"wait:text user @5 @6\"]\n"
                                      "[0, \"m\", \"wait:exit\"]\n"
                                      "[0, \"m\", \"wait:exit @0.25\"]\n"
                                      "[0, \"m\", \"waiting\"]\n"));
    expect_wait(&script, EMLAT_WAIT_TEXT, 0, 6000000000, "user @5");
    expect_wait(&script, EMLAT_WAIT_EXIT, 0, UINT64_MAX, "");
    expect_wait(&script, EMLAT_WAIT_EXIT, 0, 250000000, "");
    expect(&script, EMLAT_CAST_CHAPTER, 0, 5, "waiting");
    expect_end(&script);
}

static void a_header_alone_is_a_script(void **state)
{
    (void)state;
    struct script script;
    assert_true(open_text(&script, V2));
    expect_end(&script);
}

static char *allocate(size_t size)
{
    char *bytes = malloc(size);
    if (!bytes)
        abort();
    return bytes;
}

static char *long_line(size_t size)
{
    static const char head[] = V3 "[0, \"i\", \"", foot[] = "\"]";
    size_t fixed = strlen("[0, \"i\", \"") + strlen(foot);
    char *text = allocate(strlen(V3) + size + 2);
    strcpy(text, head);
    memset(text + strlen(head), 'x', size - fixed);
    strcpy(text + strlen(V3) + size - strlen(foot), foot);
    strcat(text, "\n");
    return text;
}

static void the_longest_line_is_read(void **state)
{
    (void)state;
    struct script script;
    char *text = long_line(EMLAT_CAST_LINE_MAX);
    assert_true(open_text(&script, text));
    assert_true(emlat_cast_next(&script.cast, &script.event));
    assert_int_equal(script.event.size, EMLAT_CAST_LINE_MAX - 12);
    expect_end(&script);
    free(text);
}

static void many_lines_cross_the_buffer(void **state)
{
    (void)state;
    struct script script;
    char *text = allocate(4 << 20), *at = stpcpy(text, V3);
    for (unsigned i = 0; i < 60000; i++)
        at += sprintf(at, "[0.001, \"i\", \"key number %u\"]\n", i);
    assert_true(open_text(&script, text));
    for (unsigned i = 0; i < 60000; i++) {
        char key[32];
        sprintf(key, "key number %u", i);
        expect(&script, EMLAT_CAST_INPUT, 1, i + 2, key);
    }
    expect_end(&script);
    free(text);
}

static void the_whole_file_has_a_digest(void **state)
{
    (void)state;
    struct script script;
    char hex[65];
    /* sha256sum of V2's line, and of a million 'a' (FIPS 180's own example).  */
    assert_true(open_text(&script, V2));
    expect_end(&script);
    assert_true(emlat_cast_sha256(&script.cast, hex));
    assert_string_equal(hex, "3ae219eb860a88f3afd91fa1735b03a3168b744c1eb40bb6360790183503d5c9");

    struct emlat_sha256 sha;
    emlat_sha256_init(&sha);
    for (unsigned i = 0; i < 10000; i++)
        emlat_sha256_update(&sha,
                            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                            100);
    emlat_sha256_hex(&sha, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void sizes_and_durations(void **state)
{
    (void)state;
    unsigned cols, rows;
    uint64_t ns;
    assert_true(emlat_replay_size("2x1000", 6, &cols, &rows));
    assert_int_equal(cols, 2);
    assert_int_equal(rows, 1000);
    static const char *const no_sizes[] = {"",      "80",      "80x",           "x24",
                                           "1x24",  "80x1",    "80x24x",        "80 x24",
                                           "-1x24", "80x1001", "99999999999x24"};
    for (size_t i = 0; i < sizeof no_sizes / sizeof *no_sizes; i++)
        assert_false(emlat_replay_size(no_sizes[i], strlen(no_sizes[i]), &cols, &rows));

    assert_true(emlat_replay_duration("1.5", 3, 1000000000, &ns));
    assert_int_equal(ns, 1500000000);
    assert_true(emlat_replay_duration("0.0000000019", 12, 1000000000, &ns));
    assert_int_equal(ns, 1);
    assert_true(emlat_replay_duration(".5", 2, 1000000, &ns));
    assert_int_equal(ns, 500000);
    static const char *const no_durations[] = {"",    ".",     "-1", "1e3",
                                               "1,5", "1.2.3", " 1", "99999999999999999999999999"};
    for (size_t i = 0; i < sizeof no_durations / sizeof *no_durations; i++)
        assert_false(
            emlat_replay_duration(no_durations[i], strlen(no_durations[i]), 1000000000, &ns));
}

/* ---- What is wrong --------------------------------------------------------------------------- */

static void wrong_headers(void **state)
{
    (void)state;
    expect_wrong("", 1, 0, "empty file");
    expect_wrong("\n", 1, 0, "expected an asciicast header");
    expect_wrong("# comment\n" V3, 1, 0, "found a comment");
    expect_wrong("[0, \"i\", \"x\"]\n", 1, 0, "JSON object");
    expect_wrong("{}\n", 1, 0, "number \"version\"");
    expect_wrong("{\"version\": \"2\"}\n", 1, 0, "number \"version\"");
    expect_wrong("{\"version\": 1}\n", 1, 0, "found 1");
    expect_wrong("{\"version\": 4}\n", 1, 0, "found 4");
    expect_wrong("{\"version\": 2.5}\n", 1, 0, "found 2.5");
    expect_wrong("{\"version\": 2, \"width\": 80}\n", 1, 0, "\"width\" and \"height\"");
    expect_wrong("{\"version\": 2, \"width\": 80.5, \"height\": 24}\n", 1, 0, "whole numbers");
    expect_wrong("{\"version\": 2, \"width\": 1e9, \"height\": 24}\n", 1, 0, "whole numbers");
    expect_wrong("{\"version\": 2, \"width\": -1, \"height\": 24}\n", 1, 0, "whole numbers");
    expect_wrong("{\"version\": 3, \"width\": 80, \"height\": 24}\n", 1, 0, "term's \"cols\"");
    expect_wrong("{\"version\": 3, \"term\": 5}\n", 1, 0, "term's \"cols\"");
    expect_wrong("{\"version\": 2, \"version\": 3}\n", 1, 24, "expected an asciicast header");
    expect_wrong("{\"version\": 2", 1, 13, "expected an asciicast header");
}

static void wrong_lines(void **state)
{
    (void)state;
    const uint64_t begin = strlen(V3);
    expect_wrong(V3 "[0, \"i\", \"x\"\n", 2, begin + 12, "expected an event");
    expect_wrong(V3 "[0, \"i\" \"x\"]\n", 2, begin + 11, "expected an event");
    expect_wrong(V3 "[0, \"i\", \"x\"] []\n", 2, begin + 15, "expected an event");
    expect_wrong(V3 "\n[0, \"i\"]\n", 3, begin + 1, "expected [time, \"code\", data]");
    expect_wrong(V3 "{}\n", 2, begin, "expected [time, \"code\", data]");
    expect_wrong(V3 "[\"0\", \"i\", \"x\"]\n", 2, begin, "expected [time");
    expect_wrong(V3 "[0, 5, \"x\"]\n", 2, begin, "expected [time");
    expect_wrong(V3 "[0, \"i\", 5]\n", 2, begin, "string as data of an \"i\"");
    expect_wrong(V3 "[-1, \"i\", \"x\"]\n", 2, begin, "found -1");
    expect_wrong(V3 "[1e300, \"i\", \"x\"]\n", 2, begin, "found 1e+300");
    expect_wrong(V3 "[9e7, \"o\", \"\"]\n[9e7, \"i\", \"\"]\n", 3, begin + 15, "less than 1e+08");
    expect_wrong(V3 "[1e999, \"i\", \"x\"]\n", 2, begin + 6, "expected an event");
    expect_wrong(V3 "[0, \"r\", \"80\"]\n", 2, begin, "COLSxROWS");
    expect_wrong(V3 "[0, \"m\", \"wait:qiet 5\"]\n", 2, begin, "a wait that exists");
    expect_wrong(V3 "[0, \"m\", \"wait:quiet\"]\n", 2, begin, "milliseconds");
    expect_wrong(V3 "[0, \"m\", \"wait:quiet x\"]\n", 2, begin, "milliseconds");
    expect_wrong(V3 "[0, \"m\", \"wait:text\"]\n", 2, begin, "and a text");
    expect_wrong(V3 "[0, \"m\", \"wait:text @5\"]\n", 2, begin, "and a text");
    expect_wrong(V3 "[0, \"m\", \"wait:exit now\"]\n", 2, begin, "alone");
    expect_wrong(V3 "[0, \"i\", \"\xff\"]\n", 2, begin + 10, "unable to decode");
    expect_wrong(V3 "[0, \"i\", \"\\ud800\"]\n", 2, begin + 17, "expected an event");
    expect_wrong(V2 "[2, \"i\", \"x\"]\n[1, \"i\", \"x\"]\n", 3, strlen(V2) + 14, "not before");
    expect_wrong(V2 "# comment\n", 2, strlen(V2), "found a comment");
}

static void a_raw_nul_is_wrong(void **state)
{
    (void)state;
    struct script script;
    static const char text[] = V3 "[0, \"i\", \"a\0b\"]\n";
    assert_true(open_bytes(&script, text, sizeof text - 1));
    assert_false(emlat_cast_next(&script.cast, &script.event));
    assert_true(script.cast.failed);
    assert_int_equal(script.cast.error.line, 2);
    close_script(&script);
}

static void a_longer_line_is_wrong(void **state)
{
    (void)state;
    char *text = long_line(EMLAT_CAST_LINE_MAX + 1);
    expect_wrong(text, 2, strlen(V3) + EMLAT_CAST_LINE_MAX, "longer than 1048576 bytes");
    free(text);
}

static void deep_nesting_is_wrong(void **state)
{
    (void)state;
    size_t depth = EMLAT_CAST_LINE_MAX - 100;
    char *text = allocate(strlen(V3) + depth + 2);
    strcpy(text, V3);
    memset(text + strlen(V3), '[', depth);
    strcpy(text + strlen(V3) + depth, "\n");
    struct script script;
    assert_true(open_text(&script, text));
    assert_false(emlat_cast_next(&script.cast, &script.event));
    assert_non_null(strstr(script.cast.error.what, "depth"));
    close_script(&script);
    free(text);
}

static void a_directory_is_wrong(void **state)
{
    (void)state;
    struct emlat_cast cast;
    FILE *directory = fopen("/", "r");
    assert_false(emlat_cast_open(&cast, fileno(directory)));
    assert_non_null(strstr(cast.error.what, "cannot be read"));
    emlat_cast_close(&cast);
    fclose(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(v2_times_are_absolute),
        cmocka_unit_test(v3_times_are_intervals),
        cmocka_unit_test(input_may_hold_anything),
        cmocka_unit_test(markers_wait),
        cmocka_unit_test(a_header_alone_is_a_script),
        cmocka_unit_test(the_longest_line_is_read),
        cmocka_unit_test(many_lines_cross_the_buffer),
        cmocka_unit_test(the_whole_file_has_a_digest),
        cmocka_unit_test(sizes_and_durations),
        cmocka_unit_test(wrong_headers),
        cmocka_unit_test(wrong_lines),
        cmocka_unit_test(a_raw_nul_is_wrong),
        cmocka_unit_test(a_longer_line_is_wrong),
        cmocka_unit_test(deep_nesting_is_wrong),
        cmocka_unit_test(a_directory_is_wrong),
    };
    return cmocka_run_group_tests_name("replay cast", tests, NULL, NULL);
}

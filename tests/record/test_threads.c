/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   A session with producers on threads of their own, rings that overflow, and a status beside. Under
   ThreadSanitizer it holds the orders of doc/ring.md against those in use.  */
#include <emlat/emlat.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SECOND ((uint64_t)1000000000)

static const struct emlat_word_row roots[] = {{1, EMLAT_ROOT_COMMAND, "command", NULL}};
static const struct emlat_word_row spans[] = {{1, 0, "work", NULL}};
static const struct emlat_vocabulary words = {
    .roots = roots, .spans = spans, .roots_count = 1, .spans_count = 1};

static char folder[64];
static char path[128];

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/emlat-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.emlat", folder);
    return 0;
}

static int tear_down(void **state)
{
    char command[160];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static struct emlat_options options(void)
{
    struct emlat_options options;
    emlat_options_default(&options);
    options.path = path;
    options.words = &words;
    return options;
}

enum { THREADS = 3, SPANS = 200000 };

static void *produce(void *argument)
{
    struct emlat_session *session = argument;
    struct emlat_producer *producer;
    if (emlat_producer_join(session, &producer))
        return NULL;
    for (int i = 0; i < SPANS; i++) {
        struct emlat_span span = emlat_span_begin(producer, 1);
        emlat_span_end(producer, span);
        if (i % 1000 == 0)
            emlat_idle(producer);
    }
    emlat_producer_leave(producer);
    return argument;
}

/* Kept + lost = produced, with rings small enough to overflow and a reader of the status beside. */
static void test_threads(void **state)
{
    (void)state;
    struct emlat_session *session;
    struct emlat_status status;
    struct emlat_options with = options();
    pthread_t threads[THREADS];
    with.producers = THREADS;
    with.ring_bytes = 64 << 10;
    assert_int_equal(emlat_start(&with, &session), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, produce, session), 0);
    for (int i = 0; i < 20; i++)
        emlat_status(session, &status);
    for (int i = 0; i < THREADS; i++) {
        void *joined;
        pthread_join(threads[i], &joined);
        assert_non_null(joined);
    }
    /* A rotation makes the writer gather all that there is.  */
    assert_int_equal(emlat_rotate(session, NULL, 10 * SECOND), 0);
    emlat_status(session, &status);
    assert_int_equal(status.ring_waiting, 0);
    /* LOSS records are written too; they are not among those produced.  */
    assert_true(status.records_written + status.records_lost >= THREADS * SPANS);
    assert_true(status.records_written + status.records_lost < THREADS * SPANS + 1000);
    assert_int_equal(emlat_stop(session, 10 * SECOND), 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Whole sessions: the file, the writer thread, and producers on threads of their own.  Under
   ThreadSanitizer this is what proves the orders in doc/ring.md to be the ones in use.  */
#include <emlat/emlat.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void test_refused(void **state)
{
    (void)state;
    struct emlat_session *session;
    struct emlat_options with = options();
    with.abi = EMLAT_ABI + 1;
    assert_int_equal(emlat_start(&with, &session), EMLAT_EABI);
    with = options();
    with.ring_bytes = 100000;
    assert_int_equal(emlat_start(&with, &session), EMLAT_EINVAL);
    with = options();
    with.path = "/nonexistent/folder/x.emlat";
    assert_int_equal(emlat_start(&with, &session), EMLAT_EOPEN);
    assert_int_equal(errno, ENOENT);
    with = options();
    with.clock = EMLAT_CLOCK_VIRTUAL;
    assert_int_equal(emlat_start(&with, &session), EMLAT_EINVAL);
    assert_null(session);
    assert_int_equal(access(path, F_OK), -1);
}

static void test_never_over_a_file(void **state)
{
    (void)state;
    struct emlat_session *session;
    struct emlat_options with = options();
    char target[128];
    int fd = open(path, O_WRONLY | O_CREAT, 0644);
    assert_int_equal(write(fd, "kept", 4), 4);
    close(fd);
    assert_int_equal(emlat_start(&with, &session), EMLAT_EEXIST);
    struct stat is;
    assert_int_equal(stat(path, &is), 0);
    assert_int_equal(is.st_size, 4);
    unlink(path);
    snprintf(target, sizeof target, "%s/target", folder);
    assert_int_equal(symlink(target, path), 0);
    assert_int_equal(emlat_start(&with, &session), EMLAT_EEXIST);
    assert_int_equal(access(target, F_OK), -1);
}

static void test_life(void **state)
{
    (void)state;
    struct emlat_session *session;
    struct emlat_producer *producer, *second;
    struct emlat_status status;
    struct emlat_options with = options();
    char next[128];
    assert_int_equal(emlat_start(&with, &session), 0);
    struct stat is;
    assert_int_equal(stat(path, &is), 0);
    assert_int_equal(is.st_mode & 07777, 0600);
    assert_int_equal(emlat_producer_join(session, &producer), 0);
    assert_int_equal(emlat_producer_join(session, &second), EMLAT_EFULL);
    for (int i = 0; i < 100; i++)
        emlat_span_end(producer, emlat_span_begin(producer, 1));
    emlat_idle(producer);
    assert_int_equal(emlat_rotate(session, path, SECOND), EMLAT_EEXIST);
    assert_int_equal(emlat_rotate(session, NULL, 5 * SECOND), 0);
    emlat_status(session, &status);
    snprintf(next, sizeof next, "%s/x.1.emlat", folder);
    assert_string_equal(status.path, next);
    assert_int_equal(status.file_sequence, 1);
    assert_int_equal(status.records_written, 100);
    assert_int_equal(status.records_lost, 0);
    emlat_producer_leave(producer);
    assert_false(emlat_recording(producer));
    assert_int_equal(emlat_producer_join(session, &producer), 0);
    assert_int_equal(emlat_stop(session, 5 * SECOND), 0);
}

/* A disk that takes no more: the host goes on, the loss is counted, the file keeps whole chunks. */
static void test_full_disk(void **state)
{
    (void)state;
    struct emlat_session *session;
    struct emlat_producer *producer;
    struct emlat_status status;
    struct emlat_options with = options();
    struct rlimit before, small;
    with.chunk_interval_ns = 1;
    assert_int_equal(emlat_start(&with, &session), 0);
    assert_int_equal(emlat_producer_join(session, &producer), 0);
    emlat_status(session, &status);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = status.file_bytes + 100;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int tries = 0; tries < 1000 && !status.write_failures; tries++) {
        for (int i = 0; i < 1000; i++)
            emlat_span_end(producer, emlat_span_begin(producer, 1));
        emlat_idle(producer);
        usleep(10000);
        emlat_status(session, &status);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(status.write_failures > 0);
    assert_int_equal(status.write_errno, EFBIG);
    assert_true(status.records_lost > 0);
    struct stat is;
    assert_int_equal(stat(path, &is), 0);
    assert_int_equal(is.st_size % 8, 0);
    assert_int_equal(emlat_stop(session, 5 * SECOND), EMLAT_EIO);
}

static void test_fork(void **state)
{
    (void)state;
    struct emlat_session *session;
    struct emlat_producer *producer;
    struct emlat_options with = options();
    assert_int_equal(emlat_start(&with, &session), 0);
    assert_int_equal(emlat_producer_join(session, &producer), 0);
    pid_t child = fork();
    if (child == 0)
        _exit(emlat_recording(producer) || emlat_span_begin(producer, 1).id ? 1 : 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(emlat_recording(producer));
    assert_int_equal(emlat_stop(session, 5 * SECOND), 0);
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
        CASE(test_refused), CASE(test_never_over_a_file), CASE(test_life), CASE(test_full_disk),
        CASE(test_fork),    CASE(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

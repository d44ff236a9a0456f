/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Whole sessions into real files: what start refuses, how a file is made, rotation, fork, and a
   disk that fills up.  */
#include "file.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define SECONDS ((uint64_t)1000000000)

/* A folder for one test, and options that record into it.  */
struct place {
    char folder[32], path[64];
    struct emlat_options options;
};

static int set_up_place(void **state)
{
    struct place *p = calloc(1, sizeof *p);
    assert_non_null(p);
    strcpy(p->folder, "/tmp/emlat-test-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->path, sizeof p->path, "%s/a.emlat", p->folder);
    emlat_options_default(&p->options);
    p->options.path = p->path;
    p->options.words = &words;
    p->options.chunk_bytes = 4 << 10;
    p->options.chunk_interval_ns = 5000000;
    *state = p;
    return 0;
}

static int tear_down_place(void **state)
{
    struct place *p = *state;
    static const char *const names[] = {"a", "a.1", "a.2", "a.3", "b", "link"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[80];
        snprintf(path, sizeof path, "%s/%s.emlat", p->folder, names[i]);
        unlink(path);
    }
    int left = rmdir(p->folder);
    free(p);
    return left;
}

static struct emlat_session *start(const struct place *p, struct emlat_producer **producer)
{
    struct emlat_session *session;
    assert_int_equal(emlat_start(&p->options, &session), 0);
    assert_int_equal(emlat_producer_join(session, producer), 0);
    return session;
}

static void produce(struct emlat_producer *producer, int count)
{
    for (int i = 0; i < count; i++)
        emlat_span_end(producer, emlat_span_begin(producer, SPAN_PLAIN));
}

static void touch(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "mine", 4), 4);
    close(fd);
}

static uint64_t size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : ABSENT;
}

static void expect_refused(const struct place *p, int error)
{
    struct emlat_session *session = (struct emlat_session *)&session;
    assert_int_equal(emlat_start(&p->options, &session), error);
    assert_null(session);
}

/* ---- Start ------------------------------------------------------------------------------------
 */

static void whole(void **state)
{
    struct place *p = *state;
    struct emlat_producer *producer, *other;
    struct stat status;
    mode_t mask = umask(0);
    struct emlat_session *session = start(p, &producer);
    umask(mask);
    assert_int_equal(stat(p->path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(emlat_producer_join(session, &other), EMLAT_EFULL);
    assert_null(other);
    uint64_t cause = emlat_root_begin(producer, TIMER, emlat_clock_read(producer));
    produce(producer, 1000);
    emlat_root_work_end(producer, cause, emlat_clock_read(producer));
    emlat_producer_leave(producer);
    assert_int_equal(emlat_producer_join(session, &producer), 0);
    assert_int_equal(emlat_stop(session, 10 * SECONDS), 0);
    struct tally tally = {{0}};
    tally_file(&tally, p->path);
    assert_int_equal(tally.records[EMLAT_SPAN], 1000);
    assert_int_equal(tally.span_sum, 1000 * 1001 / 2);
    assert_int_equal(tally.records[EMLAT_INTERACTION], 1);
    assert_int_equal(tally.records[EMLAT_LOSS], 0);
}

static void path_exists(void **state)
{
    struct place *p = *state;
    touch(p->path);
    expect_refused(p, EMLAT_EEXIST);
    assert_int_equal(size_of(p->path), 4);
}

static void path_is_symlink(void **state)
{
    struct place *p = *state;
    char target[64];
    snprintf(target, sizeof target, "%s/b.emlat", p->folder);
    assert_int_equal(symlink(target, p->path), 0);
    expect_refused(p, EMLAT_EEXIST);
    assert_int_equal(size_of(target), ABSENT);
    touch(target);
    expect_refused(p, EMLAT_EEXIST);
    assert_int_equal(size_of(target), 4);
}

static void folder_missing(void **state)
{
    struct place *p = *state;
    snprintf(p->path, sizeof p->path, "%s/none/a.emlat", p->folder);
    expect_refused(p, EMLAT_EOPEN);
    assert_int_equal(errno, ENOENT);
}

static void bad_options(void **state)
{
    struct place *p = *state;
    const struct emlat_options good = p->options;
    static const struct emlat_word_row zero = {0, 0, "zero", ""}, many = {256, 0, "many", ""},
                                       nameless = {1, EMLAT_SPAN_STAMPS, "no_such_stamp", ""};
    static const struct emlat_word_row last = {1, EMLAT_COUNTER_LAST, "last", ""};
    static const struct emlat_span_counters no_kind = {0, 0}, no_sum = {1, 2};
    const struct emlat_vocabulary vocabularies[] = {
        {.roots = &zero, .roots_count = 1},
        {.roots = &many, .roots_count = 1},
        {.spans = &zero, .spans_count = 1},
        {.spans = &many, .spans_count = 1},
        {.spans = &nameless, .spans_count = 1},
        {.counters = &many, .counters_count = 1},
        {.counted = &no_kind, .counted_count = 1},
        {.counters = &last, .counters_count = 1, .counted = &no_sum, .counted_count = 1},
    };
#define REFUSED(name, value, error) \
    do {                            \
        p->options = good;          \
        p->options.name = value;    \
        expect_refused(p, error);   \
    } while (0)
    REFUSED(abi, EMLAT_ABI + 1, EMLAT_EABI);
    REFUSED(abi, 0, EMLAT_EABI);
    REFUSED(path, NULL, EMLAT_EINVAL);
    REFUSED(path, "", EMLAT_EINVAL);
    REFUSED(producers, 0, EMLAT_EINVAL);
    REFUSED(producers, 65, EMLAT_EINVAL);
    REFUSED(ring_bytes, 32 << 10, EMLAT_EINVAL);
    REFUSED(ring_bytes, 512 << 20, EMLAT_EINVAL);
    REFUSED(ring_bytes, 100000, EMLAT_EINVAL);
    REFUSED(chunk_bytes, 1 << 10, EMLAT_EINVAL);
    REFUSED(chunk_bytes, 2 << 20, EMLAT_EINVAL);
    REFUSED(clock, EMLAT_CLOCK_VIRTUAL, EMLAT_EINVAL);
    for (size_t i = 0; i < sizeof vocabularies / sizeof *vocabularies; i++)
        REFUSED(words, &vocabularies[i], EMLAT_EINVAL);
    assert_int_equal(size_of(p->path), ABSENT); /* nothing is left behind */
}

/* ---- Saying more ------------------------------------------------------------------------------
 */

/* Attribute NAME is NUMBER in the file at PATH, and all of it is sound.  */
static void expect_attribute(const char *path, const char *name, uint64_t number)
{
    struct emlat_reader *reader;
    struct emlat_item item;
    assert_int_equal(emlat_reader_open(&reader, path), 0);
    do {
        assert_int_equal(emlat_reader_next(reader, &item), 0);
    } while (item.kind != EMLAT_ITEM_END);
    const struct emlat_attribute_value *is = emlat_reader_attribute(reader, name);
    assert_non_null(is);
    assert_false(is->is_text);
    assert_int_equal(is->number, number);
    emlat_reader_close(reader);
}

/* What is said later replaces what was said before, and later files begin with it.  */
static void say_more(void **state)
{
    struct place *p = *state;
    struct emlat_producer *producer;
    const struct emlat_attribute first = {"weight", NULL, 1};
    p->options.attributes = &first;
    p->options.attributes_count = 1;
    struct emlat_session *session = start(p, &producer);
    char next[80];
    snprintf(next, sizeof next, "%s/a.1.emlat", p->folder);
    const struct emlat_attribute second = {"weight", NULL, 2}, third = {"weight", NULL, 3};
    assert_int_equal(emlat_session_say(session, &second, 1), 0);
    assert_int_equal(emlat_rotate(session, NULL, 10 * SECONDS), 0);
    expect_attribute(p->path, "weight", 2);
    assert_int_equal(emlat_session_say(session, &third, 1), 0);
    /* Too much is refused as a whole, and spoils nothing.  */
    char *text = malloc(EMLAT_META_BYTES);
    assert_non_null(text);
    memset(text, 'x', EMLAT_META_BYTES - 1);
    text[EMLAT_META_BYTES - 1] = '\0';
    const struct emlat_attribute large[] = {{"weight", NULL, 4}, {"large", text, 0}};
    assert_int_equal(emlat_session_say(session, large, 2), EMLAT_ELIMIT);
    free(text);
    int said = 0;
    while (emlat_session_say(session, &third, 1) == 0)
        assert_true(++said < EMLAT_ATTRIBUTES_MAX);
    assert_int_equal(emlat_stop(session, 10 * SECONDS), 0);
    expect_attribute(p->path, "weight", 2);
    expect_attribute(next, "weight", 3);
}

/* The names of the interactions in the file at PATH, in their order, each with a space after it. */
static void names_in(const char *path, char names[64])
{
    struct emlat_reader *reader;
    struct emlat_item item;
    *names = '\0';
    assert_int_equal(emlat_reader_open(&reader, path), 0);
    for (;;) {
        assert_int_equal(emlat_reader_next(reader, &item), 0);
        if (item.kind == EMLAT_ITEM_END)
            break;
        if (item.kind != EMLAT_ITEM_RECORD || item.record->type != EMLAT_INTERACTION)
            continue;
        const char *name =
            emlat_record_has(item.record, EMLAT_INTERACTION_name)
                ? emlat_reader_string(reader, item.record->value[EMLAT_INTERACTION_name])
                : "-";
        assert_non_null(name);
        assert_true(strlen(names) + strlen(name) < 60);
        strcat(strcat(names, name), " ");
    }
    emlat_reader_close(reader);
}

static void one_timer(struct emlat_producer *producer, uint64_t name)
{
    uint64_t cause = emlat_root_begin(producer, TIMER, emlat_clock_read(producer));
    emlat_root_name(producer, cause, name);
    emlat_root_work_end(producer, cause, emlat_clock_read(producer));
}

/* A name is in each file before the first record that bears it, whatever was rotated meanwhile. */
static void naming(void **state)
{
    struct place *p = *state;
    struct emlat_producer *producer;
    uint64_t red, blue, more;
    char next[80], names[64], text[EMLAT_NAME_MAX + 1] = "";
    struct emlat_session *session = start(p, &producer);
    snprintf(next, sizeof next, "%s/a.1.emlat", p->folder);
    one_timer(producer, 0);
    assert_int_equal(emlat_session_name(session, "red-and-more", 3, &red), 0);
    one_timer(producer, red);
    assert_int_equal(emlat_session_name(session, "blue", 4, &blue), 0);
    assert_int_not_equal(red, blue);
    assert_int_equal(emlat_rotate(session, NULL, 10 * SECONDS), 0);
    one_timer(producer, blue);
    one_timer(producer, red);
    assert_int_equal(emlat_session_name(session, text, sizeof text, &more), EMLAT_EINVAL);
    assert_int_equal(more, 0);
    while (emlat_session_name(session, text, EMLAT_NAME_MAX, &more) == 0)
        assert_true(more < 2 * EMLAT_NAMES_BYTES / EMLAT_NAME_MAX);
    one_timer(producer, more);
    assert_int_equal(emlat_stop(session, 10 * SECONDS), 0);
    names_in(p->path, names);
    assert_string_equal(names, "- red ");
    names_in(next, names);
    assert_string_equal(names, "blue red - ");
}

/* ---- Rotation ---------------------------------------------------------------------------------
 */

static void rotation(void **state)
{
    struct place *p = *state;
    struct emlat_producer *producer;
    struct emlat_session *session = start(p, &producer);
    char b[64], second[64];
    snprintf(b, sizeof b, "%s/b.emlat", p->folder);
    snprintf(second, sizeof second, "%s/a.2.emlat", p->folder);
    touch(second);
    const char *names[] = {"a", "b", "a.1", "a.3"}; /* a.2 exists and is passed over */
    for (int i = 0; i < 4; i++) {
        char path[64];
        struct emlat_status status;
        snprintf(path, sizeof path, "%s/%s.emlat", p->folder, names[i]);
        if (i)
            assert_int_equal(emlat_rotate(session, i == 1 ? b : NULL, 10 * SECONDS), 0);
        emlat_status(session, &status);
        assert_string_equal(status.path, path);
        assert_int_equal(status.file_sequence, i);
        produce(producer, 100);
    }
    assert_int_equal(emlat_rotate(session, b, SECONDS), EMLAT_EEXIST); /* the old one goes on */
    produce(producer, 100);
    assert_int_equal(emlat_stop(session, 10 * SECONDS), 0);
    struct tally tally = {{0}};
    for (int i = 0; i < 4; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s.emlat", p->folder, names[i]);
        tally_file(&tally, path);
        assert_int_equal(tally.sequence, i);
    }
    assert_int_equal(tally.records[EMLAT_SPAN], 500);
    assert_int_equal(tally.span_sum, 500 * 501 / 2);
    assert_int_equal(size_of(second), 4);
}

/* ---- Fork -------------------------------------------------------------------------------------
 */

static void forked(void **state)
{
    struct place *p = *state;
    struct emlat_producer *producer;
    struct emlat_session *session = start(p, &producer);
    produce(producer, 100);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) { /* says by its status how far it came */
        if (emlat_recording(producer))
            _exit(1);
        produce(producer, 100);
        emlat_idle(producer);
        if (emlat_span_begin(producer, SPAN_PLAIN).id)
            _exit(2);
        if (emlat_stop(session, SECONDS) != 0)
            _exit(3);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    produce(producer, 100);
    assert_int_equal(emlat_stop(session, 10 * SECONDS), 0);
    struct tally tally = {{0}};
    tally_file(&tally, p->path);
    assert_int_equal(tally.records[EMLAT_SPAN], 200);
}

/* ---- A full disk ------------------------------------------------------------------------------
 */

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void disk_full(void **state)
{
    struct place *p = *state;
    struct emlat_producer *producer;
    struct emlat_status status;
    struct rlimit before, small;
    uint64_t produced = 0;
    signal(SIGXFSZ, SIG_IGN);
    struct emlat_session *session = start(p, &producer);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = size_of(p->path) + 10001; /* inside some chunk */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    do {
        produce(producer, 1000);
        produced += 1000;
        pause_ms(5);
        emlat_status(session, &status);
    } while (!status.write_failures && produced < 1000000);
    pause_ms(300); /* the writer settles: there is nothing more to take */
    emlat_status(session, &status);
    int error = status.write_errno;
    uint64_t lost = status.records_lost, told = status.file_bytes, size = size_of(p->path);
    bool goes_on = emlat_recording(producer);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(error, EFBIG);
    assert_true(goes_on);
    assert_true(lost > 0);
    assert_int_equal(size, told); /* cut back: no part of a chunk stays */
    struct tally tally = {{0}};
    tally_file(&tally, p->path);
    assert_true(tally.records[EMLAT_SPAN] < produced);

    produce(producer, 1000); /* there is space again */
    produced += 1000;
    assert_int_equal(emlat_stop(session, 10 * SECONDS), EMLAT_EIO);
    assert_int_equal(errno, EFBIG);
    tally = (struct tally){{0}};
    tally_file(&tally, p->path);
    assert_true(tally.lost[EMLAT_REASON_write_error] >= lost);
    assert_int_equal(tally.records[EMLAT_SPAN] + tally.lost[EMLAT_REASON_write_error] +
                         tally.lost[EMLAT_REASON_ring_full],
                     produced);
}

/* The new file is made but its begin does not fit: it goes away, and the old one goes on.  */
static void disk_full_at_rotation(void **state)
{
    struct place *p = *state;
    struct emlat_producer *producer;
    struct emlat_status status;
    struct rlimit before, small;
    char next[64];
    snprintf(next, sizeof next, "%s/b.emlat", p->folder);
    signal(SIGXFSZ, SIG_IGN);
    struct emlat_session *session = start(p, &producer);
    produce(producer, 100);
    do {
        pause_ms(5);
        emlat_status(session, &status);
    } while (status.records_written < 100);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 100; /* a file header, and no chunk */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int error = emlat_rotate(session, next, 10 * SECONDS);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(error, EMLAT_EIO);
    assert_int_equal(size_of(next), ABSENT);
    emlat_status(session, &status);
    assert_string_equal(status.path, p->path);
    assert_int_equal(status.file_sequence, 0);
    assert_int_equal(status.file_bytes, size_of(p->path));
    produce(producer, 100);
    assert_int_equal(emlat_rotate(session, next, 10 * SECONDS), 0); /* there is space again */
    produce(producer, 100);
    assert_int_equal(emlat_stop(session, 10 * SECONDS), EMLAT_EIO);
    struct tally tally = {{0}};
    tally_file(&tally, p->path);
    assert_int_equal(tally.records[EMLAT_SPAN], 200);
    tally_file(&tally, next);
    assert_int_equal(tally.sequence, 1);
    assert_int_equal(tally.records[EMLAT_SPAN], 300);
    assert_int_equal(tally.span_sum, 300 * 301 / 2);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up_place, tear_down_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(whole),
        CASE(path_exists),
        CASE(path_is_symlink),
        CASE(folder_missing),
        CASE(bad_options),
        CASE(say_more),
        CASE(naming),
        CASE(rotation),
        CASE(forked),
        CASE(disk_full),
        CASE(disk_full_at_rotation),
    };
    return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}

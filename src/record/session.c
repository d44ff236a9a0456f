/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The host's side of a session: start, stop, rotate, status, and who records.

   One mapping holds everything that a session will ever use.  The pages that producers touch are
   made at the start, those of a ring when a thread takes it, so that no later call allocates and no
   first touch stalls a producer.  The mapping has no pointer that a host may keep but the
   producers.  */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MS ((uint64_t)1000000)

void emlat_options_default(struct emlat_options *options)
{
    *options = (struct emlat_options){
        .abi = EMLAT_ABI,
        .producers = 1,
        .ring_bytes = 4 << 20,
        .chunk_bytes = 64 << 10,
        .chunk_interval_ns = 1000 * MS,
        .thread_cpu_budget_ns = 4000,
        .poll_wake_ns = 1 * MS,
    };
}

static bool options_valid(const struct emlat_options *options)
{
    return options->path && *options->path && strlen(options->path) < EMLAT_PATH_MAX - 32 &&
           options->producers - 1u < EMLAT_PRODUCERS_MAX && options->ring_bytes >= 64 << 10 &&
           options->ring_bytes <= 256 << 20 &&
           (options->ring_bytes & (options->ring_bytes - 1)) == 0 &&
           options->chunk_bytes >= 4 << 10 && options->chunk_bytes <= 1 << 20;
}

/* ---- Memory -----------------------------------------------------------------------------------
 */

/* Lays the session's parts out one after another: first to learn the size, then to place them.  */
struct layout {
    uint8_t *base; /* null while the size is learnt */
    size_t size;
};

static void *place(struct layout *layout, size_t size)
{
    size_t at = (layout->size + 63) & ~(size_t)63;
    layout->size = at + size;
    return layout->base ? layout->base + at : NULL;
}

static struct emlat_session *lay_out(struct layout *layout, const struct emlat_options *options)
{
    uint32_t producers = options->producers;
    struct emlat_session *session = place(layout, sizeof *session);
    struct emlat_session unplaced;
    struct emlat_session *at = session ? session : &unplaced;
    at->producers = place(layout, producers * sizeof *at->producers);
    at->shared = place(layout, producers * sizeof *at->shared);
    at->machines = place(layout, producers * sizeof *at->machines);
    at->taken = place(layout, producers * sizeof *at->taken);
    at->cursors = place(layout, producers * sizeof *at->cursors);
    at->strings = place(layout, EMLAT_STRINGS_BYTES);
    at->attributes = place(layout, EMLAT_META_BYTES);
    at->vocabulary = place(layout, EMLAT_META_BYTES);
    at->meta = place(layout, EMLAT_META_BYTES);
    at->names = place(layout, EMLAT_STRING_HEAD_BYTES + EMLAT_STRINGS_BYTES);
    for (unsigned type = 0; type < EMLAT_RECORD_TYPES; type++) {
        uint8_t *payload = place(layout, options->chunk_bytes + 2 * EMLAT_BLOCK_BYTES_MAX);
        struct emlat_record *block = place(layout, EMLAT_BLOCK_RECORDS_MAX * sizeof *block);
        if (session)
            session->chunks[type] = (struct emlat_chunk){
                .type = (enum emlat_record_type)type, .payload = payload, .block = block};
    }
    for (uint32_t i = 0; i < producers; i++) {
        struct emlat_unit *units = place(layout, options->ring_bytes);
        if (session)
            session->producers[i].units = units;
    }
    return session;
}

/* Let the SIZE bytes from AT on have their pages.  An old kernel makes them at the first touch.  */
static void populate(void *at, size_t size)
{
#ifdef MADV_POPULATE_WRITE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)at & ~(page - 1);
    madvise((void *)first, size + ((uintptr_t)at - first), MADV_POPULATE_WRITE);
#else
    (void)at;
    (void)size;
#endif
}

static struct emlat_session *new_session(const struct emlat_options *options)
{
    struct layout layout = {NULL, 0};
    lay_out(&layout, options);
    size_t size = layout.size;
    void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    layout = (struct layout){base, 0};
    struct emlat_session *session = lay_out(&layout, options);
    /* What producers touch; the rest is the writer's, which may wait for its pages.  */
    populate(base, (size_t)((uint8_t *)session->strings - (uint8_t *)base));
    session->memory_bytes = size;
    session->options = *options;
    session->sink.fd = session->next_sink.fd = -1;
    snprintf(session->path, sizeof session->path, "%s", options->path);
    snprintf(session->file_path, sizeof session->file_path, "%s", options->path);
    pthread_mutex_init(&session->lock, NULL);
    return session;
}

static void free_session(struct emlat_session *session)
{
    pthread_mutex_destroy(&session->lock);
    munmap(session, session->memory_bytes);
}

/* ---- What SESSION and STRING say --------------------------------------------------------------
 */

static void put_text(struct emlat_put *put, const char *text)
{
    size_t length = strlen(text);
    emlat_put_u(put, length);
    emlat_put_bytes(put, text, length);
}

/* Gathers an attribute list; COUNT is how many there are.  */
struct attributes {
    struct emlat_put put;
    size_t count;
};

static void say_text(struct attributes *attributes, const char *name, const char *text)
{
    put_text(&attributes->put, name);
    emlat_put_u(&attributes->put, 1);
    put_text(&attributes->put, text);
    attributes->count++;
}

static void say_number(struct attributes *attributes, const char *name, uint64_t number)
{
    put_text(&attributes->put, name);
    emlat_put_u(&attributes->put, 0);
    emlat_put_u(&attributes->put, number);
    attributes->count++;
}

/* The value of the first line "NAME : value" in /proc/cpuinfo, or "".  */
static void processor_model(char *model, size_t size)
{
    char line[512];
    *model = '\0';
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (!file)
        return;
    while (!*model && fgets(line, sizeof line, file)) {
        const char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (value)
            snprintf(model, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
    }
    fclose(file);
}

static void say_machine(struct attributes *attributes)
{
    struct utsname names;
    char text[512];
    if (uname(&names) == 0) {
        snprintf(text, sizeof text, "%s %s", names.sysname, names.release);
        say_text(attributes, "os", text);
        say_text(attributes, "machine", names.machine);
    }
    processor_model(text, sizeof text);
    if (*text)
        say_text(attributes, "cpu", text);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (cpus > 0)
        say_number(attributes, "cpus", (uint64_t)cpus);
}

static void say_all(struct attributes *to, const struct emlat_attribute *attributes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (attributes[i].text)
            say_text(to, attributes[i].name, attributes[i].text);
        else
            say_number(to, attributes[i].name, attributes[i].number);
    }
}

static bool fits(const struct attributes *attributes)
{
    return !attributes->put.failed && attributes->count <= EMLAT_ATTRIBUTES_MAX - 16;
}

static int say_attributes(struct emlat_session *session, const struct emlat_options *options)
{
    struct attributes all = {emlat_put_to(session->attributes, EMLAT_META_BYTES - 4096), 0};
    say_text(&all, "recorder_version", EMLAT_VERSION);
    say_text(&all, "host", options->host ? options->host : "unnamed");
    say_text(&all, "clock", session->clock.name);
    say_number(&all, "clock_resolution_ns", session->clock.resolution_ns);
    say_number(&all, "clock_read_ps", session->clock.read_ps);
    say_number(&all, "clock_includes_suspend", session->clock.includes_suspend);
    say_text(&all, "thread_cpu_source",
             session->thread_cpu ? "CLOCK_THREAD_CPUTIME_ID" : "none: over budget");
    say_number(&all, "thread_cpu_read_ps", session->thread_cpu_read_ps);
    say_number(&all, "thread_cpu_budget_ns", options->thread_cpu_budget_ns);
    say_number(&all, "poll_wake_ns", options->poll_wake_ns);
    say_number(&all, "ring_bytes", options->ring_bytes);
    say_number(&all, "rings", options->producers);
    say_text(&all, "ring_memory", "anonymous");
    say_number(&all, "chunk_bytes", options->chunk_bytes);
    say_number(&all, "chunk_interval_ns", options->chunk_interval_ns);
    say_number(&all, "rotate_bytes", options->rotate_bytes);
    say_machine(&all);
    say_text(&all, "privacy", "no_content");
    say_all(&all, options->attributes, options->attributes_count);
    session->attributes_size = (size_t)(all.put.at - session->attributes);
    session->attributes_count = all.count;
    return fits(&all) ? 0 : EMLAT_ELIMIT;
}

int emlat_session_say(struct emlat_session *session, const struct emlat_attribute *attributes,
                      size_t count)
{
    int error = EMLAT_ELIMIT;
    pthread_mutex_lock(&session->lock);
    uint8_t *at = session->attributes + session->attributes_size;
    size_t room = EMLAT_META_BYTES - 4096 - session->attributes_size;
    struct attributes more = {emlat_put_to(at, room), session->attributes_count};
    say_all(&more, attributes, count);
    if (fits(&more)) {
        session->attributes_size += (size_t)(more.put.at - at);
        session->attributes_count = more.count;
        error = 0;
    }
    pthread_mutex_unlock(&session->lock);
    return error;
}

/* The vocabulary: its names as STRING entries, its rows in SESSION as their IDs.  */
static int say_vocabulary(struct emlat_session *session, const struct emlat_vocabulary *words)
{
    const struct {
        enum emlat_vocabulary_class class;
        const struct emlat_word_row *rows;
        uint32_t count;
    } classes[] = {
        {EMLAT_CLASS_ROOT, words ? words->roots : NULL, words ? words->roots_count : 0},
        {EMLAT_CLASS_SPAN, words ? words->spans : NULL, words ? words->spans_count : 0},
        {EMLAT_CLASS_COUNTER, words ? words->counters : NULL, words ? words->counters_count : 0},
        {EMLAT_CLASS_MARK, words ? words->marks : NULL, words ? words->marks_count : 0},
    };
    struct emlat_put strings = emlat_put_to(session->strings, EMLAT_META_BYTES);
    struct emlat_put rows = emlat_put_to(session->vocabulary, EMLAT_META_BYTES / 2);
    uint64_t id = 0;
    for (size_t class = 0; class < sizeof classes / sizeof *classes; class ++) {
        for (uint32_t i = 0; i < classes[class].count; i++) {
            const struct emlat_word_row *row = &classes[class].rows[i];
            bool has_unit = row->unit && *row->unit;
            emlat_put_u(&strings, ++id);
            put_text(&strings, row->name);
            emlat_put_u(&rows, classes[class].class);
            emlat_put_u(&rows, row->number);
            emlat_put_u(&rows, id);
            emlat_put_u(&rows, has_unit ? id + 1 : 0);
            emlat_put_u(&rows, row->flags);
            if (has_unit) {
                emlat_put_u(&strings, ++id);
                put_text(&strings, row->unit);
            }
            session->vocabulary_count++;
        }
    }
    atomic_store_explicit(&session->strings_said,
                          id << 32 | (uint64_t)(strings.at - session->strings),
                          memory_order_relaxed);
    session->vocabulary_size = (size_t)(rows.at - session->vocabulary);
    return strings.failed || rows.failed ? EMLAT_ELIMIT : 0;
}

int emlat_session_name(struct emlat_session *session, const char *text, size_t length, uint64_t *id)
{
    int error = EMLAT_ELIMIT;
    *id = 0;
    if (length > EMLAT_NAME_MAX)
        return EMLAT_EINVAL;
    pthread_mutex_lock(&session->lock);
    uint64_t said = atomic_load_explicit(&session->strings_said, memory_order_relaxed);
    uint64_t next = (said >> 32) + 1;
    size_t size = (uint32_t)said;
    struct emlat_put put = emlat_put_to(session->strings + size, EMLAT_STRINGS_BYTES - size);
    emlat_put_u(&put, next);
    emlat_put_u(&put, length);
    emlat_put_bytes(&put, text, length);
    if (!put.failed) {
        *id = next;
        /* A2: the entry is whole; pairs with the writer's acquire.  */
        atomic_store_explicit(&session->strings_said,
                              next << 32 | (uint64_t)(put.at - session->strings),
                              memory_order_release);
        error = 0;
    }
    pthread_mutex_unlock(&session->lock);
    return error;
}

static void name_session(struct emlat_session *session)
{
    struct timespec t;
    if (getrandom(session->header.uuid, sizeof session->header.uuid, 0) !=
        (ssize_t)sizeof session->header.uuid)
        memset(session->header.uuid, 0, sizeof session->header.uuid);
    session->header.uuid[6] = (uint8_t)((session->header.uuid[6] & 0x0f) | 0x40); /* version 4 */
    session->header.uuid[8] = (uint8_t)((session->header.uuid[8] & 0x3f) | 0x80);
    clock_gettime(CLOCK_REALTIME, &t);
    session->header.realtime_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    session->header.monotonic_ns = emlat_clock_now(&session->clock);
}

/* ---- Fork -------------------------------------------------------------------------------------
 */

/* The sessions of this process, so that a fork's child can be told that they are not its own.  */
enum { LIVE_MAX = 8 };
static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;
static struct emlat_session *live[LIVE_MAX];
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
    pthread_mutex_lock(&live_lock);
}

static void parent_after_fork(void)
{
    pthread_mutex_unlock(&live_lock);
}

/* The child has no writer thread: nothing records there, and the file is left to the parent.  */
static void child_after_fork(void)
{
    for (int i = 0; i < LIVE_MAX; i++) {
        struct emlat_session *session = live[i];
        for (uint32_t k = 0; session && k < session->options.producers; k++)
            session->producers[k].recording = 0;
        if (session) {
            emlat_sink_close(&session->sink);
            emlat_sink_close(&session->next_sink);
            session->forked = true;
        }
        live[i] = NULL;
    }
    pthread_mutex_unlock(&live_lock);
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, parent_after_fork, child_after_fork);
}

static void set_live(struct emlat_session *is, struct emlat_session *becomes)
{
    pthread_once(&fork_once, watch_forks);
    pthread_mutex_lock(&live_lock);
    for (int i = 0; i < LIVE_MAX; i++) {
        if (live[i] == is) {
            live[i] = becomes;
            break;
        }
    }
    pthread_mutex_unlock(&live_lock);
}

/* ---- Start ------------------------------------------------------------------------------------
 */

static void ready_producers(struct emlat_session *session)
{
    for (uint32_t i = 0; i < session->options.producers; i++) {
        struct emlat_producer *producer = &session->producers[i];
        struct emlat_machine *machine = &session->machines[i];
        producer->clock_id = session->clock.id;
        producer->mask = session->options.ring_bytes / sizeof(struct emlat_unit) - 1;
        producer->next_span = i + 1;
        producer->span_step = session->options.producers;
        producer->shared = &session->shared[i];
        producer->top = producer->open + 1;
        emlat_ring_ready(producer);
        producer->machine = machine;
        producer->session = session;
        producer->span_flags = session->kinds.span_flags;
        machine->kinds = &session->kinds;
        machine->numbers = &session->numbers;
        machine->thread_cpu = session->thread_cpu;
        machine->input = &session->input;
        if (session->clock.clock == EMLAT_CLOCK_VIRTUAL)
            machine->virtual_cpu = session->clock.virtual_now;
    }
}

/* Our thread must take no signal that is meant for the host's; the synchronous faults stay open, so
   that the host's fatal handler sees them.  */
static int start_writer(struct emlat_session *session)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int error = pthread_create(&session->writer, NULL, emlat_writer, session);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        errno = error;
    return error ? EMLAT_ETHREAD : 0;
}

static int prepare(struct emlat_session *session, const struct emlat_options *options)
{
    int error = emlat_clock_choose(&session->clock, options->clock, options->virtual_now, 0);
    if (!error)
        error = emlat_kinds_learn(&session->kinds, options->words);
    session->thread_cpu_read_ps = emlat_thread_cpu_measure();
    session->thread_cpu = session->thread_cpu_read_ps * 2 <= options->thread_cpu_budget_ns * 1000;
    session->input.poll_wake_ns = options->poll_wake_ns;
    if (!error)
        error = say_attributes(session, options);
    if (!error)
        error = say_vocabulary(session, options->words);
    name_session(session);
    ready_producers(session);
    /* What the caller owns is of no use from here on.  */
    session->options.path = session->path;
    session->options.host = NULL;
    session->options.words = NULL;
    session->options.attributes = NULL;
    return error;
}

int emlat_start(const struct emlat_options *options, struct emlat_session **result)
{
    *result = NULL;
    if (options->abi != EMLAT_ABI)
        return EMLAT_EABI;
    if (!options_valid(options))
        return EMLAT_EINVAL;
    struct emlat_session *session = new_session(options);
    if (!session)
        return EMLAT_ENOMEM;
    int error = prepare(session, options);
    if (!error)
        error = emlat_sink_create(&session->sink, options->path);
    bool created = !error;
    if (!error)
        error = emlat_writer_begin_file(session, &session->sink);
    if (!error)
        error = start_writer(session);
    if (error) {
        int saved = errno;
        emlat_sink_close(&session->sink);
        if (created)
            unlink(options->path);
        free_session(session);
        errno = saved;
        return error;
    }
    set_live(NULL, session);
    *result = session;
    return 0;
}

/* ---- Stop -------------------------------------------------------------------------------------
 */

int emlat_stop(struct emlat_session *session, uint64_t wait_ns)
{
    if (session->forked) {
        free_session(session);
        return 0;
    }
    for (uint32_t i = 0; i < session->options.producers; i++) {
        struct emlat_producer *producer = &session->producers[i];
        if (emlat_recording(producer))
            emlat_producer_leave(producer);
    }
    set_live(session, NULL);
    /* W2: after everything above.  */
    atomic_store_explicit(&session->stopping, 1, memory_order_release);
    emlat_writer_kick(session);
    if (emlat_futex_wait(&session->finished, 0, wait_ns) != 0) {
        pthread_detach(session->writer);
        return EMLAT_ETIMEDOUT;
    }
    pthread_join(session->writer, NULL);
    int error =
        atomic_load_explicit(&session->totals.failures, memory_order_relaxed) ? EMLAT_EIO : 0;
    errno = atomic_load_explicit(&session->totals.write_errno, memory_order_relaxed);
    free_session(session);
    return error;
}

/* ---- Rotation ---------------------------------------------------------------------------------
 */

int emlat_session_next_file(struct emlat_session *session, struct emlat_sink *sink,
                            char path[EMLAT_PATH_MAX])
{
    enum { TRIES = 10000 };
    static const char suffix[] = ".emlat";
    size_t length = strlen(session->path), stem = length;
    if (length > sizeof suffix - 1 &&
        strcmp(session->path + length - (sizeof suffix - 1), suffix) == 0)
        stem -= sizeof suffix - 1;
    for (int i = 0; i < TRIES; i++) {
        snprintf(path, EMLAT_PATH_MAX, "%.*s.%u%s", (int)stem, session->path,
                 ++session->rotations_named, session->path + stem);
        int error = emlat_sink_create(sink, path);
        if (error != EMLAT_EEXIST)
            return error;
    }
    return EMLAT_EEXIST;
}

int emlat_rotate(struct emlat_session *session, const char *path, uint64_t wait_ns)
{
    if (path && strlen(path) >= EMLAT_PATH_MAX)
        return EMLAT_EINVAL;
    pthread_mutex_lock(&session->lock);
    uint32_t answered = atomic_load_explicit(&session->rotated, memory_order_relaxed);
    int error = session->rotation_wanted ? EMLAT_ETIMEDOUT : 0;
    if (!error && path) {
        snprintf(session->next_path, sizeof session->next_path, "%s", path);
        error = emlat_sink_create(&session->next_sink, path);
    } else if (!error) {
        error = emlat_session_next_file(session, &session->next_sink, session->next_path);
    }
    session->rotation_wanted = !error || session->rotation_wanted;
    pthread_mutex_unlock(&session->lock);
    if (error)
        return error;
    emlat_writer_kick(session);
    bool late = emlat_futex_wait(&session->rotated, answered, wait_ns) != 0;
    pthread_mutex_lock(&session->lock);
    /* W3: whoever takes the wish away first has won; a late writer finds nothing to do.  */
    if (late && session->rotation_wanted) {
        session->rotation_wanted = false;
        emlat_sink_close(&session->next_sink);
        unlink(session->next_path);
        error = EMLAT_ETIMEDOUT;
    } else {
        error = session->rotation_error;
    }
    pthread_mutex_unlock(&session->lock);
    return error;
}

/* ---- Status -----------------------------------------------------------------------------------
 */

static uint64_t figure(const _Atomic uint64_t *of)
{
    return atomic_load_explicit(of, memory_order_relaxed);
}

void emlat_status(struct emlat_session *session, struct emlat_status *status)
{
    uint64_t lost = figure(&session->write_lost.records);
    memset(status, 0, sizeof *status);
    for (uint32_t i = 0; i < session->options.producers; i++) {
        const struct emlat_shared *shared = &session->shared[i];
        for (int reason = 0; reason < EMLAT_REASONS_END; reason++)
            lost += figure(&shared->lost[reason].records);
        status->clock_reads += figure(&shared->clock_reads);
        status->ring_waiting +=
            (figure(&shared->head) - figure(&shared->tail)) * sizeof(struct emlat_unit);
    }
    status->t_now = emlat_clock_now(&session->clock);
    status->t_start = session->header.monotonic_ns;
    status->records_written = figure(&session->totals.records);
    status->bytes_written = figure(&session->totals.bytes);
    status->file_bytes = figure(&session->totals.file_bytes);
    status->records_lost = lost;
    status->write_failures = figure(&session->totals.failures);
    status->write_errno = atomic_load_explicit(&session->totals.write_errno, memory_order_relaxed);
    status->file_sequence = (uint32_t)figure(&session->totals.sequence);
    status->ring_bytes = session->options.ring_bytes;
    status->ring_high_water = figure(&session->totals.high_water);
    status->memory_bytes = session->memory_bytes;
    status->writer_cpu_ns = figure(&session->totals.cpu_ns);
    status->clock_read_ps = session->clock.read_ps;
    status->thread_cpu_read_ps = session->thread_cpu_read_ps;
    status->clock_resolution_ns = session->clock.resolution_ns;
    status->clock = session->clock.name;
    status->thread_cpu_source =
        session->thread_cpu ? "CLOCK_THREAD_CPUTIME_ID" : "none: over budget";
    pthread_mutex_lock(&session->lock);
    memcpy(status->path, session->file_path, sizeof status->path);
    pthread_mutex_unlock(&session->lock);
}

/* ---- Producers --------------------------------------------------------------------------------
 */

uint64_t emlat_clock_read_slow(struct emlat_producer *producer)
{
    return emlat_clock_now(&producer->session->clock);
}

int emlat_producer_join(struct emlat_session *session, struct emlat_producer **result)
{
    for (uint32_t i = 0; i < session->options.producers; i++) {
        uint32_t is_free = 0;
        /* P1: acquire what the last owner did with it, as its release in leave published.  */
        if (!atomic_compare_exchange_strong_explicit(&session->taken[i], &is_free, 1,
                                                     memory_order_acquire, memory_order_relaxed))
            continue;
        populate(session->producers[i].units, session->options.ring_bytes);
        if (session->clock.clock != EMLAT_CLOCK_VIRTUAL && session->thread_cpu)
            session->machines[i].run_delay_fd = emlat_run_delay_open();
        session->producers[i].recording = 1;
        *result = &session->producers[i];
        return 0;
    }
    *result = NULL;
    return EMLAT_EFULL;
}

void emlat_producer_leave(struct emlat_producer *producer)
{
    struct emlat_session *session = producer->session;
    emlat_machine_close(producer, emlat_clock_read(producer));
    atomic_store_explicit(&producer->shared->clock_reads, producer->clock_reads,
                          memory_order_relaxed);
    producer->recording = 0;
    if (producer->machine->run_delay_fd > 0)
        close(producer->machine->run_delay_fd);
    producer->machine->run_delay_fd = 0;
    atomic_store_explicit(&session->taken[producer - session->producers], 0, memory_order_release);
}

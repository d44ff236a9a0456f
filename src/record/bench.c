/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The bench: from a frame loop's marks to records.

   It states facts and decides nothing.  A frame is an interval with a number, a span an interval on
   a thread, a sample a value with a frame's number: which part of a span falls into which frame,
   what is live and what is covered is computed by the reader, exactly, so nothing here is drained,
   clamped or apportioned.

   Open spans of a thread lie in its slots, innermost last.  A slot is its thread's alone but for
   the ID: whoever takes that to 0 (row B1 in doc/ring.md) has ended the span, so that another
   thread can end it once, and the owner drops the empty slot when it next looks.  Jobs and stages
   pass from thread to thread by the host's own hand-over; only taking a place for them is a race
   (row B2).  */
#include "ring.h"
#include "session.h"

#include <emlat/bench.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct slot {
    _Atomic uint64_t id; /* row B1: 0 when it has ended */
    uint64_t parent, t_begin;
    uint32_t kind;
};

struct emlat_bench_thread {
    struct emlat_producer *producer;
    struct emlat_bench *bench;
    uint32_t depth; /* slots in use, dead ones among them; the last one is not dead */
    struct slot slots[EMLAT_BENCH_SPANS_MAX];
};

/* A job or a stage that is open: the fields of its record.  */
struct load_entry {
    _Atomic uint64_t id; /* row B2: 0 when it is free */
    uint64_t present, value[EMLAT_JOB_FIELDS];
};
_Static_assert((int)EMLAT_STAGE_FIELDS <= (int)EMLAT_JOB_FIELDS, "an entry holds a stage too");

struct load_table {
    struct load_entry *entries;
    uint32_t room;
    _Atomic uint64_t last_id;
};

struct usage {
    uint64_t cpu_ns, switches, faults_minor, faults_major;
};

struct emlat_bench {
    struct emlat_session *session;
    const uint64_t *virtual_rss;
    bool usage;
    uint64_t stop_frames, stop_ns;
    struct load_table jobs, stages;
    /* The frame thread's.  */
    struct emlat_bench_thread *frame_thread;
    uint64_t t_first;
    struct usage usage_begin;
    /* Anyone's (row B3): each word stands alone.  */
    _Atomic uint64_t frames;  /* opened so far: the open one's number plus 1 */
    _Atomic uint64_t t_frame; /* begin of the open one; stored by the frame thread */
    _Atomic uint64_t states, states_once, position, position_known;
    _Atomic uint64_t reached[4];
    _Atomic uint64_t batch[EMLAT_BENCH_SOURCES_MAX], batch_known[EMLAT_BENCH_SOURCES_MAX];
    uint32_t threads_max;
    _Atomic uint32_t threads_count;
    struct emlat_bench_thread *threads;
};

static uint64_t relaxed(const _Atomic uint64_t *of)
{
    return atomic_load_explicit(of, memory_order_relaxed);
}

static uint64_t time_of(struct emlat_bench_thread *thread, uint64_t t)
{
    return t ? t : emlat_clock_read(thread->producer);
}

static void put(struct emlat_bench_thread *thread, const struct emlat_record *record, uint64_t t)
{
    emlat_ring_put(thread->producer, record, t);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static uint64_t timeval_ns(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

/* False where the system does not say.  */
static bool usage_now(struct usage *usage)
{
    struct rusage is;
    if (getrusage(RUSAGE_THREAD, &is) != 0)
        return false;
    *usage = (struct usage){timeval_ns(is.ru_utime) + timeval_ns(is.ru_stime),
                            (uint64_t)is.ru_nivcsw, (uint64_t)is.ru_minflt, (uint64_t)is.ru_majflt};
    return true;
}

static void set_usage(struct emlat_bench *bench, struct emlat_record *record)
{
    struct usage now;
    const struct usage *begin = &bench->usage_begin;
    if (!bench->usage || !usage_now(&now))
        return;
    emlat_record_set(record, EMLAT_FRAME_cpu_ns, now.cpu_ns - begin->cpu_ns);
    emlat_record_set(record, EMLAT_FRAME_switches, now.switches - begin->switches);
    emlat_record_set(record, EMLAT_FRAME_faults_minor, now.faults_minor - begin->faults_minor);
    emlat_record_set(record, EMLAT_FRAME_faults_major, now.faults_major - begin->faults_major);
    bench->usage_begin = now;
}

static void close_frame(struct emlat_bench_thread *thread, uint64_t t, bool partial)
{
    struct emlat_bench *bench = thread->bench;
    uint64_t frames = relaxed(&bench->frames);
    struct emlat_record record = {.type = EMLAT_FRAME};
    if (!frames)
        return;
    emlat_record_set(&record, EMLAT_FRAME_frame_id, frames - 1);
    emlat_record_set(&record, EMLAT_FRAME_t_begin, relaxed(&bench->t_frame));
    emlat_record_set(&record, EMLAT_FRAME_wall_ns, t - relaxed(&bench->t_frame));
    if (partial)
        emlat_record_set(&record, EMLAT_FRAME_status, EMLAT_STATUS_open);
    uint64_t states = atomic_exchange_explicit(&bench->states_once, 0, memory_order_relaxed) |
                      relaxed(&bench->states);
    emlat_record_set(&record, EMLAT_FRAME_states, states);
    if (relaxed(&bench->position_known))
        emlat_record_set(&record, EMLAT_FRAME_position, relaxed(&bench->position));
    set_usage(bench, &record);
    put(thread, &record, t);
}

bool emlat_bench_frame(struct emlat_bench_thread *thread, uint64_t t)
{
    if (__builtin_expect(!thread, 1))
        return false;
    struct emlat_bench *bench = thread->bench;
    uint64_t frames = relaxed(&bench->frames);
    t = time_of(thread, t);
    if (!frames) {
        bench->t_first = t;
        bench->usage = bench->usage && usage_now(&bench->usage_begin);
    }
    close_frame(thread, t, false);
    atomic_store_explicit(&bench->t_frame, t, memory_order_relaxed);
    bench->frame_thread = thread;
    atomic_store_explicit(&bench->frames, frames + 1, memory_order_relaxed);
    return (bench->stop_frames && frames >= bench->stop_frames) ||
           (bench->stop_ns && t - bench->t_first >= bench->stop_ns);
}

uint64_t emlat_bench_frame_now(const struct emlat_bench_thread *thread)
{
    return thread ? relaxed(&thread->bench->frames) - 1 : EMLAT_BENCH_NO_FRAME;
}

void emlat_bench_state(struct emlat_bench_thread *thread, uint32_t state, bool holds)
{
    uint64_t bit = (uint64_t)1 << (state & 63);
    if (__builtin_expect(!thread, 1))
        return;
    uint64_t before =
        holds ? atomic_fetch_or_explicit(&thread->bench->states, bit, memory_order_relaxed)
              : atomic_fetch_and_explicit(&thread->bench->states, ~bit, memory_order_relaxed);
    if (holds || before & bit)
        atomic_fetch_or_explicit(&thread->bench->states_once, bit, memory_order_relaxed);
}

void emlat_bench_state_once(struct emlat_bench_thread *thread, uint32_t state)
{
    if (__builtin_expect(!thread, 1))
        return;
    atomic_fetch_or_explicit(&thread->bench->states_once, (uint64_t)1 << (state & 63),
                             memory_order_relaxed);
}

void emlat_bench_position(struct emlat_bench_thread *thread, uint64_t position)
{
    if (__builtin_expect(!thread, 1))
        return;
    atomic_store_explicit(&thread->bench->position, position, memory_order_relaxed);
    atomic_store_explicit(&thread->bench->position_known, 1, memory_order_relaxed);
}

/* ---- Spans ----------------------------------------------------------------------------------- */

/* Drop what another thread, or an end out of order, has left dead at the top.  */
static void drop_dead(struct emlat_bench_thread *thread)
{
    while (thread->depth && !relaxed(&thread->slots[thread->depth - 1].id))
        thread->depth--;
}

struct emlat_bench_span emlat_bench_begin(struct emlat_bench_thread *thread, uint32_t kind,
                                          uint64_t t)
{
    if (__builtin_expect(!thread, 1))
        return (struct emlat_bench_span){0};
    struct emlat_producer *producer = thread->producer;
    t = time_of(thread, t);
    drop_dead(thread);
    if (thread->depth == EMLAT_BENCH_SPANS_MAX) {
        emlat_ring_lose(producer, EMLAT_REASON_too_deep, sizeof(struct emlat_unit), t);
        return (struct emlat_bench_span){0};
    }
    uint64_t id = producer->next_span;
    producer->next_span += producer->span_step;
    uint64_t parent = thread->depth ? relaxed(&thread->slots[thread->depth - 1].id) : 0;
    struct slot *slot = &thread->slots[thread->depth];
    slot->parent = parent;
    slot->t_begin = t;
    slot->kind = kind;
    /* B1: a token reaches another thread only by the host's own hand-over.  */
    atomic_store_explicit(&slot->id, id, memory_order_relaxed);
    return (struct emlat_bench_span){thread, id, parent, t, kind, thread->depth++};
}

struct emlat_bench_span emlat_bench_begin_under(struct emlat_bench_thread *thread, uint32_t kind,
                                                struct emlat_bench_span parent, uint64_t t)
{
    struct emlat_bench_span span = emlat_bench_begin(thread, kind, t);
    if (span.kind && parent.kind)
        span.parent = thread->slots[span.slot].parent = parent.id;
    return span;
}

static void put_span(struct emlat_bench_thread *thread, const struct emlat_bench_span *span,
                     uint64_t t, enum emlat_word status)
{
    struct emlat_unit unit = {{
        [EMLAT_SPAN_HEAD] = emlat_span_head(span->kind) | (uint64_t)status << 24,
        [EMLAT_SPAN_ID] = span->id,
        [EMLAT_SPAN_PARENT] = span->parent,
        [EMLAT_SPAN_BEGIN] = span->t_begin,
    }};
    emlat_span_put(thread->producer, &unit, t);
}

static void put_mark(struct emlat_bench_thread *thread, unsigned field, uint32_t kind, uint64_t t)
{
    uint64_t frames = relaxed(&thread->bench->frames);
    struct emlat_record record = {.type = EMLAT_MARK};
    emlat_record_set(&record, field, kind);
    emlat_record_set(&record, EMLAT_MARK_t, t);
    if (frames)
        emlat_record_set(&record, EMLAT_MARK_frame_id, frames - 1);
    put(thread, &record, t);
}

void emlat_bench_unmatched(struct emlat_bench_thread *thread, uint32_t kind, uint64_t t)
{
    if (__builtin_expect(!thread, 1))
        return;
    put_mark(thread, EMLAT_MARK_span_kind, kind, time_of(thread, t));
}

void emlat_bench_end(struct emlat_bench_thread *thread, struct emlat_bench_span span, uint64_t t)
{
    if (__builtin_expect(!thread || !span.kind, 1))
        return;
    t = time_of(thread, t);
    uint64_t id = span.id;
    /* B1: whoever takes the ID away has ended the span; the other one finds it gone.  */
    if (!atomic_compare_exchange_strong_explicit(&span.thread->slots[span.slot].id, &id, 0,
                                                 memory_order_relaxed, memory_order_relaxed)) {
        put_mark(thread, EMLAT_MARK_span_kind, span.kind, t);
        return;
    }
    enum emlat_word status = EMLAT_STATUS_normal;
    if (span.thread != thread) {
        status = EMLAT_STATUS_migrated;
        span.parent = 0;
    } else {
        if (thread->depth > span.slot + 1) {
            drop_dead(thread);
            if (thread->depth > span.slot + 1)
                status = EMLAT_STATUS_misnested;
        }
        drop_dead(thread);
    }
    put_span(thread, &span, t, status);
}

/* ---- Counters -------------------------------------------------------------------------------- */

void emlat_bench_count_for(struct emlat_bench_thread *thread, uint32_t counter, uint64_t frame,
                           double value)
{
    if (__builtin_expect(!thread, 1))
        return;
    struct emlat_record record = {.type = EMLAT_SAMPLE};
    emlat_record_set(&record, EMLAT_SAMPLE_counter, counter);
    if (frame != EMLAT_BENCH_NO_FRAME)
        emlat_record_set(&record, EMLAT_SAMPLE_frame_id, frame);
    /* Below 2^63, so that the conversion is defined; NaN fails every comparison.  */
    if (value >= 0 && value < 9.2e18)
        emlat_record_set(&record, EMLAT_SAMPLE_value, (uint64_t)(value + 0.5));
    /* A sample has no time of its own: one that is lost is dated by the open frame's begin.  */
    put(thread, &record, relaxed(&thread->bench->t_frame));
}

void emlat_bench_count(struct emlat_bench_thread *thread, uint32_t counter, double value)
{
    if (__builtin_expect(!thread, 1))
        return;
    emlat_bench_count_for(thread, counter, emlat_bench_frame_now(thread), value);
}

bool emlat_bench_fresh(struct emlat_bench_thread *thread, uint32_t source, uint64_t batch)
{
    if (__builtin_expect(!thread, 1) || source >= EMLAT_BENCH_SOURCES_MAX)
        return false;
    struct emlat_bench *bench = thread->bench;
    if (relaxed(&bench->batch_known[source]) && relaxed(&bench->batch[source]) == batch)
        return false;
    atomic_store_explicit(&bench->batch[source], batch, memory_order_relaxed);
    atomic_store_explicit(&bench->batch_known[source], 1, memory_order_relaxed);
    return true;
}

/* ---- Loading --------------------------------------------------------------------------------- */

void emlat_bench_reach(struct emlat_bench_thread *thread, uint32_t milestone, uint64_t t)
{
    if (__builtin_expect(!thread, 1))
        return;
    uint64_t bit = (uint64_t)1 << (milestone & 63);
    _Atomic uint64_t *reached = &thread->bench->reached[milestone >> 6 & 3];
    if (!(atomic_fetch_or_explicit(reached, bit, memory_order_relaxed) & bit))
        put_mark(thread, EMLAT_MARK_kind, milestone, time_of(thread, t));
}

/* Resident bytes of the process; false where the system does not say.  */
static bool rss_now(const struct emlat_bench *bench, uint64_t *rss)
{
    if (bench->virtual_rss) {
        *rss = *bench->virtual_rss;
        return true;
    }
    unsigned long long pages;
    FILE *file = fopen("/proc/self/statm", "re");
    bool known = file && fscanf(file, "%*u %llu", &pages) == 1;
    if (file)
        fclose(file);
    if (known)
        *rss = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return known;
}

static void set(struct load_entry *entry, unsigned field, uint64_t value)
{
    entry->value[field] = value;
    entry->present |= (uint64_t)1 << field;
}

static void set_rss(const struct emlat_bench *bench, struct load_entry *entry, unsigned field)
{
    uint64_t rss;
    if (rss_now(bench, &rss))
        set(entry, field, rss);
}

/* B2: whoever takes the entry's ID from 0 has it.  The search begins where the last one ended, so
   it is short until the table is nearly full.  */
static struct load_entry *take_entry(struct load_table *table, uint64_t *id)
{
    *id = 1 + atomic_fetch_add_explicit(&table->last_id, 1, memory_order_relaxed);
    for (uint32_t i = 0; i < table->room; i++) {
        struct load_entry *entry = &table->entries[(*id + i) % table->room];
        uint64_t is_free = 0;
        if (atomic_compare_exchange_strong_explicit(&entry->id, &is_free, *id, memory_order_acquire,
                                                    memory_order_relaxed)) {
            entry->present = 0;
            return entry;
        }
    }
    return NULL;
}

static struct load_entry *find_entry(struct load_table *table, uint64_t id)
{
    for (uint32_t i = 0; id && i < table->room; i++) {
        struct load_entry *entry = &table->entries[(id + i) % table->room];
        if (relaxed(&entry->id) == id)
            return entry;
    }
    return NULL;
}

static void put_entry(struct emlat_bench_thread *thread, struct load_entry *entry,
                      enum emlat_record_type type, uint64_t t)
{
    struct emlat_record record = {.type = type, .present = entry->present};
    memcpy(record.value, entry->value, sizeof entry->value);
    put(thread, &record, t);
    atomic_store_explicit(&entry->id, 0, memory_order_release);
}

uint32_t emlat_bench_stage_begin(struct emlat_bench_thread *thread, uint32_t kind,
                                 uint64_t items_total, uint64_t t)
{
    uint64_t id;
    if (__builtin_expect(!thread, 1))
        return 0;
    t = time_of(thread, t);
    struct load_entry *entry = take_entry(&thread->bench->stages, &id);
    if (!entry) {
        emlat_ring_lose(thread->producer, EMLAT_REASON_too_deep, sizeof(struct emlat_unit), t);
        return 0;
    }
    set(entry, EMLAT_STAGE_kind, kind);
    set(entry, EMLAT_STAGE_t_begin, t);
    if (items_total)
        set(entry, EMLAT_STAGE_items_total, items_total);
    set_rss(thread->bench, entry, EMLAT_STAGE_rss_begin);
    return (uint32_t)id;
}

void emlat_bench_stage_done(struct emlat_bench_thread *thread, uint32_t stage, uint64_t items)
{
    if (__builtin_expect(!thread, 1))
        return;
    struct load_entry *entry = find_entry(&thread->bench->stages, stage);
    if (entry)
        set(entry, EMLAT_STAGE_items_done, items);
}

void emlat_bench_stage_end(struct emlat_bench_thread *thread, uint32_t stage, uint64_t t,
                           enum emlat_outcome outcome)
{
    if (__builtin_expect(!thread, 1))
        return;
    struct load_entry *entry = find_entry(&thread->bench->stages, stage);
    if (!entry)
        return;
    t = time_of(thread, t);
    set(entry, EMLAT_STAGE_wall_ns, t - entry->value[EMLAT_STAGE_t_begin]);
    if (outcome != EMLAT_OUTCOME_NORMAL)
        set(entry, EMLAT_STAGE_status, (uint64_t)outcome);
    set_rss(thread->bench, entry, EMLAT_STAGE_rss_end);
    put_entry(thread, entry, EMLAT_STAGE, t);
}

uint64_t emlat_bench_job(struct emlat_bench_thread *thread, uint32_t kind, uint64_t name,
                         uint64_t needs, uint64_t t)
{
    uint64_t id;
    if (__builtin_expect(!thread, 1))
        return 0;
    t = time_of(thread, t);
    struct load_entry *entry = take_entry(&thread->bench->jobs, &id);
    if (!entry) {
        emlat_ring_lose(thread->producer, EMLAT_REASON_too_deep, sizeof(struct emlat_unit), t);
        return 0;
    }
    set(entry, EMLAT_JOB_job_id, id);
    set(entry, EMLAT_JOB_kind, kind);
    set(entry, EMLAT_JOB_name_id, name);
    if (needs)
        set(entry, EMLAT_JOB_needs_job_id, needs);
    set(entry, EMLAT_JOB_t_discovered, t);
    return id;
}

void emlat_bench_job_stamp(struct emlat_bench_thread *thread, uint64_t job,
                           enum emlat_bench_stamp stamp, uint64_t t)
{
    if (__builtin_expect(!thread, 1))
        return;
    struct load_entry *entry = find_entry(&thread->bench->jobs, job);
    unsigned field = EMLAT_JOB_t_discovered + stamp;
    if (!entry || stamp >= EMLAT_JOB_STAMPS || entry->present >> field & 1)
        return;
    set(entry, field, time_of(thread, t));
    if (stamp == EMLAT_JOB_FINISHED)
        set_rss(thread->bench, entry, EMLAT_JOB_rss_at_finish);
}

void emlat_bench_job_number(struct emlat_bench_thread *thread, uint64_t job,
                            enum emlat_bench_job_number number, uint64_t value)
{
    if (__builtin_expect(!thread, 1))
        return;
    struct load_entry *entry = find_entry(&thread->bench->jobs, job);
    if (entry && number < EMLAT_JOB_NUMBERS)
        set(entry, EMLAT_JOB_outstanding_bytes + number, value);
}
_Static_assert((int)EMLAT_JOB_cache - (int)EMLAT_JOB_outstanding_bytes == (int)EMLAT_JOB_CACHE,
               "a job's numbers are its fields in their order");
_Static_assert((int)EMLAT_JOB_t_joined - (int)EMLAT_JOB_t_discovered == (int)EMLAT_JOB_JOINED,
               "and so are its stamps");

void emlat_bench_job_close(struct emlat_bench_thread *thread, uint64_t job)
{
    if (__builtin_expect(!thread, 1))
        return;
    struct load_entry *entry = find_entry(&thread->bench->jobs, job);
    if (entry)
        put_entry(thread, entry, EMLAT_JOB, emlat_clock_read(thread->producer));
}

/* ---- Start and stop -------------------------------------------------------------------------- */

bool emlat_bench_wanted(void)
{
    static const char blank[] = " \t\r\n";
    const char *value = getenv("EMLAT_BENCH");
    if (!value)
        return false;
    value += strspn(value, blank);
    size_t length = strlen(value);
    while (length && strchr(blank, value[length - 1]))
        length--;
    static const char *const off[] = {"", "0", "false", "off"};
    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        if (length == strlen(off[i]) && strncasecmp(value, off[i], length) == 0)
            return false;
    return true;
}

/* A number from the environment; *VALUE stays where it is not set.  */
static int environment_number(const char *name, uint64_t *value)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text)
        return 0;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno)
        return EMLAT_EINVAL;
    *value = number;
    return 0;
}

int emlat_bench_options_default(struct emlat_bench_options *options)
{
    uint64_t seconds = 0;
    *options = (struct emlat_bench_options){.jobs_max = 4096, .stages_max = 256, .usage = true};
    emlat_options_default(&options->session);
    options->session.producers = 16;
    int error = environment_number("EMLAT_BENCH_STOP_FRAMES", &options->stop_frames);
    int other = environment_number("EMLAT_BENCH_STOP_SECONDS", &seconds);
    if (seconds > UINT64_MAX / 1000000000u)
        other = EMLAT_EINVAL;
    else
        options->stop_ns = seconds * 1000000000u;
    return error ? error : other;
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* When this process began, of CLOCK_REALTIME, to a kernel tick; false where it is not known.  */
static bool process_started(uint64_t *t)
{
    unsigned long long ticks;
    char text[1024];
    FILE *file = fopen("/proc/self/stat", "re");
    size_t got = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[got] = '\0';
    /* The program's name, which may hold anything, ends at the last parenthesis; field 22.  */
    const char *at = strrchr(text, ')');
    if (!at || sscanf(at + 1,
                      " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
                      "%*d %llu",
                      &ticks) != 1)
        return false;
    uint64_t since_boot = ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
    *t = clock_ns(CLOCK_REALTIME) - (clock_ns(CLOCK_BOOTTIME) - since_boot);
    return true;
}

extern char **environ;

struct attributes {
    struct emlat_attribute rows[EMLAT_BENCH_ATTRIBUTES_MAX];
    char names[EMLAT_BENCH_ATTRIBUTES_MAX][64], texts[EMLAT_BENCH_ATTRIBUTES_MAX][192];
    size_t count;
};

static void add_environment(struct attributes *all)
{
    for (char **at = environ; *at && all->count < EMLAT_BENCH_ATTRIBUTES_MAX; at++) {
        const char *is = strchr(*at, '=');
        if (strncmp(*at, "EMLAT_", 6) != 0 || !is)
            continue;
        size_t i = all->count++;
        snprintf(all->names[i], sizeof all->names[i], "env_%.*s", (int)(is - *at), *at);
        snprintf(all->texts[i], sizeof all->texts[i], "%s", is + 1);
        all->rows[i] = (struct emlat_attribute){all->names[i], all->texts[i], 0};
    }
}

/* The host's attributes and those of the run.  */
static int gather_attributes(struct attributes *all, const struct emlat_options *options)
{
    uint64_t t = 0;
    if (options->attributes_count > EMLAT_BENCH_ATTRIBUTES_MAX / 2)
        return EMLAT_ELIMIT;
    for (size_t i = 0; i < options->attributes_count; i++)
        all->rows[all->count++] = options->attributes[i];
    /* A stamp that is no number, or of the future, is none: the report then says what its zero is,
       and shows the variable as it was.  */
    if (environment_number("EMLAT_BENCH_STARTED_NS", &t) == 0 && t && t <= clock_ns(CLOCK_REALTIME))
        all->rows[all->count++] = (struct emlat_attribute){"run_started_ns", NULL, t};
    if (process_started(&t))
        all->rows[all->count++] = (struct emlat_attribute){"process_started_ns", NULL, t};
    add_environment(all);
    return 0;
}

static void free_bench(struct emlat_bench *bench)
{
    free(bench->jobs.entries);
    free(bench->stages.entries);
    free(bench->threads);
    free(bench);
}

static struct emlat_bench *new_bench(const struct emlat_bench_options *options)
{
    struct emlat_bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return NULL;
    bench->virtual_rss = options->virtual_rss;
    bench->usage = options->usage && options->session.clock != EMLAT_CLOCK_VIRTUAL;
    bench->stop_frames = options->stop_frames;
    bench->stop_ns = options->stop_ns;
    bench->threads_max = options->session.producers;
    bench->jobs.room = options->jobs_max;
    bench->stages.room = options->stages_max;
    bench->jobs.entries = calloc(options->jobs_max, sizeof *bench->jobs.entries);
    bench->stages.entries = calloc(options->stages_max, sizeof *bench->stages.entries);
    bench->threads = calloc(bench->threads_max, sizeof *bench->threads);
    if (!bench->jobs.entries || !bench->stages.entries || !bench->threads) {
        free_bench(bench);
        return NULL;
    }
    return bench;
}

/* Where the run's recording goes.  EMLAT_EOPEN with errno.  */
static int choose_path(char *path, size_t size)
{
    const char *run = getenv("EMLAT_BENCH_RUN");
    unsigned char id[16];
    if (run && *run)
        return (size_t)snprintf(path, size, "%s/trace.emlat", run) < size ? 0 : EMLAT_EINVAL;
    if (getrandom(id, sizeof id, 0) != (ssize_t)sizeof id)
        return EMLAT_EOPEN;
    id[6] = (unsigned char)((id[6] & 0x0f) | 0x40);
    id[8] = (unsigned char)((id[8] & 0x3f) | 0x80);
    size_t at = (size_t)snprintf(path, size, "emlat-artifacts/runs/");
    for (int i = 0; i < 16; i++)
        at += (size_t)snprintf(path + at, size - at, "%s%02x",
                               i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
    if ((mkdir("emlat-artifacts", 0700) != 0 && errno != EEXIST) ||
        (mkdir("emlat-artifacts/runs", 0700) != 0 && errno != EEXIST) || mkdir(path, 0700) != 0)
        return EMLAT_EOPEN;
    snprintf(path + at, size - at, "/trace.emlat");
    return 0;
}

int emlat_bench_start(const struct emlat_bench_options *options, struct emlat_bench **result)
{
    *result = NULL;
    if (options->jobs_max - 1u >= 1u << 20 || options->stages_max - 1u >= 1u << 16)
        return EMLAT_EINVAL;
    struct attributes *all = calloc(1, sizeof *all);
    struct emlat_bench *bench = all ? new_bench(options) : NULL;
    int error = bench ? gather_attributes(all, &options->session) : EMLAT_ENOMEM;
    if (!error) {
        struct emlat_options session = options->session;
        char path[EMLAT_PATH_MAX];
        session.attributes = all->rows;
        session.attributes_count = all->count;
        if (!session.path) {
            error = choose_path(path, sizeof path);
            session.path = path;
        }
        if (!error)
            error = emlat_start(&session, &bench->session);
    }
    int saved = errno;
    free(all);
    if (error && bench)
        free_bench(bench);
    errno = saved;
    if (!error)
        *result = bench;
    return error;
}

int emlat_bench_join(struct emlat_bench *bench, struct emlat_bench_thread **result)
{
    *result = NULL;
    if (!bench)
        return 0;
    struct emlat_producer *producer;
    int error = emlat_producer_join(bench->session, &producer);
    if (error)
        return error;
    /* Producers are never given back here, so each has its own place.  */
    uint32_t i = atomic_fetch_add_explicit(&bench->threads_count, 1, memory_order_relaxed);
    bench->threads[i].producer = producer;
    bench->threads[i].bench = bench;
    *result = &bench->threads[i];
    return 0;
}

static void put_open(struct emlat_bench_thread *thread, uint64_t t)
{
    for (uint32_t i = 0; i < thread->depth; i++) {
        const struct slot *slot = &thread->slots[i];
        struct emlat_bench_span span = {thread,        relaxed(&slot->id), slot->parent,
                                        slot->t_begin, slot->kind,         i};
        if (span.id)
            put_span(thread, &span, t, EMLAT_STATUS_open);
    }
    thread->depth = 0;
}

static void put_entries(struct emlat_bench_thread *thread, struct load_table *table,
                        enum emlat_record_type type, uint64_t t)
{
    for (uint32_t i = 0; i < table->room; i++)
        if (relaxed(&table->entries[i].id))
            put_entry(thread, &table->entries[i], type, t);
}

int emlat_bench_stop(struct emlat_bench *bench, uint64_t wait_ns)
{
    if (!bench)
        return 0;
    uint32_t threads = atomic_load_explicit(&bench->threads_count, memory_order_acquire);
    if (threads) {
        struct emlat_bench_thread *first = &bench->threads[0];
        uint64_t t = emlat_clock_read(first->producer);
        for (uint32_t i = 0; i < threads; i++)
            put_open(&bench->threads[i], t);
        if (bench->frame_thread)
            close_frame(bench->frame_thread, t, true);
        put_entries(first, &bench->stages, EMLAT_STAGE, t);
        put_entries(first, &bench->jobs, EMLAT_JOB, t);
    }
    int error = emlat_stop(bench->session, wait_ns);
    int saved = errno;
    free_bench(bench);
    errno = saved;
    return error;
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The writer thread: rings → records → chunks → file.

   It polls.  While records flow it comes every 20 ms, less often as they thin out, and after some
   seconds of nothing it sleeps without a timeout, so an idle host has no wake-up from us.  Only out
   of that sleep is it woken, by a producer at a point where the host is about to wait anyway (W1),
   or by the host's own start, stop and rotate.

   A ring's space is given back only when its records are in the file: what the tail has not passed
   is not written yet.  A chunk that cannot be written is lost, counted, and said; the host goes on.
   The thread takes no Lisp lock, runs no handler and never outlives a fork.  */
#include "interaction.h"
#include "session.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MS ((uint64_t)1000000)

static const uint64_t poll_least_ns = 20 * MS, poll_most_ns = 1000 * MS, quiet_ns = 5000 * MS;
/* A ring that was found fuller than this part gets little time to fill again.  */
enum { CROWDED_PART = 8 };
static const uint64_t poll_crowded_ns = 1 * MS;
static const uint64_t totals_interval_ns = 30000 * MS;

/* ---- Futexes ----------------------------------------------------------------------------------
 */

/* The session's clock may be virtual; what the threads wait by is always real.  */
static uint64_t real_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int emlat_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t wait_ns)
{
    uint64_t begin = real_now();
    while (atomic_load_explicit(word, memory_order_acquire) == value) {
        uint64_t past = real_now() - begin;
        if (past >= wait_ns)
            return EMLAT_ETIMEDOUT;
        struct timespec left = {(time_t)((wait_ns - past) / 1000000000u),
                                (long)((wait_ns - past) % 1000000000u)};
        bool forever = wait_ns == UINT64_MAX;
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, forever ? NULL : &left, NULL, 0);
    }
    return 0;
}

void emlat_futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

void emlat_writer_kick(struct emlat_session *session)
{
    atomic_store_explicit(&session->shared[0].sleeping, 0, memory_order_relaxed);
    atomic_fetch_add_explicit(&session->kick, 1, memory_order_release);
    emlat_futex_wake(&session->kick);
}

void emlat_idle(struct emlat_producer *producer)
{
    if (!emlat_recording(producer))
        return;
    emlat_machine_idle(producer);
    atomic_store_explicit(&producer->shared->clock_reads, producer->clock_reads,
                          memory_order_relaxed);
    if (producer->head == producer->idle_head)
        return;
    producer->idle_head = producer->head;
    _Atomic uint32_t *sleeping = &producer->session->shared[0].sleeping;
    /* W1: our head, said again, before their flag; pairs with sleep_deeply.  All four accesses are
       sequentially consistent, rather than fenced, so that ThreadSanitizer understands them.  */
    atomic_store_explicit(&producer->shared->head, producer->head, memory_order_seq_cst);
    if (atomic_load_explicit(sleeping, memory_order_seq_cst) &&
        atomic_exchange_explicit(sleeping, 0, memory_order_relaxed))
        emlat_writer_kick(producer->session);
}

/* ---- The file ---------------------------------------------------------------------------------
 */

static const uint8_t zeros[8];

/* The three parts of a chunk for writev, padded to eight bytes; returns their number.  */
static int chunk_parts(struct iovec *parts, uint8_t header[EMLAT_CHUNK_HEADER_BYTES], unsigned type,
                       unsigned version, uint64_t sequence, void *payload, size_t size)
{
    emlat_chunk_header(header, type, version, sequence, payload, size);
    parts[0] = (struct iovec){header, EMLAT_CHUNK_HEADER_BYTES};
    parts[1] = (struct iovec){payload, size};
    parts[2] = (struct iovec){(void *)zeros, (8 - size % 8) % 8};
    return parts[2].iov_len ? 3 : 2;
}

static uint64_t total(const _Atomic uint64_t *of)
{
    return atomic_load_explicit(of, memory_order_relaxed);
}

static void put_number(struct emlat_put *put, const char *name, uint64_t number)
{
    size_t length = strlen(name);
    emlat_put_u(put, length);
    emlat_put_bytes(put, name, length);
    emlat_put_u(put, 0);
    emlat_put_u(put, number);
}

/* A SESSION payload: the attributes, all if WHOLE, else those that the file lacks; the vocabulary
   if WHOLE; the totals as of now.  Lock held once the writer runs.  */
static size_t session_payload(struct emlat_session *session, bool whole, bool closing)
{
    size_t told = whole ? 0 : session->attributes_told;
    size_t told_count = whole ? 0 : session->attributes_told_count;
    uint64_t clock_reads = 0;
    for (uint32_t i = 0; i < session->options.producers; i++)
        clock_reads += total(&session->shared[i].clock_reads);
    const struct {
        const char *name;
        uint64_t number;
    } totals[] = {
        {"t_totals", emlat_clock_now(&session->clock)},
        {"complete", closing},
        {"records_written", total(&session->totals.records)},
        {"records_lost", total(&session->totals.lost)},
        {"bytes_written", total(&session->totals.bytes)},
        {"ring_high_water", total(&session->totals.high_water)},
        {"clock_reads", clock_reads},
        {"writer_cpu_ns", total(&session->totals.cpu_ns)},
    };
    const size_t totals_count = sizeof totals / sizeof *totals;
    struct emlat_put put = emlat_put_to(session->meta, EMLAT_META_BYTES);
    emlat_put_u(&put, EMLAT_SESSION_VERSION);
    emlat_put_u(&put, session->attributes_count - told_count + totals_count);
    emlat_put_bytes(&put, session->attributes + told, session->attributes_size - told);
    for (size_t i = 0; i < totals_count; i++)
        put_number(&put, totals[i].name, totals[i].number);
    emlat_put_u(&put, whole ? session->vocabulary_count : 0);
    if (whole)
        emlat_put_bytes(&put, session->vocabulary, session->vocabulary_size);
    return (size_t)(put.at - session->meta);
}

/* A2: every name that a record gathered before uses is among them.  */
static uint64_t strings_said(const struct emlat_session *session)
{
    return atomic_load_explicit(&session->strings_said, memory_order_acquire);
}

/* A STRING payload: the entries of SAID that come after TOLD.  */
static size_t string_payload(struct emlat_session *session, uint64_t told, uint64_t said)
{
    struct emlat_put put =
        emlat_put_to(session->names, EMLAT_STRING_HEAD_BYTES + EMLAT_STRINGS_BYTES);
    emlat_put_u(&put, EMLAT_STRING_VERSION);
    emlat_put_u(&put, (said >> 32) - (told >> 32));
    emlat_put_bytes(&put, session->strings + (uint32_t)told, (uint32_t)said - (uint32_t)told);
    return (size_t)(put.at - session->names);
}

static void add(_Atomic uint64_t *to, uint64_t value)
{
    atomic_store_explicit(to, total(to) + value, memory_order_relaxed);
}

static int append(struct emlat_session *session, struct emlat_sink *sink, struct iovec *parts,
                  int count)
{
    uint64_t before = sink->size;
    int error = emlat_sink_append(sink, parts, count);
    if (error) {
        atomic_store_explicit(&session->totals.write_errno, errno, memory_order_relaxed);
        add(&session->totals.failures, 1);
        return error;
    }
    add(&session->totals.bytes, sink->size - before);
    atomic_store_explicit(&session->totals.file_bytes, sink->size, memory_order_relaxed);
    return 0;
}

/* The file has every attribute.  */
static void told_all(struct emlat_session *session)
{
    session->attributes_told = session->attributes_size;
    session->attributes_told_count = session->attributes_count;
}

int emlat_writer_begin_file(struct emlat_session *session, struct emlat_sink *sink)
{
    uint8_t header[EMLAT_FILE_HEADER_BYTES], headers[2][EMLAT_CHUNK_HEADER_BYTES];
    struct iovec parts[7];
    int count = 1;
    emlat_file_header(header, &session->header);
    parts[0] = (struct iovec){header, sizeof header};
    uint64_t said = strings_said(session);
    size_t size = string_payload(session, 0, said);
    count += chunk_parts(parts + count, headers[0], EMLAT_STRING_CHUNK, EMLAT_STRING_VERSION,
                         session->chunk_sequence + 1, session->names, size);
    size = session_payload(session, true, false);
    count += chunk_parts(parts + count, headers[1], EMLAT_SESSION_CHUNK, EMLAT_SESSION_VERSION,
                         session->chunk_sequence + 2, session->meta, size);
    int error = append(session, sink, parts, count);
    if (!error) {
        session->chunk_sequence += 2;
        session->strings_told = said;
        told_all(session);
    }
    return error;
}

/* ---- Records ----------------------------------------------------------------------------------
 */

/* L1: what a producer (or the writer itself) counted as lost becomes a LOSS record.  */
static void report_loss(struct emlat_session *session, struct emlat_lost *lost,
                        enum emlat_word reason, enum emlat_word stream, uint64_t thread)
{
    uint64_t records = atomic_load_explicit(&lost->records, memory_order_acquire);
    uint64_t reported = atomic_load_explicit(&lost->reported, memory_order_relaxed);
    if (records == reported)
        return;
    /* A LOSS chunk that could not be written is kept; it must not grow without end.  */
    if (session->chunks[EMLAT_LOSS].size >= session->options.chunk_bytes)
        return;
    struct emlat_record record = {.type = EMLAT_LOSS};
    /* May count a record more than RECORDS does; the next report counts it that much less.  */
    uint64_t bytes = total(&lost->bytes);
    emlat_record_set(&record, EMLAT_LOSS_stream, stream);
    emlat_record_set(&record, EMLAT_LOSS_t_first, total(&lost->first));
    emlat_record_set(&record, EMLAT_LOSS_t_last, total(&lost->last));
    emlat_record_set(&record, EMLAT_LOSS_records, records - reported);
    emlat_record_set(&record, EMLAT_LOSS_bytes, bytes - lost->bytes_reported);
    emlat_record_set(&record, EMLAT_LOSS_reason, reason);
    emlat_chunk_add(&session->chunks[EMLAT_LOSS], &record, thread);
    add(&session->totals.lost, records - reported);
    lost->bytes_reported = bytes;
    /* L2: what the producer loses from here on is a new stretch.  */
    atomic_store_explicit(&lost->reported, records, memory_order_release);
}

static void report_losses(struct emlat_session *session)
{
    for (uint32_t i = 0; i < session->options.producers; i++)
        for (unsigned reason = 0; reason < EMLAT_REASONS_END; reason++)
            report_loss(session, &session->shared[i].lost[reason], reason,
                        i ? EMLAT_STREAM_thread : EMLAT_STREAM_main, i + 1);
    report_loss(session, &session->write_lost, EMLAT_REASON_write_error, EMLAT_STREAM_file, 0);
}

/* CHUNK could not be written.  */
static void lose_chunk(struct emlat_session *session, struct emlat_chunk *chunk)
{
    struct emlat_lost *lost = &session->write_lost;
    if (total(&lost->records) == total(&lost->reported))
        atomic_store_explicit(&lost->first, session->t_gathered, memory_order_relaxed);
    atomic_store_explicit(&lost->last, emlat_clock_now(&session->clock), memory_order_relaxed);
    add(&lost->records, chunk->records);
    add(&lost->bytes, chunk->size);
    emlat_chunk_clear(chunk);
}

/* Write what is gathered, as whole chunks, and give the rings their space back.  */
static void flush(struct emlat_session *session)
{
    uint8_t headers[1 + EMLAT_RECORD_TYPES][EMLAT_CHUNK_HEADER_BYTES];
    struct iovec parts[3 * (1 + EMLAT_RECORD_TYPES)];
    int count = 0;
    uint64_t sequence = session->chunk_sequence, records = 0, said = strings_said(session);
    if (said != session->strings_told)
        count = chunk_parts(parts, headers[EMLAT_RECORD_TYPES], EMLAT_STRING_CHUNK,
                            EMLAT_STRING_VERSION, ++sequence, session->names,
                            string_payload(session, session->strings_told, said));
    for (unsigned type = 0; type < EMLAT_RECORD_TYPES; type++) {
        struct emlat_chunk *chunk = &session->chunks[type];
        emlat_chunk_finish_block(chunk);
        if (!chunk->size)
            continue;
        records += chunk->records;
        count += chunk_parts(parts + count, headers[type], emlat_schemas[type].chunk,
                             emlat_schemas[type].version, ++sequence, chunk->payload, chunk->size);
    }
    int error = count ? append(session, &session->sink, parts, count) : 0;
    for (unsigned type = 0; type < EMLAT_RECORD_TYPES; type++) {
        if (!error)
            emlat_chunk_clear(&session->chunks[type]);
        else if (type != EMLAT_LOSS)
            lose_chunk(session, &session->chunks[type]);
    }
    if (!error) {
        session->chunk_sequence = sequence;
        session->strings_told = said;
        add(&session->totals.records, records);
    }
    session->records_gathered = 0;
    for (uint32_t i = 0; i < session->options.producers; i++)
        /* R3: everything below the cursor is in the file, or counted as lost.  */
        atomic_store_explicit(&session->shared[i].tail, session->cursors[i], memory_order_release);
}

/* Take all that the rings hold; true if there was anything.  */
static bool gather(struct emlat_session *session)
{
    bool any = false;
    for (uint32_t i = 0; i < session->options.producers; i++) {
        struct emlat_shared *shared = &session->shared[i];
        const struct emlat_producer *producer = &session->producers[i];
        /* R2: pairs with the producer's release; all units below are whole.  */
        uint64_t head = atomic_load_explicit(&shared->head, memory_order_acquire);
        uint64_t waiting = (head - total(&shared->tail)) * sizeof(struct emlat_unit);
        session->crowded |= waiting > session->options.ring_bytes / CROWDED_PART;
        if (waiting > total(&session->totals.high_water))
            atomic_store_explicit(&session->totals.high_water, waiting, memory_order_relaxed);
        while (session->cursors[i] != head) {
            struct emlat_record record;
            if (!session->records_gathered++)
                session->t_gathered = emlat_clock_now(&session->clock);
            emlat_ring_take(producer, &session->cursors[i], &record);
            struct emlat_chunk *chunk = &session->chunks[record.type];
            emlat_chunk_add(chunk, &record, i + 1);
            any = true;
            if (chunk->size >= session->options.chunk_bytes ||
                (session->cursors[i] - total(&shared->tail)) > producer->mask / 2)
                flush(session);
        }
    }
    return any;
}

/* ---- Rotation ---------------------------------------------------------------------------------
 */

/* Lock held.  */
static void write_totals(struct emlat_session *session, bool closing)
{
    uint8_t header[EMLAT_CHUNK_HEADER_BYTES];
    struct iovec parts[3];
    size_t size = session_payload(session, false, closing);
    int count = chunk_parts(parts, header, EMLAT_SESSION_CHUNK, EMLAT_SESSION_VERSION,
                            session->chunk_sequence + 1, session->meta, size);
    if (append(session, &session->sink, parts, count) == 0) {
        session->chunk_sequence++;
        told_all(session);
    }
}

/* Go on in SINK at PATH, if its begin can be written.  Whatever was recorded before the host asked
   is in the old file.  Lock held.  */
static int change_file(struct emlat_session *session, struct emlat_sink *sink, const char *path)
{
    gather(session);
    report_losses(session);
    flush(session);
    write_totals(session, true);
    session->header.sequence++;
    int error = emlat_writer_begin_file(session, sink);
    if (error) {
        session->header.sequence--;
        emlat_sink_close(sink);
        unlink(path);
        atomic_store_explicit(&session->totals.file_bytes, session->sink.size,
                              memory_order_relaxed);
        return error;
    }
    atomic_store_explicit(&session->totals.sequence, session->header.sequence,
                          memory_order_relaxed);
    emlat_sink_close(&session->sink);
    session->sink = *sink;
    sink->fd = -1;
    memcpy(session->file_path, path, EMLAT_PATH_MAX);
    return 0;
}

/* W3: do what the host asked for.  */
static void answer_rotation(struct emlat_session *session)
{
    pthread_mutex_lock(&session->lock);
    if (session->rotation_wanted) {
        session->rotation_error = change_file(session, &session->next_sink, session->next_path);
        session->rotation_wanted = false;
        atomic_fetch_add_explicit(&session->rotated, 1, memory_order_release);
        emlat_futex_wake(&session->rotated);
    }
    pthread_mutex_unlock(&session->lock);
}

static void rotate_by_size(struct emlat_session *session)
{
    struct emlat_sink sink;
    char path[EMLAT_PATH_MAX];
    if (!session->options.rotate_bytes || session->sink.size < session->options.rotate_bytes)
        return;
    pthread_mutex_lock(&session->lock);
    int error = emlat_session_next_file(session, &sink, path);
    if (!error)
        error = change_file(session, &sink, path);
    /* The old file goes on; the next attempt comes when it has grown by as much again, so that a
       full disk does not use up a name at each flush.  */
    if (error)
        session->options.rotate_bytes += session->sink.size;
    pthread_mutex_unlock(&session->lock);
}

/* ---- The loop ---------------------------------------------------------------------------------
 */

/* W1: sleep without a timeout, unless work has come meanwhile.  */
static void sleep_deeply(struct emlat_session *session, uint32_t kick)
{
    _Atomic uint32_t *sleeping = &session->shared[0].sleeping;
    /* Our flag before their head; pairs with emlat_idle.  */
    atomic_store_explicit(sleeping, 1, memory_order_seq_cst);
    bool work = false;
    for (uint32_t i = 0; i < session->options.producers; i++)
        work |= atomic_load_explicit(&session->shared[i].head, memory_order_seq_cst) !=
                session->cursors[i];
    if (!work)
        emlat_futex_wait(&session->kick, kick, UINT64_MAX);
    atomic_store_explicit(sleeping, 0, memory_order_relaxed);
}

static void introduce_thread(void)
{
    prctl(PR_SET_NAME, "emlat-writer");
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 10);
}

void *emlat_writer(void *argument)
{
    struct emlat_session *session = argument;
    uint64_t period = poll_least_ns, t_busy = real_now(), t_flush = real_now(),
             t_totals = real_now();
    introduce_thread();
    for (;;) {
        uint32_t kick = atomic_load_explicit(&session->kick, memory_order_acquire);
        /* W2: whatever was recorded before the host asked us to end is gathered below.  */
        bool stopping = atomic_load_explicit(&session->stopping, memory_order_acquire);
        session->crowded = false;
        bool busy = gather(session);
        report_losses(session);
        uint64_t now = real_now();
        bool pending = session->records_gathered || session->chunks[EMLAT_LOSS].records;
        if (stopping || (pending && now - t_flush >= session->options.chunk_interval_ns)) {
            flush(session);
            t_flush = now;
            rotate_by_size(session);
        }
        pthread_mutex_lock(&session->lock);
        bool due = now - t_totals >= totals_interval_ns && now - t_busy < totals_interval_ns;
        /* A1: what the host has said since; on a full disk, not at each turn.  */
        if (due || (session->attributes_told != session->attributes_size &&
                    now - t_totals >= session->options.chunk_interval_ns)) {
            write_totals(session, false);
            t_totals = now;
        }
        pthread_mutex_unlock(&session->lock);
        atomic_store_explicit(&session->totals.cpu_ns, emlat_thread_cpu_now(),
                              memory_order_relaxed);
        answer_rotation(session);
        if (stopping)
            break;
        if (busy) {
            t_busy = now;
            period = poll_least_ns;
        } else if (period < poll_most_ns) {
            period *= 2;
        }
        if (!busy && !pending && now - t_busy >= quiet_ns)
            sleep_deeply(session, kick);
        else
            emlat_futex_wait(&session->kick, kick, session->crowded ? poll_crowded_ns : period);
    }
    pthread_mutex_lock(&session->lock);
    write_totals(session, true);
    pthread_mutex_unlock(&session->lock);
    emlat_sink_close(&session->sink);
    atomic_store_explicit(&session->finished, 1, memory_order_release);
    emlat_futex_wake(&session->finished);
    return NULL;
}

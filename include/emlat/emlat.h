/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   emlat records where time passes between work becoming observable and its output leaving.

   This header is all that a host program includes.  A host hands over a vocabulary (what its roots,
   spans and counters are called), starts a session, and marks boundaries on its threads:

       root        work is dispatched, done                        emlat_root_…
       input       bytes are read, queued, decoded                 emlat_input_…
       display     a display attempt is decided, begun, ended      emlat_display_…
       output      bytes are written, flushed                      emlat_output_…
       span        any named stretch of time                       emlat_span_…

   Caveats, before the first declaration:
   - A producer belongs to one thread at a time.  Passing one on needs a happens-before of the
     host's own (a lock, a join).
   - Calls marked "hot" allocate nothing, take no lock, make no system call beyond reading clocks,
     never wait, and never fail: what cannot be recorded is counted and becomes a LOSS record.
   - Not async-signal-safe, but for emlat_clock_read.
   - After fork the child must not use its parent's session; its producers are off there.
   - Nothing here prints, exits, aborts, or touches a signal's disposition.
   - Times are nanoseconds of the session's clock, as emlat_clock_read gives them.  */
#ifndef EMLAT_EMLAT_H
#define EMLAT_EMLAT_H

#include <emlat/errors.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Raised whenever the layout of anything below changes; emlat_start refuses another one.  */
#define EMLAT_ABI 2

struct emlat_session;

/* ---- Vocabulary: what the host's numbers are called ------------------------------------------ */

enum emlat_vocabulary_flags {
    EMLAT_ROOT_COMMAND = 1, /* a root that input asks for and display follows */
    EMLAT_SPAN_STAMPS = 2,  /* begin and end of a span NAME are also the root's t_NAME_begin/_end */
    EMLAT_SPAN_TOP_LEVEL = 4, /* declared to be one of the parts that make up a root's time */
    EMLAT_ROOT_DISPLAYS = 8, /* a root that owns the display after it, until the host waits again */
};

enum emlat_counter_operation {
    EMLAT_COUNTER_SUM = 1, /* what the host adds between begin and end, from 0 */
    EMLAT_COUNTER_LAST = 2 /* what the host said last; absent where it said nothing */
};

/* Names are lower-case words with underscores; they go into the file and into every report.  */
struct emlat_word_row {
    uint32_t number; /* 1 .. 255; a counter 0 .. 63 */
    uint32_t flags;  /* enum emlat_vocabulary_flags; for a counter its operation */
    const char *name;
    const char *unit; /* "" or null where there is none */
};

/* Spans of a kind that carry counters: what each of these sums gained inside the span for the
   interaction that it is charged to.  */
enum { EMLAT_SPAN_COUNTERS_MAX = 16 };
struct emlat_span_counters {
    uint32_t span;     /* its number */
    uint64_t counters; /* bit N: counter N, an EMLAT_COUNTER_SUM; at most EMLAT_SPAN_COUNTERS_MAX */
};

struct emlat_vocabulary {
    const struct emlat_word_row *roots, *spans, *counters;
    uint32_t roots_count, spans_count, counters_count;
    const struct emlat_span_counters *counted; /* null where no span carries any */
    uint32_t counted_count;
    const struct emlat_word_row *marks; /* of a frame loop: see bench.h */
    uint32_t marks_count;
};

/* What the host says about itself in SESSION: TEXT, or NUMBER where TEXT is null.  */
struct emlat_attribute {
    const char *name, *text;
    uint64_t number;
};

/* ---- Starting and stopping ------------------------------------------------------------------- */

enum emlat_clock {
    EMLAT_CLOCK_AUTO, /* the first of the following that works */
    EMLAT_CLOCK_MONOTONIC_RAW,
    EMLAT_CLOCK_MONOTONIC,
    EMLAT_CLOCK_REALTIME, /* made monotonic by never answering less than before */
    EMLAT_CLOCK_VIRTUAL,  /* *virtual_now, for tests */
};

struct emlat_options {
    uint32_t abi;                             /* EMLAT_ABI */
    enum emlat_clock clock;                   /* default AUTO */
    const char *path;                         /* the file to create; it must not exist */
    const char *host;                         /* name of the host program */
    const struct emlat_vocabulary *words;     /* copied */
    const struct emlat_attribute *attributes; /* copied */
    size_t attributes_count;
    const uint64_t
        *virtual_now;     /* for EMLAT_CLOCK_VIRTUAL: time and CPU time, ns; store atomically */
    uint32_t producers;   /* threads that may record at one time; 1 .. 64 */
    uint32_t ring_bytes;  /* of each; a power of two, 64 KiB .. 256 MiB */
    uint32_t chunk_bytes; /* 4 KiB .. 1 MiB */
    uint64_t chunk_interval_ns;    /* a record is in the file after at most this, plus a poll */
    uint64_t rotate_bytes;         /* begin a new file after so many; 0 never */
    uint64_t thread_cpu_budget_ns; /* what CPU clock reads may cost an interaction */
    uint64_t poll_wake_ns;         /* see emlat_input_poll_end */
};

/* The defaults: 1 producer, 4 MiB ring, 64 KiB chunks, 1 s, no rotation.  */
void emlat_options_default(struct emlat_options *options);

/* Create the file (mode 0600, O_EXCL and O_NOFOLLOW), take all memory that the session will ever
   use, start the writer thread, and give the session in *SESSION.  On failure nothing is left
   behind and *SESSION is null; errno is the system's where it has one.  Blocks for the file system
   and for measuring the clock (about a millisecond).  EMLAT_EINVAL, EABI, EEXIST, EOPEN, EIO,
   ENOMEM, ETHREAD, ECLOCK.  */
int emlat_start(const struct emlat_options *options, struct emlat_session **session);

/* Close every open record as still open, let the writer finish the file, and free the session.
   Waits for the writer for at most WAIT_NS; if it has not answered by then (a stuck disk) the
   session's memory is left to it and EMLAT_ETIMEDOUT is returned.  EMLAT_EIO if any write failed.
   Its producers must not be in use on other threads.  */
int emlat_stop(struct emlat_session *session, uint64_t wait_ns);

/* Go on in a new file at PATH, or, where PATH is null, beside the first one: for work.emlat
   work.1.emlat, work.2.emlat, …, taking the first free name after the last rotation's.
   IDs go on too.  Blocks until the writer has changed over, for at most WAIT_NS.
   EMLAT_EEXIST, EOPEN, EIO, ETIMEDOUT; on failure the old file goes on.  */
int emlat_rotate(struct emlat_session *session, const char *path, uint64_t wait_ns);

/* Say COUNT more attributes of SESSION, or what they have become: they are in the file with the
   next SESSION chunk, at the latest when it is closed, and at the begin of every file after it. For
   what changes a few times in a session.  Takes the lock that rotation takes.  EMLAT_ELIMIT where
   SESSION has no room; then none of them is said.  */
int emlat_session_say(struct emlat_session *session, const struct emlat_attribute *attributes,
                      size_t count);

/* Name something that the host will name in many records: TEXT, LENGTH bytes of UTF-8 and at most
   EMLAT_NAME_MAX, gets *ID, which is 1 or more.  Each file that names it begins with it or says it
   before.  A host keeps what it was given: a second call makes a second name.  Takes the lock that
   rotation takes.  EMLAT_EINVAL for the length; EMLAT_ELIMIT when EMLAT_NAMES_BYTES are used up. */
enum { EMLAT_NAME_MAX = 256, EMLAT_NAMES_BYTES = 256 << 10 };
int emlat_session_name(struct emlat_session *session, const char *text, size_t length,
                       uint64_t *id);

struct emlat_status {
    uint64_t t_now, t_start;
    uint64_t records_written, bytes_written, file_bytes;
    uint64_t records_lost;   /* over all reasons */
    uint64_t write_failures; /* failed attempts; each cost a chunk, which is in records_lost */
    int write_errno;         /* of the last failed attempt, or 0 */
    uint32_t file_sequence;  /* 0 for the first file */
    uint64_t ring_bytes, ring_waiting, ring_high_water;
    uint64_t memory_bytes; /* all that the session took at its start, rings nobody uses included */
    uint64_t writer_cpu_ns, clock_read_ps, thread_cpu_read_ps, clock_reads;
    uint64_t clock_resolution_ns;
    const char *clock;             /* static */
    const char *thread_cpu_source; /* static */
    char path[4096];               /* of the file now written */
};

/* The session's figures now.  Any thread; takes the lock that rotation takes, never a producer's.
 */
void emlat_status(struct emlat_session *session, struct emlat_status *status);

/* ---- Producers: the hot path ----------------------------------------------------------------- */

enum { EMLAT_SPANS_OPEN_MAX = 64 };

/* One slot of a ring: a span fills one, other records as many as they need.  */
struct emlat_unit {
    uint64_t word[8];
};

/* The words of a span's unit, which an open span has already but for its end.  */
enum emlat_span_word {
    EMLAT_SPAN_HEAD, /* emlat_span_head, and its outcome from bit 24 on */
    EMLAT_SPAN_ID,
    EMLAT_SPAN_CAUSE,
    EMLAT_SPAN_PARENT,
    EMLAT_SPAN_BEGIN,
    EMLAT_SPAN_END,
    EMLAT_SPAN_DETAIL,
    EMLAT_SPAN_CPU_NS, /* with EMLAT_SPAN_HAS_CPU: of the thread; at begin, when it ends: inside */
};
#define EMLAT_SPAN_HAS_CPU ((uint64_t)1 << 40) /* in EMLAT_SPAN_HEAD */

/* A thread's own end of its ring.  Public for the inline functions below only.
   The first part is the producer's, the second is shared with the writer (doc/ring.md).  */
struct emlat_producer {
    uint32_t recording; /* row P1: set before the thread gets the producer, cleared by its owner */
    uint32_t clock_id;  /* a clockid_t, or one that fails where emlat_clock_read_slow knows */
    uint64_t head, tail_seen, mask; /* in units of the ring; HEAD is published in shared->head */
    struct emlat_unit *next,
        *limit;             /* the unit at HEAD, and the first one that must be asked for */
    struct emlat_unit *top; /* where the next open span goes */
    uint64_t next_span, span_step;
    uint64_t t_span_end; /* of the span that ended last */
    uint64_t cause;      /* of the innermost root, 0 outside any */
    uint64_t clock_reads;
    uint64_t idle_head; /* HEAD when the host last said that it is about to wait */
    struct emlat_unit *units;
    struct emlat_shared *shared;
    struct emlat_machine *machine;
    struct emlat_session *session;
    const uint32_t *span_flags;          /* by kind: what needs more than a record */
    uint64_t output_terminal;            /* whose bytes are being counted below, or 0 */
    uint64_t output_bytes, output_calls; /* since they were last charged to an interaction */
    /* Open spans, outermost first, above one of zeros that is every outermost one's parent.  */
    struct emlat_unit open[1 + EMLAT_SPANS_OPEN_MAX];
};

/* Take one of SESSION's producers for the calling thread.  EMLAT_EFULL when all are taken.  */
int emlat_producer_join(struct emlat_session *session, struct emlat_producer **producer);

/* Give it back; the owner thread must not use it any more.  */
void emlat_producer_leave(struct emlat_producer *producer);

uint64_t emlat_clock_read_slow(struct emlat_producer *producer);

/* Hot.  True where PRODUCER, which may be null, records.  */
static inline bool emlat_recording(const struct emlat_producer *producer)
{
    return producer && producer->recording;
}

/* Hot, and safe in a signal handler.  Now, on the session's clock.  */
static inline uint64_t emlat_clock_read(struct emlat_producer *producer)
{
    struct timespec t;
    producer->clock_reads++;
    if (clock_gettime((clockid_t)producer->clock_id, &t) != 0)
        return emlat_clock_read_slow(producer);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

enum emlat_outcome {
    EMLAT_OUTCOME_NORMAL = 0,
    EMLAT_OUTCOME_QUIT = 1,
    EMLAT_OUTCOME_ERROR = 2,
    EMLAT_OUTCOME_THROW = 3,
    EMLAT_OUTCOME_DROPPED = 5,
    EMLAT_OUTCOME_OPEN = 6,
    EMLAT_OUTCOME_FAILED = 7,
};

/* ---- Spans ------------------------------------------------------------------------------------
 */

/* What begin decided; end needs nothing else.  An ID of 0 means: was not recorded.  */
struct emlat_span {
    uint64_t id;
    struct emlat_unit *open;
};

void emlat_span_begin_slow(struct emlat_producer *producer, uint32_t kind, uint64_t t);
void emlat_span_end_slow(struct emlat_producer *producer, struct emlat_span span, uint64_t t,
                         enum emlat_outcome outcome);
void emlat_span_put(struct emlat_producer *producer, const struct emlat_unit *span, uint64_t t);
struct emlat_span emlat_span_too_deep(struct emlat_producer *producer, uint64_t t);

/* Type and size of a span's unit, with its KIND.  */
static inline uint64_t emlat_span_head(uint32_t kind)
{
    return 0x102 | (uint64_t)(kind & 255) << 32;
}

/* Hot.  A span of KIND begins at T.  */
static inline struct emlat_span emlat_span_begin_at(struct emlat_producer *producer, uint32_t kind,
                                                    uint64_t t)
{
    struct emlat_unit *open = producer->top;
    uint64_t id = producer->next_span;
    if (open == producer->open + 1 + EMLAT_SPANS_OPEN_MAX)
        return emlat_span_too_deep(producer, t);
    open->word[EMLAT_SPAN_HEAD] = emlat_span_head(kind);
    open->word[EMLAT_SPAN_ID] = id;
    open->word[EMLAT_SPAN_CAUSE] = producer->cause;
    open->word[EMLAT_SPAN_PARENT] = open[-1].word[EMLAT_SPAN_ID];
    open->word[EMLAT_SPAN_BEGIN] = t;
    open->word[EMLAT_SPAN_DETAIL] = 0;
    producer->next_span = id + producer->span_step;
    producer->top = open + 1;
    if (producer->span_flags[kind & 255]) {
        emlat_span_begin_slow(producer, kind, t);
        return (struct emlat_span){id, NULL};
    }
    return (struct emlat_span){id, open};
}

/* Hot.  SPAN, which PRODUCER began, ends at T.  Spans that are still open inside it end with it,
   abnormally; a span that an unwinding has closed already is left alone.  */
static inline void emlat_span_end_at(struct emlat_producer *producer, struct emlat_span span,
                                     uint64_t t)
{
    struct emlat_unit *open = producer->top - 1;
    if (open != span.open || open->word[EMLAT_SPAN_ID] != span.id) {
        emlat_span_end_slow(producer, span, t, EMLAT_OUTCOME_NORMAL);
        return;
    }
    producer->top = open;
    emlat_span_put(producer, open, t);
}

/* Hot.  The same, now; where PRODUCER does not record, a load and a branch.  */
static inline struct emlat_span emlat_span_begin(struct emlat_producer *producer, uint32_t kind)
{
    if (!emlat_recording(producer))
        return (struct emlat_span){0, NULL};
    return emlat_span_begin_at(producer, kind, emlat_clock_read(producer));
}

static inline void emlat_span_end(struct emlat_producer *producer, struct emlat_span span)
{
    if (span.id)
        emlat_span_end_at(producer, span, emlat_clock_read(producer));
}

/* SPAN, which has just begun, shall have its CPU time, unless reading the clock is over the
   session's budget.  Two reads, each often a system call: for spans that are expected to be long.
 */
struct emlat_span emlat_span_with_cpu(struct emlat_producer *producer, struct emlat_span span);

/* Hot.  The same at T, but where SPAN took less than LEAST_NS and nothing was recorded inside it,
   it is left out: for boundaries that are crossed so often that the host only sums the short ones.
 */
void emlat_span_end_unless_short(struct emlat_producer *producer, struct emlat_span span,
                                 uint64_t t, uint64_t least_ns);

/* Hot.  DETAIL, a number whose meaning its kind defines, for the innermost open span.  */
static inline void emlat_span_detail(struct emlat_producer *producer, uint64_t detail)
{
    if (producer->top > producer->open + 1)
        producer->top[-1].word[EMLAT_SPAN_DETAIL] = detail;
}

/* Hot.  A whole span of KIND without any inside it, from T_BEGIN to T_END.  DETAIL, unless 0, is a
   number whose meaning the kind defines.  */
void emlat_span_whole(struct emlat_producer *producer, uint32_t kind, uint64_t t_begin,
                      uint64_t t_end, uint64_t detail, enum emlat_outcome outcome);

/* Hot.  The depth of PRODUCER's open spans, to hand to emlat_unwind.  */
static inline uint32_t emlat_depth(const struct emlat_producer *producer)
{
    return (uint32_t)(producer->top - producer->open) - 1;
}

/* Hot.  A nonlocal exit with OUTCOME passed at T: close spans until DEPTH are left.  */
void emlat_unwind(struct emlat_producer *producer, uint32_t depth, uint64_t t,
                  enum emlat_outcome outcome);

/* Who tells of a time; the words of the file's QUALITY.  */
enum emlat_observer {
    EMLAT_SEEN_BY_OBSERVER = 1,
    EMLAT_SEEN_BY_POLL = 2,
    EMLAT_SEEN_INSIDE = 4, /* the host itself queued or asked for it */
    EMLAT_INFERRED = 7,
};

/* ---- Roots: the interactions ------------------------------------------------------------------
 */

/* Hot.  Work of KIND is dispatched at T, inside whatever root is open.  Returns its cause ID, or 0
   if too many are open (counted as loss).  */
uint64_t emlat_root_begin(struct emlat_producer *producer, uint32_t kind, uint64_t t);

/* Hot.  The open root CAUSE became observable at the earliest at T_EARLIEST (0: not known), at the
   latest at T_LATEST, as WHOM tells.  For roots that no terminal's input decides.  */
void emlat_root_observed(struct emlat_producer *producer, uint64_t cause, uint64_t t_earliest,
                         uint64_t t_latest, enum emlat_observer whom);

/* Hot.  The open root CAUSE was asked for, earlier, by the root SCHEDULED_BY (0: nothing).  */
void emlat_root_scheduled(struct emlat_producer *producer, uint64_t cause, uint64_t scheduled_by);

/* Hot.  The open root CAUSE is what NAME, of emlat_session_name, calls; the last one said stands.
 */
void emlat_root_name(struct emlat_producer *producer, uint64_t cause, uint64_t name);

/* The innermost open root, to remember with what it asks for; 0 outside any.  */
uint64_t emlat_root_innermost(const struct emlat_producer *producer);

/* Hot.  Say how the open root CAUSE, or a root inside it, will have ended; the first abnormal word
   stands.  */
void emlat_root_outcome(struct emlat_producer *producer, uint64_t cause,
                        enum emlat_outcome outcome);

/* Hot.  The work of CAUSE is done at T.  Roots still open inside it end with it, as dropped.
   A root whose kind has EMLAT_ROOT_COMMAND now waits for its display; any other is complete.  */
void emlat_root_work_end(struct emlat_producer *producer, uint64_t cause, uint64_t t);

/* Hot.  Roots open on this thread, and: a nonlocal exit with OUTCOME passed at T and left only
   DEPTH of them.  */
uint32_t emlat_roots_open(const struct emlat_producer *producer);
void emlat_roots_unwind(struct emlat_producer *producer, uint32_t depth, uint64_t t,
                        enum emlat_outcome outcome);

/* Hot.  Counters, by the vocabulary's numbers, of the innermost open or displayed interaction; lost
   outside of any.  */
void emlat_count(struct emlat_producer *producer, uint32_t counter, uint64_t value);

/* Hot.  The same for every open root: what one of them waits for, all of them do.  */
void emlat_count_all(struct emlat_producer *producer, uint32_t counter, uint64_t value);

/* Hot.  Where the innermost open or displayed interaction came from or went to; 0 says nothing.  */
void emlat_frame(struct emlat_producer *producer, uint64_t terminal_id, uint64_t frame_id);

/* ---- Input ------------------------------------------------------------------------------------
 */

/* Terminals are numbered by the host: any number but 0 of which at most 16 are in use at a time. */

/* Hot.  The descriptor of TERMINAL was seen to hold nothing at T.  */
void emlat_input_empty(struct emlat_producer *producer, uint64_t terminal, uint64_t t);

/* Hot.  The descriptor was seen to be readable at T, by WHOM.  Only the first such observation
   after it was empty counts.  */
void emlat_input_ready(struct emlat_producer *producer, uint64_t terminal, uint64_t t,
                       enum emlat_observer whom);

/* Hot.  The host was blocked from T_BEGIN to T_END in a poll that had TERMINAL's descriptor in its
   set; READY says whether it came back because of it.  The poll would have come back at once for
   any byte, so the descriptor was empty until the thread was woken, which is taken to be at most
   poll_wake_ns before T_END; that bound is marked as inferred.  */
void emlat_input_poll(struct emlat_producer *producer, uint64_t terminal, uint64_t t_begin,
                      uint64_t t_end, bool ready);

/* Hot.  COUNTED bytes were known to wait at T_COUNTED (0: not asked), the read took from T_BEGIN to
   T_END and returned READ bytes.  Gives the batch's ID, to make tokens of.  */
uint64_t emlat_input_batch(struct emlat_producer *producer, uint64_t terminal, uint64_t t_counted,
                           uint64_t counted, uint64_t t_begin, uint64_t t_end, uint64_t read);

/* Hot.  The first QUEUED bytes of the last batch entered the host's queue; the record goes out.  */
void emlat_input_queued(struct emlat_producer *producer, uint64_t queued);

/* A queued byte: which batch, which byte of it, and when it was queued.  The host keeps these
   beside its queue.  A batch of 0: not from a terminal.  */
struct emlat_token {
    uint64_t batch, t_insert;
    uint32_t offset, pad;
};

/* What a decoding has consumed so far; all zero at its start.  */
struct emlat_source_range {
    struct emlat_token first, last;
    uint64_t t_remove; /* of LAST */
    uint32_t events;   /* tokens with a batch */
    uint32_t others;   /* events without one, the last of them after the last token if decisive */
    bool last_is_other;
};

/* Hot.  TOKEN left the queue at T and belongs to RANGE.  */
static inline void emlat_source_add(struct emlat_source_range *range, struct emlat_token token,
                                    uint64_t t)
{
    range->last_is_other = !token.batch;
    if (!token.batch) {
        range->others++;
        return;
    }
    if (!range->events++)
        range->first = token;
    range->last = token;
    range->t_remove = t;
}

/* Hot.  The open root CAUSE was decided by RANGE, whose decoding was done at T_DECODED.  */
void emlat_root_source(struct emlat_producer *producer, uint64_t cause,
                       const struct emlat_source_range *range, uint64_t t_decoded);

/* ---- Display and output -----------------------------------------------------------------------
 */

enum emlat_decision {
    EMLAT_DISPLAY_PERFORMED,     /* the display that follows serves the waiting interaction */
    EMLAT_DISPLAY_INPUT_PENDING, /* skipped: superseded by what later input will show */
    /* The decision itself was passed over: */
    EMLAT_DISPLAY_UNREAD_EVENTS, /* the next events were given back by the host's own code */
    EMLAT_DISPLAY_MACRO,         /* they come from a macro */
    EMLAT_DISPLAY_NEXT_COMMAND,  /* another command was dispatched */
};

/* Hot.  The display of the interaction that waits for one was decided at T.  After PERFORMED, call
   emlat_display_done when it has returned.  Without a waiting interaction nothing happens.  */
void emlat_display_decide(struct emlat_producer *producer, enum emlat_decision decision,
                          uint64_t t);
void emlat_display_done(struct emlat_producer *producer, uint64_t t);

/* Hot.  True while an interaction waits for its display to be decided.  */
bool emlat_display_waited_for(const struct emlat_producer *producer);

/* Hot.  One display attempt, which serves the interaction whose display was decided, else the
   innermost open root.  Returns its ID.  */
uint64_t emlat_display_begin(struct emlat_producer *producer, uint64_t t);
void emlat_display_end(struct emlat_producer *producer, uint64_t t);

void emlat_output_open(struct emlat_producer *producer, uint64_t terminal);

/* Hot.  The host is about to write BYTES to TERMINAL's stream.  One clock read an epoch.  */
static inline void emlat_output(struct emlat_producer *producer, uint64_t terminal, uint64_t bytes)
{
    if (!emlat_recording(producer))
        return;
    if (producer->output_terminal != terminal)
        emlat_output_open(producer, terminal);
    producer->output_bytes += bytes;
    producer->output_calls++;
}

/* Hot.  A flush of TERMINAL's stream took from T_BEGIN to T_END.  FAILED: it gave up, and what was
   written since the last one is lost.  Completes the epoch that is open; without one, only the
   empty flush is counted.  */
void emlat_output_flush(struct emlat_producer *producer, uint64_t terminal, uint64_t t_begin,
                        uint64_t t_end, bool failed);

/* Hot.  Bytes written to TERMINAL since its last flush; where there are none, a flush need not be
   timed.  */
uint64_t emlat_output_pending(struct emlat_producer *producer, uint64_t terminal);

/* Hot.  When the first of the bytes that wait in TERMINAL's stream was written, or 0.  */
uint64_t emlat_output_begin(const struct emlat_producer *producer, uint64_t terminal);

/* ---- Waiting ----------------------------------------------------------------------------------
 */

/* The host is about to wait, so time is cheap: if the writer sleeps and there is work for it, wake
   it (one system call), else a store and a load.  */
void emlat_idle(struct emlat_producer *producer);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   A session: everything that lies between emlat_start and emlat_stop, in one mapping.  Private to
   session.c (the host's side) and writer.c (the writer thread's side).  */
#ifndef EMLAT_SESSION_H
#define EMLAT_SESSION_H

#include "chunk.h"
#include "clock.h"
#include "interaction.h"
#include "ring.h"
#include "sink.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    EMLAT_PRODUCERS_MAX = 64,
    EMLAT_PATH_MAX = 4096,
    EMLAT_META_BYTES = 64 << 10, /* a SESSION payload, or the vocabulary's part of STRING */
    EMLAT_STRINGS_BYTES = EMLAT_META_BYTES + EMLAT_NAMES_BYTES,
    EMLAT_STRING_HEAD_BYTES = 16, /* version and count of a STRING payload, at most */
};

/* What the writer has done; stored by it alone, read by anyone.  Relaxed: figures, not signals.  */
struct emlat_totals {
    _Atomic uint64_t records, bytes, file_bytes, lost, failures, cpu_ns, high_water, sequence;
    _Atomic int write_errno;
};

struct emlat_session {
    struct emlat_options options; /* its pointers lead into this mapping, or are null */
    char path[EMLAT_PATH_MAX];    /* as given at the start; rotation's names come from it */
    struct emlat_clock_source clock;
    struct emlat_kinds kinds;
    struct emlat_numbers numbers;
    uint64_t thread_cpu_read_ps;
    bool thread_cpu;
    struct emlat_file_header header;
    size_t memory_bytes;
    bool forked; /* this is a child's copy: no writer, no file */

    struct emlat_producer *producers; /* options.producers of each */
    struct emlat_shared *shared;
    struct emlat_machine *machines;
    struct emlat_input input; /* of all machines; the host serializes it */
    _Atomic uint32_t *taken;

    /* The writer's own.  */
    pthread_t writer;
    struct emlat_chunk chunks[EMLAT_RECORD_TYPES];
    uint64_t *cursors; /* by producer: units taken from its ring, not yet given back */
    uint64_t chunk_sequence, records_gathered, t_gathered;
    bool crowded;                             /* a ring was found rather full */
    uint8_t *strings, *attributes;            /* STRING's entries, and SESSION's fixed part */
    uint64_t strings_told;                    /* of STRINGS_SAID, what the file that is open has */
    size_t attributes_size, attributes_count; /* row A1: under the lock once the writer runs */
    size_t attributes_told, attributes_told_count; /* of these, what the file that is open has */
    uint8_t *vocabulary;
    size_t vocabulary_size, vocabulary_count;
    uint8_t *meta, *names; /* where a SESSION, a STRING payload is put together */
    struct emlat_lost write_lost;

    /* Between the two.  doc/ring.md rows W1 to W3.  */
    _Atomic uint32_t kick;     /* futex: changes when the writer must look */
    _Atomic uint32_t stopping; /* the host wants the writer to end */
    _Atomic uint32_t finished; /* futex: the writer has ended */
    _Atomic uint32_t rotated;  /* futex: requests that the writer has answered */
    /* Row A2: how many entries STRINGS has, << 32, and their bytes.  Stored under the lock.  */
    _Atomic uint64_t strings_said;
    pthread_mutex_t lock; /* over what follows; never held by a producer's hot path */
    struct emlat_sink sink, next_sink;
    char file_path[EMLAT_PATH_MAX], next_path[EMLAT_PATH_MAX];
    bool rotation_wanted;
    int rotation_error;       /* of the last answer */
    uint32_t rotations_named; /* the last number that a rotation's own name had */
    struct emlat_totals totals;
};

/* The writer thread, from its start to its end.  ARGUMENT is the session.  */
void *emlat_writer(void *argument);

/* File header, STRING and SESSION into SINK, as a new file's begin.  Writer, or before it runs.  */
int emlat_writer_begin_file(struct emlat_session *session, struct emlat_sink *sink);

/* Wake the writer wherever it sleeps.  One system call.  */
void emlat_writer_kick(struct emlat_session *session);

/* Wait until *WORD is not VALUE, for at most WAIT_NS; 0 or EMLAT_ETIMEDOUT.  */
int emlat_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t wait_ns);
void emlat_futex_wake(_Atomic uint32_t *word);

/* Open the next file of a rotation that names itself.  Writer, or the host under the lock.  */
int emlat_session_next_file(struct emlat_session *session, struct emlat_sink *sink,
                            char path[EMLAT_PATH_MAX]);

#endif

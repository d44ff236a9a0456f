/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   What was seen from outside, and its file (doc/json.md, "emlat.witness/1").

   The player says what happens, in order, with times of one clock:

       write_begin (written)* …        an event's bytes go to the program
       output*                         bytes come back
       settled                         the program was seen quiet: the episode has ended

   An episode begins with the first write after the last one ended.  The first output after an
   event's write and the last one of its episode are the event's answer.

   No byte of input or output is kept, and no name: only counts and times.  */
#ifndef EMLAT_WITNESS_H
#define EMLAT_WITNESS_H

#include "replay.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Time 0 is "never": no clock used here can read it while a program runs.  */
struct emlat_witness_event {
    uint64_t line; /* of the script; 0 for a reply of the terminal */
    uint64_t bytes, offset, writes, quit_bytes, signal_bytes, episode;
    uint64_t t_write_begin, t_write_end, t_first_output, t_last_output, t_settled;
};

struct emlat_witness_output {
    uint64_t t, bytes;
};

struct emlat_witness_resize {
    uint64_t t;
    unsigned cols, rows;
};

enum { EMLAT_WITNESS_OUTPUT_MAX = 1 << 22 }; /* chunks kept (64 MiB); the rest are counted */

struct emlat_witness {
    /* Filled in by the player.  */
    bool complete;
    const char *failure; /* a word, or null */
    uint64_t failure_line;
    uint64_t t_start, t_exit, t_end;
    int exit_status, exit_signal; /* -1: none */
    const char *ended_by;         /* "itself", "replay", or null */
    bool unread_known;
    uint64_t unread_bytes, unwritten_bytes, reply_bytes_dropped;
    unsigned script_version, cols, rows;
    char script_sha256[65]; /* empty: unknown */

    /* Its own.  */
    struct emlat_witness_event *events;
    struct emlat_witness_output *output;
    struct emlat_witness_resize *resizes;
    size_t events_count, events_room, output_count, output_room, resizes_count, resizes_room;
    size_t unanswered;    /* events from here on have seen no output yet */
    size_t episode_begin; /* first event of the open episode */
    bool episode_open, no_memory;
    uint64_t episodes, bytes_written, output_bytes, output_chunks, output_bytes_outside;
    uint64_t t_last_output;
};

void emlat_witness_init(struct emlat_witness *witness);
void emlat_witness_free(struct emlat_witness *witness);

/* A write of BYTES is about to begin.  SIGNAL_BYTES of them the terminal will eat.  LINE is 0 for a
   reply.  Where there is no memory, NO_MEMORY is set and the event is not kept.  */
void emlat_witness_write_begin(struct emlat_witness *witness, uint64_t t, uint64_t line,
                               size_t signal_bytes);

/* One write(2) of the event begun last returned at T and took SIZE bytes.  */
void emlat_witness_written(struct emlat_witness *witness, uint64_t t, const void *bytes,
                           size_t size, uint8_t quit_char);

void emlat_witness_output(struct emlat_witness *witness, uint64_t t, size_t size);
void emlat_witness_resized(struct emlat_witness *witness, uint64_t t, unsigned cols, unsigned rows);

/* The program was seen quiet at T; T 0: the replay ends without having seen it.  */
void emlat_witness_settled(struct emlat_witness *witness, uint64_t t);

/* Create PATH: mode 0600, never over an existing file or through a symbolic link.  A descriptor, or
   a negative errno.  */
int emlat_witness_create(const char *path);

/* Write everything.  False on failure, errno set.  */
bool emlat_witness_print(const struct emlat_witness *witness,
                         const struct emlat_replay_options *options, FILE *to);

#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Replay: a scripted session for a terminal program, timed from outside.

   This is all that a caller of the replay sees.  It runs a program in a pseudoterminal, plays an
   asciicast file's input and resize events to it, keeps its screen so that a script can wait for
   text, and takes down when each event's bytes were written and when output came back.  It is a
   witness: it shares no code with the recorder and knows nothing about what the program records of
   itself.  The script's markers and the witness file are described in doc/json.md and emlat(1).

   It is not a terminal for a person (nothing is drawn), not a recorder of sessions to replay, and
   not a load generator: one program, one script, one thread.

   Process-wide effects while it runs: SIGCHLD, SIGHUP, SIGINT and SIGTERM are blocked and taken
   through a descriptor; the mask is put back before returning.  One replay at a time.  */
#ifndef EMLAT_REPLAY_H
#define EMLAT_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What came of it.  Every failure has been explained through SAY before it is returned.  */
enum emlat_replay_error {
    EMLAT_REPLAY_ESYSTEM = -1,      /* a file, a terminal or memory was not to be had */
    EMLAT_REPLAY_ESCRIPT = -2,      /* the script is unreadable or wrong */
    EMLAT_REPLAY_ETIMEOUT = -3,     /* a wait was not satisfied, or input was not read, in time */
    EMLAT_REPLAY_EENDED = -4,       /* the program ended before its script */
    EMLAT_REPLAY_ESTATUS = -5,      /* it ended by itself with a status other than 0, or a signal */
    EMLAT_REPLAY_ESTUCK = -6,       /* it did not end when it was hung up, and was killed */
    EMLAT_REPLAY_EINTERRUPTED = -7, /* the replay was told to stop by a signal */
};

enum emlat_replay_said {
    EMLAT_REPLAY_CHAPTER, /* progress: a marker of the script */
    EMLAT_REPLAY_NOTE,    /* worth knowing, nothing wrong */
    EMLAT_REPLAY_WRONG,   /* why the replay will fail */
    EMLAT_REPLAY_HINT,    /* what to do about what was WRONG */
    EMLAT_REPLAY_SCREEN,  /* a row of the program's screen, for what was WRONG */
};

enum emlat_replay_clock {
    EMLAT_REPLAY_CLOCK_MONOTONIC_RAW,
    EMLAT_REPLAY_CLOCK_MONOTONIC,
};

/* All strings stay the caller's and must live until emlat_replay returns.  */
struct emlat_replay_options {
    const char *script;   /* an asciicast v2 or v3 file; "-" is standard input */
    const char *witness;  /* file to create for the witness, or null */
    const char *record;   /* file to create for an asciicast v2 of the session, or null */
    char *const *program; /* argument vector of the program, ends with a null */
    const char *term;     /* its TERM */
    unsigned cols, rows;  /* its terminal's size; 0: the script's */
    double speed;         /* intervals are divided by this */
    uint64_t max_gap_ns;  /* … and then cut to this; UINT64_MAX never */
    uint64_t timeout_ns;  /* of a wait that names none, and of a write */
    uint64_t quiet_ns;    /* silence after which an episode has ended */
    uint64_t grace_ns;    /* given to become quiet at the end, and to end after SIGHUP */
    uint8_t quit_char;    /* counted in the witness */
    bool any_exit;        /* whatever status the program ends with is well */
    enum emlat_replay_clock clock;
    FILE *screen; /* the last screen is printed here, or null */

    /* One line of text, printable whatever the program or script contains, without a newline.  */
    void (*say)(void *data, enum emlat_replay_said kind, const char *text);
    void *say_data;
};

/* Sets everything but script, program and say.  */
void emlat_replay_options_default(struct emlat_replay_options *options);

/* Run it.  0 or an enum emlat_replay_error.  Blocks until the program has ended; what it started is
   gone when this returns, and every file it created is complete (a witness says so itself).  */
int emlat_replay(const struct emlat_replay_options *options);

/* TEXT ("1.5", "30") in units of UNIT_NS.  False where it is not a plain decimal number or the
   result would be more than 100 days.  Independent of the locale.  */
bool emlat_replay_duration(const char *text, size_t size, uint64_t unit_ns, uint64_t *ns);

/* TEXT ("80x24") as a terminal's size, each side 2 to 1000.  */
bool emlat_replay_size(const char *text, size_t size, unsigned *cols, unsigned *rows);

#endif

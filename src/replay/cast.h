/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Reading a script: an iterator over the events of an asciicast v2 or v3 file.

       emlat_cast_open(&cast, fd)            header
       while (emlat_cast_next(&cast, &event))
           …                                 input, resize, wait, chapter, in order
       if (cast.failed) … cast.error
       emlat_cast_close(&cast)

   The two versions differ in three places (header, times, comments); those are in cast.c and
   nowhere else.  Output, exit and unknown events are skipped, their time is kept: DELAY_NS is the
   interval since the event returned before.

   An error is sticky: once failed, next answers false for ever.  Memory is bounded by the longest
   line allowed, whatever the file holds.  */
#ifndef EMLAT_CAST_H
#define EMLAT_CAST_H

#include "sha256.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EMLAT_CAST_LINE_MAX = 1 << 20 }; /* bytes, without the newline */

enum emlat_cast_kind { EMLAT_CAST_INPUT, EMLAT_CAST_RESIZE, EMLAT_CAST_WAIT, EMLAT_CAST_CHAPTER };

enum emlat_wait_kind { EMLAT_WAIT_QUIET, EMLAT_WAIT_TEXT, EMLAT_WAIT_GONE, EMLAT_WAIT_EXIT };

struct emlat_wait {
    enum emlat_wait_kind kind;
    uint64_t quiet_ns;   /* of QUIET */
    uint64_t timeout_ns; /* UINT64_MAX: the script names none */
};

struct emlat_cast_event {
    enum emlat_cast_kind kind;
    uint64_t delay_ns; /* since the event before */
    uint64_t line;     /* in the file, from 1 */
    const char *text;  /* input bytes, text to wait for, chapter; valid until the next call */
    size_t size;       /* of text; it may hold NULs and is not terminated */
    unsigned cols, rows;
    struct emlat_wait wait;
};

struct emlat_cast_error {
    uint64_t line, offset; /* of the byte (or line) that is wrong, from 1 and from 0 */
    char what[256];
    char hint[256]; /* may be empty */
};

struct emlat_cast {
    unsigned version, cols, rows; /* from the header */
    bool failed;
    struct emlat_cast_error error;

    /* private */
    int fd;
    bool at_end;
    char *buffer;      /* EMLAT_CAST_LINE_MAX + 1 bytes */
    size_t begin, end; /* what of it has been read and not used */
    uint64_t line, line_offset, next_offset;
    double time;     /* v2: of the event returned last; v3: since it */
    json_t *current; /* owns the text of the event returned last */
    struct emlat_sha256 sha256;
};

/* Read the header from FD, which stays the caller's.  False, with cast->error set, where it is not
   one.  The cast must be closed in either case.  */
bool emlat_cast_open(struct emlat_cast *cast, int fd);
bool emlat_cast_next(struct emlat_cast *cast, struct emlat_cast_event *event);
void emlat_cast_close(struct emlat_cast *cast);

/* The SHA-256 of the whole file in hexadecimal; false before its end has been reached.  */
bool emlat_cast_sha256(const struct emlat_cast *cast, char hex[65]);

#endif

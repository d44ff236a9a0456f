/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   What emlat says on stderr, in one shape, and the exit codes that go with it.  */
#ifndef EMLAT_COMPLAIN_H
#define EMLAT_COMPLAIN_H

#include "reader.h"

#include <stdarg.h>

enum emlat_exit {
    EMLAT_EXIT_OK = 0,
    EMLAT_EXIT_FAILED = 1,  /* a check failed, or could not be decided */
    EMLAT_EXIT_USAGE = 2,   /* the command line is wrong */
    EMLAT_EXIT_DAMAGED = 3, /* unreadable, damaged or unsupported */
    EMLAT_EXIT_LOSS = 4,    /* known loss voids the answer */
};

/* The exit code for ERROR, 0 or EMLAT_E….  */
int emlat_exit_code(int error);

/* "emlat: FILE: offset 0x…, chunk N (SPAN): message" and "hint: …"; returns the exit code.
   READER may be null where memory ran out.  Flushes stdout first, so that order is kept.  */
int emlat_complain_file(const char *path, const struct emlat_reader *reader);

/* "emlat: FILE: warning" for a chunk that the reader passed over.  */
void emlat_complain_skipped(const char *path, const struct emlat_chunk_info *chunk);

/* "emlat VERB: message" and a hint.  VERB may be null.  */
void emlat_complain_usage(const char *verb, const char *hint, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* Which of several names a person most likely meant by one that is none of them: the one with the
   fewest letters added, left out, changed or swapped, if that are few.  Begin with BEST null, try
   each name.  */
struct emlat_nearest {
    const char *wanted;
    size_t length; /* of WANTED that count */
    const char *best;
    unsigned distance;
};
void emlat_nearest_try(struct emlat_nearest *nearest, const char *name);

/* Close stdout: CODE, or EMLAT_EXIT_DAMAGED with a complaint if not all could be written.  */
int emlat_finish_output(int code);

#endif

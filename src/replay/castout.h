/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   A replay's own recording: an asciicast v2 of the program's output, and of the input, resizes and
   markers that were played, at the times at which they were.  To look at with any player, and to
   replay again.  It holds everything that was typed and shown.  */
#ifndef EMLAT_CASTOUT_H
#define EMLAT_CASTOUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct emlat_castout {
    FILE *file;
    uint64_t t_start;
    uint8_t pending[4]; /* the beginning of a character of output whose rest has not come yet */
    size_t pending_size;
};

/* FD becomes the record's.  0 or a negative errno, FD closed.  */
int emlat_castout_open(struct emlat_castout *record, int fd);
void emlat_castout_header(struct emlat_castout *record, uint64_t t, unsigned cols, unsigned rows,
                          const char *term);

/* What a JSON string can't hold (bytes that are not UTF-8) becomes U+FFFD.  */
void emlat_castout_output(struct emlat_castout *record, uint64_t t, const char *bytes, size_t size);
void emlat_castout_event(struct emlat_castout *record, uint64_t t, char code, const char *bytes,
                         size_t size);

/* 0 or the negative errno of whatever failed first.  */
int emlat_castout_close(struct emlat_castout *record);

#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Bytes of a file or a pipe in order, counted.  Knows nothing of what they mean, never seeks, so a
   pipe is as good as a file.  */
#ifndef EMLAT_SOURCE_H
#define EMLAT_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct emlat_source_file {
    int fd;          /* -1: none */
    uint64_t offset; /* of the next byte */
    uint64_t size;   /* of a regular file when it was opened; else 0 */
    time_t written;  /* its last change then */
    size_t at, held; /* in BUFFER */
    uint8_t buffer[64 << 10];
};

/* Open PATH, "-" being standard input.  0, EMLAT_EOPEN (errno says why), EMLAT_ENOTREG (a folder).
 */
int emlat_source_open(struct emlat_source_file *source, const char *path);
void emlat_source_close(struct emlat_source_file *source);

/* Up to SIZE bytes to BYTES; *GOT is less only where the file ends.  0, or EMLAT_EIO with errno. */
int emlat_source_read(struct emlat_source_file *source, void *bytes, size_t size, size_t *got);

/* Up to SIZE of the bytes that come next to BYTES, without taking them, and in *THERE how many
   there are at all by now.  Regular files only: elsewhere both are 0.  */
void emlat_source_peek(const struct emlat_source_file *source, void *bytes, size_t size,
                       size_t *got, uint64_t *there);

#endif

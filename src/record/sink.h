/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The file that whole chunks are appended to.  */
#ifndef EMLAT_SINK_H
#define EMLAT_SINK_H

#include <stdint.h>
#include <sys/uio.h>

struct emlat_sink {
    int fd;
    uint64_t size; /* bytes that are whole; the file never keeps more for long */
};

/* Create PATH: mode 0600, never over an existing file, never through a symlink, close-on-exec, and
   with a descriptor above standard error's.  EMLAT_EEXIST or EOPEN, with errno.  */
int emlat_sink_create(struct emlat_sink *sink, const char *path);

/* Append PARTS as a whole.  If that fails the file is cut back to what it was, so that what was
   whole stays whole.  Takes up short writes and EINTR.  EMLAT_EIO with errno.  Blocks.  */
int emlat_sink_append(struct emlat_sink *sink, struct iovec *parts, int count);

void emlat_sink_close(struct emlat_sink *sink);

#endif

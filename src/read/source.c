/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   read(2) with a buffer; no stdio, so that errno stays what the system said.  */
#include "source.h"

#include <emlat/errors.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int emlat_source_open(struct emlat_source_file *source, const char *path)
{
    source->offset = source->size = 0;
    source->written = 0;
    source->at = source->held = 0;
    source->fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                        : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (source->fd < 0)
        return EMLAT_EOPEN;
    struct stat is;
    if (fstat(source->fd, &is) != 0)
        return 0;
    source->written = is.st_mtime;
    if (S_ISDIR(is.st_mode)) {
        errno = EISDIR;
        return EMLAT_ENOTREG;
    }
    if (S_ISREG(is.st_mode))
        source->size = (uint64_t)is.st_size;
    return 0;
}

void emlat_source_close(struct emlat_source_file *source)
{
    if (source->fd >= 0)
        close(source->fd);
    source->fd = -1;
}

int emlat_source_read(struct emlat_source_file *source, void *bytes, size_t size, size_t *got)
{
    *got = 0;
    while (*got < size) {
        if (source->at == source->held) {
            ssize_t n = read(source->fd, source->buffer, sizeof source->buffer);
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0)
                return EMLAT_EIO;
            if (n == 0)
                return 0;
            source->at = 0;
            source->held = (size_t)n;
        }
        size_t part = source->held - source->at;
        if (part > size - *got)
            part = size - *got;
        memcpy((uint8_t *)bytes + *got, source->buffer + source->at, part);
        source->at += part;
        source->offset += part;
        *got += part;
    }
    return 0;
}

void emlat_source_peek(const struct emlat_source_file *source, void *bytes, size_t size,
                       size_t *got, uint64_t *there)
{
    struct stat is;
    bool known = fstat(source->fd, &is) == 0 && S_ISREG(is.st_mode);
    uint64_t end = known ? (uint64_t)is.st_size : 0;
    ssize_t n = known ? pread(source->fd, bytes, size, (off_t)source->offset) : 0;
    *got = n > 0 ? (size_t)n : 0;
    *there = end > source->offset ? end - source->offset : 0;
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Appending to a file, whole or not at all.  There is no fsync: a process crash loses nothing that
   was appended, and a machine crash is not worth a host's wait.  */
#include "sink.h"

#include <emlat/errors.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int emlat_sink_create(struct emlat_sink *sink, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    /* A host may run with its standard descriptors closed; one of ours must never become one.  */
    if (fd >= 0 && fd <= STDERR_FILENO) {
        int higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        int saved = errno;
        close(fd);
        if (higher < 0)
            unlink(path);
        errno = saved;
        fd = higher;
    }
    if (fd < 0)
        return errno == EEXIST || errno == ELOOP ? EMLAT_EEXIST : EMLAT_EOPEN;
    sink->fd = fd;
    sink->size = 0;
    return 0;
}

int emlat_sink_append(struct emlat_sink *sink, struct iovec *parts, int count)
{
    uint64_t size = sink->size;
    while (count) {
        ssize_t wrote = writev(sink->fd, parts, count);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            int saved = wrote < 0 ? errno : ENOSPC;
            /* Best effort: a reader stops at an incomplete chunk anyway.  */
            if (ftruncate(sink->fd, (off_t)sink->size) == 0)
                lseek(sink->fd, (off_t)sink->size, SEEK_SET);
            errno = saved;
            return EMLAT_EIO;
        }
        size += (uint64_t)wrote;
        size_t left = (size_t)wrote;
        while (count && left >= parts->iov_len) {
            left -= parts->iov_len;
            parts++;
            count--;
        }
        if (count) {
            parts->iov_base = (char *)parts->iov_base + left;
            parts->iov_len -= left;
        }
    }
    sink->size = size;
    return 0;
}

void emlat_sink_close(struct emlat_sink *sink)
{
    if (sink->fd >= 0)
        close(sink->fd);
    sink->fd = -1;
}

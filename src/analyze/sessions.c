/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See sessions.h.  The sorted lists are stretches of one array, so that there is one thing to free.
 */
#include "sessions.h"

#include <emlat/errors.h>
#include <stdlib.h>
#include <string.h>

struct file {
    const char *path;
    struct emlat_reader *reader;
    size_t session, place; /* the first of the paths that is of its session; its own place */
    uint64_t sequence;
};

static int by_session(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    if (x->session != y->session)
        return x->session < y->session ? -1 : 1;
    return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

/* FILES, sorted, into the lists of SESSIONS.  */
static int fill(struct emlat_sessions *sessions, const struct file *files, size_t *bad)
{
    struct emlat_session_files *last = NULL;
    for (size_t i = 0; i < sessions->files_count; i++) {
        sessions->paths[i] = files[i].path;
        sessions->readers[i] = files[i].reader;
    }
    for (size_t i = 0; i < sessions->files_count; i++) {
        bool goes_on = i && files[i].session == files[i - 1].session;
        if (goes_on && files[i].sequence == files[i - 1].sequence) {
            *bad = files[i].place;
            return EMLAT_EEXIST;
        }
        if (!goes_on) {
            last = &sessions->sessions[sessions->count++];
            *last = (struct emlat_session_files){.paths = sessions->paths + i,
                                                 .readers = sessions->readers + i};
        }
        last->gap |= goes_on && files[i].sequence != files[i - 1].sequence + 1;
        last->count++;
    }
    return 0;
}

int emlat_sessions_open(const char *const *paths, size_t count, struct emlat_sessions *sessions,
                        size_t *bad)
{
    struct file *files = calloc(count, sizeof *files);
    *sessions = (struct emlat_sessions){.sessions = calloc(count, sizeof *sessions->sessions),
                                        .paths = calloc(count, sizeof *sessions->paths),
                                        .readers = calloc(count, sizeof(struct emlat_reader *)),
                                        .files_count = count};
    int error =
        files && sessions->sessions && sessions->paths && sessions->readers ? 0 : EMLAT_ENOMEM;
    *bad = 0;
    for (size_t i = 0; i < count && !error; i++) {
        struct file *file = &files[i];
        *file = (struct file){.path = paths[i], .session = i, .place = i};
        error = emlat_reader_open(&file->reader, paths[i]);
        sessions->readers[i] = file->reader;
        *bad = i;
        if (error)
            break;
        const struct emlat_file_info *info = emlat_reader_file(file->reader);
        file->sequence = info->sequence;
        for (size_t k = 0; k < i && file->session == i; k++)
            if (memcmp(emlat_reader_file(files[k].reader)->uuid, info->uuid, 16) == 0)
                file->session = files[k].session;
    }
    if (!error) {
        qsort(files, count, sizeof *files, by_session);
        error = fill(sessions, files, bad);
    }
    free(files);
    return error;
}

void emlat_sessions_free(struct emlat_sessions *sessions)
{
    for (size_t i = 0; sessions->readers && i < sessions->files_count; i++)
        emlat_reader_close(sessions->readers[i]);
    free(sessions->readers);
    free(sessions->paths);
    free(sessions->sessions);
    *sessions = (struct emlat_sessions){0};
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Files, sorted into the sessions that they are parts of: rotation ends a file and goes on in the
   next one, and what is asked of a session is asked of all its files in their order.  */
#ifndef EMLAT_SESSIONS_H
#define EMLAT_SESSIONS_H

#include "reader.h"

struct emlat_session_files {
    const char **paths; /* in the order of the session */
    struct emlat_reader **readers;
    size_t count;
    bool gap; /* a file between two of them is not there */
};

struct emlat_sessions {
    struct emlat_session_files *sessions; /* in the order of their first file among the paths */
    size_t count;
    const char **paths; /* memory behind the lists above */
    struct emlat_reader **readers;
    size_t files_count;
};

/* Open the COUNT files at PATHS and sort them.  0, EMLAT_ENOMEM, EMLAT_EEXIST where a file of a
   session is there twice, or the reader's error; *BAD is then which of PATHS it is about, and its
   reader, if it is the reader's error, is READERS[*BAD].  Free in any case.  */
int emlat_sessions_open(const char *const *paths, size_t count, struct emlat_sessions *sessions,
                        size_t *bad);
void emlat_sessions_free(struct emlat_sessions *sessions);

#endif

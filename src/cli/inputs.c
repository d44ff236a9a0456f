/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See inputs.h.  */
#include "inputs.h"

#include "complain.h"
#include "options.h"

#include <emlat/errors.h>
#include <stdio.h>

int emlat_inputs_open(const char *verb, const char *const *paths, size_t count,
                      struct emlat_sessions *sessions)
{
    size_t bad;
    int error = emlat_sessions_open(paths, count, sessions, &bad);
    if (!error) {
        for (size_t i = 0; i < sessions->count; i++)
            if (sessions->sessions[i].gap)
                fprintf(
                    stderr,
                    "emlat %s: %s: a file between it and the last one of its session is missing\n",
                    verb, sessions->sessions[i].paths[0]);
        return EMLAT_GO_ON;
    }
    if (error != EMLAT_EEXIST)
        return emlat_complain_file(paths[bad], sessions->readers ? sessions->readers[bad] : NULL);
    fprintf(stderr, "emlat %s: %s: this file of its session is given twice\n", verb, paths[bad]);
    return EMLAT_EXIT_USAGE;
}

static void skipped(void *data, size_t file, const struct emlat_chunk_info *chunk)
{
    const struct emlat_session_files *session = data;
    emlat_complain_skipped(session->paths[file], chunk);
}

int emlat_inputs_summarize(const struct emlat_session_files *session, unsigned flags,
                           struct emlat_summary *summary)
{
    if (!emlat_summarize(session->readers, session->count, flags, summary, skipped,
                         (void *)session))
        return EMLAT_GO_ON;
    for (size_t i = 0; i < session->count; i++)
        if (emlat_reader_problem(session->readers[i])->code)
            return emlat_complain_file(session->paths[i], session->readers[i]);
    return emlat_complain_file(session->paths[0], NULL);
}

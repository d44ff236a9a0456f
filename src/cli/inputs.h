/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Files as verbs that read several of them want them: sorted into sessions, and complained of.  */
#ifndef EMLAT_INPUTS_H
#define EMLAT_INPUTS_H

#include "sessions.h"
#include "summary.h"

/* Open PATHS as sessions.  The exit code after a complaint, or EMLAT_GO_ON.  Free SESSIONS in any
   case.  */
int emlat_inputs_open(const char *verb, const char *const *paths, size_t count,
                      struct emlat_sessions *sessions);

/* Summarize the files of SESSION; SUMMARY is to be freed in any case.  The exit code after a
   complaint about damage, or EMLAT_GO_ON; what is good is in SUMMARY all the same.  */
int emlat_inputs_summarize(const struct emlat_session_files *session, unsigned flags,
                           struct emlat_summary *summary);

#endif

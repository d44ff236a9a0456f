/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The verbs, each in its own file.  ARGV[0] is the verb; the result is the exit code.  */
#ifndef EMLAT_VERBS_H
#define EMLAT_VERBS_H

int emlat_verb_dump(int argc, char **argv);
int emlat_verb_info(int argc, char **argv);
int emlat_verb_replay(int argc, char **argv);
int emlat_verb_report(int argc, char **argv);
int emlat_verb_verify(int argc, char **argv);
int emlat_verb_waterfall(int argc, char **argv);

#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The verbs, each in its own file.  ARGV[0] is the verb; the result is the exit code.  */
#ifndef EMLAT_VERBS_H
#define EMLAT_VERBS_H

#include <stddef.h>

int emlat_verb_bench(int argc, char **argv);
int emlat_verb_check(int argc, char **argv);
int emlat_verb_compare(int argc, char **argv);
int emlat_verb_dump(int argc, char **argv);
int emlat_verb_export(int argc, char **argv);
int emlat_verb_help(int argc, char **argv);
int emlat_verb_info(int argc, char **argv);
int emlat_verb_list(int argc, char **argv);
int emlat_verb_replay(int argc, char **argv);
int emlat_verb_report(int argc, char **argv);
int emlat_verb_top(int argc, char **argv);
int emlat_verb_verify(int argc, char **argv);
int emlat_verb_waterfall(int argc, char **argv);

struct emlat_verb {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary; /* a line */
};
extern const struct emlat_verb emlat_verbs[]; /* by name */
extern const size_t emlat_verbs_count;

/* The verb NAME; or null, after a complaint with the name that was probably meant.  */
const struct emlat_verb *emlat_verb_find(const char *name);

#endif

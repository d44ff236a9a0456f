/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Command lines, from tables: a verb says its options once, and parsing, --help and the complaint
   about a wrong one follow from that.  Options may stand among the operands; "--" ends them; "-" is
   an operand.  */
#ifndef EMLAT_OPTIONS_H
#define EMLAT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum emlat_option_kind {
    EMLAT_OPTION_FLAG,   /* TO: bool, set to true */
    EMLAT_OPTION_NUMBER, /* TO: uint64_t */
    EMLAT_OPTION_TEXT,   /* TO: const char *, points into argv */
};

struct emlat_option {
    const char *name; /* without "--" */
    char letter;      /* or 0 */
    enum emlat_option_kind kind;
    const char *argument; /* its name in --help, "N"; null for a flag */
    void *to;             /* what is there stays where the option is not given */
    const char *help;
};

struct emlat_usage {
    const char *verb, *operands; /* "dump", "FILE" */
    const char *summary;         /* a sentence */
    const char *details;         /* examples, exit codes: ends in a newline; or null */
    const struct emlat_option *options;
    size_t options_count;
    size_t operands_least, operands_most;
    bool stop_at_operand; /* everything from the first operand on is an operand */
};

/* Parse ARGV, of which [0] is the verb, and set what the options point to.  The operands go to
   OPERANDS, which has ROOM for at least USAGE's most, and their number to *COUNT.
   Returns EMLAT_GO_ON, or the exit code with which to end: help was given (0), or a complaint (2).
 */
enum { EMLAT_GO_ON = -1 };
int emlat_options_parse(const struct emlat_usage *usage, int argc, char **argv,
                        const char **operands, size_t room, size_t *count);

#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Command lines, from tables: a verb says its options once, and parsing, --help, the complaint
   about a wrong one, the manual page and the shells' completions (help.c) follow from that. Options
   may stand among the operands; "--" ends them; "-" is an operand.  */
#ifndef EMLAT_OPTIONS_H
#define EMLAT_OPTIONS_H

#include "style.h"

#include <stddef.h>

enum emlat_option_kind {
    EMLAT_OPTION_FLAG,   /* TO: bool, set to true */
    EMLAT_OPTION_NUMBER, /* TO: uint64_t */
    EMLAT_OPTION_TEXT,   /* TO: const char *, points into argv */
    EMLAT_OPTION_CHOICE, /* the same, and one of the words in ARGUMENT, "auto|always|never" */
    EMLAT_OPTION_LIST,   /* TO: struct emlat_option_list, one more each time it is given */
    EMLAT_OPTION_FILE,   /* the same as TEXT, and completed as the name of a file */
    EMLAT_OPTION_GROUP,  /* no option: NAME is the heading of those that follow */
};

struct emlat_option_list {
    const char **values; /* ROOM of them, the caller's; they point into argv */
    size_t count, room;
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
    bool colors;          /* takes --color too */
    bool draws;           /* takes --color, --ascii and --width too: see emlat_options_style */
    char ***rest;         /* unless null: "--" begins another program's command line, which goes
                             here, or null where there is no "--" */
};

/* Parse ARGV, of which [0] is the verb, and set what the options point to.  The operands go to
   OPERANDS, which has ROOM for at least USAGE's most, and their number to *COUNT.
   Returns EMLAT_GO_ON, or the exit code with which to end: help was given (0), or a complaint (2).
 */
enum { EMLAT_GO_ON = -1 };
int emlat_options_parse(const struct emlat_usage *usage, int argc, char **argv,
                        const char **operands, size_t room, size_t *count);

/* How to draw on stdout, from what --color, --ascii and --width said and from the terminal.  */
struct emlat_style emlat_options_style(void);

/* "emlat VERB: message" and where help is; returns EMLAT_EXIT_USAGE.  */
int emlat_options_wrong(const struct emlat_usage *usage, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The options that verbs which COLOR or DRAW take besides their own, and how many of these USAGE's
   does.  */
extern const struct emlat_option emlat_options_drawing[];
size_t emlat_usage_drawing(const struct emlat_usage *usage);

/* What --help does from now on with the verb's table, instead of printing it for a person.  */
void emlat_options_show_with(void (*show)(const struct emlat_usage *usage));

/* Print USAGE for a person.  */
void emlat_usage_print(const struct emlat_usage *usage);

#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   emlat waterfall: single interactions, part by part.  */
#include "complain.h"
#include "options.h"
#include "report.h"
#include "verbs.h"

#include <inttypes.h>

static int show(const char *path, uint64_t number, uint64_t cause, const struct emlat_style *style)
{
    struct emlat_waterfall *found;
    struct emlat_reader *reader;
    size_t count;
    uint64_t flushed;
    int error = emlat_waterfall_find(path, number, cause, &found, &count, &flushed, &reader);
    for (size_t i = 0; i < count; i++)
        emlat_waterfall_text(stdout, reader, &found[i], flushed, style);
    int code = error ? emlat_complain_file(path, reader) : EMLAT_EXIT_OK;
    if (!error && !count) {
        if (cause)
            fprintf(stderr, "emlat waterfall: %s: no command has cause %" PRIu64 "\n", path, cause);
        else
            fprintf(stderr, "emlat waterfall: %s: no command was flushed\n", path);
        fputs("hint: emlat dump lists every interaction with its cause_id\n", stderr);
        code = EMLAT_EXIT_FAILED;
    }
    emlat_waterfall_free(found, count);
    emlat_reader_close(reader);
    return code;
}

int emlat_verb_waterfall(int argc, char **argv)
{
    bool tail = false;
    uint64_t number = 1, cause = 0;
    const char *path;
    size_t count;
    const struct emlat_option options[] = {
        {"tail", 0, EMLAT_OPTION_FLAG, NULL, &tail, "the slowest flushed commands (the default)"},
        {"number", 'n', EMLAT_OPTION_NUMBER, "N", &number, "how many of them, up to 1000"},
        {"cause", 0, EMLAT_OPTION_NUMBER, "ID", &cause, "the command with this cause_id"},
    };
    const struct emlat_usage usage = {
        .verb = "waterfall",
        .operands = "FILE",
        .summary = "Print where the time of single commands in FILE went.",
        .details = "examples\n"
                   "  emlat waterfall work.emlat --tail -n 5\n"
                   "  emlat waterfall work.emlat --cause 48213\n"
                   "exit codes\n"
                   "  0 shown   1 there is no such command   3 the file is damaged\n",
        .options = options,
        .options_count = sizeof options / sizeof *options,
        .operands_least = 1,
        .operands_most = 1,
        .draws = true,
    };
    int code = emlat_options_parse(&usage, argc, argv, &path, 1, &count);
    if (code != EMLAT_GO_ON)
        return code;
    if ((tail && cause) || number - 1 > 999) {
        fprintf(stderr, "emlat waterfall: %s\nhint: emlat waterfall --help\n",
                tail && cause ? "--tail and --cause exclude each other"
                              : "-n takes a number from 1 to 1000");
        return EMLAT_EXIT_USAGE;
    }
    struct emlat_style style = emlat_options_style();
    return show(path, number, cause, &style);
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   emlat replay: the command line of src/replay.

   Results go to standard output (only the screen that --screen asks for), all else to standard
   error.
   */
#include "options.h"
#include "verbs.h"

#include "replay.h"

#include <errno.h>
#include <string.h>

enum { EXIT_WELL = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_UNUSABLE = 3 };

/* ---- Options --------------------------------------------------------------------------------- */

/* The options that take more than a word of text, as they are given.  */
struct given {
    const char *size, *speed, *max_gap, *timeout, *quiet, *grace, *clock, *quit_char;
    bool screen, any_exit, silent;
};

static bool parse_speed(const char *text, double *speed)
{
    uint64_t millionths;
    if (!emlat_replay_duration(text, strlen(text), 1000000, &millionths) || millionths == 0)
        return false;
    *speed = (double)millionths / 1e6;
    return true;
}

static bool parse_clock(const char *text, enum emlat_replay_clock *clock)
{
    bool raw = strcmp(text, "monotonic-raw") == 0;
    *clock = raw ? EMLAT_REPLAY_CLOCK_MONOTONIC_RAW : EMLAT_REPLAY_CLOCK_MONOTONIC;
    return raw || strcmp(text, "monotonic") == 0;
}

static bool parse_character(const char *text, uint8_t *character)
{
    uint64_t number;
    if (strchr(text, '.') || !emlat_replay_duration(text, strlen(text), 1, &number) || number > 255)
        return false;
    *character = (uint8_t)number;
    return true;
}

/* Take GIVEN into OPTIONS; the option whose value does not fit, or null.  */
static const char *take(struct emlat_replay_options *options, const struct given *given)
{
    const struct {
        const char *name, *text;
        uint64_t unit, *to;
    } durations[] = {
        {"max-gap", given->max_gap, 1000000, &options->max_gap_ns},
        {"timeout", given->timeout, 1000000000, &options->timeout_ns},
        {"quiet", given->quiet, 1000000, &options->quiet_ns},
        {"grace", given->grace, 1000000000, &options->grace_ns},
    };
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
        const char *text = durations[i].text;
        if (text && !emlat_replay_duration(text, strlen(text), durations[i].unit, durations[i].to))
            return durations[i].name;
    }
    if (given->size &&
        !emlat_replay_size(given->size, strlen(given->size), &options->cols, &options->rows))
        return "size";
    if (given->speed && !parse_speed(given->speed, &options->speed))
        return "speed";
    if (given->clock && !parse_clock(given->clock, &options->clock))
        return "clock";
    if (given->quit_char && !parse_character(given->quit_char, &options->quit_char))
        return "quit-char";
    if (options->witness && !*options->witness)
        return "witness";
    if (options->record && !*options->record)
        return "record";
    if (options->term && !*options->term)
        return "term";
    options->screen = given->screen ? stdout : NULL;
    options->any_exit = given->any_exit;
    return NULL;
}

static int parse(struct emlat_replay_options *options, bool *silent, int argc, char **argv)
{
    struct given given = {0};
    const struct emlat_option rows[] = {
        {"What is written", 0, EMLAT_OPTION_GROUP, NULL, NULL, NULL},
        {"witness", 0, EMLAT_OPTION_FILE, "OUT.json", &options->witness,
         "create a witness: when input went, when output came"},
        {"record", 0, EMLAT_OPTION_FILE, "OUT.cast", &options->record,
         "create an asciicast v2 of output and input (all of it!)"},
        {"screen", 0, EMLAT_OPTION_FLAG, NULL, &given.screen,
         "print the last screen to standard output"},
        {"silent", 0, EMLAT_OPTION_FLAG, NULL, &given.silent,
         "no chapters and notes on standard error"},
        {"The terminal", 0, EMLAT_OPTION_GROUP, NULL, NULL, NULL},
        {"size", 0, EMLAT_OPTION_TEXT, "COLSxROWS", &given.size,
         "its size (default: the script's)"},
        {"term", 0, EMLAT_OPTION_TEXT, "NAME", &options->term,
         "the program's TERM (default xterm-256color)"},
        {"Time", 0, EMLAT_OPTION_GROUP, NULL, NULL, NULL},
        {"speed", 0, EMLAT_OPTION_TEXT, "FACTOR", &given.speed,
         "divide the script's intervals by this (default 1)"},
        {"max-gap", 0, EMLAT_OPTION_TEXT, "MS", &given.max_gap,
         "cut intervals to this, after --speed"},
        {"timeout", 0, EMLAT_OPTION_TEXT, "SECONDS", &given.timeout,
         "limit of waits that name none (default 30)"},
        {"quiet", 0, EMLAT_OPTION_TEXT, "MS", &given.quiet,
         "silence that ends an episode (default 20)"},
        {"grace", 0, EMLAT_OPTION_TEXT, "SECONDS", &given.grace,
         "between SIGHUP and SIGKILL at the end (default 2)"},
        {"clock", 0, EMLAT_OPTION_CHOICE, "monotonic-raw|monotonic", &given.clock,
         "default monotonic-raw"},
        {"The program", 0, EMLAT_OPTION_GROUP, NULL, NULL, NULL},
        {"quit-char", 0, EMLAT_OPTION_TEXT, "N", &given.quit_char,
         "character counted as quit (default 7, C-g)"},
        {"any-exit", 0, EMLAT_OPTION_FLAG, NULL, &given.any_exit,
         "whatever status it ends with is well"},
    };
    char **program;
    const struct emlat_usage usage = {
        .verb = "replay",
        .operands = "SCRIPT -- PROGRAM [ARGUMENT]…",
        .summary =
            "Run PROGRAM in a pseudoterminal, play SCRIPT's input and resizes to it (asciicast v2\n"
            "or v3; - is standard input), and time from outside when its output comes back.",
        .details =
            "markers\n"
            "  wait:quiet MS    wait:text STRING    wait:gone STRING    wait:exit\n"
            "  These markers in SCRIPT wait, each at most SECONDS with @SECONDS after it; other\n"
            "  markers are chapters.\n"
            "examples\n"
            "  emlat replay typing.cast --witness typing.json -- emacs -nw -Q\n"
            "  emlat replay typing.cast --speed 4 --screen -- vi notes.txt\n"
            "exit codes\n"
            "  0 played to the end   1 the program ended early or badly, hung, or the replay was\n"
            "  stopped   2 wrong use   3 SCRIPT, PROGRAM or a file is unusable\n",
        .options = rows,
        .options_count = sizeof rows / sizeof *rows,
        .operands_most = 1,
        .rest = &program,
    };
    size_t count;
    int code = emlat_options_parse(&usage, argc, argv, &options->script, 1, &count);
    if (code != EMLAT_GO_ON)
        return code;
    const char *unfit = take(options, &given);
    for (size_t i = 0; unfit && i < usage.options_count; i++)
        if (strcmp(rows[i].name, unfit) == 0)
            return emlat_options_wrong(&usage, "--%s wants %s, not '%s'", unfit, rows[i].argument,
                                       *(const char **)rows[i].to);
    if (!count)
        return emlat_options_wrong(&usage, "no script is named");
    if (!program || !*program)
        return emlat_options_wrong(&usage, "no program is named after a --");
    options->program = program;
    *silent = given.silent;
    return EMLAT_GO_ON;
}

/* ---- The verb -------------------------------------------------------------------------------- */

static void say(void *data, enum emlat_replay_said kind, const char *text)
{
    const bool *silent = data;
    static const char *const lead[] = {
        [EMLAT_REPLAY_CHAPTER] = "replay: ", [EMLAT_REPLAY_NOTE] = "replay: ",
        [EMLAT_REPLAY_WRONG] = "emlat: ",    [EMLAT_REPLAY_HINT] = "hint: ",
        [EMLAT_REPLAY_SCREEN] = "",
    };
    if (*silent && (kind == EMLAT_REPLAY_CHAPTER || kind == EMLAT_REPLAY_NOTE))
        return;
    fprintf(stderr, "%s%s\n", lead[kind], text);
}

int emlat_verb_replay(int argc, char **argv)
{
    bool silent = false;
    struct emlat_replay_options options;
    emlat_replay_options_default(&options);
    options.say = say;
    options.say_data = &silent;

    int code = parse(&options, &silent, argc, argv);
    if (code != EMLAT_GO_ON)
        return code;

    int error = emlat_replay(&options);
    if (fflush(stdout) != 0 && !error) {
        fprintf(stderr, "emlat: standard output: %s\n", strerror(errno));
        return EXIT_UNUSABLE;
    }
    switch (error) {
    case 0: return EXIT_WELL;
    case EMLAT_REPLAY_ESYSTEM:
    case EMLAT_REPLAY_ESCRIPT: return EXIT_UNUSABLE;
    default: return EXIT_FAILED;
    }
}

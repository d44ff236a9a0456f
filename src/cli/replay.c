/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   emlat replay: the command line of src/replay.

   One table holds the options; the parser and the help come from it.  Results go to standard output
   (only the screen that --screen asks for), all else to standard error.  */
#include "verbs.h"

#include "replay.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <string.h>

enum { EXIT_WELL = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_UNUSABLE = 3 };

/* ---- Options --------------------------------------------------------------------------------- */

enum option_id {
    OPTION_WITNESS = 256, /* above any character */
    OPTION_RECORD,
    OPTION_SCREEN,
    OPTION_SIZE,
    OPTION_TERM,
    OPTION_SPEED,
    OPTION_MAX_GAP,
    OPTION_TIMEOUT,
    OPTION_QUIET,
    OPTION_GRACE,
    OPTION_CLOCK,
    OPTION_QUIT_CHAR,
    OPTION_ANY_EXIT,
    OPTION_SILENT,
    OPTION_HELP,
};

struct option_row {
    enum option_id id;
    const char *name, *argument; /* argument null: takes none */
    const char *help;            /* null in a row that is a group's heading, NAME */
};

static const struct option_row option_rows[] = {
    {0, "What is written", NULL, NULL},
    {OPTION_WITNESS, "witness", "OUT.json", "create a witness: when input went, when output came"},
    {OPTION_RECORD, "record", "OUT.cast",
     "create an asciicast v2 of output and input (all of it!)"},
    {OPTION_SCREEN, "screen", NULL, "print the last screen to standard output"},
    {OPTION_SILENT, "silent", NULL, "no chapters and notes on standard error"},
    {0, "The terminal", NULL, NULL},
    {OPTION_SIZE, "size", "COLSxROWS", "its size (default: the script's)"},
    {OPTION_TERM, "term", "NAME", "the program's TERM (default xterm-256color)"},
    {0, "Time", NULL, NULL},
    {OPTION_SPEED, "speed", "FACTOR", "divide the script's intervals by this (default 1)"},
    {OPTION_MAX_GAP, "max-gap", "MS", "cut intervals to this, after --speed"},
    {OPTION_TIMEOUT, "timeout", "SECONDS", "limit of waits that name none (default 30)"},
    {OPTION_QUIET, "quiet", "MS", "silence that ends an episode (default 20)"},
    {OPTION_GRACE, "grace", "SECONDS", "between SIGHUP and SIGKILL at the end (default 2)"},
    {OPTION_CLOCK, "clock", "NAME", "monotonic-raw (default) or monotonic"},
    {0, "The program", NULL, NULL},
    {OPTION_QUIT_CHAR, "quit-char", "N", "character counted as quit (default 7, C-g)"},
    {OPTION_ANY_EXIT, "any-exit", NULL, "whatever status it ends with is well"},
    {OPTION_HELP, "help", NULL, "print this"},
};
enum { OPTION_ROWS = sizeof option_rows / sizeof *option_rows };

static void print_help(void)
{
    fputs(
        "usage: emlat replay [OPTION]… SCRIPT -- PROGRAM [ARGUMENT]…\n"
        "\n"
        "Run PROGRAM in a pseudoterminal, play SCRIPT's input and resizes to it (asciicast v2 or\n"
        "v3; - is standard input), and time from outside when its output comes back.\n"
        "\n"
        "  emlat replay typing.cast --witness typing.json -- emacs -nw -Q\n"
        "  emlat replay typing.cast --speed 4 --screen -- vi notes.txt\n",
        stdout);
    for (const struct option_row *row = option_rows; row < option_rows + OPTION_ROWS; row++) {
        char shown[40];
        snprintf(shown, sizeof shown, "--%s%s%s", row->name, row->argument ? " " : "",
                 row->argument ? row->argument : "");
        if (row->help)
            printf("  %-22s %s\n", shown, row->help);
        else
            printf("\n%s\n", row->name);
    }
    fputs(
        "\nMarkers in SCRIPT that wait: wait:quiet MS, wait:text STRING, wait:gone STRING,\n"
        "wait:exit, each with @SECONDS after it to limit it; other markers are chapters.\n"
        "\nExit: 0 played to the end; 1 the program ended early or badly, hung, or the replay was\n"
        "stopped; 2 usage; 3 SCRIPT, PROGRAM or a file is unusable.\n",
        stdout);
}

__attribute__((format(printf, 1, 2))) static int usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("emlat replay: ", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs("\nhint: emlat replay [OPTION]… SCRIPT -- PROGRAM [ARGUMENT]…; --help explains\n",
          stderr);
    return EXIT_USAGE;
}

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

struct settings {
    struct emlat_replay_options options;
    bool silent, help;
};

/* False where VALUE does not fit the option.  */
static bool take_option(struct settings *settings, enum option_id id, const char *value)
{
    struct emlat_replay_options *options = &settings->options;
    size_t size = value ? strlen(value) : 0;
    switch (id) {
    case OPTION_WITNESS: options->witness = value; return size > 0;
    case OPTION_RECORD: options->record = value; return size > 0;
    case OPTION_SCREEN: options->screen = stdout; return true;
    case OPTION_SIZE: return emlat_replay_size(value, size, &options->cols, &options->rows);
    case OPTION_TERM: options->term = value; return size > 0;
    case OPTION_SPEED: return parse_speed(value, &options->speed);
    case OPTION_MAX_GAP: return emlat_replay_duration(value, size, 1000000, &options->max_gap_ns);
    case OPTION_TIMEOUT:
        return emlat_replay_duration(value, size, 1000000000, &options->timeout_ns);
    case OPTION_QUIET: return emlat_replay_duration(value, size, 1000000, &options->quiet_ns);
    case OPTION_GRACE: return emlat_replay_duration(value, size, 1000000000, &options->grace_ns);
    case OPTION_CLOCK: return parse_clock(value, &options->clock);
    case OPTION_QUIT_CHAR: return parse_character(value, &options->quit_char);
    case OPTION_ANY_EXIT: options->any_exit = true; return true;
    case OPTION_SILENT: settings->silent = true; return true;
    case OPTION_HELP: settings->help = true; return true;
    }
    return false;
}

static const struct option_row *row_of(int id)
{
    const struct option_row *row = option_rows;
    while (row->id != (enum option_id)id)
        row++;
    return row;
}

/* What is before the "--" is ours, what is after it the program's, whatever it looks like.  */
static int parse(struct settings *settings, int argc, char **argv)
{
    struct option longs[OPTION_ROWS + 1] = {0};
    size_t count = 0;
    for (const struct option_row *row = option_rows; row < option_rows + OPTION_ROWS; row++)
        if (row->help)
            longs[count++] = (struct option){row->name, row->argument != NULL, NULL, (int)row->id};

    int ours = 1, id;
    while (ours < argc && strcmp(argv[ours], "--") != 0)
        ours++;
    bool divided = ours < argc;
    char *after = argv[ours];
    argv[ours] = NULL; /* getopt must not take the "--" for an option's argument */
    optind = 0;
    opterr = 0;
    int wrong = 0;
    while (!wrong && (id = getopt_long(ours, argv, ":", longs, NULL)) != -1) {
        const char *given = argv[optind - 1];
        if (id == ':')
            wrong = usage("option %s takes an argument, %s", given, row_of(optopt)->argument);
        else if (id == '?' && optopt >= 256)
            wrong = usage("option --%s takes no argument", row_of(optopt)->name);
        else if (id == '?')
            wrong = usage("unknown option %s", given);
        else if (!take_option(settings, (enum option_id)id, optarg))
            wrong = usage("option --%s takes %s, not \"%s\"", row_of(id)->name,
                          row_of(id)->argument, optarg);
    }
    argv[ours] = after;
    if (wrong || settings->help)
        return wrong;

    if (optind == ours)
        return usage("no script is named");
    if (!divided || ours + 1 == argc)
        return usage("no program is named after a --");
    if (optind + 1 < ours)
        return usage("one script is played, and \"%s\" is a second one", argv[optind + 1]);
    settings->options.script = argv[optind];
    settings->options.program = argv + ours + 1;
    return 0;
}

/* ---- The verb -------------------------------------------------------------------------------- */

static void say(void *data, enum emlat_replay_said kind, const char *text)
{
    const struct settings *settings = data;
    static const char *const lead[] = {
        [EMLAT_REPLAY_CHAPTER] = "replay: ", [EMLAT_REPLAY_NOTE] = "replay: ",
        [EMLAT_REPLAY_WRONG] = "emlat: ",    [EMLAT_REPLAY_HINT] = "hint: ",
        [EMLAT_REPLAY_SCREEN] = "",
    };
    if (settings->silent && (kind == EMLAT_REPLAY_CHAPTER || kind == EMLAT_REPLAY_NOTE))
        return;
    fprintf(stderr, "%s%s\n", lead[kind], text);
}

int emlat_verb_replay(int argc, char **argv)
{
    struct settings settings = {.silent = false};
    emlat_replay_options_default(&settings.options);
    settings.options.say = say;
    settings.options.say_data = &settings;

    int code = parse(&settings, argc, argv);
    if (code != 0)
        return code;
    if (settings.help) {
        print_help();
        return EXIT_WELL;
    }

    int error = emlat_replay(&settings.options);
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

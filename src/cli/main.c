/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The emlat program: finds the verb and lets it work.  Adding a verb is a row here, a prototype in
   verbs.h and a file in meson.build; its help, manual and completions come from its own table.  */
#include "complain.h"
#include "progress.h"
#include "verbs.h"

#include <string.h>

const struct emlat_verb emlat_verbs[] = {
    {"bench", emlat_verb_bench, "run a program with a frame loop and print its three reports"},
    {"check", emlat_verb_check, "hold a recording against budgets, for CI"},
    {"compare", emlat_verb_compare, "tell whether some runs are slower than others"},
    {"dump", emlat_verb_dump, "print every record of a file, as text or JSON lines"},
    {"export", emlat_verb_export, "write a recording in a format of other programs"},
    {"help", emlat_verb_help, "print what a verb does and its options"},
    {"info", emlat_verb_info, "print what a file says of its session"},
    {"list", emlat_verb_list, "print a line for each interaction, for scripts"},
    {"replay", emlat_verb_replay, "play a script to a terminal program, timing it from outside"},
    {"report", emlat_verb_report, "print how long interactions took, and where"},
    {"top", emlat_verb_top, "follow a recording that is being written, on the screen"},
    {"verify", emlat_verb_verify, "check a file from its first byte to its last"},
    {"waterfall", emlat_verb_waterfall, "print where the time of single commands went"},
};
const size_t emlat_verbs_count = sizeof emlat_verbs / sizeof *emlat_verbs;

static void overview(void)
{
    puts("usage: emlat VERB [OPTION…] FILE");
    for (size_t i = 0; i < emlat_verbs_count; i++)
        printf("  %-10s %s\n", emlat_verbs[i].name, emlat_verbs[i].summary);
    puts("examples\n"
         "  emlat report work.emlat\n"
         "  emlat dump --json work.emlat | jq 'select(.record == \"interaction\")'\n"
         "  emlat verify work.emlat && echo sound\n"
         "emlat help VERB says more; see emlat(1)");
}

__attribute__((format(printf, 2, 3))) static void wrong(const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    emlat_complain_usage(NULL, hint, format, arguments);
    va_end(arguments);
}

const struct emlat_verb *emlat_verb_find(const char *name)
{
    char hint[96] = "emlat alone lists the verbs";
    struct emlat_nearest nearest = {.wanted = name, .length = strlen(name)};
    for (size_t i = 0; i < emlat_verbs_count; i++) {
        if (strcmp(name, emlat_verbs[i].name) == 0)
            return &emlat_verbs[i];
        emlat_nearest_try(&nearest, emlat_verbs[i].name);
    }
    if (*name == '-') {
        wrong("emlat alone lists the verbs; options follow the verb", "unknown option '%s'", name);
        return NULL;
    }
    if (nearest.best)
        snprintf(hint, sizeof hint, "did you mean '%s'?  emlat alone lists the verbs",
                 nearest.best);
    wrong(hint, "unknown verb '%s'", name);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        overview();
        return EMLAT_EXIT_USAGE;
    }
    const char *name = argv[1];
    bool help = strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    if (help || (argc == 2 && strcmp(name, "help") == 0)) {
        overview();
        return emlat_finish_output(EMLAT_EXIT_OK);
    }
    if (strcmp(name, "--version") == 0) {
        printf("emlat %s, format %d.%d\n", EMLAT_VERSION, EMLAT_FORMAT_MAJOR, EMLAT_FORMAT_MINOR);
        return emlat_finish_output(EMLAT_EXIT_OK);
    }
    const struct emlat_verb *verb = emlat_verb_find(name);
    if (!verb)
        return EMLAT_EXIT_USAGE;
    emlat_progress_begin();
    return emlat_finish_output(verb->run(argc - 1, argv + 1));
}

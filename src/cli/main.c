/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The emlat program: finds the verb and lets it work.  Adding a verb is a row here, a prototype in
   verbs.h and a file in meson.build.  */
#include "complain.h"
#include "verbs.h"

#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} verbs[] = {
    {"dump", emlat_verb_dump, "print every record of a file, as text or JSON lines"},
    {"info", emlat_verb_info, "print what a file says of its session"},
    {"replay", emlat_verb_replay, "play a script to a terminal program, timing it from outside"},
    {"report", emlat_verb_report, "print how long interactions took, and where"},
    {"waterfall", emlat_verb_waterfall, "print where the time of single commands went"},
    {"verify", emlat_verb_verify, "check a file from its first byte to its last"},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static void overview(FILE *to)
{
    fprintf(to, "usage: emlat VERB [OPTION…] FILE\n");
    for (size_t i = 0; i < VERBS; i++)
        fprintf(to, "  %-10s %s\n", verbs[i].name, verbs[i].summary);
    fprintf(to, "examples\n"
                "  emlat info work.emlat\n"
                "  emlat dump --json work.emlat | jq 'select(.record == \"interaction\")'\n"
                "  emlat verify work.emlat && echo sound\n"
                "emlat VERB --help says more; see emlat(1)\n");
}

__attribute__((format(printf, 2, 3))) static int wrong(const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    emlat_complain_usage(NULL, hint, format, arguments);
    va_end(arguments);
    return EMLAT_EXIT_USAGE;
}

/* The verb that NAME is most likely meant to be, by their common begin; or null.  */
static const char *nearest(const char *name)
{
    const char *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < VERBS; i++) {
        size_t same = 0;
        while (name[same] && name[same] == verbs[i].name[same])
            same++;
        if (same > most) {
            most = same;
            best = verbs[i].name;
        }
    }
    return best;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        overview(stdout);
        return EMLAT_EXIT_USAGE;
    }
    const char *verb = argv[1];
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0 || strcmp(verb, "help") == 0) {
        overview(stdout);
        return emlat_finish_output(EMLAT_EXIT_OK);
    }
    if (strcmp(verb, "--version") == 0) {
        printf("emlat %s, format %d.%d\n", EMLAT_VERSION, EMLAT_FORMAT_MAJOR, EMLAT_FORMAT_MINOR);
        return emlat_finish_output(EMLAT_EXIT_OK);
    }
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(verb, verbs[i].name) == 0)
            return emlat_finish_output(verbs[i].run(argc - 1, argv + 1));
    if (*verb == '-')
        return wrong("emlat alone lists the verbs; options follow the verb", "unknown option '%s'",
                     verb);
    char hint[96];
    const char *meant = nearest(verb);
    snprintf(hint, sizeof hint, "%s%s%s", meant ? "did you mean '" : "emlat alone lists the verbs",
             meant ? meant : "", meant ? "'?  emlat alone lists the verbs" : "");
    return wrong(hint, "unknown verb '%s'", verb);
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   emlat compare: whether one side's runs are slower than the other's.  */
#include "compare.h"
#include "complain.h"
#include "inputs.h"
#include "options.h"
#include "report.h"
#include "verbs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 4096 };

/* Take the sessions of SIDE into COMPARISON, one after the other.  */
static int take(struct emlat_comparison *comparison, enum emlat_side side,
                const struct emlat_sessions *sessions)
{
    for (size_t i = 0; i < sessions->count; i++) {
        const struct emlat_session_files *session = &sessions->sessions[i];
        struct emlat_summary summary;
        int code = emlat_inputs_summarize(session, EMLAT_WITH_METRICS, &summary);
        if (code == EMLAT_GO_ON &&
            emlat_comparison_take(comparison, side, &summary, session->readers[session->count - 1]))
            code = emlat_complain_file(session->paths[0], NULL);
        emlat_summary_free(&summary);
        if (code != EMLAT_GO_ON)
            return code;
    }
    return EMLAT_GO_ON;
}

/* A session that is on both sides, or null.  */
static const char *on_both(const struct emlat_sessions sides[EMLAT_SIDES])
{
    for (size_t i = 0; i < sides[0].count; i++)
        for (size_t k = 0; k < sides[1].count; k++)
            if (memcmp(emlat_reader_file(sides[0].sessions[i].readers[0])->uuid,
                       emlat_reader_file(sides[1].sessions[k].readers[0])->uuid, 16) == 0)
                return sides[1].sessions[k].paths[0];
    return NULL;
}

static int answer(const struct emlat_comparison *comparison, bool force, bool allow_loss)
{
    if (!comparison->comparable && !force) {
        fputs("emlat compare: the two sides differ in more than what was to be measured\n"
              "hint: --across=build (or machine, size, terminal) says that this is wanted;\n"
              "hint: --force shows the differences, without intervals\n",
              stderr);
        return EMLAT_EXIT_USAGE;
    }
    if ((comparison->lost[EMLAT_SIDE_A] || comparison->lost[EMLAT_SIDE_B]) && !allow_loss)
        return EMLAT_EXIT_LOSS;
    for (size_t i = 0; i < comparison->rows_count; i++)
        if (comparison->rows[i].verdict == EMLAT_MORE)
            return EMLAT_EXIT_FAILED;
    return EMLAT_EXIT_OK;
}

struct wish {
    const char *across;
    bool json, force, allow_loss;
};

static int compare(const struct emlat_sessions sides[EMLAT_SIDES], const struct wish *wish)
{
    struct emlat_comparison comparison;
    struct emlat_style style = emlat_options_style();
    const size_t runs[] = {sides[EMLAT_SIDE_A].count, sides[EMLAT_SIDE_B].count};
    int code =
        emlat_comparison_begin(&comparison, runs) ? emlat_complain_file("", NULL) : EMLAT_GO_ON;
    for (int side = 0; side < EMLAT_SIDES && code == EMLAT_GO_ON; side++)
        code = take(&comparison, (enum emlat_side)side, &sides[side]);
    if (code == EMLAT_GO_ON && emlat_comparison_judge(&comparison, wish->across))
        code = emlat_complain_file("", NULL);
    if (code == EMLAT_GO_ON) {
        if (wish->json)
            emlat_compare_json(stdout, &comparison);
        else if (comparison.comparable || wish->force)
            emlat_compare_text(stdout, &comparison, &style);
        else
            emlat_compare_differences(stdout, &comparison, &style);
        fflush(stdout);
        code = answer(&comparison, wish->force, wish->allow_loss);
    }
    emlat_comparison_free(&comparison);
    return code;
}

int emlat_verb_compare(int argc, char **argv)
{
    static const char *paths[EMLAT_SIDES][FILES_MAX];
    size_t counts[EMLAT_SIDES] = {0, 0};
    struct wish wish = {0};
    char **rest;
    const struct emlat_option options[] = {
        {"across", 0, EMLAT_OPTION_CHOICE, emlat_compare_classes, &wish.across,
         "this is what differs on purpose"},
        {"force", 0, EMLAT_OPTION_FLAG, NULL, &wish.force,
         "show what cannot be compared, too, without intervals"},
        {"json", 0, EMLAT_OPTION_FLAG, NULL, &wish.json, "print one JSON object, emlat.compare/1"},
        {"allow-loss", 0, EMLAT_OPTION_FLAG, NULL, &wish.allow_loss,
         "answer although records were lost"},
    };
    const struct emlat_usage usage = {
        .verb = "compare",
        .operands = "A… -- B…",
        .summary = "Tell whether the runs B are slower than the runs A of the same work.\n"
                   "Files of one session, which rotation made, are one run.",
        .details = "examples\n"
                   "  emlat compare before-*.emlat -- after-*.emlat\n"
                   "  emlat compare --across=build old-*.emlat -- new-*.emlat\n"
                   "  emlat compare --force monday.emlat -- tuesday.emlat\n"
                   "runs\n"
                   "  record A and B in turns (A B A B …), 20 of each, of one replay;\n"
                   "  EMLAT_WORKLOAD=name in Emacs' environment names the work in the recording\n"
                   "exit codes\n"
                   "  0 nothing is slower   1 something is   2 not comparable   3 damaged file\n"
                   "  4 records were lost\n",
        .options = options,
        .options_count = sizeof options / sizeof *options,
        .operands_least = 1,
        .operands_most = FILES_MAX,
        .draws = true,
        .rest = &rest,
    };
    int code = emlat_options_parse(&usage, argc, argv, paths[EMLAT_SIDE_A], FILES_MAX,
                                   &counts[EMLAT_SIDE_A]);
    if (code != EMLAT_GO_ON)
        return code;
    for (; rest && *rest; rest++) {
        if (counts[EMLAT_SIDE_B] == FILES_MAX)
            return emlat_options_wrong(&usage, "more than %d files", FILES_MAX);
        if (strncmp(*rest, "--", 2) == 0)
            return emlat_options_wrong(&usage, "'%s' after --: options come before the files",
                                       *rest);
        paths[EMLAT_SIDE_B][counts[EMLAT_SIDE_B]++] = *rest;
    }
    if (!counts[EMLAT_SIDE_B] && counts[EMLAT_SIDE_A] == 2) {
        paths[EMLAT_SIDE_B][0] = paths[EMLAT_SIDE_A][1];
        counts[EMLAT_SIDE_A] = counts[EMLAT_SIDE_B] = 1;
    }
    if (!counts[EMLAT_SIDE_B])
        return emlat_options_wrong(&usage, "wants two sides: A… -- B…");
    struct emlat_sessions sides[EMLAT_SIDES] = {{0}};
    for (int side = 0; side < EMLAT_SIDES && code == EMLAT_GO_ON; side++)
        code = emlat_inputs_open("compare", paths[side], counts[side], &sides[side]);
    const char *both = code == EMLAT_GO_ON ? on_both(sides) : NULL;
    if (both)
        code = emlat_options_wrong(&usage, "%s is of a session that is on side A, too", both);
    if (code == EMLAT_GO_ON)
        code = compare(sides, &wish);
    for (int side = 0; side < EMLAT_SIDES; side++)
        emlat_sessions_free(&sides[side]);
    return code;
}

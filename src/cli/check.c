/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   emlat check: whether a recording keeps to its budgets, for a person, a program or a CI system.
   What cannot be decided is no success.  */
#include "budget.h"
#include "complain.h"
#include "inputs.h"
#include "json_write.h"
#include "options.h"
#include "verbs.h"

#include <emlat/errors.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BUDGETS_MAX = 256, FILES_MAX = 1024 };
enum form { TEXT, JSON, JUNIT };

struct check {
    struct emlat_budget budgets[BUDGETS_MAX];
    struct emlat_budget_result results[BUDGETS_MAX];
    size_t count;
};

/* ---- Budgets ----------------------------------------------------------------------------------
 */

/* Take TEXT, which WHERE says the place of.  */
static int take(const struct emlat_usage *usage, struct check *check, const char *text,
                const char *where)
{
    char why[EMLAT_BUDGET_WHY];
    if (check->count == BUDGETS_MAX)
        return emlat_options_wrong(usage, "more than %d budgets", BUDGETS_MAX);
    if (emlat_budget_parse(text, &check->budgets[check->count], why))
        return emlat_options_wrong(usage, "%sbudget '%s': %s", where, text, why);
    check->count++;
    return EMLAT_GO_ON;
}

/* A budget a line; # begins a comment.  */
static int take_file(const struct emlat_usage *usage, struct check *check, const char *path)
{
    char line[2 * EMLAT_BUDGET_TEXT], where[300];
    FILE *file = fopen(path, "re");
    if (!file) {
        fprintf(stderr, "emlat check: %s: %s\n", path, strerror(errno));
        return EMLAT_EXIT_DAMAGED;
    }
    int code = EMLAT_GO_ON;
    for (unsigned number = 1; code == EMLAT_GO_ON && fgets(line, sizeof line, file); number++) {
        line[strcspn(line, "#\r\n")] = '\0';
        size_t length = strlen(line), begin = strspn(line, " \t");
        while (length > begin && strchr(" \t", line[length - 1]))
            line[--length] = '\0';
        snprintf(where, sizeof where, "%.250s:%u: ", path, number);
        if (line[begin])
            code = take(usage, check, line + begin, where);
    }
    fclose(file);
    return code;
}

/* ---- Views ------------------------------------------------------------------------------------
 */

/* The figure's bounds: "3.21 ms", "3.21 ms .. 4.30 ms", "3.21 ms .. ?"; "" where there is none.  */
static void bounds(const struct emlat_budget *budget, const struct emlat_budget_result *result,
                   char text[80])
{
    char least[32], most[32];
    *text = '\0';
    if (!result->has_least)
        return;
    emlat_budget_figure(budget, result->least, least);
    if (result->has_most && result->most <= result->least)
        snprintf(text, 80, "%s", least);
    else
        snprintf(text, 80, "%s .. %s", least,
                 result->has_most ? emlat_budget_figure(budget, result->most, most) : "?");
}

static size_t count(const struct check *check, enum emlat_budget_answer answer)
{
    size_t n = 0;
    for (size_t i = 0; i < check->count; i++)
        n += check->results[i].answer == answer;
    return n;
}

static void print_text(const struct check *check, const struct emlat_style *style)
{
    static const enum emlat_mark marks[] = {EMLAT_MARK_GOOD, EMLAT_MARK_BAD, EMLAT_MARK_DOUBT};
    for (size_t i = 0; i < check->count; i++) {
        const struct emlat_budget_result *result = &check->results[i];
        char text[80];
        bounds(&check->budgets[i], result, text);
        printf("%s%-9s%s  ", emlat_mark(style, marks[result->answer]),
               emlat_budget_answer_name(result->answer), emlat_mark(style, EMLAT_MARK_END));
        emlat_print_column(stdout, check->budgets[i].text, 32);
        printf("  %s", *text ? text : emlat_absent(style));
        printf("  n %" PRIu64 "\n", result->n);
        if (*result->why)
            printf("%-9s  %s\n", "", result->why);
    }
    printf("%zu passed, %zu failed, %zu undecided\n", count(check, EMLAT_BUDGET_PASS),
           count(check, EMLAT_BUDGET_FAIL), count(check, EMLAT_BUDGET_UNDECIDED));
}

static void put_figure(struct emlat_json *json, const char *key, bool has, double value)
{
    if (has)
        emlat_json_double(json, key, value);
    else
        emlat_json_null(json, key);
}

static void print_json(const struct check *check, const struct emlat_summary *summary, bool whole)
{
    struct emlat_json json = {.to = stdout};
    emlat_json_open(&json, NULL, '{');
    emlat_json_string(&json, "schema", "emlat.check/1");
    emlat_json_bool(&json, "whole", whole);
    emlat_json_bool(&json, "passed", count(check, EMLAT_BUDGET_PASS) == check->count);
    emlat_json_u64(&json, "records_lost", summary->loss.records);
    emlat_json_open(&json, "budgets", '[');
    for (size_t i = 0; i < check->count; i++) {
        const struct emlat_budget *budget = &check->budgets[i];
        const struct emlat_budget_result *result = &check->results[i];
        emlat_json_open(&json, NULL, '{');
        emlat_json_string(&json, "budget", budget->text);
        emlat_json_string(&json, "answer", emlat_budget_answer_name(result->answer));
        emlat_json_string(&json, "unit",
                          budget->statistic == EMLAT_BUDGET_N       ? "count"
                          : budget->statistic == EMLAT_BUDGET_SHARE ? "share"
                                                                    : "ns");
        emlat_json_double(&json, "limit", budget->limit);
        put_figure(&json, "least", result->has_least, result->least);
        put_figure(&json, "most", result->has_most, result->most);
        emlat_json_u64(&json, "n", result->n);
        if (*result->why)
            emlat_json_string(&json, "why", result->why);
        else
            emlat_json_null(&json, "why");
        emlat_json_close(&json, '}');
    }
    emlat_json_close(&json, ']');
    emlat_json_close(&json, '}');
    emlat_json_line(&json);
}

static void xml(const char *text)
{
    const char *piece;
    size_t length;
    while ((length = emlat_utf8_next(&text, &piece)) != 0) {
        switch (*piece) {
        case '<': fputs("&lt;", stdout); break;
        case '>': fputs("&gt;", stdout); break;
        case '&': fputs("&amp;", stdout); break;
        case '"': fputs("&quot;", stdout); break;
        default:
            /* XML 1.0 has no other control characters, not even escaped.  */
            if ((unsigned char)*piece < 0x20 && !strchr("\t\n", *piece))
                fputs("\ufffd", stdout);
            else
                fwrite(piece, 1, length, stdout);
        }
    }
}

/* The form that CI systems read, as Jenkins' xunit plugin describes it.  An undecided budget is a
   failure there as it is here.  */
static void print_junit(const struct check *check, const char *path)
{
    size_t passed = count(check, EMLAT_BUDGET_PASS);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"", stdout);
    xml(path);
    printf("\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\">\n", check->count,
           check->count - passed);
    for (size_t i = 0; i < check->count; i++) {
        const struct emlat_budget_result *result = &check->results[i];
        char text[80];
        bounds(&check->budgets[i], result, text);
        fputs("<testcase classname=\"emlat.check\" name=\"", stdout);
        xml(check->budgets[i].text);
        if (result->answer == EMLAT_BUDGET_PASS) {
            fputs("\"/>\n", stdout);
            continue;
        }
        printf("\"><failure type=\"%s\" message=\"", emlat_budget_answer_name(result->answer));
        xml(*text ? text : "absent");
        fputs("\">", stdout);
        xml(result->why);
        fputs("</failure></testcase>\n", stdout);
    }
    fputs("</testsuite>\n</testsuites>\n", stdout);
}

/* ---- The verb ---------------------------------------------------------------------------------
 */

static int run(struct check *check, const char *const *paths, size_t paths_count, enum form form,
               bool allow_loss)
{
    struct emlat_sessions sessions;
    struct emlat_summary summary;
    int code = emlat_inputs_open("check", paths, paths_count, &sessions);
    if (code == EMLAT_GO_ON && sessions.count > 1) {
        fprintf(stderr,
                "emlat check: %s and %s are of different sessions\n"
                "hint: check each on its own; emlat compare takes several\n",
                sessions.sessions[0].paths[0], sessions.sessions[1].paths[0]);
        code = EMLAT_EXIT_USAGE;
    }
    if (code == EMLAT_GO_ON) {
        const struct emlat_session_files *session = &sessions.sessions[0];
        int damage = emlat_inputs_summarize(session, EMLAT_WITH_METRICS, &summary);
        for (size_t i = 0; i < check->count; i++)
            emlat_budget_check(&check->budgets[i], &summary, session->readers[session->count - 1],
                               &check->results[i]);
        struct emlat_style style = emlat_options_style();
        if (form == JSON)
            print_json(check, &summary, damage == EMLAT_GO_ON);
        else if (form == JUNIT)
            print_junit(check, paths[0]);
        else
            print_text(check, &style);
        bool lost = summary.loss.records && !allow_loss;
        if (lost)
            fprintf(stderr,
                    "emlat check: %s: %" PRIu64 " records were lost, which voids the answer\n"
                    "hint: --allow-loss takes it as it is\n",
                    paths[0], summary.loss.records);
        code = damage != EMLAT_GO_ON                             ? damage
               : lost                                            ? EMLAT_EXIT_LOSS
               : count(check, EMLAT_BUDGET_PASS) != check->count ? EMLAT_EXIT_FAILED
                                                                 : EMLAT_EXIT_OK;
        emlat_summary_free(&summary);
    }
    emlat_sessions_free(&sessions);
    return code;
}

int emlat_verb_check(int argc, char **argv)
{
    static const char *given[BUDGETS_MAX], *paths[FILES_MAX];
    struct emlat_option_list texts = {given, 0, BUDGETS_MAX};
    const char *file = NULL;
    bool json = false, junit = false, allow_loss = false;
    size_t paths_count;
    const struct emlat_option options[] = {
        {"budget", 'b', EMLAT_OPTION_LIST, "BUDGET", &texts,
         "what is to hold; may be given again and again"},
        {"budgets", 0, EMLAT_OPTION_FILE, "FILE", &file,
         "read budgets from FILE, one a line; # begins a comment"},
        {"json", 0, EMLAT_OPTION_FLAG, NULL, &json, "print one JSON object, emlat.check/1"},
        {"junit", 0, EMLAT_OPTION_FLAG, NULL, &junit, "print JUnit's XML"},
        {"allow-loss", 0, EMLAT_OPTION_FLAG, NULL, &allow_loss,
         "answer although records were lost"},
    };
    const struct emlat_usage usage = {
        .verb = "check",
        .operands = "FILE…",
        .summary = "Hold a recording (the files of one session) against budgets.",
        .details =
            "budgets are: a statistic, of what, a comparison, a limit\n"
            "  p99 flushed <= 16.7ms        p95 answer <= 50ms      max timer <= 50ms\n"
            "  p95 post_command_ns flushed < 5ms                    share superseded <= 10%\n"
            "  statistics   min mean median pN max total n share\n"
            "  of what      a population (flushed no_output superseded waits_for_person\n"
            "               no_input open), answer (each key's wait, whatever became of its\n"
            "               display), quit, a root kind (timer …), and a metric of doc/json.md\n"
            "  limits       ns us ms s; % for share\n"
            "examples\n"
            "  emlat check work.emlat -b 'p99 flushed <= 16.7ms' -b 'share superseded <= 10%'\n"
            "  emlat check work.emlat --budgets latency.budgets --junit > check.xml\n"
            "exit codes\n"
            "  0 all hold   1 one does not, or is undecided   2 wrong use   3 damaged file\n"
            "  4 records were lost\n",
        .options = options,
        .options_count = sizeof options / sizeof *options,
        .operands_least = 1,
        .operands_most = FILES_MAX,
        .draws = true,
    };
    int code = emlat_options_parse(&usage, argc, argv, paths, FILES_MAX, &paths_count);
    if (code != EMLAT_GO_ON)
        return code;
    if (json && junit)
        return emlat_options_wrong(&usage, "--json and --junit exclude each other");
    struct check *check = calloc(1, sizeof *check);
    if (!check)
        return emlat_complain_file(paths[0], NULL);
    for (size_t i = 0; i < texts.count && code == EMLAT_GO_ON; i++)
        code = take(&usage, check, texts.values[i], "");
    if (file && code == EMLAT_GO_ON)
        code = take_file(&usage, check, file);
    if (code == EMLAT_GO_ON && !check->count)
        code = emlat_options_wrong(&usage, "no budget: --budget or --budgets is wanted");
    if (code == EMLAT_GO_ON)
        code = run(check, paths, paths_count, json ? JSON : junit ? JUNIT : TEXT, allow_loss);
    free(check);
    return code;
}

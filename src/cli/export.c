/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   emlat export: a recording for other programs.  The formats' table is src/report's.  */
#include "export.h"
#include "complain.h"
#include "options.h"
#include "progress.h"
#include "verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* An export says as much of a person's work as the recording does, so it is created like one: for
   its owner alone, and never over or through something that is there.  */
static FILE *create(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file)
        fprintf(stderr, "emlat export: %s: %s\n%s", path, strerror(errno),
                errno == EEXIST ? "hint: nothing is ever written over; remove it or name another\n"
                                : "");
    return file;
}

static void skipped(void *data, const struct emlat_chunk_info *chunk)
{
    emlat_complain_skipped(data, chunk);
}

/* What a person who thinks that all is there must know.  The exit code.  */
static int remark(const char *path, const struct emlat_export_result *result, bool allow_loss)
{
    fflush(stdout);
    if (result->left_out)
        fprintf(stderr,
                "emlat: %s: %" PRIu64 " slices are left out: their begin is absent, or their times "
                "contradict each other\n",
                path, result->left_out);
    if (!result->lost)
        return EMLAT_EXIT_OK;
    fprintf(stderr, "emlat: %s: %" PRIu64 " records were lost while recording\n", path,
            result->lost);
    if (allow_loss)
        return EMLAT_EXIT_OK;
    fputs("hint: what there is has been exported; --allow-loss makes that exit code 0\n", stderr);
    return EMLAT_EXIT_LOSS;
}

static int export_to(FILE *to, const char *out, const char *path, struct emlat_export_order *order,
                     bool allow_loss)
{
    struct emlat_export_result result;
    struct emlat_reader *reader;
    order->to = to;
    order->on_skipped = skipped;
    order->data = (void *)(uintptr_t)path;
    int error = emlat_export_file(path, order, &result, &reader);
    int code = EMLAT_EXIT_OK, system_errno = errno;
    bool incomplete = false;
    if (to != stdout && fclose(to) != 0 && !error) {
        system_errno = errno;
        error = EMLAT_EIO;
    }
    if (!error) {
        code = remark(path, &result, allow_loss);
    } else if (reader && emlat_reader_problem(reader)->code) {
        code = emlat_complain_file(path, reader);
        incomplete = !emlat_reader_counts(reader)->chunks;
    } else {
        fprintf(stderr, "emlat export: %s: %s\n", error == EMLAT_EIO ? out : path,
                error == EMLAT_EIO ? strerror(system_errno)
                : result.problem   ? result.problem
                                   : emlat_strerror(error));
        code = EMLAT_EXIT_DAMAGED;
        incomplete = true;
    }
    if (incomplete && to != stdout)
        unlink(out);
    if (!error && !result.interactions && order->cause) {
        fprintf(stderr, "emlat export: %s: no interaction has cause %" PRIu64 "\n", path,
                order->cause);
        code = EMLAT_EXIT_FAILED;
    }
    emlat_reader_close(reader);
    return code;
}

/* The formats' names, "a|b", and what each is, a line each.  */
static void list_formats(char *names, size_t names_size, char *lines, size_t lines_size)
{
    size_t n = 0, l = (size_t)snprintf(lines, lines_size, "formats\n");
    for (size_t i = 0; i < emlat_export_views_count; i++) {
        const struct emlat_export_view *view = emlat_export_views[i];
        n += (size_t)snprintf(names + n, names_size - n, "%s%s", i ? "|" : "", view->name);
        l += (size_t)snprintf(lines + l, lines_size - l, "  %-12s %s\n", view->name, view->about);
    }
    snprintf(lines + l, lines_size - l,
             "examples\n"
             "  emlat export work.emlat --format perfetto -o work.pftrace\n"
             "  emlat export work.emlat --format sql -o - | sqlite3 work.db\n"
             "  emlat export work.emlat --format chrome --slowest 20 -o slow.json\n"
             "exit codes\n"
             "  0 written   1 there is no such interaction   2 wrong use\n"
             "  3 the file is damaged (what is good is written), or writing failed\n"
             "  4 records were lost while recording\n");
}

int emlat_verb_export(int argc, char **argv)
{
    char formats[128], details[1536];
    const char *format = NULL, *out = NULL, *path;
    struct emlat_export_order order = {.view = NULL};
    bool allow_loss = false;
    size_t count;
    list_formats(formats, sizeof formats, details, sizeof details);
    const struct emlat_option options[] = {
        {"format", 'f', EMLAT_OPTION_CHOICE, formats, &format, "what to write, see below"},
        {"output", 'o', EMLAT_OPTION_FILE, "OUT", &out, "the file to create; - is standard output"},
        {"slowest", 0, EMLAT_OPTION_NUMBER, "N", &order.slowest,
         "only the N slowest flushed commands (speedscope: 100)"},
        {"cause", 0, EMLAT_OPTION_NUMBER, "ID", &order.cause,
         "only the interaction with this cause_id"},
        {"allow-loss", 0, EMLAT_OPTION_FLAG, NULL, &allow_loss,
         "exit 0 although records were lost"},
    };
    const struct emlat_usage usage = {
        .verb = "export",
        .operands = "FILE",
        .summary =
            "Write FILE in a format of other programs.  OUT must not exist; it is created for\n"
            "its owner alone.",
        .details = details,
        .options = options,
        .options_count = sizeof options / sizeof *options,
        .operands_least = 1,
        .operands_most = 1,
    };
    int code = emlat_options_parse(&usage, argc, argv, &path, 1, &count);
    if (code != EMLAT_GO_ON)
        return code;
    if (!format || !out)
        return emlat_options_wrong(&usage, "wants %s", format ? "--output" : "--format");
    for (size_t i = 0; i < emlat_export_views_count; i++)
        if (strcmp(format, emlat_export_views[i]->name) == 0)
            order.view = emlat_export_views[i];
    if (order.cause && order.slowest)
        return emlat_options_wrong(&usage, "--slowest and --cause exclude each other");
    if (!order.cause && !order.slowest)
        order.slowest = order.view->slowest;
    if (order.slowest > EMLAT_EXPORT_SLOWEST_MAX)
        return emlat_options_wrong(&usage, "--slowest is at most %d", EMLAT_EXPORT_SLOWEST_MAX);
    if (order.slowest && strcmp(path, "-") == 0)
        return emlat_options_wrong(&usage, "the slowest are found by reading twice, which standard "
                                           "input does not allow");
    bool piped = strcmp(out, "-") == 0;
    if (piped && strcmp(format, "perfetto") == 0 && isatty(STDOUT_FILENO))
        return emlat_options_wrong(&usage, "perfetto's bytes are not for a terminal");
    if (piped)
        emlat_progress_stop_where_seen();
    FILE *to = piped ? stdout : create(out);
    return to ? export_to(to, piped ? "standard output" : out, path, &order, allow_loss)
              : EMLAT_EXIT_DAMAGED;
}

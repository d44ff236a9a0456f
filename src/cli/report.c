/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   emlat report: the latency of a recorded session, for a person or a program.  */
#include "report.h"
#include "complain.h"
#include "options.h"
#include "verbs.h"

static void skipped(void *data, size_t file, const struct emlat_chunk_info *chunk)
{
    (void)file;
    emlat_complain_skipped(data, chunk);
}

int emlat_verb_report(int argc, char **argv)
{
    bool json = false, share = false, allow_loss = false;
    const char *path;
    size_t count;
    const struct emlat_option options[] = {
        {"json", 0, EMLAT_OPTION_FLAG, NULL, &json, "print one JSON object, emlat.report/1"},
        {"share", 0, EMLAT_OPTION_FLAG, NULL, &share,
         "print text for a bug report, which says what it holds"},
        {"allow-loss", 0, EMLAT_OPTION_FLAG, NULL, &allow_loss,
         "exit 0 although records were lost"},
    };
    const struct emlat_usage usage = {
        .verb = "report",
        .operands = "FILE",
        .summary = "Print how long the interactions in FILE (- is standard input) took, and where.",
        .details = "examples\n"
                   "  emlat report work.emlat\n"
                   "  emlat report --json work.emlat | jq .verdict\n"
                   "  emlat report --share work.emlat > for-the-bug-report.txt\n"
                   "exit codes\n"
                   "  0 all well   3 damaged (what is good is reported)   4 records were lost\n",
        .options = options,
        .options_count = sizeof options / sizeof *options,
        .operands_least = 1,
        .operands_most = 1,
        .draws = true,
    };
    int code = emlat_options_parse(&usage, argc, argv, &path, 1, &count);
    if (code != EMLAT_GO_ON)
        return code;
    if (json && share)
        return emlat_options_wrong(&usage, "--share is text: not with --json");
    struct emlat_reader *reader;
    struct emlat_summary summary;
    int error = emlat_reader_open(&reader, path);
    if (error) {
        code = emlat_complain_file(path, reader);
        emlat_reader_close(reader);
        return code;
    }
    error =
        emlat_summarize(&reader, 1, json ? EMLAT_WITH_METRICS : 0, &summary, skipped, (void *)path);
    const struct emlat_report report = {
        .path = path, .reader = reader, .summary = &summary, .whole = !error, .share = share};
    if (json) {
        emlat_report_json(stdout, &report);
    } else {
        struct emlat_style style = emlat_options_style();
        emlat_report_text(stdout, &report, &style);
    }
    code = EMLAT_EXIT_OK;
    if (error)
        code = emlat_complain_file(path, reader);
    else if (summary.loss.records && !allow_loss)
        code = EMLAT_EXIT_LOSS;
    emlat_summary_free(&summary);
    emlat_reader_close(reader);
    return code;
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   emlat verify: is every byte as it was written, and is anything known to be missing?  Says nothing
   of what the records mean.  */
#include "complain.h"
#include "options.h"
#include "verbs.h"
#include "words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_loss(FILE *to, const struct emlat_reader *reader,
                       const struct emlat_record *record)
{
    const struct emlat_file_info *file = emlat_reader_file(reader);
    const uint64_t *value = record->value;
    char size[EMLAT_SHORT_TEXT], first[EMLAT_SHORT_TEXT], last[EMLAT_SHORT_TEXT], reason[32] = "?";
    const char *stream = NULL, *why = NULL;
    if (emlat_record_has(record, EMLAT_LOSS_stream))
        stream = emlat_type_word(EMLAT_TYPE_STREAM, value[EMLAT_LOSS_stream]);
    if (emlat_record_has(record, EMLAT_LOSS_reason))
        why = emlat_type_word(EMLAT_TYPE_REASON, value[EMLAT_LOSS_reason]);
    if (why)
        snprintf(reason, sizeof reason, "%s", why);
    for (char *at = strchr(reason, '_'); at; at = strchr(at, '_'))
        *at = ' ';
    fprintf(to, "  LOSS %s %s: ", stream ? stream : "?", reason);
    fprintf(to, "%" PRIu64 " records, %s",
            emlat_record_has(record, EMLAT_LOSS_records) ? value[EMLAT_LOSS_records] : 0,
            emlat_size_text(
                size, emlat_record_has(record, EMLAT_LOSS_bytes) ? value[EMLAT_LOSS_bytes] : 0));
    if (emlat_record_has(record, EMLAT_LOSS_t_first) && emlat_record_has(record, EMLAT_LOSS_t_last))
        fprintf(to, ", %s-%s", emlat_time_text(first, file, value[EMLAT_LOSS_t_first], false),
                emlat_time_text(last, file, value[EMLAT_LOSS_t_last], false));
    putc('\n', to);
}

static void print_counts(const char *path, const struct emlat_reader *reader)
{
    static const char *const names[] = {"",     "SESSION", "STRING", "INPUT",  "INTERACTION",
                                        "SPAN", "LOSS",    "FRAME",  "SAMPLE", "STAGE",
                                        "JOB",  "MARK"};
    enum { KNOWN = sizeof names / sizeof *names };
    const struct emlat_file_info *file = emlat_reader_file(reader);
    const struct emlat_reader_counts *counts = emlat_reader_counts(reader);
    char uuid[EMLAT_UUID_TEXT], size[EMLAT_SHORT_TEXT];
    printf("%s: format %u.%u, header ok, session %.6s, file %" PRIu64 " of the session, %s good\n ",
           path, file->major, file->minor, emlat_uuid_text(uuid, file->uuid), file->sequence + 1,
           emlat_size_text(size, counts->bytes));
    uint64_t unknown = counts->chunks_of_type[0];
    for (unsigned type = 1; type < KNOWN; type++)
        /* Of a frame loop's chunks, those that there are.  */
        if (type <= 6 || counts->chunks_of_type[type])
            printf("%s%s %" PRIu64, type > 1 ? "  " : " ", names[type],
                   counts->chunks_of_type[type]);
    for (unsigned type = KNOWN; type < 16; type++)
        unknown += counts->chunks_of_type[type];
    if (unknown)
        printf("  unknown %" PRIu64, unknown);
    putchar('\n');
}

/* The problem that ended the scan, as a line of the result.  */
static void print_problem(const struct emlat_problem *problem)
{
    printf("  0x%" PRIx64 "  chunk %" PRIu64 "%s%s: %s\n", problem->offset, problem->chunk,
           *problem->chunk_name ? " " : "", problem->chunk_name, problem->message);
}

/* What the scan finds besides counts.  The lines are kept until the counts above them are known: a
   pipe cannot be read twice.  */
struct findings {
    FILE *lines;
    uint64_t losses, skipped; /* LOSS records, and chunks that were passed over */
};

enum { LINES_MAX = 50 }; /* of each sort */

static void take(struct findings *findings, const struct emlat_reader *reader,
                 const struct emlat_item *item)
{
    bool loss = item->kind == EMLAT_ITEM_RECORD && item->record->type == EMLAT_LOSS;
    bool skipped = item->kind == EMLAT_ITEM_CHUNK && item->chunk->skipped;
    if (!loss && !skipped)
        return;
    if (++*(loss ? &findings->losses : &findings->skipped) > LINES_MAX)
        return;
    if (loss)
        print_loss(findings->lines, reader, item->record);
    else
        fprintf(findings->lines,
                "  0x%" PRIx64 "  chunk %" PRIu64 " %s: skipped %" PRIu32
                " bytes of type %u, version %u, flags 0x%" PRIx32 "\n",
                item->chunk->offset, item->chunk->number, item->chunk->name, item->chunk->stored,
                item->chunk->type, item->chunk->version, item->chunk->flags);
}

/* What the whole comes to: a line, a hint on stderr, the exit code.  */
static int judge(const struct emlat_reader *reader, const struct findings *findings)
{
    const struct emlat_style style = emlat_options_style();
    const char *word = "ok";
    enum emlat_mark mark = EMLAT_MARK_GOOD;
    const struct emlat_problem *problem = emlat_reader_problem(reader);
    const struct emlat_attribute_value *complete = emlat_reader_attribute(reader, "complete");
    uint64_t gaps = emlat_reader_counts(reader)->sequence_gaps;
    bool closed = complete && complete->number == 1;
    const char *hint = problem->hint;
    int code = EMLAT_EXIT_OK;
    if (gaps)
        printf("  %" PRIu64 " chunks are missing between those that are there\n", gaps);
    if (!closed)
        printf("  not closed: still being recorded, or the program ended without stopping it\n");
    if (problem->code) {
        code = emlat_exit_code(problem->code);
        word = "DAMAGED";
        mark = EMLAT_MARK_BAD;
    } else if (findings->losses || findings->skipped || gaps) {
        code = EMLAT_EXIT_LOSS;
        hint = findings->skipped ? "a newer emlat may read what was skipped"
                                 : "what is there is sound, but not all that happened is there";
        word = "LOSS";
        mark = EMLAT_MARK_DOUBT;
    }
    printf("%s%s%s\n", emlat_mark(&style, mark), word, emlat_mark(&style, EMLAT_MARK_END));
    fflush(stdout);
    if (hint)
        fprintf(stderr, "hint: %s\n", hint);
    return code;
}

static int scan(const char *path, struct emlat_reader *reader)
{
    char *text = NULL;
    size_t size = 0;
    struct emlat_item item;
    struct findings findings = {.lines = open_memstream(&text, &size)};
    int error;
    if (!findings.lines)
        return emlat_complain_file(path, NULL);
    while (!(error = emlat_reader_next(reader, &item)) && item.kind != EMLAT_ITEM_END)
        take(&findings, reader, &item);
    if (findings.losses > LINES_MAX)
        fprintf(findings.lines, "  and %" PRIu64 " losses more\n", findings.losses - LINES_MAX);
    if (findings.skipped > LINES_MAX)
        fprintf(findings.lines, "  and %" PRIu64 " skipped chunks more\n",
                findings.skipped - LINES_MAX);
    fclose(findings.lines);
    print_counts(path, reader);
    fputs(text, stdout);
    free(text);
    if (error)
        print_problem(emlat_reader_problem(reader));
    return judge(reader, &findings);
}

int emlat_verb_verify(int argc, char **argv)
{
    const char *path;
    size_t count;
    const struct emlat_usage usage = {
        .verb = "verify",
        .operands = "FILE",
        .summary =
            "Check FILE (- is standard input) from its first byte to its last: every length,\n"
            "every check sum, every record; and say what is known to be missing.",
        .operands_least = 1,
        .operands_most = 1,
        .colors = true,
    };
    int code = emlat_options_parse(&usage, argc, argv, &path, 1, &count);
    if (code != EMLAT_GO_ON)
        return code;
    struct emlat_reader *reader;
    code =
        emlat_reader_open(&reader, path) ? emlat_complain_file(path, reader) : scan(path, reader);
    emlat_reader_close(reader);
    return code;
}

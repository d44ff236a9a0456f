/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See complain.h.  */
#include "complain.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

int emlat_exit_code(int error)
{
    if (!error)
        return EMLAT_EXIT_OK;
    return error == EMLAT_EINVAL ? EMLAT_EXIT_USAGE : EMLAT_EXIT_DAMAGED;
}

int emlat_complain_file(const char *path, const struct emlat_reader *reader)
{
    if (!reader) {
        fprintf(stderr, "emlat: %s: %s\n", path, emlat_strerror(EMLAT_ENOMEM));
        return EMLAT_EXIT_DAMAGED;
    }
    const struct emlat_problem *problem = emlat_reader_problem(reader);
    fflush(stdout);
    fprintf(stderr, "emlat: %s: ", path);
    if (problem->offset || problem->chunk)
        fprintf(stderr, "offset 0x%" PRIx64, problem->offset);
    if (problem->chunk)
        fprintf(stderr, ", chunk %" PRIu64, problem->chunk);
    if (*problem->chunk_name)
        fprintf(stderr, " (%s)", problem->chunk_name);
    fprintf(stderr, "%s%s\n", problem->offset || problem->chunk ? ": " : "", problem->message);
    if (problem->hint)
        fprintf(stderr, "hint: %s\n", problem->hint);
    return emlat_exit_code(problem->code);
}

void emlat_complain_skipped(const char *path, const struct emlat_chunk_info *chunk)
{
    fflush(stdout);
    fprintf(stderr,
            "emlat: %s: offset 0x%" PRIx64 ", chunk %" PRIu64 " (%s): skipped %" PRIu32
            " bytes of chunk type %u, version %u, flags 0x%" PRIx32 "\n",
            path, chunk->offset, chunk->number, chunk->name, chunk->stored, chunk->type,
            chunk->version, chunk->flags);
}

void emlat_complain_usage(const char *verb, const char *hint, const char *format, va_list arguments)
{
    fflush(stdout);
    fprintf(stderr, "emlat%s%s: ", verb ? " " : "", verb ? verb : "");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nhint: %s\n", hint);
}

/* Letters to add, leave out, change or swap to make A of LENGTH_A into B: Damerau's distance.  */
enum { NAME_MAX_LENGTH = 31 };
static unsigned distance_between(const char *a, size_t length_a, const char *b, size_t length_b)
{
    unsigned steps[NAME_MAX_LENGTH + 1][NAME_MAX_LENGTH + 1];
    for (size_t i = 0; i <= length_a; i++) {
        for (size_t j = 0; j <= length_b; j++) {
            if (!i || !j) {
                steps[i][j] = (unsigned)(i + j);
                continue;
            }
            unsigned best = steps[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (steps[i - 1][j] + 1 < best)
                best = steps[i - 1][j] + 1;
            if (steps[i][j - 1] + 1 < best)
                best = steps[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                steps[i - 2][j - 2] + 1 < best)
                best = steps[i - 2][j - 2] + 1;
            steps[i][j] = best;
        }
    }
    return steps[length_a][length_b];
}

void emlat_nearest_try(struct emlat_nearest *nearest, const char *name)
{
    size_t length = strlen(name);
    if (!nearest->length || nearest->length > NAME_MAX_LENGTH || length > NAME_MAX_LENGTH)
        return;
    unsigned distance = distance_between(nearest->wanted, nearest->length, name, length);
    /* A name's begin is a better guess than any misspelling.  */
    if (nearest->length >= 2 && length > nearest->length &&
        memcmp(name, nearest->wanted, nearest->length) == 0)
        distance = 0;
    if (distance > (nearest->length + 1) / 3 || (nearest->best && distance >= nearest->distance))
        return;
    nearest->best = name;
    nearest->distance = distance;
}

int emlat_finish_output(int code)
{
    /* Where a write has failed before, trying again says why.  */
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "emlat: standard output: %s\n", errno ? strerror(errno) : "writing failed");
    return EMLAT_EXIT_DAMAGED;
}

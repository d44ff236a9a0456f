/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   emlat info: what a file says of its session, and how much it holds.  Judges nothing.  */
#include "complain.h"
#include "options.h"
#include "verbs.h"
#include "words.h"

#include <inttypes.h>

static void print(const char *path, const struct emlat_reader *reader)
{
    const struct emlat_file_info *file = emlat_reader_file(reader);
    const struct emlat_reader_counts *counts = emlat_reader_counts(reader);
    const struct emlat_attribute_value *attributes;
    const struct emlat_word_value *words;
    size_t count = emlat_reader_attributes(reader, &attributes);
    size_t words_count = emlat_reader_words(reader, &words);
    char text[EMLAT_UUID_TEXT], size[EMLAT_SHORT_TEXT], time[EMLAT_SHORT_TEXT];
    printf("%s\n  %-24s %s\n  %-24s %s\n  %-24s %u.%u\n  %-24s %" PRIu64 "\n  %-24s %s\n", path,
           "session", emlat_uuid_text(text, file->uuid), "begun",
           emlat_time_text(time, file, file->monotonic_ns, true), "format", file->major,
           file->minor, "file of the session", file->sequence + 1, "size",
           emlat_size_text(size, counts->bytes));
    for (unsigned i = 0; i < EMLAT_RECORD_TYPES; i++)
        printf("  %-24s %" PRIu64 "\n", emlat_schemas[i].name, counts->records[i]);
    for (size_t i = 0; i < count; i++)
        emlat_print_attribute(&attributes[i]);
    for (unsigned class = EMLAT_CLASS_ROOT; class < EMLAT_CLASSES_END; class ++) {
        size_t of_class = 0;
        for (size_t i = 0; i < words_count; i++)
            of_class += words[i].class == class;
        printf("  %-24s %zu\n", emlat_class_name(class), of_class);
    }
}

static int info(const char *path)
{
    struct emlat_reader *reader;
    struct emlat_item item;
    int error = emlat_reader_open(&reader, path);
    if (!error) {
        while (!(error = emlat_reader_next(reader, &item)) && item.kind != EMLAT_ITEM_END)
            if (item.kind == EMLAT_ITEM_CHUNK && item.chunk->skipped)
                emlat_complain_skipped(path, item.chunk);
        print(path, reader);
    }
    int code = error ? emlat_complain_file(path, reader) : EMLAT_EXIT_OK;
    emlat_reader_close(reader);
    return code;
}

int emlat_verb_info(int argc, char **argv)
{
    const char *path;
    size_t count;
    const struct emlat_usage usage = {
        .verb = "info",
        .operands = "FILE",
        .summary = "Print what FILE (- is standard input) says of its session.",
        .operands_least = 1,
        .operands_most = 1,
    };
    int code = emlat_options_parse(&usage, argc, argv, &path, 1, &count);
    return code == EMLAT_GO_ON ? info(path) : code;
}

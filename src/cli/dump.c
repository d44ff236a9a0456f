/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   emlat dump: every item of a file in its order, nothing added up and nothing left out.  */
#include "complain.h"
#include "json_write.h"
#include "options.h"
#include "progress.h"
#include "verbs.h"
#include "words.h"

#include <inttypes.h>
#include <string.h>

/* ---- JSON -------------------------------------------------------------------------------------
 */

static void json_file(struct emlat_json *json, const struct emlat_file_info *file)
{
    char text[EMLAT_UUID_TEXT];
    emlat_json_open(json, NULL, '{');
    emlat_json_string(json, "schema", "emlat.dump/1");
    emlat_json_u64(json, "format_major", file->major);
    emlat_json_u64(json, "format_minor", file->minor);
    emlat_json_u64(json, "flags", file->flags);
    emlat_json_string(json, "session", emlat_uuid_text(text, file->uuid));
    emlat_json_u64(json, "file_sequence", file->sequence);
    emlat_json_u64(json, "realtime_ns", file->realtime_ns);
    emlat_json_u64(json, "monotonic_ns", file->monotonic_ns);
    emlat_json_close(json, '}');
}

static void json_session(struct emlat_json *json, const struct emlat_reader *reader)
{
    const struct emlat_attribute_value *attributes;
    const struct emlat_word_value *words;
    size_t count = emlat_reader_attributes(reader, &attributes);
    size_t words_count = emlat_reader_words(reader, &words);
    for (size_t i = 0; i < count; i++) {
        if (attributes[i].is_text)
            emlat_json_string(json, attributes[i].name, attributes[i].text);
        else
            emlat_json_u64(json, attributes[i].name, attributes[i].number);
    }
    for (unsigned class = EMLAT_CLASS_ROOT; class < EMLAT_CLASSES_END; class ++) {
        emlat_json_open(json, emlat_class_name(class), '[');
        for (size_t i = 0; i < words_count; i++) {
            if (words[i].class != class)
                continue;
            emlat_json_open(json, NULL, '{');
            emlat_json_u64(json, "number", words[i].number);
            emlat_json_string(json, "name", words[i].name);
            if (*words[i].unit)
                emlat_json_string(json, "unit", words[i].unit);
            emlat_json_u64(json, "flags", words[i].flags);
            emlat_json_close(json, '}');
        }
        emlat_json_close(json, ']');
    }
}

/* The name of COUNTER in JSON and text: the host's, or its number.  */
static const char *counter_name(const struct emlat_reader *reader, unsigned counter, char text[24])
{
    const struct emlat_word_value *word = emlat_reader_word(reader, EMLAT_CLASS_COUNTER, counter);
    snprintf(text, 24, "%u", counter);
    return word ? word->name : text;
}

static void json_counters(struct emlat_json *json, const struct emlat_reader *reader,
                          const struct emlat_record *record, const char *name)
{
    emlat_json_open(json, name, '{');
    for (unsigned i = 0; i < EMLAT_COUNTERS_MAX; i++) {
        char text[24];
        if (record->counters_present >> i & 1)
            emlat_json_u64(json, counter_name(reader, i, text), record->counter[i]);
    }
    emlat_json_close(json, '}');
}

static void json_record(struct emlat_json *json, const struct emlat_reader *reader,
                        const struct emlat_record *record)
{
    const struct emlat_schema *schema = &emlat_schemas[record->type];
    for (unsigned i = 0; i < schema->fields_count; i++) {
        const struct emlat_field *field = &schema->fields[i];
        uint64_t value = record->value[i];
        if (!emlat_record_has(record, i))
            continue;
        const char *word = emlat_reader_value_word(reader, field->type, value);
        if (field->type == EMLAT_TYPE_COUNTERS) {
            json_counters(json, reader, record, field->name);
        } else if (field->type == EMLAT_TYPE_SOURCE) {
            emlat_json_open(json, field->name, '{');
            emlat_json_u64(json, "batch", emlat_source_batch(value));
            emlat_json_u64(json, "begin", emlat_source_begin(value));
            emlat_json_u64(json, "end", emlat_source_end(value));
            emlat_json_close(json, '}');
        } else if (word) {
            emlat_json_string(json, field->name, word);
        } else {
            emlat_json_u64(json, field->name, value);
        }
    }
    emlat_json_u64(json, "validity_mask", record->present);
}

static void json_item(struct emlat_json *json, const struct emlat_reader *reader,
                      const struct emlat_item *item)
{
    emlat_json_open(json, NULL, '{');
    if (item->kind == EMLAT_ITEM_SESSION) {
        emlat_json_string(json, "record", "session");
        json_session(json, reader);
    } else if (item->kind == EMLAT_ITEM_STRING) {
        emlat_json_string(json, "record", "string");
        emlat_json_u64(json, "id", item->string_id);
        emlat_json_text(json, "text", item->string, item->string_length);
    } else {
        emlat_json_string(json, "record", emlat_schemas[item->record->type].name);
        json_record(json, reader, item->record);
    }
    emlat_json_close(json, '}');
    emlat_json_line(json);
}

/* ---- Text -------------------------------------------------------------------------------------
 */

static void text_value(const struct emlat_reader *reader, const struct emlat_record *record,
                       unsigned field)
{
    enum emlat_type type = emlat_schemas[record->type].fields[field].type;
    uint64_t value = record->value[field];
    const char *word = emlat_reader_value_word(reader, type, value);
    if (type == EMLAT_TYPE_COUNTERS) {
        const char *before = "";
        putchar('{');
        for (unsigned i = 0; i < EMLAT_COUNTERS_MAX; i++) {
            char text[24];
            if (!(record->counters_present >> i & 1))
                continue;
            const char *name = counter_name(reader, i, text);
            fputs(before, stdout);
            emlat_print_safe(stdout, name, strlen(name));
            printf("=%" PRIu64, record->counter[i]);
            before = " ";
        }
        putchar('}');
    } else if (type == EMLAT_TYPE_SOURCE) {
        printf("%" PRIu64 ":%u..%u", emlat_source_batch(value), emlat_source_begin(value),
               emlat_source_end(value));
    } else if (type == EMLAT_TYPE_TIME) {
        uint64_t start = emlat_reader_file(reader)->monotonic_ns;
        uint64_t past = value >= start ? value - start : start - value;
        printf("%c%" PRIu64 ".%09" PRIu64 "s", value >= start ? '+' : '-', past / 1000000000u,
               past % 1000000000u);
    } else if (word) {
        emlat_print_safe(stdout, word, strlen(word));
    } else {
        printf("%" PRIu64, value);
    }
}

static void text_session(const struct emlat_reader *reader)
{
    const struct emlat_attribute_value *attributes;
    const struct emlat_word_value *words;
    size_t count = emlat_reader_attributes(reader, &attributes);
    size_t words_count = emlat_reader_words(reader, &words);
    puts("session");
    for (size_t i = 0; i < count; i++)
        emlat_print_attribute(&attributes[i]);
    for (size_t i = 0; i < words_count; i++) {
        printf("  %-12s %4" PRIu64 "  ", emlat_class_name(words[i].class), words[i].number);
        emlat_print_safe(stdout, words[i].name, strlen(words[i].name));
        fputs(*words[i].unit ? " in " : "", stdout);
        emlat_print_safe(stdout, words[i].unit, strlen(words[i].unit));
        putchar('\n');
    }
}

static void text_item(const struct emlat_reader *reader, const struct emlat_item *item)
{
    if (item->kind == EMLAT_ITEM_SESSION) {
        text_session(reader);
        return;
    }
    if (item->kind == EMLAT_ITEM_STRING) {
        printf("%-11s  %4" PRIu64 "  ", "string", item->string_id);
        emlat_print_safe(stdout, item->string, item->string_length);
        putchar('\n');
        return;
    }
    const struct emlat_schema *schema = &emlat_schemas[item->record->type];
    printf("%-11s", schema->name);
    for (unsigned i = 0; i < schema->fields_count; i++) {
        if (!emlat_record_has(item->record, i))
            continue;
        printf("  %s=", schema->fields[i].name);
        text_value(reader, item->record, i);
    }
    putchar('\n');
}

/* ---- The verb ---------------------------------------------------------------------------------
 */

static int dump(const char *path, struct emlat_reader *reader, bool as_json)
{
    struct emlat_json json = {.to = stdout};
    struct emlat_item item;
    char text[EMLAT_UUID_TEXT];
    const struct emlat_file_info *file = emlat_reader_file(reader);
    if (as_json) {
        json_file(&json, file);
        emlat_json_line(&json);
    } else {
        printf("file         format %u.%u  session %s  sequence %" PRIu64 "\n", file->major,
               file->minor, emlat_uuid_text(text, file->uuid), file->sequence);
    }
    int error;
    while (!(error = emlat_reader_next(reader, &item)) && item.kind != EMLAT_ITEM_END) {
        if (ferror(stdout))
            return EMLAT_EXIT_DAMAGED;
        if (item.kind == EMLAT_ITEM_CHUNK) {
            if (item.chunk->skipped)
                emlat_complain_skipped(path, item.chunk);
        } else if (as_json) {
            json_item(&json, reader, &item);
        } else {
            text_item(reader, &item);
        }
    }
    return error ? emlat_complain_file(path, reader) : EMLAT_EXIT_OK;
}

int emlat_verb_dump(int argc, char **argv)
{
    bool as_json = false;
    const char *path;
    size_t count;
    const struct emlat_option options[] = {
        {"json", 'j', EMLAT_OPTION_FLAG, NULL, &as_json,
         "one JSON object a line, schema emlat.dump/1 (doc/json.md)"},
    };
    const struct emlat_usage usage = {
        .verb = "dump",
        .operands = "FILE",
        .summary =
            "Print every record of FILE (- is standard input) in its order.  A damaged file\n"
            "is printed up to the damage.",
        .details = "examples\n  emlat dump work.emlat | grep ^span\n"
                   "  emlat dump --json work.emlat > work.jsonl\n",
        .options = options,
        .options_count = 1,
        .operands_least = 1,
        .operands_most = 1,
    };
    int code = emlat_options_parse(&usage, argc, argv, &path, 1, &count);
    if (code != EMLAT_GO_ON)
        return code;
    emlat_progress_stop_where_seen();
    struct emlat_reader *reader;
    code = emlat_reader_open(&reader, path) ? emlat_complain_file(path, reader)
                                            : dump(path, reader, as_json);
    emlat_reader_close(reader);
    return code;
}

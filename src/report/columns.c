/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See columns.h.  */
#include "columns.h"

#include <emlat/errors.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A field, its parts, the counters and what is derived are never more.  */
enum { COLUMNS_MAX = 3 * EMLAT_FIELDS_MAX + EMLAT_COUNTERS_MAX + EMLAT_PARTS + 8 };

__attribute__((format(printf, 5, 6))) static void add(struct emlat_columns *columns,
                                                      enum emlat_column_source source,
                                                      unsigned number, bool is_text,
                                                      const char *format, ...)
{
    struct emlat_column *column = &columns->columns[columns->count++];
    va_list arguments;
    *column = (struct emlat_column){.source = source, .number = number, .is_text = is_text};
    va_start(arguments, format);
    vsnprintf(column->name, sizeof column->name, format, arguments);
    va_end(arguments);
}

static void add_counters(struct emlat_columns *columns, const struct emlat_reader *reader)
{
    for (unsigned i = 0; i < EMLAT_COUNTERS_MAX; i++) {
        const struct emlat_word_value *word = emlat_reader_word(reader, EMLAT_CLASS_COUNTER, i);
        if (!word)
            continue;
        columns->named_counters |= (uint64_t)1 << i;
        add(columns, EMLAT_COLUMN_COUNTER, i, false, "counter_%s", word->name);
    }
    add(columns, EMLAT_COLUMN_OTHER_COUNTERS, 0, true, "counters_without_name");
}

int emlat_columns_make(struct emlat_columns *columns, const struct emlat_reader *reader,
                       enum emlat_record_type type)
{
    const struct emlat_schema *schema = &emlat_schemas[type];
    *columns = (struct emlat_columns){.type = type};
    columns->columns = calloc(COLUMNS_MAX, sizeof *columns->columns);
    if (!columns->columns)
        return EMLAT_ENOMEM;
    for (unsigned i = 0; i < schema->fields_count; i++) {
        const struct emlat_field *field = &schema->fields[i];
        if (field->type == EMLAT_TYPE_COUNTERS) {
            add_counters(columns, reader);
        } else if (field->type == EMLAT_TYPE_SOURCE) {
            add(columns, EMLAT_COLUMN_BATCH, i, false, "%s_batch", field->name);
            add(columns, EMLAT_COLUMN_FIRST_BYTE, i, false, "%s_begin", field->name);
            add(columns, EMLAT_COLUMN_LAST_BYTE, i, false, "%s_end", field->name);
        } else {
            bool words = emlat_type_is_vocabulary(field->type) ||
                         field->type == EMLAT_TYPE_STRING ||
                         emlat_type_coding(field->type) == EMLAT_SHAPE;
            add(columns, EMLAT_COLUMN_FIELD, i, words, "%s", field->name);
        }
        if (type != EMLAT_INTERACTION || i != EMLAT_INTERACTION_root_kind)
            continue;
        add(columns, EMLAT_COLUMN_POPULATION, 0, true, "population");
        add(columns, EMLAT_COLUMN_LATENCY_MIN, 0, false, "latency_min_ns");
        add(columns, EMLAT_COLUMN_LATENCY_MAX, 0, false, "latency_max_ns");
        for (unsigned part = 0; part < EMLAT_PARTS; part++)
            add(columns, EMLAT_COLUMN_PART, part, false, "part_%s_ns",
                emlat_part_name((enum emlat_part)part));
    }
    return 0;
}

void emlat_columns_free(struct emlat_columns *columns)
{
    free(columns->columns);
    *columns = (struct emlat_columns){0};
}

/* Populations without a latency have a sample all the same.  */
static bool has_latency(const struct emlat_sample *sample)
{
    return sample && sample->population != EMLAT_NO_INPUT && sample->population != EMLAT_UNFINISHED;
}

static bool field_value(const struct emlat_column *column, const struct emlat_reader *reader,
                        const struct emlat_record *record, char text[EMLAT_COLUMN_TEXT],
                        const char **result_text, uint64_t *result)
{
    enum emlat_type type = emlat_schemas[record->type].fields[column->number].type;
    if (!emlat_record_has(record, column->number))
        return false;
    *result = record->value[column->number];
    if (!column->is_text)
        return true;
    const char *word = emlat_reader_value_word(reader, type, *result);
    /* A number without a word is that number, in a column of words.  */
    snprintf(text, EMLAT_COLUMN_TEXT, "%" PRIu64, *result);
    *result_text = word ? word : text;
    return true;
}

static bool other_counters(const struct emlat_columns *columns, const struct emlat_record *record,
                           char text[EMLAT_COLUMN_TEXT])
{
    size_t length = 0;
    for (uint64_t left = record->counters_present & ~columns->named_counters; left;
         left &= left - 1) {
        unsigned number = (unsigned)__builtin_ctzll(left);
        length += (size_t)snprintf(text + length, EMLAT_COLUMN_TEXT - length, "%s%u=%" PRIu64,
                                   length ? " " : "", number, record->counter[number]);
    }
    return length > 0;
}

bool emlat_column_value(const struct emlat_columns *columns, const struct emlat_column *column,
                        const struct emlat_reader *reader, const struct emlat_record *record,
                        const struct emlat_sample *sample, char text[EMLAT_COLUMN_TEXT],
                        const char **result_text, uint64_t *result)
{
    uint64_t value = record->value[column->number];
    bool here = emlat_record_has(record, column->number);
    *result_text = NULL;
    switch (column->source) {
    case EMLAT_COLUMN_FIELD: return field_value(column, reader, record, text, result_text, result);
    case EMLAT_COLUMN_BATCH: *result = emlat_source_batch(value); return here;
    case EMLAT_COLUMN_FIRST_BYTE: *result = emlat_source_begin(value); return here;
    case EMLAT_COLUMN_LAST_BYTE: *result = emlat_source_end(value); return here;
    case EMLAT_COLUMN_COUNTER:
        *result = record->counter[column->number];
        return record->counters_present >> column->number & 1;
    case EMLAT_COLUMN_OTHER_COUNTERS:
        *result_text = text;
        return other_counters(columns, record, text);
    case EMLAT_COLUMN_POPULATION:
        *result_text = sample ? emlat_population_name(sample->population) : NULL;
        return sample;
    case EMLAT_COLUMN_LATENCY_MIN: *result = sample ? sample->lower : 0; return has_latency(sample);
    case EMLAT_COLUMN_LATENCY_MAX:
        *result = sample ? sample->upper : 0;
        return has_latency(sample) && sample->has_upper;
    case EMLAT_COLUMN_PART:
        *result = sample ? sample->part[column->number] : 0;
        return has_latency(sample);
    }
    return false;
}

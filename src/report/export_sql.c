/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   SQL text for sqlite3: a STRICT table for each type of record, one for what SESSION says, and a
   view of latencies in milliseconds.  Absent is NULL.  One transaction, so a text that was cut
   leaves nothing.

   SQLite's integers have 63 bits and a sign; a number that needs more ends the export.  */
#include "columns.h"
#include "export.h"
#include "json_write.h"

#include <emlat/errors.h>
#include <inttypes.h>

struct state {
    struct emlat_columns columns[EMLAT_RECORD_TYPES];
};

static void put_quoted(FILE *to, const char *text, char quote)
{
    const char *piece;
    size_t length;
    fputc(quote, to);
    while ((length = emlat_utf8_next(&text, &piece)) != 0) {
        if (*piece == quote)
            fputc(quote, to);
        fwrite(piece, 1, length, to);
    }
    fputc(quote, to);
}

static void put_table(FILE *to, const struct emlat_columns *columns)
{
    fputs("CREATE TABLE ", to);
    put_quoted(to, emlat_schemas[columns->type].name, '"');
    fputs(" (", to);
    for (size_t i = 0; i < columns->count; i++) {
        const struct emlat_column *column = &columns->columns[i];
        fputs(i ? ",\n  " : "\n  ", to);
        put_quoted(to, column->name, '"');
        fputs(column->is_text ? " TEXT" : " INTEGER", to);
        if (column->source != EMLAT_COLUMN_POPULATION)
            continue;
        fputs(" CHECK (population IN (", to);
        for (int population = 0; population < EMLAT_POPULATIONS; population++) {
            fputs(population ? ", " : "", to);
            put_quoted(to, emlat_population_name((enum emlat_population)population), '\'');
        }
        fputs("))", to);
    }
    fputs("\n) STRICT;\n", to);
}

static int begin(struct emlat_export *export)
{
    struct state *state = export->state;
    /* The application_id says "EMLT".  */
    fputs("BEGIN;\n"
          "PRAGMA application_id = 1162693716;\n"
          "CREATE TABLE session (name TEXT PRIMARY KEY, text TEXT, number INTEGER) STRICT;\n"
          "CREATE TABLE word (class TEXT, number INTEGER, name TEXT, unit TEXT, flags INTEGER)"
          " STRICT;\n",
          export->to);
    for (int type = 0; type < EMLAT_RECORD_TYPES; type++) {
        int error =
            emlat_columns_make(&state->columns[type], export->reader, (enum emlat_record_type)type);
        if (error)
            return error;
        put_table(export->to, &state->columns[type]);
    }
    fputs("CREATE VIEW latency AS SELECT cause_id, root_kind, population, status,\n"
          "  latency_min_ns / 1e6 AS min_ms, latency_max_ns / 1e6 AS max_ms FROM interaction\n"
          "  WHERE latency_min_ns IS NOT NULL;\n",
          export->to);
    return 0;
}

static int put_number(struct emlat_export *export, uint64_t number)
{
    if (number > INT64_MAX) {
        export->problem = "a number above 9223372036854775807 has no place in an SQL integer";
        return EMLAT_ELIMIT;
    }
    fprintf(export->to, "%" PRIu64, number);
    return 0;
}

static int put_row(struct emlat_export *export, const struct emlat_record *record,
                   const struct emlat_sample *sample)
{
    const struct emlat_columns *columns = &((struct state *)export->state)->columns[record->type];
    char buffer[EMLAT_COLUMN_TEXT];
    const char *text;
    uint64_t number;
    int error = 0;
    fputs("INSERT INTO ", export->to);
    put_quoted(export->to, emlat_schemas[record->type].name, '"');
    fputs(" VALUES (", export->to);
    for (size_t i = 0; !error && i < columns->count; i++) {
        fputs(i ? "," : "", export->to);
        if (!emlat_column_value(columns, &columns->columns[i], export->reader, record, sample,
                                buffer, &text, &number))
            fputs("NULL", export->to);
        else if (text)
            put_quoted(export->to, text, '\'');
        else
            error = put_number(export, number);
    }
    fputs(");\n", export->to);
    return error;
}

static int put_record(struct emlat_export *export, const struct emlat_record *record)
{
    return put_row(export, record, NULL);
}

static int put_session(struct emlat_export *export)
{
    const struct emlat_attribute_value *attributes;
    size_t count = emlat_reader_attributes(export->reader, &attributes);
    int error = 0;
    for (size_t i = 0; !error && i < count; i++) {
        fputs("INSERT INTO session VALUES (", export->to);
        put_quoted(export->to, attributes[i].name, '\'');
        fputc(',', export->to);
        if (attributes[i].is_text)
            put_quoted(export->to, attributes[i].text, '\'');
        else
            fputs("NULL", export->to);
        fputc(',', export->to);
        if (attributes[i].is_text)
            fputs("NULL", export->to);
        else
            error = put_number(export, attributes[i].number);
        fputs(");\n", export->to);
    }
    return error;
}

static int put_words(struct emlat_export *export)
{
    const struct emlat_word_value *words;
    size_t count = emlat_reader_words(export->reader, &words);
    int error = 0;
    for (size_t i = 0; !error && i < count; i++) {
        fputs("INSERT INTO word VALUES (", export->to);
        put_quoted(export->to, emlat_class_name(words[i].class), '\'');
        fputc(',', export->to);
        error = put_number(export, words[i].number);
        fputc(',', export->to);
        put_quoted(export->to, words[i].name, '\'');
        fputc(',', export->to);
        if (*words[i].unit)
            put_quoted(export->to, words[i].unit, '\'');
        else
            fputs("NULL", export->to);
        fputc(',', export->to);
        if (!error)
            error = put_number(export, words[i].flags);
        fputs(");\n", export->to);
    }
    return error;
}

static int end(struct emlat_export *export, bool whole)
{
    int error = put_session(export);
    if (!error)
        error = put_words(export);
    fprintf(export->to, "INSERT INTO session VALUES ('emlat.whole',NULL,%d);\nCOMMIT;\n", whole);
    return error;
}

static void release(struct emlat_export *export)
{
    struct state *state = export->state;
    for (int type = 0; type < EMLAT_RECORD_TYPES; type++)
        emlat_columns_free(&state->columns[type]);
}

const struct emlat_export_view emlat_export_sql = {
    .name = "sql",
    .about = "tables of every record, as text for sqlite3",
    .state_bytes = sizeof(struct state),
    .begin = begin,
    .interaction = put_row,
    .record = put_record,
    .end = end,
    .free = release,
};

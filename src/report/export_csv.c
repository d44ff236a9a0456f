/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   CSV (RFC 4180, but lines end in a newline alone): a header, then a row an interaction.  An absent
   value is an empty field, never 0.  */
#include "columns.h"
#include "export.h"
#include "json_write.h"

#include <inttypes.h>
#include <string.h>

struct state {
    struct emlat_columns columns;
};

static void put_text(FILE *to, const char *text)
{
    const char *quote = text[strcspn(text, ",\"\r\n")] ? "\"" : "", *piece;
    size_t length;
    fputs(quote, to);
    while ((length = emlat_utf8_next(&text, &piece)) != 0) {
        if (*piece == '"')
            fputc('"', to);
        fwrite(piece, 1, length, to);
    }
    fputs(quote, to);
}

static int begin(struct emlat_export *export)
{
    struct state *state = export->state;
    struct emlat_columns *columns = &state->columns;
    int error = emlat_columns_make(columns, export->reader, EMLAT_INTERACTION);
    for (size_t i = 0; !error && i < columns->count; i++) {
        fputs(i ? "," : "", export->to);
        put_text(export->to, columns->columns[i].name);
    }
    fputc('\n', export->to);
    return error;
}

static int interaction(struct emlat_export *export, const struct emlat_record *record,
                       const struct emlat_sample *sample)
{
    struct state *state = export->state;
    char buffer[EMLAT_COLUMN_TEXT];
    const char *text;
    uint64_t number;
    for (size_t i = 0; i < state->columns.count; i++) {
        fputs(i ? "," : "", export->to);
        if (!emlat_column_value(&state->columns, &state->columns.columns[i], export->reader, record,
                                sample, buffer, &text, &number))
            continue;
        if (text)
            put_text(export->to, text);
        else
            fprintf(export->to, "%" PRIu64, number);
    }
    fputc('\n', export->to);
    return 0;
}

static void release(struct emlat_export *export)
{
    emlat_columns_free(&((struct state *)export->state)->columns);
}

const struct emlat_export_view emlat_export_csv = {
    .name = "csv",
    .about = "a row an interaction",
    .state_bytes = sizeof(struct state),
    .begin = begin,
    .interaction = interaction,
    .free = release,
};

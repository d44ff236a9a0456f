/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   JSON lines: an object an interaction, with CSV's columns as members; what is absent has none.  */
#include "columns.h"
#include "export.h"
#include "json_write.h"

struct state {
    struct emlat_columns columns;
};

static int begin(struct emlat_export *export)
{
    struct state *state = export->state;
    return emlat_columns_make(&state->columns, export->reader, EMLAT_INTERACTION);
}

static int interaction(struct emlat_export *export, const struct emlat_record *record,
                       const struct emlat_sample *sample)
{
    struct state *state = export->state;
    struct emlat_json json = {.to = export->to};
    char buffer[EMLAT_COLUMN_TEXT];
    const char *text;
    uint64_t number;
    emlat_json_open(&json, NULL, '{');
    for (size_t i = 0; i < state->columns.count; i++) {
        const struct emlat_column *column = &state->columns.columns[i];
        if (!emlat_column_value(&state->columns, column, export->reader, record, sample, buffer,
                                &text, &number))
            continue;
        if (text)
            emlat_json_string(&json, column->name, text);
        else
            emlat_json_u64(&json, column->name, number);
    }
    emlat_json_close(&json, '}');
    emlat_json_line(&json);
    return 0;
}

static void release(struct emlat_export *export)
{
    emlat_columns_free(&((struct state *)export->state)->columns);
}

const struct emlat_export_view emlat_export_jsonl = {
    .name = "jsonl",
    .about = "a JSON object an interaction, one a line",
    .state_bytes = sizeof(struct state),
    .begin = begin,
    .interaction = interaction,
    .free = release,
};

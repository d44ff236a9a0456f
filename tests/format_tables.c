/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Prints the tables of doc/format.md from schema.def.  Says nothing that is not in the table.  */
#include "schema.h"

#include <stdio.h>

static const char *const codings[] = {
    [EMLAT_PLAIN] = "PLAIN",         [EMLAT_BASE] = "BASE",   [EMLAT_CHAIN] = "CHAIN",
    [EMLAT_CHAIN_ALL] = "CHAIN_ALL", [EMLAT_RANGE] = "RANGE", [EMLAT_SHAPE] = "SHAPE",
    [EMLAT_SERIAL] = "SERIAL",       [EMLAT_BLOCK] = "BLOCK", [EMLAT_COMPUTED] = "COMPUTED",
    [EMLAT_COUNTERS] = "COUNTERS",   [EMLAT_TEXT] = "TEXT",
};

static const char *const type_names[] = {
#define TYPE(NAME, coding, words) #NAME,
#include "schema.def"
};

static void print_records(void)
{
    static const char *const names[] = {
#define RECORD(NAME, name, chunk, version, meaning) #NAME,
#include "schema.def"
    };
    for (int i = 0; i < EMLAT_RECORD_TYPES; i++) {
        const struct emlat_schema *schema = &emlat_schemas[i];
        printf("### %s: chunk type %u, version %u\n\n%s\n\n"
               "| bit | field | type | unit | since | meaning |\n|--|--|--|--|--|--|\n",
               names[i], schema->chunk, schema->version, schema->meaning);
        for (unsigned f = 0; f < schema->fields_count; f++) {
            const struct emlat_field *field = &schema->fields[f];
            printf("| %u | `%s` | %s | %s | %u | %s |\n", f, field->name, type_names[field->type],
                   field->unit, field->since, field->meaning);
        }
        printf("\n");
    }
}

int main(void)
{
    printf("### Types\n\n| type | coding | words |\n|--|--|--|\n");
#define TYPE(NAME, coding, words) \
    printf("| %s | %s | %s |\n", #NAME, codings[EMLAT_##coding], #words);
#include "schema.def"
    printf("\n### Words\n\n| table | number | word |\n|--|--|--|\n");
#define WORD(TABLE, number, word) printf("| %s | %d | %s |\n", #TABLE, number, #word);
#include "schema.def"
    printf("\n");
    print_records();
    printf("### Attributes that the recorder itself gives\n\n"
           "| name | type | unit | since | meaning |\n|--|--|--|--|--|\n");
    for (size_t i = 0; i < emlat_attributes_count; i++)
        printf("| `%s` | %s | %s | %u | %s |\n", emlat_attributes[i].name,
               type_names[emlat_attributes[i].type], emlat_attributes[i].unit,
               emlat_attributes[i].since, emlat_attributes[i].meaning);
    return 0;
}

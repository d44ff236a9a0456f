/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The tables of schema.def as constant data, and look-ups in them.  */
#include "schema.h"

#include <string.h>

#define RECORD(NAME, name, chunk, version, meaning)                     \
    _Static_assert((int)EMLAT_##NAME##_FIELDS <= (int)EMLAT_FIELDS_MAX, \
                   "a record's values hold its fields");
#include "schema.def"

/* All fields in one array; FIRST_name is where a record's begin.  */
enum first_field {
#define RECORD(NAME, name, chunk, version, meaning) FIRST_##NAME, BEFORE_##NAME = FIRST_##NAME - 1,
#define FIELD(RECORD, name, TYPE, unit, since, meaning) \
    AT_##RECORD                                         \
    ##_##name,
#include "schema.def"
};

static const struct emlat_field fields[] = {
#define FIELD(RECORD, name, TYPE, unit, since, meaning) \
    {#name, unit, meaning, EMLAT_TYPE_##TYPE, since},
#include "schema.def"
};

const struct emlat_schema emlat_schemas[EMLAT_RECORD_TYPES] = {
#define RECORD(NAME, name, chunk, version, meaning) \
    {#name, meaning, chunk, version, fields + FIRST_##NAME, EMLAT_##NAME##_FIELDS},
#include "schema.def"
};

const struct emlat_field emlat_attributes[] = {
#define ATTRIBUTE(name, TYPE, unit, since, meaning) \
    {#name, unit, meaning, EMLAT_TYPE_##TYPE, since},
#include "schema.def"
};
const size_t emlat_attributes_count = sizeof emlat_attributes / sizeof *emlat_attributes;

static const char *const class_names[EMLAT_CLASSES_END] = {
    [EMLAT_CLASS_ROOT] = "root_kinds",
    [EMLAT_CLASS_SPAN] = "span_kinds",
    [EMLAT_CLASS_COUNTER] = "counters",
    [EMLAT_CLASS_MARK] = "marks",
};

/* The word tables that TYPE rows name.  */
enum word_table {
    WORDS_NUMBER,
    WORDS_VOCABULARY,
    WORDS_STRING,
    WORDS_STATUS,
    WORDS_PRESENTATION,
    WORDS_SKIP,
    WORDS_QUALITY,
    WORDS_REASON,
    WORDS_STREAM,
    WORDS_CACHE,
};

static const struct {
    enum emlat_coding coding;
    enum word_table words;
} types[EMLAT_TYPES] = {
#define TYPE(NAME, coding, words) {EMLAT_##coding, WORDS_##words},
#include "schema.def"
};

static const struct {
    enum word_table table;
    uint64_t number;
    const char *word;
} words[] = {
#define WORD(TABLE, number, word) {WORDS_##TABLE, number, #word},
#include "schema.def"
};

enum emlat_coding emlat_type_coding(enum emlat_type type)
{
    return types[type].coding;
}

const char *emlat_type_word(enum emlat_type type, uint64_t value)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].table == types[type].words && words[i].number == value)
            return words[i].word;
    return NULL;
}

bool emlat_type_is_vocabulary(enum emlat_type type)
{
    return types[type].words == WORDS_VOCABULARY;
}

enum emlat_vocabulary_class emlat_type_class(enum emlat_type type)
{
    switch (type) {
    case EMLAT_TYPE_ROOT_KIND: return EMLAT_CLASS_ROOT;
    case EMLAT_TYPE_SPAN_KIND: return EMLAT_CLASS_SPAN;
    case EMLAT_TYPE_COUNTER_KIND: return EMLAT_CLASS_COUNTER;
    case EMLAT_TYPE_MARK_KIND: return EMLAT_CLASS_MARK;
    default: return EMLAT_CLASSES_END;
    }
}

int emlat_field_find(enum emlat_record_type type, const char *name)
{
    const struct emlat_schema *schema = &emlat_schemas[type];
    for (unsigned i = 0; i < schema->fields_count; i++)
        if (strcmp(schema->fields[i].name, name) == 0)
            return (int)i;
    return -1;
}

const char *emlat_class_name(unsigned class)
{
    return class < EMLAT_CLASSES_END ? class_names[class] : NULL;
}

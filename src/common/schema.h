/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   schema.def as C: enumerators for the code that names a field, tables for the code that walks
   them, and the one shape that every record has in memory.  Knows no file, thread or clock.  */
#ifndef EMLAT_SCHEMA_H
#define EMLAT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EMLAT_FORMAT_MAJOR = 1,
    EMLAT_FORMAT_MINOR = 0,
    EMLAT_FILE_HEADER_BYTES = 64,
    EMLAT_CHUNK_HEADER_BYTES = 40,
    EMLAT_SESSION_CHUNK = 1, /* these two hold texts and have no presence bits */
    EMLAT_STRING_CHUNK = 2,
    EMLAT_SESSION_VERSION = 1,
    EMLAT_STRING_VERSION = 1,
    EMLAT_CHUNK_PAYLOAD_MAX = 16 << 20, /* a reader refuses more */
    EMLAT_TEXT_MAX = 64 << 10,          /* a reader refuses more */
    EMLAT_ATTRIBUTES_MAX = 256,         /* of one SESSION; a reader refuses more */
    EMLAT_VOCABULARY_MAX = 256,         /* entries of one class; a reader refuses more */
};

#define EMLAT_FILE_MAGIC  "EMLAT\0\r\n"
#define EMLAT_CHUNK_MAGIC "CHNK"

/* How a field's bytes lie in a record; doc/format.md section 6 says each in full.  */
enum emlat_coding {
    EMLAT_PLAIN,     /* unsigned LEB128 */
    EMLAT_BASE,      /* unsigned LEB128 of the difference to the block's base timestamp */
    EMLAT_CHAIN,     /* signed LEB128 of the difference to this field's last value in the payload */
    EMLAT_SERIAL,    /* the same as CHAIN, minus 1: numbers that mostly count up */
    EMLAT_CHAIN_ALL, /* as CHAIN, with one last value for all fields of the type */
    EMLAT_RANGE,     /* batch as CHAIN_ALL, then begin and length as PLAIN */
    EMLAT_SHAPE,     /* no bytes: the record's shape has the value */
    EMLAT_BLOCK,     /* no bytes: the block's thread */
    EMLAT_COMPUTED,  /* no bytes: the reader computes it */
    EMLAT_COUNTERS,  /* PLAIN mask of those that changed, then the difference of each */
    EMLAT_TEXT,      /* PLAIN length, then bytes */
};

enum emlat_type {
#define TYPE(NAME, coding, words) EMLAT_TYPE_##NAME,
#include "schema.def"
    EMLAT_TYPES
};

enum emlat_record_type {
#define RECORD(NAME, name, chunk, version, meaning) EMLAT_##NAME,
#include "schema.def"
    EMLAT_RECORD_TYPES
};

/* EMLAT_INPUT_batch_id and so on: a field's number in its record, which is also its presence bit;
   EMLAT_INPUT_FIELDS: how many there are.  */
enum emlat_field_number {
#define RECORD(NAME, name, chunk, version, meaning) EMLAT_##NAME##_FIELD_BEFORE_FIRST = -1,
#define FIELD(RECORD, name, TYPE, unit, since, meaning) \
    EMLAT_##RECORD                                      \
    ##_##name,
#define END(RECORD) \
    EMLAT_##RECORD  \
    ##_FIELDS,
#include "schema.def"
};

enum { EMLAT_FIELDS_MAX = 64, EMLAT_COUNTERS_MAX = 64 };

enum emlat_word {
#define WORD(TABLE, number, word) EMLAT_##TABLE##_##word = (number),
#include "schema.def"
};

struct emlat_field {
    const char *name, *unit, *meaning;
    enum emlat_type type;
    unsigned since; /* version of the record that brought it */
};

struct emlat_schema {
    const char *name, *meaning;
    unsigned chunk, version;
    const struct emlat_field *fields;
    unsigned fields_count;
};

/* The tables, by enum emlat_record_type, and the attributes that the recorder itself gives.  */
extern const struct emlat_schema emlat_schemas[EMLAT_RECORD_TYPES];
extern const struct emlat_field emlat_attributes[];
extern const size_t emlat_attributes_count;

enum emlat_coding emlat_type_coding(enum emlat_type type);

/* The word of VALUE in TYPE, or null where the type has plain numbers, names of the vocabulary, or
   no such value.  */
const char *emlat_type_word(enum emlat_type type, uint64_t value);

/* True for the types whose words the file's own vocabulary gives.  */
bool emlat_type_is_vocabulary(enum emlat_type type);

/* The number of field NAME in TYPE, or -1.  */
int emlat_field_find(enum emlat_record_type type, const char *name);

/* A record in memory, whatever its type.  Bit N of PRESENT says that value[N] holds field N; all
   else is indeterminate.  Counters likewise, numbered by the host's vocabulary.  */
struct emlat_record {
    enum emlat_record_type type;
    uint64_t present;
    uint64_t counters_present;
    uint64_t value[EMLAT_FIELDS_MAX];
    uint64_t counter[EMLAT_COUNTERS_MAX];
};

/* What records have in common: which fields and counters are there, and the values of the fields
   whose coding is SHAPE, in their order.  A payload spells each shape once.  */
enum { EMLAT_SHAPES_MAX = 127, EMLAT_SHAPE_VALUES_MAX = 8 };
struct emlat_shape {
    uint64_t present;
    uint64_t same; /* of these, fields whose value another one has already said */
    uint64_t counters;
    uint64_t value[EMLAT_SHAPE_VALUES_MAX];
};

/* True if a field of CODING may be one of those that a shape calls the same: as the field was last
   in the payload (a serial number: the next one), or for a time, as the time before it in its
   record.  */
static inline bool emlat_coding_repeats(enum emlat_coding coding)
{
    return coding == EMLAT_PLAIN || coding == EMLAT_CHAIN || coding == EMLAT_SERIAL ||
           coding == EMLAT_BASE;
}

static inline bool emlat_record_has(const struct emlat_record *record, unsigned field)
{
    return record->present >> field & 1;
}

static inline void emlat_record_set(struct emlat_record *record, unsigned field, uint64_t value)
{
    record->value[field] = value;
    record->present |= (uint64_t)1 << field;
}

static inline void emlat_record_add(struct emlat_record *record, unsigned counter, uint64_t value)
{
    uint64_t bit = (uint64_t)1 << counter;
    record->counter[counter] =
        (record->counters_present & bit ? record->counter[counter] : 0) + value;
    record->counters_present |= bit;
}

/* A SOURCE value: bytes BEGIN .. END - 1 of batch BATCH.  A part that does not fit makes the whole
   0, which stands for no source: batches begin at one.  */
static inline uint64_t emlat_source(uint64_t batch, uint64_t begin, uint64_t end)
{
    if (!batch || batch > UINT32_MAX || begin > UINT16_MAX || end > UINT16_MAX)
        return 0;
    return batch << 32 | begin << 16 | end;
}

static inline uint64_t emlat_source_batch(uint64_t source)
{
    return source >> 32;
}

static inline unsigned emlat_source_begin(uint64_t source)
{
    return source >> 16 & 0xffff;
}

static inline unsigned emlat_source_end(uint64_t source)
{
    return source & 0xffff;
}

/* Classes of the vocabulary that a host hands over and SESSION carries.  */
enum emlat_vocabulary_class {
    EMLAT_CLASS_ROOT = 1,
    EMLAT_CLASS_SPAN = 2,
    EMLAT_CLASS_COUNTER = 3,
    EMLAT_CLASS_MARK = 4, /* stages, milestones, states, job kinds */
    EMLAT_CLASSES_END = 5,
};

/* The class that gives TYPE's words; EMLAT_CLASSES_END where the vocabulary does not.  */
enum emlat_vocabulary_class emlat_type_class(enum emlat_type type);

/* The name of CLASS in JSON ("root_kinds" …), or null.  */
const char *emlat_class_name(unsigned class);

#endif

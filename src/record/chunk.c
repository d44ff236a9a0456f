/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Encoding, by walking the field table.

   Records are gathered into a block, which has one base timestamp, its earliest, so that every
   other one is a small difference to it.  A block ends when another thread's record comes, when it
   is full, or when a timestamp would lie so far from the base that a fourth byte of LEB128 is
   needed: a new block's header costs less than a byte in each of twenty timestamps.

   A payload spells what its records have in common, their shapes, once; a record is the number of
   its shape and what differs from the values before.  A chunk stands alone, so this memory begins
   anew in each.  */
#include "chunk.h"

#include "crc32c.h"

#define WINDOW_NS ((uint64_t)1 << 21) /* what three bytes of LEB128 hold */

/* The earliest and latest timestamp of RECORD; false where it has none.  */
static bool times(const struct emlat_record *record, uint64_t *least, uint64_t *most)
{
    const struct emlat_schema *schema = &emlat_schemas[record->type];
    *least = UINT64_MAX;
    *most = 0;
    for (unsigned i = 0; i < schema->fields_count; i++) {
        if (!emlat_record_has(record, i) || emlat_type_coding(schema->fields[i].type) != EMLAT_BASE)
            continue;
        if (record->value[i] < *least)
            *least = record->value[i];
        if (record->value[i] > *most)
            *most = record->value[i];
    }
    return *least <= *most;
}

static void put_difference(struct emlat_put *put, uint64_t *last, uint64_t value)
{
    emlat_put_s(put, (int64_t)(value - *last));
    *last = value;
}

/* ---- Shapes -----------------------------------------------------------------------------------
 */

/* RECORD's shape.  Only small repeated numbers are worth being called the same: a duration would
   rarely be, and each that is makes another shape.  */
static struct emlat_shape shape_of(const struct emlat_record *record, const struct emlat_said *said)
{
    const struct emlat_schema *schema = &emlat_schemas[record->type];
    struct emlat_shape shape = {.present = record->present};
    unsigned values = 0;
    uint64_t time_before = said->base;
    for (uint64_t left = record->present; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        enum emlat_type type = schema->fields[i].type;
        enum emlat_coding coding = emlat_type_coding(type);
        if (coding == EMLAT_BASE) {
            if (record->value[i] == time_before)
                shape.same |= (uint64_t)1 << i;
            time_before = record->value[i];
        } else if (coding == EMLAT_SHAPE)
            shape.value[values++] = record->value[i];
        else if (coding == EMLAT_COUNTERS)
            shape.counters = record->counters_present;
        else if ((coding == EMLAT_CHAIN || coding == EMLAT_SERIAL || type == EMLAT_TYPE_COUNT) &&
                 record->value[i] == said->field[i] + (coding == EMLAT_SERIAL))
            shape.same |= (uint64_t)1 << i;
    }
    return shape;
}

static void spell_shape(struct emlat_put *put, const struct emlat_shape *shape,
                        const struct emlat_schema *schema)
{
    unsigned values = 0;
    emlat_put_u(put, 0);
    emlat_put_u(put, shape->present);
    emlat_put_u(put, shape->same);
    for (uint64_t left = shape->present; left; left &= left - 1) {
        enum emlat_coding coding = emlat_type_coding(schema->fields[__builtin_ctzll(left)].type);
        if (coding == EMLAT_SHAPE)
            emlat_put_u(put, shape->value[values++]);
        else if (coding == EMLAT_COUNTERS)
            emlat_put_u(put, shape->counters);
    }
}

/* The number of a shape that the payload has spelt, else the shape itself.  */
static void put_shape(struct emlat_put *put, struct emlat_said *said,
                      const struct emlat_shape *shape, const struct emlat_schema *schema)
{
    for (uint32_t i = 0; i < said->shapes_count; i++) {
        if (said->shapes[i].present == shape->present &&
            memcmp(&said->shapes[i], shape, sizeof *shape) == 0) {
            emlat_put_u(put, i + 1);
            return;
        }
    }
    spell_shape(put, shape, schema);
    if (said->shapes_count < EMLAT_SHAPES_MAX)
        said->shapes[said->shapes_count++] = *shape;
}

/* ---- Records ----------------------------------------------------------------------------------
 */

static void put_counters(struct emlat_put *put, const struct emlat_record *record, uint64_t *last)
{
    uint64_t changed = 0;
    for (uint64_t left = record->counters_present; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        changed |= (uint64_t)(record->counter[i] != last[i]) << i;
    }
    emlat_put_u(put, changed);
    for (uint64_t left = changed; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        put_difference(put, &last[i], record->counter[i]);
    }
}

static void encode(struct emlat_put *put, const struct emlat_record *record,
                   struct emlat_said *said)
{
    const struct emlat_schema *schema = &emlat_schemas[record->type];
    struct emlat_shape shape = shape_of(record, said);
    put_shape(put, said, &shape, schema);
    for (uint64_t left = record->present; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        enum emlat_type type = schema->fields[i].type;
        uint64_t value = record->value[i];
        if (shape.same >> i & 1) {
            said->field[i] = value;
            continue;
        }
        switch (emlat_type_coding(type)) {
        case EMLAT_PLAIN: emlat_put_u(put, said->field[i] = value); break;
        case EMLAT_BASE: emlat_put_u(put, value - said->base); break;
        case EMLAT_SERIAL:
            said->field[i]++;
            put_difference(put, &said->field[i], value);
            break;
        case EMLAT_CHAIN: put_difference(put, &said->field[i], value); break;
        case EMLAT_CHAIN_ALL: put_difference(put, &said->type[type], value); break;
        case EMLAT_RANGE:
            put_difference(put, &said->type[type], emlat_source_batch(value));
            emlat_put_u(put, emlat_source_begin(value));
            emlat_put_u(put, emlat_source_end(value) - emlat_source_begin(value));
            break;
        case EMLAT_COUNTERS: put_counters(put, record, said->counter); break;
        case EMLAT_SHAPE:
        case EMLAT_BLOCK:
        case EMLAT_COMPUTED:
        case EMLAT_TEXT: break; /* no bytes here */
        }
    }
}

void emlat_chunk_finish_block(struct emlat_chunk *chunk)
{
    if (!chunk->block_records)
        return;
    struct emlat_put put = emlat_put_to(chunk->payload + chunk->size, EMLAT_BLOCK_BYTES_MAX);
    uint64_t base = chunk->block_least == UINT64_MAX ? chunk->said.base : chunk->block_least;
    emlat_put_u(&put, emlat_schemas[chunk->type].version);
    put_difference(&put, &chunk->said.base, base);
    emlat_put_u(&put, chunk->block_thread);
    emlat_put_u(&put, chunk->block_records);
    for (uint32_t i = 0; i < chunk->block_records; i++)
        encode(&put, &chunk->block[i], &chunk->said);
    chunk->size = (size_t)(put.at - chunk->payload);
    chunk->block_records = 0;
}

void emlat_chunk_clear(struct emlat_chunk *chunk)
{
    chunk->size = 0;
    chunk->records = 0;
    memset(&chunk->said, 0, sizeof chunk->said);
}

/* Presence bits for what RECORD's bytes will say: THREAD and COUNTERS are not set by producers.  */
static uint64_t presence(const struct emlat_record *record, uint64_t thread)
{
    const struct emlat_schema *schema = &emlat_schemas[record->type];
    uint64_t present = record->present;
    for (unsigned i = 0; i < schema->fields_count; i++) {
        enum emlat_coding coding = emlat_type_coding(schema->fields[i].type);
        if ((coding == EMLAT_BLOCK && thread) ||
            (coding == EMLAT_COUNTERS && record->counters_present))
            present |= (uint64_t)1 << i;
    }
    return present;
}

void emlat_chunk_add(struct emlat_chunk *chunk, const struct emlat_record *record, uint64_t thread)
{
    uint64_t least, most;
    bool timed = times(record, &least, &most);
    uint64_t block_least = timed && least < chunk->block_least ? least : chunk->block_least;
    uint64_t block_most = timed && most > chunk->block_most ? most : chunk->block_most;
    if (chunk->block_records &&
        (chunk->block_thread != thread || chunk->block_records == EMLAT_BLOCK_RECORDS_MAX ||
         (block_least <= block_most && block_most - block_least >= WINDOW_NS)))
        emlat_chunk_finish_block(chunk);
    if (!chunk->block_records) {
        chunk->block_thread = thread;
        block_least = timed ? least : UINT64_MAX;
        block_most = timed ? most : 0;
    }
    chunk->block_least = block_least;
    chunk->block_most = block_most;
    chunk->block[chunk->block_records] = *record;
    chunk->block[chunk->block_records++].present = presence(record, thread);
    chunk->records++;
}

void emlat_chunk_header(uint8_t header[EMLAT_CHUNK_HEADER_BYTES], unsigned type, unsigned version,
                        uint64_t sequence, const void *payload, size_t size)
{
    struct emlat_put put = emlat_put_to(header, EMLAT_CHUNK_HEADER_BYTES);
    emlat_put_bytes(&put, EMLAT_CHUNK_MAGIC, 4);
    emlat_put_le(&put, type, 2);
    emlat_put_le(&put, version, 2);
    emlat_put_le(&put, 0, 4); /* flags: not compressed */
    emlat_put_le(&put, EMLAT_CHUNK_HEADER_BYTES, 4);
    emlat_put_le(&put, size, 4);
    emlat_put_le(&put, size, 4);
    emlat_put_le(&put, sequence, 8);
    emlat_put_le(&put, emlat_crc32c(0, payload, size), 4);
    emlat_put_le(&put, 0, 4);
    struct emlat_put crc = emlat_put_to(header + EMLAT_CHUNK_HEADER_BYTES - 4, 4);
    emlat_put_le(&crc, emlat_crc32c(0, header, EMLAT_CHUNK_HEADER_BYTES), 4);
}

void emlat_file_header(uint8_t header[EMLAT_FILE_HEADER_BYTES], const struct emlat_file_header *is)
{
    struct emlat_put put = emlat_put_to(header, EMLAT_FILE_HEADER_BYTES);
    emlat_put_bytes(&put, EMLAT_FILE_MAGIC, 8);
    emlat_put_le(&put, EMLAT_FORMAT_MAJOR, 2);
    emlat_put_le(&put, EMLAT_FORMAT_MINOR, 2);
    emlat_put_le(&put, 0, 4);
    emlat_put_bytes(&put, is->uuid, 16);
    emlat_put_le(&put, is->sequence, 8);
    emlat_put_le(&put, is->realtime_ns, 8);
    emlat_put_le(&put, is->monotonic_ns, 8);
    emlat_put_le(&put, emlat_crc32c(0, header, 56), 4);
    emlat_put_le(&put, 0, 4);
}

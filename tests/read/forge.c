/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See forge.h.  */
#include "forge.h"

#include <stdio.h>
#include <stdlib.h>

void forge_begin(struct forge *forge)
{
    static const struct emlat_file_header header = {
        .uuid = {0x7f, 0x3a, 0x9c}, .realtime_ns = 1700000000000000000u, .monotonic_ns = 5000};
    memset(forge, 0, sizeof *forge);
    emlat_file_header(forge->bytes, &header);
    forge->size = EMLAT_FILE_HEADER_BYTES;
}

void forge_chunk(struct forge *forge, unsigned type, unsigned version, const void *payload,
                 size_t size)
{
    uint8_t *at = forge->bytes + forge->size;
    if (forge->size + size + 64 > FORGE_MAX || forge->chunks == FORGE_CHUNKS)
        abort();
    emlat_chunk_header(at, type, version, ++forge->sequence, payload, size);
    if (size)
        memcpy(at + EMLAT_CHUNK_HEADER_BYTES, payload, size);
    forge->size += EMLAT_CHUNK_HEADER_BYTES + size;
    forge->payload_end[forge->chunks] = forge->size;
    forge->size = (forge->size + 7) & ~(size_t)7;
    forge->end[forge->chunks++] = forge->size;
}

static void put_text(struct emlat_put *put, const char *text)
{
    emlat_put_u(put, strlen(text));
    emlat_put_bytes(put, text, strlen(text));
}

void forge_session(struct forge *forge)
{
    static const char *const strings[] = {"tty_command", "gc", "gc_count", "ünits", "bad \xff\xc3"};
    static const uint8_t words[][5] = {
        {1, 1, 1, 0, 1}, {2, 3, 2, 0, 0}, {3, 0, 3, 4, 1}, {3, 7, 5, 0, 2}};
    uint8_t payload[512];
    struct emlat_put put = emlat_put_to(payload, sizeof payload);
    emlat_put_u(&put, EMLAT_STRING_VERSION);
    emlat_put_u(&put, 5);
    for (unsigned i = 0; i < 5; i++) {
        emlat_put_u(&put, i + 1);
        put_text(&put, strings[i]);
    }
    forge_chunk(forge, EMLAT_STRING_CHUNK, 1, payload, (size_t)(put.at - payload));
    put = emlat_put_to(payload, sizeof payload);
    emlat_put_u(&put, EMLAT_SESSION_VERSION);
    emlat_put_u(&put, 3);
    put_text(&put, "host");
    emlat_put_u(&put, 1);
    put_text(&put, "a \"host\"\n");
    put_text(&put, "rings");
    emlat_put_u(&put, 0);
    emlat_put_u(&put, UINT64_MAX);
    put_text(&put, "empty");
    emlat_put_u(&put, 1);
    put_text(&put, "");
    emlat_put_u(&put, 4);
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 0; k < 5; k++)
            emlat_put_u(&put, words[i][k]);
    forge_chunk(forge, EMLAT_SESSION_CHUNK, 1, payload, (size_t)(put.at - payload));
}

/* xorshift64: the same on every machine.  */
static uint64_t random_number(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint64_t random_value(enum emlat_type type, uint64_t *state)
{
    uint64_t number = random_number(state);
    uint64_t small = number >> (8 + random_number(state) % 56);
    switch (emlat_type_coding(type)) {
    case EMLAT_BASE: return number % 8 ? 1000000 + small % 3000000 : small;
    case EMLAT_RANGE: {
        uint64_t begin = small % 1000;
        return emlat_source(1 + (uint32_t)small % 100000, begin, begin + number % 40);
    }
    case EMLAT_PLAIN:
    case EMLAT_CHAIN:
    case EMLAT_SERIAL:
    case EMLAT_CHAIN_ALL:
    case EMLAT_SHAPE:
    case EMLAT_BLOCK:
    case EMLAT_COMPUTED:
    case EMLAT_COUNTERS:
    case EMLAT_TEXT: break;
    }
    return number % 4 ? number % 9 : small;
}

static void random_record(struct emlat_record *record, enum emlat_record_type type, uint64_t *state)
{
    const struct emlat_schema *schema = &emlat_schemas[type];
    memset(record, 0, sizeof *record);
    record->type = type;
    for (unsigned i = 0; i < schema->fields_count; i++) {
        enum emlat_coding coding = emlat_type_coding(schema->fields[i].type);
        if (random_number(state) % 3 && coding != EMLAT_BLOCK && coding != EMLAT_COMPUTED &&
            coding != EMLAT_COUNTERS)
            emlat_record_set(record, i, random_value(schema->fields[i].type, state));
    }
    bool has_counters = emlat_field_find(type, "counters") >= 0;
    for (unsigned i = 0; has_counters && i < EMLAT_COUNTERS_MAX; i++)
        if (random_number(state) % 8 == 0)
            emlat_record_add(record, i, random_value(EMLAT_TYPE_COUNT, state));
}

/* What a reader adds.  */
static void finish(struct emlat_record *record, uint64_t thread)
{
    int thread_field = emlat_field_find(record->type, "thread_id");
    int counters = emlat_field_find(record->type, "counters");
    if (thread && thread_field >= 0)
        emlat_record_set(record, (unsigned)thread_field, thread);
    if (counters >= 0 && record->counters_present)
        emlat_record_set(record, (unsigned)counters, record->counters_present);
    const uint64_t *value = record->value;
    if (record->type == EMLAT_INTERACTION &&
        emlat_record_has(record, EMLAT_INTERACTION_t_input_earliest) &&
        emlat_record_has(record, EMLAT_INTERACTION_t_input_latest) &&
        value[EMLAT_INTERACTION_t_input_latest] >= value[EMLAT_INTERACTION_t_input_earliest])
        emlat_record_set(record, EMLAT_INTERACTION_input_uncertainty_ns,
                         value[EMLAT_INTERACTION_t_input_latest] -
                             value[EMLAT_INTERACTION_t_input_earliest]);
}

void forge_records(struct forge *forge, enum emlat_record_type type, unsigned count, uint64_t seed,
                   struct emlat_record *records)
{
    struct emlat_chunk chunk = {
        .type = type,
        .payload = malloc(FORGE_MAX + EMLAT_BLOCK_BYTES_MAX),
        .block = calloc(EMLAT_BLOCK_RECORDS_MAX, sizeof(struct emlat_record)),
    };
    uint64_t state = seed * 2654435761u + 1, thread = 0;
    if (!chunk.payload || !chunk.block)
        abort();
    for (unsigned i = 0; i < count; i++) {
        struct emlat_record record;
        random_record(&record, type, &state);
        if (random_number(&state) % 4 == 0)
            thread = random_number(&state) % 3;
        emlat_chunk_add(&chunk, &record, thread);
        finish(&record, thread);
        if (records)
            records[i] = record;
    }
    emlat_chunk_finish_block(&chunk);
    forge_chunk(forge, emlat_schemas[type].chunk, emlat_schemas[type].version, chunk.payload,
                chunk.size);
    free(chunk.payload);
    free(chunk.block);
}

int forge_save(const struct forge *forge, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return 0;
    size_t written = fwrite(forge->bytes, 1, forge->size, file);
    return fclose(file) == 0 && written == forge->size;
}

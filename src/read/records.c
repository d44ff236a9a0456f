/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The mirror of record/chunk.c: what that puts, this gets, and nothing is believed.  */
#include "records.h"

#include <emlat/errors.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void emlat_blocks_begin(struct emlat_blocks *blocks, enum emlat_record_type type, unsigned version,
                        const void *payload, size_t size)
{
    *blocks = (struct emlat_blocks){
        .get = emlat_get_from(payload, size), .type = type, .chunk_version = version};
}

__attribute__((format(printf, 2, 3))) static int corrupt(struct emlat_blocks *blocks,
                                                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(blocks->why, sizeof blocks->why, format, arguments);
    va_end(arguments);
    return EMLAT_ECORRUPT;
}

static int begin_block(struct emlat_blocks *blocks)
{
    struct emlat_get *get = &blocks->get;
    blocks->version = emlat_get_u(get);
    blocks->base += (uint64_t)emlat_get_s(get);
    blocks->thread = emlat_get_u(get);
    blocks->left = emlat_get_u(get);
    if (get->failed)
        return corrupt(blocks, "a block's header runs past the payload's end");
    if (blocks->version - 1 >= blocks->chunk_version)
        return corrupt(blocks, "a block has schema version %" PRIu64 ", expected 1 to %u",
                       blocks->version, blocks->chunk_version);
    if (blocks->left > emlat_get_left(get))
        return corrupt(blocks, "a block claims %" PRIu64 " records in %zu bytes", blocks->left,
                       emlat_get_left(get));
    return 0;
}

static uint64_t get_difference(struct emlat_get *get, uint64_t *last)
{
    return *last += (uint64_t)emlat_get_s(get);
}

static int get_counters(struct emlat_blocks *blocks, struct emlat_record *record)
{
    uint64_t changed = emlat_get_u(&blocks->get);
    if (changed & ~record->counters_present)
        return corrupt(blocks, "counters 0x%" PRIx64 " change, of 0x%" PRIx64 " that are there",
                       changed, record->counters_present);
    for (uint64_t left = changed; left; left &= left - 1)
        get_difference(&blocks->get, &blocks->counter[__builtin_ctzll(left)]);
    for (uint64_t left = record->counters_present; left; left &= left - 1)
        record->counter[__builtin_ctzll(left)] = blocks->counter[__builtin_ctzll(left)];
    return 0;
}

/* A field of RECORD that has bytes of its own, or the block's value.  */
static int decode_field(struct emlat_blocks *blocks, struct emlat_record *record, unsigned field)
{
    const struct emlat_field *is = &emlat_schemas[record->type].fields[field];
    struct emlat_get *get = &blocks->get;
    uint64_t *value = &record->value[field];
    switch (emlat_type_coding(is->type)) {
    case EMLAT_PLAIN: *value = blocks->field[field] = emlat_get_u(get); return 0;
    case EMLAT_BASE: {
        uint64_t past = emlat_get_u(get);
        if (past > UINT64_MAX - blocks->base)
            return corrupt(blocks, "%s lies past the clock's end", is->name);
        *value = blocks->base + past;
        return 0;
    }
    case EMLAT_SERIAL:
        blocks->field[field]++;
        *value = get_difference(get, &blocks->field[field]);
        return 0;
    case EMLAT_CHAIN: *value = get_difference(get, &blocks->field[field]); return 0;
    case EMLAT_CHAIN_ALL: *value = get_difference(get, &blocks->last[is->type]); return 0;
    case EMLAT_RANGE: {
        uint64_t batch = get_difference(get, &blocks->last[is->type]);
        uint64_t begin = emlat_get_u(get), length = emlat_get_u(get);
        if (begin > UINT16_MAX || length > UINT16_MAX)
            batch = 0;
        *value = emlat_source(batch, begin, begin + length);
        if (!*value && !get->failed)
            return corrupt(blocks, "%s names no possible bytes of a batch", is->name);
        return 0;
    }
    case EMLAT_COUNTERS: *value = record->counters_present; return get_counters(blocks, record);
    case EMLAT_BLOCK: *value = blocks->thread; return 0;
    case EMLAT_SHAPE:
    case EMLAT_COMPUTED:
    case EMLAT_TEXT: return 0;
    }
    return 0;
}

/* A shape that the payload spells, to *SHAPE.  */
static int get_shape(struct emlat_blocks *blocks, struct emlat_shape *shape)
{
    const struct emlat_schema *schema = &emlat_schemas[blocks->type];
    struct emlat_get *get = &blocks->get;
    unsigned values = 0;
    *shape = (struct emlat_shape){.present = emlat_get_u(get)};
    shape->same = emlat_get_u(get);
    if (shape->same & ~shape->present)
        return corrupt(blocks, "a shape of %s repeats fields that it does not have", schema->name);
    for (uint64_t left = shape->present; left; left &= left - 1) {
        unsigned field = (unsigned)__builtin_ctzll(left);
        if (field >= schema->fields_count || schema->fields[field].since > blocks->version)
            return corrupt(blocks, "%s has presence bit %u, past the fields of version %" PRIu64,
                           schema->name, field, blocks->version);
        enum emlat_coding coding = emlat_type_coding(schema->fields[field].type);
        if ((shape->same >> field & 1) && !emlat_coding_repeats(coding))
            return corrupt(blocks, "%s cannot be called the same", schema->fields[field].name);
        if (coding == EMLAT_SHAPE)
            shape->value[values++] = emlat_get_u(get);
        else if (coding == EMLAT_COUNTERS)
            shape->counters = emlat_get_u(get);
    }
    if (blocks->shapes_count < EMLAT_SHAPES_MAX)
        blocks->shapes[blocks->shapes_count++] = *shape;
    return 0;
}

/* The fields that have no bytes because the others say them.  */
static void compute(struct emlat_record *record)
{
    const uint64_t width = (uint64_t)1 << EMLAT_INTERACTION_input_uncertainty_ns;
    if (record->type != EMLAT_INTERACTION)
        return;
    record->present &= ~width;
    if (!emlat_record_has(record, EMLAT_INTERACTION_t_input_earliest) ||
        !emlat_record_has(record, EMLAT_INTERACTION_t_input_latest))
        return;
    uint64_t earliest = record->value[EMLAT_INTERACTION_t_input_earliest];
    uint64_t latest = record->value[EMLAT_INTERACTION_t_input_latest];
    if (latest >= earliest)
        emlat_record_set(record, EMLAT_INTERACTION_input_uncertainty_ns, latest - earliest);
}

int emlat_blocks_next(struct emlat_blocks *blocks, struct emlat_record *record)
{
    const struct emlat_schema *schema = &emlat_schemas[blocks->type];
    while (!blocks->left) {
        if (!emlat_get_left(&blocks->get))
            return 0;
        int failed = begin_block(blocks);
        if (failed)
            return failed;
    }
    blocks->left--;
    struct emlat_shape spelt;
    const struct emlat_shape *shape = &spelt;
    uint64_t number = emlat_get_u(&blocks->get);
    int error = number ? 0 : get_shape(blocks, &spelt);
    if (number > blocks->shapes_count)
        error = corrupt(blocks, "shape %" PRIu64 " of %" PRIu32, number, blocks->shapes_count);
    else if (number)
        shape = &blocks->shapes[number - 1];
    if (error)
        return error;
    unsigned values = 0;
    record->type = blocks->type;
    record->present = shape->present;
    record->counters_present = shape->counters;
    uint64_t time_before = blocks->base;
    for (uint64_t left = shape->present; left; left &= left - 1) {
        unsigned field = (unsigned)__builtin_ctzll(left);
        enum emlat_coding coding = emlat_type_coding(schema->fields[field].type);
        if (shape->same >> field & 1)
            record->value[field] = coding == EMLAT_BASE     ? time_before
                                   : coding == EMLAT_SERIAL ? ++blocks->field[field]
                                                            : blocks->field[field];
        else if (coding == EMLAT_SHAPE)
            record->value[field] = shape->value[values++];
        else if ((error = decode_field(blocks, record, field)) != 0)
            return error;
        if (coding == EMLAT_BASE)
            time_before = record->value[field];
    }
    if (blocks->get.failed)
        return corrupt(blocks, "%s runs past the payload's end, or a number past 64 bits",
                       schema->name);
    compute(record);
    return 1;
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Perfetto's TrackEvent protobuf, written byte by byte: a Trace is TracePackets, each in field 1.

   Names are spelled once and numbered from then on ("interned"), which halves the file.  Times are
   the session's clock as it is, with no clock identified, so the file is not merged with traces of
   other clocks.  Each lane is a track below the program's; an end names its track only.
 */
#include "export.h"
#include "json_write.h"

#include <emlat/errors.h>
#include <stdlib.h>
#include <string.h>

/* Field numbers, by message.  */
enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_AFTER_LOSS = 42,
    PACKET_TRACK = 60,
    PACKET_IS_FIRST = 87,
};
enum { FLAG_BEGINS_STATE = 1, FLAG_NEEDS_STATE = 2 };
enum { INTERNED_IID = 1, INTERNED_NAME = 2 };
enum {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_CHILDREN = 11,
    TRACK_RANK = 12,
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    COUNTER_UNIT_NAME = 6,
};
enum {
    EVENT_CATEGORY_IID = 3,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_COUNTER_VALUE = 30,
    EVENT_FLOW = 47,
    EVENT_FLOW_END = 48,
    ANNOTATION_NAME_IID = 1,
    ANNOTATION_UINT = 3,
    ANNOTATION_STRING = 6,
};
enum { CHILDREN_BY_RANK = 3, COUNTERS_RANK = 100000000 };
enum { TYPE_SLICE_BEGIN = 1, TYPE_SLICE_END = 2, TYPE_COUNTER = 4 };
enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };
enum { PROCESS_TRACK = 1, LANE_TRACKS = 2, COUNTER_TRACKS = 1000000 }; /* UUIDs; 0 is taken */

/* A message that is being written.  One that does not fit is an error, never cut.  */
struct message {
    uint8_t *bytes;
    size_t size, room;
    bool failed;
};

/* Field numbers of InternedData, and our tables.  */
enum interned { CATEGORIES = 1, EVENT_NAMES, ANNOTATION_NAMES, INTERNED_END };
struct names {
    char **name; /* number I + 1 */
    size_t count, room;
};

enum { COUNTERS_SEEN = EMLAT_COUNTERS_MAX };
struct state {
    bool begun;
    struct message packet, event, inner;
    struct message interned; /* names that the packet at hand spells */
    struct names names[INTERNED_END];
    const char *counters[COUNTERS_SEEN];
};

/* ---- Messages ---------------------------------------------------------------------------------
 */

static void put_byte(struct message *to, uint8_t byte)
{
    if (to->size == to->room) {
        size_t room = to->room ? 2 * to->room : 1024;
        uint8_t *bytes = to->failed ? NULL : realloc(to->bytes, room);
        to->failed |= !bytes;
        if (to->failed)
            return;
        to->bytes = bytes;
        to->room = room;
    }
    to->bytes[to->size++] = byte;
}

static void put_varint(struct message *to, uint64_t value)
{
    for (; value > 127; value >>= 7)
        put_byte(to, (uint8_t)(value | 128));
    put_byte(to, (uint8_t)value);
}

static void put_number(struct message *to, unsigned field, uint64_t value)
{
    put_varint(to, field << 3 | WIRE_VARINT);
    put_varint(to, value);
}

static void put_fixed(struct message *to, unsigned field, uint64_t value)
{
    put_varint(to, field << 3 | WIRE_FIXED64);
    for (unsigned i = 0; i < 64; i += 8)
        put_byte(to, (uint8_t)(value >> i));
}

static void put_bytes(struct message *to, unsigned field, const void *bytes, size_t size)
{
    put_varint(to, field << 3 | WIRE_BYTES);
    put_varint(to, size);
    for (size_t i = 0; i < size; i++)
        put_byte(to, ((const uint8_t *)bytes)[i]);
}

static void put_message(struct message *to, unsigned field, struct message *inner)
{
    put_bytes(to, field, inner->bytes, inner->size);
    to->failed |= inner->failed;
    inner->size = 0;
}

static void put_text(struct message *to, unsigned field, const char *text)
{
    const char *at = text, *piece;
    size_t size = 0, length;
    while ((length = emlat_utf8_next(&at, &piece)) != 0)
        size += length;
    put_varint(to, field << 3 | WIRE_BYTES);
    put_varint(to, size);
    while ((length = emlat_utf8_next(&text, &piece)) != 0)
        for (size_t i = 0; i < length; i++)
            put_byte(to, (uint8_t)piece[i]);
}

/* The packet goes out.  */
static int finish_packet(struct emlat_export *export)
{
    struct message *packet = &((struct state *)export->state)->packet;
    struct message *frame = &((struct state *)export->state)->event;
    frame->size = 0;
    put_message(frame, TRACE_PACKET, packet);
    if (frame->failed)
        return EMLAT_ENOMEM;
    fwrite(frame->bytes, 1, frame->size, export->to);
    frame->size = 0;
    return 0;
}

/* The number of NAME in TABLE; the packet at hand spells it where it is new.  0: no memory.  */
static uint64_t number_of(struct state *state, enum interned table, const char *name)
{
    struct names *names = &state->names[table];
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0)
            return i + 1;
    if (names->count == names->room) {
        size_t room = names->room ? 2 * names->room : 64;
        char **more = reallocarray(names->name, room, sizeof *more);
        if (!more)
            return 0;
        names->name = more;
        names->room = room;
    }
    names->name[names->count] = strdup(name);
    if (!names->name[names->count])
        return 0;
    struct message entry = {0};
    put_number(&entry, INTERNED_IID, ++names->count);
    put_text(&entry, INTERNED_NAME, name);
    put_message(&state->interned, table, &entry);
    free(entry.bytes);
    return names->count;
}

/* ---- Tracks -----------------------------------------------------------------------------------
 */

static int put_track(struct emlat_export *export, struct message *track)
{
    struct state *state = export->state;
    state->packet.size = 0;
    put_number(&state->packet, PACKET_SEQUENCE, 1);
    if (!state->begun) {
        put_number(&state->packet, PACKET_FLAGS, FLAG_BEGINS_STATE);
        put_number(&state->packet, PACKET_AFTER_LOSS, 1); /* of what came before the first */
        put_number(&state->packet, PACKET_IS_FIRST, 1);
    }
    state->begun = true;
    put_message(&state->packet, PACKET_TRACK, track);
    return finish_packet(export);
}

static int put_process(struct emlat_export *export)
{
    struct state *state = export->state;
    const struct emlat_attribute_value *host = emlat_reader_attribute(export->reader, "host");
    const char *name = host && host->is_text ? host->text : "unnamed program";
    put_number(&state->inner, PROCESS_PID, 1); /* the file does not know the real one */
    put_text(&state->inner, PROCESS_NAME, name);
    put_number(&state->event, TRACK_UUID, PROCESS_TRACK);
    put_message(&state->event, TRACK_PROCESS, &state->inner);
    put_number(&state->event, TRACK_CHILDREN, CHILDREN_BY_RANK);
    return put_track(export, &state->event);
}

static int put_lane(struct emlat_export *export, struct emlat_lane *lane)
{
    struct state *state = export->state;
    char name[EMLAT_LANE_NAME];
    int error = state->begun ? 0 : put_process(export);
    if (error || lane->data)
        return error;
    lane->data = state; /* it has been described */
    put_number(&state->event, TRACK_UUID, LANE_TRACKS + lane->id);
    put_text(&state->event, TRACK_NAME, emlat_lane_name(name, export->reader, lane));
    put_number(&state->event, TRACK_PARENT, PROCESS_TRACK);
    put_number(&state->event, TRACK_RANK, emlat_lane_place(lane));
    return put_track(export, &state->event);
}

/* The UUID of COUNTER's track, described at its first use; 0 for no memory.  */
static uint64_t counter_track(struct emlat_export *export, const char *counter, const char *unit)
{
    struct state *state = export->state;
    size_t i = 0;
    while (i < COUNTERS_SEEN && state->counters[i] && strcmp(state->counters[i], counter) != 0)
        i++;
    if (i < COUNTERS_SEEN && !state->counters[i]) {
        state->counters[i] = counter;
        put_text(&state->inner, COUNTER_UNIT_NAME, unit);
        put_number(&state->event, TRACK_UUID, COUNTER_TRACKS + i);
        put_text(&state->event, TRACK_NAME, counter);
        put_number(&state->event, TRACK_PARENT, PROCESS_TRACK);
        put_number(&state->event, TRACK_RANK, COUNTERS_RANK);
        put_message(&state->event, TRACK_COUNTER, &state->inner);
        if (put_track(export, &state->event))
            return 0;
    }
    return COUNTER_TRACKS + i;
}

/* ---- Events -----------------------------------------------------------------------------------
 */

static int put_event(struct emlat_export *export, uint64_t t)
{
    struct state *state = export->state;
    state->packet.size = 0;
    put_number(&state->packet, PACKET_TIMESTAMP, t);
    put_number(&state->packet, PACKET_SEQUENCE, 1);
    put_number(&state->packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
    if (state->interned.size)
        put_message(&state->packet, PACKET_INTERNED, &state->interned);
    put_message(&state->packet, PACKET_EVENT, &state->event);
    return finish_packet(export);
}

/* NAME by its number in TABLE, as FIELD of TO.  */
static void put_name(struct state *state, struct message *to, unsigned field, enum interned table,
                     const char *name)
{
    uint64_t number = number_of(state, table, name);
    put_number(to, field, number);
    to->failed |= !number;
}

static void put_annotation(struct state *state, const struct emlat_argument *argument)
{
    put_name(state, &state->inner, ANNOTATION_NAME_IID, ANNOTATION_NAMES, argument->name);
    if (argument->text)
        put_text(&state->inner, ANNOTATION_STRING, argument->text);
    else
        put_number(&state->inner, ANNOTATION_UINT, argument->number);
    put_message(&state->event, EVENT_ANNOTATION, &state->inner);
}

static int slice_begin(struct emlat_export *export, struct emlat_lane *lane,
                       const struct emlat_slice *slice)
{
    struct state *state = export->state;
    struct message *event = &state->event;
    char name[EMLAT_LANE_NAME];
    int error = put_lane(export, lane);
    if (error)
        return error;
    put_number(event, EVENT_TYPE, TYPE_SLICE_BEGIN);
    put_number(event, EVENT_TRACK, LANE_TRACKS + lane->id);
    put_name(state, event, EVENT_CATEGORY_IID, CATEGORIES, slice->category);
    put_name(state, event, EVENT_NAME_IID, EVENT_NAMES,
             emlat_slice_name(name, export->reader, slice));
    for (size_t i = 0; i < slice->arguments_count; i++)
        put_annotation(state, &slice->argument[i]);
    if (slice->flow_out)
        put_fixed(event, EVENT_FLOW, slice->flow_out);
    if (slice->flow_in)
        put_fixed(event, EVENT_FLOW_END, slice->flow_in);
    return put_event(export, slice->begin);
}

static int slice_end(struct emlat_export *export, struct emlat_lane *lane,
                     const struct emlat_slice *slice)
{
    struct state *state = export->state;
    put_number(&state->event, EVENT_TYPE, TYPE_SLICE_END);
    put_number(&state->event, EVENT_TRACK, LANE_TRACKS + lane->id);
    return put_event(export, slice->end);
}

static int level(struct emlat_export *export, const char *counter, const char *unit, uint64_t t,
                 uint64_t value)
{
    struct state *state = export->state;
    int error = state->begun ? 0 : put_process(export);
    uint64_t track = error ? 0 : counter_track(export, counter, unit);
    if (!track)
        return EMLAT_ENOMEM;
    put_number(&state->event, EVENT_TYPE, TYPE_COUNTER);
    put_number(&state->event, EVENT_TRACK, track);
    put_number(&state->event, EVENT_COUNTER_VALUE, value);
    return put_event(export, t);
}

static int end(struct emlat_export *export, bool whole)
{
    struct state *state = export->state;
    (void)whole;
    return state->begun ? 0 : put_process(export);
}

static void release(struct emlat_export *export)
{
    struct state *state = export->state;
    free(state->packet.bytes);
    free(state->event.bytes);
    free(state->inner.bytes);
    free(state->interned.bytes);
    for (int table = 0; table < INTERNED_END; table++) {
        for (size_t i = 0; i < state->names[table].count; i++)
            free(state->names[table].name[i]);
        free(state->names[table].name);
    }
}

const struct emlat_export_view emlat_export_perfetto = {
    .name = "perfetto",
    .about = "lanes for ui.perfetto.dev (TrackEvent protobuf)",
    .state_bytes = sizeof(struct state),
    .slice_begin = slice_begin,
    .slice_end = slice_end,
    .level = level,
    .end = end,
    .free = release,
};

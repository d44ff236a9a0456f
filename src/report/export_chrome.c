/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The JSON of Chrome's trace viewers: complete events ("X") on a pseudo-thread a lane, in
   microseconds since the session's begin, with three decimals, so that no nanosecond is lost.  */
#include "export.h"
#include "json_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct state {
    struct emlat_json json;
};

static int begin(struct emlat_export *export)
{
    struct state *state = export->state;
    const struct emlat_attribute_value *host = emlat_reader_attribute(export->reader, "host");
    struct emlat_json *json = &state->json;
    json->to = export->to;
    emlat_json_open(json, NULL, '{');
    emlat_json_string(json, "displayTimeUnit", "ns");
    emlat_json_open(json, "traceEvents", '[');
    emlat_json_open(json, NULL, '{');
    emlat_json_string(json, "ph", "M");
    emlat_json_string(json, "name", "process_name");
    emlat_json_string(json, "cat", "__metadata");
    emlat_json_u64(json, "pid", 1);
    emlat_json_u64(json, "tid", 0);
    emlat_json_u64(json, "ts", 0);
    emlat_json_open(json, "args", '{');
    emlat_json_string(json, "name", host && host->is_text ? host->text : "unnamed program");
    emlat_json_close(json, '}');
    emlat_json_close(json, '}');
    return 0;
}

/* T since the session's begin in microseconds, exactly.  */
static const char *time_text(char text[40], const struct emlat_export *export, uint64_t t)
{
    uint64_t zero = emlat_reader_file(export->reader)->monotonic_ns;
    uint64_t ns = t < zero ? zero - t : t - zero;
    snprintf(text, 40, "%s%" PRIu64 ".%03u", t < zero ? "-" : "", ns / 1000, (unsigned)(ns % 1000));
    return text;
}

static void put_time(struct emlat_json *json, const struct emlat_export *export, uint64_t t)
{
    char text[40];
    emlat_json_number(json, "ts", time_text(text, export, t));
}

static void put_duration(struct emlat_json *json, const struct emlat_export *export,
                         const struct emlat_slice *slice)
{
    char text[40];
    double begin = strtod(time_text(text, export, slice->begin), NULL);
    double end = strtod(time_text(text, export, slice->end), NULL);
    double duration = end - begin;
    while (begin + duration < end)
        duration = nextafter(duration, INFINITY);
    while (begin + duration > end)
        duration = nextafter(duration, 0);
    snprintf(text, sizeof text, "%.17g", duration);
    emlat_json_number(json, "dur", text);
}

static void put_lane(struct emlat_export *export, struct emlat_json *json, struct emlat_lane *lane)
{
    char name[EMLAT_LANE_NAME];
    for (int order = 0; order < 2; order++) {
        emlat_json_open(json, NULL, '{');
        emlat_json_string(json, "ph", "M");
        emlat_json_string(json, "name", order ? "thread_sort_index" : "thread_name");
        emlat_json_string(json, "cat", "__metadata");
        emlat_json_u64(json, "pid", 1);
        emlat_json_u64(json, "tid", lane->id);
        emlat_json_u64(json, "ts", 0);
        emlat_json_open(json, "args", '{');
        if (order)
            emlat_json_u64(json, "sort_index", emlat_lane_place(lane));
        else
            emlat_json_string(json, "name", emlat_lane_name(name, export->reader, lane));
        emlat_json_close(json, '}');
        emlat_json_close(json, '}');
    }
}

/* An arrow to or from the slice that has just been written.  */
static void put_flow(struct emlat_export *export, struct emlat_json *json,
                     const struct emlat_lane *lane, const struct emlat_slice *slice,
                     const char *phase, uint64_t flow)
{
    emlat_json_open(json, NULL, '{');
    emlat_json_string(json, "ph", phase);
    emlat_json_string(json, "bp", "e");
    emlat_json_string(json, "name", "scheduled");
    emlat_json_string(json, "cat", "flow");
    emlat_json_u64(json, "id", flow);
    emlat_json_u64(json, "pid", 1);
    emlat_json_u64(json, "tid", lane->id);
    put_time(json, export, slice->begin);
    emlat_json_close(json, '}');
}

static int slice_begin(struct emlat_export *export, struct emlat_lane *lane,
                       const struct emlat_slice *slice)
{
    struct emlat_json *json = &((struct state *)export->state)->json;
    char name[EMLAT_LANE_NAME];
    if (!lane->data)
        put_lane(export, json, lane);
    lane->data = json; /* it has been named */
    fputc('\n', export->to);
    emlat_json_open(json, NULL, '{');
    emlat_json_string(json, "ph", "X");
    emlat_json_string(json, "name", emlat_slice_name(name, export->reader, slice));
    emlat_json_string(json, "cat", slice->category);
    emlat_json_u64(json, "pid", 1);
    emlat_json_u64(json, "tid", lane->id);
    put_time(json, export, slice->begin);
    put_duration(json, export, slice);
    emlat_json_open(json, "args", '{');
    for (size_t i = 0; i < slice->arguments_count; i++) {
        const struct emlat_argument *argument = &slice->argument[i];
        if (argument->text)
            emlat_json_string(json, argument->name, argument->text);
        else
            emlat_json_u64(json, argument->name, argument->number);
    }
    emlat_json_close(json, '}');
    emlat_json_close(json, '}');
    if (slice->flow_out)
        put_flow(export, json, lane, slice, "s", slice->flow_out);
    if (slice->flow_in)
        put_flow(export, json, lane, slice, "f", slice->flow_in);
    return 0;
}

static int level(struct emlat_export *export, const char *counter, const char *unit, uint64_t t,
                 uint64_t value)
{
    struct emlat_json *json = &((struct state *)export->state)->json;
    emlat_json_open(json, NULL, '{');
    emlat_json_string(json, "ph", "C");
    emlat_json_string(json, "name", counter);
    emlat_json_string(json, "cat", "counter");
    emlat_json_u64(json, "pid", 1);
    emlat_json_u64(json, "tid", 0);
    put_time(json, export, t);
    emlat_json_open(json, "args", '{');
    emlat_json_u64(json, *unit ? unit : "value", value);
    emlat_json_close(json, '}');
    emlat_json_close(json, '}');
    return 0;
}

static int end(struct emlat_export *export, bool whole)
{
    struct emlat_json *json = &((struct state *)export->state)->json;
    emlat_json_close(json, ']');
    emlat_json_open(json, "metadata", '{');
    emlat_json_bool(json, "emlat_whole", whole);
    emlat_json_close(json, '}');
    emlat_json_close(json, '}');
    emlat_json_line(json);
    return 0;
}

const struct emlat_export_view emlat_export_chrome = {
    .name = "chrome",
    .about = "lanes for Chrome's Performance panel (JSON)",
    .state_bytes = sizeof(struct state),
    .begin = begin,
    .slice_begin = slice_begin,
    .level = level,
    .end = end,
};

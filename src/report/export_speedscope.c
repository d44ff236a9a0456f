/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   speedscope's JSON: a profile for each interaction, its slices as evented frames.

   A profile's events must stand together and nest, so each interaction's slices get lanes of their
   own, and the lanes' events are kept until the end.  That is why this view shows the slowest
   interactions unless asked for one: memory is what is shown.  Beyond EVENTS_KEPT_MAX bytes it
   gives up and says so.  */
#include "export.h"
#include "json_write.h"

#include <emlat/errors.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_KEPT_MAX = 256 << 20 };

struct profile {
    struct emlat_json json; /* to a stream of its own, EVENTS */
    char *events;
    size_t events_size, counted;
    const struct emlat_lane *lane;
    uint64_t cause, begin, end;
    uint64_t latency; /* least, of its interaction; 0 where none is known */
    uint64_t number;  /* the lane's */
    char about[64];   /* population and bounds; "" until the interaction itself is seen */
    struct profile *next;
};

struct state {
    struct profile *profiles, **last;
    size_t profiles_count, kept;
    char **frames;
    size_t frames_count, frames_room;
};

static enum emlat_lane_family family_of(enum emlat_lane_family family)
{
    return family == EMLAT_LANE_LOSS ? family : EMLAT_LANE_CAUSE;
}

static int begin(struct emlat_export *export)
{
    struct state *state = export->state;
    state->last = &state->profiles;
    return 0;
}

/* The number of the frame NAME, or -1 for no memory.  */
static long frame_of(struct state *state, const char *name)
{
    for (size_t i = 0; i < state->frames_count; i++)
        if (strcmp(state->frames[i], name) == 0)
            return (long)i;
    if (state->frames_count == state->frames_room) {
        size_t room = state->frames_room ? 2 * state->frames_room : 64;
        char **frames = reallocarray(state->frames, room, sizeof *frames);
        if (!frames)
            return -1;
        state->frames = frames;
        state->frames_room = room;
    }
    state->frames[state->frames_count] = strdup(name);
    return state->frames[state->frames_count] ? (long)state->frames_count++ : -1;
}

static struct profile *profile_of(struct state *state, struct emlat_lane *lane, uint64_t t)
{
    if (lane->data)
        return lane->data;
    struct profile *profile = calloc(1, sizeof *profile);
    if (!profile)
        return NULL;
    profile->json.to = open_memstream(&profile->events, &profile->events_size);
    if (!profile->json.to) {
        free(profile);
        return NULL;
    }
    profile->lane = lane;
    profile->cause = lane->number;
    profile->number = lane->id;
    profile->begin = t;
    state->profiles_count++;
    *state->last = profile;
    state->last = &profile->next;
    lane->data = profile;
    return profile;
}

static int put_event(struct emlat_export *export, struct emlat_lane *lane,
                     const struct emlat_slice *slice, const char *type, uint64_t t)
{
    struct state *state = export->state;
    char name[EMLAT_LANE_NAME];
    struct profile *profile = profile_of(state, lane, t);
    long frame = frame_of(state, emlat_slice_name(name, export->reader, slice));
    if (!profile || frame < 0)
        return EMLAT_ENOMEM;
    emlat_json_open(&profile->json, NULL, '{');
    emlat_json_string(&profile->json, "type", type);
    emlat_json_u64(&profile->json, "frame", (uint64_t)frame);
    emlat_json_u64(&profile->json, "at", t);
    emlat_json_close(&profile->json, '}');
    if (t > profile->end)
        profile->end = t;
    size_t kept = (size_t)ftell(profile->json.to);
    state->kept += kept - profile->counted;
    profile->counted = kept;
    if (state->kept <= EVENTS_KEPT_MAX)
        return ferror(profile->json.to) ? EMLAT_ENOMEM : 0;
    export->problem = "the interactions shown have more than 256 MiB of events; choose fewer";
    return EMLAT_ELIMIT;
}

/* "flushed 212.60..213.10 ms", of what the slice of an interaction knows.  */
static void describe(struct profile *profile, const struct emlat_slice *slice)
{
    const char *population = NULL;
    double least = -1, most = -1;
    for (size_t i = 0; i < slice->arguments_count; i++) {
        const struct emlat_argument *argument = &slice->argument[i];
        if (strcmp(argument->name, "population") == 0)
            population = argument->text;
        if (strcmp(argument->name, "latency_min_ns") == 0) {
            profile->latency = argument->number;
            least = (double)argument->number / 1e6;
        }
        if (strcmp(argument->name, "latency_max_ns") == 0)
            most = (double)argument->number / 1e6;
    }
    if (population && least >= 0 && most >= 0)
        snprintf(profile->about, sizeof profile->about, "%s %.2f..%.2f ms", population, least,
                 most);
    else if (population && least >= 0)
        snprintf(profile->about, sizeof profile->about, "%s from %.2f ms", population, least);
    else if (population)
        snprintf(profile->about, sizeof profile->about, "%s", population);
}

static int slice_begin(struct emlat_export *export, struct emlat_lane *lane,
                       const struct emlat_slice *slice)
{
    if (slice->family == EMLAT_LANE_LOSS)
        return 0; /* of no interaction; the verb says how much is lost */
    int error = put_event(export, lane, slice, "O", slice->begin);
    if (!error && strcmp(slice->category, "interaction") == 0)
        describe(lane->data, slice);
    return error;
}

static int slice_end(struct emlat_export *export, struct emlat_lane *lane,
                     const struct emlat_slice *slice)
{
    return slice->family == EMLAT_LANE_LOSS ? 0 : put_event(export, lane, slice, "C", slice->end);
}

static void put_profile(struct emlat_export *export, struct emlat_json *json,
                        struct profile *profile)
{
    char lane[EMLAT_LANE_NAME], name[EMLAT_LANE_NAME + sizeof profile->about + 2];
    snprintf(name, sizeof name, "%s%s%s", emlat_lane_name(lane, export->reader, profile->lane),
             *profile->about ? " " : "", profile->about);
    emlat_json_open(json, NULL, '{');
    emlat_json_string(json, "type", "evented");
    emlat_json_string(json, "name", name);
    emlat_json_string(json, "unit", "nanoseconds");
    emlat_json_u64(json, "startValue", profile->begin);
    emlat_json_u64(json, "endValue", profile->end);
    emlat_json_open(json, "events", '[');
    fflush(profile->json.to);
    fwrite(profile->events, 1, profile->events_size, export->to);
    emlat_json_close(json, ']');
    emlat_json_close(json, '}');
    fputc('\n', export->to);
}

static int compare_causes(const void *a, const void *b)
{
    const struct profile *x = *(struct profile *const *)a, *y = *(struct profile *const *)b;
    return (x->cause > y->cause) - (x->cause < y->cause);
}

/* Slowest first; an interaction's lanes together, in their order.  */
static int compare_latencies(const void *a, const void *b)
{
    const struct profile *x = *(struct profile *const *)a, *y = *(struct profile *const *)b;
    if (x->latency != y->latency)
        return x->latency > y->latency ? -1 : 1;
    if (x->cause != y->cause)
        return x->cause < y->cause ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* The profiles in the order in which they are shown, to be freed; or null.  */
static struct profile **in_order(const struct state *state)
{
    size_t count = 0;
    struct profile **order = calloc(state->profiles_count + 1, sizeof *order);
    if (!order)
        return NULL;
    for (struct profile *profile = state->profiles; profile; profile = profile->next)
        order[count++] = profile;
    /* Only one lane of an interaction has its latency.  */
    qsort(order, count, sizeof *order, compare_causes);
    for (size_t first = 0, end; first < count; first = end) {
        uint64_t latency = 0;
        for (end = first; end < count && order[end]->cause == order[first]->cause; end++)
            latency = order[end]->latency > latency ? order[end]->latency : latency;
        for (size_t i = first; i < end; i++)
            order[i]->latency = latency;
    }
    qsort(order, count, sizeof *order, compare_latencies);
    return order;
}

static int end(struct emlat_export *export, bool whole)
{
    struct state *state = export->state;
    struct emlat_json json = {.to = export->to};
    struct profile **order = in_order(state);
    (void)whole;
    if (!order)
        return EMLAT_ENOMEM;
    emlat_json_open(&json, NULL, '{');
    emlat_json_string(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    emlat_json_string(&json, "exporter", "emlat");
    emlat_json_open(&json, "shared", '{');
    emlat_json_open(&json, "frames", '[');
    for (size_t i = 0; i < state->frames_count; i++) {
        emlat_json_open(&json, NULL, '{');
        emlat_json_string(&json, "name", state->frames[i]);
        emlat_json_close(&json, '}');
    }
    emlat_json_close(&json, ']');
    emlat_json_close(&json, '}');
    emlat_json_open(&json, "profiles", '[');
    for (size_t i = 0; i < state->profiles_count; i++)
        put_profile(export, &json, order[i]);
    free(order);
    emlat_json_close(&json, ']');
    emlat_json_close(&json, '}');
    emlat_json_line(&json);
    return 0;
}

static void release(struct emlat_export *export)
{
    struct state *state = export->state;
    while (state->profiles) {
        struct profile *profile = state->profiles;
        state->profiles = profile->next;
        fclose(profile->json.to);
        free(profile->events);
        free(profile);
    }
    for (size_t i = 0; i < state->frames_count; i++)
        free(state->frames[i]);
    free(state->frames);
}

const struct emlat_export_view emlat_export_speedscope = {
    .name = "speedscope",
    .about = "a profile for each of the slowest interactions (JSON)",
    .state_bytes = sizeof(struct state),
    .slowest = 100,
    .family_of = family_of,
    .begin = begin,
    .slice_begin = slice_begin,
    .slice_end = slice_end,
    .end = end,
    .free = release,
};

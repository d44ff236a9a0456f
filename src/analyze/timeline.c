/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See timeline.h.

   On one thread, what lies inside something ends before it, or with it.  So stretches are laid down
   in the order of their ends, and each takes only what is still free: the inner ones have taken
   theirs.  A recorder writes spans at their ends, but roots later and in chunks of their own, so
   what was flushed together is sorted before it is laid down.  */
#include "timeline.h"

#include <emlat/errors.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLICES_MAX = 1 << 16, /* of a thread; of more, the later half is kept */
    THREADS_MAX = 64,
    HOLDERS_MAX = 1 << 14, /* roots that are remembered, a power of two */
    TRANSPARENT = EMLAT_SLICE_COMPONENTS,
    UNKNOWN_YET,
};

/* What a span of a name means.  What is not here takes no time from what is around it.  */
static const struct {
    const char *name;
    enum emlat_component component;
} meanings[] = {
    {"pre_command", EMLAT_PRE_COMMAND},
    {"command", EMLAT_COMMAND},
    {"post_command", EMLAT_POST_COMMAND},
    {"redisplay", EMLAT_REDISPLAY},
    {"desired_matrices", EMLAT_MATRICES},
    {"update", EMLAT_UPDATE},
    {"echo_area", EMLAT_REDISPLAY},
    {"redisplay_lisp", EMLAT_REDISPLAY_LISP},
    {"tty_write", EMLAT_TTY_EMIT},
    {"flush", EMLAT_TTY_EMIT},
    {"gc", EMLAT_GC},
    {"poll", EMLAT_IDLE}, /* with a detail: any input would have ended it */
    {"suspended", EMLAT_IDLE},
};

static const char *const names[EMLAT_SLICE_COMPONENTS] = {
    "wait",         "decode",    "pre_command",      "command",
    "post_command", "redisplay", "redisplay_lisp",   "tty_emit",
    "gc",           "other",     "desired_matrices", "update",
    "idle"};

struct slices {
    struct emlat_slice *at;
    size_t count, room;
};

/* A stretch that is not laid down yet.  */
struct stretch {
    struct emlat_slice slice;
    uint64_t thread;
    uint64_t order; /* among those of the same time: spans, then the roots around them */
};

struct emlat_timeline {
    struct slices threads[THREADS_MAX];
    struct stretch *taken;
    size_t taken_count, taken_room;
    uint64_t order;
    struct emlat_slice *scratch;
    struct emlat_holder holders[HOLDERS_MAX]; /* at the place of their cause; 0: none */
    struct emlat_harmless harmless[EMLAT_HOLDER_KINDS];
    int meaning[256]; /* by span kind, as it is found out */
};

const char *emlat_component_name(enum emlat_component component)
{
    return names[component];
}

int emlat_timeline_new(struct emlat_timeline **timeline)
{
    *timeline = calloc(1, sizeof **timeline);
    if (!*timeline)
        return EMLAT_ENOMEM;
    for (size_t i = 0; i < sizeof(*timeline)->meaning / sizeof *(*timeline)->meaning; i++)
        (*timeline)->meaning[i] = UNKNOWN_YET;
    return 0;
}

void emlat_timeline_free(struct emlat_timeline *timeline)
{
    if (!timeline)
        return;
    for (size_t i = 0; i < THREADS_MAX; i++)
        free(timeline->threads[i].at);
    free(timeline->taken);
    free(timeline->scratch);
    free(timeline);
}

/* ---- Taking in --------------------------------------------------------------------------------
 */

static int take(struct emlat_timeline *timeline, uint64_t thread, bool root,
                struct emlat_slice slice)
{
    if (slice.begin >= slice.end || thread >= THREADS_MAX)
        return 0;
    if (timeline->taken_count == timeline->taken_room) {
        size_t room = timeline->taken_room ? 2 * timeline->taken_room : 1024;
        struct stretch *taken = realloc(timeline->taken, room * sizeof *taken);
        if (!taken)
            return EMLAT_ENOMEM;
        timeline->taken = taken;
        timeline->taken_room = room;
    }
    timeline->taken[timeline->taken_count++] =
        (struct stretch){slice, thread, timeline->order++ | (uint64_t)root << 63};
    return 0;
}

static int meaning_of(struct emlat_timeline *timeline, const struct emlat_reader *reader,
                      uint64_t kind)
{
    int *meaning = &timeline->meaning[kind & 255];
    if (*meaning != UNKNOWN_YET)
        return *meaning;
    const struct emlat_word_value *word = emlat_reader_word(reader, EMLAT_CLASS_SPAN, kind);
    *meaning = TRANSPARENT;
    for (size_t i = 0; word && i < sizeof meanings / sizeof *meanings; i++)
        if (strcmp(word->name, meanings[i].name) == 0)
            *meaning = (int)meanings[i].component;
    return *meaning;
}

static uint64_t field(const struct emlat_record *record, unsigned number)
{
    return emlat_record_has(record, number) ? record->value[number] : 0;
}

static int take_span(struct emlat_timeline *timeline, const struct emlat_reader *reader,
                     const struct emlat_record *record)
{
    int meaning = meaning_of(timeline, reader, field(record, EMLAT_SPAN_kind));
    uint64_t begin = field(record, EMLAT_SPAN_t_begin), wall = field(record, EMLAT_SPAN_wall_ns);
    if (meaning == TRANSPARENT || wall > UINT64_MAX - begin)
        return 0;
    /* A poll that no key would have ended was the work of whoever polled.  */
    if (meaning == EMLAT_IDLE && field(record, EMLAT_SPAN_cause_id) &&
        !field(record, EMLAT_SPAN_detail_id))
        return 0;
    return take(timeline, field(record, EMLAT_SPAN_thread_id), false,
                (struct emlat_slice){begin, begin + wall, field(record, EMLAT_SPAN_cause_id),
                                     (enum emlat_component)meaning});
}

static void tell_harmless(struct emlat_harmless *harmless, const struct emlat_holder *holder)
{
    if (!holder->cause || holder->command || holder->delayed || holder->wall_ns < EMLAT_SLOW_NS)
        return;
    struct emlat_harmless *of = &harmless[holder->kind % EMLAT_HOLDER_KINDS];
    of->count++;
    if (holder->wall_ns > of->max_ns)
        of->max_ns = holder->wall_ns;
}

static int take_root(struct emlat_timeline *timeline, const struct emlat_reader *reader,
                     const struct emlat_record *record)
{
    uint64_t begin = field(record, EMLAT_INTERACTION_t_dispatch_begin);
    uint64_t end = field(record, EMLAT_INTERACTION_t_root_work_end);
    uint64_t cpu_begin = field(record, EMLAT_INTERACTION_thread_cpu_begin);
    uint64_t cpu_end = field(record, EMLAT_INTERACTION_thread_cpu_end);
    uint64_t kind = field(record, EMLAT_INTERACTION_root_kind);
    const struct emlat_word_value *word = emlat_reader_word(reader, EMLAT_CLASS_ROOT, kind);
    bool command = emlat_word_is_command(word);
    struct emlat_holder holder = {
        .cause = field(record, EMLAT_INTERACTION_cause_id),
        .kind = kind,
        .command = command,
        .wall_ns = end > begin ? end - begin : 0,
        .cpu_ns = cpu_end > cpu_begin ? cpu_end - cpu_begin : 0,
        .has_cpu = emlat_record_has(record, EMLAT_INTERACTION_thread_cpu_end) &&
                   emlat_record_has(record, EMLAT_INTERACTION_thread_cpu_begin),
    };
    struct emlat_holder *place = &timeline->holders[holder.cause & (HOLDERS_MAX - 1)];
    tell_harmless(timeline->harmless, place);
    *place = holder;
    /* A command's own spans name its parts; any other root is its work.  */
    return take(
        timeline, field(record, EMLAT_INTERACTION_thread_id), true,
        (struct emlat_slice){begin, end, holder.cause, command ? EMLAT_OTHER : EMLAT_COMMAND});
}

int emlat_timeline_take(struct emlat_timeline *timeline, const struct emlat_reader *reader,
                        const struct emlat_record *record)
{
    if (record->type == EMLAT_SPAN)
        return take_span(timeline, reader, record);
    if (record->type == EMLAT_INTERACTION)
        return take_root(timeline, reader, record);
    return 0;
}

/* ---- Laying out -------------------------------------------------------------------------------
 */

static int by_end(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    if (x->slice.end != y->slice.end)
        return x->slice.end < y->slice.end ? -1 : 1;
    if (x->slice.begin != y->slice.begin)
        return x->slice.begin > y->slice.begin ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* The place of the first of SLICES that ends after T.  */
static size_t place_of(const struct slices *slices, uint64_t t)
{
    size_t low = 0, high = slices->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (slices->at[middle].end > t)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Make room for a slice more than there are free places for.  */
static int make_room(struct slices *slices)
{
    if (slices->count == SLICES_MAX) {
        slices->count /= 2;
        memmove(slices->at, slices->at + slices->count, slices->count * sizeof *slices->at);
    }
    if (slices->count < slices->room)
        return 0;
    size_t room = slices->room ? 2 * slices->room : 256;
    struct emlat_slice *at = realloc(slices->at, room * sizeof *at);
    if (!at)
        return EMLAT_ENOMEM;
    slices->at = at;
    slices->room = room;
    return 0;
}

static int append(struct slices *slices, struct emlat_slice slice)
{
    int error = make_room(slices);
    if (!error)
        slices->at[slices->count++] = slice;
    return error;
}

/* WHOLE takes what is free of its time: the slices from its begin on are set aside, and put back
   with what is between them.  */
static int lay(struct emlat_timeline *timeline, struct slices *slices, struct emlat_slice whole)
{
    size_t first = place_of(slices, whole.begin), aside = slices->count - first;
    uint64_t at = whole.begin;
    int error = 0;
    if (!timeline->scratch && aside &&
        !(timeline->scratch = malloc(SLICES_MAX * sizeof *timeline->scratch)))
        return EMLAT_ENOMEM;
    if (aside)
        memcpy(timeline->scratch, slices->at + first, aside * sizeof *slices->at);
    slices->count = first;
    for (size_t i = 0; i < aside && !error; i++) {
        const struct emlat_slice *inner = &timeline->scratch[i];
        uint64_t until = inner->begin < whole.end ? inner->begin : whole.end;
        if (at < until) {
            error = append(slices, (struct emlat_slice){at, until, whole.cause, whole.component});
            at = until;
        }
        if (!error)
            error = append(slices, *inner);
        at = inner->end > at ? inner->end : at;
    }
    if (!error && at < whole.end)
        error = append(slices, (struct emlat_slice){at, whole.end, whole.cause, whole.component});
    return error;
}

int emlat_timeline_settle(struct emlat_timeline *timeline)
{
    int error = 0;
    if (timeline->taken_count)
        qsort(timeline->taken, timeline->taken_count, sizeof *timeline->taken, by_end);
    for (size_t i = 0; i < timeline->taken_count && !error; i++) {
        const struct stretch *stretch = &timeline->taken[i];
        error = lay(timeline, &timeline->threads[stretch->thread], stretch->slice);
    }
    timeline->taken_count = 0;
    return error;
}

/* ---- Asking -----------------------------------------------------------------------------------
 */

const struct emlat_slice *emlat_timeline_from(const struct emlat_timeline *timeline,
                                              uint64_t thread, uint64_t t, size_t *count)
{
    *count = 0;
    if (thread >= THREADS_MAX)
        return NULL;
    const struct slices *slices = &timeline->threads[thread];
    size_t first = place_of(slices, t);
    *count = slices->count - first;
    return *count ? slices->at + first : NULL;
}

const struct emlat_holder *emlat_timeline_holder(const struct emlat_timeline *timeline,
                                                 uint64_t cause)
{
    const struct emlat_holder *holder = &timeline->holders[cause & (HOLDERS_MAX - 1)];
    return cause && holder->cause == cause ? holder : NULL;
}

void emlat_timeline_delayed(struct emlat_timeline *timeline, uint64_t cause)
{
    struct emlat_holder *holder = &timeline->holders[cause & (HOLDERS_MAX - 1)];
    if (cause && holder->cause == cause)
        holder->delayed = true;
}

const struct emlat_harmless *emlat_timeline_harmless(struct emlat_timeline *timeline)
{
    for (size_t i = 0; i < HOLDERS_MAX; i++) {
        tell_harmless(timeline->harmless, &timeline->holders[i]);
        timeline->holders[i].cause = 0;
    }
    return timeline->harmless;
}

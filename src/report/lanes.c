/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See lanes.h.  A lane is a stack of the slices that are open at the place it has come to.  */
#include "lanes.h"

#include "sample.h"

#include <emlat/errors.h>
#include <inttypes.h>
#include <stdlib.h>

int emlat_lanes_begin(struct emlat_lanes *lanes, const struct emlat_lane_view *view)
{
    *lanes = (struct emlat_lanes){.view = view};
    lanes->window = calloc(EMLAT_LANES_WINDOW, sizeof *lanes->window);
    lanes->last = &lanes->lanes;
    return lanes->window ? 0 : EMLAT_ENOMEM;
}

struct emlat_slice *emlat_slice_new(size_t count)
{
    return calloc(1, sizeof(struct emlat_slice) + count * sizeof(struct emlat_argument));
}

/* ---- One lane -------------------------------------------------------------------------------- */

static int close_top(struct emlat_lanes *lanes, struct emlat_lane *lane)
{
    struct emlat_slice *slice = lane->open[--lane->open_count];
    int error = lanes->view->end ? lanes->view->end(lanes->view->data, lane, slice) : 0;
    free(slice);
    return error;
}

/* Whether SLICE nests on LANE and begins no earlier than what has left already.  Waits stand side
   by side even where they would nest: none is a part of another.  */
static bool fits(const struct emlat_lane *lane, const struct emlat_slice *slice)
{
    if (slice->begin < lane->last_begin)
        return false;
    for (size_t i = lane->open_count; i-- > 0;)
        if (lane->open[i]->end > slice->begin)
            return lane->open[i]->end >= slice->end && lane->family != EMLAT_LANE_WAITING;
    return true;
}

static int put_on(struct emlat_lanes *lanes, struct emlat_lane *lane, struct emlat_slice *slice)
{
    int error = 0;
    while (!error && lane->open_count && lane->open[lane->open_count - 1]->end <= slice->begin)
        error = close_top(lanes, lane);
    if (!error && lane->open_count == lane->open_room) {
        size_t room = lane->open_room ? 2 * lane->open_room : 8;
        struct emlat_slice **open = reallocarray(lane->open, room, sizeof(struct emlat_slice *));
        if (open) {
            lane->open = open;
            lane->open_room = room;
        } else {
            error = EMLAT_ENOMEM;
        }
    }
    if (error) {
        free(slice);
        return error;
    }
    lane->open[lane->open_count++] = slice;
    lane->last_begin = slice->begin;
    return lanes->view->begin(lanes->view->data, lane, slice);
}

/* The first lane of SLICE's group that it fits on, a new one if there is none; or null.  */
static struct emlat_lane *lane_for(struct emlat_lanes *lanes, const struct emlat_slice *slice)
{
    unsigned index = 0;
    for (struct emlat_lane *lane = lanes->lanes; lane; lane = lane->next) {
        if (lane->family != slice->family || lane->number != slice->number)
            continue;
        if (fits(lane, slice))
            return lane;
        index++;
    }
    struct emlat_lane *lane = calloc(1, sizeof *lane);
    if (!lane)
        return NULL;
    lane->id = ++lanes->lanes_count;
    lane->family = slice->family;
    lane->number = slice->number;
    lane->index = index;
    *lanes->last = lane;
    lanes->last = &lane->next;
    return lane;
}

/* ---- The window ------------------------------------------------------------------------------ */

/* By begin; of those, the longer first, so that it is the outer one.  */
static int compare(const void *a, const void *b)
{
    const struct emlat_slice *x = *(struct emlat_slice *const *)a,
                             *y = *(struct emlat_slice *const *)b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Let the first COUNT of the window go.  */
static int let_go(struct emlat_lanes *lanes, size_t count)
{
    int error = 0;
    qsort(lanes->window, lanes->count, sizeof *lanes->window, compare);
    for (size_t i = 0; i < count; i++) {
        struct emlat_slice *slice = lanes->window[i];
        struct emlat_lane *lane = error ? NULL : lane_for(lanes, slice);
        if (lane) {
            error = put_on(lanes, lane, slice);
        } else {
            error = error ? error : EMLAT_ENOMEM;
            free(slice);
        }
    }
    for (size_t i = count; i < lanes->count; i++)
        lanes->window[i - count] = lanes->window[i];
    lanes->count -= count;
    return error;
}

int emlat_lanes_add(struct emlat_lanes *lanes, struct emlat_slice *slice)
{
    lanes->window[lanes->count++] = slice;
    return lanes->count < EMLAT_LANES_WINDOW ? 0 : let_go(lanes, EMLAT_LANES_WINDOW / 2);
}

int emlat_lanes_finish(struct emlat_lanes *lanes)
{
    int error = let_go(lanes, lanes->count);
    for (struct emlat_lane *lane = lanes->lanes; lane; lane = lane->next)
        while (!error && lane->open_count)
            error = close_top(lanes, lane);
    return error;
}

void emlat_lanes_free(struct emlat_lanes *lanes)
{
    for (size_t i = 0; i < lanes->count; i++)
        free(lanes->window[i]);
    while (lanes->lanes) {
        struct emlat_lane *lane = lanes->lanes;
        lanes->lanes = lane->next;
        while (lane->open_count)
            free(lane->open[--lane->open_count]);
        free(lane->open);
        free(lane);
    }
    free(lanes->window);
    *lanes = (struct emlat_lanes){0};
}

/* ---- Names ----------------------------------------------------------------------------------- */

static const char *word_of(char text[EMLAT_LANE_NAME], const struct emlat_reader *reader,
                           unsigned class, uint64_t number)
{
    const struct emlat_word_value *word = emlat_reader_word(reader, class, number);
    if (word)
        snprintf(text, EMLAT_LANE_NAME, "%s", word->name);
    else
        snprintf(text, EMLAT_LANE_NAME, "%s %" PRIu64, emlat_class_name(class), number);
    return text;
}

unsigned emlat_lane_place(const struct emlat_lane *lane)
{
    unsigned number = lane->number < 999 ? (unsigned)lane->number : 999;
    return ((unsigned)lane->family * 1000 + number) * 10000 +
           (lane->index < 9999 ? lane->index : 9999);
}

const char *emlat_lane_name(char text[EMLAT_LANE_NAME], const struct emlat_reader *reader,
                            const struct emlat_lane *lane)
{
    char base[EMLAT_LANE_NAME];
    switch (lane->family) {
    case EMLAT_LANE_POPULATION:
        snprintf(base, sizeof base, "%s",
                 emlat_population_name((enum emlat_population)lane->number));
        break;
    case EMLAT_LANE_ROOT: word_of(base, reader, EMLAT_CLASS_ROOT, lane->number); break;
    case EMLAT_LANE_WAITING: snprintf(base, sizeof base, "waiting"); break;
    case EMLAT_LANE_OUTPUT: snprintf(base, sizeof base, "output"); break;
    case EMLAT_LANE_THREAD: snprintf(base, sizeof base, "thread %" PRIu64, lane->number); break;
    case EMLAT_LANE_LOSS: snprintf(base, sizeof base, "loss"); break;
    case EMLAT_LANE_CAUSE: snprintf(base, sizeof base, "#%" PRIu64, lane->number); break;
    }
    if (lane->index)
        snprintf(text, EMLAT_LANE_NAME, "%.80s (%u)", base, lane->index + 1);
    else
        snprintf(text, EMLAT_LANE_NAME, "%s", base);
    return text;
}

const char *emlat_slice_name(char text[EMLAT_LANE_NAME], const struct emlat_reader *reader,
                             const struct emlat_slice *slice)
{
    return slice->name ? slice->name : word_of(text, reader, slice->word_class, slice->word);
}

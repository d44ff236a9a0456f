/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Finding interactions, then their spans: two walks, so that memory holds only what is shown.  */
#include "waterfall.h"

#include <emlat/errors.h>
#include <stdlib.h>
#include <string.h>

/* The first walk: keep the slowest COUNT, sorted, slowest first.  */
static void consider(struct emlat_waterfall *kept, size_t count, size_t *found,
                     const struct emlat_sample *sample, const struct emlat_record *record)
{
    size_t at = *found;
    while (at && kept[at - 1].sample.lower < sample->lower)
        at--;
    if (at == count)
        return;
    size_t moved = (*found < count ? *found : count - 1) - at;
    memmove(kept + at + 1, kept + at, moved * sizeof *kept);
    kept[at] = (struct emlat_waterfall){.sample = *sample, .record = *record};
    if (*found < count)
        (*found)++;
}

static int add_span(struct emlat_waterfall *to, const struct emlat_record *record)
{
    if (to->spans_count == EMLAT_WATERFALL_SPANS_MAX) {
        to->spans_left_out++;
        return 0;
    }
    if (to->spans_count == to->spans_room) {
        size_t room = to->spans_room ? 2 * to->spans_room : 32;
        struct emlat_waterfall_span *spans = realloc(to->spans, room * sizeof *spans);
        if (!spans)
            return EMLAT_ENOMEM;
        to->spans = spans;
        to->spans_room = room;
    }
    struct emlat_waterfall_span *span = &to->spans[to->spans_count++];
    *span = (struct emlat_waterfall_span){
        .id = record->value[EMLAT_SPAN_span_id],
        .kind = record->value[EMLAT_SPAN_kind],
        .t_begin = record->value[EMLAT_SPAN_t_begin],
        .open = !emlat_record_has(record, EMLAT_SPAN_wall_ns),
    };
    if (!span->open)
        span->wall_ns = record->value[EMLAT_SPAN_wall_ns];
    if (emlat_record_has(record, EMLAT_SPAN_parent_span_id))
        span->parent = record->value[EMLAT_SPAN_parent_span_id];
    if (emlat_record_has(record, EMLAT_SPAN_detail_id))
        span->detail = record->value[EMLAT_SPAN_detail_id];
    return 0;
}

static int by_begin(const void *a, const void *b)
{
    const struct emlat_waterfall_span *x = a, *y = b;
    if (x->t_begin != y->t_begin)
        return x->t_begin < y->t_begin ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* One walk over PATH; on each record VISIT.  Damage ends the walk but not the answer.  */
static int walk(const char *path, struct emlat_reader **reader,
                int (*visit)(void *data, const struct emlat_reader *, const struct emlat_record *),
                void *data)
{
    struct emlat_item item;
    int error = emlat_reader_open(reader, path);
    while (!error && !(error = emlat_reader_next(*reader, &item)) && item.kind != EMLAT_ITEM_END)
        if (item.kind == EMLAT_ITEM_RECORD)
            error = visit(data, *reader, item.record);
    return error;
}

struct search {
    struct emlat_waterfall *kept;
    size_t count, found;
    uint64_t cause, flushed;
};

static int visit_interaction(void *data, const struct emlat_reader *reader,
                             const struct emlat_record *record)
{
    struct search *search = data;
    struct emlat_sample sample;
    if (record->type != EMLAT_INTERACTION || !emlat_sample_from(reader, record, &sample))
        return 0;
    search->flushed += sample.population == EMLAT_FLUSHED;
    if (search->cause ? sample.cause == search->cause : sample.population == EMLAT_FLUSHED)
        consider(search->kept, search->count, &search->found, &sample, record);
    return 0;
}

static int visit_span(void *data, const struct emlat_reader *reader,
                      const struct emlat_record *record)
{
    struct search *search = data;
    (void)reader;
    if (record->type != EMLAT_SPAN || !emlat_record_has(record, EMLAT_SPAN_cause_id))
        return 0;
    for (size_t i = 0; i < search->found; i++)
        if (search->kept[i].sample.cause == record->value[EMLAT_SPAN_cause_id])
            return add_span(&search->kept[i], record);
    return 0;
}

int emlat_waterfall_find(const char *path, size_t count, uint64_t cause,
                         struct emlat_waterfall **waterfalls, size_t *found, uint64_t *flushed,
                         struct emlat_reader **reader)
{
    struct search search = {.count = cause ? 1 : count, .cause = cause};
    *waterfalls = search.kept = calloc(search.count, sizeof *search.kept);
    *found = 0;
    *reader = NULL;
    if (!search.kept)
        return EMLAT_ENOMEM;
    int error = walk(path, reader, visit_interaction, &search);
    if (!error || search.found) {
        emlat_reader_close(*reader);
        error = walk(path, reader, visit_span, &search);
    }
    for (size_t i = 0; i < search.found; i++) {
        struct emlat_waterfall *one = &search.kept[i];
        one->rank = cause ? 0 : i + 1;
        if (one->spans_count)
            qsort(one->spans, one->spans_count, sizeof *one->spans, by_begin);
    }
    *found = search.found;
    *flushed = search.flushed;
    return error;
}

void emlat_waterfall_free(struct emlat_waterfall *waterfalls, size_t count)
{
    for (size_t i = 0; waterfalls && i < count; i++)
        free(waterfalls[i].spans);
    free(waterfalls);
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Records into arrays, sorted; no meaning is given here but live and load.  */
#include "run.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)EMLAT_JOB_FIELDS <= 24 && (int)EMLAT_STAGE_FIELDS <= 24, "entries hold them");

/* Room for one more after COUNT elements of SIZE; doubles at powers of two.  */
static void *room(void *array, size_t count, size_t size)
{
    if (count & (count - 1) || (count && count < 64))
        return array;
    return reallocarray(array, count ? 2 * count : 64, size);
}

/* A zeroed element more of ARRAY, or an out-of-memory return.  */
#define MORE(array, count, to)                                 \
    do {                                                       \
        void *more_ = room((array), (count), sizeof *(array)); \
        if (!more_)                                            \
            return EMLAT_ENOMEM;                               \
        (array) = more_;                                       \
        (to) = &(array)[(count)++];                            \
        memset((to), 0, sizeof *(to));                         \
    } while (0)

static void seen(struct emlat_run *run, uint64_t t)
{
    if (t > run->t_end)
        run->t_end = t;
}

static int add_frame(struct emlat_run *run, const struct emlat_record *record)
{
    const uint64_t *value = record->value;
    struct emlat_run_frame *frame;
    if (!emlat_record_has(record, EMLAT_FRAME_frame_id) ||
        !emlat_record_has(record, EMLAT_FRAME_t_begin) ||
        !emlat_record_has(record, EMLAT_FRAME_wall_ns))
        return EMLAT_ECORRUPT;
    MORE(run->frames, run->frames_count, frame);
    frame->present = record->present;
    frame->id = value[EMLAT_FRAME_frame_id];
    frame->t_begin = value[EMLAT_FRAME_t_begin];
    frame->t_end = frame->t_begin + value[EMLAT_FRAME_wall_ns];
    if (emlat_record_has(record, EMLAT_FRAME_states))
        frame->states = value[EMLAT_FRAME_states];
    frame->partial = emlat_record_has(record, EMLAT_FRAME_status) &&
                     value[EMLAT_FRAME_status] == EMLAT_STATUS_open;
    frame->thread = value[EMLAT_FRAME_thread_id];
    frame->position = value[EMLAT_FRAME_position];
    frame->cpu_ns = value[EMLAT_FRAME_cpu_ns];
    frame->switches = value[EMLAT_FRAME_switches];
    frame->faults_minor = value[EMLAT_FRAME_faults_minor];
    frame->faults_major = value[EMLAT_FRAME_faults_major];
    seen(run, frame->t_end);
    return 0;
}

static int add_span(struct emlat_run *run, const struct emlat_record *record)
{
    const uint64_t *value = record->value;
    struct emlat_run_span *span;
    if (!emlat_record_has(record, EMLAT_SPAN_kind) || !emlat_record_has(record, EMLAT_SPAN_t_begin))
        return EMLAT_ECORRUPT;
    MORE(run->spans, run->spans_count, span);
    span->id = emlat_record_has(record, EMLAT_SPAN_span_id) ? value[EMLAT_SPAN_span_id] : 0;
    span->parent =
        emlat_record_has(record, EMLAT_SPAN_parent_span_id) ? value[EMLAT_SPAN_parent_span_id] : 0;
    span->thread = emlat_record_has(record, EMLAT_SPAN_thread_id) ? value[EMLAT_SPAN_thread_id] : 0;
    span->kind = value[EMLAT_SPAN_kind] & 255;
    span->status =
        emlat_record_has(record, EMLAT_SPAN_status) ? (uint32_t)value[EMLAT_SPAN_status] : 0;
    span->t_begin = span->t_end = value[EMLAT_SPAN_t_begin];
    span->open = !emlat_record_has(record, EMLAT_SPAN_wall_ns);
    if (!span->open)
        span->t_end += value[EMLAT_SPAN_wall_ns];
    seen(run, span->t_end);
    return 0;
}

static int add_sample(struct emlat_run *run, const struct emlat_record *record)
{
    struct emlat_run_sample *sample;
    if (!emlat_record_has(record, EMLAT_SAMPLE_counter))
        return EMLAT_ECORRUPT;
    MORE(run->samples, run->samples_count, sample);
    sample->counter = (uint32_t)record->value[EMLAT_SAMPLE_counter] & 63;
    sample->frame = emlat_record_has(record, EMLAT_SAMPLE_frame_id)
                        ? record->value[EMLAT_SAMPLE_frame_id]
                        : EMLAT_NO_FRAME;
    sample->rejected = !emlat_record_has(record, EMLAT_SAMPLE_value);
    sample->value = sample->rejected ? 0 : record->value[EMLAT_SAMPLE_value];
    return 0;
}

static int add_entry(struct emlat_run_entry **entries, size_t *count,
                     const struct emlat_record *record)
{
    struct emlat_run_entry *entry;
    MORE(*entries, *count, entry);
    entry->present = record->present;
    memcpy(entry->value, record->value, sizeof entry->value);
    return 0;
}

static int add_mark(struct emlat_run *run, const struct emlat_record *record)
{
    struct emlat_run_mark *mark;
    if (!emlat_record_has(record, EMLAT_MARK_t))
        return EMLAT_ECORRUPT;
    MORE(run->marks, run->marks_count, mark);
    mark->t = record->value[EMLAT_MARK_t];
    mark->frame = emlat_record_has(record, EMLAT_MARK_frame_id) ? record->value[EMLAT_MARK_frame_id]
                                                                : EMLAT_NO_FRAME;
    if (emlat_record_has(record, EMLAT_MARK_kind))
        mark->kind = (uint32_t)record->value[EMLAT_MARK_kind];
    if (emlat_record_has(record, EMLAT_MARK_span_kind))
        mark->span_kind = (uint32_t)record->value[EMLAT_MARK_span_kind];
    seen(run, mark->t);
    return 0;
}

static int add_loss(struct emlat_run *run, const struct emlat_record *record)
{
    const uint64_t *value = record->value;
    if (emlat_record_has(record, EMLAT_LOSS_records))
        run->records_lost += value[EMLAT_LOSS_records];
    /* A loss that does not say when it was may have been at any time.  */
    uint64_t first = emlat_record_has(record, EMLAT_LOSS_t_first) ? value[EMLAT_LOSS_t_first] : 0;
    uint64_t last =
        emlat_record_has(record, EMLAT_LOSS_t_last) ? value[EMLAT_LOSS_t_last] : UINT64_MAX;
    if (first < run->t_lost_first)
        run->t_lost_first = first;
    if (last > run->t_lost_last)
        run->t_lost_last = last;
    return 0;
}

static int add(struct emlat_run *run, const struct emlat_record *record)
{
    switch (record->type) {
    case EMLAT_FRAME: return add_frame(run, record);
    case EMLAT_SPAN: return add_span(run, record);
    case EMLAT_SAMPLE: return add_sample(run, record);
    case EMLAT_STAGE: return add_entry(&run->stages, &run->stages_count, record);
    case EMLAT_JOB: return add_entry(&run->jobs, &run->jobs_count, record);
    case EMLAT_MARK: return add_mark(run, record);
    case EMLAT_LOSS: return add_loss(run, record);
    default: return 0;
    }
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int by_number(const void *a, const void *b)
{
    const struct emlat_run_frame *x = a, *y = b;
    return ORDER(x->id, y->id);
}

static int by_begin(const void *a, const void *b)
{
    const struct emlat_run_span *x = a, *y = b;
    int order = ORDER(x->t_begin, y->t_begin);
    if (!order)
        order = ORDER(y->t_end, x->t_end);
    return order ? order : ORDER(x->id, y->id);
}

static int by_stage_begin(const void *a, const void *b)
{
    const struct emlat_run_entry *x = a, *y = b;
    return ORDER(x->value[EMLAT_STAGE_t_begin], y->value[EMLAT_STAGE_t_begin]);
}

static int by_job(const void *a, const void *b)
{
    const struct emlat_run_entry *x = a, *y = b;
    return ORDER(x->value[EMLAT_JOB_job_id], y->value[EMLAT_JOB_job_id]);
}

static int by_time(const void *a, const void *b)
{
    const struct emlat_run_mark *x = a, *y = b;
    return ORDER(x->t, y->t);
}

static void sort(void *array, size_t count, size_t size, int (*order)(const void *, const void *))
{
    if (count)
        qsort(array, count, size, order);
}

/* The frame after the one in which the host became playable is the first live one: the frame that
   was under way belongs to loading as a whole.  */
static void find_live(struct emlat_run *run)
{
    const struct emlat_word_value *words;
    size_t count = emlat_reader_words(run->reader, &words);
    for (size_t i = 0; i < count; i++)
        run->has_playable |=
            words[i].class == EMLAT_CLASS_MARK && words[i].flags & EMLAT_RUN_PLAYABLE;
    run->playable = !run->has_playable;
    for (size_t i = 0; i < run->marks_count; i++) {
        const struct emlat_run_mark *mark = &run->marks[i];
        const struct emlat_word_value *word =
            mark->kind ? emlat_reader_word(run->reader, EMLAT_CLASS_MARK, mark->kind) : NULL;
        if (!word || !(word->flags & EMLAT_RUN_PLAYABLE))
            continue;
        run->playable = true;
        run->t_playable = mark->t;
        run->first_live = mark->frame == EMLAT_NO_FRAME ? 0 : mark->frame + 1;
        return;
    }
}

static int read_all(struct emlat_run *run)
{
    struct emlat_item item;
    do {
        int error = emlat_reader_next(run->reader, &item);
        if (!error && item.kind == EMLAT_ITEM_RECORD)
            error = add(run, item.record);
        if (error)
            return error;
    } while (item.kind != EMLAT_ITEM_END);
    return 0;
}

int emlat_run_read(struct emlat_run *run, const char *path)
{
    memset(run, 0, sizeof *run);
    run->t_lost_first = UINT64_MAX;
    int error = emlat_reader_open(&run->reader, path);
    if (!error)
        error = read_all(run);
    if (!run->reader || (error && error != EMLAT_ETRUNCATED))
        return error;
    run->t_arm = emlat_reader_file(run->reader)->monotonic_ns;
    seen(run, run->t_arm);
    for (size_t i = 0; i < run->spans_count; i++)
        if (run->spans[i].open)
            run->spans[i].t_end = run->t_end;
    sort(run->frames, run->frames_count, sizeof *run->frames, by_number);
    sort(run->spans, run->spans_count, sizeof *run->spans, by_begin);
    sort(run->stages, run->stages_count, sizeof *run->stages, by_stage_begin);
    sort(run->jobs, run->jobs_count, sizeof *run->jobs, by_job);
    sort(run->marks, run->marks_count, sizeof *run->marks, by_time);
    find_live(run);
    return error;
}

void emlat_run_free(struct emlat_run *run)
{
    free(run->frames);
    free(run->spans);
    free(run->samples);
    free(run->stages);
    free(run->jobs);
    free(run->marks);
    emlat_reader_close(run->reader);
    memset(run, 0, sizeof *run);
}

size_t emlat_run_frame_at(const struct emlat_run *run, uint64_t t, bool end)
{
    size_t low = 0, high = run->frames_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t closes = run->frames[middle].t_end;
        if (closes < t || (!end && closes == t))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < run->frames_count &&
        (run->frames[low].t_begin > t || (end && run->frames[low].t_begin == t)))
        return run->frames_count;
    return low;
}

bool emlat_run_is_live(const struct emlat_run *run, uint64_t frame)
{
    return run->playable && frame != EMLAT_NO_FRAME && frame >= run->first_live;
}

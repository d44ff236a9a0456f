/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See export.h.  */
#include "export.h"

#include <emlat/errors.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct emlat_export_view *const emlat_export_views[] = {
    &emlat_export_perfetto, &emlat_export_chrome,      &emlat_export_speedscope,
    &emlat_export_csv,      &emlat_export_jsonl,       &emlat_export_sql,
    &emlat_export_hlog,     &emlat_export_openmetrics, &emlat_export_prometheus,
};
const size_t emlat_export_views_count = sizeof emlat_export_views / sizeof *emlat_export_views;

/* Not FIELD: clang-format takes that for the schema's.  */
#define STAMP(name) EMLAT_INTERACTION_##name

struct walk {
    const struct emlat_export_order *order;
    struct emlat_export_result *result;
    struct emlat_export export;
    struct emlat_lane_view lane_view;
    struct emlat_lanes lanes;
    uint64_t *causes; /* those chosen, ascending; null: all */
    size_t causes_count;
    bool begun;
    char counter_name[EMLAT_COUNTERS_MAX][16];       /* of those that the host gave none */
    uint64_t levels_told, level[EMLAT_COUNTERS_MAX]; /* of the view's, what it was told last */
};

/* ---- Choosing the slowest ---------------------------------------------------------------------
 */

struct choice {
    uint64_t latency, cause;
};

/* Keep the COUNT slowest in KEPT, slowest first.  */
static void consider(struct choice *kept, size_t count, size_t *found, struct choice choice)
{
    size_t at = *found;
    while (at && kept[at - 1].latency < choice.latency)
        at--;
    if (at == count)
        return;
    size_t moved = (*found < count ? *found : count - 1) - at;
    memmove(kept + at + 1, kept + at, moved * sizeof *kept);
    kept[at] = choice;
    if (*found < count)
        (*found)++;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The first walk.  What is damaged is found again, and said, by the second.  */
static int choose_slowest(struct walk *walk, const char *path)
{
    struct emlat_reader *reader;
    struct emlat_item item;
    struct emlat_sample sample;
    size_t count = walk->order->slowest, found = 0;
    struct choice *kept = calloc(count, sizeof *kept);
    walk->causes = calloc(count, sizeof *walk->causes);
    if (!kept || !walk->causes) {
        free(kept);
        return EMLAT_ENOMEM;
    }
    int error = emlat_reader_open(&reader, path);
    while (!error && !(error = emlat_reader_next(reader, &item)) && item.kind != EMLAT_ITEM_END)
        if (item.kind == EMLAT_ITEM_RECORD && item.record->type == EMLAT_INTERACTION &&
            emlat_sample_from(reader, item.record, &sample) && sample.population == EMLAT_FLUSHED)
            consider(kept, count, &found, (struct choice){sample.lower, sample.cause});
    emlat_reader_close(reader);
    for (size_t i = 0; i < found; i++)
        walk->causes[i] = kept[i].cause;
    qsort(walk->causes, found, sizeof *walk->causes, compare_numbers);
    walk->causes_count = found;
    free(kept);
    return 0;
}

static bool is_chosen(const struct walk *walk, uint64_t cause)
{
    return !walk->causes || (walk->causes_count && bsearch(&cause, walk->causes, walk->causes_count,
                                                           sizeof cause, compare_numbers));
}

/* ---- Slices -----------------------------------------------------------------------------------
 */

static int slice_begins(void *data, struct emlat_lane *lane, const struct emlat_slice *slice)
{
    struct walk *walk = data;
    return walk->order->view->slice_begin(&walk->export, lane, slice);
}

static int slice_ends(void *data, struct emlat_lane *lane, const struct emlat_slice *slice)
{
    struct walk *walk = data;
    return walk->order->view->slice_end(&walk->export, lane, slice);
}

/* Slices of the interaction's own lane, inside its own one.  */
static const struct {
    const char *name;
    unsigned begin, end;
} phases[] = {
    {"pre_command", STAMP(t_pre_command_begin), STAMP(t_pre_command_end)},
    {"command", STAMP(t_command_begin), STAMP(t_command_end)},
    {"post_command", STAMP(t_post_command_begin), STAMP(t_post_command_end)},
    {"redisplay", STAMP(t_redisplay_begin), STAMP(t_redisplay_end)},
};
enum { PHASES = sizeof phases / sizeof *phases };

/* Output epochs of an interaction.  */
static const struct {
    const char *name;
    unsigned begin, end;
} outputs[] = {
    {"first output", STAMP(t_first_output_begin), STAMP(t_first_flush_end)},
    {"output", STAMP(t_output_begin), STAMP(t_flush_end)},
};

static void give(struct emlat_slice *slice, const char *name, const char *text, uint64_t number)
{
    slice->argument[slice->arguments_count++] = (struct emlat_argument){name, text, number};
}

/* The interaction's number, or 0 where the file does not say.  */
static uint64_t cause_of(const struct emlat_record *record)
{
    return emlat_record_has(record, STAMP(cause_id)) ? record->value[STAMP(cause_id)] : 0;
}

/* A plain slice of FAMILY, or null.  */
static struct emlat_slice *plain(const struct walk *walk, enum emlat_lane_family family,
                                 uint64_t number, const char *name, uint64_t begin, uint64_t end,
                                 uint64_t cause, size_t more)
{
    struct emlat_slice *slice = emlat_slice_new(1 + more);
    const struct emlat_export_view *view = walk->order->view;
    if (!slice)
        return NULL;
    slice->family = view->family_of ? view->family_of(family) : family;
    slice->number = slice->family == EMLAT_LANE_CAUSE ? cause : number;
    slice->name = name;
    slice->begin = begin;
    slice->end = end;
    slice->order = UINT64_MAX;
    if (cause)
        give(slice, "cause_id", NULL, cause);
    return slice;
}

static int add(struct walk *walk, struct emlat_slice *slice, const char *category)
{
    if (!slice)
        return EMLAT_ENOMEM;
    slice->category = category;
    if (slice->end < slice->begin) {
        walk->result->left_out++;
        free(slice);
        return 0;
    }
    return emlat_lanes_add(&walk->lanes, slice);
}

/* What is known of an interaction besides its times.  */
static void describe(struct walk *walk, struct emlat_slice *slice,
                     const struct emlat_record *record, const struct emlat_sample *sample)
{
    static const struct {
        unsigned field;
        const char *name;
        enum emlat_type type;
    } texts[] = {
        {STAMP(status), "status", EMLAT_TYPE_STATUS},
        {STAMP(presentation), "presentation", EMLAT_TYPE_PRESENTATION},
        {STAMP(superseded_by), "superseded_by", EMLAT_TYPE_SKIP},
        {STAMP(earliest_quality), "earliest_quality", EMLAT_TYPE_QUALITY},
        {STAMP(latest_quality), "latest_quality", EMLAT_TYPE_QUALITY},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (emlat_record_has(record, texts[i].field))
            give(slice, texts[i].name,
                 emlat_type_word(texts[i].type, record->value[texts[i].field]),
                 record->value[texts[i].field]);
    if (emlat_record_has(record, STAMP(input_uncertainty_ns)))
        give(slice, "input_uncertainty_ns", NULL, record->value[STAMP(input_uncertainty_ns)]);
    if (sample) {
        bool timed = sample->population != EMLAT_NO_INPUT && sample->population != EMLAT_UNFINISHED;
        give(slice, "population", emlat_population_name(sample->population), 0);
        if (timed)
            give(slice, "latency_min_ns", NULL, sample->lower);
        if (timed && sample->has_upper)
            give(slice, "latency_max_ns", NULL, sample->upper);
        if (sample->has_cpu)
            give(slice, "cpu_ns", NULL, sample->cpu_ns);
        for (unsigned part = 0; timed && part < EMLAT_PARTS; part++)
            give(slice, emlat_part_name((enum emlat_part)part), NULL, sample->part[part]);
    }
    for (uint64_t left = record->counters_present; left; left &= left - 1) {
        unsigned number = (unsigned)__builtin_ctzll(left);
        const struct emlat_word_value *word =
            emlat_reader_word(walk->export.reader, EMLAT_CLASS_COUNTER, number);
        char *name = walk->counter_name[number];
        snprintf(name, sizeof walk->counter_name[number], "counter_%u", number);
        give(slice, word ? word->name : name, NULL, record->counter[number]);
    }
}
enum { DESCRIBE_MOST = 5 + 1 + 4 + EMLAT_PARTS + EMLAT_COUNTERS_MAX };

/* When the interaction left the stage: the latest of its own boundaries.  */
static uint64_t last_of(const struct emlat_record *record)
{
    static const unsigned ends[] = {STAMP(t_dispatch_begin), STAMP(t_root_work_end),
                                    STAMP(t_redisplay_end), STAMP(t_flush_end), STAMP(t_end)};
    uint64_t last = 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (emlat_record_has(record, ends[i]) && record->value[ends[i]] > last)
            last = record->value[ends[i]];
    return last;
}

/* Whether the host records spans of that NAME.  */
static bool has_span(const struct emlat_reader *reader, const char *name)
{
    const struct emlat_word_value *words;
    size_t count = emlat_reader_words(reader, &words);
    for (size_t i = 0; i < count; i++)
        if (words[i].class == EMLAT_CLASS_SPAN && strcmp(words[i].name, name) == 0)
            return true;
    return false;
}

/* Where phases and spans share lanes, a span shows its phase already.  */
static int add_phases(struct walk *walk, const struct emlat_record *record,
                      struct emlat_slice *whole)
{
    uint64_t cause = cause_of(record);
    int error = 0;
    for (size_t i = 0; !error && i < PHASES; i++) {
        bool begun = emlat_record_has(record, phases[i].begin);
        bool ended = emlat_record_has(record, phases[i].end);
        if (begun != ended)
            give(whole, begun ? "absent_end_of" : "absent_begin_of", phases[i].name, 0);
        if (begun && ended &&
            !(whole->family == EMLAT_LANE_CAUSE && has_span(walk->export.reader, phases[i].name)))
            error =
                add(walk,
                    plain(walk, whole->family, whole->number, phases[i].name,
                          record->value[phases[i].begin], record->value[phases[i].end], cause, 0),
                    "phase");
    }
    return error;
}

/* The wait of the input, and the writing of the output: they overlap other interactions' work.  */
static int add_outside(struct walk *walk, const struct emlat_record *record)
{
    uint64_t cause = cause_of(record);
    unsigned taken = emlat_record_has(record, STAMP(t_queue_remove)) ? STAMP(t_queue_remove)
                                                                     : STAMP(t_dispatch_begin);
    int error = 0;
    if (emlat_record_has(record, STAMP(t_input_latest)) && emlat_record_has(record, taken))
        error = add(walk,
                    plain(walk, EMLAT_LANE_WAITING, 0, "wait", record->value[STAMP(t_input_latest)],
                          record->value[taken], cause, 0),
                    "wait");
    for (size_t i = 0; !error && i < sizeof outputs / sizeof *outputs; i++)
        if (emlat_record_has(record, outputs[i].begin) && emlat_record_has(record, outputs[i].end))
            error =
                add(walk,
                    plain(walk, EMLAT_LANE_OUTPUT, 0, outputs[i].name,
                          record->value[outputs[i].begin], record->value[outputs[i].end], cause, 0),
                    "output");
    return error;
}

static int add_interaction(struct walk *walk, const struct emlat_record *record,
                           const struct emlat_sample *sample)
{
    uint64_t cause = cause_of(record);
    if (!emlat_record_has(record, STAMP(t_dispatch_begin)) ||
        !emlat_record_has(record, STAMP(root_kind))) {
        walk->result->left_out++;
        return 0;
    }
    struct emlat_slice *whole = plain(
        walk, sample ? EMLAT_LANE_POPULATION : EMLAT_LANE_ROOT,
        sample ? (uint64_t)sample->population : record->value[STAMP(root_kind)], NULL,
        record->value[STAMP(t_dispatch_begin)], last_of(record), cause, 1 + DESCRIBE_MOST + PHASES);
    if (!whole)
        return EMLAT_ENOMEM;
    whole->word_class = EMLAT_CLASS_ROOT;
    whole->word = record->value[STAMP(root_kind)];
    whole->order = 0;
    whole->flow_out = cause;
    if (emlat_record_has(record, STAMP(scheduled_by_cause_id)))
        whole->flow_in = record->value[STAMP(scheduled_by_cause_id)];
    if (emlat_record_has(record, STAMP(status)) &&
        record->value[STAMP(status)] ==
            EMLAT_STATUS_open) { /* drawn to where the recording ended */
        whole->end = walk->export.t_last;
        give(whole, "absent_end_of", "interaction", 0);
    }
    describe(walk, whole, record, sample);
    int error = add_phases(walk, record, whole);
    if (error) {
        free(whole);
        return error;
    }
    error = add(walk, whole, "interaction");
    return error ? error : add_outside(walk, record);
}

static int add_span(struct walk *walk, const struct emlat_record *record)
{
    const uint64_t *value = record->value;
    if (!emlat_record_has(record, EMLAT_SPAN_t_begin) ||
        !emlat_record_has(record, EMLAT_SPAN_kind)) {
        walk->result->left_out++;
        return 0;
    }
    bool open = !emlat_record_has(record, EMLAT_SPAN_wall_ns);
    uint64_t begin = value[EMLAT_SPAN_t_begin];
    uint64_t cause = emlat_record_has(record, EMLAT_SPAN_cause_id) ? value[EMLAT_SPAN_cause_id] : 0;
    uint64_t thread =
        emlat_record_has(record, EMLAT_SPAN_thread_id) ? value[EMLAT_SPAN_thread_id] : 0;
    uint64_t end = open ? walk->export.t_last : begin + value[EMLAT_SPAN_wall_ns];
    struct emlat_slice *slice = plain(walk, EMLAT_LANE_THREAD, thread, NULL, begin, end, cause, 5);
    if (!slice)
        return EMLAT_ENOMEM;
    slice->word_class = EMLAT_CLASS_SPAN;
    slice->word = value[EMLAT_SPAN_kind];
    if (emlat_record_has(record, EMLAT_SPAN_span_id)) {
        slice->order = value[EMLAT_SPAN_span_id];
        give(slice, "span_id", NULL, slice->order);
    }
    if (open) /* drawn to where the recording ended */
        give(slice, "absent_end_of", "span", 0);
    if (emlat_record_has(record, EMLAT_SPAN_status))
        give(slice, "status", emlat_type_word(EMLAT_TYPE_STATUS, value[EMLAT_SPAN_status]),
             value[EMLAT_SPAN_status]);
    if (emlat_record_has(record, EMLAT_SPAN_cpu_ns))
        give(slice, "cpu_ns", NULL, value[EMLAT_SPAN_cpu_ns]);
    if (emlat_record_has(record, EMLAT_SPAN_detail_id))
        give(slice, "detail", NULL, value[EMLAT_SPAN_detail_id]);
    return add(walk, slice, "span");
}

static int add_loss(struct walk *walk, const struct emlat_record *record)
{
    const uint64_t *value = record->value;
    if (!emlat_record_has(record, EMLAT_LOSS_t_first) ||
        !emlat_record_has(record, EMLAT_LOSS_t_last))
        return 0; /* it counts as loss all the same, but has no time to be drawn at */
    struct emlat_slice *slice = plain(walk, EMLAT_LANE_LOSS, 0, "records lost",
                                      value[EMLAT_LOSS_t_first], value[EMLAT_LOSS_t_last], 0, 2);
    if (!slice)
        return EMLAT_ENOMEM;
    if (emlat_record_has(record, EMLAT_LOSS_records))
        give(slice, "records", NULL, value[EMLAT_LOSS_records]);
    if (emlat_record_has(record, EMLAT_LOSS_reason))
        give(slice, "reason", emlat_type_word(EMLAT_TYPE_REASON, value[EMLAT_LOSS_reason]),
             value[EMLAT_LOSS_reason]);
    return add(walk, slice, "loss");
}

/* Counters that say how much there was at a time, at the end of the interaction that saw it, where
   that changed.  */
static int tell_levels(struct walk *walk, const struct emlat_record *record)
{
    enum { COUNTER_LAST = 2 }; /* EMLAT_COUNTER_LAST of emlat.h, as the format has it */
    uint64_t t = last_of(record);
    int error = 0;
    for (uint64_t left = record->counters_present; t && !error && left; left &= left - 1) {
        unsigned number = (unsigned)__builtin_ctzll(left);
        const struct emlat_word_value *word =
            emlat_reader_word(walk->export.reader, EMLAT_CLASS_COUNTER, number);
        uint64_t bit = (uint64_t)1 << number, value = record->counter[number];
        if (!word || word->flags != COUNTER_LAST ||
            ((walk->levels_told & bit) && walk->level[number] == value))
            continue;
        walk->levels_told |= bit;
        walk->level[number] = value;
        error = walk->order->view->level(&walk->export, word->name, word->unit, t, value);
    }
    return error;
}

/* ---- The walk ---------------------------------------------------------------------------------
 */

static void note_times(struct walk *walk, const struct emlat_record *record)
{
    const struct emlat_schema *schema = &emlat_schemas[record->type];
    for (unsigned i = 0; i < schema->fields_count; i++)
        if (schema->fields[i].type == EMLAT_TYPE_TIME && emlat_record_has(record, i) &&
            record->value[i] > walk->export.t_last)
            walk->export.t_last = record->value[i];
}

static int begin(struct walk *walk)
{
    bool begun = walk->begun;
    walk->begun = true;
    return begun || !walk->order->view->begin ? 0 : walk->order->view->begin(&walk->export);
}

static int take_interaction(struct walk *walk, const struct emlat_record *record)
{
    const struct emlat_export_view *view = walk->order->view;
    struct emlat_sample sample;
    int error = 0;
    if (!is_chosen(walk, cause_of(record)))
        return 0;
    bool derived = emlat_sample_from(walk->export.reader, record, &sample);
    walk->result->interactions++;
    if (view->interaction)
        error = view->interaction(&walk->export, record, derived ? &sample : NULL);
    if (!error && view->slice_begin)
        error = add_interaction(walk, record, derived ? &sample : NULL);
    if (!error && view->level)
        error = tell_levels(walk, record);
    return error;
}

static int take_record(struct walk *walk, const struct emlat_record *record)
{
    const struct emlat_export_view *view = walk->order->view;
    int error = begin(walk);
    note_times(walk, record);
    if (error)
        return error;
    if (record->type == EMLAT_INTERACTION)
        return take_interaction(walk, record);
    if (record->type == EMLAT_LOSS && emlat_record_has(record, EMLAT_LOSS_records))
        walk->result->lost += record->value[EMLAT_LOSS_records];
    if (record->type == EMLAT_SPAN && walk->causes &&
        !(emlat_record_has(record, EMLAT_SPAN_cause_id) &&
          is_chosen(walk, record->value[EMLAT_SPAN_cause_id])))
        return 0;
    if (view->record)
        error = view->record(&walk->export, record);
    if (!error && view->slice_begin && record->type == EMLAT_SPAN)
        error = add_span(walk, record);
    if (!error && view->slice_begin && record->type == EMLAT_LOSS)
        error = add_loss(walk, record);
    return error;
}

/* Whether TO has failed; errno then says how: trying again fails again, whatever came between.  */
static int check_output(const struct walk *walk)
{
    if (!ferror(walk->export.to))
        return 0;
    fflush(walk->export.to);
    return EMLAT_EIO;
}

/* To the file's end or its damage: *DAMAGE is the reader's error.  */
static int walk_file(struct walk *walk, struct emlat_reader *reader, int *damage)
{
    struct emlat_item item;
    int error = 0;
    while (!error && !(*damage = emlat_reader_next(reader, &item)) && item.kind != EMLAT_ITEM_END) {
        if (item.kind == EMLAT_ITEM_RECORD)
            error = take_record(walk, item.record);
        if (item.kind != EMLAT_ITEM_CHUNK)
            continue;
        if (item.chunk->skipped && walk->order->on_skipped)
            walk->order->on_skipped(walk->order->data, item.chunk);
        error = check_output(walk);
    }
    return error;
}

static int write_all(struct walk *walk, const char *path, struct emlat_reader **reader)
{
    const struct emlat_export_view *view = walk->order->view;
    int damage = emlat_reader_open(reader, path);
    if (damage)
        return damage;
    walk->export.reader = *reader;
    walk->export.to = walk->order->to;
    int error = walk_file(walk, *reader, &damage);
    if (!error)
        error = begin(walk);
    if (!error && view->slice_begin)
        error = emlat_lanes_finish(&walk->lanes);
    if (!error && view->end)
        error = view->end(&walk->export, !damage);
    if (!error && fflush(walk->export.to) != 0)
        error = EMLAT_EIO;
    if (!error)
        error = check_output(walk);
    return error ? error : damage;
}

int emlat_export_file(const char *path, const struct emlat_export_order *order,
                      struct emlat_export_result *result, struct emlat_reader **reader)
{
    const struct emlat_export_view *view = order->view;
    struct walk walk = {.order = order, .result = result};
    int error = 0;
    *reader = NULL;
    *result = (struct emlat_export_result){0};
    walk.lane_view =
        (struct emlat_lane_view){slice_begins, view->slice_end ? slice_ends : NULL, &walk};
    if (order->slowest > EMLAT_EXPORT_SLOWEST_MAX || (order->slowest && strcmp(path, "-") == 0))
        return EMLAT_EINVAL;
    if (view->slice_begin)
        error = emlat_lanes_begin(&walk.lanes, &walk.lane_view);
    walk.export.state = calloc(1, view->state_bytes + 1);
    if (!error && !walk.export.state)
        error = EMLAT_ENOMEM;
    if (!error && order->slowest)
        error = choose_slowest(&walk, path);
    if (!error && order->cause) {
        walk.causes = calloc(1, sizeof *walk.causes);
        walk.causes_count = 1;
        if (walk.causes)
            *walk.causes = order->cause;
        else
            error = EMLAT_ENOMEM;
    }
    if (!error)
        error = write_all(&walk, path, reader);
    int saved_errno = errno;
    result->problem = walk.export.problem;
    emlat_lanes_free(&walk.lanes);
    if (view->free && walk.export.state)
        view->free(&walk.export);
    free(walk.export.state);
    free(walk.causes);
    errno = saved_errno;
    return error;
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   From an interaction's raw stamps to its duration and parts.

   The parts are laid along the time axis by one table of boundaries, in the order in which they
   happen.  What lies between two of them becomes OTHER, what lies past the end is cut off, so the
   parts always add up.  Absent stamps leave their part at nothing, which OTHER then holds.  */
#include "sample.h"

#include <string.h>

#define STAMP(name) EMLAT_INTERACTION_##name

/* The stretches, in time order.  */
static const struct {
    enum emlat_part part;
    unsigned begin, end;
} stretches[] = {
    {EMLAT_PART_WAIT, STAMP(t_input_latest), STAMP(t_queue_remove)},
    {EMLAT_PART_DECODE, STAMP(t_queue_remove), STAMP(t_key_decode_done)},
    {EMLAT_PART_PRE, STAMP(t_pre_command_begin), STAMP(t_pre_command_end)},
    {EMLAT_PART_COMMAND, STAMP(t_command_begin), STAMP(t_command_end)},
    {EMLAT_PART_POST, STAMP(t_post_command_begin), STAMP(t_post_command_end)},
    {EMLAT_PART_DISPLAY_WAIT, STAMP(t_root_work_end), STAMP(t_redisplay_begin)},
    {EMLAT_PART_DISPLAY, STAMP(t_redisplay_begin), STAMP(t_redisplay_end)},
    {EMLAT_PART_EMIT, STAMP(t_output_begin), STAMP(t_flush_end)},
};

static const char *const population_names[EMLAT_POPULATIONS] = {
    "flushed", "no_output", "superseded", "waits_for_person", "no_input", "open"};
static const char *const part_names[EMLAT_PARTS] = {"wait",      "key_decode",   "pre_command",
                                                    "command",   "post_command", "redisplay_wait",
                                                    "redisplay", "tty_emit",     "other"};

const char *emlat_population_name(enum emlat_population population)
{
    return population_names[population];
}

const char *emlat_part_name(enum emlat_part part)
{
    return part_names[part];
}

static bool has(const struct emlat_record *record, unsigned field)
{
    return emlat_record_has(record, field);
}

bool emlat_sample_counter(const struct emlat_reader *reader, const struct emlat_record *record,
                          const char *name, uint64_t *value)
{
    for (uint64_t left = record->counters_present; left; left &= left - 1) {
        unsigned number = (unsigned)__builtin_ctzll(left);
        const struct emlat_word_value *word =
            emlat_reader_word(reader, EMLAT_CLASS_COUNTER, number);
        if (word && strcmp(word->name, name) == 0) {
            *value = record->counter[number];
            return true;
        }
    }
    return false;
}

enum emlat_population emlat_population_of(const struct emlat_reader *reader,
                                          const struct emlat_record *record)
{
    /* A command loop inside it is a minibuffer or a recursive edit, even if its keys were there. */
    uint64_t person_ns = 0, loops = 0;
    emlat_sample_counter(reader, record, "person_wait_ns", &person_ns);
    emlat_sample_counter(reader, record, "nested_loops", &loops);
    uint64_t status = record->value[STAMP(status)];
    uint64_t presentation =
        has(record, STAMP(presentation)) ? record->value[STAMP(presentation)] : 0;
    if (status == EMLAT_STATUS_open || presentation == EMLAT_PRESENTATION_pending)
        return EMLAT_UNFINISHED;
    if (person_ns || loops)
        return EMLAT_WAITED;
    if (presentation == EMLAT_PRESENTATION_superseded ||
        presentation == EMLAT_PRESENTATION_not_reached)
        return EMLAT_SUPERSEDED;
    if (!has(record, STAMP(t_flush_end)))
        return EMLAT_NO_OUTPUT;
    return has(record, STAMP(t_input_latest)) ? EMLAT_FLUSHED : EMLAT_NO_INPUT;
}

static bool host_counts(const struct emlat_reader *reader, const char *name)
{
    const struct emlat_word_value *words;
    size_t count = emlat_reader_words(reader, &words);
    for (size_t i = 0; i < count; i++)
        if (words[i].class == EMLAT_CLASS_COUNTER && strcmp(words[i].name, name) == 0)
            return true;
    return false;
}

/* Take the writing out of the display that holds it: all its epochs where the first of them began
   in the display, else the final one.  */
static void split_display(const struct emlat_reader *reader, const struct emlat_record *record,
                          struct emlat_sample *sample)
{
    uint64_t emit = 0;
    if (!has(record, STAMP(t_output_begin)) || !has(record, STAMP(t_redisplay_begin)))
        return;
    unsigned first = has(record, STAMP(t_first_output_begin)) ? STAMP(t_first_output_begin)
                                                              : STAMP(t_output_begin);
    uint64_t display = sample->part[EMLAT_PART_DISPLAY];
    if (record->value[STAMP(t_output_begin)] < record->value[STAMP(t_redisplay_begin)])
        return;
    if (record->value[first] < record->value[STAMP(t_redisplay_begin)] ||
        !emlat_sample_counter(reader, record, "output_ns", &emit))
        emit = record->value[STAMP(t_flush_end)] - record->value[STAMP(t_output_begin)];
    if (emit > display)
        emit = display;
    sample->part[EMLAT_PART_DISPLAY] -= emit;
    sample->part[EMLAT_PART_EMIT] += emit;
}

size_t emlat_stretches_of(const struct emlat_record *record, uint64_t begin, uint64_t end,
                          struct emlat_stretch to[EMLAT_STRETCHES_MAX])
{
    uint64_t at = begin;
    size_t count = 0;
    for (size_t i = 0; i < sizeof stretches / sizeof *stretches; i++) {
        if (!has(record, stretches[i].begin) || !has(record, stretches[i].end))
            continue;
        uint64_t first = record->value[stretches[i].begin], last = record->value[stretches[i].end];
        if (last > end)
            last = end;
        if (first < at)
            first = at;
        if (first >= last)
            continue;
        if (at < first)
            to[count++] = (struct emlat_stretch){EMLAT_PART_OTHER, at, first};
        to[count++] = (struct emlat_stretch){stretches[i].part, first, last};
        at = last;
    }
    if (at < end)
        to[count++] = (struct emlat_stretch){EMLAT_PART_OTHER, at, end};
    return count;
}

static void divide(const struct emlat_reader *reader, const struct emlat_record *record,
                   struct emlat_sample *sample)
{
    struct emlat_stretch parts[EMLAT_STRETCHES_MAX];
    size_t count = emlat_stretches_of(record, sample->t_begin, sample->t_end, parts);
    for (size_t i = 0; i < count; i++)
        sample->part[parts[i].part] += parts[i].end - parts[i].begin;
    split_display(reader, record, sample);
}

/* The person's waits lie in the command or a hook, and are nobody's latency.  */
static void take_out_person(struct emlat_sample *sample)
{
    static const enum emlat_part holders[] = {EMLAT_PART_COMMAND, EMLAT_PART_POST, EMLAT_PART_PRE,
                                              EMLAT_PART_OTHER};
    uint64_t left = sample->person_ns;
    for (size_t i = 0; i < sizeof holders / sizeof *holders; i++) {
        uint64_t *part = &sample->part[holders[i]], taken = left < *part ? left : *part;
        *part -= taken;
        left -= taken;
    }
    sample->lower = sample->upper = sample->lower - sample->person_ns;
}

/* The wait for the rest of a key sequence (the profiler's specification, section 4).  */
static void measure_dwell(const struct emlat_record *record, struct emlat_sample *sample)
{
    if (!has(record, STAMP(t_first_earliest)) || !has(record, STAMP(t_first_latest)) ||
        !has(record, STAMP(t_input_earliest)) || !has(record, STAMP(t_input_latest)))
        return;
    uint64_t first_latest = record->value[STAMP(t_first_latest)];
    uint64_t decisive_earliest = record->value[STAMP(t_input_earliest)];
    sample->has_dwell = true;
    sample->dwell_min_ns = decisive_earliest > first_latest ? decisive_earliest - first_latest : 0;
    sample->dwell_max_ns =
        record->value[STAMP(t_input_latest)] - record->value[STAMP(t_first_earliest)];
}

bool emlat_sample_from(const struct emlat_reader *reader, const struct emlat_record *record,
                       struct emlat_sample *sample)
{
    const struct emlat_word_value *kind =
        emlat_reader_word(reader, EMLAT_CLASS_ROOT, record->value[STAMP(root_kind)]);
    if (!has(record, STAMP(root_kind)) || !has(record, STAMP(status)) ||
        !has(record, STAMP(t_dispatch_begin)) || !emlat_word_is_command(kind))
        return false;
    memset(sample, 0, sizeof *sample);
    sample->cause = record->value[STAMP(cause_id)];
    sample->kind = record->value[STAMP(root_kind)];
    emlat_sample_counter(reader, record, "person_wait_ns", &sample->person_ns);
    sample->population = emlat_population_of(reader, record);
    sample->latest_quality =
        has(record, STAMP(latest_quality)) ? record->value[STAMP(latest_quality)] : 0;
    bool flushed = sample->population == EMLAT_FLUSHED;
    unsigned begin = flushed ? STAMP(t_input_latest) : STAMP(t_dispatch_begin);
    unsigned end = flushed ? STAMP(t_flush_end)
                   : sample->population == EMLAT_SUPERSEDED || sample->population == EMLAT_WAITED
                       ? STAMP(t_root_work_end)
                       : STAMP(t_end);
    if (sample->population == EMLAT_UNFINISHED || sample->population == EMLAT_NO_INPUT)
        return true;
    if (!has(record, end) || record->value[end] < record->value[begin])
        return false;
    sample->t_begin = record->value[begin];
    sample->t_end = record->value[end];
    sample->lower = sample->upper = sample->t_end - sample->t_begin;
    sample->has_upper = !flushed || has(record, STAMP(t_input_earliest));
    if (flushed && sample->has_upper)
        sample->upper = sample->t_end - record->value[STAMP(t_input_earliest)];
    if (sample->upper < sample->lower)
        return false;
    divide(reader, record, sample);
    if (sample->population == EMLAT_WAITED && sample->person_ns > sample->lower)
        return false;
    if (sample->population == EMLAT_WAITED)
        take_out_person(sample);
    measure_dwell(record, sample);
    if (has(record, STAMP(thread_cpu_begin)) && has(record, STAMP(thread_cpu_end)) &&
        record->value[STAMP(thread_cpu_end)] >= record->value[STAMP(thread_cpu_begin)]) {
        sample->has_cpu = true;
        sample->cpu_ns =
            record->value[STAMP(thread_cpu_end)] - record->value[STAMP(thread_cpu_begin)];
    }
    /* A counter that the host has and that
     * did not count is zero, not absent. */
    sample->has_gc = emlat_sample_counter(reader, record, "gc_ns", &sample->gc_ns) ||
                     host_counts(reader, "gc_ns");
    return true;
}

bool emlat_sample_stretch(const struct emlat_record *record, const struct emlat_sample *sample,
                          enum emlat_part part, uint64_t *begin, uint64_t *end)
{
    for (size_t i = 0; i < sizeof stretches / sizeof *stretches; i++) {
        if (stretches[i].part != part || !has(record, stretches[i].begin) ||
            !has(record, stretches[i].end))
            continue;
        *begin = record->value[stretches[i].begin];
        *end = record->value[stretches[i].end];
        if (*begin < sample->t_begin)
            *begin = sample->t_begin;
        if (*end > sample->t_end)
            *end = sample->t_end;
        return *begin < *end;
    }
    return false;
}

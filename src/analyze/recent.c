/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See recent.h.  */
#include "recent.h"

#include <emlat/errors.h>
#include <stdlib.h>

int emlat_recent_begin(struct emlat_recent *recent, uint64_t window_ns)
{
    *recent = (struct emlat_recent){.window_ns = window_ns};
    recent->entries = calloc(EMLAT_RECENT_MAX, sizeof *recent->entries);
    return recent->entries ? 0 : EMLAT_ENOMEM;
}

void emlat_recent_free(struct emlat_recent *recent)
{
    free(recent->entries);
    recent->entries = NULL;
}

static void note_times(struct emlat_recent *recent, const struct emlat_record *record)
{
    const struct emlat_schema *schema = &emlat_schemas[record->type];
    for (unsigned i = 0; i < schema->fields_count; i++)
        if (schema->fields[i].type == EMLAT_TYPE_TIME && emlat_record_has(record, i) &&
            record->value[i] > recent->t_last)
            recent->t_last = record->value[i];
}

void emlat_recent_take(struct emlat_recent *recent, const struct emlat_reader *reader,
                       const struct emlat_record *record)
{
    const uint64_t *value = record->value;
    note_times(recent, record);
    if (record->type == EMLAT_LOSS && emlat_record_has(record, EMLAT_LOSS_records))
        recent->lost += value[EMLAT_LOSS_records];
    if (record->type != EMLAT_INTERACTION)
        return;
    if (recent->count == EMLAT_RECENT_MAX) {
        recent->cut_before = emlat_recent_at(recent, 0)->t;
        recent->first = (recent->first + 1) % EMLAT_RECENT_MAX;
        recent->count--;
    }
    struct emlat_recent_entry *entry =
        &recent->entries[(recent->first + recent->count++) % EMLAT_RECENT_MAX];
    *entry = (struct emlat_recent_entry){.t = recent->t_last};
    entry->derived = emlat_sample_from(reader, record, &entry->sample);
    bool begun = emlat_record_has(record, EMLAT_INTERACTION_t_dispatch_begin);
    bool ended = emlat_record_has(record, EMLAT_INTERACTION_t_end);
    if (emlat_record_has(record, EMLAT_INTERACTION_cause_id))
        entry->sample.cause = value[EMLAT_INTERACTION_cause_id];
    if (emlat_record_has(record, EMLAT_INTERACTION_root_kind))
        entry->sample.kind = value[EMLAT_INTERACTION_root_kind];
    if (ended)
        entry->t = value[EMLAT_INTERACTION_t_end];
    entry->has_work = begun && ended &&
                      value[EMLAT_INTERACTION_t_end] >= value[EMLAT_INTERACTION_t_dispatch_begin];
    if (entry->has_work)
        entry->work_ns = value[EMLAT_INTERACTION_t_end] - value[EMLAT_INTERACTION_t_dispatch_begin];
}

void emlat_recent_expire(struct emlat_recent *recent, uint64_t now)
{
    uint64_t since = now > recent->window_ns ? now - recent->window_ns : 0;
    while (recent->count && emlat_recent_at(recent, 0)->t < since) {
        recent->first = (recent->first + 1) % EMLAT_RECENT_MAX;
        recent->count--;
    }
    if (recent->cut_before < since)
        recent->cut_before = 0;
}

const struct emlat_recent_entry *emlat_recent_at(const struct emlat_recent *recent, size_t place)
{
    return &recent->entries[(recent->first + place) % EMLAT_RECENT_MAX];
}

int emlat_recent_distribution(const struct emlat_recent *recent, enum emlat_population population,
                              struct emlat_distribution *lower, struct emlat_distribution *upper,
                              size_t *number)
{
    int error = 0;
    *lower = *upper = (struct emlat_distribution){0};
    *number = 0;
    for (size_t i = 0; !error && i < recent->count; i++) {
        const struct emlat_recent_entry *entry = emlat_recent_at(recent, i);
        if (!entry->derived || entry->sample.population != population)
            continue;
        (*number)++;
        if (population == EMLAT_NO_INPUT || population == EMLAT_UNFINISHED)
            continue;
        error = emlat_distribution_add(lower, entry->sample.lower);
        if (!error && entry->sample.has_upper)
            error = emlat_distribution_add(upper, entry->sample.upper);
    }
    emlat_distribution_sort(lower);
    emlat_distribution_sort(upper);
    return error;
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   One pass over the samples.  A sample's phase is its frame's, whether that frame has a row or not;
   one of no frame belongs to loading.  */
#include "counters.h"

#include <stdlib.h>
#include <string.h>

static int add_counter(struct emlat_counters *counters, int *places, uint32_t number)
{
    if (places[number] >= 0)
        return 0;
    struct emlat_counter *more =
        reallocarray(counters->counters, counters->counters_count + 1, sizeof *more);
    if (!more)
        return EMLAT_ENOMEM;
    counters->counters = more;
    struct emlat_counter *counter = &more[counters->counters_count];
    const struct emlat_word_value *word =
        emlat_reader_word(counters->frames->run->reader, EMLAT_CLASS_COUNTER, number);
    *counter = (struct emlat_counter){.number = number, .word = word};
    counter->flags = word ? word->flags : EMLAT_RUN_SUM;
    counter->operation = counter->flags & EMLAT_RUN_OPERATION;
    counter->row = calloc(counters->frames->rows_count + 1, sizeof *counter->row);
    counter->has_row = calloc(counters->frames->rows_count + 1, sizeof *counter->has_row);
    places[number] = (int)counters->counters_count++;
    return counter->row && counter->has_row ? 0 : EMLAT_ENOMEM;
}

/* The row of frame ID, or ROWS_COUNT.  */
static size_t row_of(const struct emlat_frames *frames, uint64_t id)
{
    size_t low = 0, high = frames->rows_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (frames->rows[middle].frame->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < frames->rows_count && frames->rows[low].frame->id != id)
        return frames->rows_count;
    return low;
}

static int take(const struct emlat_frames *frames, struct emlat_counter *counter,
                const struct emlat_run_sample *sample)
{
    int phase = emlat_run_is_live(frames->run, sample->frame) ? EMLAT_PHASE_LIVE : EMLAT_PHASE_LOAD;
    if (sample->rejected) {
        counter->rejected[phase]++;
        return 0;
    }
    size_t row =
        sample->frame == EMLAT_NO_FRAME ? frames->rows_count : row_of(frames, sample->frame);
    if (row == frames->rows_count) {
        counter->unattributed++;
    } else {
        bool sums = counter->operation == EMLAT_RUN_SUM;
        counter->row[row] = sample->value + (sums && counter->has_row[row] ? counter->row[row] : 0);
        counter->has_row[row] = true;
    }
    return emlat_distribution_add(&counter->samples[phase], sample->value);
}

int emlat_counters_from(struct emlat_counters *counters, const struct emlat_frames *frames)
{
    const struct emlat_run *run = frames->run;
    const struct emlat_word_value *words;
    size_t count = emlat_reader_words(run->reader, &words);
    int places[EMLAT_COUNTERS_MAX], error = 0;
    memset(counters, 0, sizeof *counters);
    memset(places, -1, sizeof places);
    counters->frames = frames;
    for (size_t i = 0; !error && i < count; i++)
        if (words[i].class == EMLAT_CLASS_COUNTER)
            error = add_counter(counters, places, (uint32_t)words[i].number);
    for (size_t i = 0; !error && i < run->samples_count; i++) {
        const struct emlat_run_sample *sample = &run->samples[i];
        error = add_counter(counters, places, sample->counter);
        if (!error)
            error = take(frames, &counters->counters[places[sample->counter]], sample);
    }
    for (size_t i = 0; i < counters->counters_count; i++)
        for (int phase = 0; phase < EMLAT_PHASES; phase++)
            emlat_distribution_sort(&counters->counters[i].samples[phase]);
    return error;
}

void emlat_counters_free(struct emlat_counters *counters)
{
    for (size_t i = 0; i < counters->counters_count; i++) {
        for (int phase = 0; phase < EMLAT_PHASES; phase++)
            emlat_distribution_free(&counters->counters[i].samples[phase]);
        free(counters->counters[i].row);
        free(counters->counters[i].has_row);
    }
    free(counters->counters);
    memset(counters, 0, sizeof *counters);
}

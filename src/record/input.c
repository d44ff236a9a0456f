/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Read batches.

   A terminal gives no time for its bytes.  What can be said: a byte arrived after the descriptor
   was last known to be empty, and before it was counted or read.  The first byte after an empty
   state, and only that one, also arrived before the descriptor was first seen readable.  This file
   keeps the observations, and turns them into bounds when a byte decides a command.  It never
   guesses: the one inference (that a blocked poll means an empty descriptor) is marked as such.  */
#include "input.h"

#include "interaction.h"

static struct emlat_descriptor *descriptor(struct emlat_input *input, uint64_t terminal)
{
    struct emlat_descriptor *unused = NULL;
    for (int i = 0; i < EMLAT_TERMINALS_MAX; i++) {
        if (input->descriptors[i].terminal == terminal)
            return &input->descriptors[i];
        if (!input->descriptors[i].terminal && !unused)
            unused = &input->descriptors[i];
    }
    /* More terminals than fit: the first place is taken over, its observations are forgotten.  */
    if (!unused)
        unused = &input->descriptors[0];
    *unused = (struct emlat_descriptor){.terminal = terminal};
    return unused;
}

static void see_empty(struct emlat_descriptor *seen, uint64_t t, uint32_t quality)
{
    if (t < seen->t_empty)
        return;
    seen->t_empty = t;
    seen->empty_quality = quality;
    seen->t_ready = 0;
    seen->empty_since_read = true;
}

void emlat_input_empty(struct emlat_producer *producer, uint64_t terminal, uint64_t t)
{
    if (!emlat_recording(producer))
        return;
    see_empty(descriptor(producer->machine->input, terminal), t, EMLAT_QUALITY_read);
}

void emlat_input_ready(struct emlat_producer *producer, uint64_t terminal, uint64_t t,
                       enum emlat_observer whom)
{
    if (!emlat_recording(producer))
        return;
    struct emlat_descriptor *seen = descriptor(producer->machine->input, terminal);
    if (seen->t_ready || !seen->empty_since_read)
        return;
    seen->t_ready = t;
    seen->ready_quality = whom == EMLAT_SEEN_BY_OBSERVER ? EMLAT_QUALITY_observer_ready
                                                         : EMLAT_QUALITY_main_poll_ready;
}

void emlat_input_poll(struct emlat_producer *producer, uint64_t terminal, uint64_t t_begin,
                      uint64_t t_end, bool ready)
{
    if (!emlat_recording(producer))
        return;
    struct emlat_input *input = producer->machine->input;
    struct emlat_descriptor *seen = descriptor(input, terminal);
    bool blocked = t_end - t_begin > input->poll_wake_ns;
    if (blocked)
        see_empty(seen, t_end - input->poll_wake_ns, EMLAT_QUALITY_inferred);
    else if (!ready)
        see_empty(seen, t_begin, EMLAT_QUALITY_main_poll_ready);
    if (ready)
        emlat_input_ready(producer, terminal, t_end, EMLAT_SEEN_BY_POLL);
}

uint64_t emlat_input_batch(struct emlat_producer *producer, uint64_t terminal, uint64_t t_counted,
                           uint64_t counted, uint64_t t_begin, uint64_t t_end, uint64_t read)
{
    if (!emlat_recording(producer))
        return 0;
    struct emlat_input *input = producer->machine->input;
    struct emlat_descriptor *seen = descriptor(input, terminal);
    uint64_t id = emlat_number_next(&producer->machine->numbers->batch);
    input->last_batch = id;
    input->batches[id & (EMLAT_BATCHES_KEPT - 1)] = (struct emlat_batch){
        .id = id,
        .terminal = terminal,
        .t_empty = seen->t_empty,
        .empty_quality = seen->empty_quality,
        .t_ready = seen->t_ready,
        .ready_quality = seen->ready_quality,
        .t_counted = counted ? t_counted : 0,
        .counted = counted,
        .t_begin = t_begin,
        .t_end = t_end,
        .read = read,
        .first_after_empty = seen->empty_since_read,
    };
    seen->empty_since_read = false;
    seen->t_ready = 0;
    return id;
}

static void set_time(struct emlat_record *record, unsigned field, uint64_t t)
{
    if (t)
        emlat_record_set(record, field, t);
}

void emlat_input_queued(struct emlat_producer *producer, uint64_t queued)
{
    if (!emlat_recording(producer))
        return;
    struct emlat_input *input = producer->machine->input;
    const struct emlat_batch *batch = &input->batches[input->last_batch & (EMLAT_BATCHES_KEPT - 1)];
    struct emlat_record record = {.type = EMLAT_INPUT};
    if (!input->last_batch)
        return;
    emlat_record_set(&record, EMLAT_INPUT_batch_id, batch->id);
    emlat_record_set(&record, EMLAT_INPUT_terminal_id, batch->terminal);
    set_time(&record, EMLAT_INPUT_t_known_empty, batch->t_empty);
    if (batch->t_empty)
        emlat_record_set(&record, EMLAT_INPUT_empty_quality, batch->empty_quality);
    set_time(&record, EMLAT_INPUT_t_ready, batch->t_ready);
    if (batch->t_ready)
        emlat_record_set(&record, EMLAT_INPUT_ready_quality, batch->ready_quality);
    set_time(&record, EMLAT_INPUT_t_counted, batch->t_counted);
    if (batch->counted)
        emlat_record_set(&record, EMLAT_INPUT_bytes_counted, batch->counted);
    emlat_record_set(&record, EMLAT_INPUT_t_read_begin, batch->t_begin);
    emlat_record_set(&record, EMLAT_INPUT_t_read_end, batch->t_end);
    emlat_record_set(&record, EMLAT_INPUT_bytes_read, batch->read);
    emlat_record_set(&record, EMLAT_INPUT_bytes_queued, queued);
    emlat_ring_put(producer, &record, batch->t_end);
}

bool emlat_input_arrival(const struct emlat_input *input, uint64_t batch_id, uint64_t offset,
                         struct emlat_arrival *arrival)
{
    const struct emlat_batch *batch = &input->batches[batch_id & (EMLAT_BATCHES_KEPT - 1)];
    if (!batch_id || batch->id != batch_id)
        return false;
    *arrival = (struct emlat_arrival){
        .t_earliest = batch->t_empty,
        .earliest_quality = batch->t_empty ? batch->empty_quality : 0,
        .t_latest = batch->t_end,
        .latest_quality = EMLAT_QUALITY_read,
        .batch = batch,
    };
    if (offset < batch->counted)
        arrival->t_latest = batch->t_counted;
    if (offset == 0 && batch->first_after_empty && batch->t_ready) {
        arrival->t_latest = batch->t_ready;
        arrival->latest_quality = batch->ready_quality;
    }
    return true;
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See response.h.

   The command's stamps say what each stretch of its time was for; the timeline says who had the
   thread in it, and with what.  Where both are the command's own, the timeline is finer: display is
   Lisp, or writing, or garbage collection.  Where somebody else had it, a wait is a wait for them,
   and a command that ran something inside it is still that command, but for its garbage.  */
#include "response.h"

#include <string.h>

static const enum emlat_component holders[EMLAT_PARTS] = {
    [EMLAT_PART_WAIT] = EMLAT_WAIT,         [EMLAT_PART_DECODE] = EMLAT_DECODE,
    [EMLAT_PART_PRE] = EMLAT_PRE_COMMAND,   [EMLAT_PART_COMMAND] = EMLAT_COMMAND,
    [EMLAT_PART_POST] = EMLAT_POST_COMMAND, [EMLAT_PART_DISPLAY_WAIT] = EMLAT_WAIT,
    [EMLAT_PART_DISPLAY] = EMLAT_REDISPLAY, [EMLAT_PART_EMIT] = EMLAT_TTY_EMIT,
    [EMLAT_PART_OTHER] = EMLAT_OTHER,
};

static void blame(struct emlat_response *response, struct emlat_timeline *timeline,
                  const struct emlat_slice *slice, uint64_t ns)
{
    const struct emlat_holder *holder = emlat_timeline_holder(timeline, slice->cause);
    uint64_t kind = holder ? holder->kind : 0;
    enum emlat_component component = emlat_component_of(slice->component);
    emlat_timeline_delayed(timeline, slice->cause);
    unsigned i = 0;
    while (i < response->blames &&
           (response->blame[i].kind != kind || response->blame[i].component != slice->component))
        i++;
    if (i == EMLAT_BLAMES_MAX)
        return;
    if (i == response->blames)
        response->blame[response->blames++] =
            (struct emlat_blame){.kind = kind, .component = component};
    response->blame[i].ns += ns;
    if (holder && holder->has_cpu && holder->wall_ns) {
        double part = (double)holder->cpu_ns / (double)holder->wall_ns;
        response->blame[i].known_ns += ns;
        response->blame[i].cpu_ns += (uint64_t)(part * (double)ns);
    }
}

/* NS of RESPONSE, in a stretch that was for HOLDER, were SLICE's.  */
static void divide_slice(struct emlat_response *response, struct emlat_timeline *timeline,
                         enum emlat_component holder, const struct emlat_slice *slice, uint64_t ns)
{
    bool own = slice->cause == response->cause, garbage = slice->component == EMLAT_GC;
    enum emlat_component to = holder, finer = emlat_component_of(slice->component);
    if (slice->component == EMLAT_IDLE) {
        *(holder == EMLAT_WAIT ? &response->uncovered_ns : &response->idle_ns) += ns;
    } else if (own) {
        if (garbage || (holder != EMLAT_DECODE && finer != EMLAT_OTHER))
            to = finer;
    } else {
        if (holder == EMLAT_OTHER)
            to = EMLAT_WAIT;
        else if (garbage && holder != EMLAT_WAIT)
            to = EMLAT_GC;
        blame(response, timeline, slice, ns);
    }
    response->component[to] += ns;
    if (to == EMLAT_REDISPLAY && slice->component == EMLAT_MATRICES)
        response->matrices_ns += ns;
    if (to == EMLAT_REDISPLAY && slice->component == EMLAT_UPDATE)
        response->update_ns += ns;
}

static void divide_stretch(struct emlat_response *response, struct emlat_timeline *timeline,
                           uint64_t thread, const struct emlat_stretch *stretch)
{
    enum emlat_component holder = holders[stretch->part];
    uint64_t at = stretch->begin;
    size_t count;
    const struct emlat_slice *slice = emlat_timeline_from(timeline, thread, at, &count);
    for (; count && slice->begin < stretch->end; count--, slice++) {
        uint64_t begin = slice->begin > at ? slice->begin : at;
        uint64_t end = slice->end < stretch->end ? slice->end : stretch->end;
        response->component[holder] += begin - at;
        response->uncovered_ns += holder == EMLAT_WAIT ? begin - at : 0;
        divide_slice(response, timeline, holder, slice, end - begin);
        at = end;
    }
    response->component[holder] += stretch->end - at;
    response->uncovered_ns += holder == EMLAT_WAIT ? stretch->end - at : 0;
}

static void measure_processor(const struct emlat_reader *reader, const struct emlat_record *record,
                              struct emlat_response *response)
{
    const uint64_t *value = record->value;
    uint64_t begin = value[EMLAT_INTERACTION_t_dispatch_begin];
    uint64_t end = value[EMLAT_INTERACTION_t_end];
    emlat_sample_counter(reader, record, "run_delay_ns", &response->run_delay_ns);
    response->has_cpu =
        emlat_record_has(record, EMLAT_INTERACTION_thread_cpu_begin) &&
        emlat_record_has(record, EMLAT_INTERACTION_thread_cpu_end) &&
        emlat_record_has(record, EMLAT_INTERACTION_t_end) && end >= begin &&
        value[EMLAT_INTERACTION_thread_cpu_end] >= value[EMLAT_INTERACTION_thread_cpu_begin];
    if (!response->has_cpu)
        return;
    response->wall_ns = end - begin;
    response->cpu_ns =
        value[EMLAT_INTERACTION_thread_cpu_end] - value[EMLAT_INTERACTION_thread_cpu_begin];
}

/* RESPONSE is RECORD's between its times.  False where these are out of order.  */
static bool divide(const struct emlat_reader *reader, const struct emlat_record *record,
                   struct emlat_timeline *timeline, struct emlat_response *response)
{
    uint64_t thread = emlat_record_has(record, EMLAT_INTERACTION_thread_id)
                          ? record->value[EMLAT_INTERACTION_thread_id]
                          : 0;
    struct emlat_stretch stretches[EMLAT_STRETCHES_MAX];
    if (response->t_end < response->t_begin)
        return false;
    size_t count = emlat_stretches_of(record, response->t_begin, response->t_end, stretches);
    for (size_t i = 0; i < count; i++)
        divide_stretch(response, timeline, thread, &stretches[i]);
    measure_processor(reader, record, response);
    return true;
}

/* When the last wait for the person in RECORD ended, or 0.  */
static uint64_t last_key_of(const struct emlat_record *record,
                            const struct emlat_timeline *timeline, uint64_t t_end)
{
    size_t count;
    uint64_t last = 0, cause = record->value[EMLAT_INTERACTION_cause_id];
    const struct emlat_slice *slice =
        emlat_timeline_from(timeline, record->value[EMLAT_INTERACTION_thread_id],
                            record->value[EMLAT_INTERACTION_t_dispatch_begin], &count);
    for (; count && slice->begin < t_end; count--, slice++)
        if (slice->component == EMLAT_IDLE && slice->cause == cause)
            last = slice->end;
    return last;
}

/* A command that waited for the person.  Its first answer counts only if it did not wait before
   that; its processor time is not told apart.  */
static unsigned answer_twice(const struct emlat_reader *reader, const struct emlat_record *record,
                             struct emlat_timeline *timeline, struct emlat_response *responses)
{
    unsigned count = 0, first = EMLAT_INTERACTION_t_first_flush_end;
    if (!emlat_record_has(record, EMLAT_INTERACTION_t_flush_end))
        return 0;
    uint64_t final = record->value[EMLAT_INTERACTION_t_flush_end];
    struct emlat_response one = {.cause = record->value[EMLAT_INTERACTION_cause_id],
                                 .population = EMLAT_WAITED};
    responses[0] = responses[1] = one;
    responses[0].t_begin = record->value[EMLAT_INTERACTION_t_input_latest];
    responses[0].t_end = emlat_record_has(record, first) ? record->value[first] : final;
    if (divide(reader, record, timeline, &responses[0]) && !responses[0].idle_ns)
        count = 1;
    uint64_t last_key = last_key_of(record, timeline, final);
    if (last_key && last_key > responses[0].t_end) {
        responses[count] = one;
        responses[count].t_begin = last_key;
        responses[count].t_end = final;
        count += divide(reader, record, timeline, &responses[count]);
    }
    for (unsigned i = 0; i < count; i++)
        responses[i].has_cpu = false;
    return count;
}

unsigned emlat_responses_of(const struct emlat_reader *reader, const struct emlat_record *record,
                            struct emlat_timeline *timeline,
                            struct emlat_response responses[EMLAT_RESPONSES_OF_ONE_MAX])
{
    struct emlat_sample sample;
    if (!emlat_record_has(record, EMLAT_INTERACTION_t_input_latest) ||
        !emlat_sample_from(reader, record, &sample))
        return 0;
    unsigned end = EMLAT_INTERACTION_t_root_work_end;
    if (sample.population == EMLAT_WAITED)
        return answer_twice(reader, record, timeline, responses);
    if (sample.population == EMLAT_FLUSHED)
        end = EMLAT_INTERACTION_t_flush_end;
    else if (sample.population != EMLAT_NO_OUTPUT && sample.population != EMLAT_SUPERSEDED)
        return 0;
    if (!emlat_record_has(record, end))
        return 0;
    responses[0] = (struct emlat_response){
        .cause = sample.cause,
        .population = sample.population,
        .t_begin = record->value[EMLAT_INTERACTION_t_input_latest],
        .t_end = record->value[end],
    };
    return divide(reader, record, timeline, &responses[0]);
}

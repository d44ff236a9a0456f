/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The life of an interaction.

   An interaction is born when a root is dispatched and lies on a stack while its work runs, since
   roots nest.  When its work is done, a command waits for the display that follows it; when that
   display is decided, it is served by it or superseded; when the display has returned and every
   byte it wrote is flushed, its record goes to the ring.  Every step is a call with an explicit
   time, so that a test states each case exactly.

   Bytes are charged to whom the display serves, else to the innermost open root, else to the
   command that waits.  Since a write must cost nothing, bytes are only counted as they pass, and
   charged (settle) at each call that changes who is charged.

   Whatever a nonlocal exit left behind is closed by the next call that proves it to be over:
   nothing relies on an unwinder of the host's.  It refuses to know what the host's kinds mean:
   names link spans to stamps, and the core's own counts to the host's counters.  */
#include "interaction.h"

#include <stdio.h>
#include <string.h>

/* ---- Vocabulary ------------------------------------------------------------------------------ */

/* Beside the flags of a host's span kind: it has counters.  */
static const uint32_t span_counts = (uint32_t)1 << 31;

static int stamp_field(const char *span, const char *edge)
{
    char name[96];
    if (snprintf(name, sizeof name, "t_%s_%s", span, edge) >= (int)sizeof name)
        return -1;
    return emlat_field_find(EMLAT_INTERACTION, name);
}

static int learn_counted(struct emlat_kinds *kinds, const struct emlat_vocabulary *words)
{
    for (uint32_t i = 0; i < words->counted_count; i++) {
        const struct emlat_span_counters *row = &words->counted[i];
        if (row->span - 1u >= EMLAT_KINDS_MAX - 1u || (row->counters & ~kinds->sums) ||
            __builtin_popcountll(row->counters) > EMLAT_SPAN_COUNTERS_MAX)
            return EMLAT_EINVAL;
        kinds->span_counters[row->span] = row->counters;
        kinds->span_flags[row->span] |= span_counts;
    }
    return 0;
}

int emlat_kinds_learn(struct emlat_kinds *kinds, const struct emlat_vocabulary *words)
{
    struct {
        const char *name;
        int *number;
    } own[] = {
        {"redisplays", &kinds->own.displays},
        {"output_bytes", &kinds->own.output_bytes},
        {"output_calls", &kinds->own.output_calls},
        {"flushes", &kinds->own.flushes},
        {"flushes_empty", &kinds->own.flushes_empty},
        {"flushes_failed", &kinds->own.flushes_failed},
        {"flush_bytes_lost", &kinds->own.flush_bytes_lost},
        {"output_ns", &kinds->own.output_ns},
        {"batch_bytes", &kinds->own.batch_bytes},
        {"run_delay_ns", &kinds->own.run_delay},
    };
    memset(kinds, 0, sizeof *kinds);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        *own[i].number = -1;
    for (uint32_t i = 0; words && i < words->roots_count; i++) {
        if (words->roots[i].number - 1u >= EMLAT_KINDS_MAX - 1u)
            return EMLAT_EINVAL;
        kinds->root_flags[words->roots[i].number] = words->roots[i].flags;
    }
    for (uint32_t i = 0; words && i < words->spans_count; i++) {
        const struct emlat_word_row *row = &words->spans[i];
        if (row->number - 1u >= EMLAT_KINDS_MAX - 1u)
            return EMLAT_EINVAL;
        kinds->span_begin_field[row->number] = kinds->span_end_field[row->number] = -1;
        kinds->span_flags[row->number] = row->flags & EMLAT_SPAN_STAMPS;
        if (!(row->flags & EMLAT_SPAN_STAMPS))
            continue;
        int begin = stamp_field(row->name, "begin"), end = stamp_field(row->name, "end");
        if (begin < 0 || end < 0)
            return EMLAT_EINVAL;
        kinds->span_begin_field[row->number] = (int16_t)begin;
        kinds->span_end_field[row->number] = (int16_t)end;
    }
    for (uint32_t i = 0; words && i < words->counters_count; i++) {
        const struct emlat_word_row *row = &words->counters[i];
        if (row->number >= EMLAT_COUNTERS_MAX)
            return EMLAT_EINVAL;
        kinds->counter_operation[row->number] = row->flags;
        if (row->flags == EMLAT_COUNTER_SUM)
            kinds->sums |= (uint64_t)1 << row->number;
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            if (strcmp(own[k].name, row->name) == 0)
                *own[k].number = (int)row->number;
    }
    return words ? learn_counted(kinds, words) : 0;
}

/* ---- Finding and charging -------------------------------------------------------------------- */

/* The bit of INTERACTION in the machine's sets.  */
static uint64_t place(const struct emlat_machine *machine,
                      const struct emlat_interaction *interaction)
{
    return (uint64_t)1 << (interaction - machine->pool);
}

/* Who owns a display that happens now, or null: the interaction whose display was decided, else the
   root that ended just before.  */
static struct emlat_interaction *displaying(const struct emlat_machine *machine)
{
    uint32_t open = machine->open_count, serving = machine->serving_count;
    if (serving && machine->serving[serving - 1].roots == open)
        return machine->serving[serving - 1].interaction;
    return machine->after && machine->after_roots == open ? machine->after : NULL;
}

/* What spans that begin now are charged to, or null: the display's owner, else the innermost open
   root.  */
static struct emlat_interaction *current(const struct emlat_machine *machine)
{
    struct emlat_interaction *owner = displaying(machine);
    uint32_t open = machine->open_count;
    return owner ? owner : open ? machine->open[open - 1] : NULL;
}

static uint64_t current_cause(const struct emlat_machine *machine)
{
    const struct emlat_interaction *to = current(machine);
    return to ? to->cause : 0;
}

static void charge(struct emlat_interaction *to, int counter, uint64_t value)
{
    if (to && counter >= 0)
        emlat_record_add(&to->record, (unsigned)counter, value);
}

/* Whom display and output serve now, or null.  */
static struct emlat_interaction *served(const struct emlat_machine *machine)
{
    struct emlat_interaction *to = current(machine);
    return to ? to : machine->waiting;
}

static struct emlat_interaction *root_of(const struct emlat_machine *machine, uint64_t cause)
{
    for (uint32_t i = machine->open_count; cause && i-- > 0;)
        if (machine->open[i]->cause == cause)
            return machine->open[i];
    return NULL;
}

static struct emlat_epoch *epoch_of(struct emlat_machine *machine, uint64_t terminal)
{
    for (int i = 0; i < EMLAT_TERMINALS_MAX; i++)
        if (machine->epochs[i].terminal == terminal)
            return &machine->epochs[i];
    return NULL;
}

/* Charge the bytes that were counted since the last time to whom they served.  */
static void settle(struct emlat_producer *producer)
{
    if (!producer->output_bytes)
        return;
    struct emlat_machine *machine = producer->machine;
    struct emlat_epoch *epoch = epoch_of(machine, producer->output_terminal);
    struct emlat_interaction *to = served(machine);
    if (epoch)
        epoch->bytes += producer->output_bytes;
    if (to) {
        charge(to, machine->kinds->own.output_bytes, producer->output_bytes);
        charge(to, machine->kinds->own.output_calls, producer->output_calls);
        if (epoch) {
            machine->writing |= place(machine, to);
            to->epochs |= (uint16_t)(1u << (epoch - machine->epochs));
        }
    }
    producer->output_bytes = producer->output_calls = 0;
}

/* Time off the processor that is worth a question to the kernel.  */
enum { OFF_CPU_NOTED_NS = 1000000 };

/* ---- The end of a life ----------------------------------------------------------------------- */

static void emit(struct emlat_producer *producer, struct emlat_interaction *over)
{
    struct emlat_record *record = &over->record;
    uint64_t status = over->outcome;
    if (status == EMLAT_STATUS_normal && emlat_record_has(record, EMLAT_INTERACTION_presentation)) {
        uint64_t presentation = record->value[EMLAT_INTERACTION_presentation];
        if (presentation == EMLAT_PRESENTATION_superseded ||
            presentation == EMLAT_PRESENTATION_not_reached)
            status = EMLAT_STATUS_superseded;
    }
    emlat_record_set(record, EMLAT_INTERACTION_status, status);
    emlat_ring_put(producer, record, over->t_complete);
    over->state = EMLAT_FREE;
    producer->machine->used &= ~place(producer->machine, over);
}

static uint64_t cpu_now(const struct emlat_machine *machine)
{
    return machine->virtual_cpu ? *machine->virtual_cpu : emlat_thread_cpu_now();
}

/* OVER was not on a processor for a while before its end at T: how long it would have run, had
   there been one?  What came between the host's last wait and OVER is among it, its own waking up
   too.  */
static void charge_run_delay(struct emlat_machine *machine, struct emlat_interaction *over,
                             uint64_t t)
{
    const uint64_t *value = over->record.value;
    uint64_t wall = t - value[EMLAT_INTERACTION_t_dispatch_begin], ns;
    uint64_t cpu =
        value[EMLAT_INTERACTION_thread_cpu_end] - value[EMLAT_INTERACTION_thread_cpu_begin];
    if (machine->run_delay_fd <= 0 || wall < cpu + OFF_CPU_NOTED_NS ||
        !emlat_run_delay_read(machine->run_delay_fd, &ns))
        return;
    charge(over, machine->kinds->own.run_delay, ns - machine->run_delay_ns);
    machine->run_delay_ns = ns;
}

/* OVER has nothing more to do.  It goes out now, or with the flush of its last bytes.  */
static void complete(struct emlat_producer *producer, struct emlat_interaction *over, uint64_t t)
{
    if (emlat_record_has(&over->record, EMLAT_INTERACTION_thread_cpu_begin)) {
        emlat_record_set(&over->record, EMLAT_INTERACTION_thread_cpu_end,
                         cpu_now(producer->machine));
        /* Its CPU time was all spent before its end, else wall minus CPU could be negative.  */
        uint64_t now = emlat_clock_read(producer);
        t = now > t ? now : t;
        charge_run_delay(producer->machine, over, t);
    }
    over->t_complete = t;
    emlat_record_set(&over->record, EMLAT_INTERACTION_t_end, t);
    if (producer->machine->writing & place(producer->machine, over))
        over->state = EMLAT_DRAINING;
    else
        emit(producer, over);
}

static void present(struct emlat_interaction *interaction, enum emlat_word presentation)
{
    emlat_record_set(&interaction->record, EMLAT_INTERACTION_presentation, presentation);
}

/* SKIPPED's work is not shown, because of SKIP: from its end on the screen lags behind.  */
static void skip_display(struct emlat_machine *machine, struct emlat_interaction *skipped,
                         enum emlat_word skip)
{
    present(skipped, skip == EMLAT_SKIP_input_pending ? EMLAT_PRESENTATION_superseded
                                                      : EMLAT_PRESENTATION_not_reached);
    emlat_record_set(&skipped->record, EMLAT_INTERACTION_superseded_by, skip);
    if (!machine->t_stale)
        machine->t_stale = skipped->record.value[EMLAT_INTERACTION_t_root_work_end];
}

/* The command that waits for its display will not get it.  */
static void pass_over(struct emlat_producer *producer, enum emlat_word skip, uint64_t t)
{
    struct emlat_interaction *waiting = producer->machine->waiting;
    if (!waiting)
        return;
    settle(producer);
    producer->machine->waiting = NULL;
    skip_display(producer->machine, waiting, skip);
    complete(producer, waiting, t);
}

/* The root that owned the display after it does so no more.  */
static void end_after(struct emlat_producer *producer, uint64_t t)
{
    struct emlat_interaction *after = producer->machine->after;
    if (!after)
        return;
    settle(producer);
    producer->machine->after = NULL;
    complete(producer, after, t);
    producer->cause = current_cause(producer->machine);
}

/* Displays that were decided with at least ROOTS open roots have returned, or been left.  */
static void end_serving(struct emlat_producer *producer, uint32_t roots, uint64_t t)
{
    struct emlat_machine *machine = producer->machine;
    while (machine->serving_count && machine->serving[machine->serving_count - 1].roots >= roots) {
        settle(producer);
        struct emlat_interaction *over = machine->serving[--machine->serving_count].interaction;
        if (!over->display_begun)
            skip_display(machine, over, EMLAT_SKIP_inhibited);
        complete(producer, over, t);
    }
}

/* The innermost open root's work ends.  */
static void end_work(struct emlat_producer *producer, uint64_t t, enum emlat_outcome outcome)
{
    struct emlat_machine *machine = producer->machine;
    settle(producer);
    end_serving(producer, machine->open_count, t);
    end_after(producer, t);
    struct emlat_interaction *root = machine->open[--machine->open_count];
    producer->cause = current_cause(machine);
    if (root->outcome == EMLAT_OUTCOME_NORMAL)
        root->outcome = outcome;
    emlat_record_set(&root->record, EMLAT_INTERACTION_t_root_work_end, t);
    uint32_t flags = machine->kinds->root_flags[root->kind];
    if (root->outcome != EMLAT_OUTCOME_DROPPED && (flags & EMLAT_ROOT_COMMAND)) {
        /* A command inside this one that still waits can get no display of its own any more.  */
        pass_over(producer, EMLAT_SKIP_next_command, t);
        root->state = EMLAT_WAITING;
        machine->waiting = root;
    } else if (root->outcome != EMLAT_OUTCOME_DROPPED && (flags & EMLAT_ROOT_DISPLAYS)) {
        root->state = EMLAT_AFTER;
        root->display_begun = false;
        machine->after = root;
        machine->after_roots = machine->open_count;
        producer->cause = current_cause(machine);
    } else {
        complete(producer, root, t);
    }
}

/* ---- Roots ------------------------------------------------------------------------------------
 */

uint64_t emlat_root_begin(struct emlat_producer *producer, uint32_t kind, uint64_t t)
{
    if (!emlat_recording(producer))
        return 0;
    struct emlat_machine *machine = producer->machine;
    kind &= EMLAT_KINDS_MAX - 1;
    settle(producer);
    end_after(producer, t);
    if (machine->kinds->root_flags[kind] & EMLAT_ROOT_COMMAND) {
        /* The loop that dispatches commands goes round again: what it displayed before is over.  */
        end_serving(producer, machine->open_count, t);
        pass_over(producer, EMLAT_SKIP_next_command, t);
        producer->cause = current_cause(machine);
    }
    if (!~machine->used || machine->open_count == EMLAT_ROOTS_OPEN_MAX) {
        emlat_ring_lose(producer, EMLAT_REASON_too_deep, sizeof(struct emlat_unit), t);
        return 0;
    }
    struct emlat_interaction *root = &machine->pool[__builtin_ctzll(~machine->used)];
    machine->used |= place(machine, root);
    uint64_t cause = emlat_number_next(&machine->numbers->cause);
    *root = (struct emlat_interaction){
        .record.type = EMLAT_INTERACTION, .cause = cause, .kind = kind, .state = EMLAT_ROOT_OPEN};
    root->record.counters_present = machine->kinds->sums;
    emlat_record_set(&root->record, EMLAT_INTERACTION_cause_id, cause);
    emlat_record_set(&root->record, EMLAT_INTERACTION_root_kind, kind);
    emlat_record_set(&root->record, EMLAT_INTERACTION_t_dispatch_begin, t);
    if (machine->open_count)
        emlat_record_set(&root->record, EMLAT_INTERACTION_parent_cause_id,
                         machine->open[machine->open_count - 1]->cause);
    if (machine->virtual_cpu || machine->thread_cpu)
        emlat_record_set(&root->record, EMLAT_INTERACTION_thread_cpu_begin, cpu_now(machine));
    machine->open[machine->open_count++] = root;
    producer->cause = cause;
    return cause;
}

void emlat_root_observed(struct emlat_producer *producer, uint64_t cause, uint64_t t_earliest,
                         uint64_t t_latest, enum emlat_observer whom)
{
    if (!emlat_recording(producer))
        return;
    struct emlat_interaction *root = root_of(producer->machine, cause);
    if (!root)
        return;
    if (t_earliest) {
        emlat_record_set(&root->record, EMLAT_INTERACTION_t_input_earliest, t_earliest);
        emlat_record_set(&root->record, EMLAT_INTERACTION_earliest_quality, whom);
    }
    emlat_record_set(&root->record, EMLAT_INTERACTION_t_input_latest, t_latest);
    emlat_record_set(&root->record, EMLAT_INTERACTION_latest_quality, whom);
}

void emlat_root_scheduled(struct emlat_producer *producer, uint64_t cause, uint64_t scheduled_by)
{
    if (!emlat_recording(producer) || !scheduled_by)
        return;
    struct emlat_interaction *root = root_of(producer->machine, cause);
    if (root)
        emlat_record_set(&root->record, EMLAT_INTERACTION_scheduled_by_cause_id, scheduled_by);
}

void emlat_root_name(struct emlat_producer *producer, uint64_t cause, uint64_t name)
{
    if (!emlat_recording(producer) || !name)
        return;
    struct emlat_interaction *root = root_of(producer->machine, cause);
    if (root)
        emlat_record_set(&root->record, EMLAT_INTERACTION_name, name);
}

uint64_t emlat_root_innermost(const struct emlat_producer *producer)
{
    uint32_t open = emlat_roots_open(producer);
    return open ? producer->machine->open[open - 1]->cause : 0;
}

void emlat_root_outcome(struct emlat_producer *producer, uint64_t cause, enum emlat_outcome outcome)
{
    if (!emlat_recording(producer))
        return;
    struct emlat_interaction *root = root_of(producer->machine, cause);
    if (root && root->outcome == EMLAT_OUTCOME_NORMAL)
        root->outcome = outcome;
}

void emlat_root_work_end(struct emlat_producer *producer, uint64_t cause, uint64_t t)
{
    if (!emlat_recording(producer))
        return;
    struct emlat_machine *machine = producer->machine;
    struct emlat_interaction *root = root_of(machine, cause);
    if (!root)
        return;
    while (machine->open[machine->open_count - 1] != root)
        end_work(producer, t, EMLAT_OUTCOME_DROPPED);
    end_work(producer, t, EMLAT_OUTCOME_NORMAL);
}

uint32_t emlat_roots_open(const struct emlat_producer *producer)
{
    return emlat_recording(producer) ? producer->machine->open_count : 0;
}

void emlat_roots_unwind(struct emlat_producer *producer, uint32_t depth, uint64_t t,
                        enum emlat_outcome outcome)
{
    if (!emlat_recording(producer))
        return;
    while (producer->machine->open_count > depth)
        end_work(producer, t, outcome);
}

void emlat_root_source(struct emlat_producer *producer, uint64_t cause,
                       const struct emlat_source_range *range, uint64_t t_decoded)
{
    if (!emlat_recording(producer))
        return;
    struct emlat_machine *machine = producer->machine;
    struct emlat_interaction *root = root_of(machine, cause);
    if (!root)
        return;
    struct emlat_record *record = &root->record;
    struct emlat_arrival arrival;
    emlat_record_set(record, EMLAT_INTERACTION_t_key_decode_done, t_decoded);
    if (!range->events)
        return;
    const struct emlat_token *first = &range->first, *last = &range->last;
    uint64_t source = emlat_source(first->batch, first->offset, first->offset + 1);
    if (source)
        emlat_record_set(record, EMLAT_INTERACTION_first_source, source);
    if (range->events > 1 &&
        emlat_input_arrival(machine->input, first->batch, first->offset, &arrival)) {
        if (arrival.t_earliest)
            emlat_record_set(record, EMLAT_INTERACTION_t_first_earliest, arrival.t_earliest);
        emlat_record_set(record, EMLAT_INTERACTION_t_first_latest, arrival.t_latest);
    }
    /* What decided was no byte of a terminal: it has no arrival.  */
    if (range->last_is_other)
        return;
    source = emlat_source(last->batch, last->offset, last->offset + 1);
    if (source)
        emlat_record_set(record, EMLAT_INTERACTION_decisive_source, source);
    emlat_record_set(record, EMLAT_INTERACTION_t_queue_insert, last->t_insert);
    emlat_record_set(record, EMLAT_INTERACTION_t_queue_remove, range->t_remove);
    if (!emlat_input_arrival(machine->input, last->batch, last->offset, &arrival))
        return;
    emlat_record_set(record, EMLAT_INTERACTION_terminal_id, arrival.batch->terminal);
    charge(root, machine->kinds->own.batch_bytes, arrival.batch->read);
    if (arrival.t_earliest) {
        emlat_record_set(record, EMLAT_INTERACTION_t_input_earliest, arrival.t_earliest);
        emlat_record_set(record, EMLAT_INTERACTION_earliest_quality, arrival.earliest_quality);
    }
    emlat_record_set(record, EMLAT_INTERACTION_t_input_latest, arrival.t_latest);
    emlat_record_set(record, EMLAT_INTERACTION_latest_quality, arrival.latest_quality);
    if (arrival.batch->t_ready)
        emlat_record_set(record, EMLAT_INTERACTION_t_input_ready, arrival.batch->t_ready);
    emlat_record_set(record, EMLAT_INTERACTION_t_read_begin, arrival.batch->t_begin);
    emlat_record_set(record, EMLAT_INTERACTION_t_read_end, arrival.batch->t_end);
}

static void count(struct emlat_machine *machine, struct emlat_interaction *to, uint32_t counter,
                  uint64_t value)
{
    if (machine->kinds->counter_operation[counter] == EMLAT_COUNTER_LAST)
        to->record.counters_present &= ~((uint64_t)1 << counter);
    charge(to, (int)counter, value);
}

void emlat_count(struct emlat_producer *producer, uint32_t counter, uint64_t value)
{
    if (!emlat_recording(producer) || counter >= EMLAT_COUNTERS_MAX)
        return;
    struct emlat_interaction *to = served(producer->machine);
    if (to)
        count(producer->machine, to, counter, value);
}

void emlat_count_all(struct emlat_producer *producer, uint32_t counter, uint64_t value)
{
    if (!emlat_recording(producer) || counter >= EMLAT_COUNTERS_MAX)
        return;
    struct emlat_machine *machine = producer->machine;
    for (uint32_t i = 0; i < machine->open_count; i++)
        count(machine, machine->open[i], counter, value);
}

void emlat_frame(struct emlat_producer *producer, uint64_t terminal_id, uint64_t frame_id)
{
    if (!emlat_recording(producer))
        return;
    struct emlat_interaction *to = served(producer->machine);
    if (to && terminal_id && !emlat_record_has(&to->record, EMLAT_INTERACTION_terminal_id))
        emlat_record_set(&to->record, EMLAT_INTERACTION_terminal_id, terminal_id);
    if (to && frame_id)
        emlat_record_set(&to->record, EMLAT_INTERACTION_frame_id, frame_id);
}

/* ---- Spans ------------------------------------------------------------------------------------
 */

/* The record that the stamps of a span with CAUSE belong to: its own root's, while that is open.  A
   span of a display that is served has none, and must not stamp the root around it.  */
static struct emlat_record *stamped(struct emlat_producer *producer, uint64_t cause)
{
    struct emlat_interaction *root = root_of(producer->machine, cause);
    return root ? &root->record : NULL;
}

/* The counters of the innermost open span, which has just begun.  */
static void begin_counting(struct emlat_producer *producer, uint64_t counters)
{
    struct emlat_counted *counted = &producer->machine->counted[emlat_depth(producer) - 1];
    settle(producer);
    counted->of = current(producer->machine);
    uint64_t *value = counted->value;
    for (uint64_t left = counted->of ? counters : 0; left; left &= left - 1)
        *value++ = counted->of->record.counter[__builtin_ctzll(left)];
}

void emlat_span_begin_slow(struct emlat_producer *producer, uint32_t kind, uint64_t t)
{
    struct emlat_machine *machine = producer->machine;
    struct emlat_record *record = stamped(producer, producer->cause);
    kind &= EMLAT_KINDS_MAX - 1;
    if (machine->kinds->span_counters[kind])
        begin_counting(producer, machine->kinds->span_counters[kind]);
    int field = machine->kinds->span_begin_field[kind];
    if (record && field >= 0 && !emlat_record_has(record, (unsigned)field))
        emlat_record_set(record, (unsigned)field, t);
}

static uint32_t kind_of(const struct emlat_unit *span)
{
    return (span->word[EMLAT_SPAN_HEAD] >> 32) & (EMLAT_KINDS_MAX - 1);
}

/* SPAN, which was DEPTH deep, goes to the ring, at T, with its COUNTERS.  Without an interaction it
   never had any, and what counted them may be another one by now.  */
static void put_counted(struct emlat_producer *producer, const struct emlat_unit *span,
                        uint32_t depth, uint64_t counters, uint64_t t)
{
    const struct emlat_counted *counted = &producer->machine->counted[depth - 1];
    settle(producer);
    if (!counted->of || counted->of->state == EMLAT_FREE ||
        counted->of->cause != span->word[EMLAT_SPAN_CAUSE]) {
        emlat_span_put(producer, span, t);
        return;
    }
    uint64_t gained[EMLAT_COUNTERS_MAX];
    const uint64_t *before = counted->value;
    for (uint64_t left = counters; left; left &= left - 1) {
        int i = __builtin_ctzll(left);
        gained[i] = counted->of->record.counter[i] - *before++;
    }
    emlat_ring_put_span(producer, span, counters, gained, t);
}

/* The innermost open span ends.  What unwinds to T may have recorded spans after T, which a span
   around them must not end before.  */
static void end_span(struct emlat_producer *producer, uint64_t t, enum emlat_outcome outcome)
{
    struct emlat_unit *open = --producer->top;
    uint64_t *word = open->word;
    struct emlat_record *record = stamped(producer, word[EMLAT_SPAN_CAUSE]);
    int field = producer->machine->kinds->span_end_field[kind_of(open)];
    if (record && outcome != EMLAT_OUTCOME_OPEN && field >= 0)
        emlat_record_set(record, (unsigned)field, t);
    if (word[EMLAT_SPAN_HEAD] & EMLAT_SPAN_HAS_CPU)
        word[EMLAT_SPAN_CPU_NS] = cpu_now(producer->machine) - word[EMLAT_SPAN_CPU_NS];
    word[EMLAT_SPAN_HEAD] |= (uint64_t)outcome << 24;
    bool contains = word[EMLAT_SPAN_BEGIN] <= producer->t_span_end;
    uint64_t end = contains && t < producer->t_span_end ? producer->t_span_end : t;
    uint64_t counters = producer->machine->kinds->span_counters[kind_of(open)];
    if (counters)
        put_counted(producer, open, emlat_depth(producer) + 1, counters, end);
    else
        emlat_span_put(producer, open, end);
}

void emlat_unwind(struct emlat_producer *producer, uint32_t depth, uint64_t t,
                  enum emlat_outcome outcome)
{
    if (!emlat_recording(producer))
        return;
    while (emlat_depth(producer) > depth)
        end_span(producer, t, outcome);
}

void emlat_span_end_slow(struct emlat_producer *producer, struct emlat_span span, uint64_t t,
                         enum emlat_outcome outcome)
{
    const struct emlat_unit *open = producer->top - 1;
    while (open > producer->open && open->word[EMLAT_SPAN_ID] != span.id)
        open--;
    if (open == producer->open)
        return;
    emlat_unwind(producer, (uint32_t)(open - producer->open), t, EMLAT_OUTCOME_DROPPED);
    end_span(producer, t, outcome);
}

void emlat_span_end_unless_short(struct emlat_producer *producer, struct emlat_span span,
                                 uint64_t t, uint64_t least_ns)
{
    const struct emlat_unit *open = producer->top - 1;
    bool innermost = span.id && open->word[EMLAT_SPAN_ID] == span.id;
    if (innermost && t - open->word[EMLAT_SPAN_BEGIN] < least_ns &&
        producer->next_span == span.id + producer->span_step)
        producer->top--;
    else if (span.id)
        emlat_span_end_at(producer, span, t);
}

struct emlat_span emlat_span_with_cpu(struct emlat_producer *producer, struct emlat_span span)
{
    const struct emlat_machine *machine = producer->machine;
    struct emlat_unit *open = producer->top - 1;
    if (!span.id || open->word[EMLAT_SPAN_ID] != span.id ||
        !(machine->virtual_cpu || machine->thread_cpu))
        return span;
    open->word[EMLAT_SPAN_HEAD] |= EMLAT_SPAN_HAS_CPU;
    open->word[EMLAT_SPAN_CPU_NS] = cpu_now(machine);
    return (struct emlat_span){span.id, NULL}; /* its end is not the short way */
}

struct emlat_span emlat_span_too_deep(struct emlat_producer *producer, uint64_t t)
{
    emlat_ring_lose(producer, EMLAT_REASON_too_deep, sizeof(struct emlat_unit), t);
    return (struct emlat_span){0, NULL};
}

void emlat_span_whole(struct emlat_producer *producer, uint32_t kind, uint64_t t_begin,
                      uint64_t t_end, uint64_t detail, enum emlat_outcome outcome)
{
    if (!emlat_recording(producer))
        return;
    uint64_t cause = producer->cause;
    if (!cause) {
        const struct emlat_interaction *to = served(producer->machine);
        cause = to ? to->cause : 0;
    }
    /* Recorded late, it may have begun before what is open now.  */
    const struct emlat_unit *parent = producer->top - 1;
    while (parent > producer->open && parent->word[EMLAT_SPAN_BEGIN] > t_begin)
        parent--;
    const struct emlat_unit whole = {{
        [EMLAT_SPAN_HEAD] = emlat_span_head(kind) | (uint64_t)outcome << 24,
        [EMLAT_SPAN_ID] = producer->next_span,
        [EMLAT_SPAN_CAUSE] = cause,
        [EMLAT_SPAN_PARENT] = parent->word[EMLAT_SPAN_ID],
        [EMLAT_SPAN_BEGIN] = t_begin,
        [EMLAT_SPAN_DETAIL] = detail,
    }};
    producer->next_span += producer->span_step;
    emlat_span_put(producer, &whole, t_end);
}

/* ---- Display ----------------------------------------------------------------------------------
 */

void emlat_display_decide(struct emlat_producer *producer, enum emlat_decision decision, uint64_t t)
{
    static const enum emlat_word skips[] = {
        [EMLAT_DISPLAY_INPUT_PENDING] = EMLAT_SKIP_input_pending,
        [EMLAT_DISPLAY_UNREAD_EVENTS] = EMLAT_SKIP_unread_events,
        [EMLAT_DISPLAY_MACRO] = EMLAT_SKIP_macro,
        [EMLAT_DISPLAY_NEXT_COMMAND] = EMLAT_SKIP_next_command,
    };
    if (!emlat_recording(producer))
        return;
    struct emlat_machine *machine = producer->machine;
    struct emlat_interaction *waiting = machine->waiting;
    if (!waiting)
        return;
    end_after(producer, t);
    if (decision == EMLAT_DISPLAY_PERFORMED || decision == EMLAT_DISPLAY_INPUT_PENDING)
        emlat_record_set(&waiting->record, EMLAT_INTERACTION_t_redisplay_decision, t);
    /* A display that an earlier decision of this level left behind is over.  */
    end_serving(producer, machine->open_count, t);
    if (decision != EMLAT_DISPLAY_PERFORMED || machine->serving_count == EMLAT_SERVING_MAX) {
        pass_over(producer,
                  decision == EMLAT_DISPLAY_PERFORMED ? EMLAT_SKIP_next_command : skips[decision],
                  t);
        return;
    }
    settle(producer);
    present(waiting, EMLAT_PRESENTATION_performed);
    waiting->state = EMLAT_SERVING;
    waiting->display_begun = false;
    machine->waiting = NULL;
    machine->serving[machine->serving_count].interaction = waiting;
    machine->serving[machine->serving_count++].roots = machine->open_count;
    producer->cause = current_cause(machine);
}

bool emlat_display_waited_for(const struct emlat_producer *producer)
{
    return emlat_recording(producer) && producer->machine->waiting;
}

void emlat_display_done(struct emlat_producer *producer, uint64_t t)
{
    if (!emlat_recording(producer))
        return;
    struct emlat_machine *machine = producer->machine;
    end_serving(producer, machine->open_count, t);
    producer->cause = current_cause(machine);
}

uint64_t emlat_display_begin(struct emlat_producer *producer, uint64_t t)
{
    if (!emlat_recording(producer))
        return 0;
    struct emlat_machine *machine = producer->machine;
    settle(producer);
    uint64_t id = emlat_number_next(&machine->numbers->display);
    struct emlat_interaction *to = served(machine);
    if (!to)
        return id;
    struct emlat_record *record = &to->record;
    if (!emlat_record_has(record, EMLAT_INTERACTION_first_redisplay_id))
        emlat_record_set(record, EMLAT_INTERACTION_first_redisplay_id, id);
    emlat_record_set(record, EMLAT_INTERACTION_last_redisplay_id, id);
    record->present &= ~((uint64_t)1 << EMLAT_INTERACTION_t_redisplay_end);
    if ((to->state != EMLAT_SERVING && to->state != EMLAT_AFTER) || !to->display_begun)
        emlat_record_set(record, EMLAT_INTERACTION_t_redisplay_begin, t);
    to->display_begun = true;
    if (to->state == EMLAT_AFTER)
        present(to, EMLAT_PRESENTATION_performed);
    charge(to, machine->kinds->own.displays, 1);
    return id;
}

void emlat_display_end(struct emlat_producer *producer, uint64_t t)
{
    if (!emlat_recording(producer))
        return;
    settle(producer);
    struct emlat_machine *machine = producer->machine;
    struct emlat_interaction *to = served(machine);
    if (!to || !to->display_begun)
        return;
    emlat_record_set(&to->record, EMLAT_INTERACTION_t_redisplay_end, t);
    if (machine->t_stale && !emlat_record_has(&to->record, EMLAT_INTERACTION_t_stale_since))
        emlat_record_set(&to->record, EMLAT_INTERACTION_t_stale_since, machine->t_stale);
    machine->t_stale = 0;
}

/* ---- Output -----------------------------------------------------------------------------------
 */

void emlat_output_open(struct emlat_producer *producer, uint64_t terminal)
{
    struct emlat_machine *machine = producer->machine;
    settle(producer);
    producer->output_terminal = terminal;
    if (epoch_of(machine, terminal))
        return;
    struct emlat_epoch *epoch = epoch_of(machine, 0);
    if (!epoch)
        return;
    *epoch = (struct emlat_epoch){.terminal = terminal,
                                  .id = emlat_number_next(&machine->numbers->epoch),
                                  .t_begin = emlat_clock_read(producer)};
}

uint64_t emlat_output_pending(struct emlat_producer *producer, uint64_t terminal)
{
    if (!emlat_recording(producer))
        return 0;
    const struct emlat_epoch *epoch = epoch_of(producer->machine, terminal);
    return (epoch ? epoch->bytes : 0) +
           (producer->output_terminal == terminal ? producer->output_bytes : 0);
}

uint64_t emlat_output_begin(const struct emlat_producer *producer, uint64_t terminal)
{
    if (!emlat_recording(producer))
        return 0;
    const struct emlat_epoch *epoch = epoch_of(producer->machine, terminal);
    return epoch ? epoch->t_begin : 0;
}

static void set_output_times(struct emlat_record *record, const struct emlat_epoch *epoch,
                             uint64_t t_begin, uint64_t t_end)
{
    if (emlat_record_has(record, EMLAT_INTERACTION_t_flush_end) &&
        !emlat_record_has(record, EMLAT_INTERACTION_t_first_flush_end)) {
        emlat_record_set(record, EMLAT_INTERACTION_t_first_output_begin,
                         record->value[EMLAT_INTERACTION_t_output_begin]);
        emlat_record_set(record, EMLAT_INTERACTION_t_first_flush_end,
                         record->value[EMLAT_INTERACTION_t_flush_end]);
    }
    emlat_record_set(record, EMLAT_INTERACTION_final_output_epoch, epoch->id);
    emlat_record_set(record, EMLAT_INTERACTION_t_output_begin, epoch->t_begin);
    emlat_record_set(record, EMLAT_INTERACTION_t_output_end, t_begin);
    emlat_record_set(record, EMLAT_INTERACTION_t_flush_begin, t_begin);
    emlat_record_set(record, EMLAT_INTERACTION_t_flush_end, t_end);
}

/* Whom a flush of the epoch BIT is charged to: SERVES if it wrote to it, else the last who did.  */
static struct emlat_interaction *flusher(struct emlat_machine *machine,
                                         struct emlat_interaction *serves, uint16_t bit)
{
    if (serves && (serves->epochs & bit))
        return serves;
    struct emlat_interaction *last = NULL;
    for (uint64_t left = machine->writing; left; left &= left - 1) {
        struct emlat_interaction *writer = &machine->pool[__builtin_ctzll(left)];
        if ((writer->epochs & bit) && (!last || writer->cause > last->cause))
            last = writer;
    }
    return last ? last : serves;
}

void emlat_output_flush(struct emlat_producer *producer, uint64_t terminal, uint64_t t_begin,
                        uint64_t t_end, bool failed)
{
    if (!emlat_recording(producer))
        return;
    struct emlat_machine *machine = producer->machine;
    const struct emlat_own_counters *own = &machine->kinds->own;
    settle(producer);
    struct emlat_epoch *epoch = epoch_of(machine, terminal);
    struct emlat_interaction *to = served(machine);
    if (!epoch) {
        charge(to, own->flushes_empty, 1);
        return;
    }
    uint16_t bit = (uint16_t)(1u << (epoch - machine->epochs));
    to = flusher(machine, to, bit);
    charge(to, own->flushes, 1);
    if (failed) {
        charge(to, own->flushes_failed, 1);
        charge(to, own->flush_bytes_lost, epoch->bytes);
    }
    for (uint64_t left = machine->writing; left; left &= left - 1) {
        struct emlat_interaction *writer = &machine->pool[__builtin_ctzll(left)];
        if (!(writer->epochs & bit))
            continue;
        writer->epochs &= (uint16_t)~bit;
        charge(writer, own->output_ns, t_end - epoch->t_begin);
        if (!failed)
            set_output_times(&writer->record, epoch, t_begin, t_end);
        if (writer->epochs)
            continue;
        machine->writing &= ~place(machine, writer);
        if (writer->state == EMLAT_DRAINING)
            emit(producer, writer);
    }
    *epoch = (struct emlat_epoch){0};
    if (producer->output_terminal == terminal)
        producer->output_terminal = 0;
}

/* ---- Waiting ----------------------------------------------------------------------------------
 */

void emlat_machine_idle(struct emlat_producer *producer)
{
    struct emlat_machine *machine = producer->machine;
    if (machine->after)
        end_after(producer, emlat_clock_read(producer));
    /* Time is cheap here, and only here.  */
    if (producer->head != producer->idle_head && machine->run_delay_fd > 0)
        emlat_run_delay_read(machine->run_delay_fd, &machine->run_delay_ns);
}

/* ---- Closing ----------------------------------------------------------------------------------
 */

void emlat_machine_close(struct emlat_producer *producer, uint64_t t)
{
    struct emlat_machine *machine = producer->machine;
    settle(producer);
    end_after(producer, t);
    while (emlat_depth(producer))
        end_span(producer, t, EMLAT_OUTCOME_OPEN);
    if (machine->waiting)
        present(machine->waiting, EMLAT_PRESENTATION_pending);
    for (uint64_t left = machine->used; left; left &= left - 1) {
        struct emlat_interaction *open = &machine->pool[__builtin_ctzll(left)];
        if (open->state != EMLAT_DRAINING)
            open->outcome = EMLAT_OUTCOME_OPEN;
        open->t_complete = t;
        emit(producer, open);
    }
    machine->open_count = machine->serving_count = 0;
    machine->waiting = machine->after = NULL;
    machine->writing = 0;
    /* Another owner's bytes begin epochs of their own.  */
    memset(machine->epochs, 0, sizeof machine->epochs);
    producer->output_terminal = 0;
    producer->cause = 0;
}

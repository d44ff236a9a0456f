/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The ring: fixed units of 64 bytes, a record fills one or more of them.

   A span is stored as it stands in one unit, but for one with counters.  That and any other record
   is stored as its presence bits, which counters are not 0, and the values.  Word 0 of a record
   says its type and how many units it fills. The producer writes units that the writer cannot see,
   then publishes them by one store of the head (row R1); the writer gives units back by one store
   of the tail (row R3).  A record that does not fit is counted, never waited for.  Nothing here
   knows what a record means.  */
#include "ring.h"

#include <string.h>

enum { WORDS = 8, BEFORE_VALUES = 4 };

void emlat_ring_ready(struct emlat_producer *producer)
{
    uint64_t at = producer->head & producer->mask;
    uint64_t room = producer->mask + 1 - (producer->head - producer->tail_seen);
    uint64_t to_the_end = producer->mask + 1 - at;
    producer->next = producer->units + at;
    producer->limit = producer->next + (room < to_the_end ? room : to_the_end);
}

/* Units that the producer may still fill; looks at the writer's tail only when it must.  */
static uint64_t room(struct emlat_producer *producer, uint64_t wanted)
{
    uint64_t size = producer->mask + 1;
    if (size - (producer->head - producer->tail_seen) < wanted)
        /* R3: pairs with the writer's release; what it has read may now be overwritten.  */
        producer->tail_seen = atomic_load_explicit(&producer->shared->tail, memory_order_acquire);
    return size - (producer->head - producer->tail_seen);
}

/* R1: everything stored below HEAD is visible to whoever acquires it.  */
static void publish(struct emlat_producer *producer, uint64_t units)
{
    producer->head += units;
    atomic_store_explicit(&producer->shared->head, producer->head, memory_order_release);
}

void emlat_ring_lose(struct emlat_producer *producer, enum emlat_word reason, uint64_t bytes,
                     uint64_t t)
{
    struct emlat_lost *lost = &producer->shared->lost[reason];
    uint64_t records = atomic_load_explicit(&lost->records, memory_order_relaxed);
    /* L2: once the writer has reported all, a new stretch of loss begins.  */
    if (atomic_load_explicit(&lost->reported, memory_order_acquire) == records)
        atomic_store_explicit(&lost->first, t, memory_order_relaxed);
    atomic_store_explicit(&lost->last, t, memory_order_relaxed);
    atomic_store_explicit(&lost->bytes,
                          atomic_load_explicit(&lost->bytes, memory_order_relaxed) + bytes,
                          memory_order_relaxed);
    /* L1: published last; the writer that sees it sees the rest.  */
    atomic_store_explicit(&lost->records, records + 1, memory_order_release);
}

/* There is no unit at hand: ask for more.  False, and the record is lost, where there are none.  */
static __attribute__((noinline, cold)) bool find_room(struct emlat_producer *producer, uint64_t t)
{
    if (room(producer, 1) < 1) {
        emlat_ring_lose(producer, EMLAT_REASON_ring_full, sizeof(struct emlat_unit), t);
        return false;
    }
    emlat_ring_ready(producer);
    return true;
}

_Static_assert((EMLAT_SPAN | 1 << 8) == 0x102, "emlat_span_head is a span of one unit");

void emlat_span_put(struct emlat_producer *producer, const struct emlat_unit *span, uint64_t t)
{
    if (producer->next == producer->limit && !find_room(producer, t))
        return;
    struct emlat_unit *unit = producer->next++;
    *unit = *span;
    unit->word[EMLAT_SPAN_END] = t;
    producer->t_span_end = t;
    publish(producer, 1);
}

/* The record that a span's unit is.  */
static void take_span(const uint64_t *word, struct emlat_record *record)
{
    uint64_t status = word[EMLAT_SPAN_HEAD] >> 24 & 0xff;
    emlat_record_set(record, EMLAT_SPAN_kind, word[EMLAT_SPAN_HEAD] >> 32 & 0xff);
    emlat_record_set(record, EMLAT_SPAN_span_id, word[EMLAT_SPAN_ID]);
    emlat_record_set(record, EMLAT_SPAN_t_begin, word[EMLAT_SPAN_BEGIN]);
    if (word[EMLAT_SPAN_CAUSE])
        emlat_record_set(record, EMLAT_SPAN_cause_id, word[EMLAT_SPAN_CAUSE]);
    if (word[EMLAT_SPAN_PARENT])
        emlat_record_set(record, EMLAT_SPAN_parent_span_id, word[EMLAT_SPAN_PARENT]);
    if (status != EMLAT_STATUS_open)
        emlat_record_set(record, EMLAT_SPAN_wall_ns, word[EMLAT_SPAN_END] - word[EMLAT_SPAN_BEGIN]);
    if (status)
        emlat_record_set(record, EMLAT_SPAN_status, status);
    if (word[EMLAT_SPAN_HEAD] & EMLAT_SPAN_HAS_CPU)
        emlat_record_set(record, EMLAT_SPAN_cpu_ns, word[EMLAT_SPAN_CPU_NS]);
    if (word[EMLAT_SPAN_DETAIL])
        emlat_record_set(record, EMLAT_SPAN_detail_id, word[EMLAT_SPAN_DETAIL]);
}

/* The record's words one after another, so that they can be stored across units.  Most counters
   are 0 most of the time.  */
static unsigned flatten(const struct emlat_record *record, uint64_t *words)
{
    unsigned n = BEFORE_VALUES;
    words[1] = record->present;
    words[2] = record->counters_present;
    words[3] = 0;
    for (uint64_t left = record->present; left; left &= left - 1)
        words[n++] = record->value[__builtin_ctzll(left)];
    for (uint64_t left = record->counters_present; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctzll(left);
        if (record->counter[i]) {
            words[3] |= (uint64_t)1 << i;
            words[n++] = record->counter[i];
        }
    }
    while (n % WORDS)
        words[n++] = 0;
    unsigned units = n / WORDS;
    words[0] = record->type | (uint64_t)units << 8;
    return units;
}

void emlat_ring_put(struct emlat_producer *producer, const struct emlat_record *record, uint64_t t)
{
    uint64_t words[BEFORE_VALUES + EMLAT_FIELDS_MAX + EMLAT_COUNTERS_MAX + WORDS];
    unsigned units = flatten(record, words);
    if (room(producer, units) < units) {
        emlat_ring_lose(producer, EMLAT_REASON_ring_full, units * sizeof(struct emlat_unit), t);
        return;
    }
    for (unsigned i = 0; i < units; i++)
        memcpy(producer->units[(producer->head + i) & producer->mask].word, words + i * WORDS,
               sizeof(struct emlat_unit));
    publish(producer, units);
    emlat_ring_ready(producer);
}

void emlat_ring_put_span(struct emlat_producer *producer, const struct emlat_unit *span,
                         uint64_t counters, const uint64_t *values, uint64_t t)
{
    struct emlat_unit whole = *span;
    struct emlat_record record = {.type = EMLAT_SPAN};
    whole.word[EMLAT_SPAN_END] = t;
    take_span(whole.word, &record);
    record.counters_present = counters;
    for (uint64_t left = counters; left; left &= left - 1)
        record.counter[__builtin_ctzll(left)] = values[__builtin_ctzll(left)];
    emlat_ring_put(producer, &record, t);
    producer->t_span_end = t;
}

void emlat_ring_take(const struct emlat_producer *producer, uint64_t *at,
                     struct emlat_record *record)
{
    const uint64_t *first = producer->units[*at & producer->mask].word;
    unsigned units = first[0] >> 8 & 0xffff;
    record->type = (enum emlat_record_type)(first[0] & 0xff);
    record->present = record->counters_present = 0;
    /* A span of more units has counters, and was stored like any other record.  */
    if (record->type == EMLAT_SPAN && units == 1) {
        take_span(first, record);
    } else {
        uint64_t words[BEFORE_VALUES + EMLAT_FIELDS_MAX + EMLAT_COUNTERS_MAX + WORDS];
        for (unsigned i = 0; i < units; i++)
            memcpy(words + i * WORDS, producer->units[(*at + i) & producer->mask].word,
                   sizeof(struct emlat_unit));
        record->present = words[1];
        record->counters_present = words[2];
        unsigned n = BEFORE_VALUES;
        for (uint64_t left = record->present; left; left &= left - 1)
            record->value[__builtin_ctzll(left)] = words[n++];
        for (uint64_t left = record->counters_present; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctzll(left);
            record->counter[i] = words[3] >> i & 1 ? words[n++] : 0;
        }
    }
    *at += units;
}

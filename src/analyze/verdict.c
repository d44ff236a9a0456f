/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See verdict.h.

   Slow is what can be felt: the 95th percentile over a frame of the screen, or the 99th over two of
   them where that many keys were pressed, or a few answers that stand out.  Of what is slow the
   largest component is named only if it is so again and again: in most bootstrap resamples of the
   slow responses, and in most parts of the session.  The rest is luck, and said to be.  */
#include "verdict.h"

#include "random.h"

#include <emlat/errors.h>
#include <stdlib.h>
#include <string.h>

enum {
    RESAMPLES = 200,
    SLICES = 5,          /* of the session, by time */
    TAIL_LEAST = 10,     /* a tail has so many, if there are */
    STAND_OUT_LEAST = 3, /* so many answers that stand out are no accident */
    BURST_ENDS_MAX = 1 << 16,
};
/* ---- Keeping ----------------------------------------------------------------------------------
 */

static int keep(struct emlat_responses *responses, const struct emlat_response *response)
{
    if (responses->kept_count == EMLAT_RESPONSES_MAX) {
        /* Algorithm R (Vitter 1985): each of the N so far stays with the same chance.  */
        uint64_t place = emlat_random_next(&responses->random) % responses->latency.count;
        if (place < EMLAT_RESPONSES_MAX)
            responses->kept[place] = *response;
        return 0;
    }
    if (responses->kept_count == responses->kept_room) {
        size_t room = responses->kept_room ? 2 * responses->kept_room : 64;
        struct emlat_response *kept = realloc(responses->kept, room * sizeof *kept);
        if (!kept)
            return EMLAT_ENOMEM;
        responses->kept = kept;
        responses->kept_room = room;
    }
    responses->kept[responses->kept_count++] = *response;
    return 0;
}

static void end_burst(struct emlat_responses *responses)
{
    struct emlat_backlog *backlog = &responses->backlog;
    uint64_t keys = responses->burst.keys, last_input = responses->burst.last_input;
    uint64_t drain = responses->burst.done - last_input, after = 0;
    responses->burst.keys = 0;
    if (keys < EMLAT_BURST_KEYS)
        return;
    backlog->bursts++;
    if (drain < backlog->drain_ns)
        return;
    for (size_t i = 0; i < responses->burst.ends.count; i++)
        after += responses->burst.ends.values[i] > last_input;
    backlog->keys = keys;
    backlog->drain_ns = drain;
    backlog->commands_after = after;
}

static int add_to_burst(struct emlat_responses *responses, const struct emlat_response *response)
{
    bool goes_on = responses->burst.keys && response->t_begin < responses->burst.done;
    if (!goes_on) {
        end_burst(responses);
        responses->burst.last_input = responses->burst.done = 0;
        responses->burst.ends.count = 0;
        responses->burst.ends.total = 0;
    }
    responses->burst.keys++;
    if (response->t_begin > responses->burst.last_input)
        responses->burst.last_input = response->t_begin;
    if (response->t_end > responses->burst.done)
        responses->burst.done = response->t_end;
    responses->superseded_run =
        response->population == EMLAT_SUPERSEDED ? responses->superseded_run + 1 : 0;
    if (responses->superseded_run > responses->backlog.superseded_run)
        responses->backlog.superseded_run = responses->superseded_run;
    if (responses->burst.ends.count == BURST_ENDS_MAX)
        return 0;
    return emlat_distribution_add(&responses->burst.ends, response->t_end);
}

int emlat_responses_add(struct emlat_responses *responses, const struct emlat_response *response)
{
    if (!responses->random)
        responses->random = EMLAT_RANDOM_SEED;
    int error = emlat_distribution_add(&responses->latency, emlat_response_ns(response));
    if (!error)
        error = keep(responses, response);
    if (!error)
        error = add_to_burst(responses, response);
    responses->superseded += response->population == EMLAT_SUPERSEDED;
    return error;
}

static int by_latency(const void *a, const void *b)
{
    uint64_t x = emlat_response_ns(a), y = emlat_response_ns(b);
    return (x < y) - (x > y);
}

void emlat_responses_end(struct emlat_responses *responses)
{
    end_burst(responses);
    emlat_distribution_sort(&responses->latency);
    if (responses->kept_count)
        qsort(responses->kept, responses->kept_count, sizeof *responses->kept, by_latency);
}

void emlat_responses_free(struct emlat_responses *responses)
{
    emlat_distribution_free(&responses->latency);
    emlat_distribution_free(&responses->burst.ends);
    free(responses->kept);
}

/* ---- Summing ----------------------------------------------------------------------------------
 */

static void add_blame(struct emlat_tail *tail, const struct emlat_blame *blame)
{
    unsigned i = 0;
    while (i < tail->blames &&
           (tail->blame[i].kind != blame->kind || tail->blame[i].component != blame->component))
        i++;
    if (i == EMLAT_TAIL_BLAMES_MAX)
        return;
    if (i == tail->blames)
        tail->blame[tail->blames++] =
            (struct emlat_blame){.kind = blame->kind, .component = blame->component};
    tail->blame[i].ns += blame->ns;
    tail->blame[i].cpu_ns += blame->cpu_ns;
    tail->blame[i].known_ns += blame->known_ns;
}

static int by_blame(const void *a, const void *b)
{
    const struct emlat_blame *x = a, *y = b;
    return (x->ns < y->ns) - (x->ns > y->ns);
}

/* Sum the kept responses FIRST to END, slowest first.  */
static struct emlat_tail sum(const struct emlat_responses *responses, unsigned permille,
                             size_t first, size_t end)
{
    struct emlat_tail tail = {.permille = permille, .count = end - first};
    tail.threshold = emlat_distribution_rank(&responses->latency, permille);
    for (size_t i = first; i < end; i++) {
        const struct emlat_response *one = &responses->kept[i];
        tail.total_ns += emlat_response_ns(one);
        for (int c = 0; c < EMLAT_COMPONENTS; c++)
            tail.component[c] += one->component[c];
        tail.uncovered_ns += one->uncovered_ns;
        tail.idle_ns += one->idle_ns;
        tail.matrices_ns += one->matrices_ns;
        tail.update_ns += one->update_ns;
        tail.run_delay_ns += one->run_delay_ns;
        tail.own_wall_ns += one->has_cpu ? one->wall_ns : 0;
        tail.own_cpu_ns += one->has_cpu ? one->cpu_ns : 0;
        for (unsigned k = 0; k < one->blames; k++)
            add_blame(&tail, &one->blame[k]);
    }
    qsort(tail.blame, tail.blames, sizeof *tail.blame, by_blame);
    return tail;
}

/* How many of the kept responses, slowest first, take at least NS.  */
static size_t at_least(const struct emlat_responses *responses, uint64_t ns)
{
    size_t count = 0;
    while (count < responses->kept_count && emlat_response_ns(&responses->kept[count]) >= ns)
        count++;
    return count;
}

static enum emlat_component largest(const uint64_t component[EMLAT_COMPONENTS])
{
    enum emlat_component largest = EMLAT_WAIT;
    for (int c = 0; c < EMLAT_OTHER; c++)
        if (component[c] > component[largest])
            largest = (enum emlat_component)c;
    return largest;
}

/* ---- Judging ----------------------------------------------------------------------------------
 */

/* The part of the bootstrap resamples of the COUNT slowest in which COMPONENT is the largest
   (Efron 1979; responses are drawn with replacement).  */
static double resamples_led(const struct emlat_responses *responses, size_t count,
                            enum emlat_component component)
{
    uint64_t random = EMLAT_RANDOM_SEED;
    unsigned led = 0;
    for (int i = 0; i < RESAMPLES; i++) {
        uint64_t sums[EMLAT_COMPONENTS] = {0};
        for (size_t k = 0; k < count; k++) {
            const struct emlat_response *one = &responses->kept[emlat_random_next(&random) % count];
            for (int c = 0; c < EMLAT_COMPONENTS; c++)
                sums[c] += one->component[c];
        }
        led += largest(sums) == component;
    }
    return (double)led / RESAMPLES;
}

static void judge_slices(const struct emlat_responses *responses, size_t count,
                         struct emlat_verdict *verdict)
{
    uint64_t sums[SLICES][EMLAT_COMPONENTS] = {{0}}, first = UINT64_MAX, last = 0;
    bool any[SLICES] = {false};
    for (size_t i = 0; i < responses->kept_count; i++) {
        uint64_t t = responses->kept[i].t_begin;
        first = t < first ? t : first;
        last = t > last ? t : last;
    }
    for (size_t i = 0; i < count; i++) {
        const struct emlat_response *one = &responses->kept[i];
        size_t slice =
            (size_t)((double)(one->t_begin - first) / (double)(last - first + 1) * SLICES);
        any[slice] = true;
        for (int c = 0; c < EMLAT_COMPONENTS; c++)
            sums[slice][c] += one->component[c];
    }
    for (int i = 0; i < SLICES; i++) {
        verdict->slices += any[i];
        verdict->slices_led += any[i] && largest(sums[i]) == verdict->component;
    }
}

/* Whether COMPONENT used its processor.  Others held the thread in a wait; decoding is over before
   a command's processor time counts, but may have waited for more keys; of one's own time off the
   processor, the writing to the terminal comes first, since that blocks.  */
static int on_cpu(const struct emlat_tail *tail, enum emlat_component component)
{
    if (component == EMLAT_DECODE)
        return tail->idle_ns > tail->component[EMLAT_DECODE] / 2 ? 0 : -1;
    if (component == EMLAT_WAIT) {
        uint64_t known = 0, cpu = 0;
        for (unsigned i = 0; i < tail->blames; i++) {
            known += tail->blame[i].known_ns;
            cpu += tail->blame[i].cpu_ns;
        }
        return !known ? -1 : cpu >= known / 2;
    }
    if (!tail->own_wall_ns)
        return -1;
    uint64_t off = tail->own_wall_ns > tail->own_cpu_ns ? tail->own_wall_ns - tail->own_cpu_ns : 0;
    uint64_t emit = tail->component[EMLAT_TTY_EMIT];
    if (component == EMLAT_TTY_EMIT)
        return off < emit / 2;
    uint64_t rest = off > emit ? off - emit : 0;
    uint64_t own = tail->own_wall_ns > emit ? tail->own_wall_ns - emit : 0;
    return rest < own / 2;
}

/* How many of the slowest the verdict is about, and from which percentile on; 0: nothing is slow.
 */
static size_t slow_ones(const struct emlat_responses *responses, unsigned *permille)
{
    const struct emlat_distribution *all = &responses->latency;
    size_t felt = at_least(responses, EMLAT_FELT_NS);
    size_t stand_out = at_least(responses, EMLAT_FELT_SURELY_NS);
    uint64_t p95 = emlat_distribution_rank(all, 950), p99 = emlat_distribution_rank(all, 990);
    if (p95 >= EMLAT_FELT_NS) {
        size_t tail = at_least(responses, p95);
        *permille = 950;
        return tail >= TAIL_LEAST ? tail : felt < TAIL_LEAST ? felt : TAIL_LEAST;
    }
    *permille = 990;
    if (emlat_distribution_supports(all->count, 990) && p99 >= 2 * EMLAT_FELT_NS)
        return at_least(responses, p99);
    return stand_out >= STAND_OUT_LEAST ? stand_out : 0;
}

static void sum_percentiles(const struct emlat_responses *responses, struct emlat_verdict *verdict)
{
    const struct emlat_distribution *all = &responses->latency;
    size_t count = responses->kept_count;
    size_t p95 = at_least(responses, emlat_distribution_rank(all, 950));
    size_t p99 = at_least(responses, emlat_distribution_rank(all, 990));
    verdict->typical = sum(responses, 500, count / 4, count - count / 4);
    if (p95)
        verdict->p95 = sum(responses, 950, 0, p95);
    if (p99)
        verdict->p99 = sum(responses, 990, 0, p99);
}

void emlat_verdict_of(const struct emlat_responses *responses, struct emlat_verdict *verdict)
{
    unsigned permille;
    *verdict = (struct emlat_verdict){.on_cpu = -1, .superseded_share = -1};
    if (!responses->latency.count)
        return;
    verdict->superseded_share = (double)responses->superseded / (double)responses->latency.count;
    sum_percentiles(responses, verdict);
    size_t count = slow_ones(responses, &permille);
    verdict->finding = EMLAT_NOTHING_SLOW;
    if (!count)
        return;
    struct emlat_tail *tail = &verdict->tail;
    *tail = sum(responses, permille, 0, count);
    verdict->component = largest(tail->component);
    verdict->share = (double)tail->component[verdict->component] / (double)tail->total_ns;
    verdict->on_cpu = on_cpu(tail, verdict->component);
    verdict->resamples_led = resamples_led(responses, count, verdict->component);
    judge_slices(responses, count, verdict);
    if (tail->run_delay_ns > tail->total_ns / 2 || tail->uncovered_ns > tail->total_ns / 2)
        verdict->finding = EMLAT_NOT_IN_HOST;
    else if (verdict->resamples_led > 0.5 && 2 * verdict->slices_led > verdict->slices)
        verdict->finding = EMLAT_ONE_LEADS;
    else
        verdict->finding = EMLAT_NONE_REPEATS;
}

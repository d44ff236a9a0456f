/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   One walk over the spans, in the order of their begins, charges rows; a sweep over what it left in
   each row makes the unions.  */
#include "frames.h"

#include <stdlib.h>
#include <string.h>

uint64_t emlat_row_wall(const struct emlat_row *row)
{
    return row->frame->t_end - row->frame->t_begin;
}

uint64_t emlat_row_unclassified(const struct emlat_row *row)
{
    return emlat_row_wall(row) - row->covered_ns;
}

uint64_t emlat_row_overlap(const struct emlat_row *row)
{
    return row->main_covered_ns + row->render_ns - row->covered_ns;
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

/* Place of each kind number in the result; -1 none.  */
struct places {
    int of[EMLAT_SPAN_KINDS];
};

static int add_kind(struct emlat_frames *frames, struct places *places, uint32_t number)
{
    if (places->of[number & 255] >= 0)
        return 0;
    struct emlat_kind *kinds =
        reallocarray(frames->kinds, frames->kinds_count + 1, sizeof *frames->kinds);
    if (!kinds)
        return EMLAT_ENOMEM;
    frames->kinds = kinds;
    places->of[number & 255] = (int)frames->kinds_count;
    kinds[frames->kinds_count++] = (struct emlat_kind){
        .number = number & 255,
        .word = emlat_reader_word(frames->run->reader, EMLAT_CLASS_SPAN, number & 255),
        .parent = -1};
    return 0;
}

/* All that the host declares, in its order, then what it used without.  */
static int list_kinds(struct emlat_frames *frames, struct places *places)
{
    const struct emlat_run *run = frames->run;
    const struct emlat_word_value *words;
    size_t count = emlat_reader_words(run->reader, &words);
    int error = 0;
    memset(places->of, -1, sizeof places->of);
    for (size_t i = 0; !error && i < count; i++)
        if (words[i].class == EMLAT_CLASS_SPAN)
            error = add_kind(frames, places, (uint32_t)words[i].number);
    for (size_t i = 0; !error && i < run->spans_count; i++)
        error = add_kind(frames, places, run->spans[i].kind);
    for (size_t i = 0; !error && i < run->marks_count; i++)
        if (run->marks[i].span_kind)
            error = add_kind(frames, places, run->marks[i].span_kind);
    for (size_t i = 0; i < frames->kinds_count; i++) {
        uint64_t flags = frames->kinds[i].word ? frames->kinds[i].word->flags : 0;
        bool render = flags & EMLAT_RUN_RENDER;
        if (flags & EMLAT_RUN_TOP_LEVEL) {
            frames->has_roots = true;
            frames->has_render |= render;
            frames->has_main |= !render;
        }
    }
    return error;
}

/* ---- Unions ---------------------------------------------------------------------------------- */

struct stretch {
    uint64_t begin, end;
};

static int by_begin(const void *a, const void *b)
{
    const struct stretch *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static uint64_t length_of_union(struct stretch *stretches, size_t count)
{
    uint64_t total = 0, covered = 0;
    if (count)
        qsort(stretches, count, sizeof *stretches, by_begin);
    for (size_t i = 0; i < count; i++) {
        uint64_t begin = stretches[i].begin > covered ? stretches[i].begin : covered;
        if (stretches[i].end > begin) {
            total += stretches[i].end - begin;
            covered = stretches[i].end;
        }
    }
    return total;
}

/* ---- Charging rows --------------------------------------------------------------------------- */

static int make_rows(struct emlat_frames *frames, size_t rows_max)
{
    const struct emlat_run *run = frames->run;
    size_t count = run->frames_count < rows_max ? run->frames_count : rows_max;
    size_t kinds = frames->kinds_count, words = kinds / 64 + 1;
    frames->rows_count = count;
    frames->rows_dropped = run->frames_count - count;
    frames->rows = calloc(count + 1, sizeof *frames->rows);
    frames->overlaps = calloc(count * kinds + 1, sizeof *frames->overlaps);
    frames->ran = calloc(count * words + 1, sizeof *frames->ran);
    if (!frames->rows || !frames->overlaps || !frames->ran)
        return EMLAT_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct emlat_row *row = &frames->rows[i];
        row->frame = &run->frames[i];
        row->live = emlat_run_is_live(run, row->frame->id);
        row->overlap = frames->overlaps + i * kinds;
        row->ran = frames->ran + i * words;
        row->lower_bound = run->records_lost && run->t_lost_first < row->frame->t_end &&
                           run->t_lost_last >= row->frame->t_begin;
        if (row->frame->partial)
            frames->partial++;
        else if (row->live)
            frames->live++;
        else
            frames->load++;
    }
    return 0;
}

static void charge(struct emlat_frames *frames, const struct emlat_run_span *span, size_t kind,
                   bool recursive)
{
    uint64_t flags = frames->kinds[kind].word ? frames->kinds[kind].word->flags : 0;
    bool instant = span->t_end == span->t_begin;
    size_t i = emlat_run_frame_at(frames->run, span->t_begin, false);
    /* A span that began before the first frame may reach into it.  */
    if (i == frames->run->frames_count && frames->run->frames_count &&
        span->t_begin < frames->run->frames[0].t_begin)
        i = 0;
    for (; i < frames->rows_count; i++) {
        struct emlat_row *row = &frames->rows[i];
        uint64_t begin = row->frame->t_begin, end = row->frame->t_end;
        if (span->t_end <= begin && !(instant && span->t_begin == begin))
            break;
        uint64_t from = span->t_begin > begin ? span->t_begin : begin;
        uint64_t to = span->t_end < end ? span->t_end : end;
        if (!recursive)
            row->overlap[kind] += to - from;
        row->ran[kind / 64] |= (uint64_t)1 << kind % 64;
        row->open_at_exit |= span->open;
        if (row->live && !recursive && !row->frame->partial)
            frames->kinds[kind].live_ns += to - from;
        if (span->open || span->t_end > end)
            continue;
        if (span->t_begin < begin) {
            row->carried_in_ns += begin - span->t_begin;
            row->carried_spans++;
        }
        if (flags & EMLAT_RUN_RENDER)
            row->render_thread = span->thread;
        break;
    }
}

/* ---- Who is inside whom ---------------------------------------------------------------------- */

/* Spans by ID, for finding parents.  */
struct index {
    struct entry {
        uint64_t id;
        size_t at;
    } * entries;
    size_t count;
};

static int by_id(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int make_index(struct index *index, const struct emlat_run *run)
{
    index->entries = calloc(run->spans_count + 1, sizeof *index->entries);
    index->count = run->spans_count;
    if (!index->entries)
        return EMLAT_ENOMEM;
    for (size_t i = 0; i < run->spans_count; i++)
        index->entries[i] = (struct entry){run->spans[i].id, i};
    if (index->count)
        qsort(index->entries, index->count, sizeof *index->entries, by_id);
    return 0;
}

static const struct emlat_run_span *find_span(const struct index *index,
                                              const struct emlat_run *run, uint64_t id)
{
    struct entry key = {id, 0};
    const struct entry *found =
        id ? bsearch(&key, index->entries, index->count, sizeof key, by_id) : NULL;
    return found ? &run->spans[found->at] : NULL;
}

/* The nearest span around SPAN that is of another kind; *RECURSIVE: one of its own kind is nearer.
   A chain of parents in a damaged file may lead in a circle: no deeper than spans can nest.  */
static const struct emlat_run_span *outer_kind(const struct index *index,
                                               const struct emlat_run *run,
                                               const struct emlat_run_span *span, bool *recursive)
{
    enum { DEPTH = 256 };
    const struct emlat_run_span *around = span;
    *recursive = false;
    for (int i = 0; i < DEPTH; i++) {
        around = find_span(index, run, around->parent);
        if (!around || around->kind != span->kind)
            return around;
        *recursive = true;
    }
    return NULL;
}

/* The phase of a span is that of the frame it ends in.  */
static bool ends_live(const struct emlat_run *run, const struct emlat_run_span *span)
{
    size_t at = emlat_run_frame_at(run, span->t_end, span->t_end > span->t_begin);
    return at < run->frames_count && emlat_run_is_live(run, run->frames[at].id);
}

static bool ends_before_first(const struct emlat_run *run, const struct emlat_run_span *span)
{
    return run->frames_count && span->t_end <= run->frames[0].t_begin;
}

/* ---- Self time ------------------------------------------------------------------------------- */

/* A child's stretch inside its parent.  */
struct child {
    uint64_t parent;
    struct stretch is;
};

static int by_parent(const void *a, const void *b)
{
    const struct child *x = a, *y = b;
    return (x->parent > y->parent) - (x->parent < y->parent);
}

/* SELF is a span's length without the union of its children, so that children on other threads
   that run beside one another count once.  */
static int take_children(struct emlat_frames *frames, const struct index *index,
                         const struct places *places)
{
    const struct emlat_run *run = frames->run;
    struct child *children = calloc(run->spans_count + 1, sizeof *children);
    struct stretch *stretches = calloc(run->spans_count + 1, sizeof *stretches);
    size_t count = 0;
    if (!children || !stretches) {
        free(children);
        free(stretches);
        return EMLAT_ENOMEM;
    }
    for (size_t i = 0; i < run->spans_count; i++) {
        const struct emlat_run_span *span = &run->spans[i];
        const struct emlat_run_span *parent = find_span(index, run, span->parent);
        if (!parent)
            continue;
        uint64_t begin = span->t_begin > parent->t_begin ? span->t_begin : parent->t_begin;
        uint64_t end = span->t_end < parent->t_end ? span->t_end : parent->t_end;
        if (begin < end)
            children[count++] = (struct child){parent->id, {begin, end}};
    }
    if (count)
        qsort(children, count, sizeof *children, by_parent);
    for (size_t i = 0; i < count;) {
        const struct emlat_run_span *parent = find_span(index, run, children[i].parent);
        uint64_t sum = 0;
        size_t n = 0;
        for (; i < count && children[i].parent == parent->id; i++) {
            stretches[n++] = children[i].is;
            sum += children[i].is.end - children[i].is.begin;
        }
        uint64_t covered = length_of_union(stretches, n);
        struct emlat_kind *kind = &frames->kinds[places->of[parent->kind]];
        if (!parent->open && ends_live(run, parent)) {
            kind->self_ns -= covered;
            kind->parallel |= sum > covered;
        }
    }
    free(children);
    free(stretches);
    return 0;
}

/* ---- The walk -------------------------------------------------------------------------------- */

static int take_span(struct emlat_frames *frames, const struct index *index,
                     const struct places *places, const struct emlat_run_span *span)
{
    const struct emlat_run *run = frames->run;
    size_t place = (size_t)places->of[span->kind];
    struct emlat_kind *kind = &frames->kinds[place];
    bool recursive;
    const struct emlat_run_span *around = outer_kind(index, run, span, &recursive);
    charge(frames, span, place, recursive);
    kind->migrated += span->status == EMLAT_STATUS_migrated;
    kind->misnested += span->status == EMLAT_STATUS_misnested;
    kind->open += span->open;
    kind->before_first += !span->open && ends_before_first(run, span);
    if (span->open || !ends_live(run, span))
        return 0;
    kind->recursive += recursive;
    if (!recursive)
        kind->outer_ns += span->t_end - span->t_begin;
    kind->self_ns += span->t_end - span->t_begin;
    /* A migrated span's parent is not known, which is not the same as having none.  */
    if (around)
        kind->calls_under[places->of[around->kind]]++;
    else if (span->status != EMLAT_STATUS_migrated && !span->parent)
        kind->calls_outermost++;
    return emlat_distribution_add(&kind->calls, span->t_end - span->t_begin);
}

/* Where each kind is drawn: under whatever most of its calls were inside.  */
static void place_kinds(struct emlat_frames *frames)
{
    for (size_t i = 0; i < frames->kinds_count; i++) {
        struct emlat_kind *kind = &frames->kinds[i];
        uint32_t most = kind->calls_outermost;
        kind->parents = most > 0;
        for (size_t k = 0; k < frames->kinds_count; k++) {
            kind->parents += kind->calls_under[k] > 0;
            if (kind->calls_under[k] > most) {
                most = kind->calls_under[k];
                kind->parent = (int)k;
            }
        }
        emlat_distribution_sort(&kind->calls);
    }
    /* Reached from the top, or in a circle.  */
    for (size_t i = 0; i < frames->kinds_count; i++) {
        int at = (int)i;
        for (size_t steps = 0; at >= 0 && steps <= frames->kinds_count; steps++)
            at = frames->kinds[at].parent;
        frames->kinds[i].placed = at < 0;
    }
}

/* ---- Coverage -------------------------------------------------------------------------------- */

enum part { MAIN = 1, RENDER = 2 };

static uint64_t flags_of(const struct emlat_frames *frames, const struct places *places,
                         uint32_t kind)
{
    const struct emlat_word_value *word = frames->kinds[places->of[kind]].word;
    return word ? word->flags : 0;
}

/* Union of the declared roots of PARTS in each row, to FIELD.  Roots come sorted by begin, so one
   pass over them and the rows will do: what is covered so far is one moving end.  */
static void cover(struct emlat_frames *frames, const struct places *places, unsigned parts,
                  size_t field)
{
    const struct emlat_run *run = frames->run;
    uint64_t covered = 0;
    for (size_t i = 0; i < run->spans_count; i++) {
        const struct emlat_run_span *span = &run->spans[i];
        uint64_t flags = flags_of(frames, places, span->kind);
        if (!(flags & EMLAT_RUN_TOP_LEVEL) || !(parts & (flags & EMLAT_RUN_RENDER ? RENDER : MAIN)))
            continue;
        uint64_t begin = span->t_begin > covered ? span->t_begin : covered;
        if (span->t_end <= begin)
            continue;
        covered = span->t_end;
        size_t at = emlat_run_frame_at(run, begin, false);
        if (at == run->frames_count && run->frames_count && begin < run->frames[0].t_begin)
            at = 0;
        for (; at < frames->rows_count && frames->rows[at].frame->t_begin < span->t_end; at++) {
            struct emlat_row *row = &frames->rows[at];
            uint64_t from = begin > row->frame->t_begin ? begin : row->frame->t_begin;
            uint64_t to = span->t_end < row->frame->t_end ? span->t_end : row->frame->t_end;
            *(uint64_t *)(void *)((char *)row + field) += to - from;
        }
    }
}

/* Rows in which a span has more time than the only parent it ever had.  */
static void find_broken(struct emlat_frames *frames)
{
    for (size_t i = 0; i < frames->rows_count; i++) {
        struct emlat_row *row = &frames->rows[i];
        for (size_t k = 0; k < frames->kinds_count; k++) {
            const struct emlat_kind *kind = &frames->kinds[k];
            if (kind->parents != 1 || kind->parent < 0 || frames->kinds[kind->parent].parallel)
                continue;
            uint64_t child = row->overlap[k], parent = row->overlap[kind->parent];
            if (child > parent && child - parent > row->over_parent_ns) {
                row->over_parent_ns = child - parent;
                row->over_kind = (uint32_t)k;
            }
        }
        if (!row->over_parent_ns)
            continue;
        if (!frames->broken_rows++ ||
            row->over_parent_ns > frames->rows[frames->worst_broken].over_parent_ns)
            frames->worst_broken = i;
    }
}

/* ---- Figures over live rows ------------------------------------------------------------------ */

static int sum_rows(struct emlat_frames *frames)
{
    const struct emlat_run *run = frames->run;
    uint64_t t_first = UINT64_MAX;
    int error = 0;
    for (size_t i = 0; !error && i < run->frames_count; i++) {
        const struct emlat_run_frame *frame = &run->frames[i];
        if (emlat_run_is_live(run, frame->id) && !frame->partial)
            error = emlat_distribution_add(&frames->walls, frame->t_end - frame->t_begin);
    }
    for (size_t i = 0; !error && i < frames->rows_count; i++) {
        const struct emlat_row *row = &frames->rows[i];
        if (!row->live || row->frame->partial)
            continue;
        if (t_first == UINT64_MAX)
            t_first = row->frame->t_begin;
        frames->unclassified_ns += emlat_row_unclassified(row);
        frames->covered_ns += row->covered_ns;
        frames->main_ns += row->main_covered_ns;
        frames->overlap_ns += emlat_row_overlap(row);
        frames->overlap_rows += emlat_row_overlap(row) > 0;
        frames->lower_bounds += row->lower_bound;
        bool early = row->frame->t_begin - t_first < EMLAT_FIRST_SECONDS_NS;
        error =
            emlat_distribution_add(early ? &frames->first : &frames->steady, emlat_row_wall(row));
    }
    return error;
}

static int find_worst(struct emlat_frames *frames)
{
    frames->worst = calloc(EMLAT_WORST_MAX + 1, sizeof *frames->worst);
    if (!frames->worst)
        return EMLAT_ENOMEM;
    for (size_t i = 0; i < frames->rows_count; i++) {
        const struct emlat_row *row = &frames->rows[i];
        if (!row->live || row->frame->partial)
            continue;
        size_t at = frames->worst_count;
        while (at && emlat_row_wall(&frames->rows[frames->worst[at - 1]]) < emlat_row_wall(row)) {
            frames->worst[at] = frames->worst[at - 1];
            at--;
        }
        if (at == EMLAT_WORST_MAX)
            continue;
        frames->worst[at] = i;
        if (frames->worst_count < EMLAT_WORST_MAX)
            frames->worst_count++;
    }
    return 0;
}

/* Mean of the slowest N of sorted WALLS.  */
static uint64_t slowest_mean(const struct emlat_distribution *walls, size_t n)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += walls->values[walls->count - 1 - i];
    return total / n;
}

/* The frame at which the slowest ones, one after another, make up SHARE of a thousand of all time.
 */
static uint64_t slowest_share(const struct emlat_distribution *walls, unsigned share)
{
    uint64_t total = 0;
    for (size_t i = walls->count; i-- > 0;) {
        total += walls->values[i];
        if (total >= walls->total / 1000 * share + walls->total % 1000 * share / 1000)
            return walls->values[i];
    }
    return walls->values[0];
}

static int find_hitches(struct emlat_frames *frames)
{
    const struct emlat_run *run = frames->run;
    struct emlat_distribution *walls = &frames->walls, deltas = {0};
    struct emlat_hitches *hitches = &frames->hitches;
    const struct emlat_run_frame *before = NULL;
    int error = 0;
    if (!walls->count)
        return 0;
    hitches->median_ns = emlat_distribution_rank(walls, 500);
    for (size_t i = 0; i < walls->count; i++) {
        if (walls->values[i] * 2 > hitches->median_ns * 5) {
            hitches->stutters++;
            hitches->stutter_ns += walls->values[i];
        }
    }
    hitches->has_low1 = walls->count >= 100;
    hitches->has_low01 = walls->count >= 1000;
    if (hitches->has_low1) {
        hitches->low1_average_ns = slowest_mean(walls, walls->count / 100);
        hitches->low1_integral_ns = slowest_share(walls, 10);
    }
    if (hitches->has_low01) {
        hitches->low01_average_ns = slowest_mean(walls, walls->count / 1000);
        hitches->low01_integral_ns = slowest_share(walls, 1);
    }
    for (size_t i = 0; !error && i < run->frames_count; i++) {
        const struct emlat_run_frame *frame = &run->frames[i];
        if (!emlat_run_is_live(run, frame->id) || frame->partial)
            continue;
        uint64_t now = frame->t_end - frame->t_begin;
        uint64_t then = before ? before->t_end - before->t_begin : now;
        if (before)
            error = emlat_distribution_add(&deltas, now > then ? now - then : then - now);
        before = frame;
    }
    emlat_distribution_sort(&deltas);
    hitches->has_delta = emlat_distribution_supports(deltas.count, 990);
    if (hitches->has_delta)
        hitches->delta_p99_ns = emlat_distribution_rank(&deltas, 990);
    emlat_distribution_free(&deltas);
    return error;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static int walk(struct emlat_frames *frames, const struct places *places)
{
    const struct emlat_run *run = frames->run;
    struct index index;
    int error = make_index(&index, run);
    for (size_t i = 0; !error && i < run->spans_count; i++)
        error = take_span(frames, &index, places, &run->spans[i]);
    for (size_t i = 0; i < run->marks_count; i++)
        if (run->marks[i].span_kind)
            frames->kinds[places->of[run->marks[i].span_kind & 255]].unmatched++;
    if (!error)
        error = take_children(frames, &index, places);
    free(index.entries);
    return error;
}

int emlat_frames_from(struct emlat_frames *frames, const struct emlat_run *run, size_t rows_max)
{
    struct places places;
    memset(frames, 0, sizeof *frames);
    frames->run = run;
    int error = list_kinds(frames, &places);
    if (!error)
        error = make_rows(frames, rows_max);
    if (!error)
        error = walk(frames, &places);
    if (error)
        return error;
    place_kinds(frames);
    cover(frames, &places, MAIN | RENDER, offsetof(struct emlat_row, covered_ns));
    cover(frames, &places, MAIN, offsetof(struct emlat_row, main_covered_ns));
    cover(frames, &places, RENDER, offsetof(struct emlat_row, render_ns));
    find_broken(frames);
    error = sum_rows(frames);
    emlat_distribution_sort(&frames->walls);
    emlat_distribution_sort(&frames->first);
    emlat_distribution_sort(&frames->steady);
    if (!error)
        error = find_worst(frames);
    if (!error)
        error = find_hitches(frames);
    return error;
}

void emlat_frames_free(struct emlat_frames *frames)
{
    for (size_t i = 0; i < frames->kinds_count; i++)
        emlat_distribution_free(&frames->kinds[i].calls);
    free(frames->kinds);
    free(frames->rows);
    free(frames->overlaps);
    free(frames->ran);
    free(frames->worst);
    emlat_distribution_free(&frames->walls);
    emlat_distribution_free(&frames->first);
    emlat_distribution_free(&frames->steady);
    memset(frames, 0, sizeof *frames);
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   One interaction as a waterfall: a row a part, bars on one time axis, the spans inside each part
   below it.  The parts add up to the lower bound; the arrival's width is the row above them.  */
#include "report.h"

#include <inttypes.h>
#include <string.h>

struct axis {
    uint64_t begin, end; /* session time */
    unsigned columns;
    const struct emlat_style *style;
};

static void print_bar(FILE *to, const struct axis *axis, uint64_t begin, uint64_t end)
{
    double scale = 8.0 * axis->columns / (double)(axis->end - axis->begin);
    if (begin < axis->begin)
        begin = axis->begin;
    if (end > axis->end)
        end = axis->end;
    unsigned from = begin < end ? (unsigned)((double)(begin - axis->begin) * scale) : 0;
    unsigned until = begin < end ? (unsigned)((double)(end - axis->begin) * scale) : 0;
    /* Whatever took time is seen.  */
    if (begin < end && until <= from)
        until = from + 1;
    for (unsigned cell = 0; cell < axis->columns && 8 * cell < until; cell++) {
        unsigned left = 8 * cell, covered = 0;
        if (until > left && from < left + 8)
            covered = (until < left + 8 ? until : left + 8) - (from > left ? from : left);
        fputs(emlat_block(axis->style, covered, false), to);
    }
}

static void print_row(FILE *to, const struct axis *axis, const char *name, unsigned indent,
                      uint64_t ns, uint64_t begin, uint64_t end)
{
    char text[EMLAT_FIGURE];
    fprintf(to, "%*s%-*s %9s  ", (int)indent, "", (int)(20 - indent), name,
            emlat_ms_text(text, ns));
    print_bar(to, axis, begin, end);
    fputc('\n', to);
}

static const char *span_name(const struct emlat_reader *reader, uint64_t kind)
{
    const struct emlat_word_value *word = emlat_reader_word(reader, EMLAT_CLASS_SPAN, kind);
    return word ? word->name : "span";
}

/* The spans that a part's row already is.  */
static bool is_part(const char *name)
{
    for (int part = 0; part < EMLAT_PARTS; part++)
        if (strcmp(name, emlat_part_name((enum emlat_part)part)) == 0)
            return true;
    return false;
}

/* Spans that begin in BEGIN .. END, but for those that are parts; many of a kind become one row. */
static void print_spans(FILE *to, const struct axis *axis, const struct emlat_reader *reader,
                        const struct emlat_waterfall *of, uint64_t begin, uint64_t end)
{
    uint64_t count[256] = {0}, total[256] = {0}, first[256], last[256], detail[256] = {0};
    for (size_t i = 0; i < of->spans_count; i++) {
        const struct emlat_waterfall_span *span = &of->spans[i];
        unsigned kind = span->kind & 255;
        if (span->t_begin < begin || span->t_begin >= end || span->open)
            continue;
        if (!count[kind]++)
            first[kind] = span->t_begin;
        total[kind] += span->wall_ns;
        detail[kind] += span->detail;
        last[kind] = span->t_begin + span->wall_ns;
    }
    for (unsigned kind = 1; kind < 256; kind++) {
        const char *name = span_name(reader, kind);
        char label[64];
        if (!count[kind] || is_part(name))
            continue;
        if (count[kind] > 1)
            snprintf(label, sizeof label, "%s x%" PRIu64, name, count[kind]);
        else
            snprintf(label, sizeof label, "%s", name);
        print_row(to, axis, label, 2, total[kind], first[kind], last[kind]);
    }
}

static void print_title(FILE *to, const struct emlat_reader *reader,
                        const struct emlat_waterfall *of, uint64_t flushed,
                        const struct emlat_style *style)
{
    const struct emlat_sample *sample = &of->sample;
    char lower[EMLAT_FIGURE], upper[EMLAT_FIGURE];
    const struct emlat_word_value *kind = emlat_reader_word(reader, EMLAT_CLASS_ROOT, sample->kind);
    const char *status =
        emlat_type_word(EMLAT_TYPE_STATUS, of->record.value[EMLAT_INTERACTION_status]);
    fprintf(to, "#%" PRIu64 " %s, %s", sample->cause, kind ? kind->name : "root",
            emlat_population_name(sample->population));
    if (sample->t_end)
        fprintf(to, "  %s..%s ms", emlat_ms_text(lower, sample->lower),
                sample->has_upper ? emlat_ms_text(upper, sample->upper) : emlat_absent(style));
    if (of->rank)
        fprintf(to, "  rank %" PRIu64 " of %" PRIu64, of->rank, flushed);
    fprintf(to, "  status %s\n", status ? status : emlat_absent(style));
    if (sample->has_dwell)
        fprintf(to, "prefix dwell %s..%s ms (the person's own, not in the total)\n",
                emlat_ms_text(lower, sample->dwell_min_ns),
                emlat_ms_text(upper, sample->dwell_max_ns));
}

/* The counters that are not 0; nobody reads the others.  */
static void print_work(FILE *to, const struct emlat_reader *reader,
                       const struct emlat_waterfall *of)
{
    enum { WIDTH = 78 };
    int column = 0;
    for (uint64_t left = of->record.counters_present; left; left &= left - 1) {
        unsigned number = (unsigned)__builtin_ctzll(left);
        const struct emlat_word_value *word =
            emlat_reader_word(reader, EMLAT_CLASS_COUNTER, number);
        if (!word || strcmp(word->unit, "ns") == 0 || !of->record.counter[number])
            continue;
        if (column >= WIDTH)
            column = fprintf(to, ",\n     ") - 2;
        else
            column += fprintf(to, "%s", column ? "," : "work:");
        column += fprintf(to, " %s %" PRIu64, word->name, of->record.counter[number]);
    }
    if (column)
        fputc('\n', to);
}

static void print_total(FILE *to, const struct emlat_waterfall *of, const struct emlat_style *style)
{
    const struct emlat_sample *sample = &of->sample;
    char text[EMLAT_FIGURE];
    fprintf(to, "%-20s %9s  on CPU ", "total (lower bound)", emlat_ms_text(text, sample->lower));
    if (sample->has_cpu)
        fprintf(to, "%s ms from dispatch to end", emlat_ms_text(text, sample->cpu_ns));
    else
        fputs(emlat_absent(style), to);
    if (sample->has_gc)
        fprintf(to, ", GC %s ms", emlat_ms_text(text, sample->gc_ns));
    fputc('\n', to);
}

void emlat_waterfall_text(FILE *to, const struct emlat_reader *reader,
                          const struct emlat_waterfall *of, uint64_t flushed,
                          const struct emlat_style *style)
{
    const struct emlat_sample *sample = &of->sample;
    print_title(to, reader, of, flushed, style);
    if (!sample->t_end || sample->t_end == sample->t_begin) {
        fputs("it has no duration to divide\n\n", to);
        return;
    }
    struct axis axis = {sample->t_begin, sample->t_end, style->width > 60 ? style->width - 34 : 26,
                        style};
    char text[EMLAT_FIGURE];
    fprintf(to, "%-20s %9s  0%*s\n", "part", "ms", (int)axis.columns - 1,
            emlat_ms_text(text, sample->lower));
    if (sample->has_upper && sample->upper > sample->lower)
        fprintf(to, "%-20s %9s  (before the axis: when in that time the input came is not known)\n",
                "arrival", emlat_ms_text(text, sample->upper - sample->lower));
    uint64_t at = sample->t_begin;
    for (int part = 0; part < EMLAT_PART_OTHER; part++) {
        uint64_t begin, end;
        if (!sample->part[part] ||
            !emlat_sample_stretch(&of->record, sample, (enum emlat_part)part, &begin, &end))
            continue;
        print_row(to, &axis, emlat_part_name((enum emlat_part)part), 0, sample->part[part], begin,
                  end);
        print_spans(to, &axis, reader, of, begin > at ? begin : at, end);
        at = end > at ? end : at;
    }
    if (sample->part[EMLAT_PART_OTHER])
        print_row(to, &axis, "other", 0, sample->part[EMLAT_PART_OTHER], 0, 0);
    print_total(to, of, style);
    print_work(to, reader, of);
    fputc('\n', to);
}

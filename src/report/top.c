/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See top.h.  */
#include "top.h"

#include <emlat/errors.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 512, BINS = 16, KINDS = 256 };

/* A screen that is being written.  */
struct screen {
    FILE *to;
    const struct emlat_style *style;
    unsigned left; /* lines */
};

/* Put TEXT, cut to the width; what could steer a terminal becomes "?".  */
static void put_cut(const struct screen *screen, const char *text)
{
    unsigned column = 0;
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        bool begins = (c & 0xc0) != 0x80;
        if (begins && column++ == screen->style->width)
            return;
        fputc(c < 0x20 || c == 0x7f ? '?' : c, screen->to);
    }
}

__attribute__((format(printf, 3, 4))) static void line(struct screen *screen, enum emlat_mark mark,
                                                       const char *format, ...)
{
    char text[LINE];
    va_list arguments;
    if (!screen->left)
        return;
    screen->left--;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (mark != EMLAT_MARK_END)
        fputs(emlat_mark(screen->style, mark), screen->to);
    put_cut(screen, text);
    if (mark != EMLAT_MARK_END)
        fputs(emlat_mark(screen->style, EMLAT_MARK_END), screen->to);
    fputc('\n', screen->to);
}

/* ---- Populations ------------------------------------------------------------------------------
 */

/* "p99 1.92..1.95", or how many it would take.  */
static void put_rank(char text[64], const struct emlat_distribution *lower,
                     const struct emlat_distribution *upper, unsigned permille)
{
    char least[EMLAT_FIGURE], most[EMLAT_FIGURE];
    int name = permille % 10 ? (int)permille : (int)permille / 10;
    if (!lower->count || !emlat_distribution_supports(lower->count, permille)) {
        if (permille <= 500)
            snprintf(text, 64, "p%d n<1", name);
        else
            snprintf(text, 64, "p%d n<%u%s", name, permille < 990 ? 10000 / (1000 - permille) : 1,
                     permille < 990 ? "" : "k");
        return;
    }
    emlat_ms_text(least, emlat_distribution_rank(lower, permille));
    if (!upper->count) {
        snprintf(text, 64, "p%d %s..?", name, least);
        return;
    }
    emlat_ms_text(most, emlat_distribution_rank(upper, permille));
    if (strcmp(least, most) == 0)
        snprintf(text, 64, "p%d %s", name, least);
    else
        snprintf(text, 64, "p%d %s..%s", name, least, most);
}

/* A column for each doubling from 16 µs on.  */
static void put_histogram(char text[BINS * 4], const struct emlat_style *style,
                          const struct emlat_distribution *of)
{
    uint64_t bins[BINS] = {0}, most = 1;
    *text = '\0';
    for (size_t i = 0; i < of->count; i++) {
        unsigned bin = 0;
        while (bin < BINS - 1 && of->values[i] >> bin >= 16000)
            bin++;
        if (++bins[bin] > most)
            most = bins[bin];
    }
    for (unsigned i = 0; i < BINS; i++)
        strcat(text, emlat_block(style, (unsigned)((8 * bins[i] + most - 1) / most), true));
}

/* Each population's figures; *FLUSHED and *SUPERSEDED get the counts.  */
static int put_populations(struct screen *screen, const struct emlat_recent *recent)
{
    static const struct {
        enum emlat_population population;
        const char *name;
    } rows[] = {{EMLAT_FLUSHED, "FLUSHED"},
                {EMLAT_NO_OUTPUT, "NO OUTPUT"},
                {EMLAT_SUPERSEDED, "SUPERSEDED"}};
    size_t all = 0;
    for (size_t i = 0; i < recent->count; i++)
        all += emlat_recent_at(recent, i)->derived;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct emlat_distribution lower, upper;
        size_t number;
        char p50[64], p90[64], p99[64], most[EMLAT_FIGURE], share[32] = "", bars[BINS * 4];
        int error = emlat_recent_distribution(recent, rows[i].population, &lower, &upper, &number);
        if (!error) {
            put_rank(p50, &lower, &upper, 500);
            put_rank(p90, &lower, &upper, 900);
            put_rank(p99, &lower, &upper, 990);
            put_histogram(bars, screen->style, &lower);
            if (rows[i].population == EMLAT_SUPERSEDED && all)
                snprintf(share, sizeof share, " (%.1f %%)", 100.0 * (double)number / (double)all);
            line(screen, EMLAT_MARK_END, "%-10s n %zu%s  %s  %s  %s  max %s  %s", rows[i].name,
                 number, share, p50, p90, p99,
                 lower.count ? emlat_ms_text(most, lower.values[lower.count - 1])
                             : emlat_absent(screen->style),
                 bars);
        }
        emlat_distribution_free(&lower);
        emlat_distribution_free(&upper);
        if (error)
            return error;
    }
    return 0;
}

static const char *kind_name(const struct emlat_reader *reader, uint64_t kind)
{
    const struct emlat_word_value *word = emlat_reader_word(reader, EMLAT_CLASS_ROOT, kind);
    return word ? word->name : "root without a name";
}

/* Roots that no population has: how many, and the longest.  */
static void put_others(struct screen *screen, const struct emlat_top *top)
{
    struct {
        size_t count;
        uint64_t longest;
    } kinds[KINDS] = {{0}};
    char text[LINE] = "", longest[EMLAT_FIGURE];
    size_t length = 0;
    for (size_t i = 0; i < top->recent->count; i++) {
        const struct emlat_recent_entry *entry = emlat_recent_at(top->recent, i);
        if (entry->derived || entry->sample.kind >= KINDS)
            continue;
        kinds[entry->sample.kind].count++;
        if (entry->has_work && entry->work_ns > kinds[entry->sample.kind].longest)
            kinds[entry->sample.kind].longest = entry->work_ns;
    }
    for (uint64_t kind = 0; kind < KINDS && length < LINE; kind++)
        if (kinds[kind].count)
            length +=
                (size_t)snprintf(text + length, LINE - length, "%s%s n %zu max %s",
                                 length ? "   " : "", kind_name(top->reader, kind),
                                 kinds[kind].count, emlat_ms_text(longest, kinds[kind].longest));
    line(screen, EMLAT_MARK_END, "OTHERS     %s", length ? text : emlat_absent(screen->style));
}

/* ---- Rows -------------------------------------------------------------------------------------
 */

static uint64_t duration(const struct emlat_recent_entry *entry)
{
    bool timed = entry->derived && entry->sample.population != EMLAT_NO_INPUT &&
                 entry->sample.population != EMLAT_UNFINISHED;
    return timed ? entry->sample.lower : entry->has_work ? entry->work_ns : 0;
}

static int compare_durations(const void *a, const void *b)
{
    uint64_t x = duration(*(const struct emlat_recent_entry *const *)a);
    uint64_t y = duration(*(const struct emlat_recent_entry *const *)b);
    return (x < y) - (x > y);
}

/* Columns of the rows: id, kind, population, latency, longest part, CPU; they fit 80 columns.  */
#define ROW_FORMAT "%7" PRIu64 " %-*.*s %-10s %15s  %-21s %8s"

/* What is left of the width goes to the kind's name.  */
static int kind_width(const struct screen *screen)
{
    return screen->style->width < 80    ? 12
           : screen->style->width > 100 ? 32
                                        : (int)screen->style->width - 68;
}

static void put_row(struct screen *screen, const struct emlat_top *top,
                    const struct emlat_recent_entry *entry)
{
    const struct emlat_sample *sample = &entry->sample;
    const char *absent = emlat_absent(screen->style);
    char latency[64], least[EMLAT_FIGURE], most[EMLAT_FIGURE], part[64], cpu[EMLAT_FIGURE];
    unsigned longest = 0;
    emlat_ms_text(least, duration(entry));
    snprintf(latency, sizeof latency, "%s", duration(entry) ? least : absent);
    snprintf(part, sizeof part, "%s", absent);
    if (entry->derived && duration(entry)) {
        if (!sample->has_upper)
            snprintf(latency, sizeof latency, "%s..?", least);
        else if (sample->upper != sample->lower)
            snprintf(latency, sizeof latency, "%s..%s", least, emlat_ms_text(most, sample->upper));
        for (unsigned i = 1; i < EMLAT_PARTS; i++)
            longest = sample->part[i] > sample->part[longest] ? i : longest;
        snprintf(part, sizeof part, "%s %s", emlat_part_name((enum emlat_part)longest),
                 emlat_ms_text(most, sample->part[longest]));
    }
    line(screen, EMLAT_MARK_END, ROW_FORMAT, sample->cause, kind_width(screen), kind_width(screen),
         kind_name(top->reader, sample->kind),
         entry->derived ? emlat_population_name(sample->population) : "other", latency, part,
         sample->has_cpu ? emlat_ms_text(cpu, sample->cpu_ns) : absent);
}

static int put_rows(struct screen *screen, const struct emlat_top *top)
{
    size_t count = top->recent->count;
    const struct emlat_recent_entry **entries = calloc(count + 1, sizeof *entries);
    if (!entries)
        return EMLAT_ENOMEM;
    for (size_t i = 0; i < count; i++)
        entries[i] = emlat_recent_at(top->recent, count - 1 - i);
    if (!top->by_time)
        qsort(entries, count, sizeof *entries, compare_durations);
    line(screen, EMLAT_MARK_DIM, "%7s %-*s %-10s %15s  %-21s %8s", "id", kind_width(screen), "kind",
         "population", "latency ms", "longest part", "CPU ms");
    for (size_t i = 0; i < count && screen->left; i++)
        put_row(screen, top, entries[i]);
    free(entries);
    return 0;
}

static void put_help(struct screen *screen)
{
    static const char *const text[] = {
        "q  quit                      p  pause: look at this screen in peace, go on with p again",
        "s  slowest or newest first   ?  this, and away again",
        "Figures are of the last seconds of the recording, which this program only reads: what the",
        "recorded program has not written yet is not here, and the first line says how old that "
        "is.",
        "1.92..1.95: between these, as far as the arrival of the input is known.  n<100: a "
        "percentile",
        "that needs as many.  A population is never mixed with another.",
        "emlat waterfall FILE --cause ID shows where the time of one went.",
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        line(screen, EMLAT_MARK_END, "%s", text[i]);
}

/* ---- The screen -------------------------------------------------------------------------------
 */

static void put_number(char text[32], const struct emlat_top *top, const char *name,
                       const struct emlat_style *style)
{
    const struct emlat_attribute_value *value = emlat_reader_attribute(top->reader, name);
    if (value && !value->is_text)
        snprintf(text, 32, "%" PRIu64, value->number);
    else
        snprintf(text, 32, "%s", emlat_absent(style));
}

int emlat_top_text(FILE *to, const struct emlat_top *top, const struct emlat_style *style)
{
    static const char *const states[] = {"live", "PAUSED", "ENDED"};
    struct screen screen = {to, style, top->rows};
    const struct emlat_recent *recent = top->recent;
    const char *slash = strrchr(top->path, '/');
    char ring[32], span[48];
    uint64_t from = recent->t_last > recent->window_ns ? recent->t_last - recent->window_ns : 0;
    if (recent->cut_before > from)
        snprintf(span, sizeof span, "last %.1f s (no memory for more)",
                 (double)(recent->t_last - recent->cut_before) / 1e9);
    else
        snprintf(span, sizeof span, "last %" PRIu64 " s", recent->window_ns / 1000000000u);
    line(&screen, top->state == EMLAT_TOP_LIVE ? EMLAT_MARK_END : EMLAT_MARK_DOUBT,
         "%s (%s)  data %.1f s old  %s  q quit p pause s sort ? help",
         slash ? slash + 1 : top->path, states[top->state], (double)top->age_ns / 1e9, span);
    put_number(ring, top, "ring_high_water", style);
    line(&screen, recent->lost ? EMLAT_MARK_BAD : EMLAT_MARK_END,
         "lost %" PRIu64 " records  ring peak %s bytes  file %" PRIu64 " bytes  sorted by %s",
         recent->lost, ring, emlat_reader_counts(top->reader)->bytes,
         top->by_time ? "time" : "latency");
    int error = put_populations(&screen, recent);
    if (error)
        return error;
    put_others(&screen, top);
    line(&screen, EMLAT_MARK_END, "%s", "");
    if (top->help) {
        put_help(&screen);
        return 0;
    }
    return put_rows(&screen, top);
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The report for a person at a terminal.

   Loss stands above the figures that it spoils.  A percentile that too few values support is not
   printed but says how many it lacks; a bound that is not known is absent.  Populations stand
   apart, each with its own clock: input to flush, or dispatch to done.  */
#include "report.h"

#include <inttypes.h>
#include <string.h>

static const unsigned permilles[] = {500, 900, 950, 990, 999};
static const char *const permille_names[] = {"p50", "p90", "p95", "p99", "p99.9"};
enum { PERMILLES = sizeof permilles / sizeof *permilles };

static const char *text_attribute(const struct emlat_report *report, const char *name)
{
    const struct emlat_attribute_value *is = emlat_reader_attribute(report->reader, name);
    return is && is->is_text ? is->text : NULL;
}

static void print_head(FILE *to, const struct emlat_report *report, const struct emlat_style *style)
{
    const struct emlat_file_info *file = emlat_reader_file(report->reader);
    struct emlat_overhead overhead = emlat_overhead_of(report->reader);
    const struct emlat_attribute_value *read =
        emlat_reader_attribute(report->reader, "clock_read_ps");
    const char *host = text_attribute(report, "host"), *absent = emlat_absent(style);
    const char *version = text_attribute(report, "emacs_version");
    const char *tty = text_attribute(report, "tty_type");
    fprintf(to, "%s  session %02x%02x%02x", report->path, file->uuid[0], file->uuid[1],
            file->uuid[2]);
    if (overhead.has_elapsed)
        fprintf(to, "  %.1f s", (double)overhead.elapsed_ns / 1e9);
    fprintf(to, "  %s %s  TERM %s\n", host ? host : absent, version ? version : "",
            tty && *tty ? tty : absent);
    fprintf(to, "clock %s",
            text_attribute(report, "clock") ? text_attribute(report, "clock") : absent);
    if (read && !read->is_text)
        fprintf(to, ", read %.0f ns", (double)read->number / 1000);
    fputs("   own cost: ", to);
    if (overhead.has_writer && overhead.has_elapsed)
        fprintf(to, "writer %.2f %% CPU, ",
                100 * (double)overhead.writer_cpu_ns / (double)overhead.elapsed_ns);
    else
        fprintf(to, "writer %s, ", absent);
    if (overhead.has_clock && report->summary->commands)
        fprintf(to, "clock reads %.1f us a command\n",
                (double)overhead.clock_ns / 1000 / (double)report->summary->commands);
    else
        fprintf(to, "clock reads %s (no closing totals: still recording, or a crash)\n", absent);
}

static void print_loss(FILE *to, const struct emlat_report *report)
{
    const struct emlat_loss *loss = &report->summary->loss;
    uint64_t begin = emlat_reader_file(report->reader)->monotonic_ns;
    const struct emlat_reader_counts *counts = emlat_reader_counts(report->reader);
    if (loss->entries)
        fprintf(to,
                "LOSS  %" PRIu64 " records, %" PRIu64
                " bytes, between %.3f s and %.3f s: the figures "
                "below lack them\n",
                loss->records, loss->bytes, (double)(loss->t_first - begin) / 1e9,
                (double)(loss->t_last - begin) / 1e9);
    else
        fputs("loss none\n", to);
    if (counts->skipped_chunks)
        fprintf(to, "SKIPPED  %" PRIu64 " chunks, %" PRIu64 " bytes, of a newer or unknown kind\n",
                counts->skipped_chunks, counts->skipped_bytes);
    if (counts->sequence_gaps)
        fprintf(to, "MISSING  %" PRIu64 " chunks by their numbers\n", counts->sequence_gaps);
    if (!report->whole)
        fputs("DAMAGED  the file is good up to the place that stderr names\n", to);
}

/* Output that the program gave up on: the screen lacks it, and no figure shows it.  */
static void print_failed_flushes(FILE *to, const struct emlat_summary *summary)
{
    if (summary->flushes_failed)
        fprintf(to,
                "FAILED FLUSHES  %" PRIu64 ", %" PRIu64
                " bytes: the terminal took them too slowly, and they never reached it\n",
                summary->flushes_failed, summary->flush_bytes_lost);
}

/* Work that no key asked for.  */
static void print_others(FILE *to, const struct emlat_report *report)
{
    char a[EMLAT_FIGURE];
    if (!report->summary->others)
        return;
    fprintf(to, "\nOther work            dispatch to done%20s %8s %9s\n", "n", "max, ms", "total");
    for (unsigned kind = 0; kind < EMLAT_KINDS_END; kind++) {
        const struct emlat_kind_summary *of = &report->summary->other[kind];
        const struct emlat_word_value *word =
            emlat_reader_word(report->reader, EMLAT_CLASS_ROOT, kind);
        if (of->count)
            fprintf(to, "  %-44s %10" PRIu64 " %8s %7.2f s\n", word ? word->name : "unnamed",
                    of->count, emlat_ms_text(a, of->max_ns), (double)of->total_ns / 1e9);
    }
}

static void print_row(FILE *to, const char *name, const struct emlat_distribution *of,
                      const struct emlat_style *style)
{
    char text[EMLAT_FIGURE];
    fprintf(to, "  %-6s", name);
    if (!of->count) {
        fprintf(to, " %8s\n", emlat_absent(style));
        return;
    }
    fprintf(to, " %8s", emlat_ms_text(text, of->values[0]));
    for (int i = 0; i < PERMILLES; i++) {
        if (emlat_distribution_supports(of->count, permilles[i]))
            fprintf(to, " %8s", emlat_ms_text(text, emlat_distribution_rank(of, permilles[i])));
        else
            fprintf(to, " %8s",
                    permilles[i] == 900   ? "n<100"
                    : permilles[i] == 950 ? "n<200"
                    : permilles[i] == 990 ? "n<1k"
                                          : "n<10k");
    }
    fprintf(to, " %8s", emlat_ms_text(text, of->values[of->count - 1]));
    fprintf(to, " %8s", emlat_ms_text(text, of->total / of->count));
    fprintf(to, " %7.2f s\n", (double)of->total / 1e9);
}

static void print_histogram(FILE *to, const struct emlat_population_summary *of,
                            const struct emlat_style *style)
{
    int first = 0, last = EMLAT_HISTOGRAM_BINS - 1;
    uint64_t most = 0;
    while (first < last && !of->histogram[first])
        first++;
    while (last > first && !of->histogram[last])
        last--;
    for (int i = first; i <= last; i++)
        if (of->histogram[i] > most)
            most = of->histogram[i];
    fprintf(to, "  %.3g ms ", first ? 0.016 * (double)(1 << (first - 1)) : 0.0);
    for (int i = first; i <= last; i++)
        fputs(emlat_block(style, of->histogram[i] ? 1 + (unsigned)(of->histogram[i] * 7 / most) : 0,
                          true),
              to);
    fprintf(to, " %.4g ms, a column doubles the one before\n", 0.016 * (double)(1 << last));
}

static void print_population(FILE *to, const struct emlat_report *report,
                             enum emlat_population population, const char *title,
                             const struct emlat_style *style)
{
    const struct emlat_population_summary *of = &report->summary->population[population];
    char a[EMLAT_FIGURE], b[EMLAT_FIGURE];
    fprintf(to, "\n%-60s n %" PRIu64 "\n", title, of->count);
    if (!of->count)
        return;
    fprintf(to, "  %-6s %8s", "", "min");
    for (int i = 0; i < PERMILLES; i++)
        fprintf(to, " %8s", permille_names[i]);
    fprintf(to, " %8s %8s %9s\n", "max", "mean", "total");
    if (population != EMLAT_FLUSHED) {
        print_row(to, "", &of->lower, style);
        return;
    }
    print_row(to, "lower", &of->lower, style);
    print_row(to, "upper", &of->upper, style);
    if (of->upper.count < of->lower.count)
        fprintf(to, "  (%zu have no upper bound: their earliest arrival is unknown)\n",
                of->lower.count - of->upper.count);
    if (of->width.count)
        fprintf(to, "  arrival width p50 %s  max %s",
                emlat_ms_text(a, emlat_distribution_rank(&of->width, 500)),
                emlat_ms_text(b, of->width.values[of->width.count - 1]));
    fputs("   seen by", to);
    for (unsigned i = 1; i < EMLAT_QUALITIES_END; i++)
        if (report->summary->quality[i])
            fprintf(to, " %s %.0f %%", emlat_type_word(EMLAT_TYPE_QUALITY, i),
                    100 * (double)report->summary->quality[i] / (double)of->count);
    fputc('\n', to);
    print_histogram(to, of, style);
}

static void print_tail(FILE *to, const struct emlat_report *report, const struct emlat_style *style)
{
    const struct emlat_tail *tail = &report->summary->tail;
    char text[EMLAT_FIGURE];
    if (!tail->permille || !tail->total) {
        fputs("  too few flushed commands to speak of a tail\n", to);
        return;
    }
    fprintf(to, "  from p%u (%s ms) up, by part:", tail->permille / 10,
            emlat_ms_text(text, tail->threshold));
    enum emlat_part largest = EMLAT_PART_WAIT;
    for (int part = 0; part < EMLAT_PARTS; part++) {
        fprintf(to, "%s %s %.0f %%", part == 4 ? "\n   " : "",
                emlat_part_name((enum emlat_part)part),
                100 * (double)tail->part[part] / (double)tail->total);
        if (tail->part[part] > tail->part[largest])
            largest = (enum emlat_part)part;
    }
    fprintf(to, "\n    inside these: GC ");
    if (tail->has_gc)
        fprintf(to, "%.0f %%", 100 * (double)tail->gc_ns / (double)tail->total);
    else
        fputs(emlat_absent(style), to);
    fprintf(to, "\n  the largest part there is %s; see them: emlat waterfall %s --tail -n 5\n",
            emlat_part_name(largest), report->path);
}

static void print_rest(FILE *to, const struct emlat_report *report)
{
    const struct emlat_summary *summary = report->summary;
    char a[EMLAT_FIGURE], b[EMLAT_FIGURE];
    const struct emlat_schema *schema = &emlat_schemas[EMLAT_INTERACTION];
    fprintf(to,
            "\nin no table: %" PRIu64 " open at the end, %" PRIu64
            " without physical input, %" PRIu64 " with contradictory times\n",
            summary->population[EMLAT_UNFINISHED].count, summary->population[EMLAT_NO_INPUT].count,
            summary->contradictory);
    if (summary->dwell.count)
        fprintf(
            to,
            "prefix dwell (the person's wait inside a key sequence, in no latency): n %zu, p50 %s, "
            "max %s ms\n",
            summary->dwell.count, emlat_ms_text(a, emlat_distribution_rank(&summary->dwell, 500)),
            emlat_ms_text(b, summary->dwell.values[summary->dwell.count - 1]));
    for (int i = 0; i < EMLAT_METRICS; i++)
        if (summary->negative[i])
            fprintf(to, "NEGATIVE  %s of %" PRIu64 " commands, left out\n",
                    emlat_metric_name((enum emlat_metric)i), summary->negative[i]);
    fputs("boundaries that no command had:", to);
    bool any = false;
    for (unsigned i = 0; summary->commands && i < schema->fields_count; i++) {
        if (schema->fields[i].type != EMLAT_TYPE_TIME || summary->seen_fields >> i & 1)
            continue;
        fprintf(to, " %s", schema->fields[i].name);
        any = true;
    }
    fputs(any ? "\n" : " none\n", to);
}

void emlat_report_text(FILE *to, const struct emlat_report *report, const struct emlat_style *style)
{
    const struct emlat_summary *summary = report->summary;
    char title[80];
    uint64_t superseded = summary->population[EMLAT_SUPERSEDED].count;
    print_head(to, report, style);
    print_loss(to, report);
    print_failed_flushes(to, summary);
    snprintf(title, sizeof title,
             "Commands, FLUSHED     input %s flush, ms   (superseded: %.1f %%)",
             style->ascii ? "->" : "\u2192",
             summary->commands ? 100 * (double)superseded / (double)summary->commands : 0.0);
    print_population(to, report, EMLAT_FLUSHED, title, style);
    print_tail(to, report, style);
    print_population(to, report, EMLAT_NO_OUTPUT,
                     "Commands, NO OUTPUT   dispatch to done, ms (nothing to flush)", style);
    print_population(to, report, EMLAT_SUPERSEDED,
                     "Commands, SUPERSEDED  dispatch to work end, ms (display skipped)", style);
    print_population(to, report, EMLAT_WAITED,
                     "Commands, WAITED      dispatch to work end, ms, without your waits", style);
    if (summary->person.count)
        fprintf(to,
                "  your waits in them (minibuffer, recursive edit, read-char, sit-for): %.2f s\n",
                (double)summary->person.total / 1e9);
    print_others(to, report);
    print_rest(to, report);
}

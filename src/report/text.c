/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The report for a person at a terminal.

   The verdict comes first, then its grounds, then the figures; loss stands above all that it
   spoils.  A percentile beyond which fewer than ten values lie is marked with ~, and p99.9 is not
   printed then; a bound that is not known is absent.  Populations stand apart, each with its own
   clock: input to flush, or dispatch to done.  */
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

static void print_text(FILE *to, const char *before, const char *text)
{
    fputs(before, to);
    emlat_print_safe(to, text, strlen(text));
}

/* What one may say of a session to anyone.  */
static void print_facts(FILE *to, const struct emlat_report *report)
{
    static const char *const names[] = {"recorder_version",
                                        "emacs_version",
                                        "emacs_revision",
                                        "emacs_configuration",
                                        "emacs_features",
                                        "emacs_options",
                                        "emacs_optimized",
                                        "emacs_checking",
                                        "gc_cons_threshold",
                                        "gc_cons_permille",
                                        "daemon",
                                        "os",
                                        "machine",
                                        "cpu",
                                        "cpus",
                                        "tty_type",
                                        "tty_capabilities",
                                        "tty_columns",
                                        "tty_rows",
                                        "tty_baud",
                                        "tty_device",
                                        "tty_input_coding",
                                        "tty_output_coding",
                                        "ssh"};
    fputs(
        "This text holds versions and settings of Emacs and of the system, the type and size of\n"
        "the terminal, counts, and times.  It holds no key, no text, no name of a file, command,\n"
        "process, host, user or device, and not when it was recorded.\n\n",
        to);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct emlat_attribute_value *is = emlat_reader_attribute(report->reader, names[i]);
        if (!is)
            continue;
        fprintf(to, "%-20s ", is->name);
        if (is->is_text)
            emlat_print_safe(to, is->text, strlen(is->text));
        else
            fprintf(to, "%" PRIu64, is->number);
        fputc('\n', to);
    }
    fputc('\n', to);
}

static void print_session(FILE *to, const struct emlat_report *report)
{
    const struct emlat_file_info *file = emlat_reader_file(report->reader);
    fprintf(to, "%s  session %02x%02x%02x", report->path, file->uuid[0], file->uuid[1],
            file->uuid[2]);
}

static void print_head(FILE *to, const struct emlat_report *report, const struct emlat_style *style)
{
    struct emlat_overhead overhead = emlat_overhead_of(report->reader);
    const struct emlat_attribute_value *read =
        emlat_reader_attribute(report->reader, "clock_read_ps");
    const char *host = text_attribute(report, "host"), *absent = emlat_absent(style);
    const char *version = text_attribute(report, "emacs_version");
    const char *tty = text_attribute(report, "tty_type"), *clock = text_attribute(report, "clock");
    if (report->share)
        print_facts(to, report);
    else
        print_session(to, report);
    if (overhead.has_elapsed)
        fprintf(to, "  %.1f s", (double)overhead.elapsed_ns / 1e9);
    print_text(to, "  ", host ? host : absent);
    print_text(to, " ", version ? version : "");
    print_text(to, "  TERM ", tty && *tty ? tty : absent);
    print_text(to, "\nclock ", clock ? clock : absent);
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

/* A percentile in ten columns, or the sign for absent.  */
static void print_figure(FILE *to, const struct emlat_distribution *of, unsigned permille,
                         const struct emlat_style *style)
{
    char figure[EMLAT_FIGURE];
    if (of->count)
        fprintf(to, " %9s", emlat_ms_text(figure, emlat_distribution_rank(of, permille)));
    else
        fprintf(to, "%9s%s", "", emlat_absent(style));
}

/* By command, where names were recorded: those first that kept the host at work longest.  */
static void print_named(FILE *to, const struct emlat_report *report,
                        const struct emlat_style *style)
{
    enum { SHOWN = 12 };
    const struct emlat_summary *summary = report->summary;
    char figure[EMLAT_FIGURE];
    if (!summary->named_count)
        return;
    fprintf(to, "\n%-27s %7s %29s %11s\n%-27s %7s %9s %9s %9s %11s\n", "By command", "",
            "input to flush, ms", "work, ms", "", "n", "p50", "p95", "max", "total");
    for (size_t i = 0; i < summary->named_count && i < SHOWN; i++) {
        const struct emlat_named *named = &summary->named[i];
        fputs("  ", to);
        emlat_print_column(to, emlat_reader_string(report->reader, named->name), 25);
        fprintf(to, " %7" PRIu64, named->count);
        print_figure(to, &named->latency, 500, style);
        print_figure(to, &named->latency, 950, style);
        print_figure(to, &named->latency, 1000, style);
        fprintf(to, " %11s\n", emlat_ms_text(figure, named->work.total));
    }
    if (summary->named_count > SHOWN)
        fprintf(to, "  and %zu more: --json has all\n", summary->named_count - SHOWN);
}

/* Work that no key asked for.  */
static void print_others(FILE *to, const struct emlat_report *report,
                         const struct emlat_style *style)
{
    char a[EMLAT_FIGURE], share[24];
    if (!report->summary->others)
        return;
    uint64_t elapsed = report->summary->t_last - report->summary->t_first;
    fprintf(to, "\nOther work            dispatch to done%20s %8s %9s  of the time\n", "n",
            "max, ms", "total");
    for (unsigned kind = 0; kind < EMLAT_KINDS_END; kind++) {
        const struct emlat_kind_summary *of = &report->summary->other[kind];
        const struct emlat_word_value *word =
            emlat_reader_word(report->reader, EMLAT_CLASS_ROOT, kind);
        if (!of->count)
            continue;
        snprintf(share, sizeof share, "%.1f %%", 100 * (double)of->total_ns / (double)elapsed);
        fprintf(to, "  %-44s %10" PRIu64 " %8s %7.2f s %10s\n", word ? word->name : "unnamed",
                of->count, emlat_ms_text(a, of->max_ns), (double)of->total_ns / 1e9,
                elapsed ? share : emlat_absent(style));
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
        bool supported = emlat_distribution_supports(of->count, permilles[i]);
        if (!supported && permilles[i] == 999)
            fprintf(to, " %8s", "n<10k");
        else
            fprintf(to, " %*s%s", supported ? 8 : 7,
                    emlat_ms_text(text, emlat_distribution_rank(of, permilles[i])),
                    supported ? "" : "~");
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
    fputc('\n', to);
    unsigned column = emlat_print_safe(to, title, strlen(title));
    fprintf(to, "%*s n %" PRIu64 "\n", column < 60 ? (int)(60 - column) : 0, "", of->count);
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

static void print_rest(FILE *to, const struct emlat_report *report)
{
    const struct emlat_summary *summary = report->summary;
    const struct emlat_schema *schema = &emlat_schemas[EMLAT_INTERACTION];
    fprintf(to,
            "\nin no table: %" PRIu64 " open at the end, %" PRIu64
            " without physical input, %" PRIu64 " with contradictory times\n",
            summary->population[EMLAT_UNFINISHED].count, summary->population[EMLAT_NO_INPUT].count,
            summary->contradictory);
    for (int i = 0; i < EMLAT_METRICS; i++)
        if (summary->negative[i])
            fprintf(to, "NEGATIVE  %s of %" PRIu64 " interactions, left out\n",
                    emlat_metric_name((enum emlat_metric)i), summary->negative[i]);
    for (int i = 0; i < EMLAT_METRICS; i++)
        if (summary->inside[i])
            fprintf(to, "%s: %" PRIu64 " had none, display began before their work ended\n",
                    emlat_metric_name((enum emlat_metric)i), summary->inside[i]);
    if (!summary->commands)
        return;
    fputs("boundaries that no command had:", to);
    bool any = false;
    for (unsigned i = 0; i < schema->fields_count; i++) {
        if (schema->fields[i].type != EMLAT_TYPE_TIME || summary->seen_fields >> i & 1)
            continue;
        fprintf(to, " %s", schema->fields[i].name);
        any = true;
    }
    fputs(any ? "\n" : " none\n", to);
}

static void print_verdict(FILE *to, const struct emlat_report *report,
                          const struct emlat_style *style)
{
    const struct emlat_verdict *verdict = &report->summary->verdict;
    static const enum emlat_mark marks[] = {[EMLAT_NO_RESPONSES] = EMLAT_MARK_DIM,
                                            [EMLAT_NOTHING_SLOW] = EMLAT_MARK_GOOD,
                                            [EMLAT_NOT_IN_HOST] = EMLAT_MARK_DOUBT,
                                            [EMLAT_NONE_REPEATS] = EMLAT_MARK_DOUBT,
                                            [EMLAT_ONE_LEADS] = EMLAT_MARK_BAD};
    struct emlat_sentence sentence;
    emlat_verdict_sentence(&sentence, report);
    fputs(emlat_mark(style, marks[verdict->finding]), to);
    emlat_print_wrapped(to, "VERDICT  ", sentence.text, style);
    fputs(emlat_mark(style, EMLAT_MARK_END), to);
    emlat_verdict_next(&sentence, report);
    if (sentence.length)
        emlat_print_wrapped(to, "next     ", sentence.text, style);
    if (verdict->finding != EMLAT_ONE_LEADS && verdict->finding != EMLAT_NONE_REPEATS)
        return;
    snprintf(sentence.text, sizeof sentence.text,
             "%s is the largest in %.0f %% of bootstrap resamples and in %u of %u parts of the "
             "session",
             emlat_component_name(verdict->component), 100 * verdict->resamples_led,
             verdict->slices_led, verdict->slices);
    emlat_print_wrapped(to, "grounds  ", sentence.text, style);
}

enum { TAILS = 3 };

/* A row of shares, unless all of them round to nothing.  */
static void print_shares(FILE *to, const char *name, const struct emlat_tail *const tails[TAILS],
                         const uint64_t of[TAILS])
{
    double most = 0, share[TAILS];
    for (size_t i = 0; i < TAILS; i++) {
        share[i] = tails[i]->total_ns ? 100 * (double)of[i] / (double)tails[i]->total_ns : 0;
        most = share[i] > most ? share[i] : most;
    }
    if (most < 0.5)
        return;
    fprintf(to, "  %-18s", name);
    for (size_t i = 0; i < TAILS; i++)
        fprintf(to, " %7.0f %%", share[i]);
    fputc('\n', to);
}

/* Where the time of typical and of slow answers went.  */
static void print_components(FILE *to, const struct emlat_report *report)
{
    const struct emlat_verdict *verdict = &report->summary->verdict;
    const struct emlat_tail *const columns[TAILS] = {&verdict->typical, &verdict->p95,
                                                     &verdict->p99};
    static const char *const heads[TAILS] = {"typical", "from p95", "from p99"};
    char figure[EMLAT_FIGURE];
    if (!verdict->typical.count)
        return;
    fprintf(to, "\nWhere the time went, from a key's arrival to its output%*s n %zu\n%20s", 5, "",
            report->summary->responses.latency.count, "");
    for (size_t i = 0; i < TAILS; i++)
        fprintf(to, " %9s", heads[i]);
    fprintf(to, "\n  %-18s", "answered in, ms");
    for (size_t i = 0; i < TAILS; i++)
        fprintf(to, " %9s", emlat_ms_text(figure, columns[i]->threshold));
    fputc('\n', to);
    for (int c = 0; c < EMLAT_COMPONENTS; c++) {
        uint64_t of[TAILS], matrices[TAILS], update[TAILS];
        for (size_t i = 0; i < TAILS; i++) {
            of[i] = columns[i]->component[c];
            matrices[i] = columns[i]->matrices_ns;
            update[i] = columns[i]->update_ns;
        }
        print_shares(to, emlat_component_name((enum emlat_component)c), columns, of);
        if (c != EMLAT_REDISPLAY)
            continue;
        print_shares(to, "  desired_matrices", columns, matrices);
        print_shares(to, "  update", columns, update);
    }
}

static void print_blame(FILE *to, const struct emlat_report *report)
{
    const struct emlat_verdict *verdict = &report->summary->verdict;
    const struct emlat_tail *tail = verdict->tail.count ? &verdict->tail : &verdict->p95;
    enum { SHOWN = 5 };
    bool any = false;
    char figure[EMLAT_FIGURE];
    if (verdict->finding == EMLAT_NOTHING_SLOW || !tail->total_ns)
        return;
    for (unsigned i = 0; i < tail->blames && i < SHOWN; i++) {
        const struct emlat_blame *blame = &tail->blame[i];
        double share = 100 * (double)blame->ns / (double)tail->total_ns;
        if (share < 1)
            break;
        if (!any)
            fputs("  held up by, of the time of the slowest answers:\n", to);
        any = true;
        fprintf(to, "    %-18s %-14s %3.0f %%  %8s ms a key\n",
                emlat_root_name(report->reader, blame->kind),
                emlat_component_name(blame->component), share,
                emlat_ms_text(figure, blame->ns / tail->count));
    }
}

static void print_backlog(FILE *to, const struct emlat_report *report)
{
    const struct emlat_backlog *backlog = &report->summary->responses.backlog;
    const struct emlat_distribution *quit = &report->summary->quit;
    const struct emlat_distribution *dwell = &report->summary->dwell;
    char a[EMLAT_FIGURE], b[EMLAT_FIGURE];
    if (backlog->bursts)
        fprintf(to,
                "  bursts: %" PRIu64 "; the one that took longest to drain: %" PRIu64
                " keys, %s ms from its last byte to its last output, %" PRIu64
                " commands after that byte\n",
                backlog->bursts, backlog->keys, emlat_ms_text(a, backlog->drain_ns),
                backlog->commands_after);
    if (backlog->superseded_run > 1)
        fprintf(to, "  longest run of commands that were never displayed: %" PRIu64 "\n",
                backlog->superseded_run);
    if (dwell->count)
        fprintf(
            to,
            "  prefix dwell (the person's own wait inside a key sequence, in no latency): n %zu, "
            "p50 %s, max %s ms\n",
            dwell->count, emlat_ms_text(a, emlat_distribution_rank(dwell, 500)),
            emlat_ms_text(b, dwell->values[dwell->count - 1]));
    if (quit->count)
        fprintf(to, "  quits (C-g to its effect): n %zu, p50 %s, max %s ms\n", quit->count,
                emlat_ms_text(a, emlat_distribution_rank(quit, 500)),
                emlat_ms_text(b, quit->values[quit->count - 1]));
    for (unsigned kind = 0; kind < EMLAT_KINDS_END; kind++)
        if (report->summary->harmless[kind].count)
            fprintf(to, "  slow, but no key waited for it: %s, %" PRIu64 " times, up to %s ms\n",
                    emlat_root_name(report->reader, kind), report->summary->harmless[kind].count,
                    emlat_ms_text(a, report->summary->harmless[kind].max_ns));
}

void emlat_report_text(FILE *to, const struct emlat_report *report, const struct emlat_style *style)
{
    const struct emlat_summary *summary = report->summary;
    char title[96], share[24];
    uint64_t superseded = summary->population[EMLAT_SUPERSEDED].count;
    print_head(to, report, style);
    print_loss(to, report);
    print_failed_flushes(to, summary);
    fputc('\n', to);
    print_verdict(to, report, style);
    print_components(to, report);
    print_blame(to, report);
    print_backlog(to, report);
    if (summary->commands)
        snprintf(share, sizeof share, "%.1f %%",
                 100 * (double)superseded / (double)summary->commands);
    snprintf(title, sizeof title, "Commands, FLUSHED     input %s flush, ms   (superseded: %s)",
             style->ascii ? "->" : "\u2192", summary->commands ? share : emlat_absent(style));
    print_population(to, report, EMLAT_FLUSHED, title, style);
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
    if (!report->share)
        print_named(to, report, style);
    print_others(to, report, style);
    print_rest(to, report);
}

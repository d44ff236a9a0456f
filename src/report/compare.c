/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   A comparison for a person and for a program ("emlat.compare/1", doc/json.md).  The verdict first,
   then what differs beside what was to be measured, then the rows: those of which nothing is known
   or that are 0 on both sides are left out of the text, never of the JSON.  */
#include "json_write.h"
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- Words ------------------------------------------------------------------------------------
 */

static const char *verdict_name(const struct emlat_compare_row *row)
{
    bool time = row->unit == EMLAT_MEASURE_NS;
    switch (row->verdict) {
    case EMLAT_LESS: return time ? "faster" : "less";
    case EMLAT_MORE: return time ? "slower" : "more";
    default: return "no evidence";
    }
}

static double percent(double change, const struct emlat_compare_row *row)
{
    return 100 * change / row->mean[EMLAT_SIDE_A];
}

static void figure(char text[EMLAT_FIGURE], const struct emlat_compare_row *row, double value)
{
    if (row->unit == EMLAT_MEASURE_SHARE)
        snprintf(text, EMLAT_FIGURE, "%.1f %%", 100 * value);
    else
        emlat_ms_text(text, (uint64_t)llround(value));
}

static void verdict_sentence(struct emlat_sentence *to, const struct emlat_comparison *comparison)
{
    const struct emlat_compare_row *lead = emlat_comparison_lead(comparison);
    size_t room = sizeof to->text;
    unsigned more = 0, less = 0;
    int length;
    for (size_t i = 0; i < comparison->rows_count; i++) {
        more += comparison->rows[i].verdict == EMLAT_MORE;
        less += comparison->rows[i].verdict == EMLAT_LESS;
    }
    if (!comparison->comparable)
        length = snprintf(to->text, room,
                          "These cannot be compared: what DIFFERS below does more "
                          "than what was to be measured.");
    else if (!comparison->enough)
        length = snprintf(to->text, room,
                          "Too few runs to tell a change from chance: %d are wanted on each side.",
                          EMLAT_COMPARE_RUNS_LEAST);
    else if (!lead)
        length = snprintf(to->text, room,
                          "No evidence of any change: no row differs by more than the runs of one "
                          "side do among themselves.");
    else if (lead->mean[EMLAT_SIDE_A] > 0)
        length = snprintf(to->text, room, "B is %s: %s%s%s %+.1f %% (%+.3g .. %+.3g %%)%s.",
                          verdict_name(lead), lead->component < 0 ? lead->group : "",
                          lead->component < 0 ? " " : "", lead->name, percent(lead->change, lead),
                          percent(lead->low, lead), percent(lead->high, lead),
                          more && less ? "; other rows went the other way" : "");
    else
        length = snprintf(to->text, room, "B is %s: %s %s, of which A has nothing.",
                          verdict_name(lead), lead->group, lead->name);
    to->length = (size_t)length < room ? (size_t)length : room - 1;
}

/* ---- Text -------------------------------------------------------------------------------------
 */

static void print_sides(FILE *to, const struct emlat_comparison *comparison)
{
    for (int side = 0; side < EMLAT_SIDES; side++)
        fprintf(to, "%c  %zu runs, %" PRIu64 " commands%s", 'A' + side, comparison->runs[side],
                comparison->commands[side], side ? "\n" : "     ");
    for (int side = 0; side < EMLAT_SIDES; side++)
        if (comparison->lost[side])
            fprintf(to, "LOST on side %c: %" PRIu64 " records\n", 'A' + side,
                    comparison->lost[side]);
}

void emlat_compare_differences(FILE *to, const struct emlat_comparison *comparison,
                               const struct emlat_style *style)
{
    for (size_t i = 0; i < comparison->differences_count; i++) {
        const struct emlat_difference *one = &comparison->differences[i];
        fprintf(to, "%sDIFFERS  %-9s %-18s ",
                emlat_mark(style, one->forbids ? EMLAT_MARK_BAD : EMLAT_MARK_DOUBT), one->class,
                one->name);
        for (int side = 0; side < EMLAT_SIDES; side++) {
            const char *value = *one->value[side] ? one->value[side] : emlat_absent(style);
            emlat_print_safe(to, value, strlen(value));
            fputs(side ? "" : " -> ", to);
        }
        fprintf(to, "%s\n", emlat_mark(style, EMLAT_MARK_END));
    }
}

static void print_row(FILE *to, const struct emlat_compare_row *row,
                      const struct emlat_style *style)
{
    static const enum emlat_mark marks[] = {EMLAT_MARK_DIM, EMLAT_MARK_GOOD, EMLAT_MARK_BAD};
    char text[EMLAT_FIGURE], spread[EMLAT_FIGURE];
    fputs("  ", to);
    emlat_print_column(to, row->name, 21);
    for (int side = 0; side < EMLAT_SIDES; side++) {
        figure(text, row, row->mean[side]);
        if (isnan(row->deviation[side]))
            snprintf(spread, sizeof spread, "%s", "?");
        else
            figure(spread, row, row->deviation[side]);
        fprintf(to, " %8s %s%-6s", text, style->ascii ? "+-" : "\u00b1", spread);
    }
    if (row->mean[EMLAT_SIDE_A] > 0)
        fprintf(to, " %+6.1f %%", percent(row->change, row));
    else
        fprintf(to, " %8s", "new");
    if (row->has_interval && row->mean[EMLAT_SIDE_A] > 0)
        fprintf(to, " %+6.1f..%+5.1f", percent(row->low, row), percent(row->high, row));
    if (row->has_interval)
        fprintf(to, "  %s%s%s", emlat_mark(style, marks[row->verdict]), verdict_name(row),
                emlat_mark(style, EMLAT_MARK_END));
    fputc('\n', to);
}

static bool says_something(const struct emlat_compare_row *row)
{
    return row->known && (row->mean[EMLAT_SIDE_A] > 0 || row->mean[EMLAT_SIDE_B] > 0);
}

void emlat_compare_text(FILE *to, const struct emlat_comparison *comparison,
                        const struct emlat_style *style)
{
    struct emlat_sentence sentence;
    const char *group = "";
    verdict_sentence(&sentence, comparison);
    print_sides(to, comparison);
    emlat_compare_differences(to, comparison, style);
    emlat_print_wrapped(to, "VERDICT  ", sentence.text, style);
    fprintf(to, "\n%-23s %-16s %-16s %8s %s\n", "mean of the runs, ms", "       A", "       B",
            "change", comparison->enough && comparison->comparable ? " 95 % sure, %" : "");
    for (size_t i = 0; i < comparison->rows_count; i++) {
        const struct emlat_compare_row *row = &comparison->rows[i];
        if (!says_something(row))
            continue;
        if (strcmp(group, row->group) != 0)
            fprintf(to, "%s\n", row->group);
        group = row->group;
        print_row(to, row, style);
    }
}

/* ---- JSON -------------------------------------------------------------------------------------
 */

static void put_number(struct emlat_json *json, const char *key, bool has, double value)
{
    if (has)
        emlat_json_double(json, key, value);
    else
        emlat_json_null(json, key);
}

static void put_row(struct emlat_json *json, const struct emlat_compare_row *row,
                    const size_t runs[EMLAT_SIDES])
{
    static const char *const means[] = {"a", "b"},
                             *const deviations[] = {"a_deviation", "b_deviation"},
                             *const values[] = {"a_runs", "b_runs"};
    emlat_json_open(json, NULL, '{');
    emlat_json_string(json, "group", row->group);
    emlat_json_string(json, "name", row->name);
    emlat_json_string(json, "unit", row->unit == EMLAT_MEASURE_NS ? "ns" : "share");
    for (int side = 0; side < EMLAT_SIDES; side++) {
        put_number(json, means[side], row->known, row->mean[side]);
        put_number(json, deviations[side], row->known, row->deviation[side]);
    }
    put_number(json, "change", row->known, row->change);
    put_number(json, "change_low", row->has_interval, row->low);
    put_number(json, "change_high", row->has_interval, row->high);
    if (row->has_interval)
        emlat_json_string(json, "verdict", verdict_name(row));
    else
        emlat_json_null(json, "verdict");
    for (int side = 0; side < EMLAT_SIDES; side++) {
        emlat_json_open(json, values[side], '[');
        for (size_t i = 0; i < runs[side]; i++)
            emlat_json_double(json, NULL, row->run[side][i]);
        emlat_json_close(json, ']');
    }
    emlat_json_close(json, '}');
}

void emlat_compare_json(FILE *to, const struct emlat_comparison *comparison)
{
    struct emlat_json json = {.to = to};
    struct emlat_sentence sentence;
    const struct emlat_compare_row *lead = emlat_comparison_lead(comparison);
    bool judged = comparison->comparable && comparison->enough;
    verdict_sentence(&sentence, comparison);
    emlat_json_open(&json, NULL, '{');
    emlat_json_string(&json, "schema", "emlat.compare/1");
    emlat_json_bool(&json, "comparable", comparison->comparable);
    emlat_json_open(&json, "verdict", '{');
    if (judged)
        emlat_json_string(&json, "verdict", lead ? verdict_name(lead) : "no evidence");
    else
        emlat_json_null(&json, "verdict");
    if (lead && lead->component >= 0)
        emlat_json_string(
            &json, "component",
            emlat_component_name(emlat_component_of((enum emlat_component)lead->component)));
    else
        emlat_json_null(&json, "component");
    emlat_json_string(&json, "text", sentence.text);
    emlat_json_close(&json, '}');
    emlat_json_open(&json, "runs", '{');
    emlat_json_u64(&json, "a", comparison->runs[EMLAT_SIDE_A]);
    emlat_json_u64(&json, "b", comparison->runs[EMLAT_SIDE_B]);
    emlat_json_close(&json, '}');
    emlat_json_open(&json, "records_lost", '{');
    emlat_json_u64(&json, "a", comparison->lost[EMLAT_SIDE_A]);
    emlat_json_u64(&json, "b", comparison->lost[EMLAT_SIDE_B]);
    emlat_json_close(&json, '}');
    put_number(&json, "critical_t", judged, comparison->critical);
    emlat_json_open(&json, "differs", '[');
    for (size_t i = 0; i < comparison->differences_count; i++) {
        const struct emlat_difference *one = &comparison->differences[i];
        emlat_json_open(&json, NULL, '{');
        emlat_json_string(&json, "class", one->class);
        emlat_json_string(&json, "name", one->name);
        emlat_json_bool(&json, "forbids", one->forbids);
        emlat_json_string(&json, "a", one->value[EMLAT_SIDE_A]);
        emlat_json_string(&json, "b", one->value[EMLAT_SIDE_B]);
        emlat_json_close(&json, '}');
    }
    emlat_json_close(&json, ']');
    emlat_json_open(&json, "rows", '[');
    for (size_t i = 0; i < comparison->rows_count; i++)
        put_row(&json, &comparison->rows[i], comparison->runs);
    emlat_json_close(&json, ']');
    emlat_json_close(&json, '}');
    emlat_json_line(&json);
}

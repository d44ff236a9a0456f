/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   emlat list: a line an interaction, tab-separated, for scripts.  The columns are those of the
   exports (src/report/columns.h), chosen by name, so that a script goes on working when there are
   more of them. What is absent is an empty field; durations and times are whole nanoseconds.  */
#include "columns.h"
#include "complain.h"
#include "options.h"
#include "progress.h"
#include "verbs.h"

#include <emlat/errors.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char default_fields[] =
    "cause_id,root_kind,population,status,latency_min_ns,latency_max_ns";

struct listing {
    const struct emlat_usage *usage;
    const char *fields, *population;
    uint64_t slower_ns;
    bool headless;
    struct emlat_columns columns;
    const struct emlat_column **chosen;
    size_t chosen_count;
};

/* Tabs and line ends would be taken for ours.  */
static void put_text(const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '\t': fputs("\\t", stdout); break;
        case '\n': fputs("\\n", stdout); break;
        case '\r': fputs("\\r", stdout); break;
        case '\\': fputs("\\\\", stdout); break;
        default: putchar(*text);
        }
    }
}

/* Of the file's columns, those that --fields names, in its order.  The exit code or EMLAT_GO_ON. */
static int choose(struct listing *listing)
{
    const struct emlat_columns *columns = &listing->columns;
    for (const char *at = listing->fields; *at;) {
        struct emlat_nearest nearest = {.wanted = at, .length = strcspn(at, ",")};
        const struct emlat_column *found = NULL;
        for (size_t i = 0; i < columns->count && !found; i++) {
            const char *name = columns->columns[i].name;
            if (strlen(name) == nearest.length && strncmp(name, at, nearest.length) == 0)
                found = &columns->columns[i];
            emlat_nearest_try(&nearest, name);
        }
        if (!found)
            return emlat_options_wrong(listing->usage, "no field '%.*s'%s%s%s", (int)nearest.length,
                                       at, nearest.best ? "; is it '" : "",
                                       nearest.best ? nearest.best : "", nearest.best ? "'?" : "");
        listing->chosen[listing->chosen_count++] = found;
        at += nearest.length + (at[nearest.length] == ',');
    }
    return EMLAT_GO_ON;
}

static void put_header(const struct listing *listing)
{
    for (size_t i = 0; i < listing->chosen_count; i++) {
        fputs(i ? "\t" : "", stdout);
        put_text(listing->chosen[i]->name);
    }
    putchar('\n');
}

/* The columns are known with the first record.  */
static int begin(struct listing *listing, const struct emlat_reader *reader)
{
    size_t most = 1;
    for (const char *at = listing->fields; *at; at++)
        most += *at == ',';
    if (listing->chosen)
        return EMLAT_GO_ON;
    listing->chosen = calloc(most, sizeof *listing->chosen);
    if (!listing->chosen || emlat_columns_make(&listing->columns, reader, EMLAT_INTERACTION))
        return emlat_complain_file("list", NULL);
    int code = choose(listing);
    if (code == EMLAT_GO_ON && !listing->headless)
        put_header(listing);
    return code;
}

static bool is_wanted(const struct listing *listing, const struct emlat_sample *sample)
{
    if (listing->population &&
        !(sample && strcmp(emlat_population_name(sample->population), listing->population) == 0))
        return false;
    return !listing->slower_ns || (sample && sample->lower >= listing->slower_ns);
}

static void put_line(const struct listing *listing, const struct emlat_reader *reader,
                     const struct emlat_record *record)
{
    struct emlat_sample sample;
    const struct emlat_sample *derived =
        emlat_sample_from(reader, record, &sample) ? &sample : NULL;
    char buffer[EMLAT_COLUMN_TEXT];
    const char *text;
    uint64_t number;
    if (!is_wanted(listing, derived))
        return;
    for (size_t i = 0; i < listing->chosen_count; i++) {
        fputs(i ? "\t" : "", stdout);
        if (!emlat_column_value(&listing->columns, listing->chosen[i], reader, record, derived,
                                buffer, &text, &number))
            continue;
        if (text)
            put_text(text);
        else
            printf("%" PRIu64, number);
    }
    putchar('\n');
}

static int list(struct listing *listing, const char *path, struct emlat_reader *reader)
{
    struct emlat_item item;
    int code = EMLAT_GO_ON, error = 0;
    while (code == EMLAT_GO_ON && !ferror(stdout) && !(error = emlat_reader_next(reader, &item)) &&
           item.kind != EMLAT_ITEM_END) {
        if (item.kind == EMLAT_ITEM_CHUNK && item.chunk->skipped)
            emlat_complain_skipped(path, item.chunk);
        if (item.kind != EMLAT_ITEM_RECORD)
            continue;
        code = begin(listing, reader);
        if (code == EMLAT_GO_ON && item.record->type == EMLAT_INTERACTION)
            put_line(listing, reader, item.record);
    }
    if (code == EMLAT_GO_ON)
        code = begin(listing, reader);
    if (error)
        return emlat_complain_file(path, reader);
    return code == EMLAT_GO_ON ? EMLAT_EXIT_OK : code;
}

/* The fields that FILE has, a line each.  */
static int list_fields(const char *path, struct emlat_reader *reader)
{
    struct emlat_columns columns;
    struct emlat_item item;
    int error;
    while (!(error = emlat_reader_next(reader, &item)) && item.kind != EMLAT_ITEM_END)
        if (item.kind == EMLAT_ITEM_RECORD)
            break;
    if (error)
        return emlat_complain_file(path, reader);
    if (emlat_columns_make(&columns, reader, EMLAT_INTERACTION))
        return emlat_complain_file(path, NULL);
    for (size_t i = 0; i < columns.count; i++) {
        put_text(columns.columns[i].name);
        putchar('\n');
    }
    emlat_columns_free(&columns);
    return EMLAT_EXIT_OK;
}

int emlat_verb_list(int argc, char **argv)
{
    struct listing listing = {.fields = default_fields};
    char populations[96];
    const char *path;
    uint64_t slower_us = 0;
    size_t count, length = 0;
    bool names = false;
    for (int i = 0; i < EMLAT_POPULATIONS; i++)
        length += (size_t)snprintf(populations + length, sizeof populations - length, "%s%s",
                                   i ? "|" : "", emlat_population_name((enum emlat_population)i));
    const struct emlat_option options[] = {
        {"fields", 'f', EMLAT_OPTION_TEXT, "NAME,NAME…", &listing.fields,
         "what to print, in that order"},
        {"list-fields", 0, EMLAT_OPTION_FLAG, NULL, &names, "print the names of FILE's fields"},
        {"population", 'p', EMLAT_OPTION_CHOICE, populations, &listing.population, "only of these"},
        {"slower", 0, EMLAT_OPTION_NUMBER, "US", &slower_us,
         "only those that surely took so many microseconds"},
        {"no-header", 0, EMLAT_OPTION_FLAG, NULL, &listing.headless, "no line of names first"},
    };
    const struct emlat_usage usage = {
        .verb = "list",
        .operands = "FILE",
        .summary =
            "Print a line for each interaction in FILE (- is standard input), in its order,\n"
            "fields separated by tabs.",
        .details = "examples\n"
                   "  emlat list work.emlat --population flushed | sort -k5,5nr | head\n"
                   "  emlat list --fields cause_id,counter_gc_ns --slower 50000 work.emlat\n",
        .options = options,
        .options_count = sizeof options / sizeof *options,
        .operands_least = 1,
        .operands_most = 1,
    };
    int code = emlat_options_parse(&usage, argc, argv, &path, 1, &count);
    if (code != EMLAT_GO_ON)
        return code;
    if (!*listing.fields)
        return emlat_options_wrong(&usage, "--fields names none");
    if (slower_us > UINT64_MAX / 1000)
        return emlat_options_wrong(&usage, "--slower takes fewer microseconds");
    listing.usage = &usage;
    listing.slower_ns = slower_us * 1000;
    emlat_progress_stop_where_seen();
    struct emlat_reader *reader;
    if (emlat_reader_open(&reader, path))
        code = emlat_complain_file(path, reader);
    else
        code = names ? list_fields(path, reader) : list(&listing, path, reader);
    emlat_columns_free(&listing.columns);
    free(listing.chosen);
    emlat_reader_close(reader);
    return code;
}

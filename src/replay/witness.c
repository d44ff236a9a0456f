/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   What was seen from outside, and its file.

   DESIGN.  Three arrays that grow, and the open episode as a range of the first.  Output is the
   only one whose length the script does not bound, so it has a limit; past that chunks are counted,
   not kept, and the file says how many.

   The file is printed row by row: a document built in memory first would take many times the memory
   of the arrays.  jansson quotes the strings; a stream keeps its own sticky error, tested at the
   end.  */
#include "witness.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Taking down ----------------------------------------------------------------------------- */

void emlat_witness_init(struct emlat_witness *witness)
{
    *witness = (struct emlat_witness){.exit_status = -1, .exit_signal = -1};
}

void emlat_witness_free(struct emlat_witness *witness)
{
    free(witness->events);
    free(witness->output);
    free(witness->resizes);
    emlat_witness_init(witness);
}

/* Room for one more in ARRAY.  */
static void *grow(struct emlat_witness *witness, void *array, size_t count, size_t *room,
                  size_t size)
{
    if (count < *room)
        return array;
    size_t wanted = *room ? *room * 2 : 256;
    void *grown = reallocarray(array, wanted, size);
    if (!grown) {
        witness->no_memory = true;
        return array;
    }
    *room = wanted;
    return grown;
}

void emlat_witness_write_begin(struct emlat_witness *witness, uint64_t t, uint64_t line,
                               size_t signal_bytes)
{
    witness->events = grow(witness, witness->events, witness->events_count, &witness->events_room,
                           sizeof *witness->events);
    if (witness->no_memory)
        return;
    if (!witness->episode_open) {
        witness->episode_open = true;
        witness->episode_begin = witness->unanswered = witness->events_count;
        witness->episodes++;
    }
    witness->events[witness->events_count++] =
        (struct emlat_witness_event){.line = line,
                                     .offset = witness->bytes_written,
                                     .signal_bytes = signal_bytes,
                                     .episode = witness->episodes - 1,
                                     .t_write_begin = t};
}

void emlat_witness_written(struct emlat_witness *witness, uint64_t t, const void *bytes,
                           size_t size, uint8_t quit_char)
{
    witness->bytes_written += size;
    if (witness->no_memory)
        return;
    struct emlat_witness_event *event = &witness->events[witness->events_count - 1];
    event->bytes += size;
    event->writes++;
    event->t_write_end = t;
    for (size_t i = 0; i < size; i++)
        event->quit_bytes += ((const uint8_t *)bytes)[i] == quit_char;
}

void emlat_witness_output(struct emlat_witness *witness, uint64_t t, size_t size)
{
    witness->output_bytes += size;
    witness->output_chunks++;
    witness->t_last_output = t;
    if (witness->episode_open)
        for (; witness->unanswered < witness->events_count; witness->unanswered++)
            witness->events[witness->unanswered].t_first_output = t;
    else
        witness->output_bytes_outside += size;

    if (witness->output_count == EMLAT_WITNESS_OUTPUT_MAX)
        return;
    witness->output = grow(witness, witness->output, witness->output_count, &witness->output_room,
                           sizeof *witness->output);
    if (!witness->no_memory)
        witness->output[witness->output_count++] =
            (struct emlat_witness_output){.t = t, .bytes = size};
}

void emlat_witness_resized(struct emlat_witness *witness, uint64_t t, unsigned cols, unsigned rows)
{
    witness->resizes = grow(witness, witness->resizes, witness->resizes_count,
                            &witness->resizes_room, sizeof *witness->resizes);
    if (!witness->no_memory)
        witness->resizes[witness->resizes_count++] =
            (struct emlat_witness_resize){.t = t, .cols = cols, .rows = rows};
}

void emlat_witness_settled(struct emlat_witness *witness, uint64_t t)
{
    if (!witness->episode_open)
        return;
    for (size_t i = witness->episode_begin; i < witness->events_count; i++) {
        struct emlat_witness_event *event = &witness->events[i];
        if (event->t_first_output)
            event->t_last_output = witness->t_last_output;
        event->t_settled = t;
    }
    witness->episode_open = false;
}

/* ---- The file -------------------------------------------------------------------------------- */

int emlat_witness_create(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    /* A strange umask must not take the owner's rights.  */
    if (fchmod(fd, 0600) != 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    return fd;
}

/* A number to print; where it is not known it is null.  */
struct number {
    const char *name;
    uint64_t value;
    bool known;
};

static struct number number(const char *name, uint64_t value)
{
    return (struct number){name, value, true};
}

/* Times and line numbers: 0 is "never" and "of no line".  */
static struct number unless_0(const char *name, uint64_t value)
{
    return (struct number){name, value, value != 0};
}

/* Statuses: below 0 is "none".  */
static struct number unless_negative(const char *name, int value)
{
    return (struct number){name, (uint64_t)value, value >= 0};
}

static void print_number(FILE *to, const struct number *row)
{
    if (row->known)
        fprintf(to, "\"%s\":%" PRIu64, row->name, row->value);
    else
        fprintf(to, "\"%s\":null", row->name);
}

static void print_numbers(FILE *to, const struct number *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            fputc(',', to);
        print_number(to, &rows[i]);
    }
}

static void print_string(FILE *to, const char *name, const char *value)
{
    json_t *string = value ? json_string(value) : json_null();
    fprintf(to, "\"%s\":", name);
    /* TERM may be no UTF-8, and memory may be out: the key stays, its value is unknown.  */
    if (!string || json_dumpf(string, to, JSON_ENCODE_ANY) != 0)
        fputs("null", to);
    json_decref(string);
}

static void print_head(const struct emlat_witness *witness,
                       const struct emlat_replay_options *options, FILE *to)
{
    bool raw = options->clock == EMLAT_REPLAY_CLOCK_MONOTONIC_RAW;
    struct number numbers[] = {
        unless_0("failure_line", witness->failure_line),
        number("cols", witness->cols),
        number("rows", witness->rows),
        number("quiet_ns", options->quiet_ns),
        number("quit_char", options->quit_char),
        unless_0("t_start", witness->t_start),
        unless_0("t_end", witness->t_end),
    };
    fprintf(to, "{\"schema\":\"emlat.witness/1\",\n\"complete\":%s,",
            witness->complete ? "true" : "false");
    print_string(to, "failure", witness->failure);
    fputs(",\n", to);
    print_string(to, "clock", raw ? "CLOCK_MONOTONIC_RAW" : "CLOCK_MONOTONIC");
    fputc(',', to);
    print_string(to, "term", options->term);
    fputs(",\n", to);
    print_numbers(to, numbers, sizeof numbers / sizeof *numbers);

    struct number script[] = {
        unless_0("asciicast", witness->script_version),
        {"max_gap_ns", options->max_gap_ns, options->max_gap_ns != UINT64_MAX},
        /* A factor with six decimals; printed by hand because printf's point is the locale's.  */
    };
    uint64_t millionths = (uint64_t)(options->speed * 1e6 + 0.5);
    fputs(",\n\"script\":{", to);
    print_string(to, "sha256", witness->script_sha256[0] ? witness->script_sha256 : NULL);
    fputc(',', to);
    print_numbers(to, script, sizeof script / sizeof *script);
    fprintf(to, ",\"speed\":%" PRIu64 ".%06" PRIu64 "},\n", millionths / 1000000,
            millionths % 1000000);

    struct number program[] = {
        unless_negative("exit_status", witness->exit_status),
        unless_negative("exit_signal", witness->exit_signal),
        unless_0("t_exit", witness->t_exit),
    };
    fputs("\"program\":{", to);
    print_string(to, "ended_by", witness->ended_by);
    fputc(',', to);
    print_numbers(to, program, sizeof program / sizeof *program);
    fputs("},\n", to);
}

static void print_totals(const struct emlat_witness *witness, FILE *to)
{
    uint64_t replies = 0, reply_bytes = 0, quit = 0, signal = 0;
    for (size_t i = 0; i < witness->events_count; i++) {
        const struct emlat_witness_event *event = &witness->events[i];
        replies += event->line == 0;
        reply_bytes += event->line == 0 ? event->bytes : 0;
        quit += event->quit_bytes;
        signal += event->signal_bytes;
    }
    struct number totals[] = {
        number("events", witness->events_count),
        number("replies", replies),
        number("episodes", witness->episodes),
        number("bytes_written", witness->bytes_written),
        number("reply_bytes", reply_bytes),
        number("quit_bytes", quit),
        number("signal_bytes", signal),
        number("unwritten_bytes", witness->unwritten_bytes),
        {"unread_bytes", witness->unread_bytes, witness->unread_known},
        number("reply_bytes_dropped", witness->reply_bytes_dropped),
        number("output_bytes", witness->output_bytes),
        number("output_chunks", witness->output_chunks),
        number("output_chunks_not_kept", witness->output_chunks - witness->output_count),
        number("output_bytes_outside_episodes", witness->output_bytes_outside),
    };
    fputs("\"totals\":{", to);
    print_numbers(to, totals, sizeof totals / sizeof *totals);
    fputs("},\n", to);
}

static void print_event(const struct emlat_witness_event *event, size_t index, FILE *to)
{
    struct number numbers[] = {
        unless_0("line", event->line),
        number("bytes", event->bytes),
        number("offset", event->offset),
        number("writes", event->writes),
        number("quit_bytes", event->quit_bytes),
        number("signal_bytes", event->signal_bytes),
        number("episode", event->episode),
        number("t_write_begin", event->t_write_begin),
        unless_0("t_write_end", event->t_write_end),
        unless_0("t_first_output", event->t_first_output),
        unless_0("t_last_output", event->t_last_output),
        unless_0("t_settled", event->t_settled),
    };
    fprintf(to, "%s\n{\"index\":%zu,\"kind\":\"%s\",", index ? "," : "", index,
            event->line ? "input" : "reply");
    print_numbers(to, numbers, sizeof numbers / sizeof *numbers);
    fputc('}', to);
}

bool emlat_witness_print(const struct emlat_witness *witness,
                         const struct emlat_replay_options *options, FILE *to)
{
    print_head(witness, options, to);
    print_totals(witness, to);

    fputs("\"resizes\":[", to);
    for (size_t i = 0; i < witness->resizes_count; i++)
        fprintf(to, "%s[%" PRIu64 ",%u,%u]", i ? "," : "", witness->resizes[i].t,
                witness->resizes[i].cols, witness->resizes[i].rows);
    fputs("],\n\"events\":[", to);
    for (size_t i = 0; i < witness->events_count; i++)
        print_event(&witness->events[i], i, to);
    fputs("],\n\"output\":[", to);
    for (size_t i = 0; i < witness->output_count; i++)
        fprintf(to, "%s%s[%" PRIu64 ",%" PRIu64 "]", i ? "," : "", i % 8 ? "" : "\n",
                witness->output[i].t, witness->output[i].bytes);
    fputs("]}\n", to);
    return fflush(to) == 0 && !ferror(to);
}

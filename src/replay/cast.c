/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Reading a script.

   DESIGN.  bytes → line → JSON → event, one function each, pulled from the right.  A line is taken
   out of one fixed buffer, so a file without newlines costs no more memory than the longest line
   allowed; what jansson makes of a line is bounded by that too (it limits nesting itself).

   What a version means is decided here: v2 has width and height in its header, absolute times and
   no comments; v3 has term.cols and term.rows, intervals, and lines that begin with '#'.

   A marker whose label begins with "wait:" is an instruction, and one that we do not understand is
   an error: a wait that is silently skipped would turn a script into a race.

   It refuses to repair anything: no guessing at damaged lines, no bytes that are not UTF-8 (the
   asciicast formats have no way to write them).  */
#include "cast.h"

#include "replay.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double time_max = 1e8; /* seconds: three years; keeps every sum inside 64 bits */

/* ---- Numbers that scripts and options share -------------------------------------------------- */

bool emlat_replay_duration(const char *text, size_t size, uint64_t unit_ns, uint64_t *ns)
{
    const uint64_t most = UINT64_C(100) * 86400 * 1000000000;
    uint64_t whole = 0, part = 0, scale = unit_ns;
    bool digits = false, point = false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '.' && !point) {
            point = true;
        } else if (text[i] >= '0' && text[i] <= '9') {
            uint64_t digit = (uint64_t)(text[i] - '0');
            digits = true;
            if (point) {
                scale /= 10;
                part += digit * scale;
            } else if ((whole = whole * 10 + digit) > most / unit_ns) {
                return false;
            }
        } else {
            return false;
        }
    }
    *ns = whole * unit_ns + part;
    return digits;
}

bool emlat_replay_size(const char *text, size_t size, unsigned *cols, unsigned *rows)
{
    unsigned number[2] = {0, 0}, which = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == 'x' && which == 0 && i > 0)
            which = 1;
        else if (text[i] < '0' || text[i] > '9')
            return false;
        else if ((number[which] = number[which] * 10 + (unsigned)(text[i] - '0')) > 1000)
            return false;
    }
    *cols = number[0];
    *rows = number[1];
    return number[0] >= 2 && number[1] >= 2;
}

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Fail at byte AT of the current line.  */
__attribute__((format(printf, 4, 5))) static bool fail(struct emlat_cast *cast, size_t at,
                                                       const char *hint, const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(cast->error.what, sizeof cast->error.what, what, arguments);
    va_end(arguments);
    snprintf(cast->error.hint, sizeof cast->error.hint, "%s", hint);
    cast->error.line = cast->line;
    cast->error.offset = cast->line_offset + at;
    cast->failed = true;
    return false;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Make room and read once.  */
static bool fill(struct emlat_cast *cast)
{
    memmove(cast->buffer, cast->buffer + cast->begin, cast->end - cast->begin);
    cast->end -= cast->begin;
    cast->begin = 0;

    ssize_t got;
    do
        got = read(cast->fd, cast->buffer + cast->end, EMLAT_CAST_LINE_MAX + 1 - cast->end);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return fail(cast, cast->end, "", "cannot be read: %s", strerror(errno));
    emlat_sha256_update(&cast->sha256, cast->buffer + cast->end, (size_t)got);
    cast->at_end = got == 0;
    cast->end += (size_t)got;
    return true;
}

/* The next line, without its newline.  False at the end of the file, or when failed.  */
static bool next_line(struct emlat_cast *cast, const char **text, size_t *size)
{
    size_t searched = 0;
    cast->line++;
    cast->line_offset = cast->next_offset;
    for (;;) {
        size_t have = cast->end - cast->begin;
        char *from = cast->buffer + cast->begin;
        char *newline = memchr(from + searched, '\n', have - searched);
        if (newline || (cast->at_end && have)) {
            *text = from;
            *size = newline ? (size_t)(newline - from) : have;
            size_t used = *size + (newline != NULL);
            cast->begin += used;
            cast->next_offset += used;
            return true;
        }
        if (cast->at_end)
            return false;
        if (have > EMLAT_CAST_LINE_MAX)
            return fail(cast, EMLAT_CAST_LINE_MAX, "split a long paste into several events",
                        "line is longer than %d bytes", EMLAT_CAST_LINE_MAX);
        searched = have;
        if (!fill(cast))
            return false;
    }
}

static bool blank(const char *text, size_t size)
{
    while (size && (*text == ' ' || *text == '\t' || *text == '\r'))
        text++, size--;
    return size == 0;
}

/* The next line that says something, as JSON.  Null at the end, or when failed.  */
static json_t *next_json(struct emlat_cast *cast, const char *expected)
{
    const char *text = NULL;
    size_t size = 0;
    do
        if (!next_line(cast, &text, &size))
            return NULL;
    while (cast->version && (blank(text, size) || (cast->version == 3 && *text == '#')));

    if (size && *text == '#') {
        fail(cast, 0,
             cast->version ? "asciicast v3 has comments; in v2 use a marker, [time, \"m\", \"…\"]"
                           : "put comments below the header",
             "expected %s, found a comment", expected);
        return NULL;
    }
    json_error_t error;
    json_t *value = json_loadb(
        text, size, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES, &error);
    if (!value) {
        /* Every byte of a line is jansson's to see, so its position is ours to add.  What it says
           can quote the line; keep that short.  */
        size_t at = error.position > 0 ? (size_t)error.position : 0;
        fail(cast, at < size ? at : size, "one line holds one JSON value, in UTF-8",
             "expected %s: %.120s", expected, error.text);
    }
    return value;
}

/* ---- Header ---------------------------------------------------------------------------------- */

static bool side(const json_t *object, const char *key, unsigned *value)
{
    double number = json_real_value(json_object_get(object, key));
    if (!(number >= 2 && number <= 1000) || number != floor(number))
        return false;
    *value = (unsigned)number;
    return true;
}

static bool take_header(struct emlat_cast *cast, const json_t *header)
{
    static const char hint[] =
        "a script begins with {\"version\": 2, \"width\": 80, \"height\": 24}"
        " or {\"version\": 3, \"term\": {\"cols\": 80, \"rows\": 24}}";
    if (!json_is_object(header))
        return fail(cast, 0, hint, "expected an asciicast header, a JSON object");
    const json_t *version = json_object_get(header, "version");
    if (!json_is_real(version))
        return fail(cast, 0, hint, "expected a header with a number \"version\"");
    double number = json_real_value(version);
    if (number != 2 && number != 3)
        return fail(cast, 0, "`asciinema convert` makes v2 and v3 files of others",
                    "expected asciicast version 2 or 3, found %g", number);

    const json_t *size = number == 3 ? json_object_get(header, "term") : header;
    const char *names[2] = {number == 3 ? "cols" : "width", number == 3 ? "rows" : "height"};
    if (!side(size, names[0], &cast->cols) || !side(size, names[1], &cast->rows))
        return fail(cast, 0, hint, "expected whole numbers from 2 to 1000 as %s\"%s\" and \"%s\"",
                    number == 3 ? "term's " : "", names[0], names[1]);
    cast->version = (unsigned)number;
    return true;
}

bool emlat_cast_open(struct emlat_cast *cast, int fd)
{
    *cast = (struct emlat_cast){.fd = fd};
    emlat_sha256_init(&cast->sha256);
    cast->buffer = malloc(EMLAT_CAST_LINE_MAX + 1);
    if (!cast->buffer)
        return fail(cast, 0, "", "no memory to read it");

    json_t *header = next_json(cast, "an asciicast header");
    if (!header)
        return cast->failed ? false
                            : fail(cast, 0, "a script has a header line and event lines",
                                   "expected an asciicast header, found an empty file");
    bool taken = take_header(cast, header);
    json_decref(header);
    return taken;
}

void emlat_cast_close(struct emlat_cast *cast)
{
    json_decref(cast->current);
    cast->current = NULL;
    free(cast->buffer);
    cast->buffer = NULL;
    cast->failed = true;
}

bool emlat_cast_sha256(const struct emlat_cast *cast, char hex[65])
{
    if (!cast->at_end)
        return false;
    emlat_sha256_hex(&cast->sha256, hex);
    return true;
}

/* ---- Markers --------------------------------------------------------------------------------- */

static bool starts(const char *text, size_t size, const char *with)
{
    return size >= strlen(with) && memcmp(text, with, strlen(with)) == 0;
}

/* wait:KIND[ ARGUMENT][ @SECONDS] */
static bool take_wait(struct emlat_cast *cast, struct emlat_cast_event *event)
{
    static const struct {
        const char *name;
        enum emlat_wait_kind kind;
    } kinds[] = {{"wait:quiet", EMLAT_WAIT_QUIET},
                 {"wait:text", EMLAT_WAIT_TEXT},
                 {"wait:gone", EMLAT_WAIT_GONE},
                 {"wait:exit", EMLAT_WAIT_EXIT}};
    static const char hint[] = "wait:quiet MS, wait:text STRING, wait:gone STRING or wait:exit, "
                               "each with @SECONDS after it if it shall not wait for ever";
    const char *text = event->text;
    size_t size = event->size;

    event->kind = EMLAT_CAST_WAIT;
    event->wait.timeout_ns = UINT64_MAX;
    const char *limit = memrchr(text, '@', size);
    if (limit && limit > text && limit[-1] == ' ') {
        size_t rest = size - (size_t)(limit + 1 - text);
        /* What is no number is part of the text to wait for.  */
        if (emlat_replay_duration(limit + 1, rest, 1000000000, &event->wait.timeout_ns))
            size = (size_t)(limit - 1 - text);
        else
            event->wait.timeout_ns = UINT64_MAX;
    }

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t name = strlen(kinds[i].name);
        if (!starts(text, size, kinds[i].name) || (size > name && text[name] != ' '))
            continue;
        event->wait.kind = kinds[i].kind;
        event->text = size > name ? text + name + 1 : text + size;
        event->size = (size_t)(text + size - event->text);
        bool good =
            kinds[i].kind == EMLAT_WAIT_QUIET
                ? emlat_replay_duration(event->text, event->size, 1000000, &event->wait.quiet_ns)
                : (event->size == 0) == (kinds[i].kind == EMLAT_WAIT_EXIT);
        return good || fail(cast, 0, hint, "expected %s %s", kinds[i].name,
                            kinds[i].kind == EMLAT_WAIT_QUIET  ? "and a number of milliseconds"
                            : kinds[i].kind == EMLAT_WAIT_EXIT ? "alone"
                                                               : "and a text");
    }
    return fail(cast, 0, hint, "expected a wait that exists");
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* Take the line's TIME into account: of every event where they are intervals, of those that we
   return where they are absolute.  */
static bool take_time(struct emlat_cast *cast, double time, bool returned, uint64_t *delay_ns)
{
    double interval;
    if (cast->version == 3) {
        cast->time += time;
        interval = cast->time;
        if (returned)
            cast->time = 0;
        if (interval > time_max)
            return fail(cast, 0, "", "expected less than %g seconds between events", time_max);
    } else {
        if (!returned)
            return true;
        interval = time - cast->time;
        if (interval < 0)
            return fail(cast, 0, "times of asciicast v2 count from its start; v3 has intervals",
                        "expected a time not before that of the event before (%g), found %g",
                        cast->time, time);
        cast->time = time;
    }
    *delay_ns = (uint64_t)(interval * 1e9 + 0.5);
    return true;
}

static bool take_event(struct emlat_cast *cast, const json_t *line, struct emlat_cast_event *event,
                       bool *returned)
{
    const json_t *time = json_array_get(line, 0);
    const json_t *code = json_array_get(line, 1);
    const json_t *data = json_array_get(line, 2);
    if (!json_is_array(line) || json_array_size(line) < 3 || !json_is_real(time) ||
        !json_is_string(code))
        return fail(cast, 0, "[1.5, \"i\", \"x\"] types an x", "expected [time, \"code\", data]");
    double seconds = json_real_value(time);
    if (!(seconds >= 0 && seconds <= time_max))
        return fail(cast, 0, "", "expected a time from 0 to %g seconds, found %g", time_max,
                    seconds);

    const char *letter = json_string_value(code);
    bool known = json_string_length(code) == 1 && strchr("irm", *letter);
    *returned = known;
    if (!take_time(cast, seconds, known, &event->delay_ns) || !known)
        return !cast->failed;
    if (!json_is_string(data))
        return fail(cast, 0, "", "expected a string as data of an \"%s\" event", letter);

    event->line = cast->line;
    event->text = json_string_value(data);
    event->size = json_string_length(data);
    switch (*letter) {
    case 'i': event->kind = EMLAT_CAST_INPUT; return true;
    case 'r':
        event->kind = EMLAT_CAST_RESIZE;
        return emlat_replay_size(event->text, event->size, &event->cols, &event->rows) ||
               fail(cast, 0, "[1.5, \"r\", \"100x30\"]; each side from 2 to 1000",
                    "expected COLSxROWS as data of an \"r\" event");
    default:
        event->kind = EMLAT_CAST_CHAPTER;
        return !starts(event->text, event->size, "wait:") || take_wait(cast, event);
    }
}

bool emlat_cast_next(struct emlat_cast *cast, struct emlat_cast_event *event)
{
    bool returned = false;
    while (!cast->failed && !returned) {
        json_decref(cast->current);
        *event = (struct emlat_cast_event){0};
        cast->current = next_json(cast, "an event, [time, \"code\", data]");
        if (!cast->current)
            return false;
        take_event(cast, cast->current, event, &returned);
    }
    return !cast->failed;
}

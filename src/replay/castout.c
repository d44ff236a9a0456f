/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   A replay's own recording.

   Output comes in pieces that end anywhere; a character is printed when its last byte has come.
   Written by hand rather than by jansson, which takes whole strings of good UTF-8 only.  */
#include "castout.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <unistd.h>

int emlat_castout_open(struct emlat_castout *record, int fd)
{
    *record = (struct emlat_castout){.file = fdopen(fd, "w")};
    if (record->file)
        return 0;
    int error = errno;
    close(fd);
    return -error;
}

void emlat_castout_header(struct emlat_castout *record, uint64_t t, unsigned cols, unsigned rows,
                          const char *term)
{
    record->t_start = t;
    fprintf(record->file,
            "{\"version\": 2, \"width\": %u, \"height\": %u, \"env\": {\"TERM\": ", cols, rows);
    json_t *string = json_string(term);
    if (!string || json_dumpf(string, record->file, JSON_ENCODE_ANY) != 0)
        fputs("\"unknown\"", record->file);
    json_decref(string);
    fputs("}}\n", record->file);
}

/* ---- Strings --------------------------------------------------------------------------------- */

static void put_ascii(FILE *to, uint8_t byte)
{
    if (byte == '"' || byte == '\\')
        fprintf(to, "\\%c", byte);
    else if (byte < 0x20 || byte == 0x7f)
        fprintf(to, "\\u%04x", byte);
    else
        fputc(byte, to);
}

/* How many bytes a character beginning with LEAD has; 0 where none does.  */
static size_t utf8_size(uint8_t lead)
{
    return lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
}

/* May BYTE be next?  The second byte rules out overlong forms, surrogates and what is past the last
   character.  */
static bool utf8_continues(const uint8_t *pending, size_t size, uint8_t byte)
{
    uint8_t low = 0x80, high = 0xbf;
    if (size == 1) {
        switch (pending[0]) {
        case 0xe0: low = 0xa0; break;
        case 0xed: high = 0x9f; break;
        case 0xf0: low = 0x90; break;
        case 0xf4: high = 0x8f; break;
        }
    }
    return byte >= low && byte <= high;
}

static void put_bytes(FILE *to, uint8_t *pending, size_t *pending_size, const char *bytes,
                      size_t size)
{
    static const char replacement[] = "\\ufffd";
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = (uint8_t)bytes[i];
        if (*pending_size && !utf8_continues(pending, *pending_size, byte)) {
            fputs(replacement, to);
            *pending_size = 0;
        }
        if (*pending_size || utf8_size(byte)) {
            pending[(*pending_size)++] = byte;
            if (*pending_size == utf8_size(pending[0])) {
                fwrite(pending, 1, *pending_size, to);
                *pending_size = 0;
            }
        } else if (byte < 0x80) {
            put_ascii(to, byte);
        } else {
            fputs(replacement, to);
        }
    }
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void begin_event(struct emlat_castout *record, uint64_t t, char code)
{
    uint64_t us = (t - record->t_start) / 1000;
    fprintf(record->file, "[%" PRIu64 ".%06" PRIu64 ", \"%c\", \"", us / 1000000, us % 1000000,
            code);
}

void emlat_castout_output(struct emlat_castout *record, uint64_t t, const char *bytes, size_t size)
{
    begin_event(record, t, 'o');
    put_bytes(record->file, record->pending, &record->pending_size, bytes, size);
    fputs("\"]\n", record->file);
}

void emlat_castout_event(struct emlat_castout *record, uint64_t t, char code, const char *bytes,
                         size_t size)
{
    uint8_t pending[4];
    size_t pending_size = 0;
    begin_event(record, t, code);
    put_bytes(record->file, pending, &pending_size, bytes, size);
    fputs("\"]\n", record->file);
}

int emlat_castout_close(struct emlat_castout *record)
{
    bool failed = ferror(record->file) != 0;
    errno = EIO;
    failed = fclose(record->file) != 0 || failed;
    record->file = NULL;
    return failed ? -errno : 0;
}

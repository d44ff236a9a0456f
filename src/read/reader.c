/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The scan from chunk to chunk.  A chunk is read whole, checked, and decoded once for its errors
   before anything of it is given; then it is decoded again, item by item.  */
#include "reader.h"

#include "crc32c.h"
#include "records.h"
#include "source.h"
#include "wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK_HEADER_MAX = 1024,
    STRINGS_MAX = 64 << 10,      /* of a file; doc/format.md section 8 */
    STRING_BYTES_MAX = 16 << 20, /* of a file, together */
};

static const char hint_cut[] =
    "usual after a crash, or while the file is still being recorded; all before this is good";
static const char hint_damaged[] = "all before this is good; was the file copied as text, or "
                                   "changed by something other than emlat?";
static const char hint_newer[] = "read it with a newer emlat";
static const char hint_not_emlat[] = "emlat reads the files that a recording session wrote";

struct string {
    uint64_t id;
    size_t length;
    char *text;
};

struct emlat_reader {
    struct emlat_source_file source;
    struct emlat_problem problem;
    struct emlat_file_info file;
    struct emlat_reader_counts counts;
    struct emlat_chunk_info chunk;
    uint8_t *payload;
    size_t payload_room;
    bool in_chunk, padded; /* the chunk's padding has been passed */
    bool follows;
    struct emlat_blocks blocks;
    struct emlat_record record;
    size_t strings_given; /* of the STRING chunk at hand */
    bool session_given;
    struct string *strings; /* in ascending order of their IDs */
    size_t strings_count, strings_room, strings_bytes;
    uint64_t *chunk_strings; /* IDs of the STRING chunk at hand */
    size_t chunk_strings_count, chunk_strings_room;
    struct emlat_attribute_value *attributes;
    size_t attributes_count;
    struct emlat_word_value *words;
    size_t words_count;
};

/* ---- Problems ---------------------------------------------------------------------------------
 */

__attribute__((format(printf, 5, 6))) static int fail(struct emlat_reader *reader, int code,
                                                      uint64_t offset, const char *hint,
                                                      const char *format, ...)
{
    struct emlat_problem *problem = &reader->problem;
    va_list arguments;
    problem->code = code;
    problem->offset = offset;
    problem->chunk = reader->chunk.number;
    snprintf(problem->chunk_name, sizeof problem->chunk_name, "%s",
             reader->chunk.name ? reader->chunk.name : "");
    problem->hint = hint;
    va_start(arguments, format);
    vsnprintf(problem->message, sizeof problem->message, format, arguments);
    va_end(arguments);
    return code;
}

static int no_memory(struct emlat_reader *reader)
{
    return fail(reader, EMLAT_ENOMEM, reader->chunk.offset, NULL, "memory could not be obtained");
}

static int take(struct emlat_reader *reader, void *bytes, size_t size, size_t *got)
{
    if (emlat_source_read(&reader->source, bytes, size, got) == 0)
        return 0;
    reader->problem.system_errno = errno;
    return fail(reader, EMLAT_EIO, reader->source.offset, NULL, "reading failed: %s",
                strerror(reader->problem.system_errno));
}

/* Make room for COUNT + 1 elements of SIZE at *ARRAY.  */
static bool grow(void *array, size_t *room, size_t count, size_t size)
{
    void *old;
    memcpy(&old, array, sizeof old);
    if (count < *room)
        return true;
    size_t wanted = *room ? *room * 2 : 64;
    void *bigger = reallocarray(old, wanted, size);
    if (!bigger)
        return false;
    memcpy(array, &bigger, sizeof bigger);
    *room = wanted;
    return true;
}

/* ---- The file header --------------------------------------------------------------------------
 */

static int read_file_header(struct emlat_reader *reader)
{
    uint8_t header[EMLAT_FILE_HEADER_BYTES];
    size_t got;
    int error = take(reader, header, sizeof header, &got);
    if (error)
        return error;
    if (!got)
        return fail(reader, EMLAT_EEMPTY, 0,
                    "a recording that started would have left its header; was the disk full?",
                    "the file is empty, expected at least %d bytes", EMLAT_FILE_HEADER_BYTES);
    if (memcmp(header, EMLAT_FILE_MAGIC, got < 8 ? got : 8) != 0) {
        char found[3 * 8 + 1] = "";
        for (size_t i = 0; i < 8 && i < got; i++)
            snprintf(found + 3 * i, 4, "%02x ", header[i]);
        return fail(reader, EMLAT_EMAGIC, 0, hint_not_emlat,
                    "not an emlat file: begins with %sexpected 45 4d 4c 41 54 00 0d 0a", found);
    }
    if (got < sizeof header)
        return fail(reader, EMLAT_ETRUNCATED, got, hint_cut,
                    "the file ends inside its header (%zu of %d bytes)", got,
                    EMLAT_FILE_HEADER_BYTES);
    struct emlat_get get = emlat_get_from(header + 8, sizeof header - 8);
    struct emlat_file_info *file = &reader->file;
    file->major = (unsigned)emlat_get_le(&get, 2);
    file->minor = (unsigned)emlat_get_le(&get, 2);
    file->flags = (uint32_t)emlat_get_le(&get, 4);
    memcpy(file->uuid, emlat_get_bytes(&get, 16), 16);
    file->sequence = emlat_get_le(&get, 8);
    file->realtime_ns = emlat_get_le(&get, 8);
    file->monotonic_ns = emlat_get_le(&get, 8);
    uint32_t expected = (uint32_t)emlat_get_le(&get, 4), found = emlat_crc32c(0, header, 56);
    if (found != expected)
        return fail(reader, EMLAT_ECORRUPT, 0, hint_damaged,
                    "file header CRC32C %08" PRIx32 ", expected %08" PRIx32, found, expected);
    if (file->major != EMLAT_FORMAT_MAJOR)
        return fail(reader, EMLAT_EVERSION, 8, hint_newer,
                    "format %u.%u, this emlat reads format %d", file->major, file->minor,
                    EMLAT_FORMAT_MAJOR);
    reader->counts.bytes = sizeof header;
    return 0;
}

static void (*watch_all)(const struct emlat_reader *reader, uint64_t size, bool ended);

void emlat_reader_watch_all(void (*watch)(const struct emlat_reader *reader, uint64_t size,
                                          bool ended))
{
    watch_all = watch;
}

int emlat_reader_open(struct emlat_reader **result, const char *path)
{
    struct emlat_reader *reader = calloc(1, sizeof *reader);
    *result = reader;
    if (!reader)
        return EMLAT_ENOMEM;
    int error = emlat_source_open(&reader->source, path);
    if (!error)
        return read_file_header(reader);
    reader->problem.system_errno = errno;
    return fail(reader, error, 0, error == EMLAT_ENOTREG ? hint_not_emlat : NULL, "%s",
                error == EMLAT_ENOTREG ? "is a folder, expected a file"
                                       : strerror(reader->problem.system_errno));
}

void emlat_reader_close(struct emlat_reader *reader)
{
    if (!reader)
        return;
    if (watch_all)
        watch_all(reader, reader->source.size, true);
    emlat_source_close(&reader->source);
    for (size_t i = 0; i < reader->strings_count; i++)
        free(reader->strings[i].text);
    for (size_t i = 0; i < reader->attributes_count; i++) {
        free((char *)(uintptr_t)reader->attributes[i].name);
        free((char *)(uintptr_t)reader->attributes[i].text);
    }
    free(reader->strings);
    free(reader->chunk_strings);
    free(reader->attributes);
    free(reader->words);
    free(reader->payload);
    free(reader);
}

/* ---- STRING -----------------------------------------------------------------------------------
 */

/* Where the string ID is, or belongs.  */
static size_t string_place(const struct emlat_reader *reader, uint64_t id)
{
    size_t low = 0, high = reader->strings_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (reader->strings[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct string *find_string(const struct emlat_reader *reader, uint64_t id)
{
    size_t at = string_place(reader, id);
    return at < reader->strings_count && reader->strings[at].id == id ? &reader->strings[at] : NULL;
}

static char *copy_text(const uint8_t *bytes, size_t length)
{
    char *text = malloc(length + 1);
    if (text) {
        memcpy(text, bytes, length);
        text[length] = '\0';
    }
    return text;
}

static int keep_string(struct emlat_reader *reader, uint64_t id, const uint8_t *bytes,
                       size_t length)
{
    size_t at = string_place(reader, id);
    if (!grow(&reader->chunk_strings, &reader->chunk_strings_room, reader->chunk_strings_count,
              sizeof *reader->chunk_strings))
        return no_memory(reader);
    reader->chunk_strings[reader->chunk_strings_count++] = id;
    if (find_string(reader, id))
        return 0;
    if (reader->strings_count == STRINGS_MAX || reader->strings_bytes + length > STRING_BYTES_MAX)
        return fail(reader, EMLAT_ELIMIT, reader->chunk.offset, NULL,
                    "more than %d strings or %d bytes of them", STRINGS_MAX, STRING_BYTES_MAX);
    char *text = copy_text(bytes, length);
    if (!text || !grow(&reader->strings, &reader->strings_room, reader->strings_count,
                       sizeof *reader->strings)) {
        free(text);
        return no_memory(reader);
    }
    memmove(reader->strings + at + 1, reader->strings + at,
            (reader->strings_count - at) * sizeof *reader->strings);
    reader->strings[at] = (struct string){id, length, text};
    reader->strings_count++;
    reader->strings_bytes += length;
    return 0;
}

/* The payload's offset in the file at which GET stands.  */
static uint64_t place(const struct emlat_reader *reader, const struct emlat_get *get)
{
    return reader->source.offset - reader->chunk.stored + (uint64_t)(get->at - reader->payload);
}

static int bad_payload(struct emlat_reader *reader, const struct emlat_get *get, const char *why)
{
    return fail(reader, EMLAT_ECORRUPT, place(reader, get), hint_damaged, "%s", why);
}

static const uint8_t *get_text(struct emlat_get *get, size_t *length)
{
    uint64_t size = emlat_get_u(get);
    if (size > EMLAT_TEXT_MAX)
        get->failed = true;
    *length = (size_t)size;
    return emlat_get_bytes(get, size);
}

/* The payload of a STRING chunk: checked, and kept if KEEP.  */
static int take_strings(struct emlat_reader *reader, bool keep)
{
    struct emlat_get get = emlat_get_from(reader->payload, reader->chunk.size);
    uint64_t version = emlat_get_u(&get), count = emlat_get_u(&get);
    if (get.failed || version - 1 >= reader->chunk.version)
        return bad_payload(reader, &get, "STRING has a version unlike its chunk's");
    if (count > emlat_get_left(&get) / 2)
        return bad_payload(reader, &get, "STRING claims more entries than its bytes hold");
    for (uint64_t i = 0; i < count; i++) {
        uint64_t id = emlat_get_u(&get);
        size_t length;
        const uint8_t *bytes = get_text(&get, &length);
        if (get.failed)
            return bad_payload(reader, &get, "a string is too long, or runs past the payload");
        const struct string *before = find_string(reader, id);
        if (!id || (before && (before->length != length || memcmp(before->text, bytes, length))))
            return bad_payload(reader, &get, "a string ID is zero or has had another text");
        int error = keep ? keep_string(reader, id, bytes, length) : 0;
        if (error)
            return error;
    }
    return emlat_get_left(&get) ? bad_payload(reader, &get, "STRING has bytes past its entries")
                                : 0;
}

/* ---- SESSION ----------------------------------------------------------------------------------
 */

static int keep_attribute(struct emlat_reader *reader, const uint8_t *name, size_t name_length,
                          const uint8_t *text, size_t text_length, uint64_t number)
{
    struct emlat_attribute_value *value = NULL;
    for (size_t i = 0; i < reader->attributes_count; i++)
        if (strlen(reader->attributes[i].name) == name_length &&
            memcmp(reader->attributes[i].name, name, name_length) == 0)
            value = &reader->attributes[i];
    if (!value) {
        if (reader->attributes_count == EMLAT_ATTRIBUTES_MAX)
            return fail(reader, EMLAT_ELIMIT, reader->chunk.offset, NULL,
                        "more than %d attributes of a session", EMLAT_ATTRIBUTES_MAX);
        struct emlat_attribute_value *more = reallocarray(
            reader->attributes, reader->attributes_count + 1, sizeof *reader->attributes);
        if (!more)
            return no_memory(reader);
        reader->attributes = more;
        value = &more[reader->attributes_count];
        *value = (struct emlat_attribute_value){.name = copy_text(name, name_length)};
        if (!value->name)
            return no_memory(reader);
        reader->attributes_count++;
    }
    free((char *)(uintptr_t)value->text);
    value->is_text = text != NULL;
    value->number = number;
    value->text = text ? copy_text(text, text_length) : NULL;
    return text && !value->text ? no_memory(reader) : 0;
}

static int keep_word(struct emlat_reader *reader, const struct emlat_word_value *word)
{
    size_t of_class = 0;
    for (size_t i = 0; i < reader->words_count; i++) {
        if (reader->words[i].class != word->class)
            continue;
        of_class++;
        if (reader->words[i].number == word->number) {
            reader->words[i] = *word;
            return 0;
        }
    }
    if (of_class == EMLAT_VOCABULARY_MAX)
        return fail(reader, EMLAT_ELIMIT, reader->chunk.offset, NULL,
                    "more than %d words of one class", EMLAT_VOCABULARY_MAX);
    struct emlat_word_value *more =
        reallocarray(reader->words, reader->words_count + 1, sizeof *more);
    if (!more)
        return no_memory(reader);
    reader->words = more;
    reader->words[reader->words_count++] = *word;
    return 0;
}

static int take_attribute(struct emlat_reader *reader, struct emlat_get *get, bool keep)
{
    size_t name_length, text_length = 0;
    const uint8_t *name = get_text(get, &name_length), *text = NULL;
    uint64_t type = emlat_get_u(get), number = 0;
    if (type == 1)
        text = get_text(get, &text_length);
    else
        number = emlat_get_u(get);
    if (get->failed)
        return bad_payload(reader, get, "an attribute is too long, or runs past the payload");
    if (!name_length || type > 1)
        return bad_payload(reader, get, "an attribute has no name, or a type past 1");
    if (memchr(name, 0, name_length) || (text && memchr(text, 0, text_length)))
        return bad_payload(reader, get, "an attribute holds a NUL");
    return keep ? keep_attribute(reader, name, name_length, text, text_length, number) : 0;
}

static int take_word(struct emlat_reader *reader, struct emlat_get *get, bool keep)
{
    uint64_t class = emlat_get_u(get), number = emlat_get_u(get);
    uint64_t name_id = emlat_get_u(get), unit_id = emlat_get_u(get), flags = emlat_get_u(get);
    if (get->failed)
        return bad_payload(reader, get, "a word runs past the payload");
    const struct string *name = find_string(reader, name_id);
    const struct string *unit = unit_id ? find_string(reader, unit_id) : NULL;
    if (class - 1 >= EMLAT_CLASSES_END - 1 ||
        (class == EMLAT_CLASS_COUNTER && number >= EMLAT_COUNTERS_MAX))
        return bad_payload(reader, get, "a word has an impossible class or number");
    if (!name || (unit_id && !unit))
        return bad_payload(reader, get, "a word names a string that is not defined before");
    if (memchr(name->text, 0, name->length) || (unit && memchr(unit->text, 0, unit->length)))
        return bad_payload(reader, get, "a word holds a NUL");
    const struct emlat_word_value word = {(unsigned)class, number, name->text,
                                          unit ? unit->text : "", flags};
    return keep ? keep_word(reader, &word) : 0;
}

/* The payload of a SESSION chunk: checked, and kept if KEEP.  */
static int take_session(struct emlat_reader *reader, bool keep)
{
    struct emlat_get get = emlat_get_from(reader->payload, reader->chunk.size);
    uint64_t version = emlat_get_u(&get), attributes = emlat_get_u(&get);
    int error = 0;
    if (get.failed || version - 1 >= reader->chunk.version)
        return bad_payload(reader, &get, "SESSION has a version unlike its chunk's");
    if (attributes > EMLAT_ATTRIBUTES_MAX)
        return bad_payload(reader, &get, "SESSION claims more attributes than 256");
    for (uint64_t i = 0; !error && i < attributes; i++)
        error = take_attribute(reader, &get, keep);
    uint64_t words = error ? 0 : emlat_get_u(&get);
    if (!error && (get.failed || words > 3 * EMLAT_VOCABULARY_MAX))
        return bad_payload(reader, &get,
                           "SESSION claims more words than 1024, or lacks their count");
    for (uint64_t i = 0; !error && i < words; i++)
        error = take_word(reader, &get, keep);
    if (!error && emlat_get_left(&get))
        return bad_payload(reader, &get, "SESSION has bytes past its words");
    return error;
}

/* ---- Chunks -----------------------------------------------------------------------------------
 */

static int record_type(unsigned chunk_type)
{
    for (int type = 0; type < EMLAT_RECORD_TYPES; type++)
        if (emlat_schemas[type].chunk == chunk_type)
            return type;
    return -1;
}

static const char *chunk_name(unsigned chunk_type)
{
    static const char *const names[EMLAT_RECORD_TYPES] = {
#define RECORD(NAME, name, chunk, version, meaning) #NAME,
#include "schema.def"
    };
    int type = record_type(chunk_type);
    if (chunk_type == EMLAT_SESSION_CHUNK)
        return "SESSION";
    if (chunk_type == EMLAT_STRING_CHUNK)
        return "STRING";
    return type < 0 ? "unknown" : names[type];
}

/* The newest version of CHUNK_TYPE that is known; 0 for an unknown type.  */
static unsigned known_version(unsigned chunk_type)
{
    int type = record_type(chunk_type);
    if (chunk_type == EMLAT_SESSION_CHUNK)
        return EMLAT_SESSION_VERSION;
    if (chunk_type == EMLAT_STRING_CHUNK)
        return EMLAT_STRING_VERSION;
    return type < 0 ? 0 : emlat_schemas[type].version;
}

/* What a chunk header says beyond CHUNK.  */
struct chunk_checks {
    size_t header_size;
    uint32_t payload_crc, header_crc;
};

/* The fixed part of the header, not yet believed.  */
static void parse_chunk_header(struct emlat_chunk_info *chunk, struct chunk_checks *checks,
                               const uint8_t header[EMLAT_CHUNK_HEADER_BYTES])
{
    struct emlat_get get = emlat_get_from(header + 4, EMLAT_CHUNK_HEADER_BYTES - 4);
    chunk->type = (unsigned)emlat_get_le(&get, 2);
    chunk->version = (unsigned)emlat_get_le(&get, 2);
    chunk->flags = (uint32_t)emlat_get_le(&get, 4);
    checks->header_size = (size_t)emlat_get_le(&get, 4);
    chunk->stored = (uint32_t)emlat_get_le(&get, 4);
    chunk->size = (uint32_t)emlat_get_le(&get, 4);
    chunk->sequence = emlat_get_le(&get, 8);
    checks->payload_crc = (uint32_t)emlat_get_le(&get, 4);
    checks->header_crc = (uint32_t)emlat_get_le(&get, 4);
}

static int bad_size(struct emlat_reader *reader, const char *what, uint64_t found, int expected)
{
    return fail(reader, EMLAT_ECORRUPT, reader->chunk.offset, hint_damaged,
                "%s is %" PRIu64 " bytes, expected at most %d", what, found, expected);
}

/* 1 if a header was read, 0 if the file ends before it.  */
static int read_chunk_header(struct emlat_reader *reader, struct chunk_checks *checks)
{
    uint8_t header[CHUNK_HEADER_MAX];
    size_t got, more = 0;
    struct emlat_chunk_info *chunk = &reader->chunk;
    uint64_t number = chunk->number + 1, before = chunk->sequence;
    *chunk = (struct emlat_chunk_info){.number = number, .offset = reader->source.offset};
    int error = take(reader, header, EMLAT_CHUNK_HEADER_BYTES, &got);
    if (error)
        return error;
    if (!got) {
        /* As before the call, should the file grow and be read on.  */
        chunk->number = number - 1;
        chunk->sequence = before;
        return 0;
    }
    if (got < EMLAT_CHUNK_HEADER_BYTES)
        return fail(reader, EMLAT_ETRUNCATED, chunk->offset, hint_cut,
                    "the file ends inside a chunk header (%zu of %d bytes)", got,
                    EMLAT_CHUNK_HEADER_BYTES);
    if (memcmp(header, EMLAT_CHUNK_MAGIC, 4) != 0)
        return fail(reader, EMLAT_ECORRUPT, chunk->offset, hint_damaged,
                    "chunk begins with %02x %02x %02x %02x, expected 43 48 4e 4b", header[0],
                    header[1], header[2], header[3]);
    parse_chunk_header(chunk, checks, header);
    chunk->name = chunk_name(chunk->type);
    if (checks->header_size < EMLAT_CHUNK_HEADER_BYTES || checks->header_size > CHUNK_HEADER_MAX ||
        checks->header_size % 8)
        return fail(reader, EMLAT_ECORRUPT, chunk->offset, hint_damaged,
                    "chunk header size is %zu, expected 40 to %d, a multiple of 8",
                    checks->header_size, CHUNK_HEADER_MAX);
    if (checks->header_size > got)
        error = take(reader, header + got, checks->header_size - got, &more);
    if (error)
        return error;
    if (got + more < checks->header_size)
        return fail(reader, EMLAT_ETRUNCATED, chunk->offset, hint_cut,
                    "the file ends inside a chunk header (%zu of %zu bytes)", got + more,
                    checks->header_size);
    memset(header + 36, 0, 4);
    uint32_t found = emlat_crc32c(0, header, checks->header_size);
    if (found != checks->header_crc)
        return fail(reader, EMLAT_ECORRUPT, chunk->offset, hint_damaged,
                    "chunk header CRC32C %08" PRIx32 ", expected %08" PRIx32, found,
                    checks->header_crc);
    if (chunk->stored > EMLAT_CHUNK_PAYLOAD_MAX)
        return bad_size(reader, "payload", chunk->stored, EMLAT_CHUNK_PAYLOAD_MAX);
    if (number > 1 && chunk->sequence <= before)
        return fail(reader, EMLAT_ECORRUPT, chunk->offset, hint_damaged,
                    "chunk sequence %" PRIu64 " follows %" PRIu64, chunk->sequence, before);
    if (number > 1)
        reader->counts.sequence_gaps += chunk->sequence - before - 1;
    return 1;
}

static int read_payload(struct emlat_reader *reader, const struct chunk_checks *checks)
{
    struct emlat_chunk_info *chunk = &reader->chunk;
    size_t got;
    if (!reader->payload || chunk->stored > reader->payload_room) {
        uint8_t *bigger = realloc(reader->payload, chunk->stored + (size_t)1);
        if (!bigger)
            return no_memory(reader);
        reader->payload = bigger;
        reader->payload_room = chunk->stored;
    }
    int error = take(reader, reader->payload, chunk->stored, &got);
    if (error)
        return error;
    if (got < chunk->stored)
        return fail(reader, EMLAT_ETRUNCATED, reader->source.offset, hint_cut,
                    "the file ends inside the payload (%zu of %" PRIu32 " bytes)", got,
                    chunk->stored);
    if (chunk->flags)
        return 0; /* the CRC is of bytes that we cannot make */
    if (chunk->stored != chunk->size)
        return fail(reader, EMLAT_ECORRUPT, chunk->offset, hint_damaged,
                    "uncompressed payload has %" PRIu32 " stored and %" PRIu32 " plain bytes",
                    chunk->stored, chunk->size);
    uint32_t found = emlat_crc32c(0, reader->payload, chunk->stored);
    if (found != checks->payload_crc)
        return fail(reader, EMLAT_ECORRUPT, chunk->offset, hint_damaged,
                    "payload CRC32C %08" PRIx32 ", expected %08" PRIx32, found,
                    checks->payload_crc);
    return 0;
}

/* Decode the records of the chunk at hand, for their errors and their number.  */
static int check_records(struct emlat_reader *reader, enum emlat_record_type type)
{
    struct emlat_blocks *blocks = &reader->blocks;
    uint64_t records = 0;
    int got;
    emlat_blocks_begin(blocks, type, reader->chunk.version, reader->payload, reader->chunk.size);
    while ((got = emlat_blocks_next(blocks, &reader->record)) > 0)
        records++;
    if (got < 0)
        return bad_payload(reader, &blocks->get, blocks->why);
    reader->counts.records[type] += records;
    emlat_blocks_begin(blocks, type, reader->chunk.version, reader->payload, reader->chunk.size);
    return 0;
}

/* Check the payload and take in what is remembered.  */
static int take_payload(struct emlat_reader *reader)
{
    struct emlat_chunk_info *chunk = &reader->chunk;
    int error = 0;
    reader->chunk_strings_count = reader->strings_given = 0;
    reader->session_given = false;
    if (chunk->version == 0 && known_version(chunk->type))
        return bad_payload(reader, &(struct emlat_get){.at = reader->payload},
                           "chunk has version 0, expected at least 1");
    chunk->skipped = chunk->flags || chunk->version > known_version(chunk->type);
    if (chunk->skipped) {
        reader->counts.skipped_chunks++;
        reader->counts.skipped_bytes += chunk->stored;
    } else if (chunk->type == EMLAT_STRING_CHUNK) {
        error = take_strings(reader, false);
        if (!error)
            error = take_strings(reader, true);
    } else if (chunk->type == EMLAT_SESSION_CHUNK) {
        error = take_session(reader, false);
        if (!error)
            error = take_session(reader, true);
    } else {
        error = check_records(reader, (enum emlat_record_type)record_type(chunk->type));
    }
    return error;
}

/* The zeros that end a chunk; their values are not looked at.  */
static int pass_padding(struct emlat_reader *reader)
{
    uint8_t zeros[8];
    size_t got, wanted = (8 - reader->chunk.stored % 8) % 8;
    reader->padded = true;
    int error = take(reader, zeros, wanted, &got);
    if (!error && got < wanted)
        error = fail(reader, EMLAT_ETRUNCATED, reader->source.offset, hint_cut,
                     "the file ends inside the padding of this whole chunk (%zu of %zu bytes)", got,
                     wanted);
    if (!error)
        reader->counts.bytes = reader->source.offset;
    return error;
}

/* Whether the next chunk is there in whole, as far as its header can be believed: one that can't is
   left to be found wrong.  */
static bool chunk_is_there(const struct emlat_reader *reader)
{
    uint8_t header[EMLAT_CHUNK_HEADER_BYTES];
    struct emlat_chunk_info chunk;
    struct chunk_checks checks;
    size_t got;
    uint64_t there;
    emlat_source_peek(&reader->source, header, sizeof header, &got, &there);
    if (got < sizeof header)
        return false;
    parse_chunk_header(&chunk, &checks, header);
    return checks.header_size > CHUNK_HEADER_MAX || chunk.stored > EMLAT_CHUNK_PAYLOAD_MAX ||
           there >= checks.header_size + ((uint64_t)chunk.stored + 7) / 8 * 8;
}

static int next_chunk(struct emlat_reader *reader, struct emlat_item *item)
{
    struct chunk_checks checks;
    int got = reader->follows && !chunk_is_there(reader) ? 0 : read_chunk_header(reader, &checks);
    if (got < 0)
        return got;
    if (!got) {
        item->kind = EMLAT_ITEM_END;
        item->chunk = NULL;
        return 0;
    }
    int error = read_payload(reader, &checks);
    if (!error)
        error = take_payload(reader);
    if (error)
        return error;
    reader->in_chunk = true;
    reader->padded = false;
    reader->counts.chunks++;
    reader->counts.bytes = reader->source.offset;
    reader->counts.chunks_of_type[reader->chunk.type < 16 ? reader->chunk.type : 0]++;
    item->kind = EMLAT_ITEM_CHUNK;
    return 0;
}

/* An item of the chunk at hand: true if it had one more.  */
static bool item_of_chunk(struct emlat_reader *reader, struct emlat_item *item)
{
    const struct emlat_chunk_info *chunk = &reader->chunk;
    if (!reader->in_chunk || chunk->skipped)
        return false;
    if (chunk->type == EMLAT_SESSION_CHUNK) {
        item->kind = EMLAT_ITEM_SESSION;
        return !reader->session_given && (reader->session_given = true);
    }
    if (chunk->type == EMLAT_STRING_CHUNK) {
        if (reader->strings_given == reader->chunk_strings_count)
            return false;
        item->kind = EMLAT_ITEM_STRING;
        item->string_id = reader->chunk_strings[reader->strings_given++];
        const struct string *string = find_string(reader, item->string_id);
        item->string = string->text;
        item->string_length = string->length;
        return true;
    }
    item->kind = EMLAT_ITEM_RECORD;
    item->record = &reader->record;
    return emlat_blocks_next(&reader->blocks, &reader->record) > 0;
}

int emlat_reader_next(struct emlat_reader *reader, struct emlat_item *item)
{
    *item = (struct emlat_item){.chunk = &reader->chunk};
    if (reader->problem.code)
        return reader->problem.code;
    if (item_of_chunk(reader, item))
        return 0;
    item->record = NULL;
    if (reader->in_chunk && !reader->padded) {
        int error = pass_padding(reader);
        if (error)
            return error;
    }
    int error = next_chunk(reader, item);
    if (watch_all)
        watch_all(reader, reader->source.size, error || item->kind == EMLAT_ITEM_END);
    return error;
}

void emlat_reader_follow(struct emlat_reader *reader)
{
    reader->follows = true;
}

time_t emlat_reader_written(const struct emlat_reader *reader)
{
    return reader->source.written;
}

/* ---- Look-ups ---------------------------------------------------------------------------------
 */

const struct emlat_problem *emlat_reader_problem(const struct emlat_reader *reader)
{
    return &reader->problem;
}

const struct emlat_file_info *emlat_reader_file(const struct emlat_reader *reader)
{
    return &reader->file;
}

const struct emlat_reader_counts *emlat_reader_counts(const struct emlat_reader *reader)
{
    return &reader->counts;
}

size_t emlat_reader_attributes(const struct emlat_reader *reader,
                               const struct emlat_attribute_value **attributes)
{
    *attributes = reader->attributes;
    return reader->attributes_count;
}

const struct emlat_attribute_value *emlat_reader_attribute(const struct emlat_reader *reader,
                                                           const char *name)
{
    for (size_t i = 0; i < reader->attributes_count; i++)
        if (strcmp(reader->attributes[i].name, name) == 0)
            return &reader->attributes[i];
    return NULL;
}

const struct emlat_word_value *emlat_reader_word(const struct emlat_reader *reader, unsigned class,
                                                 uint64_t number)
{
    for (size_t i = 0; i < reader->words_count; i++)
        if (reader->words[i].class == class && reader->words[i].number == number)
            return &reader->words[i];
    return NULL;
}

const char *emlat_reader_string(const struct emlat_reader *reader, uint64_t id)
{
    const struct string *string = find_string(reader, id);
    return string && strlen(string->text) == string->length ? string->text : NULL;
}

const char *emlat_reader_value_word(const struct emlat_reader *reader, enum emlat_type type,
                                    uint64_t value)
{
    if (type == EMLAT_TYPE_STRING)
        return emlat_reader_string(reader, value);
    if (!emlat_type_is_vocabulary(type))
        return emlat_type_word(type, value);
    const struct emlat_word_value *word = emlat_reader_word(reader, emlat_type_class(type), value);
    return word ? word->name : NULL;
}

size_t emlat_reader_words(const struct emlat_reader *reader, const struct emlat_word_value **words)
{
    *words = reader->words;
    return reader->words_count;
}

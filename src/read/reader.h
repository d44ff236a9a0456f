/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Reading an .emlat file, record by record.

   A reader streams: it holds one chunk at a time (at most EMLAT_CHUNK_PAYLOAD_MAX) and what SESSION
   and STRING have said.  It believes nothing: every length, count and check is tested against the
   limits of doc/format.md before memory is taken.  Functions return 0 or a negative EMLAT_E…; where
   they fail, the reader's problem says where and what.  One thread at a time.  */
#ifndef EMLAT_READER_H
#define EMLAT_READER_H

#include "schema.h"

#include <emlat/errors.h>
#include <stdio.h>
#include <time.h>

struct emlat_reader;

/* What went wrong, for a person.  CODE is 0 where nothing did.  */
struct emlat_problem {
    int code;            /* EMLAT_E… */
    int system_errno;    /* or 0 */
    uint64_t offset;     /* in the file, of the header, chunk or byte that is wrong */
    uint64_t chunk;      /* number of the chunk in the file, from 1; 0 before the first */
    char chunk_name[16]; /* "SPAN" …, or "" */
    char message[256];   /* what was found and what was expected, without the file's name */
    const char *hint;    /* static; or null */
};

/* Open PATH ("-" is standard input) and read its header.  On failure *READER is still given (unless
   memory ran out), for its problem; close it.  EMLAT_EOPEN, ENOTREG (a folder), EEMPTY, EMAGIC,
   EVERSION, ETRUNCATED, ECORRUPT, ENOMEM.  */
int emlat_reader_open(struct emlat_reader **reader, const char *path);
void emlat_reader_close(struct emlat_reader *reader);

const struct emlat_problem *emlat_reader_problem(const struct emlat_reader *reader);

/* From now on READER follows a file that is being written: a chunk that is not there in whole yet
   is the end for now, and a call after EMLAT_ITEM_END goes on where more has come.  Regular files
   only.  */
void emlat_reader_follow(struct emlat_reader *reader);

/* When the file was last written to, by the file system.  */
time_t emlat_reader_written(const struct emlat_reader *reader);

/* The file header.  */
struct emlat_file_info {
    unsigned major, minor;
    uint32_t flags;
    uint8_t uuid[16];
    uint64_t sequence, realtime_ns, monotonic_ns;
};
const struct emlat_file_info *emlat_reader_file(const struct emlat_reader *reader);

/* A chunk as scanned.  */
struct emlat_chunk_info {
    uint64_t number, offset, sequence; /* NUMBER from 1 */
    unsigned type, version;
    uint32_t flags, stored, size;
    const char *name; /* "SESSION" …, or "unknown" */
    bool skipped;     /* unknown type, newer version, or compressed: passed over by its length */
};

/* What one step of the reader gives.  */
enum emlat_item_kind {
    EMLAT_ITEM_END,     /* the file ended at a chunk's end */
    EMLAT_ITEM_CHUNK,   /* a chunk begins; its records, if any, follow */
    EMLAT_ITEM_RECORD,  /* one of the records of schema.def */
    EMLAT_ITEM_SESSION, /* a SESSION chunk was taken in: see emlat_reader_session */
    EMLAT_ITEM_STRING,  /* one STRING entry was taken in */
};

struct emlat_item {
    enum emlat_item_kind kind;
    const struct emlat_chunk_info *chunk; /* of the chunk that the item lies in */
    const struct emlat_record *record;    /* computed fields (WIDTH) are filled in */
    uint64_t string_id;
    const char *string; /* NUL-terminated; may hold NULs before */
    size_t string_length;
};

/* The next item.  It belongs to the reader and stays good until the next call.
   0, or: ETRUNCATED or ECORRUPT, and everything given before stays good; EIO, ENOMEM, ELIMIT.
   After an error, every further call gives the same.  */
int emlat_reader_next(struct emlat_reader *reader, struct emlat_item *item);

/* Who is told of each chunk that any reader of this process begins, and once of its end, so that a
   person who waits can be told how far it is.  SIZE is the file's, 0 for a pipe.  One for all
   readers, also for those that deeper layers open; set it before the first is opened.  */
void emlat_reader_watch_all(void (*watch)(const struct emlat_reader *reader, uint64_t size,
                                          bool ended));

/* What SESSION chunks have said so far: later values of an attribute replace earlier ones.  */
struct emlat_attribute_value {
    const char *name;
    bool is_text;
    const char *text; /* NUL-terminated; null for a number */
    uint64_t number;
};
size_t emlat_reader_attributes(const struct emlat_reader *reader,
                               const struct emlat_attribute_value **attributes);
/* The attribute NAME, or null.  */
const struct emlat_attribute_value *emlat_reader_attribute(const struct emlat_reader *reader,
                                                           const char *name);

/* What a number of the host's vocabulary means.  */
struct emlat_word_value {
    unsigned class; /* enum emlat_vocabulary_class */
    uint64_t number;
    const char *name, *unit; /* unit may be "" */
    uint64_t flags;          /* as in emlat.h: EMLAT_ROOT_COMMAND …; a counter's operation */
};
/* Whether it is a root of a command: input asks for it, and display follows.  */
static inline bool emlat_word_is_command(const struct emlat_word_value *word)
{
    return word && word->class == EMLAT_CLASS_ROOT && (word->flags & 1);
}
/* Its row, or null where the file does not say.  */
const struct emlat_word_value *emlat_reader_word(const struct emlat_reader *reader, unsigned class,
                                                 uint64_t number);
/* The text of STRING entry ID, or null where there is none or it holds a NUL; good until the reader
   is closed.  */
const char *emlat_reader_string(const struct emlat_reader *reader, uint64_t id);
/* The word for VALUE in TYPE, or null: the format's own, or the host's.  */
const char *emlat_reader_value_word(const struct emlat_reader *reader, enum emlat_type type,
                                    uint64_t value);
/* All rows, in the order of the file.  */
size_t emlat_reader_words(const struct emlat_reader *reader, const struct emlat_word_value **words);

/* Counts so far.  */
struct emlat_reader_counts {
    uint64_t chunks, bytes;      /* whole chunks, and the file up to their end */
    uint64_t chunks_of_type[16]; /* by chunk type */
    uint64_t records[EMLAT_RECORD_TYPES];
    uint64_t skipped_chunks, skipped_bytes; /* unknown, newer or compressed */
    uint64_t sequence_gaps;                 /* chunk sequence numbers that are missing */
};
const struct emlat_reader_counts *emlat_reader_counts(const struct emlat_reader *reader);

#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Files for tests, chunk by chunk in memory: with the recorder's own encoder, random records, and
   whatever is wrong on purpose.  */
#ifndef EMLAT_FORGE_H
#define EMLAT_FORGE_H

#include "chunk.h"

enum { FORGE_MAX = 1 << 20, FORGE_CHUNKS = 256 };

struct forge {
    uint8_t bytes[FORGE_MAX];
    size_t size;
    uint64_t sequence;
    size_t chunks, payload_end[FORGE_CHUNKS], end[FORGE_CHUNKS];
};

/* The file header alone.  */
void forge_begin(struct forge *forge);
void forge_chunk(struct forge *forge, unsigned type, unsigned version, const void *payload,
                 size_t size);
/* A STRING and a SESSION chunk with some of everything.  */
void forge_session(struct forge *forge);
/* A chunk of COUNT random records of TYPE from SEED; they are stored at RECORDS unless it is null,
   with the thread and computed fields as a reader gives them.  */
void forge_records(struct forge *forge, enum emlat_record_type type, unsigned count, uint64_t seed,
                   struct emlat_record *records);
/* Store it; false on failure.  */
int forge_save(const struct forge *forge, const char *path);

#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Single interactions in full: their stamps, and the spans inside them.  */
#ifndef EMLAT_WATERFALL_H
#define EMLAT_WATERFALL_H

#include "sample.h"

enum { EMLAT_WATERFALL_SPANS_MAX = 4096 }; /* kept of one interaction; more are counted */

struct emlat_waterfall_span {
    uint64_t id, parent, kind, t_begin, wall_ns, detail;
    bool open; /* wall_ns is unknown */
};

struct emlat_waterfall {
    struct emlat_sample sample;
    struct emlat_record record;
    uint64_t rank;                      /* 1 is the slowest of its population; 0 not ranked */
    struct emlat_waterfall_span *spans; /* by t_begin */
    size_t spans_count, spans_room, spans_left_out;
};

/* The COUNT slowest flushed interactions of the file at PATH, or, where COUNT is 0, the one with
   CAUSE.  *WATERFALLS gets an array of *FOUND, slowest first, to be freed with the function below;
   *FLUSHED gets how many flushed ones there are.  Two walks over the file.  READER gets the reader
   of the last walk, for its problem and vocabulary, to be closed by the caller.  0 or EMLAT_E….  */
int emlat_waterfall_find(const char *path, size_t count, uint64_t cause,
                         struct emlat_waterfall **waterfalls, size_t *found, uint64_t *flushed,
                         struct emlat_reader **reader);
void emlat_waterfall_free(struct emlat_waterfall *waterfalls, size_t count);

#endif

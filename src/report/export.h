/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   A recording in the formats of other programs: one walk over the file, one view a format.

   A view says which callbacks it wants; the walk calls them in the order of the file.  Views that
   draw time want slices, which the walk makes of records and lays on lanes (lanes.h).  Nothing
   keeps the file: memory is a fixed part and what a view says it keeps.  */
#ifndef EMLAT_EXPORT_H
#define EMLAT_EXPORT_H

#include "lanes.h"
#include "sample.h"

#include <stdio.h>

struct emlat_export {
    FILE *to;
    const struct emlat_reader *reader;
    void *state; /* the view's own, of its STATE_BYTES, zeros at first; END frees inside it */
    const char *problem; /* static; what an EMLAT_ELIMIT of a view means */
    uint64_t t_last;     /* the latest time of any record so far; 0 none */
};

struct emlat_export_view {
    const char *name, *about;
    size_t state_bytes;
    uint64_t slowest; /* how many interactions it shows unless told otherwise; 0: all */
    enum emlat_lane_family (*family_of)(enum emlat_lane_family family); /* or null */
    int (*begin)(struct emlat_export *export); /* at the first record, or the end */
    int (*interaction)(
        struct emlat_export *export, const struct emlat_record *record,
        const struct emlat_sample *sample); /* SAMPLE is null where none is derived */
    int (*record)(struct emlat_export *export,
                  const struct emlat_record *record); /* of other types */
    int (*slice_begin)(struct emlat_export *export, struct emlat_lane *lane,
                       const struct emlat_slice *slice);
    int (*slice_end)(struct emlat_export *export, struct emlat_lane *lane,
                     const struct emlat_slice *slice);
    int (*level)(struct emlat_export *export, const char *counter, const char *unit, uint64_t t,
                 uint64_t value);                        /* a counter's value at a time */
    int (*end)(struct emlat_export *export, bool whole); /* WHOLE: the file was sound */
    void (*free)(struct emlat_export *export);           /* also after an error; or null */
};

extern const struct emlat_export_view emlat_export_perfetto, emlat_export_chrome,
    emlat_export_speedscope, emlat_export_csv, emlat_export_jsonl, emlat_export_sql,
    emlat_export_hlog, emlat_export_openmetrics, emlat_export_prometheus;
extern const struct emlat_export_view *const emlat_export_views[];
extern const size_t emlat_export_views_count;

struct emlat_export_order {
    const struct emlat_export_view *view;
    uint64_t cause;   /* only this interaction; 0: not so chosen */
    uint64_t slowest; /* only so many flushed ones, the slowest; 0: not so chosen */
    FILE *to;
    /* Called for each chunk that was passed over; may be null.  */
    void (*on_skipped)(void *data, const struct emlat_chunk_info *chunk);
    void *data;
};

/* What came of it.  */
struct emlat_export_result {
    uint64_t interactions; /* written, or counted in what is */
    uint64_t left_out;     /* slices without a begin, or whose times contradict each other */
    uint64_t lost;         /* records, by LOSS */
    const char *problem;   /* where EMLAT_ELIMIT is returned: why */
};

enum { EMLAT_EXPORT_SLOWEST_MAX = 10000 };

/* Export the file at PATH.  READER gets the reader of the last walk, for its problem, to be closed
   by the caller; what is good before damage is exported.  0, the reader's error, EMLAT_EIO where TO
   could not be written (errno says why, and the reader has no problem), EMLAT_ELIMIT with a
   problem, EMLAT_ENOMEM.  With SLOWEST it walks twice, which a pipe does not allow: then
   EMLAT_EINVAL.  */
int emlat_export_file(const char *path, const struct emlat_export_order *order,
                      struct emlat_export_result *result, struct emlat_reader **reader);

#endif

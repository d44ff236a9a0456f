/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   A record as a row: the columns that CSV, JSON lines and SQL tables share.  They come from the
   format's field table, the host's counters and, for interactions, what analyze derives; each has
   one type throughout a file, and what is absent has no value in any of them.  */
#ifndef EMLAT_COLUMNS_H
#define EMLAT_COLUMNS_H

#include "sample.h"

enum emlat_column_source {
    EMLAT_COLUMN_FIELD,
    EMLAT_COLUMN_BATCH, /* the three parts of a SOURCE field */
    EMLAT_COLUMN_FIRST_BYTE,
    EMLAT_COLUMN_LAST_BYTE,
    EMLAT_COLUMN_COUNTER,
    EMLAT_COLUMN_OTHER_COUNTERS, /* those that have no name: "7=1 9=4" */
    EMLAT_COLUMN_POPULATION,
    EMLAT_COLUMN_LATENCY_MIN,
    EMLAT_COLUMN_LATENCY_MAX,
    EMLAT_COLUMN_PART,
};

struct emlat_column {
    char name[80];
    enum emlat_column_source source;
    unsigned number; /* field, counter or part */
    bool is_text;
};

struct emlat_columns {
    enum emlat_record_type type;
    struct emlat_column *columns;
    size_t count;
    uint64_t named_counters;
};

/* The columns of records of TYPE, by what READER knows by now.  0 or EMLAT_ENOMEM.  */
int emlat_columns_make(struct emlat_columns *columns, const struct emlat_reader *reader,
                       enum emlat_record_type type);
void emlat_columns_free(struct emlat_columns *columns);

/* COLUMN of RECORD; SAMPLE is null where nothing was derived.  False: absent.  TEXT serves
   for texts that are made here; else *RESULT_TEXT points into tables.  */
enum { EMLAT_COLUMN_TEXT = 2048 };
bool emlat_column_value(const struct emlat_columns *columns, const struct emlat_column *column,
                        const struct emlat_reader *reader, const struct emlat_record *record,
                        const struct emlat_sample *sample, char text[EMLAT_COLUMN_TEXT],
                        const char **result_text, uint64_t *result);

#endif

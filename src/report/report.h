/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Views of what analyze has found.  A view prints; it computes nothing that another view would need
   too, and never complains on stderr.  */
#ifndef EMLAT_REPORT_H
#define EMLAT_REPORT_H

#include "compare.h"
#include "style.h"
#include "summary.h"
#include "waterfall.h"

#include <stdio.h>

struct emlat_report {
    const char *path;
    const struct emlat_reader *reader;
    const struct emlat_summary *summary;
    bool whole; /* the file was read to a sound end */
    bool share; /* to be shown to others: nothing that tells whose it is, or what they work on */
};

/* A sentence or two of the verdict.  */
struct emlat_sentence {
    size_t length;
    char text[512];
};
void emlat_verdict_sentence(struct emlat_sentence *to, const struct emlat_report *report);
/* What to do next; empty where there is nothing to say.  */
void emlat_verdict_next(struct emlat_sentence *to, const struct emlat_report *report);
/* The name of a root kind; "none" of what was done on nobody's behalf.  */
const char *emlat_root_name(const struct emlat_reader *reader, uint64_t kind);

void emlat_report_text(FILE *to, const struct emlat_report *report,
                       const struct emlat_style *style);
void emlat_report_json(FILE *to, const struct emlat_report *report);
void emlat_waterfall_text(FILE *to, const struct emlat_reader *reader,
                          const struct emlat_waterfall *waterfall, uint64_t flushed,
                          const struct emlat_style *style);

/* A comparison: whole; what its sides say differently; as JSON.  */
void emlat_compare_text(FILE *to, const struct emlat_comparison *comparison,
                        const struct emlat_style *style);
void emlat_compare_differences(FILE *to, const struct emlat_comparison *comparison,
                               const struct emlat_style *style);
void emlat_compare_json(FILE *to, const struct emlat_comparison *comparison);

/* What the recording itself cost, from SESSION; HAS_… is false where the file does not say.  */
struct emlat_overhead {
    bool has_writer, has_clock, has_elapsed;
    uint64_t writer_cpu_ns, clock_ns, clock_reads, elapsed_ns;
};
struct emlat_overhead emlat_overhead_of(const struct emlat_reader *reader);

#endif

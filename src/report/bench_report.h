/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Views of a bench run: three independent reports and the files of its directory.  Views print what
   analyze has found; what is absent is MISS in text, null in JSON, empty in CSV, and never 0.  */
#ifndef EMLAT_REPORT_BENCH_H
#define EMLAT_REPORT_BENCH_H

#include "counters.h"
#include "load.h"

#include <stdio.h>

struct emlat_bench_view {
    const char *trace; /* path of the recording */
    const char *name;  /* of the run: its directory's; or null */
    const struct emlat_run *run;
    const struct emlat_load *load;
    const struct emlat_frames *frames;
    const struct emlat_counters *counters;
};

/* The three reports.  */
void emlat_bench_text(FILE *to, const struct emlat_bench_view *view);

/* frames.csv and load_jobs.csv; their columns are in doc/hosts.md.  */
void emlat_bench_frames_csv(FILE *to, const struct emlat_bench_view *view);
void emlat_bench_jobs_csv(FILE *to, const struct emlat_bench_view *view);

void emlat_bench_summary_json(FILE *to, const struct emlat_bench_view *view);
void emlat_bench_manifest_json(FILE *to, const struct emlat_bench_view *view);

#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The screen of `emlat top`: what a window over a growing recording shows.  Draws; reads nothing.
 */
#ifndef EMLAT_TOP_H
#define EMLAT_TOP_H

#include "recent.h"
#include "style.h"

#include <stdio.h>

enum emlat_top_state { EMLAT_TOP_LIVE, EMLAT_TOP_PAUSED, EMLAT_TOP_ENDED };

struct emlat_top {
    const char *path;
    const struct emlat_reader *reader;
    const struct emlat_recent *recent;
    enum emlat_top_state state;
    uint64_t age_ns; /* since the file last grew */
    bool by_time;    /* newest first, else slowest first */
    bool help;
    unsigned rows; /* of the screen, at most so many lines are written */
};

/* 0 or EMLAT_ENOMEM.  Each line is cut to STYLE's width; none has anything that moves a cursor.  */
int emlat_top_text(FILE *to, const struct emlat_top *top, const struct emlat_style *style);

#endif

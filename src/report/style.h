/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   How figures look to a person: milliseconds with three digits, blocks or their ASCII stand-ins. */
#ifndef EMLAT_STYLE_H
#define EMLAT_STYLE_H

#include <stdbool.h>
#include <stdint.h>

struct emlat_style {
    bool ascii;     /* no character outside ASCII */
    unsigned width; /* columns of the screen */
};

/* From the locale, COLUMNS and the terminal; ASCII and WIDTH (unless 0) decide where given.  */
struct emlat_style emlat_style_choose(bool ascii, uint64_t width);

enum { EMLAT_FIGURE = 24 };

/* NS in milliseconds with three significant digits, or the sign for absent.  */
const char *emlat_ms_text(char text[EMLAT_FIGURE], uint64_t ns);
const char *emlat_absent(const struct emlat_style *style);

/* Eighths of a bar's cell, 0 to 8; of its height where UP, else of its width.  */
const char *emlat_block(const struct emlat_style *style, unsigned eighths, bool up);

#endif

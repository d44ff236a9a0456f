/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   How figures look to a person: milliseconds with three digits, blocks or their ASCII stand-ins. */
#ifndef EMLAT_STYLE_H
#define EMLAT_STYLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct emlat_style {
    bool ascii;     /* no character outside ASCII */
    bool color;     /* colours may help; never the only sign of anything */
    unsigned width; /* columns of the screen */
};

/* From the locale, COLUMNS and the terminal on stdout; ASCII and WIDTH (unless 0) decide where
   given. Colours are for a terminal that is not dumb, where NO_COLOR is unset or empty.  */
struct emlat_style emlat_style_choose(bool ascii, uint64_t width);

/* What begins and ends a stretch of text of a kind: a terminal's sequence, or "" without colours.
 */
enum emlat_mark {
    EMLAT_MARK_END,
    EMLAT_MARK_GOOD,
    EMLAT_MARK_BAD,
    EMLAT_MARK_DOUBT,
    EMLAT_MARK_DIM
};
const char *emlat_mark(const struct emlat_style *style, enum emlat_mark mark);

enum { EMLAT_FIGURE = 24 };

/* NS in milliseconds with three significant digits, or the sign for absent.  */
const char *emlat_ms_text(char text[EMLAT_FIGURE], uint64_t ns);
const char *emlat_absent(const struct emlat_style *style);

/* LENGTH bytes of TEXT, which a file gave us: what is no UTF-8 or could steer a terminal as "?".
   Returns the columns that it took, a column a character.  */
unsigned emlat_print_safe(FILE *to, const char *text, size_t length);
/* The same in WIDTH columns: cut at the end, or padded with spaces.  */
void emlat_print_column(FILE *to, const char *text, unsigned width);

/* TEXT, broken between words at the screen's edge, after HEAD and in line with it.  */
void emlat_print_wrapped(FILE *to, const char *head, const char *text,
                         const struct emlat_style *style);

/* Eighths of a bar's cell, 0 to 8; of its height where UP, else of its width.  */
const char *emlat_block(const struct emlat_style *style, unsigned eighths, bool up);

#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The screen as a person would see it: libvterm behind four verbs.  It also answers the program's
   questions (what are you, where is the cursor), as every terminal must.  */
#ifndef EMLAT_SCREEN_H
#define EMLAT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

struct emlat_screen;

/* Called inside emlat_screen_feed with bytes that the terminal sends to the program.  */
typedef void emlat_screen_reply(void *data, const char *bytes, size_t size);

/* Null when there is no memory.  */
struct emlat_screen *emlat_screen_new(unsigned cols, unsigned rows, emlat_screen_reply *reply,
                                      void *data);
void emlat_screen_free(struct emlat_screen *screen);

void emlat_screen_feed(struct emlat_screen *screen, const void *bytes, size_t size);
void emlat_screen_resize(struct emlat_screen *screen, unsigned cols, unsigned rows);

/* Is TEXT (UTF-8) on the screen, within one row?  */
bool emlat_screen_find(struct emlat_screen *screen, const char *text, size_t size);

/* Row ROW as UTF-8 without trailing spaces, NUL-terminated; null below the last row.  Valid until
   the next call on this screen.  */
const char *emlat_screen_row(struct emlat_screen *screen, unsigned row);

#endif

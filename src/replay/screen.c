/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The screen as a person would see it.

   libvterm does the work; this file holds what we ask of it, and the one buffer for a row's text.
   No scrollback, no colours, no damage tracking: a script waits for text, nothing else.  */
#include "screen.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vterm.h>

struct emlat_screen {
    VTerm *terminal;
    VTermScreen *cells;
    char *row;
    size_t row_size;
    char kept[4]; /* the beginning of a character whose rest has not come yet */
    size_t kept_size;
    emlat_screen_reply *reply;
    void *reply_data;
};

/* A cell holds at most six characters of at most four bytes.  */
static size_t row_bytes(unsigned cols)
{
    return (size_t)cols * VTERM_MAX_CHARS_PER_CELL * 4 + 1;
}

static void reply(const char *bytes, size_t size, void *data)
{
    struct emlat_screen *screen = data;
    screen->reply(screen->reply_data, bytes, size);
}

struct emlat_screen *emlat_screen_new(unsigned cols, unsigned rows, emlat_screen_reply *callback,
                                      void *data)
{
    struct emlat_screen *screen = calloc(1, sizeof *screen);
    if (!screen)
        return NULL;
    screen->reply = callback;
    screen->reply_data = data;
    screen->row_size = row_bytes(cols);
    screen->row = malloc(screen->row_size);
    screen->terminal = vterm_new((int)rows, (int)cols);
    if (!screen->row || !screen->terminal) {
        emlat_screen_free(screen);
        return NULL;
    }
    vterm_set_utf8(screen->terminal, 1);
    vterm_output_set_callback(screen->terminal, reply, screen);
    screen->cells = vterm_obtain_screen(screen->terminal);
    vterm_screen_enable_altscreen(screen->cells, 1);
    vterm_screen_reset(screen->cells, 1);
    return screen;
}

void emlat_screen_free(struct emlat_screen *screen)
{
    if (!screen)
        return;
    if (screen->terminal)
        vterm_free(screen->terminal);
    free(screen->row);
    free(screen);
}

/* How many of the last bytes begin a character and do not end it.  */
static size_t unfinished(const char *bytes, size_t size)
{
    for (size_t back = 1; back <= 3 && back <= size; back++) {
        uint8_t byte = (uint8_t)bytes[size - back];
        if (byte >= 0xc0)
            return back < (byte < 0xe0 ? 2U : byte < 0xf0 ? 3U : 4U) ? back : 0;
        if (byte < 0x80)
            return 0;
    }
    return 0;
}

static void write_text(struct emlat_screen *screen, const char *text)
{
    vterm_input_write(screen->terminal, text, strlen(text));
}

void emlat_screen_feed(struct emlat_screen *screen, const void *bytes, size_t size)
{
    /* libvterm 0.1.4 takes a character in two pieces for two bad ones, and a terminal's output
       comes in pieces that end anywhere: keep the beginning back until its rest comes.  */
    const char *at = bytes;
    while (size && screen->kept_size) {
        screen->kept[screen->kept_size++] = *at++;
        size--;
        /* Usually none of them or all; but a new beginning may cut an old one short.  */
        size_t keep = unfinished(screen->kept, screen->kept_size);
        size_t whole = screen->kept_size - keep;
        vterm_input_write(screen->terminal, screen->kept, whole);
        memmove(screen->kept, screen->kept + whole, keep);
        screen->kept_size = keep;
    }
    size_t keep = unfinished(at, size);
    vterm_input_write(screen->terminal, at, size - keep);
    memcpy(screen->kept + screen->kept_size, at + size - keep, keep);
    screen->kept_size += keep;
}

void emlat_screen_resize(struct emlat_screen *screen, unsigned cols, unsigned rows)
{
    char *row = realloc(screen->row, row_bytes(cols));
    if (row) {
        screen->row = row;
        screen->row_size = row_bytes(cols);
    } /* else long rows are cut, which is better than to stop the session */

    /* libvterm 0.1.4 keeps margins and the saved cursor of the old size, and writes out of bounds
       when they are used.  So both go (margins do in xterm, too), the saved cursor by saving one
       that fits any size.  CAN ends a sequence that the program is in the middle of.  */
    VTermPos cursor;
    vterm_state_get_cursorpos(vterm_obtain_state(screen->terminal), &cursor);
    write_text(screen, "\030\033[?6l\033[?69l\033[r\033[H\0337");
    vterm_set_size(screen->terminal, (int)rows, (int)cols);
    char back[32];
    snprintf(back, sizeof back, "\033[%d;%dH", cursor.row + 1, cursor.col + 1);
    write_text(screen, back);
}

const char *emlat_screen_row(struct emlat_screen *screen, unsigned row)
{
    int rows, cols;
    vterm_get_size(screen->terminal, &rows, &cols);
    if (row >= (unsigned)rows)
        return NULL;
    VTermRect rect = {
        .start_row = (int)row, .end_row = (int)row + 1, .start_col = 0, .end_col = cols};
    size_t size = vterm_screen_get_text(screen->cells, screen->row, screen->row_size - 1, rect);
    if (size > screen->row_size - 1)
        size = screen->row_size - 1;
    while (size && screen->row[size - 1] == ' ')
        size--;
    screen->row[size] = '\0';
    return screen->row;
}

bool emlat_screen_find(struct emlat_screen *screen, const char *text, size_t size)
{
    /* A row ends in as many spaces as one likes: whether "M-x " was written with its space or by
       moving the cursor is not to be seen on a screen.  */
    size_t words = size;
    while (words && text[words - 1] == ' ')
        words--;

    const char *row;
    for (unsigned i = 0; (row = emlat_screen_row(screen, i)); i++) {
        const char *end = row + strlen(row), *at = row;
        while ((at = memmem(at, (size_t)(end - at), text, words))) {
            size_t spaces = strspn(at + words, " ");
            if (spaces >= size - words || at[words + spaces] == '\0')
                return true;
            at++;
        }
    }
    return false;
}

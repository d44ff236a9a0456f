/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The screen as a person would see it.

   libvterm does the work; this file holds what we ask of it, and the one buffer for a row's text.
   No scrollback, no colours, no damage tracking: a script waits for text, nothing else.  */
#include "screen.h"

#include <stdlib.h>
#include <string.h>
#include <vterm.h>

struct emlat_screen {
    VTerm *terminal;
    VTermScreen *cells;
    char *row;
    size_t row_size;
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

void emlat_screen_feed(struct emlat_screen *screen, const void *bytes, size_t size)
{
    vterm_input_write(screen->terminal, bytes, size);
}

void emlat_screen_resize(struct emlat_screen *screen, unsigned cols, unsigned rows)
{
    char *row = realloc(screen->row, row_bytes(cols));
    if (row) {
        screen->row = row;
        screen->row_size = row_bytes(cols);
    } /* else long rows are cut, which is better than to stop the session */
    vterm_set_size(screen->terminal, (int)rows, (int)cols);
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

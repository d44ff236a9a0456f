/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Figures and blocks.  Knows nothing of reports.  */
#include "style.h"

#include "json_write.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static unsigned screen_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    long wanted = columns ? strtol(columns, NULL, 10) : 0;
    if (wanted > 0 && wanted < 10000)
        return (unsigned)wanted;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    return 80;
}

static bool colors_wanted(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

struct emlat_style emlat_style_choose(bool ascii, uint64_t width)
{
    setlocale(LC_CTYPE, "");
    return (struct emlat_style){
        .ascii = ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0,
        .color = colors_wanted(),
        .width = width ? (unsigned)(width < 10000 ? width : 10000) : screen_width(),
    };
}

const char *emlat_mark(const struct emlat_style *style, enum emlat_mark mark)
{
    static const char *const sequences[] = {"\033[0m", "\033[32m", "\033[31m", "\033[33m",
                                            "\033[2m"};
    return style->color ? sequences[mark] : "";
}

const char *emlat_ms_text(char text[EMLAT_FIGURE], uint64_t ns)
{
    double ms = (double)ns / 1e6;
    int decimals = ms >= 99.95 ? 1 : ms >= 0.9995 ? 2 : 3;
    snprintf(text, EMLAT_FIGURE, "%.*f", decimals, ms);
    return text;
}

const char *emlat_absent(const struct emlat_style *style)
{
    return style->ascii ? "-" : "\u2014";
}

/* Length of the character at TEXT, of LEFT bytes; 0 if it is none that may be shown.  */
static size_t character(const unsigned char *text, size_t left)
{
    bool control = *text < 0x20 || *text == 0x7f ||
                   (*text == 0xc2 && left > 1 && text[1] >= 0x80 && text[1] < 0xa0);
    return control ? 0 : emlat_utf8_length(text, left);
}

static unsigned print_at_most(FILE *to, const char *text, size_t length, unsigned columns)
{
    unsigned column = 0;
    for (size_t at = 0; at < length && column < columns; column++) {
        size_t size = character((const unsigned char *)text + at, length - at);
        if (size)
            fwrite(text + at, 1, size, to);
        else
            fputc('?', to);
        at += size ? size : 1;
    }
    return column;
}

unsigned emlat_print_safe(FILE *to, const char *text, size_t length)
{
    return print_at_most(to, text, length, UINT_MAX);
}

void emlat_print_column(FILE *to, const char *text, unsigned width)
{
    unsigned took = print_at_most(to, text, strlen(text), width);
    fprintf(to, "%*s", (int)(width - took), "");
}

void emlat_print_wrapped(FILE *to, const char *head, const char *text,
                         const struct emlat_style *style)
{
    unsigned indent = (unsigned)strlen(head),
             room = style->width > indent + 20 ? style->width - indent : 20;
    fputs(head, to);
    while (strlen(text) > room) {
        unsigned cut = room;
        while (cut && text[cut] != ' ')
            cut--;
        cut = cut ? cut : room;
        fprintf(to, "%.*s\n%*s", (int)cut, text, (int)indent, "");
        text += cut;
        while (*text == ' ')
            text++;
    }
    fprintf(to, "%s\n", text);
}

const char *emlat_block(const struct emlat_style *style, unsigned eighths, bool up)
{
    static const char *const ups[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                      "\u2585", "\u2586", "\u2587", "\u2588"};
    static const char *const rights[] = {" ",      "\u258f", "\u258e", "\u258d", "\u258c",
                                         "\u258b", "\u258a", "\u2589", "\u2588"};
    static const char *const ascii_ups[] = {" ", ".", ".", ":", ":", "|", "|", "#", "#"};
    if (eighths > 8)
        eighths = 8;
    if (style->ascii)
        return up ? ascii_ups[eighths] : eighths >= 4 ? "#" : eighths ? "." : " ";
    return up ? ups[eighths] : rights[eighths];
}

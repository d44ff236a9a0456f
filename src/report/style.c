/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Figures and blocks.  Knows nothing of reports.  */
#include "style.h"

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
    static const uint32_t least[] = {0, 0x20, 0xa0, 0x800, 0x10000};
    size_t length = *text < 0x80 ? 1 : *text < 0xc2 ? 0 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : 4;
    if (!length || length > left || *text == 0x7f || *text > 0xf4)
        return 0;
    uint32_t code = length == 1 ? *text : *text & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    return code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? length
                                                                                         : 0;
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

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The bytes of JSON (RFC 8259); what is written is UTF-8 whatever the locale is.  */
#include "json_write.h"

#include <math.h>
#include <string.h>

size_t emlat_utf8_length(const unsigned char *text, size_t left)
{
    unsigned char first = text[0], low = 0x80, high = 0xbf;
    size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (first > 0xf4 || !length || length > left)
        return 0;
    if (first == 0xe0)
        low = 0xa0; /* no overlong forms … */
    else if (first == 0xed)
        high = 0x9f; /* … no surrogates … */
    else if (first == 0xf0)
        low = 0x90;
    else if (first == 0xf4)
        high = 0x8f; /* … nothing past U+10FFFF */
    for (size_t i = 1; i < length; i++) {
        if (text[i] < low || text[i] > high)
            return 0;
        low = 0x80;
        high = 0xbf;
    }
    return length;
}

static void put_text(FILE *to, const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text;
    putc_unlocked('"', to);
    for (size_t i = 0; i < length;) {
        size_t plain = 0; /* most texts are nothing else */
        while (i + plain < length && at[i + plain] >= 0x20 && at[i + plain] < 0x7f &&
               at[i + plain] != '"' && at[i + plain] != '\\')
            plain++;
        if (plain) {
            fwrite_unlocked(at + i, 1, plain, to);
            i += plain;
            continue;
        }
        size_t bytes = emlat_utf8_length(at + i, length - i);
        if (!bytes)
            fputs("\\ufffd", to);
        else if (at[i] == '"' || at[i] == '\\')
            fprintf(to, "\\%c", at[i]);
        else if (at[i] < 0x20 || at[i] == 0x7f)
            fprintf(to, "\\u%04x", at[i]);
        else
            fwrite(at + i, 1, bytes, to);
        i += bytes ? bytes : 1;
    }
    putc_unlocked('"', to);
}

static void begin(struct emlat_json *json, const char *key)
{
    if (json->comma)
        putc_unlocked(',', json->to);
    json->comma = true;
    if (key) {
        put_text(json->to, key, strlen(key));
        putc_unlocked(':', json->to);
    }
}

void emlat_json_open(struct emlat_json *json, const char *key, char bracket)
{
    begin(json, key);
    putc_unlocked(bracket, json->to);
    json->comma = false;
}

void emlat_json_close(struct emlat_json *json, char bracket)
{
    putc_unlocked(bracket, json->to);
    json->comma = true;
}

void emlat_json_u64(struct emlat_json *json, const char *key, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    begin(json, key);
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    fwrite_unlocked(digits + at, 1, sizeof digits - at, json->to);
}

void emlat_json_double(struct emlat_json *json, const char *key, double value)
{
    begin(json, key);
    if (isfinite(value))
        fprintf(json->to, "%.15g", value);
    else
        fputs("null", json->to);
}

void emlat_json_number(struct emlat_json *json, const char *key, const char *digits)
{
    begin(json, key);
    fputs(digits, json->to);
}

void emlat_json_bool(struct emlat_json *json, const char *key, bool value)
{
    begin(json, key);
    fputs(value ? "true" : "false", json->to);
}

void emlat_json_null(struct emlat_json *json, const char *key)
{
    begin(json, key);
    fputs("null", json->to);
}

void emlat_json_text(struct emlat_json *json, const char *key, const char *text, size_t length)
{
    begin(json, key);
    put_text(json->to, text, length);
}

void emlat_json_string(struct emlat_json *json, const char *key, const char *text)
{
    emlat_json_text(json, key, text, strlen(text));
}

size_t emlat_utf8_next(const char **text, const char **piece)
{
    size_t length = emlat_utf8_length((const unsigned char *)*text, strnlen(*text, 4));
    if (!**text)
        return 0;
    *piece = length ? *text : "\ufffd";
    *text += length ? length : 1;
    return length ? length : strlen(*piece);
}

void emlat_json_line(struct emlat_json *json)
{
    putc_unlocked('\n', json->to);
    json->comma = false;
}

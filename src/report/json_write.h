/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   JSON to a stream, value by value.  Commas are its business, brackets are the caller's: it does
   not check that what is opened is closed.  Builds no tree, allocates nothing.  */
#ifndef EMLAT_JSON_WRITE_H
#define EMLAT_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct emlat_json {
    FILE *to;
    bool comma; /* a value has been written before, in the bracket at hand */
};

/* KEY is null in an array and at the top.  */
void emlat_json_open(struct emlat_json *json, const char *key, char bracket); /* '{' or '[' */
void emlat_json_close(struct emlat_json *json, char bracket);                 /* '}' or ']' */
void emlat_json_u64(struct emlat_json *json, const char *key, uint64_t value);
void emlat_json_double(struct emlat_json *json, const char *key,
                       double value); /* null if not finite */
/* DIGITS is a number as JSON spells it.  */
void emlat_json_number(struct emlat_json *json, const char *key, const char *digits);
void emlat_json_bool(struct emlat_json *json, const char *key, bool value);
void emlat_json_null(struct emlat_json *json, const char *key);

/* TEXT of LENGTH bytes.  Each byte that is not part of valid UTF-8 becomes U+FFFD.  */
void emlat_json_text(struct emlat_json *json, const char *key, const char *text, size_t length);
/* The same for a NUL-terminated TEXT.  */
void emlat_json_string(struct emlat_json *json, const char *key, const char *text);

/* For other formats that hold UTF-8: how many bytes the valid sequence at TEXT has, of LEFT that
   there are; 0 where there is none.  */
size_t emlat_utf8_length(const unsigned char *text, size_t left);
/* And the next piece of the NUL-terminated *TEXT, which moves on, in
   *PIECE; its length, 0 at the end.  A piece is one character, or U+FFFD for a byte that is not
   part of one.  */
size_t emlat_utf8_next(const char **text, const char **piece);

/* End a line of a file that has one value a line.  */
void emlat_json_line(struct emlat_json *json);

#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Small pieces of text that several verbs print alike.  */
#ifndef EMLAT_WORDS_H
#define EMLAT_WORDS_H

#include "reader.h"

enum { EMLAT_UUID_TEXT = 37, EMLAT_SHORT_TEXT = 40 };

/* "7f3a9c01-…"; its first six digits name a session for people.  */
const char *emlat_uuid_text(char text[EMLAT_UUID_TEXT], const uint8_t uuid[16]);

/* "4.1 MiB", and in bytes below one KiB.  */
const char *emlat_size_text(char text[EMLAT_SHORT_TEXT], uint64_t bytes);

/* Session time T as the local time of day "09:41:07.113", with its date if DATED.  */
const char *emlat_time_text(char text[EMLAT_SHORT_TEXT], const struct emlat_file_info *file,
                            uint64_t t, bool dated);

/* "  name                     value" and a newline, safely.  */
void emlat_print_attribute(const struct emlat_attribute_value *attribute);

#endif

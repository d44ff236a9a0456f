/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See words.h.  */
#include "words.h"

#include "style.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

const char *emlat_uuid_text(char text[EMLAT_UUID_TEXT], const uint8_t uuid[16])
{
    char *at = text;
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *at++ = '-';
        *at++ = "0123456789abcdef"[uuid[i] >> 4];
        *at++ = "0123456789abcdef"[uuid[i] & 15];
    }
    *at = '\0';
    return text;
}

const char *emlat_size_text(char text[EMLAT_SHORT_TEXT], uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes / 1024;
    size_t unit = 0;
    while (value >= 1024 && unit < 3) {
        value /= 1024;
        unit++;
    }
    if (bytes < 1024)
        snprintf(text, EMLAT_SHORT_TEXT, "%" PRIu64 " bytes", bytes);
    else
        snprintf(text, EMLAT_SHORT_TEXT, "%.1f %s", value, units[unit]);
    return text;
}

const char *emlat_time_text(char text[EMLAT_SHORT_TEXT], const struct emlat_file_info *file,
                            uint64_t t, bool dated)
{
    uint64_t real = file->realtime_ns + (t - file->monotonic_ns);
    time_t seconds = (time_t)(real / 1000000000u);
    struct tm local;
    size_t length = 0;
    if (localtime_r(&seconds, &local))
        length = strftime(text, EMLAT_SHORT_TEXT, dated ? "%Y-%m-%d %T" : "%T", &local);
    snprintf(text + length, EMLAT_SHORT_TEXT - length, ".%03u",
             (unsigned)(real / 1000000u % 1000u));
    return text;
}

void emlat_print_attribute(const struct emlat_attribute_value *attribute)
{
    size_t length = strlen(attribute->name);
    fputs("  ", stdout);
    emlat_print_safe(stdout, attribute->name, length);
    printf("%*s", length < 25 ? (int)(25 - length) : 1, "");
    if (attribute->is_text)
        emlat_print_safe(stdout, attribute->text, strlen(attribute->text));
    else
        printf("%" PRIu64, attribute->number);
    putchar('\n');
}

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   HdrHistogram's log, version 1.3: a line a population and bound, tagged "flushed.min" …, each a
   compressed V2 histogram of nanoseconds with three significant digits.

   A histogram has room for every 63-bit number, so nothing is clamped; what is larger ends the
   export.  */
#include "export.h"

#include <emlat/errors.h>
#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>

/* Three digits need 2 * 1000 steps in a bucket: 2048, of which all but the first bucket use the
   upper half.  */
enum { SUB_BUCKETS_LOG2 = 11, SUB_BUCKETS = 1 << SUB_BUCKETS_LOG2, HALF = SUB_BUCKETS / 2 };
enum { BUCKETS = 63 - SUB_BUCKETS_LOG2 + 1, COUNTS = (BUCKETS + 1) * HALF };
enum { DIGITS = 3, LEB_MAX = 9, HEADER = 40 };
static const uint32_t cookie_v2 = 0x1c849313, cookie_compressed_v2 = 0x1c849314;

enum { BOUNDS = 2 };
static const char *const bound_names[BOUNDS] = {"min", "max"};

struct histogram {
    uint64_t *counts; /* COUNTS; null until something is counted */
    uint64_t total, most;
};

struct state {
    struct histogram histogram[EMLAT_POPULATIONS][BOUNDS];
};

static size_t place_of(uint64_t value)
{
    unsigned bucket =
        63u - (unsigned)__builtin_clzll(value | (SUB_BUCKETS - 1)) - (SUB_BUCKETS_LOG2 - 1);
    return (size_t)(bucket + 1) * HALF + (size_t)(value >> bucket) - HALF;
}

static int count(struct emlat_export *export, struct histogram *histogram, uint64_t value)
{
    if (value > INT64_MAX) {
        export->problem = "a duration of more than 292 years has no place in a histogram";
        return EMLAT_ELIMIT;
    }
    if (!histogram->counts)
        histogram->counts = calloc(COUNTS, sizeof *histogram->counts);
    if (!histogram->counts)
        return EMLAT_ENOMEM;
    histogram->counts[place_of(value)]++;
    histogram->total++;
    if (value > histogram->most)
        histogram->most = value;
    return 0;
}

static int interaction(struct emlat_export *export, const struct emlat_record *record,
                       const struct emlat_sample *sample)
{
    struct state *state = export->state;
    (void)record;
    if (!sample || sample->population == EMLAT_NO_INPUT || sample->population == EMLAT_UNFINISHED)
        return 0;
    struct histogram *histogram = state->histogram[sample->population];
    int error = count(export, &histogram[0], sample->lower);
    return error || !sample->has_upper ? error : count(export, &histogram[1], sample->upper);
}

/* ---- One histogram ----------------------------------------------------------------------------
 */

static uint8_t *put_be(uint8_t *at, uint64_t value, unsigned bytes)
{
    while (bytes--)
        *at++ = (uint8_t)(value >> 8 * bytes);
    return at;
}

/* Signed, zigzag, seven bits a byte; a ninth byte has all its eight.  */
static uint8_t *put_zigzag(uint8_t *at, int64_t value)
{
    uint64_t left = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
    for (int i = 1; left > 127 && i < LEB_MAX; i++, left >>= 7)
        *at++ = (uint8_t)(left | 128);
    *at++ = (uint8_t)left;
    return at;
}

/* Counts up to the highest, a run of N zeros as -N.  */
static uint8_t *put_counts(uint8_t *at, const struct histogram *histogram)
{
    size_t end = place_of(histogram->most) + 1;
    for (size_t i = 0; i < end;) {
        size_t run = i;
        while (run < end && !histogram->counts[run])
            run++;
        if (run > i) {
            at = put_zigzag(at, -(int64_t)(run - i));
            i = run;
        } else {
            at = put_zigzag(at, (int64_t)histogram->counts[i++]);
        }
    }
    return at;
}

static void put_base64(FILE *to, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        fputc(digits[group >> 18], to);
        fputc(digits[group >> 12 & 63], to);
        fputc(left > 1 ? digits[group >> 6 & 63] : '=', to);
        fputc(left > 2 ? digits[group & 63] : '=', to);
    }
}

static int put_compressed(FILE *to, const struct histogram *histogram)
{
    uint64_t highest = (uint64_t)SUB_BUCKETS;
    while (highest <= histogram->most && highest <= INT64_MAX / 2)
        highest <<= 1;
    if (highest <= histogram->most)
        highest = INT64_MAX;
    uint8_t *plain = malloc(HEADER + (size_t)COUNTS * LEB_MAX);
    if (!plain)
        return EMLAT_ENOMEM;
    size_t payload = (size_t)(put_counts(plain + HEADER, histogram) - (plain + HEADER));
    uint8_t *at = put_be(plain, cookie_v2, 4);
    at = put_be(at, payload, 4);
    at = put_be(at, 0, 4); /* normalizing index offset */
    at = put_be(at, DIGITS, 4);
    at = put_be(at, 1, 8); /* lowest discernible value */
    at = put_be(at, highest, 8);
    put_be(at, 0x3ff0000000000000, 8); /* ratio of integer to double: 1.0 */
    uLongf size = compressBound(HEADER + payload);
    uint8_t *packed = malloc(8 + size);
    int error = packed && compress2(packed + 8, &size, plain, HEADER + payload,
                                    Z_DEFAULT_COMPRESSION) == Z_OK
                    ? 0
                    : EMLAT_ENOMEM;
    if (!error) {
        put_be(put_be(packed, cookie_compressed_v2, 4), size, 4);
        put_base64(to, packed, 8 + size);
    }
    free(packed);
    free(plain);
    return error;
}

/* ---- The log ----------------------------------------------------------------------------------
 */

static int end(struct emlat_export *export, bool whole)
{
    const struct emlat_file_info *file = emlat_reader_file(export->reader);
    struct state *state = export->state;
    uint64_t length = export->t_last > file->monotonic_ns ? export->t_last - file->monotonic_ns : 0;
    int error = 0;
    fprintf(export->to,
            "#[Histogram log format version 1.3]\n"
            "#[StartTime: %" PRIu64 ".%03u (seconds since epoch)]\n",
            file->realtime_ns / 1000000000u, (unsigned)(file->realtime_ns / 1000000u % 1000u));
    if (!whole)
        fputs("#[of a damaged recording, up to the damage]\n", export->to);
    fputs("\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
          "\"Interval_Compressed_Histogram\"\n",
          export->to);
    for (int population = 0; population < EMLAT_POPULATIONS; population++) {
        for (int bound = 0; !error && bound < BOUNDS; bound++) {
            const struct histogram *histogram = &state->histogram[population][bound];
            if (!histogram->total)
                continue;
            fprintf(export->to, "Tag=%s.%s,0.000,%" PRIu64 ".%03u,%.3f,",
                    emlat_population_name((enum emlat_population)population), bound_names[bound],
                    length / 1000000000u, (unsigned)(length / 1000000u % 1000u),
                    (double)histogram->most / 1e6);
            error = put_compressed(export->to, histogram);
            fputc('\n', export->to);
        }
    }
    return error;
}

static void release(struct emlat_export *export)
{
    struct state *state = export->state;
    for (int population = 0; population < EMLAT_POPULATIONS; population++)
        for (int bound = 0; bound < BOUNDS; bound++)
            free(state->histogram[population][bound].counts);
}

const struct emlat_export_view emlat_export_hlog = {
    .name = "hlog",
    .about = "HdrHistogram log, a tag for each population and bound",
    .state_bytes = sizeof(struct state),
    .interaction = interaction,
    .end = end,
    .free = release,
};

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Cursors over bytes: fixed little-endian integers and LEB128, both ways.

   An error is sticky.  A cursor that has run out (or met an impossible number) answers zeros from
   then on and keeps FAILED set, so a coder runs straight through and tests once at its end.
   Nothing here allocates, and nothing here knows what the bytes mean.  */
#ifndef EMLAT_WIRE_H
#define EMLAT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { EMLAT_LEB128_MAX = 10 }; /* bytes that a 64-bit number takes at most */

struct emlat_put {
    uint8_t *at, *end;
    bool failed; /* the bytes did not fit; nothing past the failure was stored */
};

struct emlat_get {
    const uint8_t *at, *end;
    bool failed; /* the bytes ran out, or a number does not fit 64 bits */
};

static inline struct emlat_put emlat_put_to(void *bytes, size_t size)
{
    return (struct emlat_put){.at = bytes, .end = (uint8_t *)bytes + size};
}

static inline struct emlat_get emlat_get_from(const void *bytes, size_t size)
{
    return (struct emlat_get){.at = bytes, .end = (const uint8_t *)bytes + size};
}

static inline void emlat_put_bytes(struct emlat_put *put, const void *bytes, size_t size)
{
    if (put->failed || (size_t)(put->end - put->at) < size) {
        put->failed = true;
        return;
    }
    if (size)
        memcpy(put->at, bytes, size);
    put->at += size;
}

/* SIZE (2, 4 or 8) bytes of VALUE, least significant first.  */
static inline void emlat_put_le(struct emlat_put *put, uint64_t value, unsigned size)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    emlat_put_bytes(put, bytes, size);
}

/* Unsigned LEB128.  */
static inline void emlat_put_u(struct emlat_put *put, uint64_t value)
{
    uint8_t bytes[EMLAT_LEB128_MAX];
    size_t n = 0;
    do {
        uint8_t low = value & 0x7f;
        value >>= 7;
        bytes[n++] = (uint8_t)(low | (value ? 0x80 : 0));
    } while (value);
    emlat_put_bytes(put, bytes, n);
}

/* Signed LEB128: two's complement, the last byte's bit 6 is the sign.  */
static inline void emlat_put_s(struct emlat_put *put, int64_t value)
{
    uint8_t bytes[EMLAT_LEB128_MAX];
    size_t n = 0;
    bool more;
    do {
        uint8_t low = (uint8_t)((uint64_t)value & 0x7f);
        /* An arithmetic shift, said without the implementation-defined one.  */
        value = value < 0 ? (int64_t) ~(~(uint64_t)value >> 7) : (int64_t)((uint64_t)value >> 7);
        more = !((value == 0 && !(low & 0x40)) || (value == -1 && (low & 0x40)));
        bytes[n++] = (uint8_t)(low | (more ? 0x80 : 0));
    } while (more);
    emlat_put_bytes(put, bytes, n);
}

static inline size_t emlat_get_left(const struct emlat_get *get)
{
    return get->failed ? 0 : (size_t)(get->end - get->at);
}

/* SIZE bytes as they stand, or null.  They belong to whoever owns the cursor's bytes.  */
static inline const uint8_t *emlat_get_bytes(struct emlat_get *get, uint64_t size)
{
    if (get->failed || (uint64_t)(get->end - get->at) < size) {
        get->failed = true;
        return NULL;
    }
    const uint8_t *bytes = get->at;
    get->at += size;
    return bytes;
}

static inline uint64_t emlat_get_le(struct emlat_get *get, unsigned size)
{
    const uint8_t *bytes = emlat_get_bytes(get, size);
    uint64_t value = 0;
    for (unsigned i = 0; bytes && i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

static inline uint64_t emlat_get_u(struct emlat_get *get)
{
    uint64_t value = 0;
    for (unsigned shift = 0; !get->failed && get->at < get->end && shift < 70; shift += 7) {
        uint8_t byte = *get->at++;
        if (shift == 63 && (byte & 0x7e))
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    get->failed = true;
    return 0;
}

static inline int64_t emlat_get_s(struct emlat_get *get)
{
    uint64_t value = 0;
    for (unsigned shift = 0; !get->failed && get->at < get->end && shift < 70; shift += 7) {
        uint8_t byte = *get->at++;
        /* Only bit 63 is left for the tenth byte; its other bits must repeat the sign.  */
        if (shift == 63 && (byte & 0x7f) != 0 && (byte & 0x7f) != 0x7f)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80)
            continue;
        if (shift < 57 && (byte & 0x40))
            value |= ~(uint64_t)0 << (shift + 7);
        return (int64_t)value;
    }
    get->failed = true;
    return 0;
}

#endif

/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   SHA-256 (FIPS 180-4), to say in a witness which script was played without naming the file.
   `sha256sum SCRIPT` prints the same.  Made for identity, not for speed or secrets.  */
#ifndef EMLAT_SHA256_H
#define EMLAT_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct emlat_sha256 {
    uint32_t state[8];
    uint64_t size;
    uint8_t block[64];
};

void emlat_sha256_init(struct emlat_sha256 *sha);
void emlat_sha256_update(struct emlat_sha256 *sha, const void *bytes, size_t size);

/* Leaves SHA as it is, so a running digest may be asked at any time.  */
void emlat_sha256_hex(const struct emlat_sha256 *sha, char hex[65]);

#endif

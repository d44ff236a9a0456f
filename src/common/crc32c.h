/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   CRC32C (Castagnoli, reflected polynomial 0x82f63b78; RFC 3720 appendix B.4), the check of every
   header and payload in an .emlat file.  The CRC of the nine bytes "123456789" is 0xe3069283.  */
#ifndef EMLAT_CRC32C_H
#define EMLAT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of SIZE bytes.  Pass 0 as CRC, or the result for the bytes before to go on.
   Uses the processor's instruction where it has one.  Any thread; does not block.  */
uint32_t emlat_crc32c(uint32_t crc, const void *bytes, size_t size);

/* The same by table alone, and by the instruction alone: *SUPPORTED says whether the processor has
   one; without it the result means nothing.  For tests and benchmarks.  */
uint32_t emlat_crc32c_table(uint32_t crc, const void *bytes, size_t size);
uint32_t emlat_crc32c_hardware(uint32_t crc, const void *bytes, size_t size, int *supported);

#endif

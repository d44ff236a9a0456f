/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   CRC32C by table, or by the instruction of SSE4.2 or ARMv8 where this processor has it.

   The choice is made per call from a cached answer of the processor, not by an ifunc or a
   constructor: a library inside a host runs nothing before it is called.  For the same reason the
   table is filled on first use; threads that race there store the same values.  */
#include "crc32c.h"

#include <stdatomic.h>
#include <string.h>

#if defined __x86_64__ || defined __i386__
#include <nmmintrin.h>
#define CRC_TARGET __attribute__((target("sse4.2")))
static int hardware_present(void)
{
    return __builtin_cpu_supports("sse4.2") ? 1 : 0;
}
#elif defined __aarch64__ && defined __linux__
#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#define CRC_TARGET __attribute__((target("+crc")))
static int hardware_present(void)
{
    return getauxval(AT_HWCAP) & HWCAP_CRC32 ? 1 : 0;
}
#endif

#ifdef CRC_TARGET
CRC_TARGET static uint32_t hardware(uint32_t crc, const uint8_t *at, size_t size)
{
    crc = ~crc;
#if defined __x86_64__
    for (; size >= 8; at += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        crc = (uint32_t)_mm_crc32_u64(crc, word);
    }
    for (; size; at++, size--)
        crc = _mm_crc32_u8(crc, *at);
#elif defined __i386__
    for (; size; at++, size--)
        crc = _mm_crc32_u8(crc, *at);
#else
    for (; size >= 8; at += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        crc = __crc32cd(crc, word);
    }
    for (; size; at++, size--)
        crc = __crc32cb(crc, *at);
#endif
    return ~crc;
}

/* 0 not asked yet, 1 absent, 2 present.  Relaxed: every thread would find the same answer.  */
static _Atomic int hardware_answer;

static int hardware_usable(void)
{
    int answer = atomic_load_explicit(&hardware_answer, memory_order_relaxed);
    if (!answer) {
        answer = 1 + hardware_present();
        atomic_store_explicit(&hardware_answer, answer, memory_order_relaxed);
    }
    return answer == 2;
}
#endif

uint32_t emlat_crc32c_hardware(uint32_t crc, const void *bytes, size_t size, int *supported)
{
#ifdef CRC_TARGET
    *supported = hardware_usable();
    return *supported ? hardware(crc, bytes, size) : 0;
#else
    (void)crc, (void)bytes, (void)size;
    *supported = 0;
    return 0;
#endif
}

static _Atomic uint32_t table[256];

uint32_t emlat_crc32c_table(uint32_t crc, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    /* Entry 255 is never zero once the table is filled; it is the last to be stored.  */
    if (!atomic_load_explicit(&table[255], memory_order_acquire)) {
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t entry = i;
            for (int bit = 0; bit < 8; bit++)
                entry = entry & 1 ? entry >> 1 ^ 0x82f63b78 : entry >> 1;
            atomic_store_explicit(&table[i], entry, memory_order_release);
        }
    }
    crc = ~crc;
    for (; size; at++, size--)
        crc = crc >> 8 ^ atomic_load_explicit(&table[(crc ^ *at) & 0xff], memory_order_relaxed);
    return ~crc;
}

uint32_t emlat_crc32c(uint32_t crc, const void *bytes, size_t size)
{
#ifdef CRC_TARGET
    if (hardware_usable())
        return hardware(crc, bytes, size);
#endif
    return emlat_crc32c_table(crc, bytes, size);
}

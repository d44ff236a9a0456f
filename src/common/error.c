/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Error numbers in words, expanded from errors.def.  */
#include <emlat/errors.h>

const char *emlat_strerror(int error)
{
    switch (error) {
    case 0: return "no error";
#define ERR(name, number, words) \
    case EMLAT_##name:           \
        return words;
#include <emlat/errors.def>
#undef ERR
    default: return "unknown error";
    }
}

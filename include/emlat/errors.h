/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The error numbers of emlat, expanded from errors.def, and their words.  */
#ifndef EMLAT_ERRORS_H
#define EMLAT_ERRORS_H

#ifdef __cplusplus
extern "C" {
#endif

enum emlat_error {
#define ERR(name, number, words) EMLAT_##name = -(number),
#include "errors.def"
#undef ERR
};

#pragma GCC visibility push(default)
/* The meaning of ERROR, a negative number as emlat's functions return it, in words.
   Never null: an unknown number has words too.  Any thread; does not block.  */
const char *emlat_strerror(int error);
#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif

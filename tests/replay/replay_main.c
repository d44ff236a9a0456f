/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   `emlat replay` as a program of its own, so that its tests need nothing else of emlat.  */
#include "verbs.h"

int main(int argc, char **argv)
{
    return emlat_verb_replay(argc, argv);
}

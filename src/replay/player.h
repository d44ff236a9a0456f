/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Playing a checked script to a program: the loop of a replay.  replay.c opens and closes what it
   works on.  */
#ifndef EMLAT_PLAYER_H
#define EMLAT_PLAYER_H

#include "cast.h"
#include "castout.h"
#include "replay.h"
#include "witness.h"

/* All are the caller's.  RECORD may be null.  */
struct emlat_player_parts {
    const struct emlat_replay_options *options;
    struct emlat_cast *cast; /* its header has been read */
    struct emlat_witness *witness;
    struct emlat_castout *record;
};

/* Run the program until it has ended.  0 or an enum emlat_replay_error, explained through SAY.  */
int emlat_player_run(const struct emlat_player_parts *parts);

/* Text for people, printf-like: one line through SAY, with control characters as '?'.  */
__attribute__((format(printf, 3, 4))) void emlat_say(const struct emlat_replay_options *options,
                                                     enum emlat_replay_said kind,
                                                     const char *format, ...);

#endif

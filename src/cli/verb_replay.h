/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers  */
#ifndef EMLAT_VERB_REPLAY_H
#define EMLAT_VERB_REPLAY_H

/* emlat replay: ARGV[0] is the verb.  The exit code: 0 played to the end, 1 it failed, 2 usage,
   3 the script or a file is unusable.  */
int emlat_verb_replay(int argc, char **argv);

#endif

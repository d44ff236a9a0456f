/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   What a person at the keys waited for: one command's time from its key's arrival until its output
   was flushed (or, where it had none, until its work was done), divided among components, and who
   else held the thread meanwhile.

   Unlike a sample, it counts commands whose display was superseded: a burst of keys whose few
   flushed ones were quick would look well otherwise.  And a command that itself waited for the
   person (a minibuffer, say) answers twice: its first key with its first output, and the last key
   that it was given with its final one.  */
#ifndef EMLAT_RESPONSE_H
#define EMLAT_RESPONSE_H

#include "sample.h"
#include "timeline.h"

/* Time that something else took from it: which kind of root, doing what.  */
struct emlat_blame {
    uint64_t kind; /* a root kind, or 0: on nobody's behalf */
    enum emlat_component component;
    uint64_t ns;
    uint64_t cpu_ns, known_ns; /* of the roots whose CPU time is known: their share of it */
};

enum { EMLAT_BLAMES_MAX = 6 }; /* of one response; the rest is not told apart */

struct emlat_response {
    uint64_t cause, t_begin, t_end; /* from the input's latest arrival */
    enum emlat_population population;
    uint64_t component[EMLAT_COMPONENTS]; /* ns; they add up to T_END - T_BEGIN */
    uint64_t matrices_ns, update_ns;      /* of REDISPLAY; the rest of it is neither */
    uint64_t uncovered_ns;                /* of WAIT: nothing held the thread */
    uint64_t idle_ns;                     /* of the other components: waiting for more input */
    bool has_cpu;
    uint64_t wall_ns, cpu_ns; /* of its own, from its dispatch on */
    uint64_t run_delay_ns;    /* in which it was ready to run and had no processor; 0: not known */
    struct emlat_blame blame[EMLAT_BLAMES_MAX];
    unsigned blames;
};

static inline uint64_t emlat_response_ns(const struct emlat_response *response)
{
    return response->t_end - response->t_begin;
}

/* Make the RESPONSES of RECORD, an INTERACTION of READER's file, by TIMELINE, which has settled all
   that was flushed with it; roots that delayed it are told so.  Returns how many there are: 0 where
   RECORD is no command, has no physical input, or is not over.  */
enum { EMLAT_RESPONSES_OF_ONE_MAX = 2 };
unsigned emlat_responses_of(const struct emlat_reader *reader, const struct emlat_record *record,
                            struct emlat_timeline *timeline,
                            struct emlat_response responses[EMLAT_RESPONSES_OF_ONE_MAX]);

#endif

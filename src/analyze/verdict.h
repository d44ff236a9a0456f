/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   What made people wait: the responses of a session, and what one may conclude from them.

   The latencies of all responses are kept, 8 bytes each; their parts and blames only of a uniform
   sample of at most EMLAT_RESPONSES_MAX, so that memory is bounded.  Fewer are all there.  */
#ifndef EMLAT_VERDICT_H
#define EMLAT_VERDICT_H

#include "distribution.h"
#include "response.h"

enum {
    EMLAT_RESPONSES_MAX = 1 << 15,
    EMLAT_TAIL_BLAMES_MAX = 16,
    EMLAT_FELT_NS = EMLAT_SLOW_NS,   /* a response that takes longer may be felt */
    EMLAT_FELT_SURELY_NS = 50000000, /* and such a one stands out among quick ones */
};

/* Bursts: keys that came before the ones before them were answered.  */
struct emlat_backlog {
    uint64_t bursts;         /* of at least EMLAT_BURST_KEYS */
    uint64_t keys;           /* of the one that took longest to drain */
    uint64_t drain_ns;       /* its last byte's arrival to its last output or work */
    uint64_t commands_after; /* commands that were not done when its last byte came */
    uint64_t superseded_run; /* the longest run of commands that never were displayed */
};
enum { EMLAT_BURST_KEYS = 3 };

struct emlat_responses {
    struct emlat_distribution latency; /* of all */
    struct emlat_response *kept;
    size_t kept_count, kept_room;
    uint64_t superseded; /* of all */
    uint64_t random;
    struct emlat_backlog backlog;
    struct { /* the burst under way */
        uint64_t last_input, done, keys;
        struct emlat_distribution ends;
    } burst;
    uint64_t superseded_run;
};

int emlat_responses_add(struct emlat_responses *responses, const struct emlat_response *response);
/* No more will come.  */
void emlat_responses_end(struct emlat_responses *responses);
void emlat_responses_free(struct emlat_responses *responses);

/* Sums over the slowest responses, or over the typical ones.  */
struct emlat_tail {
    unsigned permille;  /* from which percentile on; 500: the half around the median */
    uint64_t threshold; /* ns, that percentile of all responses */
    uint64_t count;     /* responses that are summed */
    uint64_t total_ns, component[EMLAT_COMPONENTS], uncovered_ns, idle_ns, run_delay_ns;
    uint64_t matrices_ns, update_ns;  /* of REDISPLAY */
    uint64_t own_wall_ns, own_cpu_ns; /* of those whose CPU time is known, from dispatch on */
    struct emlat_blame blame[EMLAT_TAIL_BLAMES_MAX]; /* largest first */
    unsigned blames;
};

enum emlat_finding {
    EMLAT_NO_RESPONSES, /* no key was answered */
    EMLAT_NOTHING_SLOW, /* nothing here needs fixing */
    EMLAT_NOT_IN_HOST,  /* what took the time was no work of the host's */
    EMLAT_NONE_REPEATS, /* slow, but now for this reason and now for that */
    EMLAT_ONE_LEADS,    /* COMPONENT is the largest, repeatably */
};

struct emlat_verdict {
    enum emlat_finding finding;
    enum emlat_component component; /* the largest one, where anything is slow */
    int on_cpu;                     /* 1 it used its processor, 0 it waited, -1 not known */
    double share;                   /* of COMPONENT in the tail */
    double resamples_led;           /* part of the bootstrap resamples in which it is largest */
    unsigned slices, slices_led;    /* parts of the session with a tail, and where it is largest */
    double superseded_share;        /* of all responses; negative where there are none */
    struct emlat_tail tail;         /* what it was judged by */
    struct emlat_tail typical, p95, p99; /* count 0 where there is nothing to say */
};

/* Judge RESPONSES, after their end.  */
void emlat_verdict_of(const struct emlat_responses *responses, struct emlat_verdict *verdict);

#endif

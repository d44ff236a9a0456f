/* Hooks for recording interaction latency.

Copyright (C) 2026 The emlat developers

This file becomes part of GNU Emacs when it is applied to its sources.

It is free software: you can redistribute it and/or modify
it under the terms of the GNU General Public License as published by
the Free Software Foundation, either version 3 of the License, or (at
your option) any later version.

It is distributed in the hope that it will be useful,
but WITHOUT ANY WARRANTY; without even the implied warranty of
MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the
GNU General Public License for more details.

You should have received a copy of the GNU General Public License
along with GNU Emacs.  If not, see <https://www.gnu.org/licenses/>.  */

/* A hook is one line in a hooked file, and everything it does is in
   latency.c.  Without --with-latency every hook but `latency_fflush'
   is nothing at all, and that one is the `fflush' that stood there, so
   that the hooked files compile to the code that they had before.

   A hook never allocates, never signals and never runs Lisp: it may be
   called while Emacs is collecting garbage, with input blocked, and
   between `set_waiting_for_input' and `clear_waiting_for_input', where
   a signal handler may jump away at any instruction.  */

#ifndef EMACS_LATENCY_H
#define EMACS_LATENCY_H

#include "lisp.h"

extern void syms_of_latency (void);
extern void init_latency (void);
extern void latency_request (char *);
extern void latency_shut_down (void);

#ifdef HAVE_LATENCY

#include <stdio.h>
#include <sys/select.h>

#include <emlat/emlat.h>

/* The main thread's recorder, or null while nothing is recorded.  */
extern struct emlat_producer *latency_main;

/* The spans of emacs_spans in latency.c.  */
enum latency_span_kind
  {
    LATENCY_PRE_COMMAND = 1,
    LATENCY_COMMAND,
    LATENCY_POST_COMMAND,
    LATENCY_REDISPLAY,
    LATENCY_GC,
    LATENCY_POLL,
    LATENCY_FLUSH,
    LATENCY_READ,
    LATENCY_KEY_DECODE,
    LATENCY_SPAN_KINDS
  };

struct terminal;

extern void latency_loop_enter_1 (void *);
extern void latency_loop_leave_1 (void *);
extern void latency_loop_landed_1 (void *);
extern void latency_command_failed_1 (void *, Lisp_Object);
extern void latency_stack_overflowed_1 (void);
extern void latency_late_post_command_begin_1 (void);
extern void latency_command_done_1 (void);
extern void latency_keys_begin_1 (void);
extern void latency_dispatch_1 (int);
extern void latency_span_begin_1 (enum latency_span_kind);
extern void latency_span_end_1 (enum latency_span_kind);
extern void latency_display_decide_1 (bool);
extern void latency_display_done_1 (void);
extern void latency_queue_insert_1 (ptrdiff_t);
extern void latency_queue_remove_1 (ptrdiff_t);
extern void latency_input_look_1 (void);
extern void latency_input_counted_1 (int, int);
extern void latency_read_begin_1 (void);
extern void latency_read_end_1 (int, int);
extern void latency_read_stored_1 (void);
extern void latency_quit_signal_1 (void);
extern void latency_nonlocal_exit_1 (void);
extern void latency_redisplay_begin_1 (void);
extern void latency_redisplay_end_1 (void);
extern void latency_gc_begin_1 (void);
extern void latency_gc_end_1 (void);
extern void latency_poll_begin_1 (fd_set *);
extern void latency_poll_end_1 (int, fd_set *);
extern void latency_wrote_1 (struct terminal *, ptrdiff_t);
extern int latency_fflush_1 (struct terminal *, FILE *);

/* Off: a load and a branch.  */
# define LATENCY_HOOK(call) \
  ((void) (__builtin_expect (latency_main != NULL, 0) ? (call, 0) : 0))

/* The address of the caller's frame tells which loops are dead.  */
# define latency_loop_enter() \
  LATENCY_HOOK (latency_loop_enter_1 (__builtin_frame_address (0)))
# define latency_loop_leave() \
  LATENCY_HOOK (latency_loop_leave_1 (__builtin_frame_address (0)))
# define latency_loop_landed() \
  LATENCY_HOOK (latency_loop_landed_1 (__builtin_frame_address (0)))
# define latency_command_failed(data) \
  LATENCY_HOOK (latency_command_failed_1 (__builtin_frame_address (0), data))
# define latency_stack_overflowed() \
  LATENCY_HOOK (latency_stack_overflowed_1 ())
# define latency_late_post_command_begin() \
  LATENCY_HOOK (latency_late_post_command_begin_1 ())
# define latency_command_done() LATENCY_HOOK (latency_command_done_1 ())
# define latency_keys_begin() LATENCY_HOOK (latency_keys_begin_1 ())
# define latency_dispatch(keys) LATENCY_HOOK (latency_dispatch_1 (keys))
# define latency_span_begin(kind) LATENCY_HOOK (latency_span_begin_1 (kind))
# define latency_span_end(kind) LATENCY_HOOK (latency_span_end_1 (kind))
# define latency_display_decide(now) \
  LATENCY_HOOK (latency_display_decide_1 (now))
# define latency_display_done() LATENCY_HOOK (latency_display_done_1 ())
# define latency_queue_insert(slot) \
  LATENCY_HOOK (latency_queue_insert_1 (slot))
# define latency_queue_remove(slot) \
  LATENCY_HOOK (latency_queue_remove_1 (slot))
# define latency_input_look() LATENCY_HOOK (latency_input_look_1 ())
# define latency_input_counted(id, n) \
  LATENCY_HOOK (latency_input_counted_1 (id, n))
# define latency_read_begin() LATENCY_HOOK (latency_read_begin_1 ())
# define latency_read_end(id, n) LATENCY_HOOK (latency_read_end_1 (id, n))
# define latency_read_stored() LATENCY_HOOK (latency_read_stored_1 ())
# define latency_quit_signal() LATENCY_HOOK (latency_quit_signal_1 ())
# define latency_nonlocal_exit() LATENCY_HOOK (latency_nonlocal_exit_1 ())
# define latency_redisplay_begin() LATENCY_HOOK (latency_redisplay_begin_1 ())
# define latency_redisplay_end() LATENCY_HOOK (latency_redisplay_end_1 ())
# define latency_gc_begin() LATENCY_HOOK (latency_gc_begin_1 ())
# define latency_gc_end() LATENCY_HOOK (latency_gc_end_1 ())
# define latency_poll_begin(set) LATENCY_HOOK (latency_poll_begin_1 (set))
# define latency_poll_end(n, set) LATENCY_HOOK (latency_poll_end_1 (n, set))
# define latency_wrote(terminal, n) \
  LATENCY_HOOK (latency_wrote_1 (terminal, n))
# define latency_fflush(terminal, stream) \
  (__builtin_expect (latency_main != NULL, 0) \
   ? latency_fflush_1 (terminal, stream) : fflush (stream))

#else  /* not HAVE_LATENCY */

# define latency_loop_enter() ((void) 0)
# define latency_loop_leave() ((void) 0)
# define latency_loop_landed() ((void) 0)
# define latency_command_failed(data) ((void) 0)
# define latency_stack_overflowed() ((void) 0)
# define latency_late_post_command_begin() ((void) 0)
# define latency_command_done() ((void) 0)
# define latency_keys_begin() ((void) 0)
# define latency_dispatch(keys) ((void) 0)
# define latency_span_begin(kind) ((void) 0)
# define latency_span_end(kind) ((void) 0)
# define latency_display_decide(now) ((void) 0)
# define latency_display_done() ((void) 0)
# define latency_queue_insert(slot) ((void) 0)
# define latency_queue_remove(slot) ((void) 0)
# define latency_input_look() ((void) 0)
# define latency_input_counted(id, n) ((void) 0)
# define latency_read_begin() ((void) 0)
# define latency_read_end(id, n) ((void) 0)
# define latency_read_stored() ((void) 0)
# define latency_quit_signal() ((void) 0)
# define latency_nonlocal_exit() ((void) 0)
# define latency_redisplay_begin() ((void) 0)
# define latency_redisplay_end() ((void) 0)
# define latency_gc_begin() ((void) 0)
# define latency_gc_end() ((void) 0)
# define latency_poll_begin(set) ((void) 0)
# define latency_poll_end(n, set) ((void) 0)
# define latency_wrote(terminal, n) ((void) 0)
# define latency_fflush(terminal, stream) fflush (stream)

#endif /* not HAVE_LATENCY */

#endif /* EMACS_LATENCY_H */

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

/* The recorder of the Lisp thread that runs, or null where nothing is
   recorded.  */
extern struct emlat_producer *latency_recorder;

/* True while a recording is under way, whatever thread runs.  */
extern bool latency_recording;

/* The roots, spans and counters that hooks name; latency.c has their
   names in the file.  */
enum latency_root_kind
  {
    LATENCY_TTY_COMMAND = 1,
    LATENCY_SYNTHETIC_COMMAND,
    LATENCY_TIMER,
    LATENCY_PROCESS_DATA,
    LATENCY_PROCESS_SENTINEL,
    LATENCY_FILE_NOTIFICATION,
    LATENCY_RESIZE,
    LATENCY_THREAD_WAKEUP,
    LATENCY_MAINTENANCE
  };

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
    LATENCY_COMMAND_LOOP,
    LATENCY_TTY_READY,
    LATENCY_QUEUE,
    LATENCY_DECISION,
    LATENCY_MATRICES,
    LATENCY_UPDATE,
    LATENCY_TTY_WRITE,
    LATENCY_REDISPLAY_LISP,
    LATENCY_ECHO_AREA,
    LATENCY_DECODE_FILTER,
    LATENCY_INPUT_HOLD,
    LATENCY_PROCESS_WRITE,
    LATENCY_SUSPENDED,
    LATENCY_SPAN_KINDS
  };

/* Counters that are summed where the work is done, and told when the
   display that did it ends.  */
enum latency_tally
  {
    LATENCY_FRAMES_CONSIDERED,
    LATENCY_FRAMES_UPDATED,
    LATENCY_WINDOWS_CONSIDERED,
    LATENCY_WINDOWS_UPDATED,
    LATENCY_ROWS_GENERATED,
    LATENCY_ROWS_UPDATED,
    LATENCY_ROWS_REUSED,
    LATENCY_GLYPHS,
    LATENCY_PREEMPTIONS,
    LATENCY_RETRIES_WINDOW,
    LATENCY_RETRIES_FONTS,
    LATENCY_RETRIES_HSCROLL,
    LATENCY_RETRIES_FRAME,
    LATENCY_RETRIES_GARBAGED,
    LATENCY_LISP_CALLS,
    LATENCY_LISP_NS,
    LATENCY_TALLIES
  };
extern uint64_t latency_tallies[LATENCY_TALLIES];

struct frame;
struct Lisp_Process;
struct kboard;
struct terminal;

extern void latency_loop_enter_1 (void *);
extern void latency_loop_leave_1 (void *);
extern void latency_loop_landed_1 (void *);
extern void latency_command_failed_1 (void *, Lisp_Object);
extern void latency_stack_overflowed_1 (void);
extern void latency_late_post_command_begin_1 (void);
extern void latency_command_done_1 (void);
extern void latency_keys_begin_1 (void);
extern void latency_dispatch_1 (int, int);
extern void latency_span_begin_1 (enum latency_span_kind);
extern void latency_span_end_1 (enum latency_span_kind);
extern void latency_display_decide_1 (bool);
extern void latency_display_done_1 (void);
extern void latency_queue_insert_1 (ptrdiff_t, int);
extern void latency_queue_remove_1 (ptrdiff_t, int);
extern void latency_special_remove_1 (ptrdiff_t);
extern void latency_side_queue_put_1 (struct kboard *, Lisp_Object);
extern void latency_side_queue_get_1 (struct kboard *);
extern void latency_event_unread_1 (Lisp_Object);
extern void latency_discard_1 (ptrdiff_t, int);
extern void latency_hold_begin_1 (void);
extern void latency_hold_end_1 (void);
extern void latency_input_signal_1 (void);
extern void latency_filter_begin_1 (void);
extern void latency_filter_end_1 (void);
extern void latency_input_look_1 (void);
extern void latency_input_counted_1 (int, int);
extern void latency_read_begin_1 (void);
extern void latency_read_end_1 (int, int);
extern void latency_read_stored_1 (void);
extern void latency_quit_signal_1 (void);
extern void latency_quit_requested_1 (void);
extern void latency_quit_landed_1 (void);
extern uint64_t latency_root_begin_1 (enum latency_root_kind);
extern uint64_t latency_timer_begin_1 (Lisp_Object, struct timespec);
extern uint64_t latency_process_begin_1 (enum latency_root_kind,
					 struct Lisp_Process *, ptrdiff_t);
extern void latency_root_failed_1 (void);
extern uint64_t latency_special_begin_1 (Lisp_Object);
extern uint64_t latency_resize_begin_1 (void);
extern void latency_root_end_1 (uint64_t);
extern void latency_resize_signal_1 (void);
extern void latency_made_1 (void *);
extern void latency_thread_runs_1 (void);
extern void latency_thread_waits_1 (void);
extern void latency_thread_ends_1 (void);
extern void latency_tty_ready_1 (void);
extern void latency_decision_begin_1 (void);
extern void latency_redisplay_reason_1 (int);
extern void latency_echo_begin_1 (void);
extern void latency_echo_end_1 (void);
extern void latency_lisp_begin_1 (void);
extern void latency_lisp_end_1 (void);
extern void latency_update_begin_1 (struct frame *);
extern void latency_update_end_1 (bool);
extern void latency_update_rows_1 (struct frame *);
extern void latency_nonlocal_exit_1 (void);
extern void latency_redisplay_begin_1 (void);
extern void latency_redisplay_end_1 (void);
extern void latency_gc_begin_1 (void);
extern void latency_gc_end_1 (void);
extern void latency_poll_begin_1 (fd_set *, int);
extern void latency_poll_end_1 (int, fd_set *);
extern void latency_wrote_1 (struct terminal *, ptrdiff_t);
extern int latency_fflush_1 (struct terminal *, FILE *);

/* Off: a load and a branch.  */
# define LATENCY_HOOK(call) \
  ((void) (__builtin_expect (latency_recorder != NULL, 0) ? (call, 0) : 0))

/* The same for what happens on threads that are not recorded as well.  */
# define LATENCY_ANY_THREAD(call) \
  ((void) (__builtin_expect (latency_recording, 0) ? (call, 0) : 0))

/* Declare CAUSE, for `latency_root_end': a root of work that begins
   here.  */
# define LATENCY_ROOT(cause, begin) \
  uint64_t cause = __builtin_expect (latency_recorder != NULL, 0) ? begin : 0
# define LATENCY_ROOT_BEGIN(cause, kind) \
  LATENCY_ROOT (cause, latency_root_begin_1 (kind))
# define LATENCY_TIMER_BEGIN(cause, timer, late) \
  LATENCY_ROOT (cause, latency_timer_begin_1 (timer, late))
# define LATENCY_PROCESS_BEGIN(cause, kind, process, bytes) \
  LATENCY_ROOT (cause, latency_process_begin_1 (kind, process, bytes))
# define LATENCY_SPECIAL_BEGIN(cause, event) \
  LATENCY_ROOT (cause, latency_special_begin_1 (event))
# define LATENCY_RESIZE_BEGIN(cause) \
  LATENCY_ROOT (cause, latency_resize_begin_1 ())
# define latency_root_end(cause) \
  LATENCY_HOOK (latency_root_end_1 (cause))
# define latency_root_failed() LATENCY_HOOK (latency_root_failed_1 ())

# define latency_tally(which, n) \
  LATENCY_HOOK (latency_tallies[which] += (n))

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
# define latency_dispatch(keys, events) \
  LATENCY_HOOK (latency_dispatch_1 (keys, events))
# define latency_span_begin(kind) LATENCY_HOOK (latency_span_begin_1 (kind))
# define latency_span_end(kind) LATENCY_HOOK (latency_span_end_1 (kind))
# define latency_display_decide(now) \
  LATENCY_HOOK (latency_display_decide_1 (now))
# define latency_display_done() LATENCY_HOOK (latency_display_done_1 ())
# define latency_queue_insert(slot, depth) \
  LATENCY_HOOK (latency_queue_insert_1 (slot, depth))
# define latency_queue_remove(slot, depth) \
  LATENCY_HOOK (latency_queue_remove_1 (slot, depth))
# define latency_special_remove(slot) \
  LATENCY_HOOK (latency_special_remove_1 (slot))
# define latency_side_queue_put(kboard, event) \
  LATENCY_HOOK (latency_side_queue_put_1 (kboard, event))
# define latency_side_queue_get(kboard) \
  LATENCY_HOOK (latency_side_queue_get_1 (kboard))
# define latency_event_unread(event) \
  LATENCY_HOOK (latency_event_unread_1 (event))
# define latency_discard(slot, count) \
  LATENCY_HOOK (latency_discard_1 (slot, count))
# define latency_hold_begin() LATENCY_HOOK (latency_hold_begin_1 ())
# define latency_hold_end() LATENCY_HOOK (latency_hold_end_1 ())
# define latency_input_signal() \
  LATENCY_ANY_THREAD (latency_input_signal_1 ())
# define latency_filter_begin() LATENCY_HOOK (latency_filter_begin_1 ())
# define latency_filter_end() LATENCY_HOOK (latency_filter_end_1 ())
# define latency_input_look() LATENCY_HOOK (latency_input_look_1 ())
# define latency_input_counted(id, n) \
  LATENCY_HOOK (latency_input_counted_1 (id, n))
# define latency_read_begin() LATENCY_HOOK (latency_read_begin_1 ())
# define latency_read_end(id, n) LATENCY_HOOK (latency_read_end_1 (id, n))
# define latency_read_stored() LATENCY_HOOK (latency_read_stored_1 ())
# define latency_quit_signal() LATENCY_ANY_THREAD (latency_quit_signal_1 ())
# define latency_quit_requested() \
  LATENCY_ANY_THREAD (latency_quit_requested_1 ())
# define latency_quit_landed() LATENCY_HOOK (latency_quit_landed_1 ())
# define latency_resize_signal() \
  LATENCY_ANY_THREAD (latency_resize_signal_1 ())
# define latency_made(object) LATENCY_HOOK (latency_made_1 (object))
# define latency_thread_runs() LATENCY_ANY_THREAD (latency_thread_runs_1 ())
# define latency_thread_waits() LATENCY_HOOK (latency_thread_waits_1 ())
# define latency_thread_ends() LATENCY_ANY_THREAD (latency_thread_ends_1 ())
# define latency_tty_ready() latency_tty_ready_1 ()
# define latency_decision_begin() LATENCY_HOOK (latency_decision_begin_1 ())
# define latency_redisplay_reason(number) \
  LATENCY_HOOK (latency_redisplay_reason_1 (number))
# define latency_echo_begin() LATENCY_HOOK (latency_echo_begin_1 ())
# define latency_echo_end() LATENCY_HOOK (latency_echo_end_1 ())
# define latency_lisp_begin() LATENCY_HOOK (latency_lisp_begin_1 ())
# define latency_lisp_end() LATENCY_HOOK (latency_lisp_end_1 ())
# define latency_update_begin(frame) \
  LATENCY_HOOK (latency_update_begin_1 (frame))
# define latency_update_end(paused) \
  LATENCY_HOOK (latency_update_end_1 (paused))
# define latency_update_rows(frame) \
  LATENCY_HOOK (latency_update_rows_1 (frame))
# define latency_nonlocal_exit() LATENCY_HOOK (latency_nonlocal_exit_1 ())
# define latency_redisplay_begin() LATENCY_HOOK (latency_redisplay_begin_1 ())
# define latency_redisplay_end() LATENCY_HOOK (latency_redisplay_end_1 ())
# define latency_gc_begin() LATENCY_HOOK (latency_gc_begin_1 ())
# define latency_gc_end() LATENCY_HOOK (latency_gc_end_1 ())
# define latency_poll_begin(set, keyboard) \
  LATENCY_HOOK (latency_poll_begin_1 (set, keyboard))
# define latency_poll_end(n, set) LATENCY_HOOK (latency_poll_end_1 (n, set))
# define latency_wrote(terminal, n) \
  LATENCY_HOOK (latency_wrote_1 (terminal, n))
# define latency_fflush(terminal, stream) \
  (__builtin_expect (latency_recorder != NULL, 0) \
   ? latency_fflush_1 (terminal, stream) : fflush (stream))

#else  /* not HAVE_LATENCY */

# define LATENCY_ROOT_BEGIN(cause, kind) ((void) 0)
# define LATENCY_TIMER_BEGIN(cause, timer, late) ((void) 0)
# define LATENCY_PROCESS_BEGIN(cause, kind, process, bytes) ((void) 0)
# define LATENCY_SPECIAL_BEGIN(cause, event) ((void) 0)
# define LATENCY_RESIZE_BEGIN(cause) ((void) 0)
# define latency_root_end(cause) ((void) 0)
# define latency_root_failed() ((void) 0)
# define latency_tally(which, n) ((void) 0)
# define latency_loop_enter() ((void) 0)
# define latency_loop_leave() ((void) 0)
# define latency_loop_landed() ((void) 0)
# define latency_command_failed(data) ((void) 0)
# define latency_stack_overflowed() ((void) 0)
# define latency_late_post_command_begin() ((void) 0)
# define latency_command_done() ((void) 0)
# define latency_keys_begin() ((void) 0)
# define latency_dispatch(keys, events) ((void) 0)
# define latency_span_begin(kind) ((void) 0)
# define latency_span_end(kind) ((void) 0)
# define latency_display_decide(now) ((void) 0)
# define latency_display_done() ((void) 0)
# define latency_queue_insert(slot, depth) ((void) 0)
# define latency_queue_remove(slot, depth) ((void) 0)
# define latency_special_remove(slot) ((void) 0)
# define latency_side_queue_put(kboard, event) ((void) 0)
# define latency_side_queue_get(kboard) ((void) 0)
# define latency_event_unread(event) ((void) 0)
# define latency_discard(slot, count) ((void) 0)
# define latency_hold_begin() ((void) 0)
# define latency_hold_end() ((void) 0)
# define latency_input_signal() ((void) 0)
# define latency_filter_begin() ((void) 0)
# define latency_filter_end() ((void) 0)
# define latency_input_look() ((void) 0)
# define latency_input_counted(id, n) ((void) 0)
# define latency_read_begin() ((void) 0)
# define latency_read_end(id, n) ((void) 0)
# define latency_read_stored() ((void) 0)
# define latency_quit_signal() ((void) 0)
# define latency_quit_requested() ((void) 0)
# define latency_quit_landed() ((void) 0)
# define latency_resize_signal() ((void) 0)
# define latency_made(object) ((void) 0)
# define latency_thread_runs() ((void) 0)
# define latency_thread_waits() ((void) 0)
# define latency_thread_ends() ((void) 0)
# define latency_tty_ready() ((void) 0)
# define latency_decision_begin() ((void) 0)
# define latency_redisplay_reason(number) ((void) 0)
# define latency_echo_begin() ((void) 0)
# define latency_echo_end() ((void) 0)
# define latency_lisp_begin() ((void) 0)
# define latency_lisp_end() ((void) 0)
# define latency_update_begin(frame) ((void) 0)
# define latency_update_end(paused) ((void) 0)
# define latency_update_rows(frame) ((void) 0)
# define latency_nonlocal_exit() ((void) 0)
# define latency_redisplay_begin() ((void) 0)
# define latency_redisplay_end() ((void) 0)
# define latency_gc_begin() ((void) 0)
# define latency_gc_end() ((void) 0)
# define latency_poll_begin(set, keyboard) ((void) 0)
# define latency_poll_end(n, set) ((void) 0)
# define latency_wrote(terminal, n) ((void) 0)
# define latency_fflush(terminal, stream) fflush (stream)

#endif /* not HAVE_LATENCY */

#endif /* EMACS_LATENCY_H */

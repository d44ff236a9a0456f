/* Recording of interaction latency.

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

/* What this file does: it turns the hooks of latency.h into calls of
   libemlat, which records them, and it is Emacs' side of starting and
   stopping a recording.  The hooks are called by keyboard.c (input,
   the command loop, the redisplay decision), eval.c (nonlocal exits),
   xdisp.c (redisplay), dispnew.c, term.c, cm.c and sysdep.c (output),
   process.c (the poll), alloc.c (GC) and emacs.c (life and death).

   It records boundaries in time, never content: no key, no text, no
   name.  It computes no latency and draws no conclusion; the program
   `emlat' does that from the file.

   This file is always compiled, so that `latency-available-p' can
   answer.  It has no DEFSYM and no DEFVAR: these would shift the
   symbols of every file of an Emacs that is built without it.  */

#include <config.h>

#include "lisp.h"
#include "blockinput.h"
#include "buffer.h"
#include "cm.h"
#include "coding.h"
#include "frame.h"
#include "keyboard.h"
#include "process.h"
#include "sysstdio.h"
#include "termchar.h"
#include "termhooks.h"
#include "latency.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_LATENCY

struct emlat_producer *latency_main;
static struct emlat_session *session;

/* --latency-profile: wanted as soon as there is a terminal, and where.  */
static bool requested;
static char *requested_file;

/* The vocabulary: what our numbers are called in the file.  */

enum latency_root_kind
  {
    LATENCY_TTY_COMMAND = 1,
    LATENCY_SYNTHETIC_COMMAND
  };

static struct emlat_word_row const emacs_roots[] =
  {
    { LATENCY_TTY_COMMAND, EMLAT_ROOT_COMMAND, "tty_command", NULL },
    { LATENCY_SYNTHETIC_COMMAND, EMLAT_ROOT_COMMAND, "synthetic_command",
      NULL },
  };

static struct emlat_word_row const emacs_spans[] =
  {
    { LATENCY_PRE_COMMAND, EMLAT_SPAN_STAMPS | EMLAT_SPAN_TOP_LEVEL,
      "pre_command", NULL },
    { LATENCY_COMMAND, EMLAT_SPAN_STAMPS | EMLAT_SPAN_TOP_LEVEL,
      "command", NULL },
    { LATENCY_POST_COMMAND, EMLAT_SPAN_STAMPS | EMLAT_SPAN_TOP_LEVEL,
      "post_command", NULL },
    { LATENCY_REDISPLAY, EMLAT_SPAN_TOP_LEVEL, "redisplay", NULL },
    { LATENCY_GC, 0, "gc", NULL },
    { LATENCY_POLL, 0, "poll", NULL },
    { LATENCY_FLUSH, 0, "flush", NULL },
    { LATENCY_READ, 0, "read", NULL },
    { LATENCY_KEY_DECODE, EMLAT_SPAN_TOP_LEVEL, "key_decode", NULL },
  };

/* The counters that libemlat itself fills go by their names.  */
enum latency_counter
  {
    LATENCY_GC_COUNT,
    LATENCY_GC_NS,
    LATENCY_REDISPLAYS,
    LATENCY_OUTPUT_BYTES,
    LATENCY_OUTPUT_CALLS,
    LATENCY_FLUSHES,
    LATENCY_FLUSHES_EMPTY,
    LATENCY_FLUSHES_FAILED,
    LATENCY_FLUSH_BYTES_LOST,
    LATENCY_OUTPUT_NS,
    LATENCY_KEYS,
    LATENCY_QUIT_SIGNALS
  };

static struct emlat_word_row const emacs_counters[] =
  {
    { LATENCY_GC_COUNT, EMLAT_COUNTER_SUM, "gc_count", NULL },
    { LATENCY_GC_NS, EMLAT_COUNTER_SUM, "gc_ns", "ns" },
    { LATENCY_REDISPLAYS, EMLAT_COUNTER_SUM, "redisplays", NULL },
    { LATENCY_OUTPUT_BYTES, EMLAT_COUNTER_SUM, "output_bytes", "bytes" },
    { LATENCY_OUTPUT_CALLS, EMLAT_COUNTER_SUM, "output_calls", NULL },
    { LATENCY_FLUSHES, EMLAT_COUNTER_SUM, "flushes", NULL },
    { LATENCY_FLUSHES_EMPTY, EMLAT_COUNTER_SUM, "flushes_empty", NULL },
    { LATENCY_FLUSHES_FAILED, EMLAT_COUNTER_SUM, "flushes_failed", NULL },
    { LATENCY_FLUSH_BYTES_LOST, EMLAT_COUNTER_SUM, "flush_bytes_lost",
      "bytes" },
    { LATENCY_OUTPUT_NS, EMLAT_COUNTER_SUM, "output_ns", "ns" },
    { LATENCY_KEYS, EMLAT_COUNTER_SUM, "keys", NULL },
    { LATENCY_QUIT_SIGNALS, EMLAT_COUNTER_SUM, "quit_signals", NULL },
  };

static struct emlat_vocabulary const emacs_words =
  {
    emacs_roots, emacs_spans, emacs_counters,
    ARRAYELTS (emacs_roots), ARRAYELTS (emacs_spans),
    ARRAYELTS (emacs_counters)
  };

/* The state of the main thread's hooks.  */

enum { TTYS_POLLED_MAX = 16, LOOPS_MAX = 32 };

/* A command loop that runs.  A nonlocal exit leaves loops without a
   word; where it lands, the loops whose frames lay deeper in the stack
   are dead.  Loops run on the main thread only.  */
struct loop
{
  uintptr_t frame;		/* of the function that runs it */
  uint32_t roots, depth;	/* roots and spans open when it began */
  uint64_t command;		/* the interaction of its command, or 0 */
  bool failed;			/* that ended by an error or a quit */
  /* Open spans, by kind: within one loop, a kind does not nest.  */
  struct emlat_span spans[LATENCY_SPAN_KINDS];
};

static struct
{
  struct loop loops[LOOPS_MAX];	/* the first one stands for no loop */
  int loop_count;

  uint64_t t_nonlocal_exit;	/* the last one */

  /* What the key sequence that is being read has consumed.  */
  struct emlat_source_range keys;

  /* The read of terminal input that is under way.  */
  uint64_t t_look, t_counted, t_read_begin;
  uint64_t counted, batch;
  uint32_t stored;

  int gc_depth;			/* of post-gc-hook in post-gc-hook */
  struct emlat_span gc;
  uint64_t t_gc_begin;

  /* The poll that is under way.  */
  bool polling;
  uint64_t t_poll_begin;
  uint64_t polled[TTYS_POLLED_MAX];	/* terminals in its set */
  int polled_fds[TTYS_POLLED_MAX];
  int polled_count;

} state;

/* Signals of C-g on the controlling terminal, counted by the handler,
   and how many of them a command has been told.  */
static sig_atomic_t volatile quit_signals;
static sig_atomic_t quit_signals_told;

/* For each slot of kbd_buffer, where its event came from.  */
static struct emlat_token tokens[KBD_BUFFER_SIZE];

/* libemlat numbers terminals from 1.  */
static uint64_t
terminal_number (int id)
{
  return (uint64_t) id + 1;
}

static struct loop *
innermost_loop (void)
{
  return &state.loops[state.loop_count - 1];
}

static uint64_t
now (void)
{
  return emlat_clock_read (latency_main);
}

/* The input that a command comes from.  */

void
latency_input_look_1 (void)
{
  state.t_look = now ();
}

void
latency_input_counted_1 (int terminal, int count)
{
  state.counted = count;
  if (count == 0)
    emlat_input_empty (latency_main, terminal_number (terminal),
		       state.t_look);
  else
    {
      state.t_counted = now ();
      emlat_input_ready (latency_main, terminal_number (terminal),
			 state.t_counted, EMLAT_SEEN_BY_POLL);
    }
}

/* The batch that was read is stored as far as it will be.  */
void
latency_read_stored_1 (void)
{
  if (!state.batch)
    return;
  emlat_input_queued (latency_main, state.stored);
  state.batch = 0;
}

void
latency_read_begin_1 (void)
{
  /* A jump out of the loop that stores bytes has left the last one.  */
  latency_read_stored_1 ();
  state.t_read_begin = now ();
}

void
latency_read_end_1 (int terminal, int nread)
{
  if (nread <= 0)
    return;
  uint64_t t = now ();
  state.stored = 0;
  state.batch = emlat_input_batch (latency_main, terminal_number (terminal),
				   state.t_counted, state.counted,
				   state.t_read_begin, t, nread);
  emlat_span_whole (latency_main, LATENCY_READ, state.t_read_begin, t,
		    nread, EMLAT_OUTCOME_NORMAL);
}

/* An event enters kbd_buffer[SLOT].  One from the terminal comes while
   its batch is being stored; any other gets an empty token.  */
void
latency_queue_insert_1 (ptrdiff_t slot)
{
  tokens[slot] = (struct emlat_token) { .batch = 0 };
  if (!state.batch)
    return;
  tokens[slot].batch = state.batch;
  tokens[slot].offset = state.stored++;
  tokens[slot].t_insert = now ();
}

void
latency_queue_remove_1 (ptrdiff_t slot)
{
  emlat_source_add (&state.keys, tokens[slot], now ());
  tokens[slot] = (struct emlat_token) { .batch = 0 };
}

/* In a signal handler: touch nothing but the count.  */
void
latency_quit_signal_1 (void)
{
  quit_signals++;
}

/* The command loop.  */

void
latency_keys_begin_1 (void)
{
  state.keys = (struct emlat_source_range) { .events = 0 };
}

void
latency_dispatch_1 (int keys)
{
  uint64_t t = now ();
  bool synthetic = !NILP (Vexecuting_kbd_macro) || !state.keys.events;
  struct loop *loop = innermost_loop ();
  loop->command = emlat_root_begin (latency_main,
				    (synthetic ? LATENCY_SYNTHETIC_COMMAND
				     : LATENCY_TTY_COMMAND), t);
  loop->failed = false;
  emlat_root_source (latency_main, loop->command, &state.keys, t);
  if (state.keys.events)
    emlat_span_whole (latency_main, LATENCY_KEY_DECODE, state.keys.t_remove,
		      t, 0, EMLAT_OUTCOME_NORMAL);
  emlat_count (latency_main, LATENCY_KEYS, keys);
  if (quit_signals != quit_signals_told)
    {
      emlat_count (latency_main, LATENCY_QUIT_SIGNALS,
		   quit_signals - quit_signals_told);
      quit_signals_told = quit_signals;
    }
}

void
latency_span_begin_1 (enum latency_span_kind kind)
{
  innermost_loop ()->spans[kind] = emlat_span_begin (latency_main, kind);
}

void
latency_span_end_1 (enum latency_span_kind kind)
{
  struct emlat_span *span = &innermost_loop ()->spans[kind];
  emlat_span_end (latency_main, *span);
  span->id = 0;
}

/* Close what a nonlocal exit with OUTCOME at T left open in LOOP.  */
static void
unwind_to (struct loop const *loop, uint64_t t, enum emlat_outcome outcome)
{
  emlat_unwind (latency_main, loop->depth, t, outcome);
  emlat_roots_unwind (latency_main, loop->roots, t, outcome);
}

/* Forget the loops whose frames lie deeper in the stack, that is, at
   lower addresses, than FRAME.  */
static void
leave_loops (void *frame, uint64_t t, enum emlat_outcome outcome)
{
  while (state.loop_count > 1 && innermost_loop ()->frame < (uintptr_t) frame)
    {
      unwind_to (innermost_loop (), t, outcome);
      state.loop_count--;
    }
}

void
latency_loop_enter_1 (void *frame)
{
  /* Loops that nest deeper than this count as part of the last one.  */
  if (state.loop_count == LOOPS_MAX)
    return;
  state.loops[state.loop_count++]
    = (struct loop) { .frame = (uintptr_t) frame,
		      .roots = emlat_roots_open (latency_main),
		      .depth = emlat_depth (latency_main) };
}

void
latency_loop_leave_1 (void *frame)
{
  leave_loops (frame, now (), EMLAT_OUTCOME_THROW);
  /* A loop that began before the recording did is not there.  */
  if (innermost_loop ()->frame != (uintptr_t) frame)
    return;
  unwind_to (innermost_loop (), now (), EMLAT_OUTCOME_THROW);
  state.loop_count--;
}

/* A throw, or a loop's end, has arrived in FRAME.  */
void
latency_loop_landed_1 (void *frame)
{
  leave_loops (frame, now (), EMLAT_OUTCOME_THROW);
}

static uint64_t
exit_time (void)
{
  return state.t_nonlocal_exit ? state.t_nonlocal_exit : now ();
}

void
latency_nonlocal_exit_1 (void)
{
  state.t_nonlocal_exit = now ();
}

/* True if DATA, what a handler of errors was given, is a quit.  */
static bool
is_quit (Lisp_Object data)
{
  Lisp_Object symbol = CONSP (data) ? XCAR (data) : Qnil;
  return (SYMBOLP (symbol)
	  && !NILP (Fmemq (Qquit, Fget (symbol, Qerror_conditions))));
}

/* The command of the loop that the handler in FRAME belongs to ends
   abnormally.  It stays open: the message that says so and the hook
   after the command are still its own.  */
void
latency_command_failed_1 (void *frame, Lisp_Object data)
{
  enum emlat_outcome outcome
    = is_quit (data) ? EMLAT_OUTCOME_QUIT : EMLAT_OUTCOME_ERROR;
  uint64_t t = exit_time ();
  leave_loops (frame, t, outcome);
  struct loop *loop = innermost_loop ();
  emlat_unwind (latency_main, loop->depth, t, outcome);
  if (emlat_roots_open (latency_main) <= loop->roots)
    return;
  emlat_roots_unwind (latency_main, loop->roots + 1, t, outcome);
  emlat_root_outcome (latency_main, loop->command, outcome);
  loop->failed = true;
}

/* The C stack overflowed, and Emacs jumped to a command loop without
   running any handler.  */
void
latency_stack_overflowed_1 (void)
{
  state.loop_count = 1;
  unwind_to (innermost_loop (), now (), EMLAT_OUTCOME_ERROR);
}

/* A command loop begins with the hook that a failed command missed.  */
void
latency_late_post_command_begin_1 (void)
{
  if (innermost_loop ()->failed)
    latency_span_begin_1 (LATENCY_POST_COMMAND);
}

/* The work of this loop's command, if there is one, is done.  */
void
latency_command_done_1 (void)
{
  struct loop *loop = innermost_loop ();
  if (emlat_roots_open (latency_main) > loop->roots)
    emlat_root_work_end (latency_main, loop->command, now ());
  loop->command = 0;
  loop->failed = false;
}

/* Display and output.  */

void
latency_display_decide_1 (bool perform)
{
  emlat_display_decide (latency_main,
			(perform ? EMLAT_DISPLAY_PERFORMED
			 : EMLAT_DISPLAY_INPUT_PENDING), now ());
}

void
latency_display_done_1 (void)
{
  emlat_display_done (latency_main, now ());
}

void
latency_redisplay_begin_1 (void)
{
  uint64_t t = now ();
  emlat_display_begin (latency_main, t);
  innermost_loop ()->spans[LATENCY_REDISPLAY]
    = emlat_span_begin_at (latency_main, LATENCY_REDISPLAY, t);
}

void
latency_redisplay_end_1 (void)
{
  uint64_t t = now ();
  emlat_display_end (latency_main, t);
  struct emlat_span *span = &innermost_loop ()->spans[LATENCY_REDISPLAY];
  emlat_span_end_at (latency_main, *span, t);
  span->id = 0;
}

void
latency_wrote_1 (struct terminal *terminal, ptrdiff_t bytes)
{
  if (terminal && bytes > 0)
    emlat_output (latency_main, terminal_number (terminal->id), bytes);
}

int
latency_fflush_1 (struct terminal *terminal, FILE *stream)
{
  uint64_t number = terminal ? terminal_number (terminal->id) : 0;
  uint64_t bytes = number ? emlat_output_pending (latency_main, number) : 0;
  if (!bytes)
    {
      if (number)
	emlat_output_flush (latency_main, number, 0, 0, false);
      return fflush (stream);
    }
  uint64_t begin = now ();
  int result = fflush (stream);
  int saved_errno = errno;
  uint64_t end = now ();
  emlat_span_whole (latency_main, LATENCY_FLUSH, begin, end, bytes,
		    result ? EMLAT_OUTCOME_FAILED : EMLAT_OUTCOME_NORMAL);
  emlat_output_flush (latency_main, number, begin, end, result != 0);
  errno = saved_errno;
  return result;
}

/* Garbage collection and waiting.  */

void
latency_gc_begin_1 (void)
{
  if (state.gc_depth++)
    return;
  state.t_gc_begin = now ();
  state.gc = emlat_span_begin_at (latency_main, LATENCY_GC,
				  state.t_gc_begin);
}

void
latency_gc_end_1 (void)
{
  if (state.gc_depth <= 0 || --state.gc_depth)
    return;
  uint64_t t = now ();
  emlat_span_end_at (latency_main, state.gc, t);
  emlat_count (latency_main, LATENCY_GC_COUNT, 1);
  emlat_count (latency_main, LATENCY_GC_NS, t - state.t_gc_begin);
}

/* The central poll begins, with the descriptors of SET.  A jump out of
   it by C-g abandons it; the next one takes its place.  */
void
latency_poll_begin_1 (fd_set *set)
{
  state.polled_count = 0;
  for (struct tty_display_info *tty = tty_list; tty; tty = tty->next)
    if (tty->input && tty->terminal && state.polled_count < TTYS_POLLED_MAX
	&& FD_ISSET (fileno (tty->input), set))
      {
	state.polled[state.polled_count]
	  = terminal_number (tty->terminal->id);
	state.polled_fds[state.polled_count++] = fileno (tty->input);
      }
  emlat_idle (latency_main);
  state.polling = true;
  state.t_poll_begin = now ();
}

void
latency_poll_end_1 (int ready, fd_set *set)
{
  if (!state.polling)
    return;
  int saved_errno = errno;
  uint64_t t = now ();
  state.polling = false;
  /* Interrupted by a signal, it may not have looked at any descriptor
     unless it had been blocked before, and SET means nothing.  */
  for (int i = 0; i < state.polled_count; i++)
    if (ready >= 0)
      emlat_input_poll (latency_main, state.polled[i], state.t_poll_begin, t,
			ready > 0 && FD_ISSET (state.polled_fds[i], set));
  emlat_span_whole (latency_main, LATENCY_POLL, state.t_poll_begin, t, 0,
		    ready < 0 ? EMLAT_OUTCOME_FAILED : EMLAT_OUTCOME_NORMAL);
  errno = saved_errno;
}

/* Starting and stopping.  */

enum { STOP_WAIT_MS = 2000 };

static uint64_t
stop_wait_ns (void)
{
  return (uint64_t) STOP_WAIT_MS * 1000000;
}

/* Begin to record in FILE, a name as the system takes it.  Return 0 or
   an error of libemlat.  */
static int
start (char const *file)
{
  struct terminal *terminal = FRAME_TERMINAL (XFRAME (selected_frame));
  struct tty_display_info *tty
    = terminal->type == output_termcap ? terminal->display_info.tty : NULL;
  struct emlat_attribute const attributes[] =
    {
      { "emacs_version", PACKAGE_VERSION, 0 },
      { "emacs_configuration", EMACS_CONFIGURATION, 0 },
      { "tty_type", tty && tty->type ? tty->type : "", 0 },
      { "tty_columns", NULL, tty ? FrameCols (tty) : 0 },
      { "tty_rows", NULL, tty ? FrameRows (tty) : 0 },
      { "tty_baud", NULL, baud_rate > 0 ? baud_rate : 0 },
      { "gc_cons_threshold", NULL, gc_cons_threshold },
      { "ssh", NULL, (getenv ("SSH_CONNECTION") || getenv ("SSH_TTY")
		      || getenv ("SSH_CLIENT")) },
    };
  struct emlat_options options;
  emlat_options_default (&options);
  options.path = file;
  options.host = "emacs";
  options.words = &emacs_words;
  options.attributes = attributes;
  options.attributes_count = ARRAYELTS (attributes);
  struct emlat_producer *producer;
  int error = emlat_start (&options, &session);
  if (error)
    return error;
  error = emlat_producer_join (session, &producer);
  if (error)
    {
      emlat_stop (session, stop_wait_ns ());
      session = NULL;
      return error;
    }
  memset (&state, 0, sizeof state);
  state.loops[0].frame = UINTPTR_MAX;
  state.loop_count = 1;
  memset (tokens, 0, sizeof tokens);
  quit_signals_told = quit_signals;
  latency_main = producer;
  return 0;
}

static int
stop (void)
{
  struct emlat_session *stopped = session;
  if (!stopped)
    return 0;
  session = NULL;
  latency_read_stored_1 ();
  int error = emlat_stop (stopped, stop_wait_ns ());
  latency_main = NULL;
  return error;
}

/* The first terminal is there.  */
void
init_latency (void)
{
  if (!requested || noninteractive || !tty_list)
    return;
  requested = false;
  char name[64];
  snprintf (name, sizeof name, "emacs-%ld.emlat", (long) getpid ());
  char const *file = requested_file ? requested_file : name;
  int error = start (file);
  if (error)
    {
      int saved_errno = errno;
      fprintf (stderr, "emacs: --latency-profile: %s: %s", file,
	       emlat_strerror (error));
      if (error == EMLAT_EOPEN || error == EMLAT_EIO)
	fprintf (stderr, " (%s)", strerror (saved_errno));
      fputs ("; going on without\r\n", stderr);
    }
}

/* --latency-profile was given, with FILE or null.  */
void
latency_request (char *file)
{
  requested = true;
  requested_file = file;
}

/* Emacs has shut down: its last output is written.  Wait for the writer
   thread, but never for long.  */
void
latency_shut_down (void)
{
  stop ();
}

/* Signal what ERROR of libemlat means for FILE.  */
static AVOID
signal_error_of (int error, Lisp_Object file)
{
  if (error == EMLAT_EEXIST)
    xsignal2 (Qfile_already_exists,
	      build_string ("Cannot record latency: file exists"), file);
  if (error == EMLAT_EOPEN || error == EMLAT_EIO)
    report_file_error ("Cannot record latency", file);
  xsignal2 (Qerror, build_string ("Cannot record latency"),
	    build_string (emlat_strerror (error)));
}

static Lisp_Object
start_recording (Lisp_Object file)
{
  if (noninteractive)
    error ("Latency is recorded in interactive sessions only");
  if (!tty_list)
    error ("Latency is recorded once there is a text terminal");
  if (session)
    error ("Latency is being recorded already");
  CHECK_STRING (file);
  file = Fexpand_file_name (file, Qnil);
  Lisp_Object encoded = ENCODE_FILE (file);
  CHECK_STRING_NULL_BYTES (encoded);
  int result = start (SSDATA (encoded));
  if (result)
    signal_error_of (result, file);
  return file;
}

static Lisp_Object
stop_recording (void)
{
  if (!session)
    error ("Latency is not being recorded");
  int result = stop ();
  if (result)
    signal_error_of (result, Qnil);
  return Qt;
}

static Lisp_Object
rotate_recording (Lisp_Object file)
{
  if (!session)
    error ("Latency is not being recorded");
  char const *name = NULL;
  if (!NILP (file))
    {
      CHECK_STRING (file);
      file = ENCODE_FILE (Fexpand_file_name (file, Qnil));
      CHECK_STRING_NULL_BYTES (file);
      name = SSDATA (file);
    }
  emlat_idle (latency_main);
  int result = emlat_rotate (session, name, stop_wait_ns ());
  if (result)
    signal_error_of (result, file);
  struct emlat_status status;
  emlat_status (session, &status);
  return DECODE_FILE (build_unibyte_string (status.path));
}

static Lisp_Object
recording_status (void)
{
  if (!session)
    return Qnil;
  struct emlat_status is;
  emlat_status (session, &is);
  struct { char const *name; Lisp_Object value; } const rows[] =
    {
      { ":file", DECODE_FILE (build_unibyte_string (is.path)) },
      { ":file-sequence", make_uint (is.file_sequence) },
      { ":file-bytes", make_uint (is.file_bytes) },
      { ":records-written", make_uint (is.records_written) },
      { ":records-lost", make_uint (is.records_lost) },
      { ":write-failures", make_uint (is.write_failures) },
      { ":write-error", (is.write_errno
			 ? build_string (strerror (is.write_errno)) : Qnil) },
      { ":elapsed-ns", make_uint (is.t_now - is.t_start) },
      { ":writer-cpu-ns", make_uint (is.writer_cpu_ns) },
      { ":clock", build_string (is.clock) },
      { ":clock-read-ps", make_uint (is.clock_read_ps) },
      { ":thread-cpu", build_string (is.thread_cpu_source) },
      { ":ring-bytes", make_uint (is.ring_bytes) },
      { ":ring-high-water", make_uint (is.ring_high_water) },
      { ":memory-bytes", make_uint (is.memory_bytes) },
    };
  Lisp_Object list = Qnil;
  for (int i = ARRAYELTS (rows); i-- > 0; )
    list = Fcons (intern (rows[i].name), Fcons (rows[i].value, list));
  return list;
}

#else  /* not HAVE_LATENCY */

void
init_latency (void)
{
}

void
latency_request (char *file)
{
  fputs ("emacs: --latency-profile: this Emacs was built without"
	 " --with-latency\n", stderr);
  exit (EXIT_FAILURE);
}

void
latency_shut_down (void)
{
}

static AVOID
not_available (void)
{
  error ("This Emacs was built without --with-latency");
}

static Lisp_Object
start_recording (Lisp_Object file)
{
  not_available ();
}

static Lisp_Object
stop_recording (void)
{
  not_available ();
}

static Lisp_Object
rotate_recording (Lisp_Object file)
{
  not_available ();
}

static Lisp_Object
recording_status (void)
{
  return Qnil;
}

#endif /* not HAVE_LATENCY */

DEFUN ("latency-available-p", Flatency_available_p, Slatency_available_p,
       0, 0, 0,
       doc: /* Return t if this Emacs can record interaction latency.
That is so if it was configured with `--with-latency'.  */)
  (void)
{
#ifdef HAVE_LATENCY
  return Qt;
#else
  return Qnil;
#endif
}

DEFUN ("latency-start", Flatency_start, Slatency_start, 1, 1,
       "FRecord latency in new file: ",
       doc: /* Record the latency of each interaction in FILE from now on.
FILE must not exist; it is created with mode 0600.  The recording holds
no keys, text, file names or command names.  It goes on until
`latency-stop' or the end of the session.
Return the expanded name of FILE.  To see what was recorded, run the
program `emlat': \"emlat report FILE\".

Signal an error in batch mode, before there is a text terminal, if
latency is being recorded already, or if FILE cannot be created.  */)
  (Lisp_Object file)
{
  return start_recording (file);
}

DEFUN ("latency-stop", Flatency_stop, Slatency_stop, 0, 0, "",
       doc: /* Stop recording latency and finish its file.
What is still open is recorded as open.  Wait at most two seconds for
the file.  Return t.
Signal an error if latency is not being recorded, or if something could
not be written.  */)
  (void)
{
  return stop_recording ();
}

DEFUN ("latency-rotate", Flatency_rotate, Slatency_rotate, 0, 1, "",
       doc: /* Go on recording latency in a new file.
FILE is its name; it must not exist.  If FILE is nil, put it beside the
first one under a name with the next free number.
Return the name of the new file.  If it cannot be created, signal an
error and go on in the old one.  */)
  (Lisp_Object file)
{
  return rotate_recording (file);
}

DEFUN ("latency-status", Flatency_status, Slatency_status, 0, 0, 0,
       doc: /* Return what the recorder of latency is doing, as a plist.
Return nil if nothing is being recorded.  The keys are:
`:file', the file now written, `:file-sequence', how many were before
it, and `:file-bytes', its size; `:records-written' and `:records-lost';
`:write-failures' and `:write-error', the last one's reason or nil;
`:elapsed-ns', the time since the start, and `:writer-cpu-ns', the CPU
time of the thread that writes; `:clock', its name, and `:clock-read-ps',
what reading it costs in picoseconds; `:thread-cpu', the source of CPU
times; `:ring-bytes', the size of the ring between Emacs and the writer,
and `:ring-high-water', the most that ever waited there; and
`:memory-bytes', all memory of the recorder.  */)
  (void)
{
  return recording_status ();
}

void
syms_of_latency (void)
{
  defsubr (&Slatency_available_p);
  defsubr (&Slatency_start);
  defsubr (&Slatency_stop);
  defsubr (&Slatency_rotate);
  defsubr (&Slatency_status);
}

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
#include "fingerprint.h"
#include "process.h"
#include "sysstdio.h"
#include "termchar.h"
#include "termhooks.h"
#include "thread.h"
#include "window.h"
#include "latency.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_LATENCY

struct emlat_producer *latency_recorder;
bool latency_recording;
uint64_t latency_tallies[LATENCY_TALLIES];
static struct emlat_session *session;

/* --latency-profile: wanted as soon as there is a terminal, and where.  */
static bool requested;
static char *requested_file;

/* The vocabulary: what our numbers are called in the file.  */

static struct emlat_word_row const emacs_roots[] =
  {
    { LATENCY_TTY_COMMAND, EMLAT_ROOT_COMMAND, "tty_command", NULL },
    { LATENCY_SYNTHETIC_COMMAND, EMLAT_ROOT_COMMAND, "synthetic_command",
      NULL },
    { LATENCY_TIMER, EMLAT_ROOT_DISPLAYS, "timer", NULL },
    { LATENCY_PROCESS_DATA, EMLAT_ROOT_DISPLAYS, "process_data", NULL },
    { LATENCY_PROCESS_SENTINEL, EMLAT_ROOT_DISPLAYS, "process_sentinel",
      NULL },
    { LATENCY_FILE_NOTIFICATION, EMLAT_ROOT_DISPLAYS, "file_notification",
      NULL },
    { LATENCY_RESIZE, EMLAT_ROOT_DISPLAYS, "terminal_resize", NULL },
    { LATENCY_THREAD_WAKEUP, 0, "thread_wakeup", NULL },
    { LATENCY_MAINTENANCE, 0, "maintenance", NULL },
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
    { LATENCY_FLUSH, 0, "flush", "bytes" },
    { LATENCY_READ, 0, "read", "bytes" },
    { LATENCY_KEY_DECODE, EMLAT_SPAN_TOP_LEVEL, "key_decode", NULL },
    { LATENCY_COMMAND_LOOP, 0, "command_loop", NULL },
    { LATENCY_TTY_READY, 0, "tty_ready", NULL },
    { LATENCY_QUEUE, 0, "queue", NULL },
    { LATENCY_DECISION, 0, "redisplay_decision", NULL },
    { LATENCY_MATRICES, 0, "desired_matrices", NULL },
    { LATENCY_UPDATE, 0, "update", NULL },
    { LATENCY_TTY_WRITE, 0, "tty_write", NULL },
    { LATENCY_REDISPLAY_LISP, 0, "redisplay_lisp", NULL },
    { LATENCY_ECHO_AREA, 0, "echo_area", NULL },
    { LATENCY_DECODE_FILTER, 0, "decode_filter", NULL },
    { LATENCY_INPUT_HOLD, 0, "input_hold", NULL },
    { LATENCY_PROCESS_WRITE, 0, "process_write", NULL },
    { LATENCY_SUSPENDED, 0, "suspended", NULL },
  };

/* What often changes comes first: the file then needs fewer bytes.
   The counters that libemlat itself fills go by their names.  */
enum latency_counter
  {
    LATENCY_OUTPUT_BYTES,
    LATENCY_OUTPUT_NS,
    LATENCY_OUTPUT_CALLS,
    LATENCY_FIRST_TALLY,
    LATENCY_FLUSHES = LATENCY_FIRST_TALLY + LATENCY_TALLIES,
    LATENCY_FLUSHES_EMPTY,
    LATENCY_REDISPLAYS,
    LATENCY_BUFFER_SIZE,
    LATENCY_BUFFER_TICKS,
    LATENCY_GC_COUNT,
    LATENCY_GC_NS,
    LATENCY_EVENTS_DECODED,
    LATENCY_KEY_SEQUENCE_LENGTH,
    LATENCY_PREFIX_DEPTH,
    LATENCY_EXTRA_READS,
    LATENCY_BATCH_BYTES,
    LATENCY_QUEUE_DEPTH_INSERT,
    LATENCY_QUEUE_DEPTH_REMOVE,
    LATENCY_FLUSHES_FAILED,
    LATENCY_FLUSH_BYTES_LOST,
    LATENCY_DECODE_FILTER_NS,
    LATENCY_DECODE_WAIT_NS,
    LATENCY_PERSON_WAIT_NS,
    LATENCY_NESTED_LOOPS,
    LATENCY_QUIT_SIGNALS,
    LATENCY_QUIT_NS,
    LATENCY_EVENTS_DROPPED,
    LATENCY_WINDOW_ROWS,
    LATENCY_WINDOW_COLUMNS,
    LATENCY_WINDOWS,
    LATENCY_PROCESS_BYTES,
    LATENCY_RUN_DELAY_NS
  };

#define SUM(name) EMLAT_COUNTER_SUM, name
#define LAST(name) EMLAT_COUNTER_LAST, name
#define TALLY(which, name) \
  { LATENCY_FIRST_TALLY + which, SUM (name), NULL }

static struct emlat_word_row const emacs_counters[] =
  {
    { LATENCY_OUTPUT_BYTES, SUM ("output_bytes"), "bytes" },
    { LATENCY_OUTPUT_NS, SUM ("output_ns"), "ns" },
    { LATENCY_OUTPUT_CALLS, SUM ("output_calls"), NULL },
    TALLY (LATENCY_FRAMES_CONSIDERED, "frames_considered"),
    TALLY (LATENCY_FRAMES_UPDATED, "frames_updated"),
    TALLY (LATENCY_WINDOWS_CONSIDERED, "windows_considered"),
    TALLY (LATENCY_WINDOWS_UPDATED, "windows_updated"),
    TALLY (LATENCY_ROWS_GENERATED, "rows_generated"),
    TALLY (LATENCY_ROWS_UPDATED, "rows_updated"),
    TALLY (LATENCY_ROWS_REUSED, "rows_reused"),
    TALLY (LATENCY_GLYPHS, "glyphs"),
    TALLY (LATENCY_PREEMPTIONS, "preemptions"),
    TALLY (LATENCY_RETRIES_WINDOW, "retries_window"),
    TALLY (LATENCY_RETRIES_FONTS, "retries_fonts"),
    TALLY (LATENCY_RETRIES_HSCROLL, "retries_hscroll"),
    TALLY (LATENCY_RETRIES_FRAME, "retries_frame"),
    TALLY (LATENCY_RETRIES_GARBAGED, "retries_garbaged"),
    TALLY (LATENCY_LISP_CALLS, "redisplay_lisp_calls"),
    { LATENCY_FIRST_TALLY + LATENCY_LISP_NS, SUM ("redisplay_lisp_ns"),
      "ns" },
    { LATENCY_FLUSHES, SUM ("flushes"), NULL },
    { LATENCY_FLUSHES_EMPTY, SUM ("flushes_empty"), NULL },
    { LATENCY_REDISPLAYS, SUM ("redisplays"), NULL },
    { LATENCY_BUFFER_SIZE, LAST ("buffer_size"), "characters" },
    { LATENCY_BUFFER_TICKS, LAST ("buffer_ticks"), NULL },
    { LATENCY_GC_COUNT, SUM ("gc_count"), NULL },
    { LATENCY_GC_NS, SUM ("gc_ns"), "ns" },
    { LATENCY_EVENTS_DECODED, LAST ("events_decoded"), NULL },
    { LATENCY_KEY_SEQUENCE_LENGTH, LAST ("key_sequence_length"), NULL },
    { LATENCY_PREFIX_DEPTH, LAST ("prefix_depth"), NULL },
    { LATENCY_EXTRA_READS, LAST ("extra_reads"), NULL },
    { LATENCY_BATCH_BYTES, LAST ("batch_bytes"), "bytes" },
    { LATENCY_QUEUE_DEPTH_INSERT, LAST ("queue_depth_insert"), NULL },
    { LATENCY_QUEUE_DEPTH_REMOVE, LAST ("queue_depth_remove"), NULL },
    { LATENCY_FLUSHES_FAILED, SUM ("flushes_failed"), NULL },
    { LATENCY_FLUSH_BYTES_LOST, SUM ("flush_bytes_lost"), "bytes" },
    { LATENCY_DECODE_FILTER_NS, LAST ("decode_filter_ns"), "ns" },
    { LATENCY_DECODE_WAIT_NS, LAST ("decode_wait_ns"), "ns" },
    { LATENCY_PERSON_WAIT_NS, SUM ("person_wait_ns"), "ns" },
    { LATENCY_NESTED_LOOPS, SUM ("nested_loops"), NULL },
    { LATENCY_QUIT_SIGNALS, SUM ("quit_signals"), NULL },
    { LATENCY_QUIT_NS, LAST ("quit_ns"), "ns" },
    { LATENCY_EVENTS_DROPPED, SUM ("events_dropped"), NULL },
    { LATENCY_WINDOW_ROWS, LAST ("window_rows"), NULL },
    { LATENCY_WINDOW_COLUMNS, LAST ("window_columns"), NULL },
    { LATENCY_WINDOWS, LAST ("windows"), NULL },
    { LATENCY_PROCESS_BYTES, SUM ("process_bytes"), "bytes" },
    { LATENCY_RUN_DELAY_NS, LAST ("run_delay_ns"), "ns" },
  };

#undef SUM
#undef LAST
#undef TALLY

/* What the spans of some kinds gained, beside their interaction: their
   own work.  Each costs a byte or two a span.  */
#define BIT(counter) ((uint64_t) 1 << (counter))
#define TALLIED(which) BIT (LATENCY_FIRST_TALLY + (which))

static struct emlat_span_counters const emacs_counted[] =
  {
    { LATENCY_REDISPLAY, BIT (LATENCY_OUTPUT_BYTES) },
    { LATENCY_MATRICES, TALLIED (LATENCY_ROWS_GENERATED) },
    { LATENCY_UPDATE,
      TALLIED (LATENCY_ROWS_UPDATED) | TALLIED (LATENCY_GLYPHS) },
    { LATENCY_ECHO_AREA, BIT (LATENCY_OUTPUT_BYTES) },
  };

#undef BIT
#undef TALLIED

static struct emlat_vocabulary const emacs_words =
  {
    .roots = emacs_roots, .roots_count = ARRAYELTS (emacs_roots),
    .spans = emacs_spans, .spans_count = ARRAYELTS (emacs_spans),
    .counters = emacs_counters, .counters_count = ARRAYELTS (emacs_counters),
    .counted = emacs_counted, .counted_count = ARRAYELTS (emacs_counted),
  };

/* Spans of kinds that are many are left out where they take less.  */
enum { SHORT_NS = 20000 };

/* Lisp that redisplay calls has its CPU time read where it is expected
   to take longer than this, since it did so the last time.  */
enum { LONG_NS = 1000000 };

/* The state of the hooks.  */

enum { TTYS_POLLED_MAX = 16, LOOPS_MAX = 32, THREADS_MAX = 4 };

/* A command loop that runs.  A nonlocal exit leaves loops without a
   word; where it lands, the loops whose frames lay deeper in the stack
   are dead.  */
struct loop
{
  uintptr_t frame;		/* of the function that runs it */
  uint32_t roots, depth;	/* roots and spans open when it began */
  uint64_t command;		/* the interaction of its command, or 0 */
  bool failed;			/* that ended by an error or a quit */
  bool by_name;			/* it is M-x */
  struct buffer *buffer;	/* selected when the command began */
  modiff_count ticks;		/* its modification count then */
  /* Open spans, by kind: within one loop, a kind does not nest.  */
  struct emlat_span spans[LATENCY_SPAN_KINDS];
};

/* A Lisp thread and what its hooks remember.  Only the thread that
   holds the global lock runs, so one of these is in use at a time.  */
struct thread
{
  struct thread_state *owner;
  struct emlat_producer *recorder;
  uint64_t wakeup;		/* the root since it got the lock, or 0 */

  struct loop loops[LOOPS_MAX];	/* the first one stands for no loop */
  int loop_count;
  bool loop_returned;		/* the last one to end did so by itself */

  uint64_t t_nonlocal_exit;	/* the last one */

  /* What the key sequence that is being read has consumed, and the
     same before the last event, which may turn out to be another
     keyboard's.  TAKEN is the last one that came from a terminal, until
     it is known to have been put back.  */
  struct emlat_source_range keys, keys_before;
  struct emlat_token removed, taken;
  int removed_depth, depth_remove, filter_depth;
  uint64_t t_filter, filter_ns, filter_wait_ns;

  /* The read of terminal input that is under way.  */
  uint64_t t_look, t_counted, t_read_begin;
  uint64_t counted, batch;
  uint32_t stored;

  int gc_depth;			/* of post-gc-hook in post-gc-hook */
  struct emlat_span gc;
  uint64_t t_gc_begin, gc_root;

  /* The poll that is under way.  */
  bool polling, for_keyboard;
  uint64_t t_poll_begin, t_poll_ready;
  uint64_t polled[TTYS_POLLED_MAX];	/* terminals in its set */
  int polled_fds[TTYS_POLLED_MAX];
  int polled_count;

  /* The display that is under way.  */
  uint64_t t_decision, t_lisp;
  bool updated;			/* a frame since it began */
  int reason, lisp_depth;
  /* Calls of Lisp in this redisplay, and by their numbers those that
     were long, in this one and in the one before.  */
  int lisp_calls;
  uint64_t lisp_long, lisp_was_long;
  struct emlat_span echo;

  uint64_t t_special;		/* when the last special event was queued */
};

static struct thread threads[THREADS_MAX];
static struct thread *state = &threads[0];

/* Signals of C-g on the controlling terminal, counted by the handler,
   and how many of them a command has been told.  */
static sig_atomic_t volatile quit_signals;
static sig_atomic_t quit_signals_told;

/* Stamps that signal handlers leave, or 0: the first quit that has had
   no effect yet, the first input since it was last read, the first
   change of a window's size that has not been applied yet.  */
static pthread_t main_id;
static uint64_t volatile t_quit_requested, t_input_signal, t_resized;

/* When the terminal, which must be the only one, was first seen to be
   readable since it was last seen empty or read, or 0.  */
static uint64_t t_tty_ready;
static uint64_t t_hold;

/* Where the event in a slot of kbd_buffer came from, and how many
   there were when it came.  */
static struct emlat_token tokens[KBD_BUFFER_SIZE];
static int depths[KBD_BUFFER_SIZE];

/* Events that were read for another keyboard wait in its side queue;
   their tokens wait here.  An event whose token did not fit comes from
   an unknown source.  */
enum { SIDE_QUEUES = 8, SIDE_TOKENS = 64 };
static struct side_queue
{
  KBOARD *kboard;
  int first, count;
  struct emlat_token tokens[SIDE_TOKENS];
} side_queues[SIDE_QUEUES];

/* What was made while a root was open: timers, processes and threads
   by their addresses.  Of processes and threads the last ones, of
   timers those that are in Emacs' lists.  */
enum { MADE_MAX = 64, TIMERS_MAX = 128 };
struct made { void const *object; uint64_t cause; };
static struct made made[MADE_MAX];
static int made_count;
static struct made timers[TIMERS_MAX];
static int timers_count;

/* libemlat numbers terminals from 1.  */
static uint64_t
terminal_number (int id)
{
  return (uint64_t) id + 1;
}

/* Session-local numbers of frames, from 1.  */
enum { FRAMES_MAX = 64 };
static struct frame *frames[FRAMES_MAX];

static uint64_t
frame_number (struct frame *frame)
{
  for (int i = 0; i < FRAMES_MAX; i++)
    {
      if (!frames[i])
	frames[i] = frame;
      if (frames[i] == frame)
	return i + 1;
    }
  return 0;
}

static struct loop *
innermost_loop (void)
{
  return &state->loops[state->loop_count - 1];
}

static uint64_t
now (void)
{
  return emlat_clock_read (latency_recorder);
}

static void
span_whole (enum latency_span_kind kind, uint64_t begin, uint64_t end,
	    uint64_t detail)
{
  emlat_span_whole (latency_recorder, kind, begin, end, detail,
		    EMLAT_OUTCOME_NORMAL);
}

/* Threads.  */

static void
prepare_thread (struct thread *thread, struct thread_state *owner)
{
  memset (thread, 0, sizeof *thread);
  thread->owner = owner;
  thread->loops[0].frame = UINTPTR_MAX;
  thread->loop_count = 1;
}

static uint64_t
cause_of (struct made const *list, int count, void const *object)
{
  for (int i = 0; i < count; i++)
    if (list[i].object == object)
      return list[i].cause;
  return 0;
}

/* OBJECT, a process or a thread, is made on behalf of what runs.  */
void
latency_made_1 (void *object)
{
  uint64_t cause = emlat_root_innermost (latency_recorder);
  for (int i = 0; i < MADE_MAX; i++)
    if (made[i].object == object)
      made[i].object = NULL;
  made[made_count++ % MADE_MAX] = (struct made) { object, cause };
}

/* current_thread has got the global lock.  Its records go to a recorder
   of its own, if there is one left.  May run in a signal handler, after
   a jump out of a wait.  */
void
latency_thread_runs_1 (void)
{
  struct thread *mine = NULL;
  for (int i = 0; i < THREADS_MAX && !mine; i++)
    if (threads[i].owner == current_thread)
      mine = &threads[i];
  for (int i = 1; i < THREADS_MAX && !mine; i++)
    if (!threads[i].owner)
      {
	mine = &threads[i];
	prepare_thread (mine, current_thread);
	if (emlat_producer_join (session, &mine->recorder) != 0)
	  mine->recorder = NULL;
      }
  latency_recorder = mine ? mine->recorder : NULL;
  if (!latency_recorder)
    return;
  state = mine;
  if (mine == &threads[0] || mine->wakeup)
    return;
  mine->wakeup = emlat_root_begin (latency_recorder, LATENCY_THREAD_WAKEUP,
				   now ());
  emlat_root_scheduled (latency_recorder, mine->wakeup,
			cause_of (made, MADE_MAX, current_thread));
}

/* The thread that runs gives the global lock away.  A wakeup ends with
   it, unless other work is open inside.  */
void
latency_thread_waits_1 (void)
{
  if (!state->wakeup
      || emlat_root_innermost (latency_recorder) != state->wakeup)
    return;
  emlat_root_work_end (latency_recorder, state->wakeup, now ());
  state->wakeup = 0;
  emlat_idle (latency_recorder);
}

void
latency_thread_ends_1 (void)
{
  for (int i = 1; i < THREADS_MAX; i++)
    if (threads[i].owner == current_thread)
      {
	if (threads[i].recorder)
	  {
	    if (threads[i].wakeup)
	      emlat_root_work_end (latency_recorder, threads[i].wakeup,
				   now ());
	    emlat_producer_leave (threads[i].recorder);
	  }
	threads[i].owner = NULL;
	latency_recorder = NULL;
      }
}

/* The input that a command comes from.  */

void
latency_input_look_1 (void)
{
  state->t_look = now ();
}

static bool
only_one_tty (void)
{
  return tty_list && !tty_list->next;
}

/* TERMINAL was first seen to be readable at T.  */
static void
see_ready (uint64_t terminal, uint64_t t, enum emlat_observer whom)
{
  emlat_input_ready (latency_recorder, terminal, t, whom);
  if (!t_tty_ready && only_one_tty ())
    t_tty_ready = t;
}

void
latency_input_counted_1 (int terminal, int count)
{
  state->counted = count;
  if (count == 0)
    {
      emlat_input_empty (latency_recorder, terminal_number (terminal),
			 state->t_look);
      t_input_signal = t_tty_ready = 0;
      return;
    }
  state->t_counted = now ();
  /* The signal does not say which terminal it was.  */
  if (t_input_signal && only_one_tty ())
    see_ready (terminal_number (terminal), t_input_signal,
	       EMLAT_SEEN_BY_OBSERVER);
  see_ready (terminal_number (terminal), state->t_counted,
	     EMLAT_SEEN_BY_POLL);
}

/* Now, for a signal handler, or 0 on other threads than the main one,
   which hand the signal on.  It may interrupt a wait, while another
   thread runs and changes latency_recorder.  */
static uint64_t
signal_time (void)
{
  return (pthread_equal (pthread_self (), main_id)
	  ? emlat_clock_read (threads[0].recorder) : 0);
}

/* In a signal handler: the kernel says that there is input.  */
void
latency_input_signal_1 (void)
{
  if (!t_input_signal)
    t_input_signal = signal_time ();
}

/* The batch that was read is stored as far as it will be.  */
void
latency_read_stored_1 (void)
{
  if (!state->batch)
    return;
  emlat_input_queued (latency_recorder, state->stored);
  state->batch = 0;
}

void
latency_read_begin_1 (void)
{
  /* A jump out of the loop that stores bytes has left the last one.  */
  latency_read_stored_1 ();
  state->t_read_begin = now ();
}

void
latency_read_end_1 (int terminal, int nread)
{
  if (nread <= 0)
    return;
  uint64_t t = now ();
  state->stored = 0;
  state->batch = emlat_input_batch (latency_recorder,
				    terminal_number (terminal),
				    state->t_counted, state->counted,
				    state->t_read_begin, t, nread);
  if (t_tty_ready && t_tty_ready < state->t_read_begin)
    span_whole (LATENCY_TTY_READY, t_tty_ready, state->t_read_begin, 0);
  t_tty_ready = t_input_signal = 0;
  span_whole (LATENCY_READ, state->t_read_begin, t, nread);
}

/* An event enters kbd_buffer[SLOT], behind DEPTH others.  One from the
   terminal comes while its batch is being stored.  */
void
latency_queue_insert_1 (ptrdiff_t slot, int depth)
{
  tokens[slot] = (struct emlat_token) { .t_insert = now () };
  depths[slot] = depth;
  if (!state->batch)
    return;
  tokens[slot].batch = state->batch;
  tokens[slot].offset = state->stored++;
}

/* TOKEN belongs to the key sequence that is being read.  */
static void
consume (struct emlat_token token)
{
  state->keys_before = state->keys;
  state->removed = token;
  if (token.batch)
    state->taken = token;
  emlat_source_add (&state->keys, token, now ());
}

/* The event in kbd_buffer[SLOT] is taken, DEPTH with it are there.  */
void
latency_queue_remove_1 (ptrdiff_t slot, int depth)
{
  state->removed_depth = depths[slot];
  state->depth_remove = depth - 1;
  consume (tokens[slot]);
  tokens[slot] = (struct emlat_token) { .batch = 0 };
}

/* An event that is no key is taken from kbd_buffer[SLOT].  */
void
latency_special_remove_1 (ptrdiff_t slot)
{
  state->t_special = tokens[slot].t_insert;
  tokens[slot] = (struct emlat_token) { .batch = 0 };
}

/* EVENT was given back by Lisp, or comes from a macro.  `sit-for' marks
   the key that ended it, which was the last one taken.  */
void
latency_event_unread_1 (Lisp_Object event)
{
  struct emlat_token token = { .batch = 0 };
  if (CONSP (event) && EQ (XCAR (event), Qt))
    {
      token = state->taken;
      consume (token);
      state->taken.batch = 0;
      return;
    }
  consume (token);
}

/* COUNT events, from kbd_buffer[SLOT] on, are thrown away.  */
void
latency_discard_1 (ptrdiff_t slot, int count)
{
  int dropped = 0;
  for (int i = 0; i < count; i++)
    dropped += tokens[(slot + i) % KBD_BUFFER_SIZE].batch != 0;
  emlat_count (latency_recorder, LATENCY_EVENTS_DROPPED, dropped);
}

static struct side_queue *
side_queue_of (KBOARD *kboard)
{
  for (int i = 0; i < SIDE_QUEUES; i++)
    {
      if (!side_queues[i].kboard)
	side_queues[i].kboard = kboard;
      if (side_queues[i].kboard == kboard)
	return &side_queues[i];
    }
  return NULL;
}

/* EVENT is KBOARD's, not of this sequence.  It was taken last, unless it
   is one that Emacs puts before a key of another frame.  */
void
latency_side_queue_put_1 (KBOARD *kboard, Lisp_Object event)
{
  struct side_queue *queue = side_queue_of (kboard);
  struct emlat_token token = { .batch = 0 };
  if (! (CONSP (event) && EQ (XCAR (event), Qswitch_frame)))
    {
      token = state->removed;
      state->keys = state->keys_before;
    }
  if (queue && queue->count < SIDE_TOKENS)
    queue->tokens[(queue->first + queue->count++) % SIDE_TOKENS] = token;
}

/* An event comes from KBOARD's side queue.  */
void
latency_side_queue_get_1 (KBOARD *kboard)
{
  struct side_queue *queue = side_queue_of (kboard);
  struct emlat_token token = { .batch = 0 };
  if (queue && queue->count)
    {
      token = queue->tokens[queue->first];
      queue->first = (queue->first + 1) % SIDE_TOKENS;
      queue->count--;
    }
  consume (token);
}

/* Emacs stops reading input, since its queue is half full, and goes on.  */
void
latency_hold_begin_1 (void)
{
  t_hold = now ();
}

void
latency_hold_end_1 (void)
{
  if (t_hold)
    span_whole (LATENCY_INPUT_HOLD, t_hold, now (), 0);
  t_hold = 0;
}

/* Lisp that decodes keys is called: a paste, a mouse, a query's
   answer.  */
void
latency_filter_begin_1 (void)
{
  if (state->filter_depth++)
    return;
  state->t_filter = now ();
  latency_span_begin_1 (LATENCY_DECODE_FILTER);
}

void
latency_filter_end_1 (void)
{
  if (state->filter_depth <= 0 || --state->filter_depth)
    return;
  state->filter_ns += now () - state->t_filter;
  latency_span_end_1 (LATENCY_DECODE_FILTER);
}

/* In a signal handler: touch nothing but the count.  */
void
latency_quit_signal_1 (void)
{
  quit_signals++;
}

/* Often in a signal handler.  */
void
latency_quit_requested_1 (void)
{
  if (!t_quit_requested)
    t_quit_requested = signal_time ();
}

/* The quit that was requested has had its effect at T.  */
static void
quit_took_effect (uint64_t t)
{
  emlat_count (latency_recorder, LATENCY_QUIT_SIGNALS,
	       quit_signals - quit_signals_told);
  quit_signals_told = quit_signals;
  if (t_quit_requested && t >= t_quit_requested)
    emlat_count (latency_recorder, LATENCY_QUIT_NS, t - t_quit_requested);
  t_quit_requested = 0;
}

/* A quit has jumped out of a wait for input.  */
void
latency_quit_landed_1 (void)
{
  uint64_t t = now ();
  if (state->polling)
    emlat_span_whole (latency_recorder, LATENCY_POLL, state->t_poll_begin, t,
		      0, EMLAT_OUTCOME_QUIT);
  state->polling = false;
}

/* The command loop.  */

void
latency_keys_begin_1 (void)
{
  state->keys = (struct emlat_source_range) { .events = 0 };
  state->filter_ns = state->filter_wait_ns = 0;
  state->filter_depth = 0;
}

/* Remember on whose behalf each timer that is new in Emacs' lists was
   made, and forget those that are gone.  Called at each root's begin
   and end, so what is new was made by the innermost open one.  */
static void
note_timers (void)
{
  static struct made before[TIMERS_MAX];
  uint64_t cause = emlat_root_innermost (latency_recorder);
  int count_before = timers_count, at = 0;
  memcpy (before, timers, count_before * sizeof *before);
  timers_count = 0;
  for (int list = 0; list < 2; list++)
    for (Lisp_Object tail = list ? Vtimer_idle_list : Vtimer_list;
	 CONSP (tail) && timers_count < TIMERS_MAX; tail = XCDR (tail))
      {
	void const *timer = XLI (XCAR (tail)) ? (void *) XLI (XCAR (tail))
	  : NULL;
	/* The lists rarely change: the same place as before, or after
	   those that are gone.  */
	int i = at;
	while (i < count_before && before[i].object != timer)
	  i++;
	if (i == count_before)
	  for (i = 0; i < at && before[i].object != timer; )
	    i++;
	bool known = i < count_before && before[i].object == timer;
	if (known)
	  at = i + 1;
	timers[timers_count++]
	  = (struct made) { timer, known ? before[i].cause : cause };
      }
}

/* Note where the command that LOOP runs began.  */
static void
note_buffer (struct loop *loop)
{
  Lisp_Object contents = XWINDOW (selected_window)->contents;
  loop->buffer = BUFFERP (contents) ? XBUFFER (contents) : NULL;
  loop->ticks = loop->buffer ? BUF_MODIFF (loop->buffer) : 0;
}

void
latency_dispatch_1 (int keys, int events)
{
  uint64_t t = now ();
  struct emlat_source_range const *from = &state->keys;
  bool macro = !NILP (Vexecuting_kbd_macro);
  bool synthetic = macro || !from->events || from->last_is_other;
  struct loop *loop = innermost_loop ();
  /* If the display of the command before was decided, this does
     nothing.  */
  emlat_display_decide (latency_recorder,
			(macro ? EMLAT_DISPLAY_MACRO
			 : from->others ? EMLAT_DISPLAY_UNREAD_EVENTS
			 : EMLAT_DISPLAY_NEXT_COMMAND), t);
  note_timers ();
  loop->command = emlat_root_begin (latency_recorder,
				    (synthetic ? LATENCY_SYNTHETIC_COMMAND
				     : LATENCY_TTY_COMMAND), t);
  loop->failed = false;
  state->taken.batch = 0;
  note_buffer (loop);
  emlat_root_source (latency_recorder, loop->command, from, t);
  emlat_frame (latency_recorder, 0,
	       frame_number (XFRAME (selected_frame)));
  if (from->events)
    {
      if (!from->last_is_other)
	span_whole (LATENCY_QUEUE, from->last.t_insert, from->t_remove, 0);
      span_whole (LATENCY_KEY_DECODE, from->t_remove, t, 0);
      emlat_count (latency_recorder, LATENCY_QUEUE_DEPTH_INSERT,
		   state->removed_depth);
      emlat_count (latency_recorder, LATENCY_QUEUE_DEPTH_REMOVE,
		   state->depth_remove);
    }
  emlat_count (latency_recorder, LATENCY_EVENTS_DECODED, events);
  emlat_count (latency_recorder, LATENCY_KEY_SEQUENCE_LENGTH, keys);
  emlat_count (latency_recorder, LATENCY_PREFIX_DEPTH, keys - 1);
  emlat_count (latency_recorder, LATENCY_EXTRA_READS,
	       (int) (from->events + from->others) > keys
	       ? from->events + from->others - keys : 0);
  emlat_count (latency_recorder, LATENCY_DECODE_FILTER_NS, state->filter_ns);
  emlat_count (latency_recorder, LATENCY_DECODE_WAIT_NS,
	       state->filter_wait_ns);
  quit_took_effect (t);
  latency_span_begin_1 (LATENCY_COMMAND_LOOP);
}

/* What SESSION says of settings that init files and the first output
   change.  Here it is as it was said last.  */
static struct settings
{
  EMACS_INT gc_threshold;
  uint64_t gc_permille;
  ptrdiff_t output_coding, input_coding;
  bool names;			/* commands' names are recorded */
} settings_said;

/* Names of commands, recorded only on request.  */

/* `latency-record-command-names', and symbol to number of name in this
   session.  */
static Lisp_Object names_option, command_names;

/* True once names were asked for in this session.  From then on its files
   may hold some.  */
static bool names_given;

/* True if the user asks for names.  The variable is latency.el's: where
   that is not loaded, nobody does.  */
static bool
names_wanted (void)
{
  Lisp_Object option = find_symbol_value (names_option);
  bool wanted = !NILP (option) && !BASE_EQ (option, Qunbound);
  names_given |= wanted;
  return wanted;
}

static void
forget_names (void)
{
  names_given = false;
  names_option = intern_c_string ("latency-record-command-names");
  command_names = CALLN (Fmake_hash_table, QCtest, Qeq);
}

/* Say that the command of LOOP is COMMAND.  One that has no name, or
   comes when there is no more room for names, has none in the file.  */
static void
name_command (struct loop const *loop, Lisp_Object command)
{
  if (!loop->command || NILP (command) || !SYMBOLP (command))
    return;
  Lisp_Object number = Fgethash (command, command_names, Qnil);
  if (NILP (number))
    {
      Lisp_Object name = ENCODE_UTF_8 (SYMBOL_NAME (command));
      uint64_t id;
      emlat_session_name (session, SSDATA (name), SBYTES (name), &id);
      number = make_uint (id);
      Fputhash (command, number, command_names);
    }
  emlat_root_name (latency_recorder, loop->command, XFIXNAT (number));
}

static bool
is_execute_extended_command (Lisp_Object command)
{
  return (SYMBOLP (command)
	  && !strcmp (SSDATA (SYMBOL_NAME (command)),
		      "execute-extended-command"));
}

void
latency_span_begin_1 (enum latency_span_kind kind)
{
  if (kind == LATENCY_COMMAND && settings_said.names)
    {
      struct loop *loop = innermost_loop ();
      loop->by_name = is_execute_extended_command (Vthis_command);
      name_command (loop, Vthis_command);
    }
  innermost_loop ()->spans[kind] = emlat_span_begin (latency_recorder, kind);
}

void
latency_span_end_1 (enum latency_span_kind kind)
{
  struct emlat_span *span = &innermost_loop ()->spans[kind];
  emlat_span_end (latency_recorder, *span);
  span->id = 0;
}

/* Close what a nonlocal exit with OUTCOME at T left open in LOOP.  */
static void
unwind_to (struct loop const *loop, uint64_t t, enum emlat_outcome outcome)
{
  emlat_unwind (latency_recorder, loop->depth, t, outcome);
  emlat_roots_unwind (latency_recorder, loop->roots, t, outcome);
  state->lisp_depth = state->filter_depth = 0;
}

/* Forget the loops whose frames lie deeper in the stack, that is, at
   lower addresses, than FRAME.  */
static void
leave_loops (void *frame, uint64_t t, enum emlat_outcome outcome)
{
  while (state->loop_count > 1
	 && innermost_loop ()->frame < (uintptr_t) frame)
    {
      unwind_to (innermost_loop (), t, outcome);
      state->loop_count--;
    }
}

void
latency_loop_enter_1 (void *frame)
{
  /* A macro's loop waits for no person.  */
  if (NILP (Vexecuting_kbd_macro))
    emlat_count_all (latency_recorder, LATENCY_NESTED_LOOPS, 1);
  /* Loops that nest deeper than this count as part of the last one.  */
  if (state->loop_count == LOOPS_MAX)
    return;
  state->loops[state->loop_count++]
    = (struct loop) { .frame = (uintptr_t) frame,
		      .roots = emlat_roots_open (latency_recorder),
		      .depth = emlat_depth (latency_recorder) };
}

void
latency_loop_leave_1 (void *frame)
{
  leave_loops (frame, now (), EMLAT_OUTCOME_THROW);
  /* The last command of a macro passes the decision by like the
     others.  */
  if (!NILP (Vexecuting_kbd_macro))
    emlat_display_decide (latency_recorder, EMLAT_DISPLAY_MACRO, now ());
  unwind_to (innermost_loop (), now (), EMLAT_OUTCOME_THROW);
  /* A loop that began before the recording did is not there; what it
     ran is, in the place of no loop.  */
  if (innermost_loop ()->frame == (uintptr_t) frame)
    state->loop_count--;
  state->loop_returned = true;
}

/* A throw, or a loop's end, has arrived in FRAME.  */
void
latency_loop_landed_1 (void *frame)
{
  /* A throw out of a loop that began before the recording did.  */
  if (state->loop_count == 1 && !state->loop_returned)
    unwind_to (innermost_loop (), now (), EMLAT_OUTCOME_THROW);
  state->loop_returned = false;
  leave_loops (frame, now (), EMLAT_OUTCOME_THROW);
}

static uint64_t
exit_time (void)
{
  return state->t_nonlocal_exit ? state->t_nonlocal_exit : now ();
}

void
latency_nonlocal_exit_1 (void)
{
  state->t_nonlocal_exit = now ();
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
  /* The span of the loop's turn goes on.  */
  bool turn = loop->spans[LATENCY_COMMAND_LOOP].id != 0;
  emlat_unwind (latency_recorder, loop->depth + turn, t, outcome);
  state->lisp_depth = state->filter_depth = 0;
  if (emlat_roots_open (latency_recorder) <= loop->roots)
    return;
  emlat_roots_unwind (latency_recorder, loop->roots + 1, t, outcome);
  emlat_root_outcome (latency_recorder, loop->command, outcome);
  emlat_idle (latency_recorder);
  if (outcome == EMLAT_OUTCOME_QUIT)
    quit_took_effect (t);
  loop->failed = true;
}

/* The C stack overflowed, and Emacs jumped to a command loop without
   running any handler.  */
void
latency_stack_overflowed_1 (void)
{
  state->loop_count = 1;
  unwind_to (innermost_loop (), now (), EMLAT_OUTCOME_ERROR);
}

/* A command loop begins with the hook that a failed command missed.  */
void
latency_late_post_command_begin_1 (void)
{
  if (innermost_loop ()->failed)
    latency_span_begin_1 (LATENCY_POST_COMMAND);
}

static int
count_windows (Lisp_Object window)
{
  int count = 0;
  for (; !NILP (window); window = XWINDOW (window)->next)
    count += (WINDOWP (XWINDOW (window)->contents)
	      ? count_windows (XWINDOW (window)->contents) : 1);
  return count;
}

/* Tell what the command of LOOP worked on.  */
static void
count_buffer_and_windows (struct loop const *loop)
{
  struct window *w = XWINDOW (selected_window);
  if (!BUFFERP (w->contents))
    return;
  struct buffer *buffer = XBUFFER (w->contents);
  emlat_count (latency_recorder, LATENCY_BUFFER_SIZE,
	       BUF_Z (buffer) - BUF_BEG (buffer));
  if (buffer == loop->buffer)
    emlat_count (latency_recorder, LATENCY_BUFFER_TICKS,
		 BUF_MODIFF (buffer) - loop->ticks);
  emlat_count (latency_recorder, LATENCY_WINDOW_ROWS, w->total_lines);
  emlat_count (latency_recorder, LATENCY_WINDOW_COLUMNS, w->total_cols);
  emlat_count (latency_recorder, LATENCY_WINDOWS,
	       count_windows (FRAME_ROOT_WINDOW (XFRAME (selected_frame))));
}

/* The work of this loop's command, if there is one, is done.  */
void
latency_command_done_1 (void)
{
  struct loop *loop = innermost_loop ();
  latency_span_end_1 (LATENCY_COMMAND_LOOP);
  if (loop->command && emlat_roots_open (latency_recorder) > loop->roots)
    {
      /* What follows is the command's, not that of a root that ended
	 inside it.  */
      emlat_idle (latency_recorder);
      /* M-x pretends to be the command that it ran.  */
      if (settings_said.names && loop->by_name)
	name_command (loop, Vreal_this_command);
      note_timers ();
      count_buffer_and_windows (loop);
      emlat_root_work_end (latency_recorder, loop->command, now ());
    }
  loop->command = 0;
  loop->failed = false;
}

/* Other roots.  */

uint64_t
latency_root_begin_1 (enum latency_root_kind kind)
{
  note_timers ();
  return emlat_root_begin (latency_recorder, kind, now ());
}

void
latency_root_end_1 (uint64_t cause)
{
  if (!cause)
    return;
  note_timers ();
  emlat_root_work_end (latency_recorder, cause, now ());
}

/* TIMER runs, LATE after it was due.  */
uint64_t
latency_timer_begin_1 (Lisp_Object timer, struct timespec late)
{
  note_timers ();
  uint64_t t = now ();
  uint64_t late_ns = (uint64_t) late.tv_sec * 1000000000 + late.tv_nsec;
  uint64_t cause = emlat_root_begin (latency_recorder, LATENCY_TIMER, t);
  if (late_ns < t)
    emlat_root_observed (latency_recorder, cause, t - late_ns, t - late_ns,
			 EMLAT_INFERRED);
  emlat_root_scheduled (latency_recorder, cause,
			cause_of (timers, timers_count, (void *) XLI (timer)));
  return cause;
}

/* BYTES of output of PROCESS are handled, or its sentinel runs.  */
uint64_t
latency_process_begin_1 (enum latency_root_kind kind,
			 struct Lisp_Process *process, ptrdiff_t bytes)
{
  /* The end of the output is no work.  */
  if (kind == LATENCY_PROCESS_DATA && bytes <= 0)
    return 0;
  uint64_t cause = latency_root_begin_1 (kind);
  emlat_count (latency_recorder, LATENCY_PROCESS_BYTES, bytes);
  /* The poll that came back last saw it, unless none did since.  */
  if (state->t_poll_ready)
    emlat_root_observed (latency_recorder, cause, 0, state->t_poll_ready,
			 EMLAT_SEEN_BY_POLL);
  emlat_root_scheduled (latency_recorder, cause,
			cause_of (made, MADE_MAX, process));
  return cause;
}

/* A handler of the innermost root has caught an error in it.  */
void
latency_root_failed_1 (void)
{
  emlat_root_outcome (latency_recorder,
		      emlat_root_innermost (latency_recorder),
		      EMLAT_OUTCOME_ERROR);
}

/* EVENT is handled while a key is being read.  */
uint64_t
latency_special_begin_1 (Lisp_Object event)
{
  Lisp_Object head = CONSP (event) ? XCAR (event) : event;
  enum latency_root_kind kind
    = (EQ (head, Qfile_notify) ? LATENCY_FILE_NOTIFICATION
       : EQ (head, Qthread_event) ? LATENCY_THREAD_WAKEUP
       : LATENCY_MAINTENANCE);
  uint64_t cause = latency_root_begin_1 (kind);
  if (state->t_special)
    emlat_root_observed (latency_recorder, cause, 0, state->t_special,
			 EMLAT_SEEN_INSIDE);
  state->t_special = 0;
  return cause;
}

/* In a signal handler.  */
void
latency_resize_signal_1 (void)
{
  if (!t_resized)
    t_resized = signal_time ();
}

uint64_t
latency_resize_begin_1 (void)
{
  uint64_t seen = t_resized;
  uint64_t cause = latency_root_begin_1 (LATENCY_RESIZE);
  if (seen)
    emlat_root_observed (latency_recorder, cause, 0, seen,
			 EMLAT_SEEN_BY_OBSERVER);
  t_resized = 0;
  return cause;
}

/* Display and output.  */

void
latency_decision_begin_1 (void)
{
  state->t_decision = now ();
}

void
latency_display_decide_1 (bool perform)
{
  bool waited_for = emlat_display_waited_for (latency_recorder);
  /* The timers that ran meanwhile do not own a command's display.  */
  if (waited_for)
    emlat_idle (latency_recorder);
  uint64_t t = now ();
  /* Each key that is read comes here; a command's stamps tell the rest.  */
  if (t - state->t_decision >= SHORT_NS)
    span_whole (LATENCY_DECISION, state->t_decision, t, 0);
  emlat_display_decide (latency_recorder,
			(perform ? EMLAT_DISPLAY_PERFORMED
			 : EMLAT_DISPLAY_INPUT_PENDING), t);
}

void
latency_display_done_1 (void)
{
  emlat_display_done (latency_recorder, now ());
}

/* Why the next display happens, by the number of its caller; 0 is the
   command loop.  */
void
latency_redisplay_reason_1 (int number)
{
  state->reason = number;
}

static void count_tallies (void);

/* What frames should look like is being found out from T on.  */
static void
begin_matrices (uint64_t t)
{
  innermost_loop ()->spans[LATENCY_MATRICES]
    = emlat_span_begin_at (latency_recorder, LATENCY_MATRICES, t);
}

void
latency_redisplay_begin_1 (void)
{
  uint64_t t = now ();
  count_tallies ();
  emlat_display_begin (latency_recorder, t);
  innermost_loop ()->spans[LATENCY_REDISPLAY]
    = emlat_span_begin_at (latency_recorder, LATENCY_REDISPLAY, t);
  emlat_span_detail (latency_recorder, state->reason);
  state->reason = 0;
  state->lisp_depth = state->lisp_calls = 0;
  state->lisp_was_long = state->lisp_long;
  state->lisp_long = 0;
  state->updated = false;
  begin_matrices (t);
}

/* Tell what display has been summing up.  */
static void
count_tallies (void)
{
  for (int i = 0; i < LATENCY_TALLIES; i++)
    if (latency_tallies[i])
      {
	emlat_count (latency_recorder, LATENCY_FIRST_TALLY + i,
		     latency_tallies[i]);
	latency_tallies[i] = 0;
      }
}

void
latency_redisplay_end_1 (void)
{
  uint64_t t = now ();
  struct emlat_span *spans = innermost_loop ()->spans;
  count_tallies ();
  /* After the last update there is little but tidying up.  */
  emlat_span_end_unless_short (latency_recorder, spans[LATENCY_MATRICES], t,
			       state->updated ? UINT64_MAX : 0);
  emlat_display_end (latency_recorder, t);
  emlat_span_end_at (latency_recorder, spans[LATENCY_REDISPLAY], t);
  spans[LATENCY_MATRICES].id = spans[LATENCY_REDISPLAY].id = 0;
}

/* A message is shown without the rest of a redisplay.  */
void
latency_echo_begin_1 (void)
{
  uint64_t t = now ();
  emlat_display_begin (latency_recorder, t);
  state->echo = emlat_span_begin_at (latency_recorder, LATENCY_ECHO_AREA, t);
}

void
latency_echo_end_1 (void)
{
  uint64_t t = now ();
  count_tallies ();
  emlat_display_end (latency_recorder, t);
  emlat_span_end_at (latency_recorder, state->echo, t);
  state->echo.id = 0;
}

/* Redisplay calls Lisp: the mode line, fontification, a hook.  It does
   so often and mostly shortly; what is short is only summed.  */

void
latency_lisp_begin_1 (void)
{
  if (!redisplaying_p || state->lisp_depth++)
    return;
  state->t_lisp = now ();
  struct emlat_span span
    = emlat_span_begin_at (latency_recorder, LATENCY_REDISPLAY_LISP,
			   state->t_lisp);
  if (state->lisp_was_long >> (state->lisp_calls++ & 63) & 1)
    span = emlat_span_with_cpu (latency_recorder, span);
  innermost_loop ()->spans[LATENCY_REDISPLAY_LISP] = span;
}

void
latency_lisp_end_1 (void)
{
  if (state->lisp_depth <= 0 || --state->lisp_depth)
    return;
  uint64_t t = now ();
  struct emlat_span *span = &innermost_loop ()->spans[LATENCY_REDISPLAY_LISP];
  if (t - state->t_lisp >= LONG_NS)
    state->lisp_long |= (uint64_t) 1 << ((state->lisp_calls - 1) & 63);
  latency_tallies[LATENCY_LISP_CALLS]++;
  latency_tallies[LATENCY_LISP_NS] += t - state->t_lisp;
  emlat_span_end_unless_short (latency_recorder, *span, t, SHORT_NS);
  span->id = 0;
}

/* What FRAME should look like is known: make its screen so.  */
void
latency_update_begin_1 (struct frame *frame)
{
  uint64_t t = now ();
  struct emlat_span *spans = innermost_loop ()->spans;
  count_tallies ();
  emlat_span_end_at (latency_recorder, spans[LATENCY_MATRICES], t);
  spans[LATENCY_MATRICES].id = 0;
  state->updated = true;
  if (FRAME_TERMCAP_P (frame))
    latency_tallies[LATENCY_FRAMES_UPDATED]++;
  spans[LATENCY_UPDATE]
    = emlat_span_begin_at (latency_recorder, LATENCY_UPDATE, t);
}

void
latency_update_end_1 (bool paused)
{
  latency_tallies[LATENCY_PREEMPTIONS] += paused;
  uint64_t t = now ();
  struct emlat_span *span = &innermost_loop ()->spans[LATENCY_UPDATE];
  count_tallies ();
  emlat_span_end_at (latency_recorder, *span, t);
  span->id = 0;
  if (redisplaying_p)
    begin_matrices (t);
}

/* The rows of FRAME that its update goes over, and the others.  */
void
latency_update_rows_1 (struct frame *frame)
{
  struct glyph_matrix *desired = frame->desired_matrix;
  int updated = 0;
  for (int i = 0; i < desired->nrows; i++)
    updated += MATRIX_ROW_ENABLED_P (desired, i);
  latency_tallies[LATENCY_ROWS_UPDATED] += updated;
  latency_tallies[LATENCY_ROWS_REUSED] += desired->nrows - updated;
}

void
latency_wrote_1 (struct terminal *terminal, ptrdiff_t bytes)
{
  if (terminal && bytes > 0)
    emlat_output (latency_recorder, terminal_number (terminal->id), bytes);
}

int
latency_fflush_1 (struct terminal *terminal, FILE *stream)
{
  uint64_t number = terminal ? terminal_number (terminal->id) : 0;
  uint64_t bytes
    = number ? emlat_output_pending (latency_recorder, number) : 0;
  if (!bytes)
    {
      if (number)
	emlat_output_flush (latency_recorder, number, 0, 0, false);
      return fflush (stream);
    }
  uint64_t begin = now ();
  int result = fflush (stream);
  int saved_errno = errno;
  uint64_t end = now ();
  span_whole (LATENCY_TTY_WRITE,
	      emlat_output_begin (latency_recorder, number), begin, 0);
  emlat_span_whole (latency_recorder, LATENCY_FLUSH, begin, end, bytes,
		    result ? EMLAT_OUTCOME_FAILED : EMLAT_OUTCOME_NORMAL);
  emlat_output_flush (latency_recorder, number, begin, end, result != 0);
  errno = saved_errno;
  return result;
}

/* Garbage collection and waiting.  */

void
latency_gc_begin_1 (void)
{
  if (state->gc_depth++)
    return;
  state->t_gc_begin = now ();
  /* Outside any root it is upkeep.  */
  state->gc_root
    = (emlat_root_innermost (latency_recorder) || redisplaying_p ? 0
       : emlat_root_begin (latency_recorder, LATENCY_MAINTENANCE,
			   state->t_gc_begin));
  state->gc = emlat_span_begin_at (latency_recorder, LATENCY_GC,
				   state->t_gc_begin);
}

void
latency_gc_end_1 (void)
{
  if (state->gc_depth <= 0 || --state->gc_depth)
    return;
  uint64_t t = now ();
  emlat_span_end_at (latency_recorder, state->gc, t);
  emlat_count (latency_recorder, LATENCY_GC_COUNT, 1);
  emlat_count (latency_recorder, LATENCY_GC_NS, t - state->t_gc_begin);
  if (state->gc_root)
    emlat_root_work_end (latency_recorder, state->gc_root, t);
}

static void note_settings (void);

/* The central poll begins, with the descriptors of SET; KEYBOARD says
   whether it waits for a key.  A jump out of it by C-g abandons it; the
   next one takes its place.  */
void
latency_poll_begin_1 (fd_set *set, int keyboard)
{
  state->polled_count = 0;
  for (struct tty_display_info *tty = tty_list; tty; tty = tty->next)
    if (tty->input && tty->terminal && state->polled_count < TTYS_POLLED_MAX
	&& FD_ISSET (fileno (tty->input), set))
      {
	state->polled[state->polled_count]
	  = terminal_number (tty->terminal->id);
	state->polled_fds[state->polled_count++] = fileno (tty->input);
      }
  emlat_idle (latency_recorder);
  note_settings ();
  state->polling = true;
  state->for_keyboard = keyboard != 0;
  state->t_poll_begin = now ();
}

void
latency_poll_end_1 (int ready, fd_set *set)
{
  if (!state->polling)
    return;
  int saved_errno = errno;
  uint64_t t = now ();
  state->polling = false;
  state->t_poll_ready = ready > 0 ? t : 0;
  /* Interrupted by a signal, it may not have looked at any descriptor
     unless it had been blocked before, and SET means nothing.  */
  for (int i = 0; i < state->polled_count; i++)
    if (ready >= 0)
      {
	bool is = ready > 0 && FD_ISSET (state->polled_fds[i], set);
	emlat_input_poll (latency_recorder, state->polled[i],
			  state->t_poll_begin, t, is);
	if (is && !t_tty_ready && only_one_tty ())
	  t_tty_ready = t;
      }
  if (state->filter_depth)
    state->filter_wait_ns += t - state->t_poll_begin;
  else if (state->for_keyboard)
    emlat_count_all (latency_recorder, LATENCY_PERSON_WAIT_NS,
		     t - state->t_poll_begin);
  emlat_span_whole (latency_recorder, LATENCY_POLL, state->t_poll_begin, t,
		    state->for_keyboard,
		    ready < 0 ? EMLAT_OUTCOME_FAILED : EMLAT_OUTCOME_NORMAL);
  errno = saved_errno;
}

/* Starting and stopping.  */

enum { STOP_WAIT_MS = 2000, RING_BYTES = 4 << 20 };

static uint64_t
stop_wait_ns (void)
{
  return (uint64_t) STOP_WAIT_MS * 1000000;
}

/* What SESSION says about this Emacs.  No name of a file, a device, a
   host or a user is among it.  */

static void
put_hex (char *text, size_t size, unsigned char const *bytes, size_t count)
{
  *text = '\0';
  for (size_t i = 0; i < count && 2 * i + 2 < size; i++)
    snprintf (text + 2 * i, 3, "%02x", bytes[i]);
}

/* For dl_iterate_phdr: put the build ID of the first object, which is
   the program, in DATA, a char[64].  */
static int
find_build_id (struct dl_phdr_info *info, size_t size, void *data)
{
  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      ElfW(Phdr) const *header = &info->dlpi_phdr[i];
      if (header->p_type != PT_NOTE)
	continue;
      char const *at = (char const *) info->dlpi_addr + header->p_vaddr;
      char const *end = at + header->p_memsz;
      while (at + sizeof (ElfW(Nhdr)) <= end)
	{
	  ElfW(Nhdr) const *note = (ElfW(Nhdr) const *) at;
	  char const *name = at + sizeof *note;
	  char const *id = name + (note->n_namesz + 3) / 4 * 4;
	  if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4
	      && memcmp (name, "GNU", 4) == 0)
	    put_hex (data, 64, (unsigned char const *) id, note->n_descsz);
	  at = id + (note->n_descsz + 3) / 4 * 4;
	}
    }
  return 1;
}

/* Copy the configure options to TEXT, those with a slash without their
   values: they may name somebody's folder.  */
static void
put_options (char *text, size_t size)
{
  char const *from = EMACS_CONFIG_OPTIONS;
  size_t length = 0;
  bool slash = false, quoted = false;
  size_t word = 0, equals = 0;
  for (; length + 2 < size; from++)
    {
      bool ends = !*from || (*from == ' ' && !quoted);
      if (*from == '\'')
	quoted = !quoted;
      if (ends)
	{
	  if (slash)
	    length = equals ? equals : word;
	  slash = false;
	  word = length + 1;
	  equals = 0;
	}
      slash |= *from == '/';
      if (!*from)
	break;
      text[length++] = *from;
      if (*from == '=' && !equals)
	equals = length;
    }
  text[length] = '\0';
}

/* Say what kind of device the controlling terminal is, by its number:
   that of a terminal opened as "the controlling one" does not tell.  */
static char const *
tty_device (struct tty_display_info *tty)
{
  char line[512];
  unsigned major = 0;
  FILE *file = emacs_fopen ("/proc/self/stat", "r");
  if (!file)
    return "unknown";
  char *name_end = fgets (line, sizeof line, file) ? strrchr (line, ')')
    : NULL;
  int number;
  if (name_end && sscanf (name_end + 1, " %*c %*d %*d %*d %d", &number) == 1)
    major = (unsigned) number >> 8 & 0xfff;
  emacs_fclose (file);
  return (136 <= major && major <= 143 ? "pty" : major == 4 ? "console"
	  : major ? "serial" : "unknown");
}

static char const *
coding_name (struct coding_system const *coding)
{
  if (!coding || coding->id < 0)
    return "";
  Lisp_Object name = CODING_ID_NAME (coding->id);
  return SYMBOLP (name) ? SSDATA (SYMBOL_NAME (name)) : "";
}

static struct settings
settings_now (struct terminal *terminal)
{
  double percentage = (FLOATP (Vgc_cons_percentage)
		       ? XFLOAT_DATA (Vgc_cons_percentage) : 0);
  struct coding_system const *output = TERMINAL_TERMINAL_CODING (terminal);
  struct coding_system const *input = TERMINAL_KEYBOARD_CODING (terminal);
  return ((struct settings)
    {
      .gc_threshold = gc_cons_threshold,
      .gc_permille = percentage * 1000,
      .output_coding = output ? output->id : -1,
      .input_coding = input ? input->id : -1,
      .names = names_wanted (),
    });
}

enum { SETTINGS = 5 };

/* Put the SETTINGS attributes of TERMINAL, which are those of SETTINGS,
   into ATTRIBUTES, and remember that they are said.  */
static void
put_settings (struct emlat_attribute attributes[SETTINGS],
	      struct terminal *terminal, struct settings const *settings)
{
  struct emlat_attribute const said[SETTINGS] =
    {
      { "gc_cons_threshold", NULL, settings->gc_threshold },
      { "gc_cons_permille", NULL, settings->gc_permille },
      { "tty_output_coding",
	coding_name (TERMINAL_TERMINAL_CODING (terminal)), 0 },
      { "tty_input_coding",
	coding_name (TERMINAL_KEYBOARD_CODING (terminal)), 0 },
      { "privacy", names_given ? "command_names" : "no_content", 0 },
    };
  memcpy (attributes, said, sizeof said);
  settings_said = *settings;
}

/* Say what settings have become, where they have changed.  */
static void
note_settings (void)
{
  struct tty_display_info *tty = tty_list;
  if (!session || !tty || !tty->terminal)
    return;
  struct settings settings = settings_now (tty->terminal);
  if (settings.gc_threshold == settings_said.gc_threshold
      && settings.gc_permille == settings_said.gc_permille
      && settings.output_coding == settings_said.output_coding
      && settings.input_coding == settings_said.input_coding
      && settings.names == settings_said.names)
    return;
  struct emlat_attribute attributes[SETTINGS];
  put_settings (attributes, tty->terminal, &settings);
  emlat_session_say (session, attributes, SETTINGS);
}

/* What whoever runs the same work again and again calls it, or "".  */
static char const *
workload_name (void)
{
  char const *name = getenv ("EMLAT_WORKLOAD");
  size_t length = name ? strspn (name, "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789._-") : 0;
  return length && length <= 64 && !name[length] ? name : "";
}

/* Begin to record in FILE, a name as the system takes it, and in a new
   one beside it after each ROTATE_BYTES, unless they are 0.  Return 0 or
   an error of libemlat.  */
static int
start (char const *file, uint64_t rotate_bytes)
{
  struct tty_display_info *tty = tty_list;
  struct terminal *terminal = tty->terminal;
  char build_id[64] = "", dump_id[80] = "", options_text[1024] = "";
  char capabilities[128];
  dl_iterate_phdr (find_build_id, build_id);
  put_hex (dump_id, sizeof dump_id, (unsigned char const *) fingerprint,
	   sizeof fingerprint);
  put_options (options_text, sizeof options_text);
  snprintf (capabilities, sizeof capabilities,
	    "colors=%d insert_delete_line=%d insert_delete_char=%d"
	    " scroll_region=%d",
	    tty->TN_max_colors, tty->line_ins_del_ok, tty->char_ins_del_ok,
	    tty->scroll_region_ok);
  Lisp_Object revision
    = find_symbol_value (intern_c_string ("emacs-repository-version"));
  forget_names ();
  struct settings const settings = settings_now (terminal);
  struct emlat_attribute attributes[] =
    {
      [SETTINGS] =
      { "emacs_version", PACKAGE_VERSION, 0 },
      { "emacs_revision", STRINGP (revision) ? SSDATA (revision) : "", 0 },
      { "emacs_build_id", build_id, 0 },
      { "emacs_dump_id", dump_id, 0 },
      { "emacs_configuration", EMACS_CONFIGURATION, 0 },
      { "emacs_options", options_text, 0 },
      { "emacs_features", EMACS_CONFIG_FEATURES, 0 },
#ifdef __OPTIMIZE__
      { "emacs_optimized", NULL, 1 },
#else
      { "emacs_optimized", NULL, 0 },
#endif
#ifdef ENABLE_CHECKING
      { "emacs_checking", NULL, 1 },
#else
      { "emacs_checking", NULL, 0 },
#endif
      { "daemon", NULL, IS_DAEMON },
      { "tty_type", tty->type ? tty->type : "", 0 },
      { "tty_capabilities", capabilities, 0 },
      { "tty_columns", NULL, FrameCols (tty) },
      { "tty_rows", NULL, FrameRows (tty) },
      { "tty_baud", NULL, baud_rate > 0 ? baud_rate : 0 },
      { "tty_device", tty_device (tty), 0 },
      { "workload", workload_name (), 0 },
      { "ssh", NULL, (getenv ("SSH_CONNECTION") || getenv ("SSH_TTY")
		      || getenv ("SSH_CLIENT")) },
    };
  put_settings (attributes, terminal, &settings);
  /* What is not known is not there.  */
  int said = 0;
  for (int i = 0; i < ARRAYELTS (attributes); i++)
    if (!attributes[i].text || *attributes[i].text)
      attributes[said++] = attributes[i];
  struct emlat_options options;
  emlat_options_default (&options);
  options.path = file;
  options.host = "emacs";
  options.words = &emacs_words;
  options.attributes = attributes;
  options.attributes_count = said;
  options.producers = THREADS_MAX;
  options.rotate_bytes = rotate_bytes;
  options.ring_bytes = RING_BYTES;
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
  memset (threads, 0, sizeof threads);
  state = &threads[0];
  prepare_thread (state, current_thread);
  state->recorder = producer;
  memset (tokens, 0, sizeof tokens);
  memset (side_queues, 0, sizeof side_queues);
  memset (frames, 0, sizeof frames);
  memset (made, 0, sizeof made);
  memset (latency_tallies, 0, sizeof latency_tallies);
  timers_count = 0;
  quit_signals_told = quit_signals;
  t_quit_requested = t_input_signal = t_resized = t_tty_ready = t_hold = 0;
  main_id = pthread_self ();
  latency_recording = true;
  latency_recorder = producer;
  note_timers ();
  return 0;
}

static int
stop (void)
{
  struct emlat_session *stopped = session;
  if (!stopped)
    return 0;
  session = NULL;
  if (latency_recorder)
    latency_read_stored_1 ();
  latency_recording = false;
  latency_recorder = NULL;
  int error = emlat_stop (stopped, stop_wait_ns ());
  return error;
}

/* A terminal is there.  In a daemon the first one comes late.  */
void
latency_tty_ready_1 (void)
{
  if (IS_DAEMON)
    init_latency ();
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
  int error = start (file, 0);
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
start_recording (Lisp_Object file, Lisp_Object rotate_bytes)
{
  if (noninteractive)
    error ("Latency is recorded in interactive sessions only");
  if (!tty_list)
    error ("Latency is recorded once there is a text terminal");
  if (session)
    error ("Latency is being recorded already");
  CHECK_STRING (file);
  if (!NILP (rotate_bytes))
    CHECK_FIXNAT (rotate_bytes);
  file = Fexpand_file_name (file, Qnil);
  Lisp_Object encoded = ENCODE_FILE (file);
  CHECK_STRING_NULL_BYTES (encoded);
  int result = start (SSDATA (encoded),
		      NILP (rotate_bytes) ? 0 : XFIXNAT (rotate_bytes));
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
  emlat_idle (latency_recorder);
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
start_recording (Lisp_Object file, Lisp_Object rotate_bytes)
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

DEFUN ("latency-start", Flatency_start, Slatency_start, 1, 2,
       "FRecord latency in new file: ",
       doc: /* Record the latency of each interaction in FILE from now on.
FILE must not exist; it is created with mode 0600.  The recording holds
no keys, text, file names or command names.  It goes on until
`latency-stop' or the end of the session.
If ROTATE-BYTES is a positive integer, go on in a new file whenever the
last one has grown that large: for work.emlat in work.1.emlat,
work.2.emlat and so on.
Return the expanded name of FILE.  To see what was recorded, run the
program `emlat': \"emlat report FILE\".

Signal an error in batch mode, before there is a text terminal, if
latency is being recorded already, or if FILE cannot be created.  */)
  (Lisp_Object file, Lisp_Object rotate_bytes)
{
  return start_recording (file, rotate_bytes);
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
#ifdef HAVE_LATENCY
  staticpro (&names_option);
  staticpro (&command_names);
#endif
}

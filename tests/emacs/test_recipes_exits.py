# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""Work that does not end where it should: errors, quits, throws, loops in loops.

That nothing is left open, and that Lisp counted the same commands, is checked of each recording."""
import sessions
from recording import check
from sessions import command, now, recipe

NEXT = b'\x0f'      # C-o, which each recipe binds to what it is about
LEAVE = b'\x0e'     # C-n
QUIT = b'\x07'      # C-g: the terminal makes a signal of it


def check_ended(recording, one, status):
    """The command ended so, and its span when it was unwound."""
    check(one['status'] == status, one)
    span = recording.span_of(one, 'command')
    check(span.get('status', 'normal') == status, span)
    t_end = span['t_begin'] + span['wall_ns']
    check(one['t_command_end'] <= t_end if status != 'normal' else one['t_command_end'] == t_end,
          one, span)


def check_next(recording, after):
    """Emacs goes on as if nothing had been: one key, one command, and its display."""
    [one] = recording.commands(after)
    check((one['root_kind'], one['status'], one['presentation'])
          == ('tty_command', 'normal', 'performed'), one)
    check('parent_cause_id' not in one, one)


@recipe()
def error(new):
    emacs = new(command('C-o', '(error "x")'))
    emacs.send(NEXT)
    t_next = now()
    emacs.send(b'a')
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun, t_next)
    check_ended(recording, one, 'error')
    # Its message and the hook after the command come when the command itself is over.
    check(one['presentation'] == 'performed' and one['counters']['output_bytes'] > 0, one)
    check(one['t_command_end'] <= one['t_post_command_begin'], one)
    check(recording.span_of(one, 'post_command') not in
          recording.inside(recording.span_of(one, 'command')), one)
    check_next(recording, t_next)


@recipe()
def error_that_lisp_catches(new):
    emacs = new(command('C-o', '(condition-case nil (error "x") (error (insert "y")))'
                               '(catch (quote x) (throw (quote x) nil))'))
    emacs.send(NEXT)
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    check_ended(recording, one, 'normal')


@recipe()
def error_inside_redisplay(new):
    """The display catches it, and goes on."""
    emacs = new('(setq mode-line-format (quote ((:eval (error "x")))))')
    emacs.send(b'a')
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    check_ended(recording, one, 'normal')
    check(one['presentation'] == 'performed' and 't_redisplay_end' in one, one)


@recipe()
def error_in_hooks(new):
    emacs = new('(add-hook (quote pre-command-hook) (lambda () (error "x")))'
                '(add-hook (quote post-command-hook) (lambda () (error "x")))')
    emacs.send(b'a', b'b')
    recording = emacs.finish()
    for one in recording.commands(emacs.t_begun):
        check_ended(recording, one, 'normal')
        check(all(span.get('status', 'normal') == 'normal'
                  for kind in ('pre_command', 'post_command')
                  for span in recording.spans_of(one, kind)), recording.spans_of(one))


@recipe()
def quit_when_idle(new):
    """The signal arrives in the poll, and becomes the key of a command that quits."""
    emacs = new()
    t_quit = now()
    emacs.terminal.send(QUIT)
    emacs.wait_idle()
    t_next = now()
    emacs.send(b'a')
    recording = emacs.finish()
    [one] = recording.commands(t_quit, t_next)
    check_ended(recording, one, 'quit')
    check(one['counters']['quit_signals'] == 1 and 'decisive_source' not in one, one)
    check(not recording.batches(t_quit, t_next), 'a signal is no byte')
    check_next(recording, t_next)


@recipe()
def quit_when_busy(new):
    """It ends the command that runs, and makes no other."""
    emacs = new()
    emacs.be_busy()
    t_quit = now()
    emacs.terminal.send(QUIT)
    emacs.wait_idle()
    t_next = now()
    emacs.send(b'a')
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun, t_next)
    check_ended(recording, one, 'quit')
    check(t_quit < one['t_command_end'], one)
    check(not recording.batches(t_quit, t_next), 'a signal is no byte')
    check_next(recording, t_next)


@recipe()
def quit_to_its_effect(new):
    emacs = new()
    emacs.be_busy()
    t_quit = now()
    emacs.terminal.send(QUIT)
    emacs.wait_idle()
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    check(one['counters'].get('quit_signals') == 1, one)
    # The request came after it was sent, and had its effect where the command ended.
    check(0 < one['counters']['quit_ns'] <= one['t_command_end'] - t_quit, one)


@recipe()
def quit_drops_what_was_typed(new):
    """The terminal forgets what it holds, and Emacs what came after: no command comes of it."""
    emacs = new()
    emacs.be_busy()
    emacs.terminal.send(b'abc' + QUIT + b'def')
    emacs.wait_idle()
    t_next = now()
    emacs.send(b'x')
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun, t_next)
    check_ended(recording, one, 'quit')
    queued = recording.batches(emacs.t_begun, t_next)[1:]
    check(sum(batch['bytes_read'] for batch in queued) <= 6, queued)
    check_next(recording, t_next)


@recipe()
def quit_with_work_in_its_unwinding(new):
    """What Lisp does on the way out comes after the end of the command, and is whole as well."""
    emacs = new(command('C-o', '(unwind-protect (recipes-busy) (recipes-mark "unwinds")'
                               ' (recipes-wait "end") (garbage-collect) (redisplay t))'))
    emacs.run(NEXT)
    emacs.terminal.send(QUIT)
    emacs.wait_mark('unwinds')
    emacs.send_busy(b'a')
    emacs.say('end')
    emacs.wait_idle()
    recording = emacs.finish()
    one = recording.commands(emacs.t_begun)[0]
    check(one['status'] == 'quit' and one['counters']['gc_count'] >= 1, one)
    check(all(span['cause_id'] == one['cause_id'] for span in recording.spans
              if one['t_dispatch_begin'] <= span['t_begin'] < one['t_root_work_end']), one)


@recipe()
def dropped_bytes_are_named(new):
    """What was read and queued, and then discarded by a quit, is counted as dropped."""
    emacs = new()
    emacs.be_busy()
    emacs.send_busy(b'abc')
    emacs.terminal.send(QUIT)
    emacs.wait_idle()
    t_next = now()
    emacs.send(b'x')
    recording = emacs.finish()
    [batch] = recording.batches(emacs.t_begun, t_next)[1:]
    check((batch['bytes_read'], batch['bytes_queued']) == (3, 3), batch)
    [one] = recording.commands(emacs.t_begun, t_next)
    dropped = [counters['events_dropped'] for counters in
               (batch.get('counters', {}), one['counters']) if 'events_dropped' in counters]
    check(dropped == [3], batch, one)


@recipe()
def quit_in_the_minibuffer(new):
    """The key is a command of the inner loop; it leaves by a throw, the outer one by a quit."""
    emacs = new()
    emacs.send(b'\x1bx', b'f')
    emacs.terminal.send(QUIT)
    emacs.wait_idle()
    t_next = now()
    emacs.send(b'a')
    recording = emacs.finish()
    outer, typed, inner = recording.commands(emacs.t_begun, t_next)
    check_ended(recording, outer, 'quit')
    check_ended(recording, typed, 'normal')
    check_ended(recording, inner, 'throw')
    for one in (typed, inner):
        check(one['parent_cause_id'] == outer['cause_id'], one)
        check(outer['t_command_begin'] <= one['t_dispatch_begin']
              <= one['t_end'] <= outer['t_end'], one, outer)
    check_next(recording, t_next)


@recipe()
def quits_in_nested_minibuffers(new):
    emacs = new('(setq enable-recursive-minibuffers t) (minibuffer-depth-indicate-mode -1)'
                + command('C-o', '(read-string "one ")'))
    emacs.send(NEXT, NEXT, NEXT)
    for _ in range(3):
        emacs.terminal.send(QUIT)
        emacs.wait_idle()
    t_next = now()
    emacs.send(b'a')
    recording = emacs.finish()
    commands = recording.commands(emacs.t_begun, t_next)
    check(len(commands) == 6, commands)
    first, second, third, *quits = commands
    check(second['parent_cause_id'] == first['cause_id'], second)
    check(third['parent_cause_id'] == second['cause_id'], third)
    for one, quitting in zip((third, second, first), quits):
        check_ended(recording, one, 'quit')
        check_ended(recording, quitting, 'throw')
        check(quitting['parent_cause_id'] == one['cause_id'], quitting, one)
    check_next(recording, t_next)


@recipe()
def minibuffer_left_well(new):
    emacs = new(command('C-o', '(insert (read-string "one "))'))
    emacs.send(NEXT, b'a', b'\r')
    recording = emacs.finish()
    outer, typed, leaving = recording.commands(emacs.t_begun)
    check_ended(recording, outer, 'normal')
    check_ended(recording, typed, 'normal')
    check_ended(recording, leaving, 'throw')
    check([one['cause_id'] for one in recording.children(outer)]
          == [typed['cause_id'], leaving['cause_id']], recording.children(outer))
    check(outer['presentation'] == 'performed', outer)


@recipe()
def throw_out_of_a_recursive_edit(new):
    emacs = new(command('C-o', '(recursive-edit) (insert "x")')
                + command('C-n', "(throw 'exit nil)"))
    emacs.send(NEXT, b'a', LEAVE)
    t_next = now()
    emacs.send(b'a')
    recording = emacs.finish()
    outer, typed, leaving = recording.commands(emacs.t_begun, t_next)
    check_ended(recording, outer, 'normal')
    check_ended(recording, typed, 'normal')
    check_ended(recording, leaving, 'throw')
    check(typed['parent_cause_id'] == leaving['parent_cause_id'] == outer['cause_id'], typed)
    check(leaving['t_root_work_end'] <= outer['t_command_end'], leaving, outer)
    check_next(recording, t_next)


@recipe()
def recursive_edit_aborted(new):
    emacs = new(command('C-o', '(recursive-edit)') + command('C-n', '(abort-recursive-edit)'))
    emacs.send(NEXT, LEAVE)
    t_next = now()
    emacs.send(b'a')
    recording = emacs.finish()
    outer, leaving = recording.commands(emacs.t_begun, t_next)
    check_ended(recording, outer, 'quit')
    check_ended(recording, leaving, 'throw')
    check_next(recording, t_next)


@recipe()
def error_in_a_recursive_edit(new):
    """The inner loop goes on after it, and so does the outer command."""
    emacs = new(command('C-o', '(recursive-edit)') + command('C-n', "(throw 'exit nil)")
                + command('C-p', '(error "x")'))
    emacs.send(NEXT, b'\x10', b'a', LEAVE)
    recording = emacs.finish()
    outer, failing, typed, leaving = recording.commands(emacs.t_begun)
    check_ended(recording, outer, 'normal')
    check_ended(recording, failing, 'error')
    check_ended(recording, typed, 'normal')
    check_ended(recording, leaving, 'throw')
    check(all(one['parent_cause_id'] == outer['cause_id'] for one in (failing, typed, leaving)),
          failing, typed, leaving)


@recipe()
def top_level(new):
    """It ends all loops at once, and each command that ran one."""
    emacs = new(command('C-o', '(recursive-edit)') + command('C-n', '(top-level)'))
    emacs.send(NEXT, NEXT, LEAVE)
    t_next = now()
    emacs.send(b'a')
    recording = emacs.finish()
    commands = recording.commands(emacs.t_begun, t_next)
    check(len(commands) == 3, commands)
    for one in commands:
        check_ended(recording, one, 'throw')
    check(commands[1]['parent_cause_id'] == commands[0]['cause_id'], commands)
    check(commands[2]['parent_cause_id'] == commands[1]['cause_id'], commands)
    check_next(recording, t_next)


@recipe()
def lisp_nested_too_deep(new):
    emacs = new('(defun deeper () (deeper) nil)' + command('C-o', '(deeper)'))
    emacs.send(NEXT)
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    check_ended(recording, one, 'error')


@recipe()
def c_stack_overflows(new):
    """Emacs jumps to its outermost loop, past every handler."""
    emacs = new('(setq max-lisp-eval-depth 100000000 gc-cons-threshold 1000000000)'
                '(defun deeper () (deeper) nil)' + command('C-o', '(deeper)'))
    emacs.send(NEXT)
    emacs.program.wait_output(rb'stack overflow')
    emacs.wait_idle()
    t_next = now()
    emacs.send(b'a')
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun, t_next)
    check_ended(recording, one, 'error')
    check_next(recording, t_next)


@recipe()
def c_stack_overflows_in_a_loop(new):
    """Emacs goes on in the innermost loop then, and without a word."""
    emacs = new('(setq max-lisp-eval-depth 100000000 gc-cons-threshold 1000000000)'
                '(defun deeper () (deeper) nil)' + command('C-o', '(recursive-edit)')
                + command('C-n', '(deeper)'))
    emacs.send(NEXT, LEAVE)
    t_next = now()
    emacs.send(b'a')
    recording = emacs.finish()
    check_ended(recording, recording.commands(emacs.t_begun, t_next)[1], 'error')
    [one] = recording.commands(t_next)
    check((one['root_kind'], one['status'], one['presentation'])
          == ('tty_command', 'normal', 'performed'), one)


@recipe()
def macro_ended_by_an_error(new):
    """The rest of a macro is given up, and the command that ran it with it."""
    emacs = new(command('C-o', '(execute-kbd-macro "a\\C-nb")') + command('C-n', '(error "x")'))
    emacs.send(NEXT)
    t_next = now()
    emacs.send(b'a')
    recording = emacs.finish()
    runs, typed, failing = recording.commands(emacs.t_begun, t_next)
    check_ended(recording, runs, 'error')
    check(typed['status'] == 'superseded', typed)
    check_ended(recording, failing, 'error')
    check(typed['parent_cause_id'] == failing['parent_cause_id'] == runs['cause_id'], typed)
    check_next(recording, t_next)


@recipe()
def quit_in_a_macro(new):
    emacs = new(command('C-o', '(execute-kbd-macro "a\\C-tb")'))
    emacs.run(NEXT)
    emacs.terminal.send(QUIT)
    emacs.wait_idle()
    recording = emacs.finish()
    runs, _, busy = recording.commands(emacs.t_begun)
    check_ended(recording, runs, 'quit')
    check_ended(recording, busy, 'quit')


@recipe()
def recording_started_inside_a_command(new):
    """What began before the recording did is not in it, and what ends it is left alone."""
    emacs = new(command('C-o', '(recursive-edit)') + command('C-n', "(throw 'exit nil)")
                + command('C-p', '(latency-start (recipes-file "recording.emlat"))'), late=True)
    emacs.send(NEXT, b'\x10', b'a', LEAVE)
    t_next = now()
    emacs.send(b'b')
    recording = emacs.finish(counted=False)
    typed, leaving = recording.commands(0, t_next)
    check_ended(recording, typed, 'normal')
    check_ended(recording, leaving, 'throw')
    check_next(recording, t_next)


@recipe()
def recording_stopped_inside_a_command(new):
    """The command that stops it, and what it runs inside of, are left open."""
    emacs = new(command('C-o', '(recursive-edit)') + command('C-n', '(latency-stop)'))
    emacs.send(b'a', NEXT, b'b', LEAVE)
    emacs.send(b'c')
    recording = emacs.finish(open_kinds=('command', 'command_loop') * 2, counted=False)
    statuses = [one['status'] for one in recording.interactions
                if one['root_kind'] in recording.command_kinds]
    check(statuses == ['normal', 'open', 'normal', 'open'], statuses)


if __name__ == '__main__':
    sessions.main()

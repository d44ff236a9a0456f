# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""Work of known length and count, and what the record says of it.

A length is at least what was asked for.  How much more it may be is a matter of the machine's other
work: each length is tried TRIES times, and one of them must come out with no more than SLACK.  What
is counted in processor time does not depend on that."""
import json

import sessions
from pty_driver import wait_until
from recording import check
from sessions import command, now, recipe

MS = 1000000
LENGTH = 200 * MS
SLACK = 10 * MS
TRIES = 3
NEXT = b'\x0f'      # C-o, which each recipe binds to what it is about
THEN = b'\x0e'      # C-n
QUIET = '(setq gc-cons-threshold most-positive-fixnum)'


def check_lengths(lengths, least=LENGTH, slack=SLACK):
    check(all(length >= least for length in lengths), 'shorter than it was', lengths, least)
    check(min(lengths) <= least + slack, 'longer than it was', lengths, least, slack)


def command_ns(one):
    return one['t_command_end'] - one['t_command_begin']


def cpu_ns(one):
    return one['thread_cpu_end'] - one['thread_cpu_begin']


def total(spans):
    return sum(span['wall_ns'] for span in spans)


def tried(new, body, lisp=''):
    """Run BODY as a command TRIES times, and return the recording and those commands."""
    emacs = new(QUIET + lisp + command('C-o', f'{body} (recipes-mark "done")'))
    for _ in range(TRIES):
        emacs.terminal.send(NEXT)
        emacs.wait_mark('done')
        emacs.wait_idle()
    recording = emacs.finish()
    commands = [one for one in recording.commands(emacs.t_begun)
                if one['root_kind'] == 'tty_command']
    check(len(commands) == TRIES, commands)
    return recording, commands


@recipe()
def loop_of_wall_time(new):
    _, commands = tried(new, '(recipes-burn 0.2)')
    check_lengths([command_ns(one) for one in commands])


@recipe()
def loop_of_processor_time(new):
    """It is on the processor, whatever else the machine does."""
    _, commands = tried(new, '(recipes-burn-cpu 0.2)')
    for one in commands:
        # The writer's thread has used some of what Lisp saw Emacs use.
        check(LENGTH * 0.95 <= cpu_ns(one) <= LENGTH + SLACK, cpu_ns(one))
        check(command_ns(one) >= LENGTH * 0.95, one)


@recipe()
def sleep(new):
    """It is off the processor, in the poll."""
    recording, commands = tried(new, '(sleep-for 0.2)')
    check_lengths([command_ns(one) for one in commands])
    for one in commands:
        polls = recording.inside(recording.span_of(one, 'command'), 'poll')
        check(LENGTH - MS <= total(polls) <= command_ns(one), total(polls))
        check(cpu_ns(one) <= LENGTH / 10, cpu_ns(one))


@recipe()
def wait_for_another_program(new):
    """Off the processor, too, but in no poll: the record claims no wait that it has not seen."""
    recording, commands = tried(new, '(call-process "sleep" nil nil nil "0.2")')
    check(all(command_ns(one) >= LENGTH for one in commands), commands)
    for one in commands:
        polls = recording.inside(recording.span_of(one, 'command'), 'poll')
        check(total(polls) <= command_ns(one), polls)
        check(cpu_ns(one) <= LENGTH / 2, cpu_ns(one))


@recipe()
def hooks_before_and_after(new):
    emacs = new(QUIET + '''
        (add-hook 'pre-command-hook (lambda () (recipes-burn 0.03)))
        (add-hook 'post-command-hook (lambda () (recipes-burn 0.06)))''')
    emacs.send(*[b'a'] * TRIES)
    recording = emacs.finish()
    commands = recording.commands(emacs.t_begun)
    check_lengths([one['t_pre_command_end'] - one['t_pre_command_begin'] for one in commands],
                  30 * MS)
    check_lengths([one['t_post_command_end'] - one['t_post_command_begin'] for one in commands],
                  60 * MS)
    check(min(command_ns(one) for one in commands) <= SLACK, commands)


@recipe()
def collections(new):
    """So many of them, as long as their spans are, inside the command that asked for them."""
    recording, commands = tried(new, '(dotimes (_ 5) (garbage-collect))')
    for one in commands:
        spans = recording.inside(recording.span_of(one, 'command'), 'gc')
        check(len(spans) == one['counters']['gc_count'] == 5, one)
        check(total(spans) == one['counters']['gc_ns'] <= command_ns(one), one)


@recipe()
def collections_as_long_as_emacs_says(new):
    """Emacs measures its collections itself, from a little later to a little earlier."""
    emacs = new(QUIET + command('C-o', '''
        (let ((before gc-elapsed))
          (dotimes (_ 5) (garbage-collect))
          (write-region (format "%d" (* 1e9 (- gc-elapsed before))) nil (recipes-file "elapsed")
                        nil 'silent))'''))
    lengths = []
    for _ in range(TRIES):
        emacs.send(NEXT)
        lengths.append(int(emacs.path('elapsed').read_text('ascii')))
    recording = emacs.finish()
    recorded = [one['counters']['gc_ns'] for one in recording.commands(emacs.t_begun)]
    check(len(recorded) == TRIES, recorded)
    # Its clock is another one, and it reads it in between: let that be a thousandth.
    check(all(ours >= theirs * 0.999 for ours, theirs in zip(recorded, lengths)), recorded, lengths)
    check(min(ours - theirs for ours, theirs in zip(recorded, lengths)) <= SLACK, recorded, lengths)


@recipe()
def displays(new):
    """So many displays inside the command, and one after it."""
    recording, commands = tried(new, '(dotimes (_ 7) (insert "x") (redisplay t))')
    for one in commands:
        inside = recording.inside(recording.span_of(one, 'command'), 'redisplay')
        check(len(inside) == 7 and len(recording.spans_of(one, 'redisplay')) == 8, one)
        check(one['last_redisplay_id'] - one['first_redisplay_id'] == 7, one)


@recipe()
def lisp_inside_a_display(new):
    """Its time is the display's, and has a span of its own with the processor time apart."""
    recording, commands = tried(new, '(force-mode-line-update)', lisp='''
        (setq burns 0)
        (setq-default mode-line-format
                      '("" (:eval (progn (when (> burns 0) (recipes-burn-cpu 0.05)) "x"))))
        (add-hook 'pre-command-hook (lambda () (setq burns 1)))
        ''')
    for one in commands:
        lisp = recording.spans_of(one, 'redisplay_lisp')
        check(total(lisp) >= 50 * MS * 0.95, lisp)
        shown = recording.spans_of(one, 'redisplay')
        check(total(shown) >= 50 * MS * 0.95, shown)
    # Its clock is read where a display has found Lisp to be long before.
    for one in commands[1:]:
        burning = [span for span in recording.spans_of(one, 'redisplay_lisp')
                   if span['wall_ns'] >= 50 * MS * 0.95]
        check(burning and all(span['cpu_ns'] >= 50 * MS * 0.95 for span in burning), burning)


@recipe()
def lisp_that_sleeps_inside_a_display(new):
    recording, commands = tried(new, '(force-mode-line-update)', lisp='''
        (setq sleeps nil)
        (setq-default mode-line-format
                      '("" (:eval (progn (when sleeps (sleep-for 0.05)) "x"))))
        (add-hook 'pre-command-hook (lambda () (setq sleeps t)))
        ''')
    for one in commands[1:]:
        lisp = [span for span in recording.spans_of(one, 'redisplay_lisp')
                if span['wall_ns'] >= 50 * MS]
        check(lisp and all(span['cpu_ns'] <= 10 * MS for span in lisp), lisp)


@recipe()
def error_after_a_known_time(new):
    emacs = new(QUIET + command('C-o', '(recipes-burn 0.05) (error "x")'))
    emacs.send(*[NEXT] * TRIES)
    recording = emacs.finish()
    commands = recording.commands(emacs.t_begun)
    check([one['status'] for one in commands] == ['error'] * TRIES, commands)
    check_lengths([command_ns(one) for one in commands], 50 * MS)


@recipe()
def throw_after_a_known_time(new):
    emacs = new(QUIET + command('C-o', '(recursive-edit)')
                + command('C-n', "(recipes-burn 0.05) (throw 'exit nil)"))
    emacs.send(*[NEXT, THEN] * TRIES)
    recording = emacs.finish()
    thrown = [one for one in recording.commands(emacs.t_begun) if 'parent_cause_id' in one]
    check([one['status'] for one in thrown] == ['throw'] * TRIES, thrown)
    check_lengths([command_ns(one) for one in thrown], 50 * MS)


@recipe()
def quit_that_has_to_wait(new):
    """From the request to its effect pass the 100 ms in which it is inhibited."""
    emacs = new(QUIET + command('C-o', '''
        (let ((inhibit-quit t))
          (recipes-mark "here") (while (not quit-flag)) (recipes-burn 0.1))
        (while t)'''))
    for _ in range(TRIES):
        emacs.run(NEXT)
        emacs.terminal.send(b'\x07')
        emacs.wait_idle()
    recording = emacs.finish()
    commands = recording.commands(emacs.t_begun)
    check([one['status'] for one in commands] == ['quit'] * TRIES, commands)
    check_lengths([one['counters']['quit_ns'] for one in commands], 100 * MS)


@recipe()
def timer_of_known_length(new):
    emacs = new(QUIET + command('C-o', '''
        (run-with-timer 0.01 nil (lambda () (recipes-burn 0.1) (recipes-mark "done")))'''))
    for _ in range(TRIES):
        emacs.terminal.send(NEXT)
        emacs.wait_mark('done')
        emacs.wait_idle()
    recording = emacs.finish()
    fired = [one for one in recording.roots(emacs.t_begun, kind='timer')
             if 'scheduled_by_cause_id' in one]
    check(len(fired) == TRIES, fired)
    check_lengths([one['t_root_work_end'] - one['t_dispatch_begin'] for one in fired], 100 * MS)


@recipe()
def timer_that_is_late(new):
    """It was due 50 ms after it was asked for, and the command kept it waiting for 150 more."""
    emacs = new(QUIET + command('C-o', '''
        (run-with-timer 0.05 nil (lambda () (recipes-mark "done"))) (recipes-burn 0.2)'''))
    for _ in range(TRIES):
        emacs.terminal.send(NEXT)
        emacs.wait_mark('done')
        emacs.wait_idle()
    recording = emacs.finish()
    fired = [one for one in recording.roots(emacs.t_begun, kind='timer')
             if 'scheduled_by_cause_id' in one]
    check(len(fired) == TRIES, fired)
    check_lengths([one['t_dispatch_begin'] - one['t_input_latest'] for one in fired], 149 * MS)


@recipe()
def decoding_of_known_length(new):
    """Lisp that decodes a key is neither dwell nor command."""
    emacs = new(QUIET + '''
        (define-key input-decode-map "\\C-o" (lambda (_) (recipes-burn 0.05) [?\\C-n]))
        ''' + command('C-n', '(insert "x")'))
    emacs.send(*[NEXT] * TRIES)
    recording = emacs.finish()
    commands = recording.commands(emacs.t_begun)
    check(len(commands) == TRIES, commands)
    check_lengths([one['counters']['decode_filter_ns'] for one in commands], 50 * MS)
    check_lengths([one['t_key_decode_done'] - one['t_queue_remove'] for one in commands], 50 * MS)
    check(min(command_ns(one) for one in commands) <= SLACK, commands)


@recipe()
def wait_inside_the_decoding(new):
    """A paste in two parts: the time between them is the sender's, not the command's."""
    emacs = new(QUIET)
    emacs.program.send(b'\x1b[200~some ')
    emacs.wait_idle()
    t_waits = now()
    emacs.wait_idle()
    least = now() - t_waits
    emacs.send(b'text\x1b[201~')
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    check(least <= one['counters']['decode_wait_ns'] <= one['counters']['decode_filter_ns'],
          least, one)


@recipe()
def key_that_waits_in_the_queue(new):
    emacs = new(QUIET + command('C-o', '(recipes-mark "here") (recipes-wait "go")'
                                       '(recipes-burn 0.1)'))
    for _ in range(TRIES):
        emacs.run(NEXT)
        emacs.send_busy(b'a')
        emacs.stop_busy()
    recording = emacs.finish()
    keys = recording.commands(emacs.t_begun)[1::2]
    waits = [one['t_queue_remove'] - one['t_queue_insert'] for one in keys]
    check(len(waits) == TRIES and all(wait >= 100 * MS for wait in waits), waits)


@recipe()
def messages(new):
    """So many messages, each of them written and flushed by itself."""
    emacs = new(QUIET + command('C-o', '(dotimes (i 10) (message "%d" i))'))
    before = len(emacs.terminal.output)
    emacs.send(NEXT)
    after = len(emacs.terminal.output)
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    inside = recording.inside(recording.span_of(one, 'command'), 'flush')
    check(len(inside) == 10 and one['counters']['flushes'] >= 10, one)
    check(one['counters']['output_bytes'] == after - before, one, after - before)


@recipe()
def bytes_of_a_long_session(new):
    """Every byte that came out of the terminal was flushed by somebody."""
    emacs = new(QUIET)
    before, t_first = len(emacs.terminal.output), now()
    emacs.send(b'hello\r', b'\x1b<', b'\x0b', b'\x19' * 20, b'\x18u', b'\x1bx',
               b'\x1b\x1b\x1b', b'\x0c')
    after, t_last = len(emacs.terminal.output), now()
    recording = emacs.finish()
    flushes = recording.spans_between(t_first, t_last, 'flush')
    check(sum(span['detail_id'] for span in flushes) == after - before, after - before)
    commands = recording.commands(t_first, t_last)
    check(sum(one['counters'].get('output_bytes', 0) for one in recording.roots(t_first, t_last))
          <= after - before, commands)


@recipe()
def slow_terminal(new):
    """A writer waits for its reader: the sum of all writes and flushes holds that wait."""
    size, held = 600000, 131072         # a pseudoterminal holds less than that
    emacs = new(QUIET + f'(setq text (make-string {size} ?x))'
                + command('C-o', '(send-string-to-terminal text)'))
    emacs.terminal.pace = (4096, 0.002)
    before, t_first = len(emacs.terminal.output), now()
    emacs.terminal.send(NEXT)
    wait_until(lambda: len(emacs.terminal.output) > before, 'nothing comes')
    t_begun = now()
    wait_until(lambda: len(emacs.terminal.output) - before >= size - held, 'too little comes')
    t_ended = now()
    wait_until(lambda: len(emacs.terminal.output) - before >= size, 'too little comes')
    t_last = now()
    emacs.wait_idle()
    after = len(emacs.terminal.output)
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    check(one['counters']['output_bytes'] == after - before >= size, one)
    check(t_ended - t_begun <= one['counters']['output_ns'] <= t_last - t_first,
          one, t_ended - t_begun, t_last - t_first)
    check(cpu_ns(one) <= (t_last - t_first) / 2, one)


@recipe()
def slow_terminal_and_many_flushes(new):
    """One display is many flushes: the last of them alone would say too little."""
    held = 131072
    emacs = new(QUIET + '''
        (dotimes (row 60)
          (dotimes (column 199)
            (insert (propertize (string (+ 33 (% (+ row (* 7 column)) 90))) 'face
                                (list :foreground (aref ["red" "green" "blue"] (% column 3))))))
          (insert "\\n"))
        (goto-char (point-min))'''
                + command('C-o', '(dotimes (_ 20) (redraw-display) (redisplay t))'),
                rows=62, columns=200)
    emacs.terminal.pace = (4096, 0.002)
    before, t_first = len(emacs.terminal.output), now()
    emacs.terminal.send(NEXT)
    wait_until(lambda: len(emacs.terminal.output) > before, 'nothing comes')
    emacs.wait_idle()
    emacs.wait_idle()
    after, t_last = len(emacs.terminal.output), now()
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    # A timer that became due meanwhile may have shown the last of it.
    shown = recording.roots(t_first, t_last)
    check(sum(root['counters']['output_bytes'] for root in shown) == after - before > 2 * held,
          after - before, shown)
    flushes = recording.spans_of(one, 'flush')
    check(len(flushes) == one['counters']['flushes'] > 100, len(flushes))
    writes = recording.spans_of(one, 'tty_write')
    check(abs(total(flushes) + total(writes) - one['counters']['output_ns'])
          <= one['counters']['output_ns'] / 100, total(flushes), total(writes), one)
    check(max(span['wall_ns'] for span in flushes) < one['counters']['output_ns']
          <= t_last - t_first, one)
    check(one['t_first_flush_end'] < one['t_flush_end'], one)
    check(one['counters']['output_bytes'] == sum(span['detail_id'] for span in flushes), one)


@recipe()
def commands_that_lisp_counts(new):
    """Nothing executed is missing, and nothing is there twice."""
    emacs = new()
    emacs.send(b'the quick brown fox ' * 50, b'\x15' + b'12x', b'\x18(ab\x18)', b'\x155\x18e',
               b'\x03z', b'\x1bxforward-char\r')
    recording = emacs.finish(counted=False)
    with open(emacs.path('lisp'), encoding='ascii') as file:
        counted = json.load(file)['commands']
    recorded = [one for one in recording.interactions
                if one['root_kind'] in recording.command_kinds]
    check(counted == len(recorded) > 1000, counted, len(recorded))


if __name__ == '__main__':
    sessions.main()

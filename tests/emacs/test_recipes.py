# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""Keys, from the bytes of a batch to the display of what they did."""
import subprocess

import sessions
from pty_driver import wait_until
from recording import EMLAT, check
from sessions import command, now, recipe

NEXT = b'\x0f'      # C-o, which each recipe binds to what it is about
DONE = b'\x0e'      # C-n


def source(batch, begin, end=None):
    return {'batch': batch['batch_id'], 'begin': begin,
            'end': begin + 1 if end is None else end}


def check_shown(one):
    check((one['root_kind'], one['status'], one['presentation'])
          == ('tty_command', 'normal', 'performed'), one)


def check_skipped(one, presentation='superseded'):
    check((one['status'], one['presentation']) == ('superseded', presentation), one)


def emlat_report(recording, option):
    return subprocess.run([EMLAT, 'report', option, *recording.files], stdout=subprocess.PIPE,
                          text=True, check=True).stdout


@recipe()
def one_key(new):
    emacs = new()
    before = len(emacs.terminal.output)
    emacs.send(b'a')
    after = len(emacs.terminal.output)
    t_end = now()
    recording = emacs.finish()
    [batch] = recording.batches(emacs.t_begun, t_end)
    [one] = recording.commands(emacs.t_begun)
    check((batch['bytes_counted'], batch['bytes_read'], batch['bytes_queued']) == (1, 1, 1), batch)
    check_shown(one)
    check(one['first_source'] == one['decisive_source'] == source(batch, 0), one)
    check(one['first_redisplay_id'] == one['last_redisplay_id'], one)
    check('parent_cause_id' not in one and 'scheduled_by_cause_id' not in one, one)
    for kind in ('key_decode', 'pre_command', 'command', 'post_command', 'redisplay', 'flush'):
        recording.span_of(one, kind)
    counters = one['counters']
    check((counters['key_sequence_length'], counters['redisplays'], counters['flushes'],
           counters['flushes_empty']) == (1, 1, 1, 1), one)
    check(counters['output_bytes'] == after - before > 0, counters, after - before)
    flush = recording.span_of(one, 'flush')
    check(recording.inside(recording.span_of(one, 'redisplay'), 'flush') == [flush], flush)


@recipe()
def arrival_at_an_idle_emacs(new):
    """The poll has seen that there was nothing, and then that there was something."""
    emacs = new()
    t_idle = now()
    emacs.send(b'a')
    recording = emacs.finish()
    [batch] = recording.batches(emacs.t_begun)[:1]
    [one] = recording.commands(emacs.t_begun)
    check(batch['ready_quality'] == 'main_poll_ready' and batch['t_ready'] >= t_idle, batch)
    # Emacs had polled for long when the key came: only the wake-up is uncertain.
    check(batch['t_ready'] - batch['t_known_empty'] <= recording.session['poll_wake_ns'], batch)
    check((one['t_input_earliest'], one['t_input_latest'])
          == (batch['t_known_empty'], batch['t_ready']), one, batch)
    check((one['earliest_quality'], one['latest_quality'])
          == (batch['empty_quality'], 'main_poll_ready'), one)


@recipe()
def burst(new):
    emacs = new()
    emacs.send(b'hello')
    t_end = now()
    recording = emacs.finish()
    [batch] = recording.batches(emacs.t_begun, t_end)
    check((batch['bytes_read'], batch['bytes_queued']) == (5, 5), batch)
    commands = recording.commands(emacs.t_begun)
    check(len(commands) == 5, commands)
    for number, one in enumerate(commands):
        check(one['decisive_source'] == source(batch, number), one)
    for one in commands[:4]:
        check_skipped(one)
        check('t_flush_end' not in one and 'first_redisplay_id' not in one, one)
    check_shown(commands[4])
    check(commands[4]['counters']['redisplays'] == 1, commands[4])


@recipe()
def escape_sequence(new):
    """An arrow key is three bytes, decoded by a map, and one command."""
    emacs = new()
    emacs.send(b'\x1b[A')
    t_end = now()
    recording = emacs.finish()
    [batch] = recording.batches(emacs.t_begun, t_end)
    [one] = recording.commands(emacs.t_begun)
    check(batch['bytes_read'] == 3, batch)
    check((one['first_source'], one['decisive_source'])
          == (source(batch, 0), source(batch, 2)), one)
    check(one['counters']['key_sequence_length'] == 1, one)


@recipe()
def utf8_character(new):
    emacs = new()
    emacs.send('é'.encode())
    t_end = now()
    recording = emacs.finish()
    [batch] = recording.batches(emacs.t_begun, t_end)
    [one] = recording.commands(emacs.t_begun)
    check_shown(one)
    check((one['first_source'], one['decisive_source'])
          == (source(batch, 0), source(batch, 1)), one)
    check(one['counters']['key_sequence_length'] == 1, one)


@recipe()
def utf8_character_in_two_reads(new):
    emacs = new()
    emacs.send(b'\xc3', b'\xa9')
    t_end = now()
    recording = emacs.finish()
    first, second = recording.batches(emacs.t_begun, t_end)
    [one] = recording.commands(emacs.t_begun)
    check((one['first_source'], one['decisive_source'])
          == (source(first, 0), source(second, 0)), one)


def check_dwell(recording, emacs, one, t_first_read, t_second):
    """The person's wait between the bytes of a sequence is bounded by what was seen of it."""
    first, second = recording.batches(emacs.t_begun)[:2]
    check((one['first_source'], one['decisive_source'])
          == (source(first, 0), source(second, 0)), one)
    check(0 < one['t_input_earliest'] - one['t_first_latest'], 'no dwell', one)
    check(one['t_input_latest'] - one['t_first_earliest'] >= t_second - t_first_read, one)
    check(one['t_input_latest'] >= t_second, 'the decisive byte arrived before it was sent', one)
    check(one['t_first_latest'] <= t_first_read, one)


@recipe()
def prefix_in_two_sends(new):
    emacs = new()
    emacs.send(b'\x18')
    t_first_read = t_second = now()
    emacs.send(b'o')
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    check_shown(one)
    check_dwell(recording, emacs, one, t_first_read, t_second)
    check(one['counters']['key_sequence_length'] == 2, one)


@recipe()
def prefix_with_its_echo(new):
    """What the echo of a prefix writes is no output of the command that follows."""
    emacs = new()
    emacs.terminal.send(b'\x18')
    emacs.program.wait_output(rb'for help')
    emacs.wait_idle()
    before = len(emacs.terminal.output)
    t_first_read = t_second = now()
    emacs.send(b'o')
    after, t_end = len(emacs.terminal.output), now()
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    check_dwell(recording, emacs, one, t_first_read, t_second)
    flushes = recording.spans_between(t_second, t_end, 'flush')
    check(sum(span['detail_id'] for span in flushes) == after - before, flushes, after - before)
    own = [span for span in flushes if span.get('cause_id') == one['cause_id']]
    check(sum(span['detail_id'] for span in own) == one['counters'].get('output_bytes', 0), one)
    check(one['t_dispatch_begin'] < one['t_output_begin'], one)


@recipe()
def key_counters(new):
    emacs = new()
    emacs.send(b'\x18', b'o')
    emacs.send(b'\x1b[A')
    emacs.send('é'.encode())
    recording = emacs.finish()
    found = [tuple(one['counters'][name] for name in
                   ('key_sequence_length', 'prefix_depth', 'events_decoded', 'extra_reads'))
             for one in recording.commands(emacs.t_begun)]
    # Two bytes make one event, é; three events make one key, <up>.
    check(found == [(2, 1, 2, 0), (1, 0, 3, 2), (1, 0, 1, 1)], found)


@recipe()
def undefined_key(new):
    """Its root has a hook before and after, and no command."""
    emacs = new()
    emacs.send(b'\x03z')
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    check(one['status'] == 'normal' and 't_command_begin' not in one, one)
    check('t_pre_command_end' in one and 't_post_command_begin' in one, one)
    check(not recording.spans_of(one, 'command'), recording.spans_of(one))
    check(one['counters']['output_bytes'] > 0, one)


@recipe()
def keys_for_a_busy_emacs(new):
    """They are read inside the command that is busy, and wait in the queue."""
    emacs = new()
    emacs.be_busy()
    t_send = now()
    emacs.send_busy(b'abc')
    t_read = now()
    emacs.stop_busy()
    t_end = now()
    recording = emacs.finish()
    busy, *keys = recording.commands(emacs.t_begun)
    [_, batch] = recording.batches(emacs.t_begun, t_end)
    check(t_send <= batch['t_read_begin'] <= t_read, batch)
    [read] = recording.inside(recording.span_of(busy, 'command'), 'read')
    check(read['detail_id'] == 3 and read['cause_id'] == busy['cause_id'], read)
    # What arrived during a command does not suppress the display of that one.
    check_shown(busy)
    check(len(keys) == 3, keys)
    check_skipped(keys[0])
    check_skipped(keys[1])
    check_shown(keys[2])
    for one in keys:
        check(one['t_queue_insert'] < busy['t_command_end'] < one['t_queue_remove'], one)
        check(one['t_input_latest'] <= t_read < busy['t_command_end'], one)


@recipe()
def arrival_at_a_busy_emacs(new):
    """SIGIO sees a key come while Lisp is busy, and before anybody has looked."""
    emacs = new()
    emacs.be_busy()
    t_send = now()
    emacs.send_busy(b'a')
    emacs.stop_busy()
    recording = emacs.finish()
    batch = recording.batches(emacs.t_begun)[1]
    check(batch['ready_quality'] == 'observer_ready', batch)
    check(t_send <= batch['t_ready'] <= batch['t_counted'], batch)
    one = recording.commands(emacs.t_begun)[1]
    check((one['t_input_latest'], one['latest_quality']) == (batch['t_ready'], 'observer_ready'),
          one)


@recipe()
def nobody_looks(new):
    """C code that asks nobody leaves a byte unread: no claim may say that there was none."""
    emacs = new(command('C-o', '(recipes-mark "here") (secure-hash (quote sha512) big)'
                               '(recipes-mark "heard")')
                + '(setq big (make-string 150000000 ?x))')
    for _ in range(10):
        emacs.run(NEXT)
        emacs.terminal.send(b'a')
        wait_until(lambda: emacs.terminal.unread() or emacs.path('heard').exists(), 'no key')
        t_unread = now() if emacs.terminal.unread() else None
        deaf = not emacs.path('heard').exists()
        emacs.wait_mark('heard')
        emacs.wait_idle()
        if t_unread and deaf:
            break
    else:
        raise AssertionError('the key never came in time')
    recording = emacs.finish()
    one = recording.commands(emacs.t_begun)[-1]
    batch = recording.batches(emacs.t_begun)[-2]
    check(one['decisive_source'] == source(batch, 0), one)
    check(batch['t_read_begin'] > t_unread > batch.get('t_known_empty', 0), batch, t_unread)
    check(one.get('t_input_earliest', 0) < t_unread, one)


@recipe()
def paste_that_is_held(new):
    """Beyond 2048 events Emacs looks no more until it is below 1024: no evidence meanwhile."""
    emacs = new()
    emacs.be_busy()
    emacs.send_busy(b'x' * 3000)        # a terminal holds 4095 at most
    emacs.terminal.send(b'y' * 3000)
    wait_until(emacs.terminal.unread, 'not held')
    t_held = now()
    emacs.stop_busy()
    t_end = now()
    recording = emacs.finish()
    batches = recording.batches(emacs.t_begun, t_end)[1:]
    check(sum(batch['bytes_read'] for batch in batches) == 6000, batches)
    check(all(batch['bytes_read'] == batch['bytes_queued'] for batch in batches), batches)
    _, *keys = recording.commands(emacs.t_begun)
    check(len(keys) == 6000, len(keys))
    [held] = [span for span in recording.spans_between(emacs.t_begun, t_held, 'input_hold')
              if span['t_begin'] + span['wall_ns'] > t_held]
    after = [batch for batch in batches if batch['t_read_begin'] > t_held]
    check(all(batch['t_read_begin'] >= held['t_begin'] + held['wall_ns'] for batch in after), held)
    check(sum(batch['bytes_read'] for batch in after) > 0, batches)
    for batch in after[:1]:
        check(batch.get('t_known_empty', 0) < t_held, batch, t_held)
        taken = [one for one in keys if one['t_queue_remove'] < batch['t_read_begin']]
        check(len(taken) >= sum(one['bytes_queued'] for one in batches if one not in after) - 1024,
              len(taken), batches)
    check_shown(keys[-1])


@recipe()
def queue_depths(new):
    emacs = new()
    emacs.send(b'hello')
    recording = emacs.finish()
    found = [(one['counters'].get('queue_depth_insert'), one['counters'].get('queue_depth_remove'))
             for one in recording.commands(emacs.t_begun)]
    # The depth that the event found: none before the first byte, four after it.
    check([pair[0] for pair in found] in ([0, 1, 2, 3, 4], [1, 2, 3, 4, 5]), found)
    check([pair[1] for pair in found] in ([4, 3, 2, 1, 0], [5, 4, 3, 2, 1]), found)


@recipe()
def display_inside_a_command(new):
    """`redisplay' shows something before the command is done."""
    emacs = new(command('C-o', '(insert "one") (redisplay) (insert "two")'))
    emacs.send(NEXT)
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    check_shown(one)
    check(one['first_redisplay_id'] < one['last_redisplay_id'], one)
    check(one['counters']['redisplays'] == 2 and one['counters']['flushes'] >= 2, one)
    check(one['t_first_flush_end'] < one['t_command_end'] < one['t_flush_begin'], one)
    [early] = recording.inside(recording.span_of(one, 'command'), 'redisplay')
    late = [span for span in recording.spans_of(one, 'redisplay') if span is not early]
    check(len(late) == 1 and 'parent_span_id' not in late[0], late)


@recipe()
def message_inside_a_command(new):
    """The echo area writes without a redisplay, and that is output of the command."""
    emacs = new(command('C-o', '(message "one") (message "two") (insert "x")'))
    before = len(emacs.terminal.output)
    emacs.send(NEXT)
    after = len(emacs.terminal.output)
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    check_shown(one)
    check(one['counters']['flushes'] >= 3, one)
    check(one['counters']['output_bytes'] == after - before, one)
    check(one['t_first_flush_end'] < one['t_command_end'] < one['t_flush_begin'], one)
    flushes = recording.inside(recording.span_of(one, 'command'), 'flush')
    check(len(flushes) >= 2, flushes)


@recipe()
def message_and_redisplay(new):
    emacs = new(command('C-o', '(message "one") (redisplay) (message "two") (redisplay)'))
    emacs.send(NEXT)
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    check_shown(one)
    inner = recording.inside(recording.span_of(one, 'command'), 'redisplay')
    check(len(inner) >= 2, inner)
    attempts = recording.spans_of(one, 'redisplay') + recording.spans_of(one, 'echo_area')
    check(one['counters']['redisplays'] == len(attempts) >= 5, one)


@recipe()
def bell_and_string(new):
    """A bell and a string for the terminal are output of the command."""
    emacs = new(command('C-o', '(ding) (send-string-to-terminal "\\e[m") (redisplay)'))
    before = len(emacs.terminal.output)
    emacs.send(NEXT)
    written = bytes(emacs.terminal.output[before:])
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    check(b'\a' in written and b'\x1b[m' in written, written)
    check(one['counters']['output_bytes'] == len(written), one, written)
    check(one['t_first_flush_end'] < one['t_command_end'], one)


@recipe()
def sit_for_ended_by_a_key(new):
    """`sit-for' displays, waits for a person, and leaves the key to the next command."""
    emacs = new(command('C-o', '(insert "x") (recipes-mark "here") (sit-for 1000) (insert "y")'))
    emacs.run(NEXT)
    emacs.wait_idle()
    t_key = now()
    emacs.send(b'a')
    t_end = now()
    recording = emacs.finish()
    sitting, key = recording.commands(emacs.t_begun)
    check_skipped(sitting, 'not_reached')       # the key that ended it was put back
    check(sitting['t_flush_end'] < t_key < sitting['t_command_end'] < sitting['t_end'], sitting)
    polls = recording.inside(recording.span_of(sitting, 'command'), 'poll')
    check(any(span['t_begin'] < t_key < span['t_begin'] + span['wall_ns'] for span in polls), polls)
    [batch] = recording.batches(t_key, t_end)
    check(key['root_kind'] == 'tty_command' and key['decisive_source'] == source(batch, 0), key)


@recipe()
def waits_for_a_person(new):
    """Inside sit-for, read-char and a minibuffer the wait is the person's; elsewhere it is none."""
    emacs = new(command('C-o', '(recipes-mark "here") (sit-for 1000)')
                + command('C-n', '(recipes-mark "here") (read-char)')
                + command('C-p', '(recipes-mark "here") (read-string "x")')
                + command('C-b', '(sleep-for 0.01)'))
    shortest = []
    for key, answer in ((b'\x0f', b'a'), (b'\x0e', b'a'), (b'\x10', b'\r')):
        emacs.run(key)
        emacs.wait_idle()
        t_waits = now()
        shortest.append(now() - t_waits)
        emacs.wait_idle()
        shortest[-1] = now() - t_waits
        emacs.send(answer)
    emacs.send(b'\x02')
    recording = emacs.finish()
    waiting = [one for one in recording.commands(emacs.t_begun)
               if one['counters'].get('person_wait_ns')]
    check(len(waiting) == 3, waiting)
    for one, least in zip(waiting, shortest):
        whole = one['t_command_end'] - one['t_command_begin']
        check(least <= one['counters']['person_wait_ns'] <= whole, one, least)
    check([one['counters'].get('nested_loops', 0) for one in waiting] == [0, 0, 1], waiting)


@recipe()
def keyboard_macro(new):
    """Its commands are synthetic, belong to the one that runs it, and are not shown."""
    emacs = new(command('C-o', '(execute-kbd-macro "xyz" 2)'))
    emacs.send(NEXT)
    t_end = now()
    recording = emacs.finish()
    runs, *inner = recording.commands(emacs.t_begun)
    check_shown(runs)
    check(len(inner) == 6 and len(recording.batches(emacs.t_begun, t_end)) == 1, inner)
    for one in inner:
        check(one['root_kind'] == 'synthetic_command', one)
        check(one['parent_cause_id'] == runs['cause_id'], one)
        check('decisive_source' not in one and 't_input_latest' not in one, one)
        check_skipped(one, 'not_reached')
        check(runs['t_command_begin'] <= one['t_dispatch_begin'] <= runs['t_command_end'], one)


@recipe()
def keyboard_macro_typed(new):
    emacs = new()
    emacs.send(b'\x18(', b'a', b'b', b'\x18)', b'\x18e')
    recording = emacs.finish()
    kinds = [one['root_kind'] for one in recording.commands(emacs.t_begun)]
    check(kinds == ['tty_command'] * 5 + ['synthetic_command'] * 2, kinds)


@recipe()
def unread_command_events(new):
    """A key that Lisp has put back came from nowhere, and passes the display by."""
    emacs = new(command('C-o', '(push ?x unread-command-events)'))
    emacs.send(NEXT)
    recording = emacs.finish()
    pushes, pushed = recording.commands(emacs.t_begun)
    check(pushes['root_kind'] == 'tty_command', pushes)
    check_skipped(pushes, 'not_reached')
    check(pushed['root_kind'] == 'synthetic_command' and 'decisive_source' not in pushed, pushed)
    check(pushed['presentation'] == 'performed', pushed)


@recipe()
def why_a_display_was_skipped(new):
    emacs = new(command('C-o', '(push ?x unread-command-events)')
                + command('C-n', '(execute-kbd-macro "xy")')
                + command('C-p', '(setq inhibit-redisplay t)')
                + command('C-b', '(setq inhibit-redisplay nil)'))
    emacs.send(b'ab', b'\x0f', b'\x0e', b'\x10', b'\x02')
    recording = emacs.finish()
    found = [one.get('superseded_by') for one in recording.commands(emacs.t_begun)]
    check(found == ['input_pending', None, 'unread_events', None, None, 'macro', 'macro',
                    'inhibited', None], found)


@recipe()
def stale_screen(new):
    """A display that shows what commands before it left unshown says since when."""
    emacs = new()
    emacs.send(b'hello', b'x', b'ab')
    recording = emacs.finish()
    *hidden, hello, alone, first, second = recording.commands(emacs.t_begun)
    check(hello['t_stale_since'] == hidden[0]['t_root_work_end'], hello, hidden[0])
    check('t_stale_since' not in alone, alone)
    check(second['t_stale_since'] == first['t_root_work_end'], second, first)
    check(not any('t_stale_since' in one for one in (*hidden, first)), hidden, first)


@recipe()
def inhibited_display(new):
    """`inhibit-redisplay' leaves a display attempt without a display."""
    emacs = new(command('C-o', '(setq inhibit-redisplay t) (insert "x")')
                + command('C-n', '(setq inhibit-redisplay nil)'))
    before = len(emacs.terminal.output)
    emacs.send(NEXT)
    check(len(emacs.terminal.output) == before, 'something was displayed')
    emacs.send(DONE)
    recording = emacs.finish()
    inhibited, shown = recording.commands(emacs.t_begun)
    check('first_redisplay_id' not in inhibited and 't_flush_end' not in inhibited, inhibited)
    check_shown(shown)


@recipe()
def while_no_input(new):
    """Input throws out of it, which Lisp catches: the command ends well, the key is its own."""
    emacs = new(command('C-o', '(recipes-mark "here") (while-no-input (recipes-wait "never"))'
                               '(insert "x")'))
    emacs.run(NEXT)
    emacs.send(b'a')
    recording = emacs.finish()
    thrown, key = recording.commands(emacs.t_begun)
    check_shown(thrown)
    [batch] = recording.batches(emacs.t_begun)[1:2]
    check(key['decisive_source'] == source(batch, 0), key)
    [read] = recording.inside(recording.span_of(thrown, 'command'), 'read')
    check(read['cause_id'] == thrown['cause_id'], read)
    check(recording.span_of(thrown, 'command').get('status', 'normal') == 'normal', thrown)


@recipe()
def bracketed_paste(new):
    """One command, from its first byte to its last, whatever was pasted in between."""
    emacs = new()
    paste = b'\x1b[200~' + b'some text' + b'\x1b[201~'
    emacs.send(paste)
    t_end = now()
    recording = emacs.finish()
    [batch] = recording.batches(emacs.t_begun, t_end)
    [one] = recording.commands(emacs.t_begun)
    check_shown(one)
    check(batch['bytes_read'] == len(paste), batch)
    check((one['first_source'], one['decisive_source'])
          == (source(batch, 0), source(batch, len(paste) - 1)), one, batch)


@recipe()
def bracketed_paste_in_two_reads(new):
    emacs = new()
    emacs.send(b'\x1b[200~some ', b'text\x1b[201~')
    t_end = now()
    recording = emacs.finish()
    first, second = recording.batches(emacs.t_begun, t_end)
    [one] = recording.commands(emacs.t_begun)
    check((one['first_source'], one['decisive_source'])
          == (source(first, 0), source(second, 9)), one)


@recipe()
def mouse(new):
    """A click is read by Lisp, byte by byte, inside the key sequence."""
    emacs = new('(xterm-mouse-mode 1)')
    press, release = b'\x1b[<0;10;5M', b'\x1b[<0;10;5m'
    emacs.send(press, release)
    t_end = now()
    recording = emacs.finish()
    first, second = recording.batches(emacs.t_begun, t_end)
    check((first['bytes_read'], second['bytes_read']) == (len(press), len(release)), first, second)
    down, up = recording.commands(emacs.t_begun)
    for one, batch in ((down, first), (up, second)):
        check(one['root_kind'] == 'tty_command', one)
        check(one['decisive_source'] == source(batch, batch['bytes_read'] - 1), one, batch)


@recipe()
def questions_to_the_terminal(new):
    """What the terminal answers is read by Lisp at the start, and belongs to no key."""
    emacs = new(term='xterm-256color')
    emacs.send(b'a')
    t_end = now()
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    [batch] = recording.batches(emacs.t_begun, t_end)
    check(one['decisive_source'] == source(batch, 0), one)


@recipe()
def input_method(new):
    """Two keys make one character, by way of unread events."""
    emacs = new('(set-input-method "latin-1-prefix")')
    emacs.send(b"'", b'e')
    recording = emacs.finish()
    commands = recording.commands(emacs.t_begun)
    check(len(commands) == 1, commands)
    first, second = recording.batches(emacs.t_begun)[:2]
    check((commands[0]['first_source'], commands[0]['decisive_source'])
          == (source(first, 0), source(second, 0)), commands)


@recipe()
def no_names(new):
    emacs = new('(defun burn-the-letters () (interactive))'
                '(keymap-global-set "C-o" #\'burn-the-letters)')
    emacs.send(NEXT)
    recording = emacs.finish()
    check(recording.session['privacy'] == 'no_content', recording.session)
    check(not any('name' in one for one in recording.interactions), recording.interactions)
    with open(recording.files[0], 'rb') as file:
        check(b'burn' not in file.read(), 'a name is in the file')


@recipe()
def names(new):
    """On request: of the command that a key is bound to, and of what M-x ran."""
    emacs = new('(setq latency-record-command-names t)'
                '(defun burn-the-letters () (interactive))'
                '(keymap-global-set "C-o" #\'burn-the-letters)'
                + command('C-c', '(setq latency-record-command-names nil)'))
    emacs.send(b'a', NEXT, b'\x1bx', b'burn-the-letters', b'\r', b'\x03', b'b')
    recording = emacs.finish()
    commands = recording.commands(emacs.t_begun)
    # The minibuffer's own commands run inside M-x, and begin after it.
    outer = [one for one in commands if 'parent_cause_id' not in one]
    check([one.get('name') for one in outer]
          == ['self-insert-command', 'burn-the-letters', 'burn-the-letters', None, None], outer)
    check({one['name'] for one in commands if 'parent_cause_id' in one}
          == {'self-insert-command', 'minibuffer-complete-and-exit'}, commands)
    check(recording.session['privacy'] == 'command_names', recording.session)
    report = [emlat_report(recording, option) for option in ('--ascii', '--share')]
    check('burn-the-letters' in report[0] and recording.files[0] in report[0], report[0])
    for secret in ('burn', 'self-insert', recording.files[0], emacs.folder.name):
        check(secret not in report[1], secret, report[1])
    check('emacs_version' in report[1] and 'It holds no key' in report[1], report[1])


if __name__ == '__main__':
    sessions.main()

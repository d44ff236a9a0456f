# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""Terminals that stall, stop, come and go, and the ends of Emacs."""
import os
import pathlib
import signal

import sessions
from pty_driver import Program, Stuck, Terminal, wait_until
from recording import Recording, check
from sessions import EMACS, command, now, recipe

NEXT = b'\x0f'      # C-o, which each recipe binds to what it is about
CLIENT = str(pathlib.Path(EMACS).parents[1] / 'lib-src/emacsclient')


class Daemon(sessions.Recorded):
    """`emacs --fg-daemon', and its clients.

    It records from its first terminal on, as Lisp or the OPTION makes it."""

    LISP = '''(add-hook 'server-after-make-frame-hook
                 (lambda () (unless (latency-status)
                              (latency-start (recipes-file "recording.emlat")))))'''

    def __init__(self, option=False):
        super().__init__('' if option else self.LISP, 'screen-256color')
        self.clients = []
        self.program = Program(Terminal(), [EMACS, '--fg-daemon=recipes', '-Q', '-l',
                                            str(sessions.RECIPES)]
                               + ([f'--latency-profile={self.file}'] if option else []),
                               self.environment, self.folder)
        self.wait_begun()
        self.t_begun = now()

    def client(self):
        """Start a client in a terminal of its own, and wait until it shows something."""
        client = Program(Terminal(), [CLIENT, '-nw', '--socket-name=recipes'], self.environment,
                         self.folder, watched=self.program.pid)
        self.clients.append(client)
        wait_until(lambda: client.terminal.output, 'nothing shown')
        client.wait_idle()
        return client

    def remove(self):
        for client in self.clients:
            client.end()
        super().remove()


def send(client, *sends):
    for data in sends:
        client.send(data)
        client.wait_idle()


def terminals(commands):
    return [one['terminal_id'] for one in commands]


def typed(recording, since, until=None):
    """The commands that keys asked for; a change of frame makes others."""
    return [one for one in recording.commands(since, until) if one['root_kind'] == 'tty_command']


@recipe()
def reader_that_stalls(new):
    """A signal in a write that waits for room makes the flush fail, and what it held is lost."""
    emacs = new(command('C-o', '(dotimes (i 4000) (message "%d %s" i text))')
                + '(setq text (make-string 60 ?x))')
    emacs.send(b'a')
    emacs.terminal.stalled = True
    emacs.terminal.send(NEXT)
    emacs.wait_idle()                   # blocked in write(2)
    emacs.terminal.send(b'b')           # SIGIO interrupts it
    emacs.wait_idle()
    emacs.terminal.stalled = False
    emacs.wait_idle()
    recording = emacs.finish()
    flood = recording.commands(emacs.t_begun)[1]
    failed = [span for span in recording.spans_of(flood, 'flush') if span.get('status') == 'failed']
    check(failed and flood['counters']['flushes_failed'] == len(failed), flood)
    check(flood['counters']['flush_bytes_lost'] == sum(span['detail_id'] for span in failed),
          flood, failed)
    check(flood['status'] == 'normal', flood)
    key = recording.commands(emacs.t_begun)[2]
    check((key['root_kind'], key['status']) == ('tty_command', 'normal'), key)


@recipe()
def stopped_process(new):
    """What comes while Emacs is stopped was not there before: the bounds say how unsure that is."""
    emacs = new()
    emacs.program.signal(signal.SIGSTOP)
    wait_until(emacs.program.stopped, 'not stopped')
    t_send = now()
    emacs.terminal.send(b'a')
    wait_until(emacs.terminal.unread, 'not delivered')
    t_delivered = now()
    emacs.program.signal(signal.SIGCONT)
    emacs.wait_idle()
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    check(one['t_input_earliest'] <= t_delivered, one, t_delivered)
    check(one['t_input_latest'] >= t_send, one, t_send)


@recipe()
def suspended_and_continued(new):
    """C-z gives the terminal to the shell; what is typed there is none of ours."""
    emacs = new(shell=True)
    emacs.terminal.send(b'\x1a')
    wait_until(emacs.program.stopped, 'not stopped')
    emacs.program.wait_output(rb'Stopped')
    t_stopped = now()
    emacs.terminal.send(b'echo typed to the $((6 * 7)) shell\n')
    emacs.program.wait_output(rb'to the 42 shell')
    emacs.terminal.send(b'fg\n')
    wait_until(lambda: not emacs.program.stopped(), 'not continued')
    emacs.wait_idle()
    t_continued = now()
    emacs.send(b'a')
    recording = emacs.finish()
    stops, key = recording.commands(emacs.t_begun)
    check(stops['status'] == 'normal' and stops['t_command_begin'] < t_stopped, stops)
    check(t_stopped < stops['t_command_end'] < t_continued, stops)
    check(not recording.batches(t_stopped, t_continued), recording.inputs)
    [away] = recording.inside(recording.span_of(stops, 'command'), 'suspended')
    check(away['t_begin'] < t_stopped < away['t_begin'] + away['wall_ns'] < t_continued, away)
    check((key['root_kind'], key['status'], key['presentation'])
          == ('tty_command', 'normal', 'performed'), key)


@recipe()
def continued_from_outside(new):
    """SIGSTOP and SIGCONT while nothing is there to do leave no trace but time."""
    emacs = new()
    emacs.program.signal(signal.SIGSTOP)
    wait_until(emacs.program.stopped, 'not stopped')
    emacs.program.signal(signal.SIGCONT)
    emacs.send(b'a')
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    check((one['status'], one['presentation']) == ('normal', 'performed'), one)


@recipe()
def two_clients_of_a_daemon(new):
    """Each has a terminal of its own; when one goes, the other goes on."""
    daemon = new(make=Daemon)
    first = daemon.client()
    second = daemon.client()
    send(first, b'a')
    send(second, b'b', b'c')
    send(first, b'd')
    t_delete = now()
    second.terminal.send(b'\x18\x03')           # C-x C-c
    check(second.wait_exit() == 0, 'the client failed')
    first.wait_idle()
    t_deleted = now()
    send(first, b'e')
    recording = daemon.finish(first)
    one, *twos, four = typed(recording, daemon.t_begun, t_delete)
    check(terminals(twos) == [twos[0]['terminal_id']] * 2, twos)
    check(one['terminal_id'] == four['terminal_id'] != twos[0]['terminal_id'], one, twos, four)
    [deletes] = typed(recording, t_delete, t_deleted)
    check(deletes['terminal_id'] == twos[0]['terminal_id'], deletes)
    [goes_on] = typed(recording, t_deleted)
    check((goes_on['terminal_id'], goes_on['status'], goes_on['presentation'])
          == (one['terminal_id'], 'normal', 'performed'), goes_on)
    read = {batch['terminal_id'] for batch in recording.batches(daemon.t_begun, t_delete)}
    check(read == {one['terminal_id'], twos[0]['terminal_id']}, read)


@recipe()
def daemon_records_from_its_first_terminal(new):
    daemon = new(make=Daemon, option=True)
    client = daemon.client()
    send(client, b'a')
    recording = daemon.finish(client)
    [one] = typed(recording, daemon.t_begun)
    check((one['status'], one['presentation']) == ('normal', 'performed'), one)


@recipe()
def first_key_on_another_terminal(new):
    """It passes by the queue of its own keyboard, and keeps its origin."""
    daemon = new(make=Daemon)
    first = daemon.client()
    second = daemon.client()
    send(first, b'a')
    t_second = now()
    send(second, b'b')
    t_end = now()
    recording = daemon.finish(first)
    [batch] = recording.batches(t_second, t_end)
    [key] = typed(recording, t_second, t_end)
    check(key.get('decisive_source') == {'batch': batch['batch_id'], 'begin': 0, 'end': 1}, key)
    check(key['t_queue_insert'] >= batch['t_read_end'], key, batch)


@recipe()
def key_held_for_another_terminal(new):
    """While one terminal has a minibuffer open, the keys of another wait in their own queue."""
    daemon = new(make=Daemon)
    first = daemon.client()
    second = daemon.client()
    send(first, b'a')
    send(second, b'b')
    t_open = now()
    send(first, b'\x1b:')
    t_held = now()
    send(second, b'c')
    t_answer = now()
    send(first, b'1\r')
    t_end = now()
    recording = daemon.finish(first)
    [batch] = recording.batches(t_held, t_answer)
    asks = typed(recording, t_open, t_held)[0]
    [held] = [one for one in recording.commands(t_held, t_end)
              if one.get('terminal_id') == batch['terminal_id']]
    check(held['decisive_source'] == {'batch': batch['batch_id'], 'begin': 0, 'end': 1}, held)
    check(batch['t_read_end'] <= held['t_queue_insert'] <= t_answer, held, batch)
    check(asks['t_command_end'] <= held['t_queue_remove'], held, asks)


@recipe()
def quit_of_a_client_is_a_byte(new):
    """There C-g is read, and what came after it in the same read is dropped."""
    daemon = new(make=Daemon)
    client = daemon.client()
    client.terminal.send(b'\x14')
    daemon.wait_mark('here')
    t_quit = now()
    client.send(b'abc\x07def')
    client.wait_idle()
    t_next = now()
    send(client, b'x')
    recording = daemon.finish(client)
    [batch] = recording.batches(t_quit, t_next)
    check(batch['bytes_read'] == 7 and batch['bytes_queued'] in (3, 4), batch)
    [busy] = typed(recording, daemon.t_begun, t_next)
    check(busy['status'] == 'quit', busy)
    [key] = typed(recording, t_next)
    check((key['root_kind'], key['status']) == ('tty_command', 'normal'), key)


@recipe()
def client_suspended_and_resumed(new):
    """Its terminal is given up, and taken again: a new descriptor, a known number or a new one."""
    daemon = new(make=Daemon)
    client = daemon.client()
    send(client, b'a')
    t_stop = now()
    client.terminal.send(b'\x1a')               # C-z
    wait_until(client.stopped_itself, 'not stopped')
    client.wait_idle()
    t_stopped = now()
    client.process.send_signal(signal.SIGCONT)
    wait_until(lambda: not client.stopped_itself(), 'not continued')
    client.wait_idle()
    t_resumed = now()
    send(client, b'b')
    recording = daemon.finish(client)
    [before] = typed(recording, daemon.t_begun, t_stop)
    [stops] = typed(recording, t_stop, t_stopped)
    [after] = typed(recording, t_resumed)
    check(stops['status'] == 'normal', stops)
    check(after['terminal_id'] == before['terminal_id'], before, after)
    check((after['status'], after['presentation']) == ('normal', 'performed'), after)


@recipe()
def client_hung_up(new):
    """The terminal is deleted; the daemon and its other client go on."""
    daemon = new(make=Daemon)
    first = daemon.client()
    second = daemon.client()
    send(second, b'a')
    second.terminal.hang_up()
    wait_until(lambda: second.process.poll() is not None, 'the client is still there')
    first.wait_idle()
    t_next = now()
    send(first, b'b')
    recording = daemon.finish(first)
    [key] = typed(recording, t_next)
    check((key['status'], key['presentation']) == ('normal', 'performed'), key)


@recipe()
def two_frames(new):
    """Frames of one terminal: the one that is shown changes, nothing else does."""
    emacs = new()
    emacs.send(b'\x1852', b'a', b'\x185o', b'b', b'\x1850', b'c')
    recording = emacs.finish()
    commands = recording.commands(emacs.t_begun)
    check(len(commands) == 6 and len(set(terminals(commands))) == 1, commands)
    check(all((one['status'], one['presentation']) == ('normal', 'performed')
              for one in commands), commands)


@recipe()
def frames_have_numbers(new):
    emacs = new()
    emacs.send(b'a', b'\x1852', b'b', b'c', b'\x185o', b'd')
    recording = emacs.finish()
    first, _, second, again, _, back = recording.commands(emacs.t_begun)
    check(first['frame_id'] == back['frame_id'] != second['frame_id'] == again['frame_id'],
          first, second, again, back)


@recipe()
def menu(new):
    """A menu reads its own keys, inside the command that opened it or before any."""
    emacs = new()
    emacs.send(b'\x1b[21~', b'\x1b[B', b'\x1b\x1b\x1b')
    emacs.send(b'a')
    recording = emacs.finish()
    last = recording.commands(emacs.t_begun)[-1]
    check((last['root_kind'], last['status']) == ('tty_command', 'normal'), last)


@recipe()
def terminal_modes_set_again(new):
    """`set-quit-char' and `set-input-mode' reset the terminal and set it up again."""
    emacs = new(command('C-o', '(set-quit-char ?\\^g) (set-input-mode t nil t 7)'))
    emacs.send(NEXT, b'a')
    recording = emacs.finish()
    check([one['status'] for one in recording.commands(emacs.t_begun)] == ['normal'] * 2,
          recording.interactions)


@recipe()
def rotation(new):
    """No number is used again in the next file, and nothing is lost in between."""
    emacs = new(command('C-o', '(latency-rotate (recipes-file "second.emlat"))'))
    emacs.send(b'a', b'b', NEXT, b'c', b'd')
    recording = emacs.finish(files=('second.emlat',))
    statuses = [one['status'] for one in recording.commands(emacs.t_begun)]
    check(statuses == ['normal'] * 5, statuses)
    check(not recording.losses, recording.losses)


@recipe()
def status_along_the_way(new):
    """`latency-status' is right at the start, after a rotation, and when it is over."""
    emacs = new(command('C-o', '(recipes-tell)') + command('C-n', '(latency-stop)')
                + command('C-p', '(latency-rotate (recipes-file "second.emlat"))') + '''
        (defun recipes-tell ()
          (let ((is (latency-status)))
            (write-region (format "%S\n" (mapcar (lambda (key) (plist-get is key))
                                                 '(:file :file-sequence :records-lost :write-error)))
                          nil (recipes-file "status") t 'silent)))''')
    emacs.send(NEXT, b'\x10', NEXT, b'\x0e', NEXT)
    second = emacs.path('second.emlat')
    told = emacs.path('status').read_text('utf-8').splitlines()
    check(told == [f'("{emacs.file}" 0 0 nil)', f'("{second}" 1 0 nil)', '(nil nil nil nil)'], told)
    emacs.finish(files=('second.emlat',), counted=False)


@recipe()
def recording_started_again(new):
    emacs = new(command('C-o', '(latency-stop)')
                + command('C-n', '(latency-start (recipes-file "second.emlat"))'))
    emacs.send(b'a', NEXT, b'b', b'\x0e', b'c')
    emacs.finish(counted=False)
    second = Recording(str(emacs.path('second.emlat')))
    second.check_whole(('command', 'command_loop'))
    [one] = second.commands()
    check((one['root_kind'], one['presentation']) == ('tty_command', 'performed'), one)


# The ends of Emacs.  The file is valid after each, and says what it holds.

def check_end(emacs, complete=True):
    """The file is valid, and closed if COMPLETE; the key that was typed is in it."""
    recording = Recording(str(emacs.file))
    still_open = [span['kind'] for span in recording.spans if 'wall_ns' not in span]
    recording.check_whole(still_open)
    check(recording.session['complete'] == complete, recording.session)
    key = recording.commands(emacs.t_begun)[0]
    check((key['root_kind'], key['status'], key['presentation'])
          == ('tty_command', 'normal', 'performed'), key)
    return recording, still_open


def end_of_a_busy_one(emacs):
    """Emacs runs Lisp inside the handler of the signal that ends it, whatever that interrupted.

    It may abort there, or wait for itself for ever.  Return its status, None for the latter."""
    try:
        status = emacs.program.wait_exit(patience=15)
    except Stuck:
        emacs.program.signal(signal.SIGKILL)
        emacs.wait_exit()
        return None
    check(status in (1, signal.SIGTERM, -signal.SIGABRT, -signal.SIGSEGV), status)
    return status


def wait_written(emacs):
    """Wait until what was recorded is in the file."""
    wait_until(lambda: Recording(str(emacs.file)).commands(emacs.t_begun), 'no chunk of the key')


@recipe()
def end_by_a_key_with_a_hook(new):
    emacs = new('(add-hook (quote kill-emacs-hook) (lambda () (message "x") (redisplay)))')
    emacs.send(b'a')
    recording = emacs.finish()
    check(recording.session['complete'] == 1, recording.session)


@recipe()
def terminated_when_idle(new):
    emacs = new()
    emacs.send(b'a')
    emacs.program.signal(signal.SIGTERM)
    check(emacs.wait_exit() == signal.SIGTERM, 'exit status')
    _, still_open = check_end(emacs)
    check(still_open == [], still_open)


@recipe()
def terminated_when_busy(new):
    emacs = new(command('C-o', '(recipes-mark "here") (while t (make-list 1000 0))'))
    emacs.send(b'a')
    wait_written(emacs)
    emacs.run(NEXT)
    emacs.program.signal(signal.SIGTERM)
    status = end_of_a_busy_one(emacs)
    recording, still_open = check_end(emacs, complete=status == signal.SIGTERM)
    if status == signal.SIGTERM:
        check('command' in still_open, still_open)
        check(recording.interactions[-1]['status'] == 'open', recording.interactions[-1])


@recipe()
def hung_up(new):
    emacs = new()
    emacs.send(b'a')
    emacs.terminal.hang_up()
    emacs.wait_exit()
    check_end(emacs)


@recipe()
def hung_up_when_busy(new):
    emacs = new(command('C-o', '(recipes-mark "here") (while t (sit-for 0) (message "x"))'))
    emacs.send(b'a')
    wait_written(emacs)
    emacs.run(NEXT)
    emacs.terminal.hang_up()
    check_end(emacs, complete=end_of_a_busy_one(emacs) == 1)


def end_by(new, number):
    emacs = new()
    emacs.send(b'a')
    wait_written(emacs)
    emacs.program.signal(number)
    check(emacs.wait_exit() < 0, 'no signal ended it')
    check_end(emacs, complete=False)


@recipe()
def fatal_signal(new):
    end_by(new, signal.SIGSEGV)


@recipe()
def aborted(new):
    end_by(new, signal.SIGABRT)


@recipe()
def killed(new):
    """Nothing can be done then, but what was in the file stays good."""
    end_by(new, signal.SIGKILL)


@recipe(waits='what the rings hold when Emacs crashes')
def nothing_is_lost_in_a_crash(new):
    emacs = new()
    emacs.send(b'a')
    emacs.program.signal(signal.SIGSEGV)
    check(emacs.wait_exit() == -signal.SIGSEGV, 'exit status')
    check(len(Recording(str(emacs.file)).commands(emacs.t_begun)) == 1, 'the key is lost')


@recipe()
def restarted(new):
    """`restart-emacs' runs the same command line: its file is there already, and is kept."""
    emacs = new(command('C-o', '(recipes-mark "status") (kill-emacs 0 t)')
                + '(when (latency-status) (recipes-mark "records"))')
    emacs.wait_mark('records')
    emacs.send(b'a')
    emacs.terminal.send(NEXT)
    emacs.wait_begun()
    emacs.wait_idle()
    check(not emacs.path('records').exists(), 'the new Emacs records over the old file')
    size = os.path.getsize(emacs.file)
    recording, still_open = check_end(emacs)
    check(still_open == ['command_loop', 'command'], still_open)
    emacs.send(b'b')
    check(os.path.getsize(emacs.file) == size, 'the file has grown')
    check(len(recording.commands(emacs.t_begun)) == 1, recording.interactions)


if __name__ == '__main__':
    sessions.main()

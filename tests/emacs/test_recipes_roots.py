# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""Work that no key asks for: timers, processes, files, sizes, threads; and who asked for it."""
import sessions
from recording import check
from sessions import command, now, recipe

NEXT = b'\x0f'      # C-o, which each recipe binds to what it is about
THEN = b'\x0e'      # C-n


def check_deferred(one, kind, by, status='normal'):
    """ONE came of nothing that a person did just then; BY asked for it."""
    check((one['root_kind'], one['status']) == (kind, status), one)
    check(one.get('scheduled_by_cause_id') == (by and by['cause_id']), one, by)
    check('decisive_source' not in one, one)
    check(by is None or by['t_dispatch_begin'] <= one['t_dispatch_begin'], one, by)


def check_shown(one):
    check(one['first_redisplay_id'] <= one['last_redisplay_id'], one)
    check(one['t_root_work_end'] <= one['t_redisplay_begin'] <= one['t_flush_end'], one)
    check(one['counters']['output_bytes'] > 0, one)


@recipe()
def timer(new):
    emacs = new(command('C-o', '(run-with-timer 0.01 nil (lambda () (insert "t")'
                               ' (recipes-mark "here")))'))
    emacs.run(NEXT)
    recording = emacs.finish()
    [asks] = recording.commands(emacs.t_begun)
    [fired] = [one for one in recording.roots(emacs.t_begun, kind='timer')
               if one.get('scheduled_by_cause_id') == asks['cause_id']]
    check_deferred(fired, 'timer', asks)
    check_shown(fired)
    check('parent_cause_id' not in fired, fired)
    check(asks['t_root_work_end'] < fired['t_dispatch_begin'], asks, fired)


@recipe()
def late_timer_before_a_display(new):
    """What became due while a command was busy runs between its work and its display."""
    emacs = new(command('C-o', '(run-with-timer 0.001 nil (lambda () (insert "t")))'
                               '(recipes-burn 0.01) (insert "c")'))
    emacs.send(NEXT)
    recording = emacs.finish()
    [asks] = recording.commands(emacs.t_begun)
    [late] = [one for one in recording.roots(emacs.t_begun, kind='timer')
              if one.get('scheduled_by_cause_id') == asks['cause_id']]
    check_deferred(late, 'timer', asks)
    check(asks['t_root_work_end'] <= late['t_dispatch_begin'] <= late['t_root_work_end']
          <= asks['t_redisplay_begin'], asks, late)
    check((asks['status'], asks['presentation']) == ('normal', 'performed'), asks)
    check('parent_cause_id' not in late, late)


@recipe()
def repeating_timer(new):
    emacs = new('(setq left 3)' + command(
        'C-o', '(setq timer (run-with-timer 0 0.01 (lambda () (when (zerop (setq left (1- left)))'
               ' (cancel-timer timer) (recipes-mark "here")))))'))
    emacs.run(NEXT)
    recording = emacs.finish()
    [asks] = recording.commands(emacs.t_begun)
    fired = [one for one in recording.roots(emacs.t_begun, kind='timer')
             if one.get('scheduled_by_cause_id') == asks['cause_id']]
    check(len(fired) == 3, fired)
    for one in fired:
        check_deferred(one, 'timer', asks)


@recipe()
def idle_timer(new):
    emacs = new(command('C-o', '(run-with-idle-timer 0.02 nil (lambda () (recipes-mark "here")))'))
    emacs.run(NEXT)
    recording = emacs.finish()
    [asks] = recording.commands(emacs.t_begun)
    [fired] = [one for one in recording.roots(emacs.t_begun, kind='timer')
               if one.get('scheduled_by_cause_id') == asks['cause_id']]
    check_deferred(fired, 'timer', asks)


@recipe()
def timer_asked_for_by_a_timer(new):
    emacs = new(command('C-o', '(run-with-timer 0.01 nil (lambda () (run-with-timer 0.01 nil'
                               ' (lambda () (recipes-mark "here")))))'))
    emacs.run(NEXT)
    recording = emacs.finish()
    [asks] = recording.commands(emacs.t_begun)
    [first] = [one for one in recording.interactions
               if one.get('scheduled_by_cause_id') == asks['cause_id']]
    [second] = [one for one in recording.interactions
                if one.get('scheduled_by_cause_id') == first['cause_id']]
    check_deferred(first, 'timer', asks)
    check_deferred(second, 'timer', first)


@recipe()
def timer_inside_a_command(new):
    """One that fires while a command waits belongs to that command, and was asked for before."""
    emacs = new(command('C-o', '(run-with-timer 0.3 nil (lambda () (setq fired t)))')
                + command('C-n', '(while (not fired) (sleep-for 0.01)) (recipes-mark "here")')
                + '(setq fired nil)')
    emacs.program.send(NEXT)
    emacs.run(THEN)
    recording = emacs.finish()
    asks, waits = recording.commands(emacs.t_begun)
    [fired] = [one for one in recording.roots(emacs.t_begun, kind='timer')
               if one.get('scheduled_by_cause_id') == asks['cause_id']]
    check_deferred(fired, 'timer', asks)
    check(fired['parent_cause_id'] == waits['cause_id'], fired)
    check(waits['t_command_begin'] < fired['t_dispatch_begin']
          <= fired['t_root_work_end'] < waits['t_command_end'], fired, waits)


@recipe()
def timer_that_fails(new):
    """Lisp catches its errors, but not its throws."""
    emacs = new(command('C-o', '(run-with-timer 0.01 nil (lambda () (error "x")))'
                               '(run-with-timer 0.02 nil (lambda () (recipes-mark "here")'
                               ' (throw (quote top-level) nil)))'))
    emacs.run(NEXT)
    emacs.send(b'a')
    recording = emacs.finish()
    asks, key = recording.commands(emacs.t_begun)
    failing, throwing = [one for one in recording.roots(emacs.t_begun, kind='timer')
                         if one.get('scheduled_by_cause_id') == asks['cause_id']]
    check_deferred(failing, 'timer', asks)
    check_deferred(throwing, 'timer', asks, 'throw')
    check((key['root_kind'], key['status']) == ('tty_command', 'normal'), key)


@recipe()
def timer_nobody_asked_for(new):
    """What was set up before the first command was asked for by no cause."""
    emacs = new('(run-with-timer 0.5 nil (lambda () (recipes-mark "here")))')
    emacs.wait_mark('here')
    recording = emacs.finish()
    fired = recording.roots(emacs.t_begun, kind='timer')
    check(any('scheduled_by_cause_id' not in one for one in fired), fired)


@recipe()
def key_behind_a_timer(new):
    """A key that comes while a timer is busy is read inside that timer, and waits in the queue."""
    emacs = new(command('C-o', '(run-with-timer 0.01 nil (lambda () (recipes-busy)))'))
    emacs.run(NEXT)
    emacs.send_busy(b'a')
    emacs.stop_busy()
    recording = emacs.finish()
    _, key = recording.commands(emacs.t_begun)
    [busy] = [one for one in recording.roots(emacs.t_begun, kind='timer')
              if one['t_dispatch_begin'] < key['t_queue_insert'] < one['t_root_work_end']]
    check(busy['t_root_work_end'] <= key['t_queue_remove'], busy, key)
    reads = [span for span in recording.spans_of(busy, 'read') if span['detail_id'] == 1]
    check(len(reads) == 1, reads)


PROCESS = command('C-o', '''
  (setq process (make-process :name "p" :command (list "sh" "-c" "echo one; read x; echo two")
                              :connection-type 'pipe
                              :filter (lambda (p s) (insert s) (recipes-mark "here"))
                              :sentinel (lambda (p s) (insert s) (recipes-mark "gone"))))''')


@recipe()
def process(new):
    emacs = new(PROCESS + command('C-n', '(process-send-string process "x\\n")'))
    emacs.run(NEXT)
    emacs.wait_idle()
    emacs.run(THEN)
    emacs.wait_mark('gone')
    recording = emacs.finish()
    asks, sends = recording.commands(emacs.t_begun)
    data = recording.roots(emacs.t_begun, kind='process_data')
    [gone] = recording.roots(emacs.t_begun, kind='process_sentinel')
    check(len(data) == 2, data)
    for one in (*data, gone):
        kind = 'process_sentinel' if one is gone else 'process_data'
        check_deferred(one, kind, asks)
    check_shown(data[0])
    check_shown(gone)           # and what came just before it
    check(data[0]['t_end'] <= sends['t_dispatch_begin'] <= data[1]['t_dispatch_begin']
          < gone['t_dispatch_begin'], data, sends, gone)


@recipe()
def process_write(new):
    emacs = new(PROCESS + command('C-n', '(process-send-string process "x\\n")'))
    emacs.run(NEXT)
    emacs.wait_idle()
    emacs.run(THEN)
    emacs.wait_mark('gone')
    recording = emacs.finish()
    _, sends = recording.commands(emacs.t_begun)
    [write] = recording.inside(recording.span_of(sends, 'command'), 'process_write')
    check(write['cause_id'] == sends['cause_id'], write)


@recipe()
def process_inside_a_command(new):
    """A filter that runs while a command waits for it has that command as its parent."""
    emacs = new(command('C-o', '''
      (let ((p (make-process :name "p" :command (list "sh" "-c" "echo one") :connection-type 'pipe
                             :filter (lambda (p s) (insert s)) :sentinel #'ignore)))
        (while (accept-process-output p)))'''))
    emacs.send(NEXT)
    recording = emacs.finish()
    [asks] = recording.commands(emacs.t_begun)
    [data] = recording.roots(emacs.t_begun, kind='process_data')
    check_deferred(data, 'process_data', asks)
    check(data['parent_cause_id'] == asks['cause_id'], data)
    check('buffer_size' in asks['counters'] and 'buffer_size' not in data['counters'], asks, data)
    check(asks['t_command_begin'] <= data['t_dispatch_begin'] <= data['t_root_work_end']
          <= asks['t_command_end'], asks, data)


@recipe()
def process_without_lisp(new):
    """The default filter and sentinel insert into the process's buffer."""
    emacs = new(command('C-o', '''
      (make-process :name "p" :command (list "sh" "-c" "echo one; read x") :buffer "recipe")''')
                + command('C-n', '(process-send-string "p" "\\n")'))
    emacs.terminal.send(NEXT)
    emacs.program.wait_output(rb'one')
    emacs.wait_idle()
    emacs.terminal.send(THEN)
    emacs.program.wait_output(rb'finished')
    recording = emacs.finish()
    asks = recording.commands(emacs.t_begun)[0]
    data = recording.roots(emacs.t_begun, kind='process_data')
    check(data and all(one['scheduled_by_cause_id'] == asks['cause_id'] for one in data), data)
    [gone] = recording.roots(emacs.t_begun, kind='process_sentinel')
    check_deferred(gone, 'process_sentinel', asks)


@recipe()
def filter_that_fails(new):
    emacs = new('(setq process-error-pause-time 0)' + command('C-o', '''
      (make-process :name "p" :command (list "sh" "-c" "echo one; read x") :connection-type 'pipe
                    :filter (lambda (p s) (recipes-mark "here") (error "x")))'''))
    emacs.run(NEXT)
    emacs.send(b'a')
    recording = emacs.finish()
    asks, key = recording.commands(emacs.t_begun)
    [data] = recording.roots(emacs.t_begun, kind='process_data')
    check_deferred(data, 'process_data', asks, 'error')
    check((key['root_kind'], key['status']) == ('tty_command', 'normal'), key)


@recipe()
def file_notification(new):
    emacs = new(command('C-o', '''
      (require 'filenotify)
      (inotify-add-watch (getenv "EMLAT_DIR") '(moved-to)
                         (lambda (event) (insert "f") (recipes-mark "here")))'''))
    emacs.send(NEXT)
    t_change = now()
    emacs.say('change')
    emacs.path('change').rename(emacs.path('changed'))
    emacs.wait_mark('here')
    recording = emacs.finish()
    [notified] = recording.roots(t_change, kind='file_notification')
    check(notified['status'] == 'normal' and 'decisive_source' not in notified, notified)
    check_shown(notified)
    check('parent_cause_id' not in notified, notified)


@recipe()
def file_notification_when_busy(new):
    """It waits in the queue for the command to end."""
    emacs = new('''(inotify-add-watch (getenv "EMLAT_DIR") '(moved-to)
                                      (lambda (event) (recipes-mark "noted")))''')
    emacs.be_busy()
    emacs.say('change')
    emacs.path('change').rename(emacs.path('changed'))
    emacs.stop_busy()
    emacs.wait_mark('noted')
    recording = emacs.finish()
    [busy] = recording.commands(emacs.t_begun)
    [notified] = recording.roots(emacs.t_begun, kind='file_notification')
    check(busy['t_command_end'] <= notified['t_dispatch_begin'], busy, notified)
    check('parent_cause_id' not in notified, notified)


@recipe()
def resize(new):
    emacs = new()
    before, t_resize = len(emacs.terminal.output), now()
    emacs.terminal.resize(30, 100)
    emacs.wait_idle()
    emacs.send(b'a')
    recording = emacs.finish()
    [resized] = recording.roots(t_resize, kind='terminal_resize')
    check(resized['status'] == 'normal' and 'decisive_source' not in resized, resized)
    check_shown(resized)
    [key] = recording.commands(t_resize)
    check(resized['t_end'] <= key['t_dispatch_begin'], resized, key)
    check(resized['counters']['output_bytes'] <= len(emacs.terminal.output) - before, resized)


@recipe()
def resize_when_busy(new):
    emacs = new()
    emacs.be_busy()
    t_resize = now()
    emacs.terminal.resize(30, 100)
    emacs.stop_busy()
    recording = emacs.finish()
    [busy] = recording.commands(emacs.t_begun)
    [resized] = recording.roots(t_resize, kind='terminal_resize')
    check(busy['t_command_end'] <= resized['t_dispatch_begin'], busy, resized)


@recipe()
def thread(new):
    emacs = new(command('C-o', '''
      (make-thread (lambda () (sleep-for 0.01) (insert "t") (recipes-mark "here")))'''))
    emacs.run(NEXT)
    emacs.send(b'a')
    recording = emacs.finish()
    asks, key = recording.commands(emacs.t_begun)
    threads = recording.roots(emacs.t_begun, kind='thread_wakeup')
    check(threads, 'no root of the thread')
    for one in threads:
        check(one['thread_id'] != asks['thread_id'] and 'decisive_source' not in one, one)
    check(threads[0]['scheduled_by_cause_id'] == asks['cause_id'], threads[0])
    check((key['thread_id'], key['status']) == (asks['thread_id'], 'normal'), key)


@recipe()
def thread_that_the_main_thread_joins(new):
    """Whatever is recorded of it, the command that waits for it is whole."""
    emacs = new(command('C-o', '''
      (thread-join (make-thread (lambda () (sleep-for 0.01) (message "t") (redisplay))))'''))
    emacs.send(NEXT, b'a')
    recording = emacs.finish()
    joins, key = recording.commands(emacs.t_begun)
    check((joins['status'], key['status']) == ('normal', 'normal'), joins, key)


@recipe()
def threads_that_take_turns(new):
    """Their polls and spans interleave, and each stays with its own thread."""
    emacs = new(command('C-o', '''
      (dotimes (i 3)
        (make-thread (lambda ()
          (dotimes (j 5) (sleep-for 0.003) (garbage-collect) (thread-yield))
          (recipes-mark (format "thread-%d" i)))))'''))
    emacs.terminal.send(NEXT)
    for number in range(3):
        emacs.send(b'a')
        emacs.wait_mark(f'thread-{number}')
    recording = emacs.finish()
    statuses = [one['status'] for one in recording.commands(emacs.t_begun)]
    check(len(statuses) == 4 and set(statuses) <= {'normal', 'superseded'}, statuses)
    collections = recording.spans_between(emacs.t_begun, kind='gc')
    check(len(collections) >= 15, len(collections))


@recipe()
def thread_that_fails(new):
    emacs = new(command('C-o', '(make-thread (lambda () (recipes-mark "here") (error "x")))'))
    emacs.run(NEXT)
    emacs.send(b'a')
    recording = emacs.finish()
    check([one['status'] for one in recording.commands(emacs.t_begun)] == ['normal', 'normal'],
          recording.interactions)


@recipe()
def auto_save(new):
    """Emacs saves what was typed after so many keys, between two commands."""
    emacs = new('''(setq auto-save-interval 20)
                   (find-file (recipes-file "text"))
                   (fundamental-mode) (auto-save-mode 1)''')
    emacs.send(b'x' * 60)
    check(emacs.path('#text#').exists(), 'not saved')
    recording = emacs.finish()
    kept = recording.roots(emacs.t_begun, kind='maintenance')
    check(kept and all(one['status'] == 'normal' for one in kept), kept)


@recipe()
def user_signal(new):
    """A special event runs its command without the command loop, as a root of its own."""
    emacs = new('(keymap-set special-event-map "<sigusr1>" (lambda () (interactive) (insert "s")'
                ' (recipes-mark "here")))')
    t_signal = now()
    emacs.program.signal(10)
    emacs.wait_mark('here')
    recording = emacs.finish()
    [one] = [root for root in recording.roots(t_signal) if root['status'] != 'open']
    check('decisive_source' not in one and one['root_kind'] not in recording.command_kinds, one)


@recipe()
def gc_inside_a_command(new):
    emacs = new(command('C-o', '(garbage-collect) (garbage-collect)'))
    emacs.send(NEXT)
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    collections = recording.spans_of(one, 'gc')
    inside = recording.inside(recording.span_of(one, 'command'), 'gc')
    check(len(inside) == 2 and one['counters']['gc_count'] == len(collections), collections)
    check(one['counters']['gc_ns'] == sum(span['wall_ns'] for span in collections), one)


@recipe()
def lisp_inside_redisplay(new):
    emacs = new('''(setq mode-line-format '("x" (:eval (progn (recipes-burn 0.002) "y"))))''')
    emacs.send(b'a')
    recording = emacs.finish()
    [one] = recording.commands(emacs.t_begun)
    display = recording.span_of(one, 'redisplay')
    lisp = recording.inside(display, 'redisplay_lisp')
    check(sum(span['wall_ns'] for span in lisp) >= 2000000, lisp)


if __name__ == '__main__':
    sessions.main()

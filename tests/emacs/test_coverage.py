# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""One long session shows every row of the schema and of Emacs' vocabulary at least once.

The rows are those of schema.def and those that the session itself declares, and each is a test: a
root kind, a span kind, a counter that was not 0, a word, a field that was there.  What WANTED names
must be declared.  The rows of a loss are not asked for: this session loses nothing."""
import functools
import pathlib
import re

import sessions
from pty_driver import wait_until
from recording import Recording, check
from sessions import Emacs, command, recipe

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / 'src/common/schema.def'

WANTED = {
    'root': '''tty_command synthetic_command timer process_data process_sentinel file_notification
        terminal_resize thread_wakeup maintenance''',
    'span': '''pre_command command post_command redisplay gc poll flush read key_decode command_loop
        redisplay_decision desired_matrices update tty_write tty_ready queue redisplay_lisp
        process_write''',
    'counter': '''gc_count gc_ns redisplays output_bytes output_calls flushes flushes_empty
        flushes_failed flush_bytes_lost output_ns quit_signals person_wait_ns nested_loops quit_ns
        decode_wait_ns queue_depth_insert queue_depth_remove batch_bytes events_decoded
        key_sequence_length prefix_depth extra_reads buffer_size buffer_ticks window_rows
        window_columns windows preemptions frames_considered frames_updated windows_considered
        windows_updated rows_generated rows_reused glyphs''',
}

# What waits for somebody to record it.
WAITS = {
}

# What Emacs has no use for; other hosts may, and the library's own tests do.
# The qualities `write' and `flush' belong to fields that say so by their names (doc/format.md).
# Spans of an Emacs neither end on another thread nor out of order: `bench.h' has these words.
UNUSED = {'field input.counters', 'quality write', 'quality flush',
          'status misnested', 'status migrated'}

LISP = '''
  (setq latency-record-command-names t)
  (setq auto-save-interval 20)
  (find-file (recipes-file "text"))
  (fundamental-mode) (auto-save-mode 1)
  (setq in-display #'ignore slow nil)
  (setq-default mode-line-format
                '("%e" (:eval (when slow (recipes-burn 0.003)))
                  (:eval (let ((now in-display)) (setq in-display #'ignore) (funcall now) "x"))))
  (setq text (make-string 60 ?x))
''' + ''.join(command(key, body) for key, body in (
    ('C-c b', '(recipes-busy)'),
    ('C-c g', '(garbage-collect)'),
    ('C-c e', '(error "x")'),
    ('C-c u', '(push ?u unread-command-events)'),
    ('C-c m', '(execute-kbd-macro "xyz")'),
    ('C-c r', '(recursive-edit)'),
    ('C-c x', "(throw 'exit nil)"),
    ('C-c i', '(setq inhibit-redisplay t)'),
    ('C-c j', '(setq inhibit-redisplay nil)'),
    ('C-c s', '(sit-for 0.01)'),
    ('C-c d', '(insert "one") (redisplay) (insert "two") (message "three")'),
    ('C-c t', '(run-with-timer 0.01 nil (lambda () (insert "t") (recipes-mark "here")))'),
    ('C-c h', '(make-thread (lambda () (sleep-for 0.01) (recipes-mark "here")))'),
    ('C-c f', '''(inotify-add-watch (getenv "EMLAT_DIR") '(moved-to)
                                   (lambda (_) (recipes-mark "here")))'''),
    ('C-c p', '''(setq process
                  (make-process :name "p" :command (list "sh" "-c" "echo one; read x; echo two")
                                :connection-type 'pipe
                                :filter (lambda (p s) (insert s) (recipes-mark "here"))
                                :sentinel (lambda (p s) (insert s) (recipes-mark "gone"))))'''),
    ('C-c w', '(process-send-string process "x\\n")'),
    ('C-c n', '(dotimes (i 4000) (message "%d %s" i text))'),
    ('C-c y', '(setq slow (not slow)) (dotimes (_ 3) (force-mode-line-update) (redisplay t))'),
    ('C-c o', '(split-window) (other-window 1)'),
    ('C-c l', '(setq truncate-lines t) (insert (make-string 300 ?l))'),
    ('C-c c', '(redraw-display)'),
    ('C-c a', '''(setq redisplay-dont-pause nil in-display #'recipes-busy)
                (insert (make-string 99 10))'''),
    ('C-c 1', '''(set-window-margins nil 2) (redisplay t) (force-mode-line-update t)
                (setq in-display #'split-window)'''),
    ('C-c 2', '''(add-hook 'window-size-change-functions
                          (lambda (_) (setq window-size-change-functions nil) (other-window 1)))
                (enlarge-window 2)'''),
    ('C-c 3', '''(force-mode-line-update t)
                (setq in-display (lambda () (set-face-attribute 'mode-line nil :weight 'bold)))'''),
    # A timer that leaves its own call drops its root.
    ('C-c k', "(catch 'k (run-with-timer 0 nil (lambda () (throw 'k nil))) (sit-for 1))"),
    ('C-c z', '(run-with-timer 0.001 nil (function recipes-end)) (recipes-burn 0.02)'),
))


class Shell(Emacs):
    def __init__(self):
        super().__init__(LISP, shell=True, rows=40, columns=100)


def play(emacs):
    """Do everything once."""
    emacs.send(b'hello', b'\x1b[A', 'é'.encode(), b'\x18o', b'\x03q', b'\x03d', b'\x03g', b'\x03s')
    emacs.send(b'\x03e', b'\x03u', b'\x03m', b'\x03i', b'\x03j', b'\x03l', b'\x03c')
    emacs.send(b'\x03y', b'\x03y')                                 # Lisp that displays run is long
    emacs.send(b'\x03r', b'inside', b'\x03x', b'\x1b:', b'1\r')
    emacs.send(b'\x03k')
    emacs.send(b'\x1b[200~some ', b'text\x1b[201~')                  # a paste that waits
    emacs.send(b'x' * 60)                                            # auto-save
    for key in (b'\x03t', b'\x03h'):
        emacs.run(key)
    emacs.send(b'\x03f')
    emacs.say('change')
    emacs.path('change').rename(emacs.path('changed'))
    emacs.wait_mark('here')
    emacs.run(b'\x03p')
    emacs.wait_idle()
    emacs.run(b'\x03w')
    emacs.wait_mark('gone')
    emacs.terminal.resize(30, 90)
    emacs.wait_idle()
    emacs.run(b'\x03b')                                              # C-g, and what it drops
    emacs.send_busy(b'abc')
    emacs.terminal.send(b'\x07')
    emacs.wait_idle()
    emacs.run(b'\x03b')                                              # input is held
    emacs.send_busy(b'y' * 3000)
    emacs.terminal.send(b'y' * 1000)
    wait_until(emacs.terminal.unread, 'not held')
    emacs.stop_busy()
    emacs.send(b'\x03o', b'a', b'\x031', b'\x032', b'\x03o', b'\x033')  # displays begin again
    emacs.terminal.stalled = True                                    # a flush fails
    emacs.terminal.send(b'\x03n')
    emacs.wait_idle()
    emacs.terminal.send(b'b')
    emacs.wait_idle()
    emacs.terminal.stalled = False
    emacs.wait_idle()
    emacs.terminal.send(b'\x1a')                                     # suspended
    wait_until(emacs.program.stopped, 'not stopped')
    emacs.program.wait_output(rb'Stopped')
    emacs.terminal.send(b'fg\n')
    wait_until(lambda: not emacs.program.stopped(), 'not continued')
    emacs.wait_idle()
    emacs.run(b'\x03a')                                              # a display that pauses
    emacs.send_busy(b'\x1b<')
    emacs.stop_busy()
    emacs.wait_idle()
    emacs.terminal.send(b'\x03z')


@functools.cache
def record():
    """Play the session, and return its recording, or what went wrong with it."""
    emacs = Shell()
    try:
        play(emacs)
        check(emacs.wait_exit() == 0, 'Emacs failed')
        recording = Recording(str(emacs.file))
        recording.check_whole([span['kind'] for span in recording.spans if 'wall_ns' not in span])
        emacs.check_count(recording)
        return recording
    except Exception as error:  # pylint: disable=broad-except
        return error
    finally:
        sessions.keep(emacs, 'coverage')
        emacs.remove()


@functools.cache
def rows_of(recording):
    """What was seen, by class, and what the session declares."""
    rows = {'root': set(), 'span': set(), 'counter': set(), 'status': set(), 'presentation': set(),
            'skip': set(), 'quality': set(), 'field': set()}
    for record in recording.records:
        kind = record.get('record')
        if kind not in ('input', 'interaction', 'span'):
            continue
        rows['field'].update(f'{kind}.{name}' for name in record)
        for name, row in (('root_kind', 'root'), ('kind', 'span'), ('status', 'status'),
                          ('presentation', 'presentation'), ('superseded_by', 'skip')):
            rows[row].add(record.get(name))
        rows['status'].add(record.get('status', 'normal' if kind == 'span' else None))
        rows['quality'].update(value for name, value in record.items() if name.endswith('_quality'))
        rows['counter'].update(name for name, value in record.get('counters', {}).items() if value)
    return rows, {'root': {row['name'] for row in recording.session['root_kinds']},
                  'span': {row['name'] for row in recording.session['span_kinds']},
                  'counter': {row['name'] for row in recording.session['counters']}}


def schema():
    """The rows of schema.def."""
    text = SCHEMA.read_text('utf-8')
    for table, word in re.findall(r'^WORD\((\w+), \d+, (\w+)\)', text, re.MULTILINE):
        if table in ('STATUS', 'PRESENTATION', 'SKIP', 'QUALITY'):
            yield table.lower(), word
    for record, name in re.findall(r'^FIELD\((\w+), +(\w+),', text, re.MULTILINE):
        if record in ('INPUT', 'INTERACTION', 'SPAN'):
            yield 'field', f'{record.lower()}.{name}'


def enter(kind, name, test):
    test.__name__ = f'{kind} {name}'
    if test.__name__ not in UNUSED:
        recipe(WAITS.get(test.__name__))(test)


def seen():
    recording = record()
    check(isinstance(recording, Recording), 'there is no session')
    return rows_of(recording)


@recipe()
def a_session(_):
    check(isinstance(record(), Recording), record())


def is_seen(kind, name):
    rows, _ = seen()
    check(name in rows[kind], f'no {kind} {name}', f'but {sorted(str(row) for row in rows[kind])}')


def is_declared_and_seen(kind, name):
    check(name in seen()[1][kind], f'no {kind} {name} in the vocabulary')
    is_seen(kind, name)


@recipe()
def the_whole_vocabulary(_):
    """What Emacs declares beyond what is wanted is seen as well."""
    rows, declared = seen()
    missing = {f'{kind} {name}' for kind, names in declared.items() for name in names - rows[kind]}
    check(not missing, 'never seen', missing)


@recipe()
def unused_rows(_):
    rows, _ = seen()
    used = {row for row in UNUSED if row.split()[1] in rows[row.split()[0]]}
    check(not used, 'used after all', used)


for _kind, _names in WANTED.items():
    for _name in _names.split():
        enter(_kind, _name, lambda _, kind=_kind, name=_name: is_declared_and_seen(kind, name))
for _kind, _name in schema():
    enter(_kind, _name, lambda _, kind=_kind, name=_name: is_seen(kind, name))

if __name__ == '__main__':
    sessions.main()

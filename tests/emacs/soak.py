# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""Minutes of mixed work in a real Emacs, after which everything must be accounted for.

Lisp counts the commands by itself.  What it counted are the interactions that were recorded; no
span is left open but those of the command that ends Emacs; no time runs backwards; nothing is lost.
The work is drawn by a fixed seed, so that two runs play the same.
EMLAT_SOAK_MINUTES says for how long, by default a part of one."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / 'tests'), str(TOP / 'demo')]
import tap  # noqa: E402
from make_cast import Script, ctrl  # noqa: E402

EMLAT = os.path.abspath(os.environ['EMLAT_PROGRAM'])
EMACS = os.environ['EMLAT_EMACS']
MINUTES = float(os.environ.get('EMLAT_SOAK_MINUTES', '0.4'))
WORDS = 'int value return static while struct machine of record span for the first time'.split()
QUIT = '\x07'

# Each is some seconds of work; all leave Emacs where any other can begin.
WORK = [
    lambda s, r: s.type(' '.join(r.choices(WORDS, k=8)) + '\n'),
    lambda s, r: s.keys(*[r.choice([ctrl('n'), ctrl('p'), ctrl('f'), ctrl('b'), '\x1b[A', '\x1b[B'])
                          for _ in range(40)]),
    lambda s, r: s.keys(*[ctrl('v')] * 4, *['\x1bv'] * 4, gap=0.06),
    lambda s, r: (s.keys(ctrl('s')), s.type(r.choice(WORDS)), s.keys('\r')),
    lambda s, r: (s.keys('\x1bx'), s.type('count-lines-page\r')),
    lambda s, r: (s.keys('\x1bx'), s.type('goto-line\r'), s.type(f'{r.randrange(1, 500)}\r')),
    lambda s, r: s.keys(ctrl('a'), ctrl('k'), ctrl('y'), ctrl('a'), ctrl('@'), ctrl('n'), ctrl('w'),
                        ctrl('y'), *['\x1f'] * 4),
    lambda s, r: s.keys(ctrl('x'), '2', ctrl('x'), 'o', ctrl('v'), ctrl('x'), '1'),
    lambda s, r: s.burst(ctrl('n') * r.randrange(5, 60)),
    lambda s, r: s.burst(' '.join(r.choices(WORDS, k=30)) + '\n'),
    lambda s, r: s.burst('\x1b[200~' + '/* pasted */\n' * r.randrange(2, 40) + '\x1b[201~'),
    lambda s, r: s.keys(ctrl('x'), '(', ctrl('n'), ctrl('a'), ctrl('x'), ')', ctrl('u'), '7',
                        ctrl('x'), 'e'),
    lambda s, r: (s.keys('\x1bx'), s.type('nosuch'), s.settle(), s.keys(QUIT)),
    lambda s, r: (s.keys('\x1b:'), s.type('(while t)\r'), s.keys(QUIT, gap=0.3)),
    lambda s, r: (s.keys('\x1b:'), s.type('(error "soak")\r')),
    lambda s, r: s.keys('\x03z'),                       # undefined
    lambda s, r: (s.keys('\x1b!'), s.type('echo soak; uname\r')),
    lambda s, r: (s.keys('\x1b:'), s.type('(progn (sit-for 0.1) (garbage-collect) (sleep-for 0.1))\r')),
    lambda s, r: (s.keys('\x1b:'), s.type('(recursive-edit)\r'), s.settle(),
                  s.type('inside'), s.keys('\x1b\x03')),
    lambda s, r: (s.keys('\x1b:'), s.type('(make-thread (lambda () (sleep-for 0.05)))\r')),
    lambda s, r: s.event('r', f'{r.randrange(70, 120)}x{r.randrange(20, 40)}', 0.05),
    lambda s, r: s.keys(QUIT),
]


def script(minutes):
    chance = random.Random(1)
    s = Script()
    s.expect('(C/*l')
    s.settle(500)
    while s.now < 60 * minutes:
        chance.choice(WORK)(s, chance)
        s.settle(100)
    s.keys(QUIT, '\x1bx')
    s.type('soak-leave\r')
    s.event('m', 'wait:exit')
    return s.lines


class Soak(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp(prefix='emlat-soak-')
        shutil.copy(TOP / 'src/record/interaction.c', os.path.join(cls.dir, 'work.c'))
        with open(os.path.join(cls.dir, 'work.cast'), 'w', encoding='utf-8') as cast:
            cast.write('\n'.join(script(MINUTES)) + '\n')
        played = subprocess.run(
            [EMLAT, 'replay', '--silent', 'work.cast', '--', EMACS, '-nw', '-Q', '-l',
             str(TOP / 'tests/emacs/soak.el'), '--latency-profile=soak.emlat', 'work.c'],
            cwd=cls.dir, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
            env={**os.environ, 'HOME': cls.dir, 'LC_ALL': 'C.UTF-8'})
        if played.returncode:
            raise RuntimeError(played.stderr)
        cls.file = os.path.join(cls.dir, 'soak.emlat')
        dump = subprocess.run([EMLAT, 'dump', '--json', cls.file], stdout=subprocess.PIPE, check=True)
        cls.records = [json.loads(line) for line in dump.stdout.splitlines()]
        with open(os.path.join(cls.dir, 'commands'), encoding='utf-8') as file:
            cls.counted, cls.depth = (int(number) for number in file.read().split())

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.dir)

    def of(self, kind):
        return [record for record in self.records if record.get('record') == kind]

    def test_every_command_is_there(self):
        commands = [one for one in self.of('interaction')
                    if one['root_kind'] in ('tty_command', 'synthetic_command')]
        print(f'{MINUTES} minutes: {self.counted} commands counted, {len(commands)} recorded')
        self.assertEqual(len(commands), self.counted)

    def test_nothing_is_left_open(self):
        """But the command that ended Emacs, and those whose recursive edits it was in."""
        still = [span['kind'] for span in self.of('span') if span.get('status') == 'open']
        self.assertEqual(sorted(still), ['command'] * (1 + self.depth)
                         + ['command_loop'] * (1 + self.depth))
        still = [one for one in self.of('interaction') if one['status'] == 'open'
                 and one.get('presentation') != 'pending']
        self.assertEqual([one['root_kind'] for one in still], ['tty_command'] * (1 + self.depth))

    def test_time_runs_forward(self):
        edges = ['dispatch_begin root_work_end', 'root_work_end end', 'pre_command_begin pre_command_end',
                 'command_begin command_end', 'post_command_begin post_command_end',
                 'redisplay_begin redisplay_end', 'output_begin flush_end', 'input_earliest input_latest',
                 'read_begin read_end', 'queue_insert queue_remove', 'queue_remove key_decode_done']
        for one in self.of('interaction'):
            for edge in edges:
                before, after = (one.get('t_' + name) for name in edge.split())
                if before is not None and after is not None:
                    self.assertLessEqual(before, after, (edge, one))
            if 'thread_cpu_end' in one and 't_end' in one:
                self.assertLessEqual(one['thread_cpu_end'] - one['thread_cpu_begin'],
                                     one['t_end'] - one['t_dispatch_begin'], one)
        for span in self.of('span'):
            self.assertLess(span.get('wall_ns', 0), 1 << 62, span)  # an unsigned difference

    def test_ids_are_used_once(self):
        for kind, name in (('interaction', 'cause_id'), ('span', 'span_id'), ('input', 'batch_id')):
            ids = [record[name] for record in self.of(kind)]
            self.assertEqual(len(ids), len(set(ids)), kind)

    def test_links_lead_somewhere(self):
        causes = {one['cause_id'] for one in self.of('interaction')}
        for one in self.of('interaction'):
            for link in ('parent_cause_id', 'scheduled_by_cause_id'):
                self.assertIn(one.get(link, one['cause_id']), causes, one)
        spans = {span['span_id'] for span in self.of('span')}
        for span in self.of('span'):
            self.assertIn(span.get('parent_span_id', span['span_id']), spans, span)
            self.assertIn(span.get('cause_id', 0), causes | {0}, span)

    def test_nothing_is_lost(self):
        self.assertEqual(self.of('loss'), [])
        verified = subprocess.run([EMLAT, 'verify', self.file], stdout=subprocess.PIPE, text=True,
                                  check=False)
        self.assertEqual(verified.returncode, 0, verified.stdout)


if __name__ == '__main__':
    tap.main()

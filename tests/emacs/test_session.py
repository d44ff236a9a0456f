# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""A real Emacs plays the demo's session; what it recorded is held against everything we know.

One recording serves all cases.  Nothing here depends on how fast the machine is."""
import collections
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / 'tests'))
import tap  # noqa: E402

EMLAT = os.environ['EMLAT_PROGRAM']
EMACS = os.environ['EMLAT_EMACS']
PYTHON = '/usr/bin/python3'


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          stdin=subprocess.DEVNULL, text=True, **options)


def chunk_ends(data):
    """Where each chunk ends, padding included, as doc/format.md section 3 says."""
    ends, at = [], 64
    while at < len(data):
        size = struct.unpack_from('<I', data, at + 16)[0]
        at += (40 + size + 7) // 8 * 8
        ends.append(at)
    return ends


class Session(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp(prefix='emlat-session-')
        home = os.path.join(cls.dir, 'home')
        os.mkdir(home)
        shutil.copy(TOP / 'src/record/interaction.c', os.path.join(cls.dir, 'work.c'))
        with open(os.path.join(cls.dir, 'work.cast'), 'w', encoding='utf-8') as cast:
            subprocess.run([PYTHON, str(TOP / 'demo/make_cast.py')], stdout=cast, check=True)
        played = run(EMLAT, 'replay', 'work.cast', '--witness', 'witness.json', '--', EMACS, '-nw',
                     '-Q', '--latency-profile=demo.emlat', 'work.c', cwd=cls.dir,
                     env={**os.environ, 'HOME': home, 'LC_ALL': 'C.UTF-8'})
        if played.returncode:
            raise RuntimeError(played.stderr)
        cls.file = os.path.join(cls.dir, 'demo.emlat')
        cls.dump = run(EMLAT, 'dump', '--json', cls.file).stdout
        cls.records = [json.loads(line) for line in cls.dump.splitlines()]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.dir)

    def of(self, kind):
        return [record for record in self.records if record.get('record') == kind]

    def test_populations(self):
        report = json.loads(run(EMLAT, 'report', '--json', self.file).stdout)
        self.assertEqual(report['schema'], 'emlat.report/1')
        for population in ('flushed', 'no_output', 'superseded'):
            self.assertGreater(report['all_commands'][population]['count'], 0, population)
        groups = report['populations']
        self.assertEqual(sum(one['n'] for one in groups), len(self.of('interaction')))
        for kind in {one['root_kind'] for one in groups}:
            shares = [one['share'] for one in groups if one['root_kind'] == kind]
            self.assertAlmostEqual(sum(shares), 1, msg=kind)
        self.assertIn(report['verdict']['component'], [
            'wait', 'decode', 'pre_command', 'command', 'post_command', 'redisplay',
            'redisplay_lisp', 'tty_emit', 'gc', 'none', 'not_in_emacs'])
        self.assertGreaterEqual(report['commands'], 400)
        self.assertEqual(report['contradictory'], 0)
        self.assertEqual(report['loss'], {'records': 0, 'bytes': 0})

    def test_text_report_and_waterfall(self):
        report = run(EMLAT, 'report', self.file)
        self.assertEqual((report.returncode, report.stderr), (0, ''))
        self.assertIn('loss none', report.stdout)
        waterfall = run(EMLAT, 'waterfall', self.file, '--tail', '-n', '20', '--ascii')
        self.assertEqual((waterfall.returncode, waterfall.stderr), (0, ''))
        self.assertEqual(waterfall.stdout.count('tty_command, flushed'), 20)

    def test_waterfall_adds_up(self):
        text = run(EMLAT, 'waterfall', self.file, '--tail', '-n', '50', '--ascii').stdout
        for one in text.strip().split('\n\n'):
            rows = [line for line in one.splitlines() if line[0] not in '# ']
            figure = {row[:20].strip(): float(row[20:30]) for row in rows
                      if row[:4] not in ('part', 'pref', 'work')}
            total = figure.pop('total (lower bound)')
            figure.pop('arrival', None)
            # Every figure is rounded to three digits.
            slack = 0.005 * total + 0.001 * len(figure)
            self.assertLessEqual(abs(sum(figure.values()) - total), slack, one)

    def test_witness(self):
        checked = run(PYTHON, str(TOP / 'demo/check_witness.py'), EMLAT, self.file,
                      os.path.join(self.dir, 'witness.json'))
        print(checked.stdout)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_verify(self):
        verified = run(EMLAT, 'verify', self.file)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)

    def test_second_reader_agrees(self):
        other = run(PYTHON, str(TOP / 'tests/alt_reader.py'), self.file)
        self.assertEqual(other.returncode, 0, other.stderr)
        self.assertEqual([json.loads(line) for line in other.stdout.splitlines()], self.records)

    def test_cuts(self):
        """A file cut anywhere gives exactly the records of the chunks before the cut."""
        with open(self.file, 'rb') as file:
            data = file.read()
        ends = chunk_ends(data)
        path = os.path.join(self.dir, 'cut.emlat')
        for number in range(1000):
            cut = 64 + (len(data) - 64) * number // 1000
            whole = max([64] + [end for end in ends if end <= cut])
            with open(path, 'wb') as file:
                file.write(data[:cut])
            found = run(EMLAT, 'verify', path)
            counts = found.stdout.splitlines()[1].split()
            chunks = sum(int(count) for count in counts[1::2])
            # A chunk is whole without its padding, which holds nothing.
            self.assertIn(chunks - sum(end <= whole for end in ends), (0, 1), cut)
            if chunks > sum(end <= whole for end in ends):
                self.assertLess(ends[chunks - 1] - cut, 8, cut)

    def test_statuses(self):
        seen = collections.Counter(one['status'] for one in self.of('interaction'))
        for status in ('normal', 'superseded', 'error', 'quit', 'throw'):
            self.assertGreater(seen[status], 0, status)

    def test_time_runs_forward(self):
        order = ['t_input_earliest', 't_input_latest', 't_queue_insert', 't_queue_remove',
                 't_key_decode_done', 't_pre_command_begin', 't_pre_command_end',
                 't_command_begin', 't_command_end']
        for one in self.of('interaction'):
            times = [one[name] for name in order if name in one]
            self.assertEqual(times, sorted(times), one)
        # Only the command that ends Emacs is still open when the recording stops.
        still_open = [span for span in self.of('span') if 'wall_ns' not in span]
        self.assertEqual([(span['kind'], span['status']) for span in still_open],
                         [('command', 'open'), ('command_loop', 'open')])

    def test_parents_are_there(self):
        spans = {span['span_id']: span for span in self.of('span')}
        for span in spans.values():
            parent = spans.get(span.get('parent_span_id'))
            if 'parent_span_id' in span:
                self.assertIsNotNone(parent, span)
                self.assertLessEqual(parent['t_begin'], span['t_begin'])
                if 'wall_ns' in parent and 'wall_ns' in span:
                    self.assertGreaterEqual(parent['t_begin'] + parent['wall_ns'],
                                            span['t_begin'] + span['wall_ns'])

    def test_size(self):
        """Bytes a command, with its spans and input."""
        size = os.path.getsize(self.file) / len(self.of('interaction'))
        print(f'{size:.1f} bytes a command')
        self.assertLessEqual(size, 250)

    def test_macro_is_synthetic(self):
        inner = [one for one in self.of('interaction') if one['root_kind'] == 'synthetic_command'
                 and 'parent_cause_id' in one]
        self.assertGreaterEqual(len(inner), 24)  # three commands, eight times
        for one in inner:
            self.assertNotIn('t_input_latest', one)

    def test_file_is_private(self):
        self.assertEqual(os.stat(self.file).st_mode & 0o7777, 0o600)


if __name__ == '__main__':
    tap.main()

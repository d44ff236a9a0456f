# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""The verdict on ten kinds of trouble, by stored recordings of a real Emacs in each of them.

`recordings/NAME.emlat.gz` was made by typing at a patched Emacs 30.1 whose init did what NAME says;
no test depends on what this machine does.  CASES says what each recording must be found to be."""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / 'tests'))
import tap  # noqa: E402

EMLAT = os.environ['EMLAT']
RECORDINGS = pathlib.Path(__file__).resolve().parent / 'recordings'

MS = 1_000_000


def report(name, *options):
    data = gzip.decompress((RECORDINGS / f'{name}.emlat.gz').read_bytes())
    done = subprocess.run([EMLAT, 'report', *options, '-'], input=data, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


class Case:
    """One recording's report, and how to ask it."""

    def __init__(self, name):
        self.json = json.loads(report(name, '--json'))
        self.verdict = self.json['verdict']
        self.columns = {column['quantile']: column for column in self.json['components']}
        self.first_screen = '\n'.join(
            report(name, '--width', '80', '--ascii').splitlines()[:24])

    def share(self, quantile, *components):
        column = self.columns[quantile]
        return sum(column['components_ns'][one] for one in components) / column['total_ns']

    def answered(self, quantile):
        return self.columns[quantile]['threshold_ns']

    def blame(self, root_kind):
        return sum(one['share'] for one in self.verdict['blame'] if one['root_kind'] == root_kind)


def leads(test, case, component, on_cpu):
    test.assertEqual((case.verdict['finding'], case.verdict['component']),
                     ('one_leads', component))
    test.assertEqual(case.verdict['on_cpu'], on_cpu)
    test.assertIn(case.verdict['text'].split()[0], case.first_screen)


class Cases(unittest.TestCase):
    def test_post_hook_busy(self):
        case = Case('post-hook-busy')
        leads(self, case, 'post_command', True)
        for quantile in ('p50', 'p95'):
            self.assertGreaterEqual(case.share(quantile, 'post_command'), 0.9)
        self.assertLessEqual(case.share('p50', 'gc', 'redisplay', 'tty_emit'), 0.05)
        self.assertEqual(case.json['all_commands']['flushed']['count'], 40)
        self.assertIn('post-command-hook', case.first_screen)

    def test_gc_big_heap(self):
        case = Case('gc-big-heap')
        leads(self, case, 'gc', True)
        for quantile in ('p50', 'p99'):
            self.assertGreaterEqual(case.share(quantile, 'gc'), 0.6)
            self.assertLessEqual(case.share(quantile, 'command'), 0.1)
        self.assertIn('gc-cons-threshold', case.first_screen)

    def test_long_line_matrix(self):
        case = Case('long-line-matrix')
        leads(self, case, 'redisplay', True)
        column = case.columns['p50']
        self.assertGreaterEqual(column['redisplay_ns']['desired_matrices'],
                                0.8 * column['total_ns'])
        self.assertLessEqual(case.share('p50', 'tty_emit'), 0.05)
        self.assertLessEqual(case.share('p50', 'redisplay_lisp'), 0.05)
        self.assertIn('long lines', case.first_screen)

    def test_modeline_eval_cpu(self):
        case = Case('modeline-eval-cpu')
        leads(self, case, 'redisplay_lisp', True)
        self.assertGreaterEqual(case.share('p50', 'redisplay', 'redisplay_lisp'), 0.9)
        self.assertGreaterEqual(case.share('p50', 'redisplay_lisp'), 0.9)

    def test_slow_reader(self):
        case = Case('slow-reader')
        leads(self, case, 'tty_emit', False)
        self.assertGreaterEqual(case.share('p50', 'tty_emit'), 0.8)
        # The last flush alone would be under 100 ms.
        column = case.columns['p50']
        self.assertGreaterEqual(column['components_ns']['tty_emit'] / column['n'], 1000 * MS)

    def test_key_repeat_burst(self):
        case = Case('key-repeat-burst')
        leads(self, case, 'wait', True)
        self.assertGreaterEqual(case.verdict['superseded_share'], 0.95)
        self.assertGreaterEqual(case.share('p95', 'wait'), 0.9)
        self.assertGreaterEqual(case.json['backlog']['drain_ns'], 1200 * MS)
        first = case.verdict['blame'][0]
        self.assertEqual((first['root_kind'], first['component']),
                         ('tty_command', 'post_command'))
        each = case.columns['p95']['components_ns']['post_command'] / case.columns['p95']['n']
        self.assertTrue(24 * MS <= each <= 27 * MS, each)
        # What the few flushed ones would say is not what is said.
        self.assertGreaterEqual(case.answered('p95'), 1000 * MS)

    def test_prefix_dwell(self):
        case = Case('prefix-dwell')
        self.assertEqual((case.verdict['finding'], case.verdict['component']),
                         ('nothing_slow', 'none'))
        self.assertEqual(case.verdict['blame'], [])
        self.assertLessEqual(case.answered('p95'), 10 * MS)
        dwell = case.json['prefix_dwell_max']
        self.assertEqual(dwell['count'], 25)
        self.assertTrue(370 * MS <= dwell['p50_ns'] <= 430 * MS, dwell)
        self.assertIn('prefix dwell', case.first_screen)

    def test_timer_busy(self):
        case = Case('timer-busy')
        leads(self, case, 'wait', True)
        self.assertGreaterEqual(case.blame('timer'), 0.9)
        self.assertLessEqual(case.answered('p50'), 10 * MS)
        self.assertGreaterEqual(case.answered('p95'), 50 * MS)
        # The key was read at once: it stood in the queue.
        tty = {one['population']: one['metrics'] for one in case.json['populations']
               if one['root_kind'] == 'tty_command'}
        ready, queue = (tty['flushed'][name] for name in ('batch_ready_wait_ns', 'input_queue_ns'))
        self.assertGreaterEqual(queue['total'], 10 * ready['total'])
        self.assertIn('timers', case.first_screen)

    def test_filter_flood(self):
        case = Case('filter-flood')
        leads(self, case, 'wait', True)
        for quantile in ('p50', 'p95'):
            self.assertGreaterEqual(case.share(quantile, 'wait'), 0.9)
        self.assertGreaterEqual(case.blame('process_data'), 0.9)
        processes = [one for one in case.json['other_work'] if one['root_kind'] == 'process_data']
        self.assertEqual(len(processes), 1)
        self.assertIn('processes', case.first_screen)

    def test_quiet_typing(self):
        case = Case('quiet-typing')
        self.assertEqual((case.verdict['finding'], case.verdict['component']),
                         ('nothing_slow', 'none'))
        self.assertEqual((case.verdict['blame'], case.verdict['superseded_share']), ([], 0))
        self.assertIsNone(case.verdict['share'])
        self.assertEqual(case.json['loss'], {'records': 0, 'bytes': 0})
        self.assertIn('Nothing here needs fixing', case.first_screen)
        # The upper bound is no gap between keys.
        self.assertLessEqual(case.json['all_commands']['flushed']['upper']['p50_ns'], 10 * MS)


if __name__ == '__main__':
    tap.main()

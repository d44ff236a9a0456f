# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""The bench from the command line: the engine's runs, and that their files agree."""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

EMLAT, ENGINE, LOOP = (os.environ[name] for name in ('EMLAT', 'ENGINE', 'LOOP'))
FRAMES, IMAGES = 240, 12  # of engine.c


def number(text):
    """A CSV cell; empty is absent."""
    return None if text == '' else int(text)


class Run:
    def __init__(self, folder, *silent, program=ENGINE, **environment):
        done = subprocess.run([EMLAT, 'bench', '--', program, *silent], cwd=folder, text=True,
                              capture_output=True, check=False,
                              env={**os.environ, **environment})
        self.code, self.text, self.complaint = done.returncode, done.stdout, done.stderr
        self.folder = max((pathlib.Path(folder) / 'emlat-artifacts/runs').iterdir(),
                          key=lambda path: path.stat().st_mtime_ns)
        self.summary = json.loads((self.folder / 'summary.json').read_text(encoding='utf-8'))
        self.manifest = json.loads((self.folder / 'manifest.json').read_text(encoding='utf-8'))

    def rows(self, name):
        with open(self.folder / name, encoding='utf-8', newline='') as file:
            return list(csv.DictReader(file))

    def section(self, number):
        return re.search(rf'^\[{number}/3\].*', self.text, re.MULTILINE).group(0)


class Bench(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        cls.run_ = Run(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_it_ran(self):
        self.assertEqual((self.run_.code, self.run_.complaint), (0, ''))
        for part in (1, 2, 3):
            self.assertNotIn('MISS', self.run_.section(part))

    def test_five_files_for_their_owner(self):
        names = {path.name for path in self.run_.folder.iterdir()}
        self.assertEqual(names, {'report.txt', 'manifest.json', 'summary.json', 'frames.csv',
                                 'load_jobs.csv', 'trace.emlat'})
        for path in self.run_.folder.iterdir():
            self.assertEqual(path.stat().st_mode & 0o777, 0o600, path)

    def test_the_report_is_what_was_printed(self):
        report = (self.run_.folder / 'report.txt').read_text(encoding='utf-8')
        self.assertTrue(self.run_.text.startswith(report))

    def test_rows_follow_one_another(self):
        rows = self.run_.rows('frames.csv')
        self.assertEqual(len(rows), FRAMES + IMAGES)
        for before, row in zip(rows, rows[1:]):
            self.assertEqual(before['end_ns'], row['start_ns'])
        self.assertEqual(sum(int(row['wall_ns']) for row in rows),
                         int(rows[-1]['end_ns']) - int(rows[0]['start_ns']))
        self.assertEqual([row['frame'] for row in rows if 'partial' in row['flags']],
                         [str(FRAMES + IMAGES - 1)])

    def test_covered_is_within_wall(self):
        for row in self.run_.rows('frames.csv'):
            self.assertLessEqual(int(row['main_covered_ns']), int(row['covered_ns']))
            self.assertLessEqual(int(row['covered_ns']), int(row['wall_ns']))

    def test_summary_and_rows_agree(self):
        rows = self.run_.rows('frames.csv')
        live = [row for row in rows if row['phase'] == 'live' and 'partial' not in row['flags']]
        walls = [int(row['wall_ns']) for row in live]
        frames = self.run_.summary['frames']
        self.assertEqual((frames['n'], frames['total'], frames['min'], frames['max']),
                         (len(walls), sum(walls), min(walls), max(walls)))
        self.assertEqual(frames['p50'], sorted(walls)[(len(walls) + 1) // 2 - 1])
        self.assertIsNone(frames['p99'])  # fewer than ten frames lie beyond it
        self.assertEqual(frames['unclassified_ns'],
                         sum(int(row['wall_ns']) - int(row['covered_ns']) for row in live))
        for span in self.run_.summary['spans']:
            self.assertEqual(span['in_live_rows'],
                             sum(number(row[span['name'] + '_ns']) or 0 for row in live))

    def test_report_and_summary_agree(self):
        frames = self.run_.summary['frames']
        self.assertIn(f"  {frames['n']} frames in {frames['total'] / 1e9:.3f}s", self.run_.text)
        mean = frames['unclassified_ns'] / frames['rows_live'] / 1e6
        self.assertIn(f'  unclassified {mean:.2f} ms a frame', self.run_.text)

    def test_what_threads_do(self):
        rows = self.run_.rows('frames.csv')
        task = next(s for s in self.run_.summary['spans'] if s['name'] == 'task')
        self.assertEqual(task['migrated'], FRAMES // 10)
        self.assertGreater(self.run_.summary['frames']['overlap_ns'], 0)
        self.assertTrue(any(int(row['carried_spans']) for row in rows))
        # The GPU's answers come, each once, and none in the first frames.
        delivered = [i for i, row in enumerate(rows) if row['delivered_gpu_colour_ns']]
        self.assertGreater(min(delivered), IMAGES)
        self.assertEqual({rows[i]['delivered_gpu_colour_ns'] for i in delivered}, {'400000'})
        self.assertEqual([row['draws'] for row in rows[:IMAGES]], [''] * IMAGES)

    def test_jobs(self):
        jobs = self.run_.rows('load_jobs.csv')
        self.assertEqual([job['name_id'] for job in jobs], [str(i + 1) for i in range(IMAGES)])
        self.assertTrue(any(job['budget_waited'] == '1' for job in jobs))
        stamps = ['discovered_ms', 'plan_ready_ms', 'enqueued_ms', 'started_ms',
                  'decode_started_ms', 'finished_ms', 'joined_ms']
        for job in jobs:
            times = [float(job[stamp]) for stamp in stamps]
            self.assertEqual(times, sorted(times))
            self.assertEqual(int(job['prepared_bytes']) + int(job['reused_bytes']),
                             int(job['retained_bytes']) + int(job['discarded_bytes']))
            self.assertEqual(job['cache_result'], '')

    def test_absent_facts_are_null(self):
        self.assertIsNone(self.run_.manifest['adapter'])
        self.assertEqual(self.run_.manifest['workload'], 'synthetic')
        self.assertEqual(self.run_.manifest['run'], self.run_.folder.name)
        self.assertEqual(self.run_.manifest['env']['EMLAT_BENCH'], '1')

    def test_each_report_stands_alone(self):
        for part, word in ((1, 'load'), (2, 'frames'), (3, 'counters')):
            others = [name for name in ('load', 'frames', 'counters') if name != word]
            run = Run(self.folder, *others)
            self.assertEqual(run.code, 0)
            for each in (1, 2, 3):
                self.assertEqual('MISS' not in run.section(each), each == part, run.section(each))

    def test_no_table(self):
        run = Run(self.folder, EMLAT_BENCH_FRAMES='0')
        self.assertFalse((run.folder / 'frames.csv').exists())
        self.assertNotIn('MISS', run.section(2))
        run = Run(self.folder, EMLAT_BENCH_FRAMES='some')
        self.assertIn('EMLAT_BENCH_FRAMES=some is no number', run.complaint)
        self.assertEqual(len(run.rows('frames.csv')), FRAMES + IMAGES)

    def test_reports_never_replace_one_another(self):
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(3):
                Run(folder)
            self.assertEqual(len(list((pathlib.Path(folder) / 'emlat-artifacts/bench').iterdir())),
                             3)

    def test_the_run_stops_when_told(self):
        run = Run(self.folder, EMLAT_BENCH_STOP_FRAMES='50')
        self.assertEqual(len(run.rows('frames.csv')), 51)

    def test_the_command_stamp(self):
        run = Run(self.folder, EMLAT_BENCH_STARTED_NS='99999999999999999999')
        self.assertRegex(run.text, r'playable [0-9.]+s after process start')
        self.assertIsNone(run.manifest['run_started_ns'])

    def test_a_program_that_is_no_host(self):
        done = subprocess.run([EMLAT, 'bench', '--', 'true'], cwd=self.folder, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn('trace.emlat', done.stderr)

    def test_another_loop(self):
        run = Run(self.folder, program=LOOP)
        self.assertIn('\n41538 primes', '\n' + run.text)  # below 500,000
        self.assertIn('MISS', run.section(1))
        self.assertNotIn('MISS', run.section(2))
        counter = run.summary['counters'][0]
        self.assertEqual(counter['live']['total'], 41538)
        self.assertEqual(sum(int(row['primes']) for row in run.rows('frames.csv')), 41538)

    def test_off(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([ENGINE], cwd=folder, check=True, env={**os.environ, 'EMLAT_BENCH': '0'})
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])


if __name__ == '__main__':
    tap.main()

# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""The primitives and the command-line option, as a user would get them wrong.

The ERT tests of primitives.el run in an interactive Emacs under a replay; what needs another kind of
start is here."""
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / 'tests'))
import tap  # noqa: E402

EMLAT = os.environ['EMLAT_PROGRAM']
EMACS = os.environ['EMLAT_EMACS']
STOCK = os.environ['EMLAT_EMACS_STOCK']
WAIT = ('{"version": 2, "width": 80, "height": 24}\n[0, "m", "wait:exit"]\n')


def batch(*arguments):
    return subprocess.run([EMACS, '--batch', '-Q', *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False)


def interactive(folder, *arguments, limit=None, **environment):
    cast = os.path.join(folder, 'wait.cast')
    with open(cast, 'w', encoding='utf-8') as file:
        file.write(WAIT)
    return subprocess.run([EMLAT, 'replay', '--silent', '--screen', cast, '--', EMACS, '-nw', '-Q',
                           *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, text=True, check=False, cwd=folder,
                          preexec_fn=limit, env={**os.environ, 'HOME': folder, **environment})


class Primitives(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix='emlat-primitives-')
        self.addCleanup(self.folder.cleanup)
        self.path = self.folder.name

    def test_ert(self):
        results = os.path.join(self.path, 'tap')
        ran = interactive(self.path, '-l', str(TOP / 'tests/emacs/primitives.el'),
                          EMLAT_TAP=results, EMLAT_DIR=self.path)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        with open(results, encoding='utf-8') as file:
            text = file.read()
        self.assertNotIn('not ok', text)
        self.assertGreaterEqual(text.count('ok '), 10)
        for name in os.listdir(self.path):
            if name.endswith('.emlat'):
                verified = subprocess.run([EMLAT, 'verify', os.path.join(self.path, name)],
                                          stdout=subprocess.PIPE, text=True, check=False)
                self.assertEqual(verified.returncode, 0, name + verified.stdout)

    def test_disk_fills_up(self):
        results = os.path.join(self.path, 'tap')

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (32768, 32768))

        ran = interactive(self.path, '-l', str(TOP / 'tests/emacs/primitives.el'), limit=limit,
                          EMLAT_TAP=results, EMLAT_DIR=self.path, EMLAT_SMALL_DISK='1')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        with open(results, encoding='utf-8') as file:
            text = file.read()
        self.assertRegex(text, r'(?m)^ok \d+ - primitives-disk-fills-up')
        self.assertNotIn('not ok', text)
        full = os.path.join(self.path, 'full.emlat')
        verified = subprocess.run([EMLAT, 'verify', full], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(verified.returncode, 4, verified.stdout)  # sound, with a loss that it names
        self.assertIn('LOSS file write error', verified.stdout)

    def test_batch_refuses(self):
        ran = batch('--eval', '(latency-start "/nonexistent/x")')
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn('interactive sessions only', ran.stderr)

    def test_batch_knows_whether_it_could(self):
        ran = batch('--eval', '(princ (list (latency-available-p) (latency-status)))')
        self.assertEqual(ran.stdout, '(t nil)')

    def test_option_in_batch_is_harmless(self):
        file = os.path.join(self.path, 'x.emlat')
        ran = batch(f'--latency-profile={file}', '--eval', '(princ 1)')
        self.assertEqual((ran.returncode, ran.stdout, os.path.exists(file)), (0, '1', False))

    def test_option_with_existing_file(self):
        file = os.path.join(self.path, 'x.emlat')
        with open(file, 'w', encoding='utf-8') as out:
            out.write('precious')
        ran = interactive(self.path, f'--latency-profile={file}', '--eval',
                          '(run-with-timer 0.1 nil (lambda () (kill-emacs (if (latency-status) 1'
                          ' 0))))')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        with open(file, encoding='utf-8') as back:
            self.assertEqual(back.read(), 'precious')

    def test_option_with_a_missing_folder(self):
        ran = interactive(self.path, '--latency-profile=no/such/folder/x.emlat', '--eval',
                          '(run-with-timer 0.1 nil (lambda () (kill-emacs (if (latency-status) 1'
                          ' 0))))')
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_option_without_a_file(self):
        ran = interactive(self.path, '--latency-profile', '--eval',
                          '(run-with-timer 0.1 nil (lambda () (kill-emacs (if (latency-status) 0'
                          ' 1))))')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(len([n for n in os.listdir(self.path) if n.startswith('emacs-')]), 1)

    def test_stock_does_not_know_it(self):
        ran = subprocess.run([STOCK, '--batch', '-Q', '--eval', '(princ (fboundp (quote'
                              ' latency-start)))'], stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(ran.stdout, 'nil')


if __name__ == '__main__':
    tap.main()

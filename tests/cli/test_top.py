# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""emlat top on a pseudoterminal: it follows a file as it grows, obeys its keys, says how old its
data is, and leaves the terminal as it found it on every way out."""
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TOP)
import tap  # noqa: E402

EMLAT, MAKE_SESSION = os.environ['EMLAT'], os.environ['EMLAT_MAKE_SESSION']
ENTER, LEAVE = '\033[?1049h\033[?25l', '\033[?25h\033[?1049l'


def chunk_ends(data):
    """Where each whole chunk ends."""
    at, ends = 64, []
    while at < len(data):
        at += (int.from_bytes(data[at + 12:at + 16], 'little') +
               (int.from_bytes(data[at + 16:at + 20], 'little') + 7) // 8 * 8)
        ends.append(at)
    return ends


class Screen:
    """A running emlat top, and what is on its screen."""

    def __init__(self, *arguments):
        self.master, self.slave = pty.openpty()
        termios.tcsetwinsize(self.slave, (30, 100))
        self.before = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen(
            [EMLAT, 'top', *arguments], stdin=self.slave, stdout=self.slave,
            stderr=subprocess.PIPE, start_new_session=True,
            env={**os.environ, 'TERM': 'xterm', 'LC_ALL': 'C.UTF-8', 'COLUMNS': ''})
        self.shown = ''

    def read(self, seconds=0.0):
        while select.select([self.master], [], [], seconds)[0]:
            self.shown += os.read(self.master, 65536).decode('utf-8', 'replace')

    def lines(self):
        """The last whole screen."""
        frames = self.shown.split('\033[H')[1:]
        whole = [frame for frame in frames if '\033[J' in frame]
        return re.sub(r'\033\[[\d;?]*[A-Za-z]', '', whole[-1]).splitlines() if whole else []

    def wait(self, pattern, seconds=20):
        """Until a screen has a line with PATTERN; that line."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.05)
            for line in self.lines():
                if re.search(pattern, line):
                    return line
        raise AssertionError(f'{pattern} never came:\n' + '\n'.join(self.lines()))

    def press(self, key):
        os.write(self.master, key.encode())

    def end(self):
        """Exit code and stderr; the terminal must be as it was."""
        _, said = self.process.communicate(timeout=20)
        self.read()
        after = termios.tcgetattr(self.slave)
        os.close(self.master)
        os.close(self.slave)
        return self.process.returncode, said.decode(), after == self.before


class Top(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, 'grows.emlat')
        whole = os.path.join(folder.name, 'whole.emlat')
        subprocess.run([MAKE_SESSION, whole], check=True)
        with open(whole, 'rb') as file:
            self.data = file.read()
        self.ends = chunk_ends(self.data)
        self.assertEqual(self.ends[-1], len(self.data))
        with open(self.path, 'wb') as file:
            file.write(self.data[:self.ends[len(self.ends) // 2]])

    def append(self, upto):
        size = os.path.getsize(self.path)
        with open(self.path, 'ab') as file:
            file.write(self.data[size:upto])

    def start(self, *arguments):
        screen = Screen(*arguments, self.path)

        def clean():
            if screen.process.poll() is None:
                screen.process.kill()
                screen.process.communicate()
        self.addCleanup(clean)
        return screen

    def flushed(self, upto):
        """How many flushed commands are in the file's first bytes."""
        out = subprocess.run([EMLAT, 'report', '--json', '-'], input=self.data[:upto],
                             capture_output=True, check=False).stdout
        return json.loads(out)['all_commands']['flushed']['count']

    def check_left(self, screen, code=0):
        returned, said, restored = screen.end()
        self.assertEqual(returned, code, said)
        self.assertTrue(restored)
        self.assertEqual(screen.shown.count(ENTER), screen.shown.count(LEAVE))
        self.assertTrue(screen.shown.endswith(LEAVE))
        return said

    def test_it_follows(self):
        half = self.ends[len(self.ends) // 2]
        more = self.ends[3 * len(self.ends) // 4]
        self.assertLess(self.flushed(half), self.flushed(more))
        screen = self.start('--window', '86400')
        screen.wait(rf'^FLUSHED +n {self.flushed(half)} ')
        self.append(more + 30)              # and the begin of a chunk, which is no damage
        screen.wait(rf'^FLUSHED +n {self.flushed(more)} ')
        screen.wait(r'\(live\)  data 0\.\d s old')
        self.append(len(self.data))
        screen.wait(rf'^FLUSHED +n {self.flushed(len(self.data))} ')
        screen.wait(r'\(ENDED\)')
        screen.press('q')
        self.assertEqual(self.check_left(screen), '')

    def test_keys(self):
        screen = self.start('--window', '86400')

        def latencies():
            screen.wait(' kind +population')
            return [int(line.split()[0]) for line in screen.lines()[8:] if line]
        screen.wait('sorted by latency')
        slowest = latencies()
        screen.press('s')
        screen.wait('sorted by time')
        newest = latencies()
        self.assertNotEqual(slowest, newest)
        out = subprocess.run([EMLAT, 'dump', '--json', self.path], capture_output=True, check=True)
        ended = [each['cause_id'] for each in map(json.loads, out.stdout.splitlines())
                 if each.get('record') == 'interaction']
        self.assertEqual(newest, ended[::-1][:len(newest)])
        screen.press('?')
        screen.wait('^q  quit')
        screen.press('?')
        screen.wait(' kind +population')
        screen.press('p')
        line = screen.wait(r'\(PAUSED\)')
        self.append(len(self.data))
        time.sleep(1)
        screen.read()
        self.assertEqual(screen.lines()[0], line)
        screen.press('p')
        screen.wait(r'\(ENDED\)')
        screen.press('q')
        self.check_left(screen)

    def test_lines_fit(self):
        screen = self.start('--window', '86400')
        screen.wait(' kind +population')
        self.assertLessEqual(len(screen.lines()), 29)
        self.assertLessEqual(max(map(len, screen.lines())), 100)
        termios.tcsetwinsize(screen.slave, (10, 40))
        end = time.monotonic() + 20
        while max(map(len, screen.lines())) > 40 or len(screen.lines()) > 9:
            self.assertLess(time.monotonic(), end)
            screen.read(0.1)
        screen.press('q')
        self.check_left(screen)

    def test_the_window_moves_on(self):
        """Without a new byte, the last second's work is over after a while."""
        screen = self.start('--window', '1')
        screen.wait(r'^FLUSHED +n 0 ')
        screen.wait(r'data [1-9][\d.]* s old')
        screen.press('q')
        self.check_left(screen)

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            screen = self.start()
            screen.wait('live')
            screen.process.send_signal(number)
            self.check_left(screen)

    def test_stopping_and_going_on(self):
        screen = self.start()
        screen.wait('live')
        screen.process.send_signal(signal.SIGTSTP)
        # A process group without a controlling shell is not stopped by SIGTSTP; the screen is left
        # and taken again all the same.
        end = time.monotonic() + 20
        while screen.shown.count(LEAVE) < 1:
            self.assertLess(time.monotonic(), end)
            screen.read(0.1)
        screen.process.send_signal(signal.SIGCONT)
        while screen.shown.count(ENTER) < 2:
            self.assertLess(time.monotonic(), end)
            screen.read(0.1)
        screen.press('q')
        self.check_left(screen)

    def test_damage(self):
        screen = self.start()
        screen.wait('live')
        with open(self.path, 'ab') as file:
            file.write(b'\xff' * 64)
        said = self.check_left(screen, 3)
        self.assertIn('chunk begins with ff', said)

    def test_once(self):
        def once(*arguments):
            return subprocess.run([EMLAT, 'top', '--once', *arguments], capture_output=True,
                                  text=True, check=False)
        os.utime(self.path, (time.time() - 100, time.time() - 100))
        done = once('--window', '86400', self.path)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertNotIn('\033', done.stdout)
        self.assertRegex(done.stdout, r'\(live\)  data 10\d\.\d s old')
        self.assertIn(f'n {self.flushed(self.ends[len(self.ends) // 2])} ', done.stdout)
        self.assertTrue(once('--ascii', '--window', '86400', self.path).stdout.isascii())

    def test_wrong_use(self):
        for arguments, words in ((['-'], 'not a pipe'), ([self.path], 'wants a terminal'),
                                 (['--window', '0', self.path], '1 to 86400')):
            done = subprocess.run([EMLAT, 'top', *arguments], capture_output=True, text=True,
                                  check=False, stdin=subprocess.DEVNULL)
            self.assertEqual((done.returncode, done.stdout), (2, ''))
            self.assertIn(words, done.stderr)


if __name__ == '__main__':
    tap.main()

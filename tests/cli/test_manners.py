# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""How the program behaves at the command line: help, manual and completions say the same as the
parser does; complaints name what was probably meant; colours and progress are for terminals."""
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TOP)
import tap  # noqa: E402

EMLAT, MAKE_CORPUS = os.environ['EMLAT'], os.environ['EMLAT_MAKE_CORPUS']
MAKE_SESSION = os.environ['EMLAT_MAKE_SESSION']


def emlat(*arguments, env=None, **more):
    return subprocess.run([EMLAT, *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, **(env or {})}, **more)


def verbs():
    return re.findall(r'^  ([a-z]+) ', emlat().stdout.split('examples')[0],
                      re.MULTILINE)


def options(verb):
    """The long options that --help lists."""
    return re.findall(r'^  (?:-\w,|   ) (--[a-z-]+)', emlat(verb, '--help').stdout, re.MULTILINE)


def on_terminal(*arguments, env=None, feed=None):
    """Run emlat with stdout and stderr on a terminal; all that it showed."""
    master, slave = pty.openpty()
    clean = {key: value for key, value in os.environ.items() if key not in ('NO_COLOR', 'TERM')}
    with subprocess.Popen([EMLAT, *arguments], stdout=slave, stderr=slave, stdin=subprocess.PIPE,
                          env={**clean, 'TERM': 'xterm', **(env or {})}) as process:
        os.close(slave)
        for piece, pause in feed or []:
            process.stdin.write(piece)
            process.stdin.flush()
            time.sleep(pause)
        process.stdin.close()
        shown = b''
        try:
            while piece := os.read(master, 4096):
                shown += piece
        except OSError:     # the terminal's other end is closed
            pass
    os.close(master)
    return shown.decode('utf-8')


class Table(unittest.TestCase):
    """One table: whatever --help lists is accepted, in the manual and in each completion."""

    def forms(self):
        return {form: emlat('help', '--' + form).stdout for form in ('mdoc', 'bash', 'zsh', 'fish')}

    def test_every_option_is_everywhere(self):
        forms = self.forms()
        for verb in verbs():
            self.assertIn('--help', options(verb))
            manual = forms['mdoc'].split(f'.Ss emlat {verb}\n')[1].split('\n.Ss ')[0]
            bash = re.search(rf"^\s+{verb}\) words='([^']*)'", forms['bash'], re.MULTILINE).group(1)
            zsh = forms['zsh'].split(f'    {verb}) _arguments')[1].split(';;')[0]
            fish = re.findall(rf'from {verb}. -l ([a-z-]+)', forms['fish'])
            listed = options(verb)
            self.assertEqual(['--' + name for name in fish], listed)
            self.assertEqual(re.findall(r'--[a-z-]+', bash), listed)
            self.assertEqual(re.findall(r"'(--[a-z-]+)", zsh), listed)
            self.assertEqual(['--' + name for name in re.findall(r'Fl Fl ([a-z-]+)', manual)],
                             listed)

    def test_help_verb_is_verb_help(self):
        for verb in verbs():
            self.assertEqual(emlat('help', verb).stdout, emlat(verb, '--help').stdout)
            self.assertIn(f'usage: emlat {verb} ', emlat('help', verb).stdout)

    def test_the_manual_is_clean(self):
        if not shutil.which('mandoc'):
            self.skipTest('mandoc')
        done = subprocess.run(['mandoc', '-T', 'lint', '-W', 'style'], capture_output=True,
                              text=True, input=self.forms()['mdoc'], check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ''))

    def test_bash_completes(self):
        def complete(*words):
            code = self.forms()['bash'] + (
                'COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); compopt() { :; }; _emlat;'
                'printf "%s\\n" "${COMPREPLY[@]}"')
            return subprocess.run(['bash', '-c', code, 'bash', *words], capture_output=True,
                                  text=True, check=True).stdout.split()
        self.assertEqual(complete('emlat', 'ver'), ['verify'])
        self.assertEqual(complete('emlat', 'dump', '--js'), ['--json'])
        self.assertEqual(complete('emlat', 'verify', '--color', '=', 'a'), ['auto', 'always'])
        self.assertEqual(complete('emlat', 'verify', '--color', 'n'), ['never'])
        self.assertEqual(complete('emlat', 'help', 'inf'), ['info'])
        self.assertIn(MAKE_CORPUS, complete('emlat', 'dump', MAKE_CORPUS[:-2]))

    def test_zsh_reads_it(self):
        self.syntax('zsh')

    def test_fish_reads_it(self):
        self.syntax('fish')

    def syntax(self, shell):
        if not shutil.which(shell):
            self.skipTest(shell)
        with tempfile.NamedTemporaryFile('w') as file:
            file.write(self.forms()[shell])
            file.flush()
            done = subprocess.run([shell, '-n', file.name], capture_output=True, text=True,
                                  check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ''))

    def test_fish_completes(self):
        if not shutil.which('fish'):
            self.skipTest('fish')
        with tempfile.TemporaryDirectory() as home:
            def complete(line):
                code = self.forms()['fish'] + f'complete -C "{line}"\n'
                return [each.split('\t')[0] for each in subprocess.run(
                    ['fish', '--no-config', '-c', code], capture_output=True, text=True, check=True,
                    env={**os.environ, 'HOME': home}).stdout.splitlines()]
            self.assertEqual(complete('emlat wat'), ['waterfall'])
            self.assertEqual(complete('emlat verify --color='),
                             ['--color=' + word for word in ('always', 'auto', 'never')])


class Complaints(unittest.TestCase):
    def complaint(self, *arguments):
        done = emlat(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ''))
        return done.stderr

    def test_the_nearest_verb(self):
        for wrong, meant in (('dmp', 'dump'), ('repotr', 'report'), ('wat', 'waterfall'),
                             ('verrify', 'verify')):
            self.assertIn(f"did you mean '{meant}'?", self.complaint(wrong, 'x'))
        self.assertNotIn('did you mean', self.complaint('zzz', 'x'))
        self.assertIn("unknown verb 'zzz'", self.complaint('zzz'))
        self.assertIn("did you mean 'info'", self.complaint('help', 'inof'))

    def test_the_nearest_option(self):
        self.assertIn("did you mean '--json'?", self.complaint('dump', '--jsn', 'x'))
        self.assertIn("did you mean '--color'?", self.complaint('verify', '--colour=never', 'x'))
        self.assertIn("did you mean '--witness'?", self.complaint('replay', '--wit=a', 'x'))
        self.assertNotIn('did you mean', self.complaint('dump', '--quux', 'x'))

    def test_a_choice_is_one_of_its_words(self):
        for value in ('sometimes', '', 'auto|always', 'al'):
            self.assertIn(f"--color wants one of auto|always|never, not '{value}'",
                          self.complaint('verify', '--color', value, 'x'))


class Terminal(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        subprocess.run([MAKE_CORPUS, self.folder.name], check=True, capture_output=True)
        self.file = os.path.join(self.folder.name, 'session.emlat')

    def test_colours(self):
        def colored(*arguments, **env):
            return '\033[' in on_terminal('verify', *arguments, self.file, env=env)
        self.assertTrue(colored())
        self.assertTrue(colored(NO_COLOR=''))
        self.assertFalse(colored(NO_COLOR='1'))
        self.assertFalse(colored(TERM='dumb'))
        self.assertFalse(colored('--color=never'))
        self.assertTrue(colored('--color=always', NO_COLOR='1'))
        self.assertNotIn('\033', emlat('verify', self.file).stdout)
        self.assertIn('\033[32mok\033[0m', emlat('verify', '--color', 'always', self.file).stdout)

    def test_progress_of_a_slow_scan(self):
        with open(self.file, 'rb') as file:
            data = file.read()
        half = len(data) // 2
        slow = on_terminal('verify', '-', feed=[(data[:half], 0.8), (data[half:], 0)])
        self.assertRegex(slow, r'\rscan [\d.]+ (KiB|bytes)  [\d.]+ (KiB|bytes)/s\033\[K')
        self.assertNotIn('ETA', slow)               # a pipe has no end to wait for
        self.assertLess(slow.rindex('scan '), slow.rindex('\r\033[K'))      # wiped
        self.assertNotIn('scan ', on_terminal('verify', '-', feed=[(data, 0)]))

    def test_progress_of_a_file(self):
        """A file's size is known: its share is said, and how long it will take."""
        large = os.path.join(self.folder.name, 'large.emlat')
        subprocess.run([MAKE_SESSION, large, '30000'], check=True)
        master, slave = pty.openpty()
        with open(os.devnull, 'wb') as nothing, subprocess.Popen(
                [EMLAT, 'dump', '--json', large], stdout=nothing, stderr=slave) as process:
            os.close(slave)
            time.sleep(0.1)
            process.send_signal(signal.SIGSTOP)     # as if the disk were slow
            time.sleep(0.7)
            process.send_signal(signal.SIGCONT)
            shown = b''
            try:
                while piece := os.read(master, 4096):
                    shown += piece
            except OSError:
                pass
        os.close(master)
        self.assertRegex(shown, rb'\rscan \d+ %  [\d.]+ MiB  [\d.]+ [KM]iB/s  ETA \d+ s\033\[K')
        self.assertTrue(shown.endswith(b'\r\033[K'))

    def test_no_progress_into_a_file(self):
        with open(self.file, 'rb') as file:
            data = file.read()
        with subprocess.Popen([EMLAT, 'verify', '-'], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdin.write(data[:len(data) // 2])
            process.stdin.flush()
            time.sleep(0.8)
            _, said = process.communicate(data[len(data) // 2:])
        self.assertEqual(said, b'')


if __name__ == '__main__':
    tap.main()

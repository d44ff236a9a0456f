#!/usr/bin/python3
"""Run meson test suites in one or more build directories and count every test case.

A program that prints TAP counts case by case, any other counts as one.  The last line is
`N passed, N failed' over all of them, and the exit status says whether any failed.  It builds
what it tests, in the given directories; it decides nothing about which tests there are.

    tools/check.py [DIR [OPTION...]] [-- DIR [OPTION...]] ...

Each group is a build directory and options: those before `:' go to `meson setup', those after
it to `meson test'.  Variables NAME=VALUE before DIR are set for both.
"""
import json
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TAP_CASE = re.compile(r'^(not )?ok\b(.*)$', re.MULTILINE)
TAP_NOT_RUN = re.compile(r'#\s*(skip|todo)', re.IGNORECASE)
GOOD = ('OK', 'EXPECTEDFAIL')


class Group:
    """One build directory: how it is set up and which of its tests run."""

    def __init__(self, words):
        self.env = dict(os.environ)
        while words and re.match(r'[A-Z_]+=', words[0]):
            name, value = words.pop(0).split('=', 1)
            self.env[name] = value
        self.dir = words.pop(0)
        split = words.index(':') if ':' in words else len(words)
        self.setup_options, self.test_options = words[:split], words[split + 1:]

    def run(self, *command):
        print('+', ' '.join(command), flush=True)
        return subprocess.run(command, cwd=ROOT, env=self.env, stdin=subprocess.DEVNULL).returncode

    def build(self):
        if not os.path.exists(os.path.join(ROOT, self.dir, 'build.ninja')):
            if self.run('meson', 'setup', *self.setup_options, self.dir) != 0:
                return False
        return self.run('ninja', '-C', self.dir) == 0

    def test(self):
        """Run the tests; the log has one JSON object a test."""
        log = os.path.join(ROOT, self.dir, 'meson-logs', 'testlog.json')
        if os.path.exists(log):
            os.remove(log)
        status = self.run('meson', 'test', '-C', self.dir, '--no-rebuild', '--print-errorlogs',
                          *self.test_options)
        if not os.path.exists(log):
            return [], status
        with open(log, encoding='utf-8', errors='replace') as lines:
            return [json.loads(line) for line in lines if line.strip()], status


def count(test):
    """Passed, failed and skipped cases of one test of the log."""
    passed = failed = skipped = 0
    for bad, rest in TAP_CASE.findall(test.get('stdout') or ''):
        if TAP_NOT_RUN.search(rest):
            skipped += 1
        elif bad:
            failed += 1
        else:
            passed += 1
    result = test['result']
    if passed + failed + skipped == 0:
        return int(result in GOOD), int(result not in GOOD + ('SKIP',)), int(result == 'SKIP')
    if result not in GOOD + ('SKIP',) and failed == 0:
        failed = 1  # it died, or ran too few, after cases that passed
    return passed, failed, skipped


def main():
    groups, words = [], []
    for word in sys.argv[1:] + ['--']:
        if word != '--':
            words.append(word)
        elif words:
            groups.append(Group(words))
            words = []
    total = [0, 0, 0]
    failures = []
    for group in groups:
        begin = time.monotonic()
        if not group.build():
            total[1] += 1
            failures.append(f'{group.dir}: does not build')
            continue
        tests, status = group.test()
        sums = [0, 0, 0]
        for test in tests:
            counts = count(test)
            sums = [a + b for a, b in zip(sums, counts)]
            if counts[1]:
                failures.append(f'{group.dir}: {test["name"]} ({counts[1]} failed)')
        if status != 0 and sums[1] == 0 and tests:
            sums[1] = 1
            failures.append(f'{group.dir}: meson test exited with {status}')
        print(f'{group.dir}: {len(tests)} test programs, {sums[0]} passed, {sums[1]} failed, '
              f'{sums[2]} skipped, {time.monotonic() - begin:.0f} s', flush=True)
        total = [a + b for a, b in zip(total, sums)]
    for failure in failures:
        print('FAILED', failure)
    print(f'{total[0]} passed, {total[1]} failed')
    return 1 if total[1] else 0


if __name__ == '__main__':
    os.environ['PATH'] = '/usr/bin:/bin:' + os.environ.get('PATH', '')
    sys.exit(main())

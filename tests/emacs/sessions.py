# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""A recorded Emacs in a pseudoterminal, and the table of recipes that drive one.

    @recipe()
    def a_key(new):
        emacs = new()
        ...

    if __name__ == '__main__':
        sessions.main()

A recipe does something to an Emacs and checks what was recorded of it: counts, causes, statuses and
order, never how long anything took.  One that waits for something that Emacs does not record yet
says so in the table; then it may fail, and must no longer wait once it passes."""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

import pty_driver
from recording import Recording, check

EMACS = os.environ['EMLAT_EMACS']
HERE = pathlib.Path(__file__).resolve().parent
END = b'\x1d'       # C-]: see recipes.el


def now():
    """The clock of a recording."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


def command(key, body):
    """Lisp that makes KEY run BODY as a command."""
    return f'(keymap-global-set "{key}" (lambda () (interactive) {body}))'


class Meeting:
    """The folder where a recipe and its Lisp meet."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='emlat-recipe-'))

    def environment(self, term, **more):
        keep = {name: os.environ[name] for name in ('PATH', 'TMPDIR') if name in os.environ}
        return {**keep, 'HOME': str(self.folder), 'EMLAT_DIR': str(self.folder), 'TERM': term,
                'LC_ALL': 'C.UTF-8', **more}

    def path(self, name):
        return self.folder / name

    def say(self, name):
        """Leave the mark that Lisp waits for."""
        self.path(name).touch()

    def wait_mark(self, name):
        """Wait for a mark of Lisp, and take it away."""
        pty_driver.wait_until(self.path(name).exists, f'no mark {name}')
        self.path(name).unlink()

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Emacs(Meeting):
    """`emacs -nw -Q' that records from its start.  LISP runs before the first command."""

    def __init__(self, lisp='', term='screen-256color', rows=24, columns=80, arguments=(),
                 environment=None):
        super().__init__()
        self.terminal = pty_driver.Terminal(rows, columns)
        self.file = self.path('recording.emlat')
        command = [EMACS, '-nw', '-Q', f'--latency-profile={self.file}', '-l',
                   str(HERE / 'recipes.el'), *arguments]
        self.program = pty_driver.Program(
            self.terminal, command,
            self.environment(term, EMLAT_LISP=lisp, **(environment or {})), self.folder)
        self.wait_mark('begun')
        self.wait_idle()
        self.t_begun = now()

    def wait_idle(self):
        self.program.wait_idle()

    def send(self, *sends):
        """Write each of SENDS, once the one before it was dealt with."""
        for data in sends:
            self.program.send(data)
            self.wait_idle()

    def run(self, key):
        """Write KEY, whose command leaves the mark `here', and return once it has."""
        self.terminal.send(key)
        self.wait_mark('here')

    def be_busy(self):
        """Run the busy command of C-t.  Return once it runs."""
        self.run(b'\x14')

    def send_busy(self, data):
        """Write DATA to an Emacs that is busy, and wait until it has read that.

        It has put it into its queue, too, before it sees what is said to it next."""
        self.program.send(data)

    def stop_busy(self):
        self.say('go')
        self.wait_idle()
        self.path('go').unlink()

    def finish(self, open_kinds=('command',)):
        """End Emacs with a key, check what must hold of its recording, and return that."""
        self.wait_idle()
        self.terminal.send(END)
        status = self.program.wait_exit()
        check(status == 0, f'Emacs ended with {status}')
        recording = Recording(str(self.file))
        recording.check_whole(open_kinds)
        with open(self.path('lisp'), encoding='ascii') as file:
            counted = json.load(file)['commands']
        recorded = len([one for one in recording.interactions
                        if one['root_kind'] in recording.command_kinds])
        check(counted == recorded, f'Lisp counted {counted} commands, {recorded} were recorded')
        return recording

    def remove(self):
        self.program.end()
        super().remove()


# The table of recipes.

TABLE = []


def recipe(waits=None):
    """Enter a function in the table.  WAITS says what it waits for, if for anything."""
    def enter(function):
        TABLE.append((function, waits))
        return function
    return enter


def _run(function):
    """Run a recipe with a maker of things that it need not remove.  Return what went wrong."""
    made = []

    def new(*arguments, make=Emacs, **options):
        made.append(make(*arguments, **options))
        return made[-1]

    try:
        function(new)
    except Exception:  # pylint: disable=broad-except
        return traceback.format_exc()
    finally:
        for one in reversed(made):
            keep = os.environ.get('EMLAT_KEEP')
            if keep and hasattr(one, 'file') and os.path.exists(one.file):
                shutil.copy(one.file, os.path.join(keep, f'{function.__name__}.emlat'))
            one.remove()
    return None


def main():
    """Run the recipes that the command line names, or all, and print TAP.

    With EMLAT_KEEP=FOLDER in the environment, their recordings are left there."""
    chosen = [row for row in TABLE if not sys.argv[1:] or row[0].__name__ in sys.argv[1:]]
    failed = False
    for number, (function, waits) in enumerate(chosen, 1):
        wrong = _run(function)
        todo = f' # TODO waits for {waits}' if waits else ''
        print(f"{'not ok' if wrong else 'ok'} {number} - {function.__name__}{todo}", flush=True)
        for line in (wrong or '').splitlines():
            print(f'# {line}', flush=True)
        failed |= bool(wrong) != bool(waits)
    print(f'1..{len(chosen)}')
    sys.exit(failed)

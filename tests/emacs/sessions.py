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
import shlex
import shutil
import sys
import tempfile
import traceback

import pty_driver
from pty_driver import now
from recording import Recording, check

EMACS = os.environ['EMLAT_EMACS']
RECIPES = pathlib.Path(__file__).resolve().with_name('recipes.el')
END = b'\x1d'       # C-]: see recipes.el


def command(key, body):
    """Lisp that makes KEY run BODY as a command."""
    return f'(keymap-global-set "{key}" (lambda () (interactive) {body}))'


class Meeting:
    """The folder where a recipe and its Lisp meet."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='emlat-recipe-'))

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


class Recorded(Meeting):
    """An Emacs that records.  LISP runs before the first command."""

    def __init__(self, lisp, term):
        super().__init__()
        self.file = self.path('recording.emlat')
        keep = {name: os.environ[name] for name in ('PATH', 'TMPDIR') if name in os.environ}
        self.environment = {**keep, 'HOME': str(self.folder), 'TERM': term, 'LC_ALL': 'C.UTF-8',
                            'XDG_RUNTIME_DIR': str(self.folder), 'EMLAT_DIR': str(self.folder),
                            'EMLAT_LISP': lisp}
        self.program = self.t_begun = None

    def wait_begun(self):
        """Wait for Lisp to have begun, and return the process number that it gives."""
        pty_driver.wait_until(lambda: self.path('begun').exists() and
                              self.path('begun').read_text('ascii').endswith('.'), 'not begun')
        pid = int(self.path('begun').read_text('ascii')[:-1])
        self.path('begun').unlink()
        return pid

    def finish(self, program=None, files=(), open_kinds=('command', 'command_loop'), counted=True):
        """End Emacs with a key, check what must hold of its recording, and return that.

        The key is typed to PROGRAM, where that is not Emacs itself.  FILES follow the first one.
        Lisp has COUNTED the same commands, unless the recording left some out."""
        program = program or self.program
        program.wait_idle()
        program.terminal.send(END)
        status = self.wait_exit()
        check(status == 0, f'Emacs ended with {status}')
        recording = Recording(str(self.file), *[str(self.path(name)) for name in files])
        recording.check_whole(open_kinds)
        if counted:
            self.check_count(recording)
        return recording

    def wait_exit(self):
        return self.program.wait_exit()

    def check_count(self, recording):
        with open(self.path('lisp'), encoding='ascii') as file:
            counted = json.load(file)['commands']
        recorded = len([one for one in recording.interactions
                        if one['root_kind'] in recording.command_kinds])
        check(counted == recorded, f'Lisp counted {counted} commands, {recorded} were recorded')

    def remove(self):
        if self.program:
            self.program.end()
        super().remove()


class Emacs(Recorded):
    """`emacs -nw -Q' that records from its start; where it is LATE, LISP has to see to that.

    It may run in a SHELL, which takes over where it is suspended."""

    def __init__(self, lisp='', term='screen-256color', rows=24, columns=80, late=False,
                 shell=False):
        super().__init__(lisp, term)
        emacs = [EMACS, '-nw', '-Q', '-l', str(RECIPES)]
        if not late:
            emacs.append(f'--latency-profile={self.file}')
        self.shell = shell
        self.terminal = pty_driver.Terminal(rows, columns)
        self.program = pty_driver.Program(
            self.terminal, ['bash', '--norc', '--noprofile', '-i'] if shell else emacs,
            self.environment, self.folder)
        if shell:
            self.terminal.send(shlex.join(emacs).encode() + b'\n')
        self.program.pid = self.wait_begun()
        self.settled = []               # when it was seen idle
        self.wait_idle()
        self.t_begun = now()

    def finish(self, *arguments, **options):
        recording = super().finish(*arguments, **options)
        if sum(batch['bytes_read'] for batch in recording.inputs) == sum(
                count for _, count in self.terminal.sent):
            recording.check_brackets(self.terminal.sent, [*self.settled, now()])
        return recording

    def wait_exit(self):
        if self.shell:
            pty_driver.wait_until(lambda: not os.path.exists(f'/proc/{self.program.pid}'), 'no end')
            self.terminal.send(b'exit $?\n')
        return super().wait_exit()

    def wait_idle(self):
        self.program.wait_idle()
        self.settled.append(now())

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


# The table of recipes.

TABLE = []


def recipe(waits=None):
    """Enter a function in the table.  WAITS says what it waits for, if for anything."""
    def enter(function):
        TABLE.append((function, waits))
        return function
    return enter


def keep(one, name):
    """Leave a copy of a recording where EMLAT_KEEP says."""
    folder = os.environ.get('EMLAT_KEEP')
    if folder and os.path.exists(getattr(one, 'file', '')):
        shutil.copy(one.file, os.path.join(folder, f'{name}.emlat'))


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
            keep(one, function.__name__)
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

# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""Programs in pseudoterminals, driven to the byte: what `emlat replay' has no words for.

A terminal can be read, left unread, read slowly, resized and hung up.  Everything happens in the
caller's one thread: each wait reads the terminals that are to be read, and ends when what it waits
for is seen, never after a time.  A wait that sees nothing for PATIENCE seconds raises Stuck.

It knows nothing of recordings but their clock: see recording.py."""
import array
import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

PATIENCE = 60
QUIET = 0.08        # how long nothing may have happened before a program counts as idle
TURN = 0.01


def now():
    """The clock of a recording."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


class Stuck(Exception):
    """What was waited for did not come."""


class Terminal:
    """The outside of one pseudoterminal."""

    every = []      # all that are open, so that each wait reads them all

    def __init__(self, rows=24, columns=80):
        self.master, self.slave = pty.openpty()
        os.set_blocking(self.master, False)
        self.resize(rows, columns)
        self.output = bytearray()
        self.sent = []                  # (clock, bytes) of each write, just before it
        self.stalled = False            # nobody reads it
        self.pace = None                # (bytes, seconds): read so much at a time, then rest
        self.t_rested = self.t_output = time.monotonic()
        Terminal.every.append(self)

    def resize(self, rows, columns):
        """Change the size.  The foreground process group gets SIGWINCH."""
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))

    def unread(self):
        """Return how many bytes of input the program has left in the terminal."""
        count = array.array('i', [0])
        fcntl.ioctl(self.slave, termios.FIONREAD, count)
        return count[0]

    def send(self, data):
        """Write DATA as fast as the terminal takes it.  Short data is written at once."""
        while data:
            t_write, count = now(), 0
            try:
                count = os.write(self.master, data)
            except BlockingIOError:
                pass
            self.sent.append((t_write, count))
            data = data[count:]
            if data:
                Terminal.pump()

    def read(self):
        """Take what there is.  Return whether there was something."""
        if self.stalled or self.master < 0 or time.monotonic() < self.t_rested:
            return False
        try:
            data = os.read(self.master, self.pace[0] if self.pace else 65536)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            data = b''
        if not data:
            return False
        self.output += data
        self.t_output = time.monotonic()
        if self.pace:
            self.t_rested = self.t_output + self.pace[1]
        return True

    def hang_up(self):
        """Close the outside: the program's terminal is gone."""
        if self.master >= 0:
            os.close(self.master)
            os.close(self.slave)
            self.master = self.slave = -1
            Terminal.every.remove(self)

    close = hang_up

    @staticmethod
    def pump(seconds=TURN):
        """Read the terminals for one turn."""
        ready = [one for one in Terminal.every if not one.stalled
                 and time.monotonic() >= one.t_rested]
        select.select([one.master for one in ready], [], [], seconds)
        for one in ready:
            one.read()


def wait_until(condition, what, patience=PATIENCE):
    """Read the terminals until CONDITION () is true, and return its value."""
    deadline = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Stuck(what)
        Terminal.pump()


class Program:
    """A program whose controlling terminal is TERMINAL.

    Where it only passes on what another one does, that one, WATCHED, is what is waited for."""

    def __init__(self, terminal, arguments, environment, folder, watched=None):
        self.terminal = terminal

        def take_terminal():
            os.setsid()
            fcntl.ioctl(terminal.slave, termios.TIOCSCTTY, 0)
            signal.signal(signal.SIGHUP, signal.SIG_DFL)    # the tests may run under nohup

        self.process = subprocess.Popen(
            arguments, stdin=terminal.slave, stdout=terminal.slave, stderr=terminal.slave,
            cwd=folder, env=environment, preexec_fn=take_terminal)
        self.pid = watched or self.process.pid

    def _bytes_read(self):
        """How many bytes the program has read, from whatever it reads."""
        with open(f'/proc/{self.pid}/io', encoding='ascii') as file:
            return int(re.search(r'rchar: (\d+)', file.read()).group(1))

    def send(self, data):
        """Write DATA, and wait until the program has read so much.

        The kernel takes its time to hand over what was written: until then nothing is unread."""
        before = self._bytes_read()
        self.terminal.send(data)
        wait_until(lambda: self._bytes_read() - before >= len(data) and not self.terminal.unread(),
                   f'{self.pid} does not read its input')

    def signal(self, number):
        os.kill(self.pid, number)

    def _state(self, pid=None):
        """The main thread's state letter, its CPU time and its context switches."""
        pid = pid or self.pid
        folder = f'/proc/{pid}/task/{pid}/'
        with open(folder + 'stat', encoding='ascii', errors='replace') as file:
            fields = file.read().rsplit(')', 1)[1].split()
        with open(folder + 'status', encoding='ascii', errors='replace') as file:
            switches = re.findall(r'ctxt_switches:\s*(\d+)', file.read())
        return fields[0], (fields[11], fields[12], *switches)

    def stopped(self):
        """Return whether a signal has stopped it."""
        return self._state()[0] == 'T'

    def stopped_itself(self):
        """Return whether a signal has stopped the program that was started here."""
        return self._state(self.process.pid)[0] == 'T'

    def wait_idle(self, patience=PATIENCE):
        """Wait until it sleeps, has read all its input, has not run and has written nothing.

        Who sleeps on purpose in the midst of its work looks the same: wait for what that work
        leaves behind instead."""
        seen, since = None, time.monotonic()

        def idle():
            nonlocal seen, since
            letter, now = self._state()
            if letter != 'S' or now != seen or self.terminal.unread():
                seen, since = now, time.monotonic()
            return time.monotonic() - max(since, self.terminal.t_output) > QUIET

        wait_until(idle, f'{self.pid} never idle', patience)

    def wait_output(self, pattern, start=0):
        """Wait until the output from START on matches the regular expression PATTERN."""
        return wait_until(lambda: re.search(pattern, bytes(self.terminal.output[start:])),
                          f'no {pattern} in {bytes(self.terminal.output[start:])[-400:]}')

    def wait_exit(self, patience=PATIENCE):
        """Wait for its end, and return its status as subprocess does."""
        wait_until(lambda: self.process.poll() is not None, f'{self.pid} does not end', patience)
        return self.process.returncode

    def end(self):
        """See to it that nothing is left."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        self.terminal.close()

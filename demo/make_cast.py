#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""The demo's session, as an asciicast v2 for `emlat replay`: real editing work in one C file.

Every line below is something a person does.  A C-g is an event of its own, because the terminal
turns it into a signal and the byte is never read.  Nothing here is random, so two runs play the
same.  Usage: make_cast.py > work.cast"""

import json

COLS, ROWS = 100, 36
KEY_GAP = 0.028     # between keys of a fast typist's run
QUIT = '\x07'


class Script:
    """Gathers events; times are seconds since the start, as asciicast v2 wants them."""

    def __init__(self):
        self.now = 0.0
        self.lines = [json.dumps({'version': 2, 'width': COLS, 'height': ROWS,
                                  'title': 'emlat demo'})]

    def event(self, kind, text, gap=0.0):
        self.now += gap
        self.lines.append(json.dumps([round(self.now, 6), kind, text]))

    def chapter(self, name):
        self.event('m', name)

    def settle(self, ms=60):
        self.event('m', f'wait:quiet {ms}')

    def expect(self, text):
        self.event('m', f'wait:text {text}')

    def keys(self, *keys, gap=KEY_GAP):
        """One event a key (a string may be a chord or a whole escape sequence)."""
        for key in keys:
            self.event('i', key, gap)

    def type(self, text, gap=KEY_GAP):
        self.keys(*text, gap=gap)

    def burst(self, text):
        """Typed ahead: all bytes at once."""
        self.event('i', text, KEY_GAP)


def ctrl(letter):
    return chr(ord(letter.upper()) - 64)


def session():
    s = Script()
    s.chapter('waiting for the file')
    s.expect('(C/*l')
    s.settle(500)

    s.chapter('scrolling')
    s.keys(*[ctrl('v')] * 8, *['\x1bv'] * 8, gap=0.09)
    s.keys(*[ctrl('n')] * 40, *[ctrl('p')] * 15)
    s.keys(*['\x1b[B'] * 10, *['\x1b[C'] * 10)
    s.settle()

    s.chapter('typing C with font-lock')
    s.keys('\x1b>')
    s.settle()
    s.type('\nstatic int demo_twice(int value)\n{\nint twice = value * 2; /* a comment */\n')
    s.type('return twice;\n}\n')
    s.settle()

    s.chapter('incremental search')
    s.keys('\x1b<')
    s.keys(ctrl('s'))
    s.type('machine', gap=0.06)
    s.keys(ctrl('s'), ctrl('s'), ctrl('s'), '\r', gap=0.09)
    s.settle()

    s.chapter('M-x with completion')
    s.keys('\x1bx')
    s.type('count-li')
    s.keys('\t', gap=0.1)
    s.settle()
    s.keys('\r')
    s.settle()

    s.chapter('kill, yank, undo')
    s.keys(ctrl('a'), ctrl('k'), ctrl('k'), ctrl('y'), ctrl('a'), ctrl('a'), ctrl('@'), ctrl('n'),
           ctrl('n'), ctrl('w'), ctrl('y'))
    s.keys(*['\x1f'] * 6, gap=0.06)
    s.settle()

    s.chapter('windows')
    s.keys(ctrl('x'), '2', ctrl('x'), 'o', ctrl('v'), ctrl('x'), '3', ctrl('x'), 'o', ctrl('v'),
           ctrl('x'), '1', gap=0.09)
    s.settle()

    s.chapter('a shell command')
    s.keys('\x1b!')
    s.type('echo from the shell; uname\r')
    s.expect('from the shell')
    s.settle(150)

    s.chapter('an error')
    s.keys('\x1b<')
    s.settle()
    s.keys(ctrl('b'))
    s.settle()
    s.keys(ctrl('a'), ctrl('a'), ctrl('a'))
    s.settle()

    s.chapter('C-g: idle, in the minibuffer, in a busy command')
    s.keys(QUIT)
    s.settle()
    s.keys('\x1bx')
    s.type('abc')
    s.settle()
    s.keys(QUIT)
    s.settle()
    s.keys('\x1b:')
    s.type('(while t)\r')
    s.keys(QUIT, gap=0.3)
    s.settle(150)

    s.chapter('a keyboard macro')
    s.keys('\x1b<', ctrl('x'), '(', ctrl('e'), ctrl('a'), ctrl('n'), ctrl('x'), ')')
    s.settle()
    s.keys(ctrl('u'), '8', ctrl('x'), 'e')
    s.settle()

    s.chapter('typing ahead')
    s.keys('\x1b>')
    s.settle()
    for line in range(8):
        s.burst(f'int ahead_{line} = {line} + 1;\n')
        s.settle()
    s.burst(ctrl('p') * 20)
    s.settle()

    s.chapter('a paste')
    s.burst('\x1b[200~' + ''.join(f'/* pasted line {n}: {"x" * 40} */\n' for n in range(30))
            + '\x1b[201~')
    s.settle(150)

    s.chapter('saving and leaving')
    s.keys(ctrl('x'), ctrl('s'))
    s.expect('Wrote')
    s.settle()
    s.keys(ctrl('x'), ctrl('c'))
    s.event('m', 'wait:exit')
    return s.lines


if __name__ == '__main__':
    print('\n'.join(session()))

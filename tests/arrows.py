# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""The one-way arrows of CONTRIBUTING.md, read off the includes and the library's symbols."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP / 'tests'))
import tap  # noqa: E402

# Which rooms' headers a room may include, besides the system's.
MAY = {
    'include/emlat': {'include/emlat'},
    'src/common': {'src/common', 'include/emlat/errors'},
    'src/record': {'src/record', 'src/common', 'include/emlat'},
    'src/read': {'src/read', 'src/common', 'include/emlat/errors'},
    'src/analyze': {'src/analyze', 'src/read', 'src/common', 'include/emlat/errors'},
    'src/report': {'src/report', 'src/analyze', 'src/read', 'src/common', 'include/emlat/errors'},
    'src/replay': {'src/replay'},
    'src/cli': {'src/cli', 'src/report', 'src/analyze', 'src/read', 'src/common', 'src/replay',
                'include/emlat/errors'},
}
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<(emlat/[^>]+)>)', re.MULTILINE)


def room_of(name, room, top):
    """The room that an include of NAME from ROOM leads to; None where there is no such file."""
    if name.startswith('emlat/'):
        return 'include/emlat/errors' if name.startswith('emlat/errors') else 'include/emlat'
    for other in [room, *MAY]:
        if (top / other / name).exists():
            return other
    return None


def violations(top):
    found = []
    for room, allowed in MAY.items():
        for path in sorted((top / room).glob('*.[ch]')) + sorted((top / room).glob('*.def')):
            for quoted, system in INCLUDE.findall(path.read_text(encoding='utf-8')):
                to = room_of(quoted or system, room, top)
                if to is None or not (to in allowed or to.rpartition('/')[0] in allowed):
                    found.append(f'{path.relative_to(top)} includes {quoted or system} ({to})')
    return found


class Arrows(unittest.TestCase):
    def test_includes(self):
        self.assertEqual(violations(TOP), [])

    def test_a_wrong_arrow_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            for room in MAY:
                (top / room).mkdir(parents=True, exist_ok=True)
            (top / 'src/read/reader.h').write_text('', encoding='utf-8')
            (top / 'src/record/ring.c').write_text('#include "reader.h"\n', encoding='utf-8')
            self.assertEqual(violations(top),
                             ['src/record/ring.c includes reader.h (src/read)'])

    def test_the_core_knows_no_host(self):
        for room in ('include/emlat', 'src/record', 'src/common'):
            for path in (TOP / room).iterdir():
                self.assertNotIn('emacs', path.read_text(encoding='utf-8').lower(), path)

    def test_exports(self):
        library = os.environ['EMLAT_LIBRARY']
        symbols = subprocess.run(['nm', '-D', '--defined-only', library], stdout=subprocess.PIPE,
                                 text=True, check=True).stdout.split('\n')
        names = {line.split()[2].split('@')[0] for line in symbols if line}
        self.assertEqual({name for name in names if not name.startswith('emlat_')}, set())
        declared = (TOP / 'include/emlat/emlat.h').read_text(encoding='utf-8') + \
            (TOP / 'include/emlat/errors.h').read_text(encoding='utf-8')
        self.assertEqual({name for name in names if name not in declared}, set())

    def test_needs_libc_alone(self):
        out = subprocess.run(['readelf', '-d', os.environ['EMLAT_LIBRARY']],
                             stdout=subprocess.PIPE, text=True, check=True).stdout
        needed = re.findall(r'NEEDED.*\[([^\]]+)\]', out)
        # A sanitizer's own run-time library is the compiler's, not ours.
        self.assertEqual([name for name in needed if not re.match(
            r'libc\.so|ld-linux|lib(a|ub|t)san\.', name)], [])

    def test_rows_of_ring_md(self):
        told = set(re.findall(r'^\| ([PRLW][0-9]) \|',
                              (TOP / 'doc/ring.md').read_text(encoding='utf-8'), re.MULTILINE))
        cited = set()
        for path in (TOP / 'src/record').glob('*.[ch]'):
            cited |= set(re.findall(r'\b([PRLW][0-9])\b', path.read_text(encoding='utf-8')))
        self.assertEqual(cited, told)


if __name__ == '__main__':
    tap.main()

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
# What common may take from the system: the C library, and how to ask for the processor's CRC.
C_LIBRARY = {'errno.h', 'limits.h', 'stdatomic.h', 'stdbool.h', 'stddef.h', 'stdint.h', 'stdio.h',
             'stdlib.h', 'string.h', 'time.h', 'nmmintrin.h', 'arm_acle.h', 'asm/hwcap.h',
             'sys/auxv.h'}
SYSTEM = re.compile(r'^\s*#\s*include\s+<(?!emlat/)([^>]+)>', re.MULTILINE)
ATOMIC = re.compile(r'^\s*(?:_Alignas\(\d+\)\s*)?_Atomic\s+\w+\s+([^;()]+);', re.MULTILINE)
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
    for path in sorted((top / 'src/common').glob('*.[ch]')):
        for name in SYSTEM.findall(path.read_text(encoding='utf-8')):
            if name not in C_LIBRARY:
                found.append(f'{path.relative_to(top)} includes {name}, not of the C library')
    for path in sorted((top / 'hosts').glob('*/src/**/*.[ch]')):
        for quoted, system in INCLUDE.findall(path.read_text(encoding='utf-8')):
            beside = (path.parent / quoted).exists()
            ours = any((top / room / quoted).exists() for room in MAY)
            public = system in ('', 'emlat/emlat.h', 'emlat/bench.h')
            if not public or quoted and ours and not beside:
                found.append(f'{path.relative_to(top)} includes {quoted or system}, '
                             'a host may include emlat/emlat.h and bench.h alone')
    return found


def host_words(top):
    """Files of the core that name a host."""
    return [str(path.relative_to(top)) for room in ('include', 'src/record', 'src/common')
            for path in sorted((top / room).rglob('*'))
            if path.is_file() and 'emacs' in path.read_text(encoding='utf-8').lower()]


def foreign(symbols):
    """Of nm's lines, the undefined ones that neither libc nor the tool chain gives."""
    found = []
    for line in symbols.splitlines():
        kind, name = line.split()[-2:]
        # Weak ones may stay undefined.
        if kind == 'U' and '@GLIBC_' not in name:
            found.append(name)
    return found


def atomics(top):
    """Names of the atomic members in src/record."""
    return {name.strip(' *') for path in sorted((top / 'src/record').glob('*.h'))
            for names in ATOMIC.findall(re.sub(r'/\*.*?\*/', '', path.read_text(encoding='utf-8'),
                                               flags=re.DOTALL))
            for name in names.split(',')}


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

    def test_other_violations_are_found(self):
        planted = {
            'src/common/wire.h': '#include <sys/mman.h>\n',
            'src/read/reader.c': '#include "ring.h"\n',
            'src/record/ring.h': '/* as Emacs does */\n_Atomic int head, tail;\n',
            'hosts/toy/src/toy.c': '#include <emlat/emlat.h>\n#include "ring.h"\n',
        }
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            for name, text in planted.items():
                (top / name).parent.mkdir(parents=True, exist_ok=True)
                (top / name).write_text(text, encoding='utf-8')
            self.assertEqual(violations(top), [
                'src/read/reader.c includes ring.h (src/record)',
                'src/common/wire.h includes sys/mman.h, not of the C library',
                'hosts/toy/src/toy.c includes ring.h, '
                'a host may include emlat/emlat.h and bench.h alone'])
            self.assertEqual(host_words(top), ['src/record/ring.h'])
            self.assertEqual(atomics(top), {'head', 'tail'})
        self.assertEqual(foreign('  U close@GLIBC_2.2.5\n  w __gmon_start__\n  U dlopen_it\n'),
                         ['dlopen_it'])

    def test_the_core_knows_no_host(self):
        self.assertEqual(host_words(TOP), [])

    def test_exports(self):
        library = os.environ['EMLAT_LIBRARY']
        symbols = subprocess.run(['nm', '-D', '--defined-only', library], stdout=subprocess.PIPE,
                                 text=True, check=True).stdout.split('\n')
        names = {line.split()[2].split('@')[0] for line in symbols if line}
        self.assertEqual({name for name in names if not name.startswith('emlat_')}, set())
        declared = ''.join((TOP / 'include/emlat' / name).read_text(encoding='utf-8')
                           for name in ('emlat.h', 'bench.h', 'errors.h'))
        self.assertEqual({name for name in names if name not in declared}, set())

    def test_needs_libc_alone(self):
        out = subprocess.run(['readelf', '-d', os.environ['EMLAT_LIBRARY']],
                             stdout=subprocess.PIPE, text=True, check=True).stdout
        needed = re.findall(r'NEEDED.*\[([^\]]+)\]', out)
        # A sanitizer's own run-time library is the compiler's, not ours.
        self.assertEqual([name for name in needed if not re.match(
            r'libc\.so|ld-linux|lib(a|ub|t)san\.', name)], [])

    def test_undefined_symbols_are_of_libc(self):
        out = subprocess.run(['nm', '-D', '--undefined-only', os.environ['EMLAT_LIBRARY']],
                             stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertIn('clock_gettime', out)
        # A sanitizer's library stands in for libc's functions; other builds run this case.
        if re.search(r'__(a|ub|t)san_', out):
            self.skipTest('the library is instrumented')
        self.assertEqual(foreign(out), [])

    def test_every_atomic_is_in_ring_md(self):
        table = (TOP / 'doc/ring.md').read_text(encoding='utf-8').partition('## Atomics')[2]
        rows = [line.split('|')[1] for line in table.splitlines() if line.startswith('| `')]
        told = set(re.findall(r'\w+', ' '.join(rows)))
        names = atomics(TOP)
        self.assertIn('head', names)
        # The totals share one row.
        totals = re.search(r'struct emlat_totals \{(.*?)\};',
                           (TOP / 'src/record/session.h').read_text(encoding='utf-8'),
                           re.DOTALL).group(1)
        totals = set(re.findall(r'\w+', totals)) - {'records', 'bytes'}
        self.assertEqual(names - told - totals, set())

    def test_rows_of_ring_md(self):
        told = set(re.findall(r'^\| ([PRLWB][0-9]) \|',
                              (TOP / 'doc/ring.md').read_text(encoding='utf-8'), re.MULTILINE))
        cited = set()
        for path in [*(TOP / 'src/record').glob('*.[ch]'), TOP / 'include/emlat/emlat.h']:
            cited |= set(re.findall(r'\b([PRLWB][0-9])\b', path.read_text(encoding='utf-8')))
        self.assertEqual(cited, told)


if __name__ == '__main__':
    tap.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""The tables in doc/format.md are those that format_tables prints.  With --write, make them so."""
import subprocess
import sys

BEGIN, END = "<!-- tables: begin -->\n", "<!-- tables: end -->\n"


def main():
    write = "--write" in sys.argv
    program, path = [a for a in sys.argv[1:] if a != "--write"]
    tables = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    with open(path, encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    now, after = rest.split(END)
    wanted = "\n" + tables + "\n"
    if write:
        with open(path, "w", encoding="utf-8") as file:
            file.write(before + BEGIN + wanted + END + after)
        return
    print("1..1")
    print("ok 1 - tables" if now == wanted else
          "not ok 1 - tables: run tests/check_format_doc.py --write PROGRAM doc/format.md")
    sys.exit(now != wanted)


main()

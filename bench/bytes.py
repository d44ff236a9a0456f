#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""Bytes of a recording per command: its size by the interactions that `emlat dump' finds in it.

usage: bytes.py EMLAT [FILE]     FILE defaults to $EMLAT_DEMO_FILE

Exit 0 within the gate, 1 beyond it, 2 if the file cannot be measured, 77 (skipped) without one.
"""
import json
import os
import subprocess
import sys

GATE = 250


def interactions(emlat, path):
    dump = subprocess.run([emlat, "dump", "--json", path], stdout=subprocess.PIPE, check=True)
    return sum(json.loads(line).get("record") == "interaction" for line in dump.stdout.splitlines())


def main(arguments):
    if not 2 <= len(arguments) <= 3:
        sys.exit(__doc__.strip())
    path = arguments[2] if len(arguments) == 3 else os.environ.get("EMLAT_DEMO_FILE")
    if not path:
        print("bytes per command: MISS (no file; set EMLAT_DEMO_FILE)")
        return 77
    try:
        commands, size = interactions(arguments[1], path), os.path.getsize(path)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"bytes per command: MISS ({error})")
        return 2
    if not commands:
        print(f"bytes per command: MISS (no interaction in {path})")
        return 2
    good = size <= GATE * commands
    print(f"bytes per command <= {GATE}: {'pass' if good else 'fail'}"
          f" ({size / commands:.1f}: {size} bytes, {commands} interactions)")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))

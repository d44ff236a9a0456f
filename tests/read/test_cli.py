#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""test_cli.py EMLAT MAKE_CORPUS: the program's reading verbs, as a user meets them.

dump --json against alt_reader.py on whole and on damaged files; messages, hints and exit codes.
Prints TAP."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import alt_reader  # noqa: E402

EMLAT, MAKE_CORPUS = sys.argv[1:3]
TABLES = alt_reader.Tables(alt_reader.DOC)
results = []


def test(name, condition, why=""):
    results.append(bool(condition))
    print(("ok" if condition else "not ok") + f" {len(results)} - {name}")
    if not condition and why:
        print("# " + str(why).replace("\n", "\n# "))


def emlat(*arguments, data=None):
    run = subprocess.run([EMLAT, *arguments], input=data, capture_output=True)
    return run.returncode, run.stdout, run.stderr.decode("utf-8", "replace")


def pairs(thing):
    """Equal only with the same members in the same order."""
    return json.dumps(thing, sort_keys=False)


def agree(data):
    """None if emlat and alt_reader say the same of DATA, else what differs."""
    code, out, err = emlat("dump", "--json", "-", data=data)
    mine = [pairs(json.loads(line)) for line in out.decode("utf-8").splitlines()]
    items, _, problem = alt_reader.read(data, TABLES)
    other = [pairs(item) for item in items]
    if code != (3 if problem else 0):
        return f"exit {code}, alt_reader: {problem}, {err}"
    for line, (a, b) in enumerate(zip(mine, other)):
        if a != b:
            return f"line {line + 1}:\n{a}\n{b}"
    return None if len(mine) == len(other) else f"{len(mine)} and {len(other)} lines"


def read(path):
    with open(path, "rb") as file:
        return file.read()


def agreement(folder):
    for name in ("session", "forged", "small"):
        data = read(os.path.join(folder, name + ".emlat"))
        why = agree(data)
        test(f"both readers say the same of {name}.emlat ({len(data)} bytes)", not why, why)
    data, rng = read(os.path.join(folder, "small.emlat")), random.Random(1)
    for what, damage in (
            ("cut", lambda: data[:rng.randrange(len(data))]),
            ("flipped", lambda: bytes(b ^ (1 << rng.randrange(8) if i == at else 0)
                                      for at in [rng.randrange(len(data))]
                                      for i, b in enumerate(data)))):
        why = None
        for _ in range(100):
            why = why or agree(damage())
        test(f"both readers say the same of 100 {what} files", not why, why)


def chunks(data):
    """Offset of each chunk's header, and its payload's size."""
    at = 64
    while at < len(data):
        size = int.from_bytes(data[at + 16:at + 20], "little")
        yield at, size
        at += 40 + (size + 7) // 8 * 8


def forged_damage(folder):
    """Wrong bytes under right CRCs: only the decoders can tell, and they must tell the same."""
    data, rng, why = read(os.path.join(folder, "small.emlat")), random.Random(2), None
    places = list(chunks(data))
    for _ in range(300):
        at, size = rng.choice(places)
        bad = bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            bad[at + 40 + rng.randrange(size)] = rng.randrange(256)
        bad[at + 32:at + 36] = alt_reader.crc32c(bytes(bad[at + 40:at + 40 + size])).to_bytes(
            4, "little")
        bad[at + 36:at + 40] = bytes(4)
        bad[at + 36:at + 40] = alt_reader.crc32c(bytes(bad[at:at + 40])).to_bytes(4, "little")
        why = why or agree(bytes(bad))
    test("both readers say the same of 300 files with wrong payloads under right CRCs", not why,
         why)


def use(folder):
    code, out, err = emlat()
    test("emlat alone lists its verbs in at most 20 lines",
         b"verify" in out and out.count(b"\n") <= 20 and code == 2, out)
    code, out, err = emlat("--version")
    test("--version", code == 0 and b"format 1.0" in out)
    for verb in ("dump", "info", "verify"):
        code, out, err = emlat(verb, "--help")
        test(f"{verb} --help", code == 0 and f"usage: emlat {verb}".encode() in out
             and b"exit codes" in out, out)
        code, out, err = emlat(verb)
        test(f"{verb} wants a file", code == 2 and "wants FILE" in err and "hint: " in err, err)
        code, out, err = emlat(verb, "--wrong", "x")
        test(f"{verb} refuses an unknown option",
             code == 2 and "unknown option '--wrong'" in err and "hint: " in err, err)
        code, out, err = emlat(verb, "a", "b")
        test(f"{verb} refuses a second file", code == 2 and "'b'" in err, err)
    code, out, err = emlat("dmp", "x")
    test("an unknown verb gets a hint", code == 2 and "did you mean 'dump'" in err, err)
    code, out, err = emlat("--wrong")
    test("an option before the verb is refused", code == 2 and "hint: " in err, err)
    small = os.path.join(folder, "small.emlat")
    code, out, err = emlat("dump", small)
    test("dump as text", code == 0 and not err and b"\ninteraction" in out, err)
    test("dump of a file after --", emlat("dump", "--json", "--", small)[0] == 0)
    code, out, err = emlat("info", small)
    test("info", code == 0 and b"7f3a9c" in out and b"span" in out, out)
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            run = subprocess.run([EMLAT, "dump", small], stdout=full, stderr=subprocess.PIPE)
        test("a full disk is said", run.returncode == 3 and b"No space" in run.stderr, run.stderr)


def damage(folder):
    session = os.path.join(folder, "session.emlat")
    data = read(session)
    code, out, err = emlat("verify", session)
    test("verify of a sound file", code == 0 and out.endswith(b"\nok\n") and b"LOSS 0" in out, out)
    code, out, err = emlat("verify", os.path.join(folder, "forged.emlat"))
    test("verify says loss and skipped chunks", code == 4 and b"LOSS\n" in out
         and b"skipped 7 bytes of type 99" in out, out)
    path = os.path.join(folder, "damaged.emlat")
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 4
    newer = bytearray(data[:64])
    newer[8] = 2
    newer[56:60] = alt_reader.crc32c(bytes(newer[:56])).to_bytes(4, "little")
    for name, content, words in (
            ("empty", b"", "the file is empty"),
            ("foreign", b"\x7fELF" + bytes(100), "not an emlat file"),
            ("cut in the header", data[:40], "inside its header (40 of 64 bytes)"),
            ("cut", data[:len(data) - 21], "the file ends inside"),
            ("flipped", bytes(flipped), "CRC32C"),
            ("newer", bytes(newer), "format 2.0, this emlat reads format 1")):
        with open(path, "wb") as file:
            file.write(content)
        for verb in ("dump", "info", "verify"):
            code, out, err = emlat(verb, path)
            said = out.decode("utf-8", "replace") + err
            test(f"{verb} of a file that is {name}",
                 code == 3 and words in said and "hint: " in err, said[-500:])
    for name, where, words in (("missing", os.path.join(folder, "no"), "No such file"),
                               ("a folder", folder, "is a folder")):
        code, out, err = emlat("dump", where)
        test(f"dump of a file that is {name}",
             code == 3 and words in err and f"emlat: {where}: " in err, err)
    cut = data[:len(data) - 21]
    code, out, err = emlat("dump", "--json", "-", data=cut)
    test("a complaint names file, offset, chunk and type",
         "emlat: -: offset 0x" in err and ", chunk " in err and " (SESSION): " in err, err)


def main():
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([MAKE_CORPUS, folder], capture_output=True, text=True)
        test("the corpus is made", made.returncode == 0, made.stderr)
        agreement(folder)
        forged_damage(folder)
        use(folder)
        damage(folder)
    print(f"1..{len(results)}")
    sys.exit(not all(results))


main()

# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""Real programs under a replay.

EMLAT and EMLAT_CHILD name the two programs.  No test compares durations: order and sums are
exact, and where a program has to be given time the script waits for what it says.
"""
import hashlib
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402

REPLAY = [os.environ["EMLAT"], "replay"]
CHILD = os.environ["EMLAT_CHILD"]


def script(*events, cols=80, rows=24):
    """A v3 script; an event is ("i", text), ("m", label), ("r", size), or one with its interval
    first."""
    lines = [json.dumps({"version": 3, "term": {"cols": cols, "rows": rows}})]
    for event in events:
        lines.append(json.dumps(event if len(event) == 3 else [0, *event]))
    return "\n".join(lines) + "\n"


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="emlat-replay-")
        self.addCleanup(self.folder.cleanup)
        self.witness_path = self.path("witness.json")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def start(self, text, program, *options, witness=True, **more):
        script_path = self.path("script.cast")
        with open(script_path, "w", encoding="utf-8") as file:
            file.write(text)
        command = [*REPLAY, script_path, *options]
        if witness:
            command += ["--witness", self.witness_path]
        return subprocess.Popen([*command, "--", *program], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)

    def replay(self, text, program, *options, code=0, **more):
        process = self.start(text, program, *options, **more)
        self.out, self.err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, self.err)
        if os.path.exists(self.witness_path) and more.get("witness", True):
            return self.check_witness()
        return None

    def check_witness(self):
        """What holds for every witness."""
        with open(self.witness_path, encoding="utf-8") as file:
            witness = json.load(file)
        totals, events = witness["totals"], witness["events"]
        self.assertEqual(witness["schema"], "emlat.witness/1")
        self.assertEqual(stat.S_IMODE(os.stat(self.witness_path).st_mode), 0o600)
        self.assertEqual(witness["complete"], witness["failure"] is None)
        self.assertEqual(totals["events"], len(events))
        self.assertEqual(totals["bytes_written"], sum(e["bytes"] for e in events))
        self.assertEqual(totals["quit_bytes"], sum(e["quit_bytes"] for e in events))
        self.assertEqual(totals["reply_bytes"],
                         sum(e["bytes"] for e in events if e["kind"] == "reply"))
        self.assertEqual(totals["output_chunks"],
                         len(witness["output"]) + totals["output_chunks_not_kept"])
        if not totals["output_chunks_not_kept"]:
            self.assertEqual(totals["output_bytes"], sum(n for _, n in witness["output"]))
        times = [t for t, _ in witness["output"]]
        self.assertEqual(times, sorted(times))
        offset = 0
        for index, event in enumerate(events):
            self.assertEqual(event["index"], index)
            self.assertEqual(event["offset"], offset)
            self.assertEqual(event["line"] is None, event["kind"] == "reply")
            offset += event["bytes"]
            order = [event[name] for name in ("t_write_begin", "t_first_output", "t_last_output",
                                              "t_settled") if event[name] is not None]
            self.assertEqual(order, sorted(order))
            if event["writes"]:
                self.assertLessEqual(event["t_write_begin"], event["t_write_end"])
            # The two ends of the answer are chunks of the output, as a reader would find them.
            if not totals["output_chunks_not_kept"] and event["t_first_output"]:
                after = [t for t in times if t >= event["t_write_begin"]]
                self.assertEqual(event["t_first_output"], after[0])
                self.assertIn(event["t_last_output"], times)
        return witness


class Playing(Case):
    def test_every_byte_arrives(self):
        keys = ["a", "\0", "\x1b[A", "é漢😀", "\x07\x03\x1a\r\n", "x" * 3000, "q"]
        copy = self.path("copy")
        witness = self.replay(
            script(("m", "wait:text ready"), *[("i", key) for key in keys],
                   ("m", "wait:exit")), [CHILD, "raw", copy])
        sent = "".join(keys).encode()
        with open(copy, "rb") as file:
            self.assertEqual(file.read(), sent)
        self.assertTrue(witness["complete"])
        self.assertEqual(witness["totals"]["bytes_written"], len(sent))
        self.assertEqual(witness["totals"]["quit_bytes"], 1)
        self.assertEqual(witness["totals"]["signal_bytes"], 0)
        self.assertEqual(witness["totals"]["unread_bytes"], 0)
        self.assertEqual([e["bytes"] for e in witness["events"]], [len(k.encode()) for k in keys])
        self.assertEqual([e["line"] for e in witness["events"]], list(range(3, 3 + len(keys))))
        self.assertEqual(witness["program"]["exit_status"], 0)
        self.assertEqual(witness["program"]["ended_by"], "itself")

    def test_an_answer_belongs_to_its_key(self):
        witness = self.replay(
            script(("m", "wait:text ready"), ("m", "wait:quiet 30"),
                   ("i", "a"), ("m", "wait:text [61]"), ("m", "wait:quiet 30"),
                   ("i", "q"), ("m", "wait:exit")), [CHILD, "raw", self.path("copy")])
        first, second = witness["events"]
        self.assertEqual([first["episode"], second["episode"]], [0, 1])
        self.assertLessEqual(first["t_settled"], second["t_write_begin"])
        for event in (first, second):
            self.assertIsNotNone(event["t_first_output"])
            self.assertGreaterEqual(event["t_settled"], event["t_last_output"])
        self.assertEqual(witness["totals"]["output_bytes_outside_episodes"], len("ready\r\n"))

    def test_a_burst_is_one_episode(self):
        # No poll can see 60 s of quiet between keys that are due at once.
        witness = self.replay(
            script(("m", "wait:text ready"), ("i", "a"), ("i", "b"), ("i", "q"),
                   ("m", "wait:exit")), [CHILD, "raw", self.path("copy")], "--quiet", "60000")
        self.assertEqual({e["episode"] for e in witness["events"]}, {0})
        self.assertEqual(len({e["t_last_output"] for e in witness["events"]}), 1)
        self.assertEqual(len({e["t_settled"] for e in witness["events"]}), 1)

    def test_no_output_is_null(self):
        witness = self.replay(
            script(("m", "wait:text ready"), ("m", "wait:quiet 30"), ("i", "a"),
                   ("m", "wait:quiet 50")), [CHILD, "deaf"])
        event = witness["events"][0]
        self.assertIsNone(event["t_first_output"])
        self.assertIsNone(event["t_last_output"])
        self.assertIsNotNone(event["t_settled"])
        self.assertEqual(witness["totals"]["unread_bytes"], 1)

    def test_intervals_are_kept(self):
        witness = self.replay(
            script(("m", "wait:text ready"), (0.05, "i", "a"), (0.07, "o", ""), (0.03, "i", "q"),
                   ("m", "wait:exit")), [CHILD, "raw", self.path("copy")])
        first, second = witness["events"]
        # Never early; how late depends on the machine.
        self.assertGreaterEqual(second["t_write_begin"] - witness["t_start"], 150_000_000)

    def test_speed_and_gap(self):
        # An hour and a day between keys: the test would not end if either were kept.
        self.replay(script(("m", "wait:text ready"), (3600, "i", "a"), (3600, "i", "q"),
                           ("m", "wait:exit")), [CHILD, "raw", self.path("copy")],
                    "--speed", "1000000")
        os.unlink(self.witness_path)
        witness = self.replay(
            script(("m", "wait:text ready"), (86400, "i", "a"), (86400, "i", "q"),
                   ("m", "wait:exit")), [CHILD, "raw", self.path("copy")], "--max-gap", "1.5")
        self.assertEqual(witness["script"]["max_gap_ns"], 1_500_000)
        self.assertEqual(witness["script"]["speed"], 1)

    def test_v2_and_standard_input(self):
        text = ('{"version": 2, "width": 30, "height": 10}\n[0.1, "m", "wait:text size 30x10"]\n'
                '[0.2, "i", "q"]\n[0.2, "m", "wait:exit"]\n')
        process = subprocess.Popen(
            [*REPLAY, "-", "--witness", self.witness_path, "--", CHILD, "size"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        _, err = process.communicate(text, timeout=60)
        self.assertEqual(process.returncode, 0, err)
        witness = self.check_witness()
        self.assertEqual((witness["cols"], witness["rows"]), (30, 10))
        self.assertEqual(witness["script"]["asciicast"], 2)
        import hashlib
        self.assertEqual(witness["script"]["sha256"], hashlib.sha256(text.encode()).hexdigest())

    def test_size_and_resize(self):
        witness = self.replay(
            script(("m", "wait:text size 100x40"), ("r", "60x20"),
                   ("m", "wait:text size 60x20 winch"), ("m", "wait:gone 100x40"), ("i", "q"),
                   ("m", "wait:exit")), [CHILD, "size"], "--size", "100x40")
        self.assertEqual((witness["cols"], witness["rows"]), (100, 40))
        self.assertEqual([r[1:] for r in witness["resizes"]], [[60, 20]])

    def test_stty_sees_the_size(self):
        self.replay(script(("m", "wait:exit")), ["stty", "size"], "--size", "91x17", "--screen")
        self.assertEqual(self.out.split("\n")[0], "17 91")

    def test_term_and_environment(self):
        environment = dict(os.environ, LINES="1", COLUMNS="1", TERMCAP="x")
        self.replay(script(("m", "wait:exit")),
                    ["sh", "-c", 'echo "$TERM/${LINES-no}/${COLUMNS-no}/${TERMCAP-no}"; tty'],
                    "--term", "vt220", "--screen", env=environment)
        self.assertEqual(self.out.split("\n")[0], "vt220/no/no/no")
        self.assertRegex(self.out.split("\n")[1], "^/dev/pts/")

    def test_the_program_starts_clean(self):
        # Signals ignored by our caller are not ignored there, none is blocked, and nothing but the
        # terminal is open.
        self.replay(script(("m", "wait:exit")),
                    ["sh", "-c", "grep -E 'Sig(Blk|Ign)' /proc/self/status; ls /proc/$$/fd"],
                    "--screen", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
                    pass_fds=[os.open("/dev/null", os.O_RDONLY)])
        lines = [line.split() for line in self.out.splitlines() if line]
        self.assertEqual(lines[0], ["SigBlk:", "0" * 16])
        # Signals 32 and 33 are the C library's own; it lets nobody change them, whoever ignored them.
        self.assertEqual(int(lines[1][1], 16) & ~(3 << 31), 0)
        self.assertLessEqual(set(lines[2]), {"0", "1", "2", "10", "255"})

    def test_questions_are_answered(self):
        # The shell reads the answer up to its R; the bytes count as written, as a reply.
        witness = self.replay(
            script(("m", "wait:text got:"), ("m", "wait:exit")),
            ["bash", "-c", r"""stty raw -echo; printf '\033[3;5H\033[6n'; IFS= read -r -d R a
                               stty sane; printf 'got:%s\n' "${a#?}" """], "--screen")
        self.assertIn("got:[3;5", self.out)
        reply, = witness["events"]
        self.assertEqual((reply["kind"], reply["bytes"]), ("reply", 6))
        self.assertEqual(witness["totals"]["replies"], 1)

    def test_quit_is_a_signal(self):
        witness = self.replay(
            script(("m", "wait:text ready"), ("i", "\x07"), ("m", "wait:text <quit>"),
                   ("i", "a"), ("m", "wait:text [a]"), ("i", "q"), ("m", "wait:exit")),
            [CHILD, "quit"])
        self.assertEqual([e["quit_bytes"] for e in witness["events"]], [1, 0, 0])
        self.assertEqual([e["signal_bytes"] for e in witness["events"]], [1, 0, 0])
        self.assertEqual(witness["totals"]["signal_bytes"], 1)

    def test_quit_char(self):
        witness = self.replay(
            script(("m", "wait:text ready"), ("i", "abbq"), ("m", "wait:exit")),
            [CHILD, "raw", self.path("copy")], "--quit-char", "98", "--clock", "monotonic")
        self.assertEqual(witness["totals"]["quit_bytes"], 2)
        self.assertEqual(witness["quit_char"], 98)
        self.assertEqual(witness["clock"], "CLOCK_MONOTONIC")

    def test_chapters(self):
        self.replay(script(("m", "one \x1b[31m"), ("m", "wait:exit")), ["true"])
        self.assertEqual(self.err, "replay: one ?[31m\n")
        os.unlink(self.witness_path)
        self.replay(script(("m", "one"), ("m", "wait:exit")), ["true"], "--silent")
        self.assertEqual(self.err, "")

    def test_a_program_that_runs_on_is_hung_up(self):
        witness = self.replay(script(("m", "wait:text ready")), [CHILD, "deaf"])
        self.assertEqual(witness["program"]["exit_signal"], signal.SIGHUP)
        self.assertEqual(witness["program"]["ended_by"], "replay")
        self.assertTrue(witness["complete"])


class Pressure(Case):
    def test_more_input_than_the_terminal_holds(self):
        # It begins to read after we have filled its terminal, and must get everything.
        keys = ["".join(chr(33 + (i * j) % 90) for i in range(200000)) for j in (1, 7)]
        data = "".join(keys).encode()
        total = 0
        for byte in data:
            total = (total * 31 + byte) % 2**64
        witness = self.replay(
            script(("m", "wait:text ready"), *[("i", key) for key in keys],
                   ("m", "wait:text sum"), ("m", "wait:exit")),
            [CHILD, "late", str(len(data))], "--screen")
        self.assertIn(f"read {len(data)} sum {total:016x}", self.out)
        self.assertEqual(witness["totals"]["bytes_written"], len(data))
        self.assertGreater(max(e["writes"] for e in witness["events"]), 1)

    def test_a_program_that_never_reads(self):
        witness = self.replay(
            script(("m", "wait:text ready"), *[("i", "x" * 100000)] * 20), [CHILD, "deaf"],
            "--timeout", "1", code=1)
        self.assertIn("did not read its input for 1 s", self.err)
        self.assertEqual(witness["failure"], "write_timeout")
        self.assertGreater(witness["totals"]["unwritten_bytes"], 0)
        # Everything that was written is accounted for.
        self.assertEqual(witness["totals"]["unread_bytes"], witness["totals"]["bytes_written"])

    def test_flood(self):
        witness = self.replay(script(("m", "wait:text done"), ("m", "wait:exit")),
                              [CHILD, "flood", "200000"], "--screen")
        self.assertIn("line 199999\ndone", self.out)
        expected = sum(len(f"line {i}\r\n") for i in range(200000)) + len("done\r\n")
        # Cooked mode turns each newline into two bytes.
        self.assertEqual(witness["totals"]["output_bytes"], expected + 200001)

    def test_input_goes_through_a_flood(self):
        # It floods for ever; its input, not its silence, ends it.
        self.replay(script(("m", "wait:text line"), ("i", "\x03"), ("m", "wait:exit")),
                    [CHILD, "talkative"], "--any-exit")

    def test_never_quiet(self):
        witness = self.replay(script(("m", "wait:quiet 10000 @0.5")), [CHILD, "talkative"], code=1)
        self.assertIn("never quiet within 0.500 s", self.err)
        self.assertEqual(witness["failure"], "wait_timeout")

    def test_questions_without_end(self):
        # It asks and never reads: the answers must not grow for ever.
        witness = self.replay(
            script(("m", "wait:text never @1")),
            ["sh", "-c", "stty raw -echo; exec yes \"$(printf '\\033[6n')\""], code=1)
        self.assertGreater(witness["totals"]["reply_bytes_dropped"], 0)

    def test_unread_at_the_end(self):
        witness = self.replay(
            script(("m", "wait:text ready"), ("i", "abcde"), ("m", "wait:exit")),
            [CHILD, "leave"])
        self.assertEqual(witness["totals"]["bytes_written"], 5)
        self.assertEqual(witness["totals"]["unread_bytes"], 4)

    def test_something_left_behind(self):
        self.replay(script(("m", "wait:text left one"), ("m", "wait:exit")), [CHILD, "group"])


class Failing(Case):
    def test_it_dies_early(self):
        witness = self.replay(script(("m", "wait:text never")),
                              ["sh", "-c", "echo last words; exit 7"], code=1)
        self.assertIn("script line 2: the program ended with status 7", self.err)
        self.assertIn("| last words", self.err)
        self.assertEqual(witness["failure"], "ended")
        self.assertEqual(witness["failure_line"], 2)
        self.assertFalse(witness["complete"])
        self.assertEqual(witness["program"]["exit_status"], 7)

    def test_it_dies_by_a_signal_before_input(self):
        witness = self.replay(script(("m", "wait:quiet 1"), (3600, "i", "x")),
                              ["sh", "-c", "kill -SEGV $$"], code=1)
        self.assertIn("by signal 11", self.err)
        self.assertEqual(witness["program"]["exit_signal"], 11)
        self.assertEqual(witness["events"], [])

    def test_text_on_the_last_screen_counts(self):
        self.replay(script(("m", "wait:text farewell"), ("m", "wait:exit")),
                    ["echo", "farewell"])

    def test_status(self):
        witness = self.replay(script(("m", "wait:exit")), ["sh", "-c", "exit 3"], code=1)
        self.assertIn("ended with status 3", self.err)
        self.assertIn("--any-exit", self.err)
        self.assertEqual(witness["failure"], "exit_status")
        os.unlink(self.witness_path)
        witness = self.replay(script(("m", "wait:exit")), ["sh", "-c", "exit 3"], "--any-exit")
        self.assertTrue(witness["complete"])
        self.assertEqual(witness["program"]["exit_status"], 3)

    def test_a_wait_runs_out(self):
        witness = self.replay(
            script(("m", "wait:text ready"), ("i", "a"), ("m", "wait:text [ff] @0.2")),
            [CHILD, "raw", self.path("copy")], code=1)
        self.assertIn("script line 4: wait:text: this did not appear within 0.200 s: [ff]", self.err)
        self.assertIn("| [61]", self.err)
        self.assertEqual(witness["failure"], "wait_timeout")
        self.assertEqual(witness["failure_line"], 4)
        # It was hung up, and the event that was played is there.
        self.assertEqual(witness["program"]["ended_by"], "replay")
        self.assertEqual(len(witness["events"]), 1)

    def test_gone_and_exit_run_out(self):
        self.replay(script(("m", "wait:text ready"), ("m", "wait:gone ready @0.1")),
                    [CHILD, "deaf"], code=1)
        self.assertIn("did not go away", self.err)
        os.unlink(self.witness_path)
        self.replay(script(("m", "wait:exit")), [CHILD, "deaf"], "--timeout", "0.1", code=1)
        self.assertIn("did not end within 0.100 s", self.err)

    def test_stubborn_at_the_end(self):
        witness = self.replay(script(("m", "wait:text stubborn")), [CHILD, "stubborn"],
                              "--grace", "0.2", code=1)
        self.assertIn("hung up at the script's end and did not end", self.err)
        self.assertEqual(witness["failure"], "stuck")
        self.assertEqual(witness["program"]["exit_signal"], signal.SIGKILL)

    def test_stubborn_after_a_timeout(self):
        witness = self.replay(script(("m", "wait:text never @0.1")), [CHILD, "stubborn"],
                              "--grace", "0.1", code=1)
        self.assertEqual(witness["failure"], "wait_timeout")
        self.assertEqual(witness["program"]["exit_signal"], signal.SIGKILL)

    def interrupt(self, number, program, *options):
        process = self.start(script(("m", "wait:text ready"), ("m", "here"), ("m", "wait:text x")),
                             program, *options)
        line = process.stderr.readline()
        self.assertEqual(line, "replay: here\n")
        process.send_signal(number)
        _, self.err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, self.err)
        self.assertIn(f"stopped by signal {int(number)}", self.err)
        witness = self.check_witness()
        self.assertEqual(witness["failure"], "interrupted")
        return witness

    def test_interrupted(self):
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            witness = self.interrupt(number, [CHILD, "deaf"])
            self.assertEqual(witness["program"]["exit_signal"], signal.SIGHUP)
            os.unlink(self.witness_path)

    def test_interrupted_with_a_stubborn_program(self):
        witness = self.interrupt(signal.SIGTERM,
                                 ["sh", "-c", "trap '' HUP; echo ready; while :; do sleep 9; done"],
                                 "--grace", "0.1")
        self.assertEqual(witness["program"]["exit_signal"], signal.SIGKILL)

    def test_nothing_is_left(self):
        # The stubborn one tells its process number; it must be gone when the replay has ended.
        self.replay(script(("m", "wait:text pid=")),
                    ["sh", "-c", "trap '' HUP; echo pid=$$; while :; do sleep 9; done"],
                    "--grace", "0.1", "--screen", code=1)
        pid = int(self.out.split("pid=")[1].split()[0])
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)


class Files(Case):
    def test_an_existing_file_is_left_alone(self):
        with open(self.witness_path, "w", encoding="utf-8") as file:
            file.write("mine")
        marker = self.path("ran")
        process = self.start(script(("m", "wait:exit")), ["touch", marker])
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3)
        self.assertIn("exists already", err)
        with open(self.witness_path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")
        self.assertFalse(os.path.exists(marker), "the program ran without a place for its witness")

    def test_a_link_is_not_followed(self):
        os.symlink(self.path("target"), self.witness_path)
        process = self.start(script(("m", "wait:exit")), ["true"])
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, err)
        self.assertFalse(os.path.exists(self.path("target")))
        self.assertTrue(os.path.islink(self.witness_path))

    def test_no_folder(self):
        self.witness_path = self.path("no/witness.json")
        self.replay(script(("m", "wait:exit")), ["true"], code=3)
        self.assertIn("cannot be created: No such file", self.err)

    def test_a_full_disk(self):
        # /dev/full exists, so it can't be created; a limit on file size fails the same write.
        import resource

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        process = self.start(script(("m", "wait:exit")), ["true"], preexec_fn=limit)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, err)
        self.assertIn("cannot be written: File too large", err)

    def test_umask_does_not_matter(self):
        self.replay(script(("m", "wait:exit")), ["true"], preexec_fn=lambda: os.umask(0o777))

    def test_no_program(self):
        witness = self.replay(script(("m", "wait:exit")), ["/no/such/program"], code=3)
        self.assertIn("cannot run /no/such/program: No such file", self.err)
        self.assertFalse(witness["complete"])
        self.assertEqual(witness["failure"], "system")
        self.assertIsNone(witness["program"]["ended_by"])

    def test_no_script(self):
        process = subprocess.run([*REPLAY, self.path("no.cast"), "--", "true"], text=True,
                                 stderr=subprocess.PIPE, check=False)
        self.assertEqual(process.returncode, 3)
        self.assertIn("cannot be opened", process.stderr)

    def test_a_wrong_script_runs_nothing(self):
        marker = self.path("ran")
        self.replay(script(("m", "wait:exit")) + "[0, \"i\"]\n", ["touch", marker], code=3)
        self.assertRegex(self.err, r"script.cast: line 3, byte offset \d+: expected \[time")
        self.assertIn("hint: ", self.err)
        self.assertFalse(os.path.exists(marker))
        self.assertFalse(os.path.exists(self.witness_path))

    def test_a_wrong_script_through_a_pipe(self):
        process = subprocess.Popen(
            [*REPLAY, "-", "--witness", self.witness_path, "--", CHILD, "deaf"],
            stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        _, err = process.communicate(script(("m", "wait:text ready")) + "nonsense\n", timeout=60)
        self.assertEqual(process.returncode, 3, err)
        self.assertIn("standard input: line 3", err)
        witness = self.check_witness()
        self.assertEqual((witness["failure"], witness["failure_line"]), ("script", 3))

    def test_names_stay_out(self):
        self.replay(script(("m", "wait:text secretword"), ("m", "wait:exit")),
                    ["echo", "secretword"])
        with open(self.witness_path, encoding="utf-8") as file:
            text = file.read()
        for name in ("secretword", "echo", "script.cast", self.folder.name):
            self.assertNotIn(name, text)


class Workload(Case):
    def test_is_the_script(self):
        """Whoever records the program learns what it is given to do, unless it has been told."""
        program = ["sh", "-c", 'echo "<$EMLAT_WORKLOAD>"']
        text = script(("m", "wait:exit"))
        digest = hashlib.sha256(text.encode()).hexdigest()
        kept = os.environ.pop("EMLAT_WORKLOAD", None)
        try:
            self.replay(text, program, "--screen")
            self.assertIn(f"<{digest}>", self.out)
            os.unlink(self.witness_path)
            os.environ["EMLAT_WORKLOAD"] = "mine"
            self.replay(text, program, "--screen")
            self.assertIn("<mine>", self.out)
        finally:
            os.environ.pop("EMLAT_WORKLOAD", None)
            if kept is not None:
                os.environ["EMLAT_WORKLOAD"] = kept


class Recording(Case):
    def test_record_is_a_script(self):
        record = self.path("record.cast")
        copy = self.path("copy")
        self.replay(script(("m", "wait:text ready"), ("m", "typing"), ("i", "aé\0"),
                           ("r", "90x30"), ("m", "wait:text [00]"), ("i", "q"),
                           ("m", "wait:exit")), [CHILD, "raw", copy], "--record", record)
        self.assertEqual(stat.S_IMODE(os.stat(record).st_mode), 0o600)
        with open(record, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual(lines[0]["version"], 2)
        self.assertEqual((lines[0]["width"], lines[0]["height"]), (80, 24))
        played = [line[1:] for line in lines[1:] if line[1] != "o"]
        self.assertEqual(played, [["m", "typing"], ["i", "aé\0"], ["r", "90x30"], ["i", "q"]])
        output = "".join(line[2] for line in lines[1:] if line[1] == "o")
        self.assertEqual(output, "ready\r\n[61][c3][a9][00][71]")
        times = [line[0] for line in lines[1:]]
        self.assertEqual(times, sorted(times))
        # … and it can be played in turn, to a program that is silent until its end.
        with open(record, encoding="utf-8") as file:
            text = file.read() + json.dumps([times[-1], "m", "wait:exit"]) + "\n"
        os.unlink(self.witness_path)
        self.replay(text, ["sh", "-c", "stty raw; head -c 5 | od -An -tx1 > \"$0\"", copy],
                    "--max-gap", "0")
        with open(copy, encoding="utf-8") as file:
            self.assertEqual(file.read().split(), ["61", "c3", "a9", "00", "71"])

    def test_output_that_is_no_text(self):
        record = self.path("record.cast")
        self.replay(script(("m", "wait:exit")),
                    ["printf", r"\377a\303(\303\251\360\237\230\200\355\240\200\""], "--record",
                    record)
        with open(record, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        output = "".join(line[2] for line in lines[1:])
        self.assertEqual(output, "\ufffda\ufffd(é😀" + "\ufffd" * 3 + '"')


class Usage(Case):
    def usage(self, *arguments):
        process = subprocess.run([*REPLAY, *arguments], text=True, capture_output=True, check=False)
        return process.returncode, process.stdout, process.stderr

    def test_wrong(self):
        for arguments, what in [
                ([], "no script"),
                (["--", "true"], "no script"),
                (["a.cast"], "no program"),
                (["a.cast", "--"], "no program"),
                (["a.cast", "b.cast", "--", "true"], "'b.cast'"),
                (["--no-such", "a.cast", "--", "true"], "unknown option '--no-such'"),
                (["-x", "a.cast", "--", "true"], "unknown option '-x'"),
                (["a.cast", "--witness", "--", "true"], "--witness wants a value"),
                (["a.cast", "--screen=5", "--", "true"], "takes no value"),
                (["a.cast", "--size", "80", "--", "true"], "--size wants COLSxROWS, not '80'"),
                (["a.cast", "--speed", "0", "--", "true"], "--speed wants"),
                (["a.cast", "--speed", "-1", "--", "true"], "--speed wants"),
                (["a.cast", "--max-gap", "x", "--", "true"], "--max-gap wants"),
                (["a.cast", "--timeout", "1e9", "--", "true"], "--timeout wants"),
                (["a.cast", "--clock", "sundial", "--", "true"], "--clock wants"),
                (["a.cast", "--quit-char", "256", "--", "true"], "--quit-char wants"),
                (["a.cast", "--term", "", "--", "true"], "--term wants")]:
            with self.subTest(arguments=arguments):
                code, out, err = self.usage(*arguments)
                self.assertEqual(code, 2, err)
                self.assertEqual(out, "")
                self.assertIn(what, err)
                self.assertIn("hint: ", err)

    def test_help(self):
        code, out, err = self.usage("--help")
        self.assertEqual((code, err), (0, ""))
        for word in ("--witness", "--any-exit", "wait:quiet", "exit codes"):
            self.assertIn(word, out)

    def test_options_of_the_program_are_its_own(self):
        self.replay(script(("m", "wait:exit")), ["echo", "--witness", "--", "--help"], "--screen")
        self.assertIn("--witness -- --help", self.out)


if __name__ == "__main__":
    tap.main()

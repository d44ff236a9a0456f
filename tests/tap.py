# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The emlat developers
"""Run unittest cases and print TAP, so that meson counts each case.

    import tap, unittest
    class Something(unittest.TestCase): ...
    if __name__ == "__main__":
        tap.main()

Arguments that unittest would take for names of cases choose among them; what a test needs to know
(paths of programs) comes through the environment, so that they don't mix.
"""
import sys
import unittest


class _Result(unittest.TestResult):
    def __init__(self, stream):
        super().__init__()
        self.stream = stream
        self.number = 0

    def _point(self, good, test, rest=""):
        self.number += 1
        name = test.id().removeprefix("__main__.").replace("#", "\\#")
        print(f"{'ok' if good else 'not ok'} {self.number} - {name}{rest}", file=self.stream,
              flush=True)

    def _explain(self, error, test):
        for line in self._exc_info_to_string(error, test).splitlines():
            print(f"# {line}", file=self.stream, flush=True)

    def addSuccess(self, test):
        self._point(True, test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._point(False, test)
        self._explain(err, test)

    def addError(self, test, err):
        super().addError(test, err)
        self._point(False, test)
        self._explain(err, test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._point(True, test, f" # SKIP {reason}")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self._point(False, subtest)
            self._explain(err, test)

    def addExpectedFailure(self, test, err):
        self._point(False, test, " # TODO")

    def addUnexpectedSuccess(self, test):
        self._point(True, test, " # TODO")


def main():
    loader = unittest.TestLoader()
    module = sys.modules["__main__"]
    suite = (loader.loadTestsFromNames(sys.argv[1:], module) if sys.argv[1:]
             else loader.loadTestsFromModule(module))
    # TAP owns the real standard output; a test that prints must not break it.
    stream, sys.stdout = sys.stdout, sys.stderr
    result = _Result(stream)
    suite.run(result)
    # A test with failing subtests has a point for each of them, so the plan comes last.
    print(f"1..{result.number}", file=stream, flush=True)
    sys.exit(0 if result.wasSuccessful() else 1)

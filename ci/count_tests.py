#!/usr/bin/env python3
"""Counts the tests in JUnit files that ctest wrote: prints the names of those that failed or were
skipped to stderr, with what a failed one printed, and `PASSED FAILED SKIPPED` to stdout. What neither
passed nor was skipped by the test itself (a missing program, a time-out, a disabled test) has failed.

Where ctest ran a GoogleTest program NAME, its tests are counted, which it listed in
FOLDER/NAME.xml; FOLDER is the JUnit file without its suffix. When it came to no end there is no
list: what it printed says which tests ended, and all others have failed."""

import pathlib
import re
import sys
import xml.etree.ElementTree as xml

LINES_OF_A_FAILURE = 60
STARTED = re.compile(r"(?:Running main\(\).*\n)?(?:Note: .*\n)*\[=+\] Running (\d+) test")
ENDED = re.compile(r"\[ +(OK|SKIPPED|FAILED) +\] (\S+)(?:, .*)? \(\d+ ms\)")
OUTCOME = {"OK": "passed", "SKIPPED": "skipped", "FAILED": "failed"}


def of_ctest(case):
    if case.get("status") == "run":
        return "passed"
    reason = case.find("skipped")
    asked = reason is not None and reason.get("message", "").startswith("SKIP_")
    # ctest takes any test that prints a SKIPPED line for skipped, also one that then fails.
    broke = "[  FAILED  ]" in (case.findtext("system-out") or "")
    return "skipped" if asked and not broke else "failed"


def listed(case):
    """Name, outcome and failures of a test that a GoogleTest program listed."""
    failures = "\n".join(failure.text or "" for failure in case.findall("failure"))
    if failures:
        outcome = "failed"
    elif case.find("skipped") is not None:
        outcome = "skipped"
    else:
        outcome = "passed" if case.get("result") == "completed" else "failed"
    return f"{case.get('classname')}.{case.get('name')}", outcome, failures


def tests_of(case, folder):
    """Name, outcome and output of each test of what ctest ran."""
    name, outcome, output = case.get("name"), of_ctest(case), case.findtext("system-out") or ""
    program = (name, outcome, output)
    file, started = folder / f"{name}.xml", STARTED.match(output)
    if file.exists():
        tests = [listed(test) for test in xml.parse(file).getroot().iter("testcase")]
        # A time-out or a sanitizer's complaint at the end is no test's failure.
        fits = outcome == "passed" or any(test[1] == "failed" for test in tests)
        return tests if fits else [*tests, program]
    if outcome == "failed" and started:
        ended = [(test, OUTCOME[word], "") for word, test in ENDED.findall(output)]
        left = int(started[1]) - len(ended)
        return ended + [program] + [(f"{name}: a test after it", "failed", "")] * (left - 1)
    return [program]


def text_of(output):
    lines = output.rstrip().splitlines()
    left_out = [f"[{len(lines) - LINES_OF_A_FAILURE} lines before]"] if len(lines) > LINES_OF_A_FAILURE else []
    return "".join(f"    {line}\n" for line in left_out + lines[-LINES_OF_A_FAILURE:])


def main(paths):
    count = {"passed": 0, "failed": 0, "skipped": 0}
    for path in map(pathlib.Path, paths):
        for case in xml.parse(path).getroot().iter("testcase"):
            for name, outcome, output in tests_of(case, path.with_suffix("")):
                count[outcome] += 1
                if outcome != "passed":
                    print(f"[test] {outcome}: {name}", file=sys.stderr)
                if outcome == "failed":
                    sys.stderr.write(text_of(output))
    print(count["passed"], count["failed"], count["skipped"])


main(sys.argv[1:])

#!/usr/bin/env python3
"""Counts the tests in JUnit files that ctest wrote: prints the names of those that failed or were
skipped to stderr, with the end of what a failed one printed, and `PASSED FAILED SKIPPED` to stdout. What neither passed nor was skipped by the
test itself (a missing program, a time-out, a disabled test) has failed."""

import sys
import xml.etree.ElementTree as xml


def outcome(case):
    if case.get("status") == "run":
        return "passed"
    reason = case.find("skipped")
    asked = reason is not None and reason.get("message", "").startswith("SKIP_")
    # ctest takes any test that prints a SKIPPED line for skipped, also one that then fails.
    broke = "[  FAILED  ]" in (case.findtext("system-out") or "")
    return "skipped" if asked and not broke else "failed"


LINES_OF_A_FAILURE = 60


def output_of(case):
    lines = (case.findtext("system-out") or "").rstrip().splitlines()
    left_out = [f"[{len(lines) - LINES_OF_A_FAILURE} lines before]"] if len(lines) > LINES_OF_A_FAILURE else []
    return "".join(f"    {line}\n" for line in left_out + lines[-LINES_OF_A_FAILURE:])


def main(paths):
    count = {"passed": 0, "failed": 0, "skipped": 0}
    for path in paths:
        for case in xml.parse(path).getroot().iter("testcase"):
            result = outcome(case)
            count[result] += 1
            if result != "passed":
                print(f"[test] {result}: {case.get('name')}", file=sys.stderr)
            if result == "failed":
                sys.stderr.write(output_of(case))
    print(count["passed"], count["failed"], count["skipped"])


main(sys.argv[1:])

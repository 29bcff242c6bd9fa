#!/usr/bin/env python3
"""Counts the tests in JUnit files that ctest wrote: prints the names of those that failed or were
skipped to stderr and `PASSED FAILED SKIPPED` to stdout. What neither passed nor was skipped by the
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


def main(paths):
    count = {"passed": 0, "failed": 0, "skipped": 0}
    for path in paths:
        for case in xml.parse(path).getroot().iter("testcase"):
            result = outcome(case)
            count[result] += 1
            if result != "passed":
                print(f"[test] {result}: {case.get('name')}", file=sys.stderr)
    print(count["passed"], count["failed"], count["skipped"])


main(sys.argv[1:])

#!/usr/bin/env python3
"""A part of a recording in which everything that it shows is still shown.

    sample.py --most N FILE.jsonl... > values.jsonl

Programs are taken from the shortest on. One is kept where it has something (an opcode of a type, an
attribute of some form) that fewer than N of those before it have.
"""
import argparse
import json
import re
from collections import Counter

from reached import instructions

NOT_TELLING = ("metadata", "to_apply", "calls", "condition", "body", "select", "scatter",
               "true_computation", "false_computation", "branch_computations",
               "control-predecessors")


def features(line):
    text = line["hlo"]
    found = {(opcode, kind) for opcode, kind, _, _ in instructions(text)}
    for opcode, _, attributes, _ in instructions(text):
        found.update((opcode, key, "" if key in NOT_TELLING else re.sub(r"[0-9]+", "#", value))
                     for key, value in attributes)
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--most", type=int, default=2)
    arguments.add_argument("files", nargs="+")
    asked = arguments.parse_args()
    lines = [line for name in asked.files for line in open(name, encoding="utf-8")]
    seen = Counter()
    for line in sorted(lines, key=len):
        found = features(json.loads(line))
        if any(seen[one] < asked.most for one in found):
            seen.update(found)
            print(line, end="")


if __name__ == "__main__":
    main()

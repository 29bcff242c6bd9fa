#!/usr/bin/env python3
"""Random HLO programs with the values that XLA's CPU backend gives them.

    record.py [--ranks] [--seed N] [--cells N] [--sets N] [--most N] > values.jsonl

Needs a Python with jax and jaxlib 0.10 (which brings XLA); tests only read the file. A line is a
module of one entry, with its values for sets of numbers:
{"hlo": text, "type": of the result, "runs": [{"inputs": {parameter: [numbers]}, "values": [...]}],
 "twin": the text with one thing changed, "twin_values": [[...], ...]}
With --ranks, programs have collectives, "ranks" says how many ranks run each of them together, and
the runs are those of the ranks.
Numbers that JSON lacks are the strings "nan", "inf" and "-inf". Inputs are multiples of 1/4, which
every floating type of 16 bits holds exactly, and integers. A text is as it was drawn, as XLA prints
it, or what XLA's compiler made of it. With --most, a program is kept only where it has something
(an opcode of a type, an attribute of some value) that fewer than N programs before it have.
"""
import argparse
import json
import random
import sys

import collectives
from cell import Cell, own_module
from draw import program, twin
from reached import features
from xla import Xla, parameters, printed

BATCH = 60


def text_and_names(xla, cell, form):
    """A module, and how it names the parameters, in their order."""
    drawn = own_module(cell)
    text = printed(drawn) if form == "printed" else xla.optimized(cell) if form == "optimized" \
        else drawn
    names = parameters(text)
    return text, [names[i] for i in range(len(cell.inputs))]


def line_of(xla, cell, other, own, others, form):
    text, names = text_and_names(xla, cell, form)
    line = {"hlo": text, "type": cell.result.kind, "runs": [
        {"inputs": {name: given[3][which] for name, given in zip(names, cell.inputs)},
         "values": own[which]} for which in range(cell.sets)]}
    if cell.grid != (1, 1):
        line["ranks"] = cell.sets
    if others is not None:
        line |= {"twin": text_and_names(xla, other, form)[0], "twin_values": others}
    return line


class Kept:
    """Which programs something is learned from."""

    def __init__(self, most):
        self.most, self.seen = most, {}

    def wants(self, line):
        if self.most is None:
            return True
        found = features(line)
        if all(self.seen.get(one, 0) >= self.most for one in found):
            return False
        for one in found:
            self.seen[one] = self.seen.get(one, 0) + 1
        return True


def record(xla, pairs, kept):
    found = iter(xla.values([one for pair in pairs for one in pair[:2] if one]))
    for cell, other, form in pairs:
        own, others = next(found), next(found) if other else None
        if own is None:
            continue
        line = line_of(xla, cell, other, own, others, form)
        if kept.wants(line):
            print(json.dumps(line, separators=(",", ":")))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--ranks", action="store_true", help="programs of several ranks")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--cells", type=int, default=400)
    arguments.add_argument("--sets", type=int, default=Cell.sets, help="of numbers, per program")
    arguments.add_argument("--most", type=int, help="programs of a kind")
    asked = arguments.parse_args()
    Cell.sets = asked.sets
    xla, kept, batches = Xla(), Kept(asked.most), {}
    for number in range(asked.seed, asked.seed + asked.cells):
        form = random.Random(f"form {number}").choices(["drawn", "printed", "optimized"],
                                                       [80, 12, 8])[0]
        cell = collectives.program(number) if asked.ranks else program(number)
        pairs = batches.setdefault(cell.grid, [])
        pairs.append((cell, None if asked.ranks else twin(cell, number), form))
        if len(pairs) == BATCH:
            record(xla, batches.pop(cell.grid), kept)
    for pairs in batches.values():
        record(xla, pairs, kept)
    for why, line in xla.refused.items():
        print(f"XLA does not take {why}\n    {line}", file=sys.stderr)


if __name__ == "__main__":
    main()

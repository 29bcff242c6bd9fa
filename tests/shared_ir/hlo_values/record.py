#!/usr/bin/env python3
"""Random HLO programs with the values that XLA's CPU backend gives them.

    record.py [--seed N] [--cells N] [--sets N] > hlo_values.jsonl

Needs a Python with jax 0.10 (jaxlib brings XLA); tests only read the file. A line is a module of
one entry, with its values for sets of numbers:
{"hlo": text, "type": of the result, "runs": [{"inputs": {parameter: [numbers]}, "values": [...]}],
 "twin": the text with one thing changed, "twin_values": [[...], ...]}
Numbers that JSON lacks are the strings "nan", "inf" and "-inf". Inputs are multiples of 1/4, which
every floating type of 16 bits holds exactly, and integers.
"""
import argparse
import json
import sys

from cell import Cell, own_module
from draw import program, twin
from xla import Xla

BATCH = 60


def write(cells, values):
    for (cell, other), (own, others) in zip(cells, values):
        if own is None:
            continue
        line = {"hlo": own_module(cell), "type": cell.result.kind, "runs": [
            {"inputs": {name.split("_")[1]: sets[which] for name, _, _, sets in cell.inputs},
             "values": own[which]} for which in range(Cell.sets)]}
        if others is not None:
            line |= {"twin": own_module(other), "twin_values": others}
        print(json.dumps(line, separators=(",", ":")))


def record(xla, cells):
    flat = xla.values([one for pair in cells for one in pair if one])
    found = iter(flat)
    write(cells, [(next(found), next(found) if other else None) for _, other in cells])


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--cells", type=int, default=400)
    arguments.add_argument("--sets", type=int, default=Cell.sets, help="of numbers, per program")
    asked = arguments.parse_args()
    Cell.sets = asked.sets
    xla, cells = Xla(), []
    for number in range(asked.seed, asked.seed + asked.cells):
        cell = program(number)
        cells.append((cell, twin(cell, number)))
        if len(cells) == BATCH:
            record(xla, cells)
            cells = []
    record(xla, cells)
    for why, line in xla.refused.items():
        print(f"XLA does not take {why}\n    {line}", file=sys.stderr)


if __name__ == "__main__":
    main()

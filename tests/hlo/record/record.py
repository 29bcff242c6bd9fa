#!/usr/bin/env python3
"""Random HLO programs with the values that XLA's CPU backend gives them.

    record.py [--ranks | --pairs] [--seed N] [--cells N] [--sets N] > full.jsonl

Needs a Python with jax and jaxlib (recorded with 0.10.2), which brings XLA; tests only read what it
wrote. The files of tests/hlo are samples (sample.py) of 36000 programs, 10000 of several ranks, and
400 pairs with 4 sets. A line is a module of one entry, with its values for sets of numbers:
{"hlo": text, "type": of the result, "runs": [{"inputs": {parameter: [numbers]}, "values": [...]}],
 "twin": the text with one thing changed, "twin_values": [[...], ...]}
With --ranks, programs have collectives, "ranks" says how many ranks run each of them together, and
the runs are those of the ranks. With --pairs, the twin is equal over the integers or real numbers,
or nearly so.
Numbers that JSON lacks are the strings "nan", "inf" and "-inf". Inputs are multiples of 1/4, which
every floating type of 16 bits holds exactly, and integers. A text is as it was drawn, as XLA prints
it, or what XLA's compiler made of it.
"""
import argparse
import json
import random
import subprocess
import sys

import collectives
import identities
from cell import Cell, own_module
from draw import program, twin
from xla import Xla, parameters, printed

BATCH = 60
AT_ONCE = 600  # numbers of a process


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


def record(xla, pairs):
    found = iter(xla.values([one for pair in pairs for one in pair[:2] if one]))
    for cell, other, form in pairs:
        own, others = next(found), next(found) if other else None
        if own is None:
            continue
        line = line_of(xla, cell, other, own, others, form)
        print(json.dumps(line, separators=(",", ":")))


def record_here(asked):
    """The programs of these numbers, in this process."""
    Cell.sets = asked.sets
    xla, batches = Xla(), {}
    for number in range(asked.seed, asked.seed + asked.cells):
        form = random.Random(f"form {number}").choices(["drawn", "printed", "optimized"],
                                                       [80, 12, 8])[0]
        if asked.pairs:
            cell, other = identities.pair(number)
        elif asked.ranks:
            cell, other = collectives.program(number), None
        else:
            cell = program(number)
            other = twin(cell, number)
        pairs = batches.setdefault(cell.grid, [])
        pairs.append((cell, other, form))
        if len(pairs) == BATCH:
            record(xla, batches.pop(cell.grid))
    for pairs in batches.values():
        record(xla, pairs)
    for why, line in xla.refused.items():
        print(f"XLA does not take {why}\n    {line}", file=sys.stderr)


def record_in_processes(asked):
    """XLA's process may die of a program: the numbers are halved until that one is left out."""
    last = asked.seed + asked.cells
    open_ranges = [(at, min(AT_ONCE, last - at)) for at in range(asked.seed, last, AT_ONCE)][::-1]
    while open_ranges:
        seed, cells = open_ranges.pop()
        found = subprocess.run(
            [sys.executable, __file__, "--here", "--seed", str(seed), "--cells", str(cells),
             "--sets", str(asked.sets)] + ["--ranks"] * asked.ranks + ["--pairs"] * asked.pairs,
            stdout=subprocess.PIPE, text=True, check=False)
        if found.returncode == 0:
            print(found.stdout, end="", flush=True)
        elif cells == 1:
            print(f"XLA's process dies of program {seed}", file=sys.stderr)
        else:
            half = cells // 2
            open_ranges += [(seed + half, cells - half), (seed, half)]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--ranks", action="store_true", help="programs of several ranks")
    arguments.add_argument("--pairs", action="store_true", help="programs that are nearly equal")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--cells", type=int, default=400)
    arguments.add_argument("--sets", type=int, default=Cell.sets, help="of numbers, per program")
    arguments.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    asked = arguments.parse_args()
    (record_here if asked.here else record_in_processes)(asked)


if __name__ == "__main__":
    main()

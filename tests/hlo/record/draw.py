"""Random programs: one instruction, or a few that read each other's results."""
import random

import contraction
import elementwise
import indexing
import movement
import structure
from cell import Cell, own_module
from draws import Draws

MODULES = [elementwise, movement, indexing, contraction, structure]
MEANT = [one for module in MODULES for one in module.MEANT]
OTHERS = [one for module in MODULES for one in module.OTHERS]
CHANGES_TRIED = 16


def drawn(draws, seed, prefix):
    cell = Cell(draws, seed, prefix)
    cell.chained = draws.chance(60)
    if not cell.chained:
        draws.choice(OTHERS if draws.chance(20) else MEANT)(cell)
        cell.drop_unread()
        return cell
    cell.special = draws.chance(10)
    # What is read at an index is a sum over all places here, of which NaN would make NaN.
    meant = [one for one in MEANT if one not in indexing.MEANT] if cell.special else MEANT
    for _ in range(draws.between(2, 6)):
        draws.choice(meant)(cell)
    if draws.chance(10):
        draws.choice(OTHERS)(cell)
    cell.drop_unread()
    return cell


def program(number):
    return drawn(Draws(number), number, f"c{number}")


def twin(cell, number):
    """The same program but for one choice, of the same parameters and result; or None."""
    rng = random.Random(f"twin {number}")
    made = cell.draws.made
    for _ in range(CHANGES_TRIED):
        at = rng.randrange(2, len(made))
        other = drawn(Draws(f"twin {number}", made[:at] + [made[at] + rng.randint(1, 5)] +
                            made[at + 1:]), number, f"m{number}")
        if cell.special and not other.special:
            continue
        alike = [i[1:3] for i in other.inputs] == [i[1:3] for i in cell.inputs]
        if alike and other.result.text == cell.result.text and \
                own_module(other) != own_module(cell):
            other.inputs = [(mine[0], *given[1:])
                            for mine, given in zip(other.inputs, cell.inputs)]
            return other
    return None

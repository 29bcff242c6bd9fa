"""Pairs of programs that are equal over the integers or the real numbers, or nearly so: what wraps
around, rounds or has another sign tells them apart. A flag, drawn last, says which one it is."""
import contraction
import elementwise
import movement
from cell import FLOATS, SIGNED, UNSIGNED, WHOLE, Cell, Value, bounds, is_float
from draws import Draws

NUMBERS = FLOATS + WHOLE
NARROW = ["s8", "u8", "s16", "u16"]
BEFORE = elementwise.MEANT + movement.MEANT + contraction.MEANT
BITS = SIGNED | UNSIGNED


def number(cell, kind, dims, value):
    text = str(float(value)) if is_float(kind) else str(value)
    return cell.call("broadcast", kind, dims, [cell.scalar(kind, text)], "dimensions={}")


def elementwise_(cell, opcode, kind, *operands):
    return cell.call(opcode, kind, operands[0].dims, list(operands))


def bounds_of(kind):
    """The largest whole number that the type holds, with all below it; at most 2048."""
    return {"bf16": 256}.get(kind, 2048) if is_float(kind) else min(bounds(kind)[1], 2048)


def flags(cell, direction, one, other):
    return cell.call("compare", "pred", one.dims, [one, other], f"direction={direction}")


def cast(cell, kind, value):
    return cell.call("convert", kind, value.dims, [value])


def whole_kind(cell, choices=WHOLE):
    return cell.draws.choice(choices if cell.draws.chance(40) else
                             [one for one in NARROW if one in choices])


def operand(cell, kind, dims=None):
    return cell.operand(kind, cell.dims(empty=False) if dims is None else dims)


def conversion_moved(cell):
    """Before or behind what is computed."""
    kind, to = whole_kind(cell), cell.draws.choice(NUMBERS)
    if cell.draws.chance(25):
        kind = cell.draws.choice(FLOATS)
    opcode = cell.draws.choice(["add", "subtract", "multiply", "maximum", "minimum", "divide",
                                "negate", "abs"])
    one = operand(cell, kind)
    if opcode in ("negate", "abs"):
        if opcode == "abs" and (kind in UNSIGNED or to in UNSIGNED):
            opcode = "negate"
        operands = [one]
    elif opcode == "divide":
        operands = [one, number(cell, kind, one.dims, cell.draws.between(2, 5))]
    else:
        operands = [one, operand(cell, kind, one.dims)]
    if cell.flag():
        cast(cell, to, elementwise_(cell, opcode, kind, *operands))
    else:
        elementwise_(cell, opcode, to, *[cast(cell, to, x) for x in operands])


def conversion_of_sum(cell):
    kind, to = whole_kind(cell), cell.draws.choice(NUMBERS)
    dims = [cell.draws.between(1, 3), cell.draws.between(2, 3)]
    x = operand(cell, kind, dims)
    opcode = cell.draws.choice(["add", "add", "maximum"])

    def total(of, value):
        function, _ = cell.combination(of, opcode)
        init = cell.scalar(of, cell.neutral(of, opcode))
        return cell.call("reduce", of, dims[:1], [value, init],
                         f"dimensions={{1}}, to_apply={function}")
    if cell.flag():
        cast(cell, to, total(kind, x))
    else:
        total(to, cast(cell, to, x))


def conversion_of_product(cell):
    kind, to = whole_kind(cell), cell.draws.choice(NUMBERS)
    rows, inner, columns = (cell.draws.between(1, 3) for _ in range(3))
    x, y = operand(cell, kind, [rows, inner]), operand(cell, kind, [inner, columns])

    def product(of, a, b):
        return cell.call("dot", of, [rows, columns], [a, b],
                         "lhs_contracting_dims={1}, rhs_contracting_dims={0}")
    if cell.flag():
        cast(cell, to, product(kind, x, y))
    else:
        product(to, cast(cell, to, x), cast(cell, to, y))


def round_trip(cell):
    kind, by = whole_kind(cell), cell.draws.choice(NUMBERS)
    if cell.draws.chance(30):
        kind = cell.draws.choice(FLOATS)
    x = operand(cell, kind)
    if cell.flag():
        cast(cell, kind, cast(cell, by, x))
    else:
        cell.call("copy", kind, x.dims, [x])


def other_way_round(cell):
    """A conversion by way of a third type."""
    kind, by, to = whole_kind(cell), cell.draws.choice(NUMBERS), whole_kind(cell)
    if cell.draws.chance(40):
        kind = cell.draws.choice(["f64", "f32"])
    x = operand(cell, kind)
    if is_float(kind) and cell.draws.chance(60):
        x = elementwise_(cell, cell.draws.choice(["floor", "round-nearest-even"]), kind, x)
    if cell.flag():
        cast(cell, to, cast(cell, by, x))
    else:
        cast(cell, to, x)


def constant_of_another_type(cell):
    kind, other, to = cell.draws.choice(NUMBERS), cell.draws.choice(NUMBERS), whole_kind(cell)
    high = 300 if bounds_of(kind) > 300 and bounds_of(other) > 300 else 120
    values = [cell.draws.between(0, high) for _ in range(3)]
    if kind not in UNSIGNED and other not in UNSIGNED:
        values = [-one if cell.draws.chance(40) else one for one in values]
    cell.parameter("s32", [2])
    of = kind if cell.flag() else other
    text = ", ".join(str(float(one)) if is_float(of) else str(one) for one in values)
    name = cell.fresh("k")
    cell.lines.append(f"{name} = {of}[3] constant({{{text}}})")
    cast(cell, to, Value(name, of, [3], True))


def undone(cell):
    """Multiplied and divided, added and subtracted, negated twice."""
    kind = whole_kind(cell) if cell.draws.chance(70) else cell.draws.choice(FLOATS)
    x = operand(cell, kind)
    by = number(cell, kind, x.dims, cell.draws.between(2, 6))
    first, second = cell.draws.choice([("multiply", "divide"), ("divide", "multiply"),
                                       ("add", "subtract"), ("subtract", "add")])
    if cell.flag():
        elementwise_(cell, second, kind, elementwise_(cell, first, kind, x, by), by)
    else:
        cell.call("copy", kind, x.dims, [x])


def shift_or_factor(cell):
    kind = whole_kind(cell)
    x, k = operand(cell, kind), cell.draws.between(1, BITS[kind] - 2)
    shift, other = cell.draws.choice([
        ("shift-left", "multiply"), ("shift-right-arithmetic", "divide"),
        ("shift-right-logical", "divide"), ("and", "remainder")])
    by = number(cell, kind, x.dims, 2 ** k - 1 if shift == "and" else k)
    factor = number(cell, kind, x.dims, 2 ** k)
    if cell.flag():
        elementwise_(cell, shift, kind, x, by)
    else:
        elementwise_(cell, other, kind, x, factor)


def complement(cell):
    kind = whole_kind(cell)
    x = operand(cell, kind)
    top = number(cell, kind, x.dims, bounds(kind)[1] if kind in UNSIGNED else
                 cell.draws.choice([-1, -1, 0, bounds(kind)[1]]))
    if cell.flag():
        elementwise_(cell, "not", kind, x)
    else:
        elementwise_(cell, cell.draws.choice(["subtract", "xor"]), kind, top, x)


def magnitude(cell):
    kind = whole_kind(cell, list(SIGNED)) if cell.draws.chance(60) else cell.draws.choice(FLOATS)
    x = operand(cell, kind)
    which = cell.draws.below(3)
    if cell.flag():
        elementwise_(cell, "abs", kind, x)
    elif which == 0:
        elementwise_(cell, "maximum", kind, x, elementwise_(cell, "negate", kind, x))
    elif which == 1:
        elementwise_(cell, "multiply", kind, x, elementwise_(cell, "sign", kind, x))
    else:
        elementwise_(cell, "copy", kind, x)


def order_by_difference(cell):
    kind = whole_kind(cell) if cell.draws.chance(70) else cell.draws.choice(FLOATS)
    x = operand(cell, kind)
    y, zero = operand(cell, kind, x.dims), number(cell, kind, x.dims, 0)
    direction = cell.draws.choice(["LT", "LE", "GT", "GE", "EQ", "NE"])
    if cell.flag():
        flags(cell, direction, x, y)
    else:
        flags(cell, direction, elementwise_(cell, "subtract", kind, x, y), zero)


def order_by_other_sign(cell):
    kind, to = cell.draws.choice([("s8", "u8"), ("u8", "s8"), ("s16", "u16"), ("s32", "u32"),
                                  ("u32", "s32"), ("u16", "s16"), ("s16", "u32"), ("s8", "u16")])
    x = operand(cell, kind)
    y = operand(cell, kind, x.dims)
    opcode = cell.draws.choice(["compare", "maximum", "divide", "shift-right-arithmetic"])
    if opcode in ("divide", "shift-right-arithmetic"):
        y = number(cell, kind, x.dims, cell.draws.between(2, 5))
    inside = cell.flag()
    a, b = (x, y) if inside else (cast(cell, to, x), cast(cell, to, y))
    if opcode == "compare":
        flags(cell, "LT", a, b)
        return
    made = elementwise_(cell, opcode, kind if inside else to, a, b)
    if inside:
        cast(cell, to, made)


def always(cell):
    """What is so of all integers that do not wrap around."""
    kind = whole_kind(cell)
    x = operand(cell, kind)
    one, zero = (number(cell, kind, x.dims, value) for value in (1, 0))
    which = cell.draws.below(4)
    if not cell.flag():
        cell.call("broadcast", "pred", x.dims, [cell.scalar("pred", "true")], "dimensions={}")
    elif which == 0:
        flags(cell, "GE", elementwise_(cell, "multiply", kind, x, x), zero)
    elif which == 1:
        flags(cell, "GT", elementwise_(cell, "add", kind, x, one), x)
    elif which == 2:
        flags(cell, "GE", elementwise_(cell, "maximum", kind, x, zero), zero)
    else:
        flags(cell, "LE", elementwise_(cell, "subtract", kind, x, one), x)


def extremum_moved(cell):
    kind = whole_kind(cell) if cell.draws.chance(70) else cell.draws.choice(FLOATS)
    x = operand(cell, kind)
    y = operand(cell, kind, x.dims)
    factor = cell.draws.choice([2, 3, -1] if kind not in UNSIGNED else [2, 3])
    by = number(cell, kind, x.dims, factor)
    opcode = cell.draws.choice(["maximum", "minimum"])
    inner = cell.draws.choice(["multiply", "add"])
    if cell.flag():
        elementwise_(cell, inner, kind, elementwise_(cell, opcode, kind, x, y), by)
    else:
        elementwise_(cell, opcode, kind, elementwise_(cell, inner, kind, x, by),
                     elementwise_(cell, inner, kind, y, by))


def division_moved(cell):
    kind = whole_kind(cell) if cell.draws.chance(80) else "f64"
    x = operand(cell, kind)
    a, b = (number(cell, kind, x.dims, cell.draws.choice([2, 3, 5, 16, 100])) for _ in range(2))
    opcode, which = cell.draws.choice(["divide", "divide", "remainder"]), cell.draws.below(3)
    y = operand(cell, kind, x.dims) if which == 1 else x
    if cell.flag():
        if which == 0:
            elementwise_(cell, opcode, kind, elementwise_(cell, opcode, kind, x, a), b)
        elif which == 1:
            elementwise_(cell, opcode, kind, elementwise_(cell, "add", kind, x, y), a)
        else:
            elementwise_(cell, "negate", kind, elementwise_(cell, opcode, kind, x, a))
    elif which == 0:
        elementwise_(cell, opcode, kind, x, elementwise_(cell, "multiply", kind, a, b))
    elif which == 1:
        elementwise_(cell, "add", kind, elementwise_(cell, opcode, kind, x, a),
                     elementwise_(cell, opcode, kind, y, a))
    else:
        elementwise_(cell, opcode, kind, elementwise_(cell, "negate", kind, x), a)


def clamped(cell):
    kind = whole_kind(cell) if cell.draws.chance(60) else cell.draws.choice(FLOATS)
    x = operand(cell, kind)
    low, high = (number(cell, kind, x.dims, cell.draws.between(0, 6)) for _ in range(2))
    if cell.flag():
        cell.call("clamp", kind, x.dims, [low, x, high])
    else:
        elementwise_(cell, "maximum", kind, elementwise_(cell, "minimum", kind, x, high), low)


def picked(cell):
    """One place by its number, or as a sum over all of them."""
    kind, size = cell.draws.choice(["f64", "s32", "s8"]), cell.draws.between(1, 4)
    whole = cell.draws.choice(["s32", "s64", "u32", "s8"])
    x = operand(cell, kind, [size])
    at = cell.parameter(whole, [], [(0, size - 1), (-2 if whole in SIGNED else 0, size + 1)])
    if cell.flag():
        one = cell.call("dynamic-slice", kind, [1], [x, at], "dynamic_slice_sizes={1}")
        cell.call("reshape", kind, [], [one])
        return
    numbers = cell.call("iota", whole, [size], [], "iota_dimension=0")
    spread = cell.call("broadcast", whole, [size], [at], "dimensions={}")
    chosen = cell.call("select", kind, [size], [flags(cell, "EQ", numbers, spread), x,
                                                number(cell, kind, [size], 0)])
    function, _ = cell.combination(kind, "add")
    cell.call("reduce", kind, [], [chosen, cell.scalar(kind, "0")],
              f"dimensions={{0}}, to_apply={function}")


def start_of_another_type(cell):
    kind, size = cell.draws.choice(["f64", "s32", "s8"]), cell.draws.between(2, 4)
    whole, to = cell.draws.choice([("s32", "u32"), ("s8", "u8"), ("s64", "s8"), ("s32", "u16"),
                                   ("u8", "s8"), ("s64", "u32"), ("s32", "s64")])
    x = operand(cell, kind, [size])
    beyond = min(bounds(whole)[1], 260)
    at = cell.parameter(whole, [], [(0, size - 1), (-2 if whole in SIGNED else 0, beyond)])
    start = at if cell.flag() else cell.call("convert", to, [], [at])
    cell.call("dynamic-slice", kind, [1], [x, start], "dynamic_slice_sizes={1}")


def function_of_reals(cell):
    """Over the real numbers, where both sides have values."""
    kind = cell.draws.choice(["f64", "f32"])
    x = operand(cell, kind)
    y, two = operand(cell, kind, x.dims), number(cell, kind, x.dims, 2)
    one, half = number(cell, kind, x.dims, 1), number(cell, kind, x.dims, 0.5)

    def call(opcode, *operands):
        return elementwise_(cell, opcode, kind, *operands)
    sides = cell.draws.choice([
        (lambda: call("power", x, two), lambda: call("multiply", x, x)),
        (lambda: call("sqrt", call("multiply", x, x)), lambda: call("abs", x)),
        (lambda: call("sqrt", call("multiply", x, x)), lambda: call("copy", x)),
        (lambda: call("power", call("power", x, two), half), lambda: call("copy", x)),
        (lambda: call("log", call("exponential", x)), lambda: call("copy", x)),
        (lambda: call("exponential", call("add", x, y)),
         lambda: call("multiply", call("exponential", x), call("exponential", y))),
        (lambda: call("divide", call("multiply", x, y), y), lambda: call("copy", x)),
        (lambda: call("rsqrt", call("abs", x)),
         lambda: call("divide", one, call("sqrt", call("abs", x)))),
        (lambda: call("logistic", x), lambda: call("divide", one, call(
            "add", one, call("exponential", call("negate", x))))),
        (lambda: call("exponential-minus-one", x), lambda: call(
            "subtract", call("exponential", x), one)),
        (lambda: call("floor", call("negate", x)), lambda: call("negate", call("ceil", x))),
        (lambda: call("floor", call("negate", x)), lambda: call("negate", call("floor", x))),
        (lambda: call("round-nearest-even", call("negate", x)),
         lambda: call("negate", call("round-nearest-even", x))),
        (lambda: call("round-nearest-even", x), lambda: call("floor", call("add", x, half))),
        (lambda: call("round-nearest-even", call("multiply", x, two)),
         lambda: call("multiply", call("round-nearest-even", x), two)),
        (lambda: call("remainder", x, two), lambda: call("subtract", x, call(
            "multiply", two, call("floor", call("divide", x, two))))),
        (lambda: call("sign", call("multiply", x, y)), lambda: call(
            "multiply", call("sign", x), call("sign", y))),
        (lambda: call("tanh", call("negate", x)), lambda: call("negate", call("tanh", x))),
        (lambda: call("cosine", call("negate", x)), lambda: call("cosine", x)),
        (lambda: call("sine", call("negate", x)), lambda: call("sine", x)),
    ])
    sides[0 if cell.flag() else 1]()


PAIRS = [conversion_moved, conversion_moved, conversion_of_sum, conversion_of_product, round_trip,
         other_way_round, constant_of_another_type, undone, shift_or_factor, complement, magnitude,
         order_by_difference, order_by_other_sign, always, extremum_moved, division_moved, clamped,
         picked, start_of_another_type, function_of_reals]


def one_of(draws, number_, prefix):
    cell = Cell(draws, f"pair {number_}", f"{prefix}{number_}")
    cell.chained = draws.chance(50)
    if cell.chained:
        draws.choice(BEFORE)(cell)
    draws.choice(PAIRS)(cell)
    cell.drop_unread()
    return cell


def pair(number_):
    """Two programs of the same inputs."""
    cell = one_of(Draws(f"pair {number_}"), number_, "c")
    made, at = cell.draws.made, cell.flag_at
    other = one_of(Draws(f"pair {number_}", made[:at] + [made[at] + 50]), number_, "m")
    if [one[1:3] for one in cell.inputs] != [one[1:3] for one in other.inputs] or \
            cell.result.text != other.result.text:
        return cell, None
    other.inputs = [(mine[0], *given[1:]) for mine, given in zip(other.inputs, cell.inputs)]
    return cell, other

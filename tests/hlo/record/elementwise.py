"""Instructions that work element by element."""
from cell import ANY, EIGHT_BITS, FLOATS, SIGNED, WHOLE, bounds, is_float

SMOOTH = ["exponential", "exponential-minus-one", "log", "log-plus-one", "logistic", "sqrt",
          "rsqrt", "sine", "cosine", "tan", "tanh", "erf", "cbrt"]
# XLA's CPU backend compiles none of these; of constants, XLA's own interpreter folds them.
FOLDED = ["asin", "acos", "sinh", "cosh", "asinh", "acosh", "atanh"]
PLAIN = ["abs", "negate", "copy"]
STEPS = ["floor", "ceil", "round-nearest-even", "round-nearest-afz", "sign"]
NUMBERS = FLOATS + WHOLE


def unary_float(cell):
    kind, dims = cell.kind(FLOATS), cell.dims()
    opcode = cell.draws.choice(SMOOTH + PLAIN + STEPS)
    cell.allow_special()
    # Rounding alone takes a number over a step, or over a pole.
    operand = cell.operand(kind, dims, exact=opcode in STEPS or opcode == "tan")
    cell.call(opcode, kind, dims, [operand], exact=opcode not in SMOOTH)


def folded(cell):
    kind, dims, opcode = cell.kind(FLOATS), cell.dims(), cell.draws.choice(FOLDED)
    cell.call(opcode, kind, dims, [cell.constant(kind, dims)], exact=False)


def unary_other(cell):
    dims = cell.dims()
    opcode = cell.draws.choice(["abs", "sign", "negate", "not", "popcnt", "count-leading-zeros",
                                "not", "copy"])
    kind = cell.kind(list(SIGNED) if opcode in ("abs", "sign") else
                     WHOLE + ["pred"] * (4 if opcode in ("not", "copy") else 0))
    cell.call(opcode, kind, dims, [cell.operand(kind, dims)])


def is_finite(cell):
    cell.allow_special()
    kind, dims = cell.kind(FLOATS), cell.dims()
    cell.call("is-finite", "pred", dims, [cell.operand(kind, dims)])


def binary(cell):
    opcode = cell.draws.choice(["add", "subtract", "multiply", "divide", "remainder", "maximum",
                                "minimum", "power", "atan2", "and", "or", "xor", "shift-left",
                                "shift-right-arithmetic", "shift-right-logical"])
    cell.allow_special()
    if opcode in ("and", "or", "xor"):
        kind = cell.kind(WHOLE + ["pred"] * 4)
    elif opcode.startswith("shift"):
        kind = cell.kind(WHOLE)
    elif opcode == "atan2":
        kind = cell.kind(FLOATS)
    elif opcode in ("add", "multiply", "maximum", "minimum"):
        kind = cell.kind(ANY)
    else:
        kind = cell.kind(NUMBERS)
    dims = cell.dims()
    exact = opcode == "remainder"
    one, other = cell.operand(kind, dims, exact), cell.operand(kind, dims, exact)
    if opcode in ("divide", "remainder") and kind in WHOLE:
        # XLA's own process dies of constants that are divided by 0, and of the least one by -1.
        bound, least = ("minimum", -2) if kind in SIGNED and cell.draws.chance(40) else \
            ("maximum", 1)
        other = cell.call(bound, kind, dims, [other, cell.call(
            "broadcast", kind, dims, [cell.scalar(kind, least)], "dimensions={}")])
    if opcode == "power" and kind in WHOLE:
        # XLA's emitters do not agree on negative exponents, and look at six bits of others.
        other = cell.call("clamp", kind, dims, [cell.scalar(kind, 0), other, cell.scalar(kind, 63)])
    elif cell.draws.chance(10) and kind not in WHOLE:
        other = one
    cell.call(opcode, kind, dims, [one, other] if cell.draws.chance(50) or kind in WHOLE
              else [other, one], exact=opcode not in ("divide", "power", "atan2") or kind in WHOLE)


def compare(cell):
    cell.allow_special()
    kind, dims = cell.kind(ANY), cell.dims()
    attributes = "direction=" + cell.draws.choice(["EQ", "NE", "LT", "LE", "GT", "GE"])
    if cell.draws.chance(30):
        attributes += ", type=" + (cell.draws.choice(["FLOAT", "FLOAT", "TOTALORDER"])
                                   if is_float(kind) else
                                   "SIGNED" if kind in SIGNED else "UNSIGNED")
    cell.call("compare", "pred", dims, [cell.operand(kind, dims, True),
                                        cell.operand(kind, dims, True)], attributes)


def select(cell):
    cell.allow_special()
    kind, dims = cell.kind(ANY), cell.dims()
    which = cell.operand("pred", [] if cell.draws.chance(15) else dims)
    cell.call("select", kind, dims, [which, cell.operand(kind, dims), cell.operand(kind, dims)])


def clamp(cell):
    cell.allow_special()
    kind, dims = cell.kind(NUMBERS), cell.dims()
    bound = [] if cell.draws.chance(50) else dims
    cell.call("clamp", kind, dims,
              [cell.operand(kind, bound), cell.operand(kind, dims), cell.operand(kind, bound)])


def convert(cell):
    source, kind, dims = cell.kind(ANY), cell.kind(ANY + EIGHT_BITS[:1]), cell.dims()
    if cell.draws.chance(8) and not cell.chained:
        source, kind = cell.draws.choice(EIGHT_BITS), cell.draws.choice(FLOATS + EIGHT_BITS)
    cell.allow_special(is_float(kind) or kind == "pred")
    cell.call("convert", kind, dims, [cell.operand(source, dims, not is_float(kind))])
    if cell.draws.chance(30):
        back = cell.kind(ANY if cell.result.exact else FLOATS)
        cell.call("convert", back, dims, [cell.result])


def bitcast_convert(cell):
    source, kind = cell.draws.choice([
        ("s32", "u32"), ("u8", "s8"), ("f32", "s32"), ("s64", "f64"), ("bf16", "u16"),
        ("u32", "f32"), ("s16", "u16"), ("f16", "s16"), ("u16", "bf16"), ("f64", "s64")])
    dims = cell.dims()
    cell.call("bitcast-convert", kind, dims, [cell.operand(source, dims)], exact=False)


def bitcast_convert_width(cell):
    narrow, wide, ratio = cell.draws.choice([("u8", "s32", 4), ("s16", "u32", 2), ("f32", "s64", 2),
                                             ("bf16", "f32", 2), ("u8", "u16", 2)])
    dims = cell.dims(most=3)
    if cell.draws.chance(50):
        cell.call("bitcast-convert", wide, dims, [cell.operand(narrow, dims + [ratio])], exact=False)
    else:
        cell.call("bitcast-convert", narrow, dims + [ratio], [cell.operand(wide, dims)], exact=False)


def reduce_precision(cell):
    kind, dims = cell.kind(["f64", "f32"]), cell.dims()
    exponent, mantissa = cell.draws.choice([(8, 7), (8, 23), (8, 10), (11, 52), (8, 5)])
    cell.call("reduce-precision", kind, dims, [cell.operand(kind, dims)],
              f"exponent_bits={exponent}, mantissa_bits={mantissa}", exact=mantissa > 20)


MEANT = [unary_float] * 4 + [folded] + [unary_other] + [binary] * 6 + [compare] * 3 + [select] * 2 + \
    [clamp] * 2 + [convert] * 4 + [reduce_precision]
OTHERS = [is_finite, bitcast_convert, bitcast_convert_width]

"""Dots, convolutions, reductions, windows, sorts."""
import math

from cell import ANY, FLOATS, WHOLE, Value, braces, is_float

NUMBERS = FLOATS + WHOLE


def dot(cell):
    draws, kind = cell.draws, cell.kind(NUMBERS)
    batch = [draws.between(1, 3) for _ in range(draws.choice([0, 0, 1, 2]))]
    inner = [draws.between(1, 3) for _ in range(draws.choice([0, 1, 1, 1, 2]))]

    def side():
        free = [draws.between(1, 3) for _ in range(draws.choice([0, 1, 1, 2]))]
        tagged = draws.shuffled(
            [("b", i, s) for i, s in enumerate(batch)] +
            [("c", i, s) for i, s in enumerate(inner)] + [("f", i, s) for i, s in enumerate(free)])
        place = {(tag, i): at for at, (tag, i, _) in enumerate(tagged)}
        left = [size for tag, _, size in tagged if tag == "f"]
        return (cell.operand(kind, [size for _, _, size in tagged]),
                [place["b", i] for i in range(len(batch))],
                [place["c", i] for i in range(len(inner))], left)

    (lhs, lb, lc, lf), (rhs, rb, rc, rf) = side(), side()
    attributes = []
    if batch:
        attributes += [f"lhs_batch_dims={braces(lb)}", f"rhs_batch_dims={braces(rb)}"]
    attributes += [f"lhs_contracting_dims={braces(lc)}", f"rhs_contracting_dims={braces(rc)}"]
    if draws.chance(10):
        attributes.append("operand_precision={highest,default}")
    if kind == "f32" and draws.chance(10):
        attributes.append("algorithm=dot_f32_f32_f32")
    wider = {"bf16": "f32", "f16": "f32", "s8": "s32", "u8": "u32", "s16": "s32"}
    result = wider[kind] if kind in wider and draws.chance(30) else kind
    cell.call("dot", result, batch + lf + rf, [lhs, rhs], ", ".join(attributes))


def spatial_window(cell, sizes, dilated=True, reversal=False):
    """A window over these dimensions: its attribute, its sizes, and how many places it has."""
    draws = cell.draws
    window, places, parts = [], [], {}
    for size in sizes:
        taps, stride = draws.between(1, 3), draws.choice([1, 1, 2])
        low, high = (draws.between(0, 2), draws.between(0, 2)) if draws.chance(50) else (0, 0)
        base, dilation = (draws.choice([1, 1, 2]), draws.choice([1, 1, 2])) if dilated else (1, 1)
        spread = (size - 1) * base + 1 if size else 0
        reach = (taps - 1) * dilation + 1
        if spread + low + high < reach:
            taps, reach = 1, 1
        window.append(taps)
        places.append((spread + low + high - reach) // stride + 1 if spread + low + high >= reach
                      else 0)
        for key, value in (("size", taps), ("stride", stride), ("pad", f"{low}_{high}"),
                           ("lhs_dilate", base), ("rhs_dilate", dilation),
                           ("rhs_reversal", int(reversal and draws.chance(30)))):
            parts.setdefault(key, []).append(str(value))
    plain = {"stride": "1", "pad": "0_0", "lhs_dilate": "1", "rhs_dilate": "1", "rhs_reversal": "0"}
    text = " ".join(f"{key}={'x'.join(values)}" for key, values in parts.items()
                    if key == "size" or set(values) != {plain[key]})
    return (f"window={{{text}}}, " if sizes else ""), window, places


def convolution(cell):
    draws, kind = cell.draws, cell.draws.choice(["f64", "f32", "f32", "s32"])
    spatial = [draws.between(1, 4) for _ in range(draws.choice([0, 1, 1, 2]))]
    window, taps, places = spatial_window(cell, spatial, reversal=True)
    groups, by_batch = draws.choice([(1, 1), (1, 1), (2, 1), (1, 2)])
    batch, rows, out = draws.between(1, 2), draws.between(1, 2), draws.between(1, 2)
    if by_batch == 2:
        batch, out = 2 * batch, 2 * out
    out *= groups

    def arranged(outer, inner, sizes, letters):
        tagged = draws.shuffled([(letters[0], outer), (letters[1], inner)] +
                                [(str(i), s) for i, s in enumerate(sizes)]) \
            if draws.chance(60) else [(letters[0], outer), (letters[1], inner)] + \
            [(str(i), s) for i, s in enumerate(sizes)]
        return "".join(tag for tag, _ in tagged), [size for _, size in tagged]

    left, left_dims = arranged(batch, rows * groups, spatial, "bf")
    right, right_dims = arranged(out, rows, taps, "oi")
    result, result_dims = arranged(batch // by_batch, out, places, "bf")
    attributes = f"{window}dim_labels={left}_{right}->{result}"
    if groups > 1 or draws.chance(5):
        attributes += f", feature_group_count={groups}"
    if by_batch > 1:
        attributes += f", batch_group_count={by_batch}"
    cell.call("convolution", kind, result_dims,
              [cell.operand(kind, left_dims), cell.operand(kind, right_dims)], attributes)


def reduce(cell):
    kind, dims = cell.kind(ANY), cell.dims(least=1)
    away = cell.draws.subset(range(len(dims)))
    function, opcode = cell.combination(kind)
    # XLA drops the initial value of a reduction of one element, and counts it once for each operand
    # of a concatenation.
    known = cell.draws.chance(85) or math.prod(dims[d] for d in away) == 1
    init = cell.scalar(kind, cell.neutral(kind, opcode)) if known else \
        cell.scalar(kind) if cell.draws.chance(80) else cell.parameter(kind, [])
    cell.call("reduce", kind, [size for d, size in enumerate(dims) if d not in away],
              [cell.operand(kind, dims) if known else cell.parameter(kind, dims), init],
              f"dimensions={braces(away)}, to_apply={function}")


def reduce_pair(cell):
    """The greatest and where it is, or two sums."""
    draws, kind, dims = cell.draws, cell.draws.choice(["f64", "s32"]), cell.dims(1, 3, False)
    away = draws.subset(range(len(dims)), 1)
    left = [size for d, size in enumerate(dims) if d not in away]
    sums = draws.chance(50)
    types = {"a": f"{kind}[]", "i": "s32[]", "b": f"{kind}[]", "j": "s32[]"}
    lines = [f"%x = {kind}[] add(%a, %b)", "%y = s32[] add(%i, %j)"] if sums else [
        f"%g = pred[] compare(%a, %b), direction={draws.choice(['GE', 'LE'])}",
        f"%x = {kind}[] select(%g, %a, %b)", "%e = pred[] compare(%a, %b), direction=EQ",
        "%m = s32[] minimum(%i, %j)", "%s = s32[] select(%g, %i, %j)",
        "%y = s32[] select(%e, %m, %s)"]
    both = f"({kind}[], s32[])"
    function = cell.computation(types, lines + [f"%r = {both} tuple(%x, %y)"], both)
    operands = [cell.operand(kind, dims), cell.operand("s32", dims), cell.scalar(kind, 0),
                cell.scalar("s32", 0)]
    cell.tuple_call("reduce", [Value("", kind, left, True), Value("", "s32", left, True)], operands,
                    f"dimensions={braces(away)}, to_apply={function}")


def map_(cell):
    kind, dims = cell.kind(NUMBERS), cell.dims(least=1)
    function, _ = cell.combination(kind, cell.draws.choice(["add", "multiply", "subtract"]))
    cell.call("map", kind, dims, [cell.operand(kind, dims), cell.operand(kind, dims)],
              f"dimensions={braces(range(len(dims)))}, to_apply={function}")


def order(cell, kind, others=()):
    """A comparator, by the first operand."""
    types = {"a": f"{kind}[]", "b": f"{kind}[]"}
    for i, other in enumerate(others):
        types |= {f"c{i}": f"{other}[]", f"d{i}": f"{other}[]"}
    a, b = cell.draws.choice([("a", "b"), ("b", "a")])
    return cell.computation(
        types, [f"%r = pred[] compare(%{a}, %{b}), direction={cell.draws.choice(['LT', 'GT'])}"],
        "pred[]")


def sort(cell):
    kind, dims = cell.kind(NUMBERS), cell.dims(least=1, empty=False)
    stable = ", is_stable=true" if cell.draws.chance(30) else ""
    along = cell.draws.below(len(dims))
    cell.call("sort", kind, dims, [cell.operand(kind, dims)],
              f"dimensions={{{along}}}{stable}, to_apply={order(cell, kind)}")


def sort_pair(cell):
    kind, dims = cell.kind(NUMBERS), cell.dims(least=1, empty=False)
    along = cell.draws.below(len(dims))
    cell.tuple_call("sort", [Value("", kind, dims, True), Value("", "s32", dims, True)],
                    [cell.operand(kind, dims), cell.operand("s32", dims)],
                    f"dimensions={{{along}}}, is_stable=true, "
                    f"to_apply={order(cell, kind, ['s32'])}")


def reduce_window(cell):
    kind, dims = cell.kind(["f64", "f32", "s32"]), cell.dims(1, 3, False)
    window, _, places = spatial_window(cell, dims)
    function, opcode = cell.combination(kind, cell.draws.choice(["add", "maximum", "minimum"]))
    init = cell.scalar(kind, cell.neutral(kind, opcode))
    cell.call("reduce-window", kind, places, [cell.operand(kind, dims), init],
              f"{window}to_apply={function}")


def select_and_scatter(cell):
    kind, dims = cell.kind(["f64", "f32", "s32"]), cell.dims(1, 2, False)
    window, _, places = spatial_window(cell, dims, dilated=False)
    scatter, _ = cell.combination(kind, "add")
    select = cell.computation(
        {"a": f"{kind}[]", "b": f"{kind}[]"},
        [f"%r = pred[] compare(%a, %b), direction={cell.draws.choice(['GE', 'LE'])}"], "pred[]")
    cell.call("select-and-scatter", kind, dims,
              [cell.operand(kind, dims), cell.operand(kind, places), cell.scalar(kind, 0)],
              f"{window}select={select}, scatter={scatter}")


def batch_norm(cell):
    draws, dims = cell.draws, [cell.draws.between(1, 3) for _ in range(cell.draws.between(2, 3))]
    feature = draws.below(len(dims))
    per = [dims[feature]]
    variance = cell.call("abs", "f32", per, [cell.operand("f32", per)])
    cell.call("batch-norm-inference", "f32", dims,
              [cell.operand("f32", dims), cell.operand("f32", per), cell.operand("f32", per),
               cell.operand("f32", per), variance],
              f"epsilon={draws.choice(['0.5', '0.25'])}, feature_index={feature}")


def cholesky(cell):
    size = cell.draws.between(1, 3)
    one = cell.operand("f32", [size, size])
    cell.call("cholesky", "f32", [size, size], [one],
              f"lower={cell.draws.choice(['true', 'false'])}", exact=False)


def triangular_solve(cell):
    draws, size, other = cell.draws, cell.draws.between(1, 3), cell.draws.between(1, 3)
    left = draws.chance(50)
    a = cell.operand("f32", [size, size])
    b = cell.operand("f32", [size, other] if left else [other, size])
    cell.call("triangular-solve", "f32", b.dims, [a, b],
              f"left_side={str(left).lower()}, lower={draws.choice(['true', 'false'])}, "
              f"unit_diagonal={draws.choice(['true', 'false'])}, "
              f"transpose_a={draws.choice(['NO_TRANSPOSE', 'TRANSPOSE'])}", exact=False)


def batch_norm_training(cell):
    dims = [cell.draws.between(1, 3) for _ in range(cell.draws.between(2, 3))]
    feature = cell.draws.below(len(dims))
    per = [dims[feature]]
    made = [Value("", "f32", dims, True), Value("", "f32", per, True), Value("", "f32", per, True)]
    cell.tuple_call("batch-norm-training", made,
                    [cell.operand("f32", dims), cell.operand("f32", per), cell.operand("f32", per)],
                    f"epsilon={cell.draws.choice(['0.5', '0.25'])}, feature_index={feature}")


def batch_norm_grad(cell):
    dims = [cell.draws.between(1, 3) for _ in range(cell.draws.between(2, 3))]
    feature = cell.draws.below(len(dims))
    per = [dims[feature]]
    made = [Value("", "f32", dims, True), Value("", "f32", per, True), Value("", "f32", per, True)]
    variance = cell.call("abs", "f32", per, [cell.operand("f32", per)])
    operands = [cell.operand("f32", dims), cell.operand("f32", per), cell.operand("f32", per),
                variance, cell.operand("f32", dims)]
    cell.tuple_call("batch-norm-grad", made, operands,
                    f"epsilon={cell.draws.choice(['0.5', '0.25'])}, feature_index={feature}")


def topk(cell):
    dims = [cell.draws.between(1, 2), cell.draws.between(2, 4)]
    k = cell.draws.between(1, dims[1])
    made = [Value("", "f32", [dims[0], k], True), Value("", "s32", [dims[0], k], True)]
    cell.tuple_call("topk", made, [cell.operand("f32", dims)],
                    f"k={k}, largest={cell.draws.choice(['true', 'false'])}")


MEANT = [dot] * 4 + [reduce] * 4
OTHERS = [convolution, convolution, reduce_pair, map_, sort, sort_pair, reduce_window,
          reduce_window, select_and_scatter, batch_norm, batch_norm_training,
          batch_norm_grad, triangular_solve, cholesky, topk]

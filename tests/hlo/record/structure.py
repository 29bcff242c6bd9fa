"""Calls, loops, branches and tuples."""
from cell import ANY, FLOATS, WHOLE, Value, shape_text

NUMBERS = FLOATS + WHOLE
STEPS = ["add", "multiply", "maximum", "minimum"]


def body_of(cell, kind, dims):
    """A computation of two tensors of that type that reads both."""
    draws, text = cell.draws, shape_text(kind, dims)
    names, lines = draws.shuffled(["%a", "%b"]), []
    for i in range(draws.between(1, 3)):
        one, other = (names[0], names[1]) if i == 0 else (names[-1], draws.choice(names))
        lines.append(f"%x{i} = {text} {draws.choice(STEPS)}({one}, {other})")
        names.append(f"%x{i}")
    return cell.computation({"a": text, "b": text}, lines, text)


def called(cell):
    kind, dims = cell.kind(NUMBERS), cell.dims()
    function = body_of(cell, kind, dims)
    operands = [cell.operand(kind, dims), cell.operand(kind, dims)]
    # XLA drops what a fusion does not need, and then takes offence at the parameter that is left.
    if cell.draws.chance(50) and operands[0] is not operands[1]:
        more = ", output_to_operand_aliasing={{}: (0, {})}" if cell.draws.chance(10) else ""
        cell.call("fusion", kind, dims, operands, f"kind=kLoop{more}, calls={function}")
    else:
        cell.call("call", kind, dims, operands, f"to_apply={function}")


def tuples(cell):
    values = [cell.operand(cell.kind(ANY), cell.dims()) for _ in range(cell.draws.between(1, 3))]
    values = [v if v.dims else cell.call("copy", v.kind, v.dims, [v]) for v in values]
    if cell.draws.chance(50):
        cell.tuple_call("tuple", values, values)
        return
    name = cell.fresh("t")
    kinds = ", ".join(v.text for v in values)
    listed = ", ".join(v.name for v in values)
    cell.lines.append(f"{name} = ({kinds}) tuple({listed})")
    whole = Value(name, "", [], all(v.exact for v in values))
    cell.tuple_call("opt-barrier", values, [whole])


def identity(cell):
    kind, dims = cell.kind(ANY), cell.dims()
    cell.call("opt-barrier", kind, dims, [cell.operand(kind, dims)])


def loop(cell):
    draws, times, kind = cell.draws, cell.draws.between(0, 4), cell.draws.choice(["f64", "s32"])
    both = f"(s32[], {kind}[2], {kind}[2])"
    order = draws.choice([("%x", "%z"), ("%y", "%z"), ("%z", "%x"), ("%y", "%x")])
    condition = cell.computation(
        {"t": both}, ["%i = s32[] get-tuple-element(%t), index=0", f"%n = s32[] constant({times})",
                      "%r = pred[] compare(%i, %n), direction=LT"], "pred[]")
    body = cell.computation(
        {"t": both}, ["%i = s32[] get-tuple-element(%t), index=0",
                      f"%one = s32[] constant({draws.choice([1, 1, 2])})",
                      "%j = s32[] add(%i, %one)", f"%x = {kind}[2] get-tuple-element(%t), index=1",
                      f"%y = {kind}[2] get-tuple-element(%t), index=2",
                      f"%z = {kind}[2] {draws.choice(['add', 'subtract'])}(%x, %y)",
                      f"%r = {both} tuple(%j, {order[0]}, {order[1]})"], both)
    values = [cell.scalar("s32", 0), cell.operand(kind, [2]), cell.operand(kind, [2])]
    state = cell.fresh("t")
    cell.lines.append(f"{state} = {both} tuple({', '.join(v.name for v in values)})")
    whole = Value(state, "", [], all(v.exact for v in values))
    cell.tuple_call("while", values, [whole], f"condition={condition}, body={body}")


def branch(cell):
    draws, kind, dims = cell.draws, cell.kind(NUMBERS), cell.dims()
    text = shape_text(kind, dims)

    def arm():
        return cell.computation({"a": text}, [f"%x = {text} {draws.choice(STEPS)}(%a, %a)"], text)
    if draws.chance(50):
        which = cell.operand("pred", [])
        attributes = f"true_computation={arm()}, false_computation={arm()}"
        count = 2
    else:
        count = draws.between(1, 3)
        which = cell.parameter("s32", [], [(0, count - 1), (-1, count + 1)])
        attributes = f"branch_computations={{{', '.join(arm() for _ in range(count))}}}"
    cell.call("conditional", kind, dims,
              [which] + [cell.operand(kind, dims) for _ in range(count)], attributes)


def ids(cell):
    cell.call(cell.draws.choice(["partition-id", "replica-id"]), "u32", [], [])


MEANT = [called, called, tuples, identity, ids]
OTHERS = [loop, branch]

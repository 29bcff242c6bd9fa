"""Instructions that say where elements go, and sources of elements."""
import math

from cell import ANY, EIGHT_BITS, FLOATS, WHOLE, braces


def iota(cell):
    kind, dims = cell.kind(FLOATS + WHOLE), cell.dims(least=1)
    cell.call("iota", kind, dims, [], f"iota_dimension={cell.draws.below(len(dims))}")


def constant(cell):
    cell.allow_special()
    kind, dims = cell.kind(ANY + EIGHT_BITS), cell.dims()
    cell.call("copy", kind, dims, [cell.constant(kind, dims)])


def broadcast(cell):
    cell.allow_special()
    kind, dims = cell.kind(ANY), cell.dims()
    chosen = cell.draws.subset(range(len(dims)))
    cell.call("broadcast", kind, dims, [cell.operand(kind, [dims[d] for d in chosen])],
              f"dimensions={braces(chosen)}")


def reshape(cell):
    kind, dims = cell.kind(ANY), cell.dims()
    count, result = math.prod(dims), []
    while count > 1:
        factor = cell.draws.choice([f for f in range(1, count + 1) if count % f == 0])
        result.append(factor)
        count //= factor
    cell.call("reshape", kind, [0] if count == 0 else result, [cell.operand(kind, dims)])


def transpose(cell):
    kind, dims = cell.kind(ANY), cell.dims()
    order = cell.draws.shuffled(range(len(dims)))
    cell.call("transpose", kind, [dims[d] for d in order], [cell.operand(kind, dims)],
              f"dimensions={braces(order)}")


def reverse(cell):
    kind, dims = cell.kind(ANY), cell.dims()
    chosen = cell.draws.sample(range(len(dims)), cell.draws.between(0, len(dims)))
    cell.call("reverse", kind, dims, [cell.operand(kind, dims)], f"dimensions={braces(chosen)}")


def slice_(cell):
    kind, dims = cell.kind(ANY), cell.dims(least=1)
    ranges, result = [], []
    for size in dims:
        start = cell.draws.between(0, size)
        limit, step = cell.draws.between(start, size), cell.draws.choice([1, 1, 2, 3])
        ranges.append(f"[{start}:{limit}:{step}]" if step > 1 or cell.draws.chance(30)
                      else f"[{start}:{limit}]")
        result.append(-(-(limit - start) // step))
    cell.call("slice", kind, result, [cell.operand(kind, dims)], f"slice={{{', '.join(ranges)}}}")


def concatenate(cell):
    kind, dims = cell.kind(ANY), cell.dims(least=1)
    along, operands, total = cell.draws.below(len(dims)), [], 0
    for _ in range(cell.draws.between(1, 3)):
        size = cell.draws.choice([dims[along], cell.draws.between(0, 3)])
        operands.append(cell.operand(kind, dims[:along] + [size] + dims[along + 1:]))
        total += size
    cell.call("concatenate", kind, dims[:along] + [total] + dims[along + 1:], operands,
              f"dimensions={{{along}}}")


def pad(cell):
    kind, dims = cell.kind(ANY), cell.dims(least=1)
    edges, result = [], []
    for size in dims:
        low, high, inner = (cell.draws.between(-2, 2), cell.draws.between(-2, 2),
                            cell.draws.choice([0, 0, 0, 1, 2]))
        length = size + max(size - 1, 0) * inner + low + high
        if length < 0:
            low, high, length = 0, 0, size + max(size - 1, 0) * inner
        edges.append(f"{low}_{high}" + (f"_{inner}" if inner else ""))
        result.append(length)
    value = cell.scalar(kind) if cell.draws.chance(70) else cell.operand(kind, [])
    cell.call("pad", kind, result, [cell.operand(kind, dims), value], "padding=" + "x".join(edges))


def dimension_size(cell):
    kind, dims = cell.kind(ANY), cell.dims(least=1)
    cell.call("get-dimension-size", "s32", [], [cell.operand(kind, dims)],
              f"dimensions={{{cell.draws.below(len(dims))}}}")


MEANT = [iota, constant, broadcast, broadcast, reshape, reshape, transpose, transpose,
         slice_, slice_, concatenate, concatenate, pad, pad]
OTHERS = [reverse, dimension_size]

"""Instructions that read and write at indices."""
from cell import ANY, SIGNED, Value, braces


def start_of(cell, kind, largest):
    """Within bounds, or beyond where it is clamped."""
    if cell.draws.chance(50):
        return cell.parameter(kind, [], [(0, largest),
                                         (-3 if kind in SIGNED else 0, largest + 2)])
    beyond = cell.draws.choice([1, 2, -3 if kind in SIGNED else 5]) if cell.draws.chance(15) else 0
    return cell.scalar(kind, cell.draws.between(0, largest) + beyond)


def dynamic_slice(cell):
    kind, dims = cell.kind(ANY), cell.dims(least=1, empty=False)
    sizes = [cell.draws.between(1, size) for size in dims]
    whole = cell.draws.choice(["s32", "s64", "u32", "s8"])
    starts = [start_of(cell, whole, size - part) for size, part in zip(dims, sizes)]
    cell.call("dynamic-slice", kind, sizes, [cell.operand(kind, dims)] + starts,
              f"dynamic_slice_sizes={braces(sizes)}")


def dynamic_update_slice(cell):
    kind, dims = cell.kind(ANY), cell.dims(least=1, empty=False)
    sizes = [cell.draws.between(1, size) for size in dims]
    whole = cell.draws.choice(["s32", "s64", "u32", "s8"])
    starts = [start_of(cell, whole, size - part) for size, part in zip(dims, sizes)]
    cell.call("dynamic-update-slice", kind, dims,
              [cell.operand(kind, dims), cell.operand(kind, sizes)] + starts)


def index_tensor(cell, batch, width, limits):
    """Indices of shape `batch` with a vector of `width` at some place; and that place."""
    kind = cell.draws.choice(["s32", "s32", "s64", "u32"])
    at = cell.draws.between(0, len(batch))
    if width == 1 and cell.draws.chance(40):
        at, dims = len(batch), list(batch)
    else:
        dims = batch[:at] + [width] + batch[at:]
    low = -2 if kind in SIGNED else 0
    limit = min(limits, default=0)
    if cell.draws.chance(25):  # the program gives them
        flat = cell.constant(kind, dims) if limit == 0 else clamped(cell, kind, dims, limit)
    else:
        flat = cell.parameter(kind, dims, [(0, limit), (low, max(limits, default=0) + 2)])
    return flat, at


def clamped(cell, kind, dims, limit):
    def nested(left):
        if not left:
            return str(cell.draws.between(0, limit))
        return "{" + ", ".join(nested(left[1:]) for _ in range(left[0])) + "}"
    name = cell.fresh("k")
    cell.lines.append(f"{name} = {kind}[{','.join(map(str, dims))}] constant({nested(dims)})")
    return Value(name, kind, dims, True)


def windows(cell):
    """How a gather reads, and a scatter writes, windows of an operand."""
    draws = cell.draws
    dims = [draws.between(1, 4) for _ in range(draws.between(1, 3))]
    rank = len(dims)
    batch = [draws.between(1, 3) for _ in range(draws.choice([0, 1, 1, 2]))]
    batching, indices_batching = [], []
    if batch and rank > 1 and draws.chance(25):
        batching, indices_batching = [draws.below(rank)], [draws.below(len(batch))]
        dims[batching[0]] = batch[indices_batching[0]]
    left = [d for d in range(rank) if d not in batching]
    mapped = draws.sample(left, draws.between(0 if rank > 1 else 1, len(left)))
    collapsed = [d for d in draws.subset(left) if draws.chance(60)]
    sizes = [1 if d in collapsed or d in batching else draws.between(1, dims[d])
             for d in range(rank)]
    offsets = [sizes[d] for d in range(rank) if d not in collapsed and d not in batching]
    total = len(batch) + len(offsets)
    offset_dims = sorted(draws.sample(range(total), len(offsets)))
    result, b, o = [], iter(batch), iter(offsets)
    for d in range(total):
        result.append(next(o) if d in offset_dims else next(b))
    limits = [dims[d] - sizes[d] for d in mapped]
    index, at = index_tensor(cell, batch, len(mapped), limits)
    if indices_batching:  # counted among the dimensions of the indices
        indices_batching = [d + (1 if at <= d and len(index.dims) > len(batch) else 0)
                            for d in indices_batching]
    return dict(dims=dims, index=index, at=at, mapped=mapped, collapsed=collapsed,
                batching=batching, indices_batching=indices_batching, sizes=sizes,
                offset_dims=offset_dims, result=result)


def simple_windows(cell):
    """Whole rows of a table by their numbers, as an embedding reads them."""
    draws = cell.draws
    dims = [draws.between(1, 5)] + [draws.between(1, 3) for _ in range(draws.choice([0, 1, 1, 2]))]
    batch = [draws.between(1, 3) for _ in range(draws.choice([0, 1, 1, 2]))]
    index, at = index_tensor(cell, batch, 1, [dims[0] - 1])
    return dict(dims=dims, index=index, at=at, mapped=[0], collapsed=[0], batching=[],
                indices_batching=[], sizes=[1] + dims[1:],
                offset_dims=list(range(len(batch), len(batch) + len(dims) - 1)),
                result=batch + dims[1:])


def hints(cell, names):
    """Promises that are not made: XLA may do anything where they do not hold."""
    return "".join(f", {name}=false" for name in names if cell.draws.chance(15))


def gather(cell):
    kind, w = cell.kind(ANY), (simple_windows if cell.draws.chance(50) else windows)(cell)
    more = f", operand_batching_dims={braces(w['batching'])}, " \
        f"start_indices_batching_dims={braces(w['indices_batching'])}" if w["batching"] else ""
    cell.call("gather", kind, w["result"], [cell.operand(kind, w["dims"]), w["index"]],
              f"offset_dims={braces(w['offset_dims'])}, "
              f"collapsed_slice_dims={braces(w['collapsed'])}, "
              f"start_index_map={braces(w['mapped'])}{more}, index_vector_dim={w['at']}, "
              f"slice_sizes={braces(w['sizes'])}" + hints(cell, ["indices_are_sorted"]))


def scatter(cell):
    kind, w = cell.kind(ANY), windows(cell)
    function, _ = cell.combination(kind)
    more = f", input_batching_dims={braces(w['batching'])}, " \
        f"scatter_indices_batching_dims={braces(w['indices_batching'])}" if w["batching"] else ""
    cell.call("scatter", kind, w["dims"],
              [cell.operand(kind, w["dims"]), w["index"], cell.operand(kind, w["result"])],
              f"update_window_dims={braces(w['offset_dims'])}, "
              f"inserted_window_dims={braces(w['collapsed'])}, "
              f"scatter_dims_to_operand_dims={braces(w['mapped'])}{more}, "
              f"index_vector_dim={w['at']}" + hints(cell, ["indices_are_sorted", "unique_indices"]) +
              f", to_apply={function}")


MEANT = [dynamic_slice, dynamic_slice, dynamic_update_slice, dynamic_update_slice, gather, gather]
OTHERS = [scatter]

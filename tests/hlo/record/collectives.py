"""Programs of several ranks: collectives, and what ranks make of their own numbers."""
import elementwise
import movement
from cell import ANY, Cell, Value, braces
from draws import Draws

GRIDS = [(4, 1), (2, 2), (1, 4), (2, 1), (1, 2), (3, 1), (1, 3)]
LOCAL = elementwise.MEANT + movement.MEANT
IDS_OF_PARTITIONS = ("collective-permute", "all-to-all")


def ids_of(cell, opcode):
    """How many ids there are, and the attributes that say of what."""
    replicas, partitions = cell.grid
    kinds = [(replicas, ""), (partitions if opcode in IDS_OF_PARTITIONS else replicas, "channel")]
    if opcode not in IDS_OF_PARTITIONS:
        kinds.append((replicas * partitions, "global"))
    count, kind = cell.draws.choice(kinds)
    if kind:
        cell.channels = getattr(cell, "channels", 0) + 1
    extra = f", channel_id={cell.channels}" if kind else ""
    if kind == "global":
        extra += ", use_global_device_ids=true"
    elif kind and opcode not in IDS_OF_PARTITIONS and cell.draws.chance(20):
        extra += ", use_global_device_ids=false"
    across = cell.grid[1] if kind == "channel" and opcode not in IDS_OF_PARTITIONS else 1
    return count, across, extra


def groups_of(cell, opcode, even=True):
    """Groups of ids: how many ranks meet in one, and the attributes that say so."""
    draws = cell.draws
    count, across, extra = ids_of(cell, opcode)
    if draws.chance(20) and "=true" not in extra and opcode != "all-to-all":
        text = draws.choice(["", "replica_groups={}, "])
        return count * across, text, extra
    size = draws.choice([n for n in range(1, count + 1) if count % n == 0])
    if draws.chance(25):
        if count == 4 and draws.chance(60):
            return size * across, f"replica_groups=[{count // size},{size}]<=[2,2]T(1,0), ", extra
        return size * across, f"replica_groups=[{count // size},{size}]<=[{count}], ", extra
    ids = draws.shuffled(range(count))
    groups = [ids[at:at + size] for at in range(0, count, size)]
    if not even and count > 2 and draws.chance(30):
        groups = [ids[:1], ids[1:]]
    listed = ",".join(braces(group) for group in groups)
    return size * across, f"replica_groups={{{listed}}}, ", extra


def reducing(cell, kind):
    opcode = cell.draws.choice(["add", "add", "maximum", "minimum", "multiply"]
                               if kind != "pred" else ["and", "or"])
    return cell.combination(kind, opcode)[0]


def several(cell, opcode, kinds, results, attributes):
    """One operand and its result, or a tuple of two."""
    operands = [cell.operand(kind, dims) for kind, dims in kinds]
    if len(kinds) == 1:
        return cell.call(opcode, *results[0], operands, attributes, exact=kinds[0][0] == "f64")
    made = [Value("", kind, dims, True) for kind, dims in results]
    return cell.tuple_call(opcode, made, operands, attributes)


def all_reduce(cell):
    kind = cell.kind(ANY)
    _, groups, extra = groups_of(cell, "all-reduce", even=False)
    kinds = [(kind, cell.dims(least=1, empty=False))
             for _ in range(2 if cell.draws.chance(20) and cell.grid[1] == 1 else 1)]
    more = ", constrain_layout=true" if cell.draws.chance(5) else ""
    several(cell, "all-reduce", kinds, kinds,
            f"{groups}to_apply={reducing(cell, kind)}{extra}{more}")


def all_gather(cell):
    kind, dims = cell.kind(ANY), cell.dims(least=1, empty=False)
    along = cell.draws.below(len(dims))
    size, groups, extra = groups_of(cell, "all-gather")
    # The CPU backend joins several operands as if along the first dimension.
    kinds = [(kind, dims)] * (2 if along == 0 and cell.draws.chance(40) else 1)
    wider = dims[:along] + [dims[along] * size] + dims[along + 1:]
    several(cell, "all-gather", kinds, [(kind, wider)] * len(kinds),
            f"{groups}dimensions={{{along}}}{extra}")


def reduce_scatter(cell):
    kind, dims = cell.kind(ANY), cell.dims(least=1, empty=False)
    along = cell.draws.below(len(dims))
    size, groups, extra = groups_of(cell, "reduce-scatter")
    wider = dims[:along] + [dims[along] * size] + dims[along + 1:]
    cell.call("reduce-scatter", kind, dims, [cell.operand(kind, wider)],
              f"{groups}dimensions={{{along}}}, to_apply={reducing(cell, kind)}{extra}")


def all_to_all(cell):
    kind, dims = cell.kind(ANY), cell.dims(least=1, empty=False)
    size, groups, extra = groups_of(cell, "all-to-all")
    if cell.draws.chance(40):
        if size == 1:
            return
        made = [Value("", kind, dims, True)] * size
        operands = [cell.operand(kind, dims) for _ in range(size)]
        cell.tuple_call("all-to-all", made, operands, f"{groups[:-2]}{extra}".removeprefix(", "))
        return
    along = cell.draws.below(len(dims))
    dims = dims[:along] + [dims[along] * size] + dims[along + 1:]
    cell.call("all-to-all", kind, dims, [cell.operand(kind, dims)],
              f"{groups}dimensions={{{along}}}{extra}")


def permute(cell):
    kind, dims = cell.kind(ANY), cell.dims(least=1, empty=False)
    count, _, extra = ids_of(cell, "collective-permute")
    sources, targets = cell.draws.shuffled(range(count)), cell.draws.shuffled(range(count))
    pairs = list(zip(sources, targets))[:cell.draws.between(0, count)]
    listed = ",".join(braces(pair) for pair in pairs)
    cell.call("collective-permute", kind, dims, [cell.operand(kind, dims)],
              f"source_target_pairs={{{listed}}}{extra}")


def own_number(cell):
    """Something that depends on which rank it is."""
    draws, dims = cell.draws, cell.dims(least=1, empty=False)
    rank = cell.call(draws.choice(["partition-id", "replica-id"]), "u32", [], [])
    if draws.chance(50):
        kind = cell.kind(ANY)
        one = cell.draws.below(len(dims))
        # XLA adds the starts of a slice of a slice before it clamps them.
        clamps = not any(" dynamic-slice(" in line for line in cell.lines)
        step = draws.between(1, 2)
        start = cell.call("multiply", "u32", [], [rank, cell.scalar("u32", step)])
        zero = cell.scalar("u32", 0)
        sizes = [draws.between(1, size) if d == one else size for d, size in enumerate(dims)]
        if not clamps:
            dims[one] = sizes[one] + step * (max(cell.grid) - 1)
        cell.call("dynamic-slice", kind, sizes,
                  [cell.operand(kind, dims)] + [start if d == one else zero
                                                for d in range(len(dims))],
                  f"dynamic_slice_sizes={braces(sizes)}")
        return
    kind = cell.kind(["f64", "f32", "s32", "s64", "u32"])
    number = rank if kind == "u32" else cell.call("convert", kind, [], [rank])
    spread = cell.call("broadcast", kind, dims, [number], "dimensions={}")
    cell.call(draws.choice(["add", "multiply", "maximum"]), kind, dims,
              [spread, cell.operand(kind, dims)])


MEETINGS = [all_reduce] * 3 + [all_gather, reduce_scatter, all_to_all, permute]


def program(number):
    draws = Draws(f"ranks {number}")
    cell = Cell(draws, f"ranks {number}", f"r{number}", draws.choice(GRIDS))
    cell.chained = True
    for _ in range(draws.between(1, 3)):
        if draws.chance(35):
            draws.choice(LOCAL)(cell)
        if draws.chance(20):
            own_number(cell)
        draws.choice(MEETINGS)(cell)
    if draws.chance(30):
        draws.choice(LOCAL)(cell)
    if cell.result is None:
        own_number(cell)
    cell.drop_unread()
    return cell

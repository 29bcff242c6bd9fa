"""A small HLO program on its way: its instructions, computations, parameters and their numbers."""
import math
import random
import re

FLOATS = ["f64", "f64", "f64", "f32", "bf16", "f16"]
EIGHT_BITS = ["f8e4m3fn", "f8e5m2"]
SIGNED = {"s8": 8, "s16": 16, "s32": 32, "s64": 64}
UNSIGNED = {"u8": 8, "u16": 16, "u32": 32}
WHOLE = list(SIGNED) + list(UNSIGNED)
ANY = FLOATS + WHOLE + ["pred"]
NOTES = ['metadata={op_name="a/b" source_file="m.py" source_line=3}', 'frontend_attributes={a="b"}',
         'backend_config="{}"', "statistics={visualizing_index=0,mean=0.5}"]


def is_float(kind):
    return kind in FLOATS or kind in EIGHT_BITS


def bounds(kind):
    bits = SIGNED.get(kind) or UNSIGNED[kind]
    return (-2 ** (bits - 1), 2 ** (bits - 1) - 1) if kind in SIGNED else (0, 2 ** bits - 1)


def shape_text(kind, dims):
    return f"{kind}[{','.join(map(str, dims))}]"


def braces(numbers):
    return "{" + ",".join(map(str, numbers)) + "}"


class Value:
    def __init__(self, name, kind, dims, exact):
        self.name, self.kind, self.dims, self.exact = name, kind, list(dims), exact

    @property
    def text(self):
        return shape_text(self.kind, self.dims)


class Cell:
    """Parameters are unnumbered ("@") until modules are made, and names start with the prefix."""
    sets = 2  # of numbers that a program runs on: in turn small ones, and some at the edges

    def __init__(self, draws, seed, prefix, grid=(1, 1)):
        """`grid`: how many replicas and partitions run it, each with a set of its own."""
        self.draws, self.prefix, self.grid = draws, prefix, grid
        if grid != (1, 1):
            self.sets = grid[0] * grid[1]
        self.numbers = [random.Random(f"{seed} {i}") for i in range(self.sets)]
        self.lines, self.computations, self.inputs, self.pool = [], [], [], []
        self.names = 0
        self.result = None
        self.read = set()  # names of values that some instruction has read
        self.chained = False  # operands may be earlier results
        self.flag_at = None
        self.special = False  # NaN and infinities are among the numbers

    def flag(self):
        """The choice between two sides of a pair."""
        self.flag_at = len(self.draws.made)
        return self.draws.chance(50)

    def allow_special(self, allowed=True):
        """NaN and infinities, in a program of this instruction alone; chains have them or not."""
        if not self.chained:
            self.special = allowed

    def fresh(self, stem="v"):
        self.names += 1
        return f"%{self.prefix}_{stem}{self.names}"

    # ---- types and shapes, those of the last result with preference ----

    def kind(self, choices):
        if self.pool and self.draws.chance(80) and self.pool[-1].kind in choices:
            return self.pool[-1].kind
        return self.draws.choice(choices)

    def dims(self, least=0, most=4, empty=True):
        if self.pool and self.draws.chance(85):
            last = self.pool[-1].dims
            if least <= len(last) <= most and (empty or 0 not in last):
                return list(last)
        rank = min(max(self.draws.choice([0, 1, 1, 2, 2, 2, 3, 3, 4]), least), most)
        sizes = [1, 2, 2, 3, 4] + ([0] if empty and self.draws.chance(5) else [])
        return [self.draws.choice(sizes) for _ in range(rank)]

    # ---- numbers ----

    def number(self, kind, which):
        rng = self.numbers[which]
        if kind == "pred":
            return rng.choice([0, 1])
        if kind in EIGHT_BITS:
            return rng.choice([0, 1, -1, 2, 0.5, -0.5, 1.5, -2.5])
        if is_float(kind):
            if which % 2 == 1 and self.special and rng.random() < 0.15:
                return rng.choice(["nan", "inf", "-inf"])
            return rng.choice([0, 1, -1, 2, 0.5, -0.5, 1.5, -2.5]) if rng.random() < 0.3 else \
                rng.randint(-16, 16) / 4
        low, high = bounds(kind)
        if which % 2 == 1 and rng.random() < 0.2:
            return rng.choice([max(low, -2 ** 40), min(high, 2 ** 40), min(high // 2 + 1, 2 ** 39)])
        return rng.randint(-9 if low < 0 else 0, 9)

    def parameter(self, kind, dims, span=None):
        """Numbers of `span` where it is given: [low, high] of small ones, [low, high] of all."""
        if self.grid != (1, 1) and not dims:  # arrays of all ranks are cut along a dimension
            return self.call("reshape", kind, [], [self.parameter(kind, [1], span)])
        count = math.prod(dims)
        sets = [[self.numbers[i].randint(*span[i % 2]) if span else self.number(kind, i)
                 for _ in range(count)] for i in range(self.sets)]
        name = self.fresh("p")
        self.inputs.append((name, kind, list(dims), sets))
        more = ", parameter_replication={false}" if self.draws.chance(1) else ""
        self.lines.append(f"{name} = {shape_text(kind, dims)} parameter(@){more}")
        return Value(name, kind, dims, True)

    def literal(self, kind, value=None):
        draws = self.draws
        if kind == "pred":
            return draws.choice(["true", "false", "1", "0"]) if value is None else str(value)
        if is_float(kind):
            if value is None:
                if self.special and kind not in EIGHT_BITS and draws.chance(10):
                    return draws.choice(["nan", "inf", "-inf"])
                far = kind == "f64" and draws.chance(6)
                value = draws.between(-4, 4) / 2 if kind in EIGHT_BITS else \
                    draws.choice([300, -200, 2048, 40000]) if far else draws.between(-16, 16) / 4
            forms = [repr(float(value)), f"{value:e}", f"{value:g}"]
            return draws.choice(forms + (["-0"] if value == 0 else []))
        low, high = bounds(kind)
        if value is None:
            value = draws.choice([low, high]) if draws.chance(10) else \
                draws.between(-9 if low < 0 else 0, 9)
        return str(value)

    def scalar(self, kind, value=None):
        name = self.fresh("k")
        text = value if isinstance(value, str) else self.literal(kind, value)
        self.lines.append(f"{name} = {kind}[] constant({text})")
        return Value(name, kind, [], True)

    def constant(self, kind, dims):
        notes = self.draws.chance(10)

        def nested(left):
            if not left:
                return self.literal(kind)
            rows = [(f"/*i{len(dims) - len(left)}={i}*/" if notes and len(left) > 1 else "") +
                    nested(left[1:]) for i in range(left[0])]
            return "{" + ", ".join(rows) + "}"
        name = self.fresh("k")
        self.lines.append(f"{name} = {shape_text(kind, dims)} constant({nested(dims)})")
        return Value(name, kind, dims, True)

    # ---- instructions ----

    def operand(self, kind, dims, exact=False):
        fit = [v for v in self.pool if not exact or v.exact]
        for alike, percent in (
                ([v for v in fit if v.kind == kind and v.dims == dims], 80),
                ([v for v in fit if v.dims == dims and kind == "f64" and v.kind != "pred"], 40),
                ([v for v in fit if v.kind == kind and math.prod(v.dims) == math.prod(dims)], 30)):
            if not alike or not self.chained or not self.draws.chance(percent):
                continue
            found = self.draws.choice([v for v in alike if v.name not in self.read] or alike)
            if found.kind != kind:
                return self.call("convert", kind, dims, [found])
            return found if found.dims == dims else self.call("reshape", kind, dims, [found])
        drawn = self.draws.below(100)
        if drawn < 12:
            return self.constant(kind, dims)
        if drawn < 24:
            return self.call("broadcast", kind, dims, [self.scalar(kind)], "dimensions={}")
        return self.parameter(kind, dims)

    def call(self, opcode, kind, dims, operands, attributes="", exact=True):
        name = self.fresh()
        more = ", " + attributes if attributes else ""
        if self.draws.chance(3):
            more += ", " + self.draws.choice(NOTES)
        if self.pool and self.draws.chance(1):
            more += f", control-predecessors={{{self.draws.choice(self.pool).name}}}"
        listed = ", ".join(v.name for v in operands)
        self.lines.append(f"{name} = {shape_text(kind, dims)} {opcode}({listed}){more}")
        exact = exact and all(v.exact for v in operands) and kind not in FLOATS[3:]
        self.result = Value(name, kind, dims, exact)
        self.pool.append(self.result)
        self.read.update(v.name for v in operands)
        return self.result

    def tuple_call(self, opcode, values, operands, attributes=""):
        """An instruction whose result is a tuple of the types of `values`; an element of it."""
        name = self.fresh("t")
        more = ", " + attributes if attributes else ""
        listed = ", ".join(v.name for v in operands)
        kinds = ", ".join(v.text for v in values)
        self.lines.append(f"{name} = ({kinds}) {opcode}({listed}){more}")
        at = self.draws.below(len(values))
        whole = Value(name, "", [], all(v.exact for v in operands))
        return self.call("get-tuple-element", values[at].kind, values[at].dims, [whole],
                         f"index={at}")

    def drop_unread(self):
        """Parameters stay, as they are what twins have in common."""
        needed, kept = {self.result.name}, []
        for line in reversed(self.lines):
            name = line.split(" ", 1)[0]
            if name in needed or " parameter(" in line:
                kept.append(line)
                needed.update(re.findall(r"%\w+", line))
        self.lines = kept[::-1]
        self.computations = [one for one in self.computations if one.split(" ", 1)[0] in needed]

    # ---- computations ----

    def computation(self, parameters, lines, root):
        """`parameters` by name, `lines` of instructions; the root is the last of them."""
        name = self.fresh("f")
        signature = ", ".join(f"{key}: {text}" for key, text in parameters.items())
        given = [f"%{key} = {text} parameter({i})"
                 for i, (key, text) in enumerate(parameters.items())]
        body = given + lines[:-1] + ["ROOT " + lines[-1]]
        self.computations.append(f"{name} ({signature}) -> {root} {{\n  " + "\n  ".join(body) +
                                 "\n}\n")
        return name

    def combination(self, kind, opcode=None):
        """A computation of two scalars."""
        opcode = opcode or self.draws.choice(
            ["add", "maximum", "minimum", "multiply"] if kind != "pred" else ["and", "or", "xor"])
        a, b = self.draws.choice([("a", "b"), ("b", "a")])
        return self.computation({"a": f"{kind}[]", "b": f"{kind}[]"},
                                [f"%r = {kind}[] {opcode}(%{a}, %{b})"], f"{kind}[]"), opcode

    def neutral(self, kind, opcode):
        """The value that `opcode` combines with any other one to that one."""
        if opcode in ("maximum", "minimum"):
            least = opcode == "maximum"
            if is_float(kind):
                return "-inf" if least else "inf"
            if kind == "pred":
                return "false" if least else "true"
            return str(bounds(kind)[0 if least else 1])
        if kind == "pred":
            return "true" if opcode in ("and", "multiply") else "false"
        return "1" if opcode == "multiply" else "-1" if opcode == "and" and kind in SIGNED else \
            str(bounds(kind)[1]) if opcode == "and" else "0"


def numbered(lines, first):
    counter = iter(range(first, first + len(lines)))
    return [re.sub("@", lambda _: str(next(counter)), line) for line in lines]


def header(cell):
    if cell.grid == (1, 1):
        return "HloModule m\n"
    return f"HloModule m, replica_count={cell.grid[0]}, num_partitions={cell.grid[1]}\n"


def module_of(cells):
    """One module that gives the results of all cells, which are of one grid."""
    text, lines, first = header(cells[0]) + "\n", [], 0
    for cell in cells:
        text += "\n".join(cell.computations)
        lines += numbered(cell.lines, first)
        first += len(cell.inputs)
    kinds = ", ".join(cell.result.text for cell in cells)
    lines.append(f"ROOT %all = ({kinds}) tuple({', '.join(cell.result.name for cell in cells)})")
    if cells[0].grid[1] > 1:
        lines = [partitioned(line) for line in lines]
    return text + "\nENTRY %main {\n  " + "\n  ".join(lines) + "\n}\n"


def partitioned(line):
    """The instruction as one of each partition: XLA takes no module whose partitions are made."""
    shape = line.split(" = ", 1)[1]
    count = 1 + shape[:shape.index(") ")].count(", ") if shape.startswith("(") else 0
    return f"{line}, sharding={{{', '.join(['{manual}'] * count) if count else 'manual'}}}"


def own_module(cell, with_partitions=False):
    lines = numbered(cell.lines, 0)
    if with_partitions and cell.grid[1] > 1:
        lines = [partitioned(line) for line in lines]
    lines[-1] = "ROOT " + lines[-1]
    text = header(cell) + "\n".join(cell.computations) + "\nENTRY %main {\n  " + \
        "\n  ".join(lines) + "\n}\n"
    return text.replace(f"%{cell.prefix}_", "%")

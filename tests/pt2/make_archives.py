#!/usr/bin/env python3
"""Exports small programs with torch.export.save, as .pt2 archives.

  make_archives.py FOLDER

FOLDER becomes a case: a two-layer perceptron, and each of its two ranks with half of the hidden
features. Beside it lie programs that an importer has to refuse: with a symbolic size, with an
operator that writes into its argument, with a graph within the graph. Exits with 77 when torch
cannot be imported. The archives in archives/ were made by this script.
"""

import pathlib
import sys

try:
    import torch
    import torch._functorch.aot_autograd  # what torch.export needs
    import torch.distributed._functional_collectives  # shapes of the collectives
except ImportError as error:
    print(f"cannot import torch: {error}")
    sys.exit(77)

CASE = """version = 1
name = "{name}"

[sequential]
graphs = ["sequential.pt2"]

[distributed]
graphs = ["rank0.pt2", "rank1.pt2"]

[groups.distributed]
"{group}" = [0, 1]

[inputs]
{inputs}
[verdict]
static = "refines"
"""
SHARDS = """x = ["x@0", "x@1"]
"up.weight" = ["concat(up.weight@0, up.weight@1; dim=0)"]
"up.bias" = ["concat(up.bias@0, up.bias@1; dim=0)"]
"down.weight" = ["concat(down.weight@0, down.weight@1; dim=1)"]
scale = ["scale@0", "scale@1"]
"""
ROWS = """x = ["concat(x@0, x@1; dim=0)"]
"""


class Perceptron(torch.nn.Module):
    """`shards` ranks hold the hidden features together; one alone needs no group."""

    def __init__(self, shards):
        super().__init__()
        self.shards = shards
        self.up = torch.nn.Linear(6, 8 // shards)
        self.down = torch.nn.Linear(8 // shards, 6, bias=False)
        self.register_buffer("scale", torch.full((6,), 0.5))

    def forward(self, x):
        hidden = torch.nn.functional.gelu(self.up(x), approximate="tanh")
        y = self.down(hidden)
        if self.shards > 1:
            y = torch.ops._c10d_functional.all_reduce(y, "sum", "tp")
            y = torch.ops._c10d_functional.wait_tensor(y)
        low, high = torch.split(y * self.scale, [2, 4], dim=-1)
        return torch.softmax(high.to(torch.float32), dim=-1), low.clamp(min=-float("inf"))


class Tables(torch.nn.Module):
    """Holds constants itself, of several types, one of them in another order than it lies."""

    def __init__(self, first, last):
        super().__init__()
        self.mask = torch.ones(4, 4, dtype=torch.bool).triu()[first:last]
        self.scales = (torch.arange(24.0) / 10).reshape(6, 4).t()[first:last]
        self.shifts = torch.tensor([0.1, -2.0, 3.5, float("inf")], dtype=torch.bfloat16)[first:last]

    def forward(self, x):
        y = torch.where(self.mask, x[:, :1], 0.0).sum(1, keepdim=True)
        y = x * self.scales + y * torch.tensor([1, 0, 2, 0, 3, 0])
        return y.clamp(max=self.shifts.to(torch.float32).unsqueeze(1))


def table(first, last):
    angles = torch.arange(4.0)[:, None] / torch.tensor([1.0, 10.0, 100.0])
    return torch.polar(torch.ones_like(angles), angles)[first:last]


class Rotated(torch.nn.Module):
    """Pairs of features turn by the angles of their position, by real numbers."""

    def __init__(self):
        super().__init__()
        self.cos, self.sin = torch.view_as_real(table(0, 4)).clone().unbind(-1)

    def forward(self, x):
        even, odd = x[:, 0::2], x[:, 1::2]
        turned = even * self.cos - odd * self.sin, even * self.sin + odd * self.cos
        return torch.stack(turned, -1).flatten(1)


class Multiplied(torch.nn.Module):
    """The same by complex numbers, of some positions."""

    def __init__(self, first, last):
        super().__init__()
        self.table = table(first, last)

    def forward(self, x):
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * self.table.to(torch.complex64)).flatten(1).type_as(x)


class Doubled(torch.nn.Module):
    def forward(self, x):
        return x * 2


class Written(torch.nn.Module):
    def forward(self, x):
        y = x + 1
        y.mul_(2)
        return y


class Choice(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda t: t + 1, lambda t: t - 1, (x,))


def without_folders(program):
    """Where this script and torch lie differs from machine to machine."""
    folders = {
        str(pathlib.Path(__file__).resolve().parent): "",
        str(pathlib.Path(torch.__file__).parent.parent): "/site-packages/",
    }
    for module in program.graph_module.modules():
        for node in module.graph.nodes:
            for folder, name in folders.items():
                trace = node.meta.get("stack_trace")
                if trace:
                    node.meta["stack_trace"] = trace.replace(f'"{folder}/', f'"{name}')
    return program


def write_case(folder, name, group, inputs):
    (folder / "case.toml").write_text(CASE.format(name=name, group=group, inputs=inputs))


def save(module, x, path, decompose=True, **options):
    program = torch.export.export(module, (x,), **options)
    if decompose:
        program = program.run_decompositions({})
    torch.export.save(without_folders(program), path)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    x = torch.ones(4, 6)
    save(Perceptron(1), x, folder / "sequential.pt2")
    for rank in range(2):
        save(Perceptron(2), x, folder / f"rank{rank}.pt2")
    write_case(folder, "tensor-parallel perceptron, exported", "tp", SHARDS)
    tables = folder / "tables"
    tables.mkdir(exist_ok=True)
    save(Tables(0, 4), x, tables / "sequential.pt2")
    for rank in range(2):
        save(Tables(2 * rank, 2 * rank + 2), x[:2], tables / f"rank{rank}.pt2")
    write_case(tables, "rows, and the constants of each", "dp", ROWS)
    rotations = folder / "complex"
    rotations.mkdir(exist_ok=True)
    save(Rotated(), x, rotations / "sequential.pt2")
    for rank in range(2):
        # One as the program calls its operators.
        save(Multiplied(2 * rank, 2 * rank + 2), x[:2], rotations / f"rank{rank}.pt2", rank == 0)
    write_case(rotations, "rotations, by complex numbers", "dp", ROWS)
    rows = torch.export.Dim("rows", min=2, max=64)
    save(Doubled(), x, folder / "symbolic.pt2", dynamic_shapes=({0: rows},))
    save(Written(), x, folder / "written.pt2", decompose=False)
    save(Choice(), x, folder / "choice.pt2")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))

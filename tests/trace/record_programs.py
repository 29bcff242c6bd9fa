#!/usr/bin/env python3
"""Records small programs with record_trace.py.

  record_programs.py FOLDER

FOLDER/program.trace is a run of what follows; FOLDER/raised.trace is of a program that raises.
Exits with 77 when torch cannot be imported.
"""

import pathlib
import sys

try:
    import torch
    import torch.distributed as dist
    import torch.distributed._functional_collectives as functional_collectives
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.testing._internal.distributed.fake_pg import FakeStore
    from torch.testing._internal.two_tensor import TwoTensor
except ImportError as error:
    print(f"cannot import torch: {error}")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "shared_ir/trace"))
from record_trace import TraceRecorder  # noqa: E402


def program(recorder):
    x = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    recorder.add("x", x)
    w = torch.nn.Parameter(torch.ones(3, 2))
    y = x * 2  # mul
    y.t()
    torch.mm(torch.mm(x, w), w.t()).sum().backward()
    torch.split(x, [1, 2], dim=1)
    y.add_(1)
    for dtype in (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2, torch.float64, torch.bool):
        x.to(dtype)
    x[0:0]
    TwoTensor(x, x + 1).neg()  # two operators on plain tensors
    with FakeTensorMode():
        torch.ones(2).exp()  # no values, and so no name
    torch.ones(2, device="meta").cos()
    dist.all_reduce(x)
    functional_collectives.all_reduce(x, "sum", dist.group.WORLD).tanh()
    torch.complex(x, x).real.exp()


def main(folder):
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=1)
    path = folder / "program.trace"
    with TraceRecorder(path, "program", rank=1, world_size=2, precision=torch.float32, seed=3) as recorder:
        program(recorder)
    try:
        with TraceRecorder(folder / "raised.trace", "raised") as recorder:
            torch.ones(2) + torch.ones(3)
    except RuntimeError:
        pass
    with TraceRecorder(folder / "empty.trace", "empty"):
        pass


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))

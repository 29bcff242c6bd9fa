"""Records a run of a PyTorch program as a trace that Assay reads (trace.h has the form).

    from record_trace import TraceRecorder

    with TraceRecorder("rank0.trace", program="train_step", rank=0, world_size=2, seed=1) as recorder:
        recorder.add("x", x)  # an input; optional
        loss = model(x).sum()
        loss.backward()

Recorded are the outputs of each operator that reaches ATen, forward and backward, by the name that
torch.fx would give to its node: mm, mm_1, and getitem, getitem_1 for each of several outputs. An
operator that writes into its argument and returns it is recorded by what it wrote. Tensor
subclasses are taken apart first: their operators on plain tensors are recorded. A collective's
result is not there yet when the call returns, so that of wait_tensor is recorded, and what later
operators make of it. Quantised, complex, sparse and meta tensors are left out. Each tensor goes to
disk as it is made. If the program raises, the trace has no end, and Assay refuses it. One thread
at a time.
"""

import ctypes
import json
import operator
import os
import sys
import zipfile

import torch
import torch.fx
from torch.utils._python_dispatch import (
    TorchDispatchMode,
    _disable_current_modes,
    is_traceable_wrapper_subclass_type,
)
from torch.utils._pytree import tree_leaves

DTYPES = (
    "bool uint8 uint16 uint32 int8 int16 int32 int64 "
    "float8_e4m3fn float8_e5m2 float16 bfloat16 float32 float64"
).split()
COLLECTIVES = ("c10d", "_c10d_functional", "_c10d_functional_autograd")


def has_data(value):
    """Not so what torch computes shapes with (FakeTensor, meta), nor a tensor around others."""
    return type(value) in (torch.Tensor, torch.nn.Parameter) and not value.is_meta


def user_line():
    """The line of the innermost caller that is neither here nor in torch; None where there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith((os.path.dirname(torch.__file__) + os.sep, __file__, "<")):
            return f"{file}:{frame.f_lineno}"
        frame = frame.f_back
    return None


class TraceRecorder(TorchDispatchMode):
    def __init__(self, file, program, rank=0, world_size=1, precision="float32", seed=None):
        super().__init__()
        self.about = {"assay_trace": 1, "program": program, "rank": rank, "world_size": world_size}
        self.about["precision"] = str(precision).removeprefix("torch.")
        self.about["producer"] = f"record_trace.py, torch {torch.__version__}"
        if seed is not None:
            self.about["seed"] = seed
        self.tensors = {}  # by name
        self.graph = torch.fx.Graph()  # knows how nodes are named
        self.archive = zipfile.ZipFile(file, "w")

    def add(self, name, tensor, op=None, source=None):
        """Records one tensor by a name that is free: letters, digits, _ . - :"""
        dtype = str(tensor.dtype).removeprefix("torch.")
        if not has_data(tensor) or dtype not in DTYPES or tensor.layout != torch.strided:
            return
        if name in self.tensors:
            raise ValueError(f"there is a tensor '{name}' already")
        entry = {"name": name, "op": op, "source": source, "dtype": dtype, "shape": list(tensor.shape)}
        entry["data"] = f"data/{len(self.tensors)}"
        self.tensors[name] = {key: value for key, value in entry.items() if value is not None}
        with _disable_current_modes():  # what is called here is not the program's
            tensor = tensor.detach().resolve_neg().cpu().contiguous()
            # Its memory as it is: some dtypes are known to torch alone.
            size = tensor.numel() * tensor.element_size()
            data = (ctypes.c_ubyte * size).from_address(tensor.data_ptr()) if size else b""
            self.archive.writestr(zipfile.ZipInfo(entry["data"]), data)

    def name_of(self, target, candidate):
        name = self.graph.create_node("call_function", target, name=candidate).name
        return name if name not in self.tensors else self.name_of(target, candidate)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if any(map(is_traceable_wrapper_subclass_type, types)):
            return NotImplemented  # what it calls comes here
        results = func(*args, **(kwargs or {}))
        if func.namespace in COLLECTIVES and not str(func).endswith(".wait_tensor.default"):
            return results
        outputs = tree_leaves(results)
        if not any(map(has_data, outputs)):
            return results
        name = self.name_of(func, func.overloadpacket.__name__)
        source = user_line()
        for output in outputs:
            if output is not results:
                name = self.name_of(operator.getitem, "getitem")
            if isinstance(output, torch.Tensor):
                self.add(name, output, str(func), source)
        return results

    def __exit__(self, error, value, traceback):
        super().__exit__(error, value, traceback)
        with self.archive:
            if error is None:
                index = {**self.about, "tensors": list(self.tensors.values())}
                self.archive.writestr(zipfile.ZipInfo("trace.json"), json.dumps(index))

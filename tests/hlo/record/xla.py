"""What XLA's CPU backend makes of programs, by way of jaxlib."""
import math
import os
import re

from cell import EIGHT_BITS, SIGNED, UNSIGNED, is_float, module_of, own_module

os.environ["JAX_ENABLE_X64"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 "
                      "--xla_llvm_disable_expensive_passes=true "
                      "--xla_cpu_use_fusion_emitters=false "
                      "--xla_cpu_parallel_codegen_split_count=1 "
                      "--xla_force_host_platform_device_count=4")

import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy  # noqa: E402
from jaxlib import _hlo, _jax, xla_client  # noqa: E402

NAMES = {"f64": "float64", "f32": "float32", "f16": "float16", "pred": "bool",
         "bf16": ml_dtypes.bfloat16, EIGHT_BITS[0]: ml_dtypes.float8_e4m3fn,
         EIGHT_BITS[1]: ml_dtypes.float8_e5m2}
NAMES |= {kind: f"int{bits}" for kind, bits in SIGNED.items()}
NAMES |= {kind: f"uint{bits}" for kind, bits in UNSIGNED.items()}
TYPES = {kind: numpy.dtype(name) for kind, name in NAMES.items()}


def json_number(value, kind):
    if not is_float(kind):
        return int(value)
    value = float(value)
    if math.isnan(value):
        return "nan"
    return value if math.isfinite(value) else "inf" if value > 0 else "-inf"


def array(numbers, kind, dims):
    return numpy.array([float(x) if isinstance(x, str) else x for x in numbers],
                       dtype=TYPES[kind]).reshape(dims)


def whole(module):
    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    return module.to_string(options)


def printed(text):
    """A module as XLA prints it: with layouts, and with other names for what has none."""
    return whole(_hlo.hlo_module_from_text(text))


def parameters(text):
    """The names of the entry's parameters, by number."""
    entry = text[text.index("\nENTRY "):]
    return {int(number): name
            for name, number in re.findall(r"%([\w.-]+) = \S+ parameter\((\d+)\)", entry)}


class Xla:
    def __init__(self):
        self.all_devices = jax.devices("cpu")
        self.client = self.all_devices[0].client
        self.refused = {}

    def compiled(self, text, grid):
        count = grid[0] * grid[1]
        options = xla_client.CompileOptions()
        options.num_replicas, options.num_partitions = grid
        build = options.executable_build_options
        build.num_replicas, build.num_partitions = grid
        build.use_spmd_partitioning = grid[1] > 1
        build.device_assignment = xla_client.DeviceAssignment.create(
            numpy.arange(count).reshape(grid))
        module = _hlo.hlo_module_from_text(text)
        program = _jax.mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
        devices = _jax.DeviceList(tuple(self.all_devices[:count]))
        return self.client.compile_and_load(program, devices, options)

    def optimized(self, cell):
        """The text of what XLA's compiler makes of the program."""
        return whole(self.compiled(own_module(cell, True), cell.grid).hlo_modules()[0])

    def over_ranks(self, pieces):
        """One array of all ranks, each of which has its piece."""
        devices = self.all_devices[:len(pieces)]
        parts = [jax.device_put(piece, device) for piece, device in zip(pieces, devices)]
        mesh = jax.sharding.Mesh(numpy.array(devices), ("rank",))
        sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("rank"))
        shape = (len(pieces) * pieces[0].shape[0], *pieces[0].shape[1:])
        return jax.make_array_from_single_device_arrays(shape, sharding, parts)

    def run(self, cells):
        """For each set of numbers, the results of all cells, which are of one grid."""
        grid, count = cells[0].grid, cells[0].sets
        ready = self.compiled(module_of(cells), grid)
        given = [[array(sets[which], kind, dims) for cell in cells
                  for _, kind, dims, sets in cell.inputs] for which in range(count)]
        if grid == (1, 1):
            made = []
            for inputs in given:
                outputs = ready.execute_sharded([jax.device_put(one) for one in inputs])
                made.append([one[0] for one in outputs.disassemble_into_single_device_arrays()])
        else:
            outputs = ready.execute_sharded([self.over_ranks(pieces) for pieces in zip(*given)])
            made = zip(*outputs.disassemble_into_single_device_arrays())
        return [[[json_number(one, cell.result.kind) for one in numpy.asarray(output).reshape(-1)]
                 for cell, output in zip(cells, outputs)] for outputs in made]

    def values(self, cells):
        """By cell, its results for each set; None where XLA does not take it."""
        if not cells:
            return []
        try:
            return [list(one) for one in zip(*self.run(cells))]
        except Exception as error:  # any of them may be what it does not take
            if len(cells) > 1:
                half = len(cells) // 2
                return self.values(cells[:half]) + self.values(cells[half:])
            opcode = cells[0].lines[-1].split("] ")[-1].split("(")[0]
            self.refused.setdefault(f"{opcode}: {str(error).splitlines()[0][:160]}",
                                    cells[0].lines[-1])
            return [None]

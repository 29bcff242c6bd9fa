"""What XLA's CPU backend makes of programs, by way of jaxlib."""
import math
import os

from cell import EIGHT_BITS, SIGNED, UNSIGNED, Cell, is_float, module_of

os.environ["JAX_ENABLE_X64"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 "
                      "--xla_llvm_disable_expensive_passes=true "
                      "--xla_cpu_use_fusion_emitters=false "
                      "--xla_cpu_parallel_codegen_split_count=1")

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


class Xla:
    def __init__(self):
        device = jax.devices("cpu")[0]
        self.client, self.devices = device.client, _jax.DeviceList((device,))
        self.refused = {}

    def run(self, cells):
        """For each set of numbers, the results of all cells."""
        module = _hlo.hlo_module_from_text(module_of(cells))
        program = _jax.mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
        ready = self.client.compile_and_load(program, self.devices, xla_client.CompileOptions())
        results = []
        for which in range(Cell.sets):
            inputs = [jax.device_put(numpy.array([float(x) if isinstance(x, str) else x
                                                  for x in sets[which]],
                                                 dtype=TYPES[kind]).reshape(dims))
                      for cell in cells for _, kind, dims, sets in cell.inputs]
            outputs = ready.execute_sharded(inputs).disassemble_into_single_device_arrays()
            results.append([[json_number(one, cell.result.kind)
                             for one in numpy.asarray(output[0]).reshape(-1)]
                            for cell, output in zip(cells, outputs)])
        return results

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

"""A module of `ttir` compiled for the processor and called, in the process of the tests."""

import ctypes
from collections.abc import Sequence

import numpy as np

from ttstack.dialects.text import print_module
from ttstack.frontends.text import parse
from ttstack.mlir import execution_engine, ir
from ttstack.passes.cpu.interface import INTERFACE, FunctionInterface
from ttstack.passes.functions import defined_functions
from ttstack.passes.pipelines import ttir_to_linalg
from ttstack.passes.weights import Weights
from ttstack.targets.cpu.compile import phases


def interface_of(module: ir.Module) -> FunctionInterface:
    (function,) = defined_functions(module)
    return FunctionInterface.from_json(ir.StringAttr(function.attributes[INTERFACE]).value)


def run_native(module: ir.Module, arrays: Sequence[np.ndarray]) -> tuple[int, list[np.ndarray]]:
    """What the module's one function of inputs returns, and its results, then arguments that it wrote to."""
    module = parse(print_module(module))
    ttir_to_linalg().with_weights(Weights()).run(module)
    interface = interface_of(module)
    for phase in phases("t").values():
        phase.run(module)
    # What LLVM optimizes is its own concern; tests of whole networks have the code that users get.
    engine = execution_engine.ExecutionEngine(module, opt_level=0, enable_pic=True)
    outputs = [np.empty(a.type.shape, a.dtype) for a in interface.outputs]
    given = [np.ascontiguousarray(a) for a in arrays]
    pointers = [ctypes.c_void_p(a) for a in (None, *(a.ctypes.data for a in (*given, *outputs)))]
    code = ctypes.c_int32(-1)
    packed = (ctypes.c_void_p * (len(pointers) + 1))(*(ctypes.addressof(p) for p in (*pointers, code)))
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(engine.raw_lookup(f"t_{interface.name}"))(packed)
    return code.value, outputs

"""A module of upstream dialects, lowered to LLVM and run by MLIR's own engine."""

import ctypes
from collections.abc import Sequence

import numpy as np

from ttstack.dialects.functions import all_functions
from ttstack.mlir import PassManager, execution_engine, ir, register_torch_dialect
from ttstack.ops.types import TensorType

PIPELINE = (
    "one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map},"
    "func.func(refback-munge-memref-copy,convert-linalg-to-loops),convert-scf-to-cf,"
    "expand-strided-metadata,lower-affine,arith-expand{include-bf16=1},convert-math-to-llvm,finalize-memref-to-llvm,"
    "convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,convert-index-to-llvm,reconcile-unrealized-casts"
)


def run(module: ir.Module, name: str, arrays: Sequence[np.ndarray], result: TensorType) -> np.ndarray:
    """What the function `name` gives; the module is lowered in place."""
    for function in all_functions(module):
        if function.name.value == name:
            function.attributes["llvm.emit_c_interface"] = ir.UnitAttr.get()
    register_torch_dialect(module.context)  # with its passes, of which one replaces copies
    PassManager.parse(f"builtin.module({PIPELINE})").run(module.operation)
    engine = execution_engine.ExecutionEngine(module)
    out = _descriptor(np.empty((0,) * result.rank, result.dtype.numpy))
    arguments = [ctypes.pointer(ctypes.pointer(_descriptor(a))) for a in (*arrays,)]
    engine.invoke(name, ctypes.pointer(ctypes.pointer(out)), *arguments)
    return _values(out, result)


def _descriptor(array: np.ndarray) -> ctypes.Structure:
    rank = array.ndim
    fields = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64)]
    if rank:
        fields += [("shape", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    kind = type("Memref", (ctypes.Structure,), {"_fields_": fields})
    made = kind(array.ctypes.data, array.ctypes.data, 0)
    if rank:
        made.shape[:] = array.shape
        made.strides[:] = [s // array.itemsize for s in array.strides]
    return made


def _values(memref: ctypes.Structure, t: TensorType) -> np.ndarray:
    start = memref.aligned + memref.offset * t.dtype.numpy.itemsize
    raw = (ctypes.c_char * (t.size * t.dtype.numpy.itemsize)).from_address(start)
    return np.frombuffer(bytes(raw), t.dtype.numpy).reshape(t.shape)

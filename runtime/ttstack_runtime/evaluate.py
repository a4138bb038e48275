"""One op on whole arrays, in the element types of the source: what constant folding asks."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ttstack.diagnostics import ExecutionError
from ttstack.ops.base import Op
from ttstack.ops.devices import Mesh
from ttstack.ops.eltwise import BitcastConvert, Typecast
from ttstack.ops.movement import Permutation
from ttstack.ops.quantization import Dequantize, DequantizeUnrolled, Quantization, Quantize, Requantize
from ttstack.ops.shape import Order
from ttstack.ops.types import QuantType
from ttstack_runtime import kernels
from ttstack_runtime.per_device import across
from ttstack_runtime.precision import Ieee

Array = np.ndarray[Any, Any]

KERNEL_FAULTS = (ValueError, TypeError, IndexError, KeyError, ArithmeticError, MemoryError)
"""What kernels, and NumPy inside of them, raise on operands or attributes that they cannot take."""


def evaluate(op: Op, operands: Sequence[Array | None]) -> tuple[Array, ...]:
    """The results of `op` on operands in the order of its places, in the NumPy types of its result types.

    Elements in another order, or under another shape, are a view of the operand where NumPy has one.

    Raises:
        ExecutionError: no kernel gives the op a reference meaning.
    """
    kernel = kernels.find(op.mnemonic)
    if kernel is None:
        raise ExecutionError(f"'{op.mnemonic}' has no reference semantics and cannot be executed")
    if op.spans_mesh:
        kernel = across(kernel, Mesh())
    reorders = isinstance(op, Order | Permutation)
    arguments = operands if reorders else map(_widen, operands)
    results: Array | tuple[Array, ...] = kernel(*arguments, **(op.attributes() | result_keywords(op)))
    arrays = results if isinstance(results, tuple) else (results,)
    with np.errstate(all="ignore"):
        typed = zip(arrays, op.results, strict=True)
        return tuple(np.asarray(a).astype(t.dtype.numpy, copy=not reorders) for a, t in typed)


def result_keywords(op: Op) -> dict[str, Any]:
    """What a kernel must be told of the result type, because neither operands nor attributes say it."""
    if "types" in op.result_fields():
        return {"types": op.results}
    if op.spans_mesh or not op.results:
        return {}
    (result, *_) = op.results
    if "type" in op.result_fields():
        return {"dtype": Ieee.held[result.dtype], "shape": result.shape}
    if isinstance(op, Quantization):
        return _quantization_keywords(op)
    if isinstance(op, BitcastConvert):
        return {"dtype": result.dtype.numpy, "source": op.input.dtype.numpy}
    return {"dtype": Ieee.held[result.dtype]} if isinstance(op, Typecast) else {}


def _quantization_keywords(op: Quantization) -> dict[str, Any]:
    """Parameters that are in types, and of a result whose parameters are operands, the integers that it takes."""
    if isinstance(op, Quantize):
        return {"target": op.dtype}
    if isinstance(op, Dequantize):
        return {"source": op.input.dtype}
    if isinstance(op, Requantize):
        return {"source": op.input.dtype, "target": op.dtype}
    if isinstance(op, DequantizeUnrolled):
        return {}
    return {"dtype": op.dtype.numpy, "limits": op.dtype.limits if isinstance(op.dtype, QuantType) else None}


def _widen(array: Array | None) -> Array | None:
    """16-bit real numbers as float32."""
    return array if array is None or array.dtype.itemsize != 2 or array.dtype.kind in "iu" else array.astype(np.float32)

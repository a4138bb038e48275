"""One op on whole arrays, in the element types of the source: what constant folding asks."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ttstack.diagnostics import ExecutionError
from ttstack.ops.base import Op
from ttstack.ops.devices import Mesh
from ttstack.ops.eltwise import BitcastConvert, Typecast
from ttstack_runtime import kernels
from ttstack_runtime.devices import across
from ttstack_runtime.precision import Ieee

Array = np.ndarray[Any, Any]


def evaluate(op: Op, operands: Sequence[Array | None]) -> tuple[Array, ...]:
    """The results of `op` on operands in the order of its places, in the NumPy types of its result types.

    Raises:
        ExecutionError: no kernel gives the op a reference meaning.
    """
    kernel = kernels.find(op.mnemonic)
    if kernel is None:
        raise ExecutionError(f"'{op.mnemonic}' has no reference semantics and cannot be executed")
    if op.spans_mesh:
        kernel = across(kernel, Mesh())
    results = kernel(*map(_widen, operands), **(op.attributes() | result_keywords(op)))
    arrays = results if isinstance(results, tuple) else (results,)
    with np.errstate(all="ignore"):
        return tuple(np.asarray(a).astype(t.dtype.numpy) for a, t in zip(arrays, op.results, strict=True))


def result_keywords(op: Op) -> dict[str, Any]:
    """What a kernel must be told of the result type, because neither operands nor attributes say it."""
    (result, *_) = op.results
    if op.spans_mesh:
        return {}
    if "type" in op.result_fields():
        return {"dtype": Ieee.held[result.dtype], "shape": result.shape}
    if isinstance(op, BitcastConvert):
        return {"dtype": result.dtype.numpy, "source": op.input.dtype.numpy}
    return {"dtype": Ieee.held[result.dtype]} if isinstance(op, Typecast) else {}


def _widen(array: Array | None) -> Array | None:
    """16-bit real numbers as float32."""
    return array if array is None or array.dtype.itemsize != 2 or array.dtype.kind in "iu" else array.astype(np.float32)

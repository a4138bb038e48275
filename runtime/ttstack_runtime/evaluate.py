"""One op on whole arrays: its kernel, with the attributes that the definition gives."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ttstack.diagnostics import ExecutionError
from ttstack.ops.base import Op
from ttstack_runtime import kernels


def evaluate(op: Op, operands: Sequence[np.ndarray[Any, Any] | None]) -> tuple[np.ndarray[Any, Any], ...]:
    """The results of `op` on operands in the order of its places, in NumPy types of the kernel's choice.

    Raises:
        ExecutionError: no kernel gives the op a reference meaning.
    """
    kernel = kernels.find(op.mnemonic)
    if kernel is None:
        raise ExecutionError(f"'{op.mnemonic}' has no reference semantics and cannot be executed")
    results = kernel(*operands, **op.attributes(), **_result_keywords(op))
    return results if isinstance(results, tuple) else (results,)


def _result_keywords(op: Op) -> dict[str, Any]:
    """What only the result type says: the NumPy type, and the shape where no attribute gives it."""
    if not op.result_fields():
        return {}
    (result,) = op.results
    return {"dtype": result.dtype.numpy} | ({"shape": result.shape} if "type" in op.result_fields() else {})

"""Constant folding with the runtime's kernels."""

import numpy as np

from ttstack.dialects.elements import elements_attribute
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import constant_elements, is_function, result_elements
from ttstack.passes.ttir.queries.producers import find_producer


class FoldConstants(
    Pass,
    name="fold-constants",
    stage=(Stage.FOLDED, Stage.PARAMETERS),
    before={"fold-parameters": "ops on constants become constants, not parameters"},
):
    """Compute ops on constants at compile time if the result is small."""

    max_bytes: int = 65536
    """Larger results are computed at run time, as constants are loaded with the program."""

    def run(self, module: ir.Module) -> None:
        """Fold to a fixpoint."""
        names = [f"ttir.{n}" for n, spec in OPS.items() if is_function(spec) and n != "constant"]
        apply_patterns(module, [(name, self._fold) for name in names])

    def _fold(self, op: ir.Operation) -> list[ir.Value] | None:
        if any(map(is_overwritten, op.results)):
            return None
        results = [read_type(result.type) for result in op.results]
        if results and not any(t.size or not isinstance(t.dtype, DType) for t in results):
            return [_constant(np.empty(t.shape, t.dtype.numpy), t) for t in results]
        if any(find_producer(v, "constant") is None for v in op.operands):
            return None
        if len(results) != 1 or not isinstance(results[0].dtype, DType) or results[0].nbytes > self.max_bytes:
            return None
        value = result_elements(op, [constant_elements(v) for v in op.operands])
        if value is None:
            return None
        return [_constant(np.asarray(value), results[0])]


def _constant(value: np.ndarray, t: TensorType) -> ir.Value:
    return ttir.constant(result=t, value=elements_attribute(value, t))

"""Row-wise ops, and the same ops on rows of one matrix."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ttstack.ops.base import Op
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.matmul import Matmul
from ttstack.ops.normalization import TrailingNorm
from ttstack.ops.reduction import Reduction, Softmax
from ttstack.ops.shape import Concat
from ttstack.passes.ttir.queries.reshaped_op import ReshapedOp

Rule = Callable[[Any], Mapping[str, Any] | None]
"""Returns the attributes of an op on a matrix; None if it is not row-wise."""


@dataclass(frozen=True)
class RowWiseOp(ReshapedOp):
    """A row-wise op, and its changes on a matrix."""

    @staticmethod
    def of(op: Op) -> "RowWiseOp | None":
        """Return the op if every result row depends only on the operands' rows and on shared operands."""
        rule = next((rule for kind, rule in _RULES.items() if isinstance(op, kind)), None)
        changed = None if rule is None or len(op.results) != 1 or op.results[0].rank < 2 else rule(op)
        if changed is None:
            return None
        row_wise = RowWiseOp(op, {**op.attributes(), **changed})
        return row_wise if all(row_wise.has_rows(i) or row_wise.is_common(i) for i in range(len(op.operands))) else None

    @property
    def lead(self) -> tuple[int, ...]:
        """The shape of the rows."""
        return self.op.results[0].shape[:-1]

    def has_rows(self, position: int) -> bool:
        """Return True if an operand has the rows of the result."""
        if isinstance(self.op, Matmul) and position == 1:
            return False
        return self.op.operands[position].shape[:-1] == self.lead

    def is_common(self, position: int) -> bool:
        """Return True if all rows share an operand: a number, a row, or the matrix of a matmul."""
        last = 2 if isinstance(self.op, Matmul) and position == 1 else 1
        shape = self.op.operands[position].shape
        number = isinstance(self.op, Eltwise) and shape == ()
        return number or (len(shape) >= last and math.prod(shape[:-last]) == 1)

    def matrix(self, position: int) -> tuple[int, ...]:
        """Return the shape of an operand for rows in a matrix."""
        shape = self.op.operands[position].shape
        if self.has_rows(position):
            return math.prod(shape[:-1]), shape[-1]
        return shape[-2:] if len(shape) > 1 else shape

    @property
    def result(self) -> tuple[int, int]:
        """The shape of the result as a matrix."""
        return math.prod(self.lead), self.op.results[0].shape[-1]


def _same(_: Op) -> Mapping[str, Any]:
    return {}


def _product(op: Matmul) -> Mapping[str, Any] | None:
    return None if op.transpose_a else {}


def _norm(op: TrailingNorm) -> Mapping[str, Any] | None:
    return {} if len(op.normalized_shape) == 1 else None


def _softmax(op: Softmax) -> Mapping[str, Any] | None:
    last = op.dimension % op.input.rank == op.input.rank - 1
    return {"dimension": 1} if last and op.mask is None else None


def _reduction(op: Reduction) -> Mapping[str, Any] | None:
    return {"dim_arg": (1,)} if op.keep_dim and op.dims == (op.input.rank - 1,) else None


def _concat(op: Concat) -> Mapping[str, Any] | None:
    rank = op.results[0].rank
    return {"dim": 1} if op.dim % rank == rank - 1 else None


def _slice(op: SliceStatic) -> Mapping[str, Any] | None:
    if op.input.shape[:-1] != op.results[0].shape[:-1] or set(op.step[:-1]) - {1}:
        return None
    rows = math.prod(op.input.shape[:-1])
    return {"begins": (0, op.begins[-1]), "ends": (rows, op.ends[-1]), "step": (1, op.step[-1])}


_RULES: Mapping[type[Op], Rule] = {
    Eltwise: _same,
    Matmul: _product,
    TrailingNorm: _norm,
    Softmax: _softmax,
    Reduction: _reduction,
    Concat: _concat,
    SliceStatic: _slice,
}

"""Linear attention of all heads as two matmuls of columns, with zeros between different heads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ttstack.dialects.base import definition_of
from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import constant, permute_dims, reshape_to, scalar
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.index_map import IndexMap
from ttstack.ops.matmul import Matmul
from ttstack.ops.movement import Permutation
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.passes.rewriting.candidates import TOO_SLOW, Declined
from ttstack.passes.rewriting.rewrite import Context, rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.movement_chain import PERMUTATIONS, before_moves, spellings, ways
from ttstack.passes.ttir.queries.producers import factor, find_producer, is_shared

_HEADS_AND_ROWS = (0, 2, 1, 3)
"""Swaps heads and tokens."""
_TRANSPOSED = (0, 3, 1, 2)
"""Moves the last dimension, tokens, to the second place."""
_Step = tuple[ir.Value, Sequence[int], Callable[[ir.Value], ir.Value]]
"""The operand of an op on heads, the order of its dimensions, and the op on columns."""


@rewrite(
    "linear-attention-by-columns",
    stage=Stage.WEIGHTS,
    after={
        "split-sliced-matmul": "queries, keys and values then have separate projections",
        "fold-scale-into-weights": "factors are folded into weights first",
    },
    before={"pad-heads": "columns of heads need no padding"},
)
def linear_attention_by_columns(op: views.Matmul, context: Context) -> ir.Value | Declined | None:
    """`matmul(q, matmul(k^T, v))` of heads = `matmul(Q, where(diagonal, matmul(K^T, V), 0))` of columns of all heads.

    It applies to heads that do not fill tiles: columns of projections are not split, and results are columns too.
    Blocks of two different heads are zero, so heads do not mix.
    """
    inner = views.Matmul.of(op.b)
    if inner is None or is_shared(op.b) or op.result_type.rank != len(_TRANSPOSED) or not op.result_type.dtype.is_float:
        return None
    heads = _Heads.of(op.described, inner.described)
    if heads is None or context.prices is None:
        return None
    if heads.width % TILE == 0 and heads.result_width % TILE == 0:
        return Declined("heads fill tiles")
    columns = (
        _columns(op.a, _HEADS_AND_ROWS, heads.width),
        _columns(inner.a, _HEADS_AND_ROWS if inner.described.transpose_a else _TRANSPOSED, heads.width),
        _columns(inner.b, _TRANSPOSED if inner.described.transpose_b else _HEADS_AND_ROWS, heads.result_width),
    )
    q, k, v = columns
    if q is None or k is None or v is None:
        return None
    widths = (heads.width, heads.width, heads.result_width)
    splits = [spellings(heads.flat(width), heads.split(width))[0] for width in widths]
    now = [op.described, inner.described, *(move for moves in splits for move in moves)]
    full = ttir.matmul(k, v, transpose_a=True)
    diagonal = np.kron(np.eye(heads.count), np.ones((heads.width, heads.result_width)))[None] != 0
    mask = constant(diagonal, TensorType(diagonal.shape, DType.I1))
    own = ttir.where(mask, full, scalar(0, read_type(full.type)))
    result = ttir.matmul(q, own)
    then = [definition_of(built) for built in map(defining_op, (full, own, result)) if built is not None]
    if context.prices.sum_of(then) >= context.prices.sum_of(now):
        return TOO_SLOW
    shape = (heads.batch, heads.rows, heads.count, heads.result_width)
    return permute_dims(reshape_to(result, shape), _HEADS_AND_ROWS)


@dataclass(frozen=True)
class _Heads:
    """The extents of linear attention."""

    result: TensorType
    batch: int
    count: int
    rows: int
    """Number of query tokens."""
    width: int
    result_width: int

    @staticmethod
    def of(outer: Matmul, inner: Matmul) -> "_Heads | None":
        """Read the extents of two matmuls; None for one head or few tokens."""
        batch, count, rows, result_width = outer.results[0].shape
        if outer.transpose_a or outer.transpose_b or outer.activation or inner.activation:
            return None
        is_plain = {outer.a.shape[:-2], inner.a.shape[:-2], inner.b.shape[:-2]} == {(batch, count)}
        if count == 1 or not is_plain or min(rows, inner.mnk[2]) < TILE:
            return None
        return _Heads(outer.results[0], batch, count, rows, outer.mnk[2], result_width)

    def flat(self, width: int) -> TensorType:
        """Return the type of columns of all heads of a width."""
        return self.result.with_shape((self.batch, self.rows, self.count * width))

    def split(self, width: int) -> IndexMap:
        """Return the map from columns to heads of a width."""
        heads = IndexMap.identity(self.flat(width).shape).reshape((self.batch, self.rows, self.count, width))
        assert heads is not None
        return heads.permute(_HEADS_AND_ROWS)


def _columns(heads: ir.Value, order: Sequence[int], width: int) -> ir.Value | None:
    """Build the columns [batch, tokens, heads * width] that heads are a permutation of; None if moves would remain.

    Softmax over tokens and factors are computed on columns.
    """
    batch, tokens, count, _ = (read_type(heads.type).shape[d] for d in order)
    shape = (batch, tokens, count * width)
    for moves, moved in ways(heads):
        by = moved.permute(order).reshape(shape)
        if by is not None and by.keeps_order and _splits(moves[0].operands[0], width):
            return reshape_to(moves[0].operands[0], shape)
    step = None if is_shared(heads) else _last_step(heads, order)
    if step is None:
        return None
    operand, order, build = step
    columns = _columns(operand, order, width)
    return None if columns is None else build(columns)


def _last_step(heads: ir.Value, order: Sequence[int]) -> _Step | None:
    if (move := pure_producer(heads, *PERMUTATIONS)) is not None:
        permutation = definition_of(move)
        assert isinstance(permutation, Permutation)
        return move.operands[0], [permutation.order[d] for d in order], lambda columns: columns
    softmax = views.Softmax.of(heads)
    if softmax is not None and softmax.mask is None and softmax.dimension % len(order) == order[1]:
        return softmax.input, order, partial(ttir.softmax, dimension=1, numericStable=softmax.numericStable)
    if (scaled := factor(heads)) is not None:
        x, number = scaled
        return x, order, lambda columns: ttir.multiply(columns, scalar(number, read_type(columns.type)))
    return None


def _splits(source: ir.Value, width: int) -> bool:
    """Return True for a matmul's result with columns of several heads."""
    is_matmul = find_producer(before_moves(source)[0], "matmul", "linear") is not None
    return is_matmul and read_type(source.type).shape[-1] > width

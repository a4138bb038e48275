"""Concatenation of rows within tiles as a sum of matmuls with 0/1 matrices."""

import math
from collections.abc import Iterator, Sequence
from functools import partial, reduce
from itertools import accumulate

import numpy as np

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import constant, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.passes.rewriting.candidates import Candidate
from ttstack.passes.rewriting.rewrite import Context, rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.movement.gather_rows_and_columns import MOST_SELECTION_ELEMENTS
from ttstack.passes.ttir.queries.compile_time import is_known

_MOST_COMPUTED = 3
"""Maximum number of computed parts: each is a separate matmul."""


@rewrite(
    "concat-rows-by-matmul",
    if_faster=True,
    placed=True,
    stage=Stage.KERNELS,
    after={"gather-rows-and-columns": "slices of one tensor become one lookup"},
)
def concat_rows_by_matmul(op: views.Concat, context: Context) -> Iterator[Candidate]:
    """`concat(c, x)` along rows = `selection @ x + pad(c)`, if a part begins within a tile.

    The library concatenates such rows in row-major order, element by element. A class token before patches is constant
    and only added; text and image of joint attention are a sum of two matmuls. These are exact for bf16 values; a
    non-finite element makes its whole column NaN.
    """
    assert context.prices is not None
    t = op.result_type
    if not t.dtype.is_float or t.rank < len("rc") or op.dim % t.rank != t.rank - 2 or math.prod(t.shape[:-2]) != 1:
        return
    parts = [*op.operation.operands]
    rows = [read_type(v.type).shape[-2] for v in parts]
    computed = [n for v, n in zip(parts, rows, strict=True) if not is_known(v)]
    held = context.prices.format_of(t)
    if held is not DType.BF16 or not 0 < len(computed) <= _MOST_COMPUTED or is_known(op.first_result):
        return
    if max(computed) * t.shape[-2] > MOST_SELECTION_ELEMENTS or all(at % TILE == 0 for at in accumulate(rows[:-1])):
        return
    yield partial(_sum, parts, rows, t)


def _sum(parts: Sequence[ir.Value], rows: Sequence[int], t: TensorType) -> ir.Value:
    begins = [*accumulate(rows, initial=0)]
    placed = [_place(v, begin, t) for v, begin in zip(parts, begins, strict=False)]
    known = [value for v, value in zip(parts, placed, strict=True) if is_known(v)]
    computed = [value for v, value in zip(parts, placed, strict=True) if not is_known(v)]
    sums = [reduce(ttir.add, values) for values in (computed, known) if values]
    return reshape_to(reduce(ttir.add, sums), t.shape)


def _place(part: ir.Value, begin: int, t: TensorType) -> ir.Value:
    """Place rows of a part at their position among zeros; constant parts are padded at compile time."""
    (height, width), count = t.shape[-2:], read_type(part.type).shape[-2]
    matrix = reshape_to(part, (count, width))
    if is_known(part):
        return ttir.pad(matrix, padding=(begin, height - begin - count, 0, 0), value=0.0)
    ones = np.arange(height)[:, None] == np.arange(begin, begin + count)
    return ttir.matmul(constant(ones.astype(t.dtype.numpy), t.with_shape(ones.shape)), matrix)

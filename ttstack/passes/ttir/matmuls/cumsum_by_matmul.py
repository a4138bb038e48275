"""`cumsum` as matmuls with triangular matrices, in blocks whose totals are scanned recursively."""

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import cast, constant, reshape_to, slice_along
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.shapes import axis
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.passes.rewriting.candidates import Candidate
from ttstack.passes.rewriting.rewrite import Context, rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.facts.value_bounds import SIGNIFICANT_BITS, bounds
from ttstack.placement.options import Formats

_BLOCKS = tuple(TILE << i for i in range(6))
"""Block sizes; the triangular matrix of the largest takes 4 MiB in f32."""
_FACTOR_BITS = SIGNIFICANT_BITS[DType.BF16]
"""Significant bits that the multiplier uses of both operands: it uses 9 of the first and 11 of the second."""

Scan = Callable[[ir.Value, int, int], ir.Value]
"""Scans a value along a dimension counted from the end; each sum includes the element `offset` further on."""


@rewrite("cumsum-by-matmul", if_faster=True, stage=Stage.OPERANDS)
def cumsum_by_matmul(op: views.Cumsum, context: Context) -> Iterator[Candidate]:
    """`cumsum(x)` = `x @ triangle(1)`, in blocks as XLA's `reduce-window-rewriter`: the kernel adds row by row.

    Rows are divided into blocks, and the sum of all earlier blocks is added to the scan of each. Real numbers in f32
    become the sum of two bf16 numbers, as the multiplier truncates its operands. Integers are added by matmuls as long
    as no sum is rounded in the format of activations, and otherwise as `sum(x * triangle(1))`. A non-finite element
    makes its whole row NaN, including earlier sums.
    """
    assert context.prices is not None
    formats = Formats.model_validate_json(context.prices.formats)
    t = op.described.results[0]
    if not t.size or not isinstance(t.dtype, DType):
        return
    dim = axis(op.dim, t.rank)
    real = t.dtype if t.dtype.is_float else DType.F32
    held = formats.activation_format(real)
    product = _multiply_in_parts if held is DType.F32 and t.dtype.is_float else _multiply
    before = product if t.dtype.is_float else _sum_masked
    exact = math.inf if t.dtype.is_float else _longest_exact_sum(op.input, held)
    for block in sorted({min(block, t.shape[dim]) for block in _BLOCKS}):
        if block <= exact:
            yield partial(_scan_blocks, _without_casts(op.input), t, dim, block, real, (product, before))
        if not t.dtype.is_float:
            yield partial(_scan_blocks, op.input, t, dim, block, t.dtype, (before, before))


def _longest_exact_sum(x: ir.Value, held: DType) -> float:
    """Return the number of integers whose sum is exact in a format; 0 if an element can be rounded."""
    largest = max(map(abs, bounds(x)))
    return 2 ** SIGNIFICANT_BITS.get(held, 0) // max(largest, 1) if largest <= 2**_FACTOR_BITS else 0


def _without_casts(x: ir.Value) -> ir.Value:
    """Return the truth values that were cast to `x`; `x` itself without a cast."""
    source = x
    while (typecast := views.Typecast.of(source)) is not None:
        source = typecast.input
    return source if read_type(source.type).dtype is DType.I1 else x


def _scan_blocks(x: ir.Value, t: TensorType, dim: int, block: int, dtype: DType, scans: tuple[Scan, Scan]) -> ir.Value:
    """Scan blocks along a dimension in an element type, and add to each the sum of the blocks before it."""
    lead, count, trail = t.shape[:dim], t.shape[dim], math.prod(t.shape[dim + 1 :])
    blocks, columns = -(-count // block), () if trail == 1 else (trail,)
    x = reshape_to(cast(x, dtype), (*lead, count, *columns))
    if blocks * block > count:
        x = ttir.pad(x, padding=(*(0, 0) * dim, 0, blocks * block - count, *(0, 0) * len(columns)), value=0.0)
    in_blocks = lead if blocks == 1 else (*lead, blocks)
    within_block, across_blocks = scans
    sums = within_block(reshape_to(x, (*in_blocks, block, *columns)), -1 - len(columns), 0)
    sums = cast(sums, t.dtype)
    if blocks > 1:
        totals = reshape_to(slice_along(sums, dim + 1, block - 1, block), (*in_blocks, trail))
        if blocks <= _BLOCKS[-1]:
            before = across_blocks(totals, -2, -1)
        else:
            before = ttir.subtract(ttir.cumsum(totals, dim=dim), totals)
        sums = ttir.add(sums, reshape_to(before, (*in_blocks, 1, *columns)))
        sums = slice_along(reshape_to(sums, (*lead, blocks * block, *columns)), dim, 0, count)
    return reshape_to(sums, t.shape)


def _multiply(x: ir.Value, along: int, offset: int) -> ir.Value:
    """Scan by a matmul with a triangular matrix, from the right along the last dimension."""
    t = read_type(x.type)
    ones = np.tri(t.shape[along], k=offset)
    triangle = constant(ones.T if along == -1 else ones, TensorType(ones.shape, t.dtype))
    return ttir.matmul(x, triangle) if along == -1 else ttir.matmul(triangle, x)


def _multiply_in_parts(x: ir.Value, along: int, offset: int) -> ir.Value:
    """Scan by two matmuls, of `x` in bf16 and of the remainder."""
    high = cast(cast(x, DType.BF16), read_type(x.type).dtype)
    return ttir.add(_multiply(high, along, offset), _multiply(ttir.subtract(x, high), along, offset))


def _sum_masked(x: ir.Value, along: int, offset: int) -> ir.Value:
    """Scan integers by a sum for each element, with later ones set to zero."""
    t = read_type(x.type)
    dim, count, trailing = t.rank + along, t.shape[along], (1,) * (-1 - along)
    triangle = TensorType((count, count, *trailing), t.dtype)
    ones = constant(np.tri(count, k=offset).reshape(triangle.shape), triangle)
    rows = reshape_to(x, (*t.shape[:dim], 1, *t.shape[dim:]))
    return ttir.sum(ttir.multiply(rows, ones), keep_dim=False, dim_arg=(dim + 1,))

"""Splits of float32 tables into bf16 tables, the only real format that the library's lookups support."""

from functools import reduce

import numpy as np

from ttstack.dialects.signature import weight_of
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import DType
from ttstack.passes.rewriting.candidates import Assuming, Declined
from ttstack.passes.rewriting.rewrite import Context, rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import elements, is_known, parameters

_PARTS = 3
"""Number of bf16 tables, of 8 bits each, whose sum has the 24 bits of float32."""
_MOST_BYTES = 1 << 28
"""Larger parts are computed on the device: `fold-parameters` folds at most this many bytes."""


@rewrite(
    "split-float32-tables",
    if_faster=True,
    stage=Stage.TABLES,
    after={
        "embedding-bags-by-matmul": "it creates lookups from bags",
        "merge-embedding-tables": "it merges tables of one type",
        "cast-lookup-indices": "all parts of a table share the cast indices",
    },
    before={"fold-parameters": "it computes the parts of a table"},
)
def split_float32_tables(op: views.Embedding | views.EmbeddingBag, context: Context) -> Assuming | Declined | None:
    """`embedding(i, w)` = `embedding(i, high) + embedding(i, mid) + embedding(i, low)`: bf16 tables whose sum is `w`.

    The library looks up rows of bf16 only, and would split a float32 table at every run. `fold-parameters` computes the
    parts at compile time instead. The sum is exact: a table whose values fit bf16 needs one part, and a table that
    three parts cannot represent is unchanged. Pooled lookups become lookups and a reduction.
    """
    table = op.weight
    t, prices = read_type(table.type), context.prices
    if t.dtype is not DType.F32 or prices is None or not is_known(table):
        return None
    if {prices.format_of(t), prices.format_of(t.with_dtype(DType.BF16))} != {DType.F32, DType.BF16}:
        return Declined("the device does not hold both float32 and bf16")
    if t.size * 2 > _MOST_BYTES:
        return Declined("the table is too large to be computed at compile time")
    if isinstance(op, views.EmbeddingBag) and (op.offsets is not None or op.described.padding_idx != -1):
        return Declined("bags have different numbers of rows")
    values = _values(table, context)
    count = _PARTS if values is None else count_parts(values)
    if count is None:
        return Declined("three values of bf16 do not add up to each value of the table")
    return Assuming(lambda: _rows_of_parts(op, count), lambda: context.weights.assume_finite(_names(table)))


def count_parts(table: "np.ndarray[tuple[int, ...], np.dtype[np.float32]]") -> int | None:
    """Return how many tables of bf16 add up to a table of float32; None if three do not."""
    rest = table
    with np.errstate(over="ignore", invalid="ignore"):
        for count in range(1, _PARTS + 1):
            rest = rest - rest.astype(DType.BF16.numpy).astype(np.float32)
            if not rest.any():
                return count
    return None


def _rows_of_parts(op: views.Embedding | views.EmbeddingBag, count: int) -> ir.Value:
    rows = reduce(ttir.add, [_look_up(op, part) for part in _split(op.weight, count)])
    return _pool(op, rows) if isinstance(op, views.EmbeddingBag) else rows


def _split(table: ir.Value, count: int) -> list[ir.Value]:
    """Return bf16 tables, highest bits first."""
    t, parts, rest = read_type(table.type), list[ir.Value](), table
    for number in range(count):
        parts.append(ttir.typecast(rest, result=t.with_dtype(DType.BF16)))
        if number < count - 1:
            rest = ttir.subtract(rest, ttir.typecast(parts[-1], result=t))
    return parts


def _look_up(op: views.Embedding | views.EmbeddingBag, part: ir.Value) -> ir.Value:
    """Look up rows of one part, in float32."""
    shape = op.shape if isinstance(op, views.Embedding) else None
    rows = ttir.embedding(op.input, part, shape=shape)
    return ttir.typecast(rows, result=read_type(rows.type).with_dtype(DType.F32))


def _pool(op: views.EmbeddingBag, rows: ir.Value) -> ir.Value:
    """Reduce [bags, rows of a bag, width] to [bags, width]."""
    if op.per_sample_weights is not None:
        rows = ttir.multiply(rows, reshape_to(op.per_sample_weights, (*read_type(rows.type).shape[:-1], 1)))
    return ttir.build(op.described.mode, rows, dim_arg=(1,), keep_dim=False)


def _values(table: ir.Value, context: Context) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]] | None":
    arrays = context.weights.arrays
    return elements(given=lambda argument: arrays.get(weight_of(argument))).about(table)


def _names(table: ir.Value) -> list[str]:
    """Return the names of parameters that a table is computed from."""
    return sorted(weight_of(ir.BlockArgument(leaf)) for leaf in parameters().about(table) or ())

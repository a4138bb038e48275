"""Grouped matmuls, of groups of rows with a matrix each, as matmuls of all rows with all matrices."""

from collections.abc import Iterator
from functools import partial, reduce

from ttstack.dialects.signature import weight_of
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import reshape_to, slice_along
from ttstack.dialects.ttir.build import scalar as number
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import TILE
from ttstack.passes.rewriting.candidates import Assuming, Candidate
from ttstack.passes.rewriting.rewrite import Context, rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import parameters
from ttstack.passes.ttir.queries.producers import scalar

_BLOCK_RANK = 4
"""Rank of blocks: blocks of rows, groups, rows of a block, and columns."""


@rewrite("densify-grouped-matmul", if_faster=True, placed=True, stage=Stage.WEIGHTS)
def densify_grouped_matmul(op: views.Sum, context: Context) -> Iterator[Candidate]:
    """`sum(where(mine, sparse_matmul(rows, w), 0))` = `matmul(concat(rows of each group or 0), concat(w))`.

    A row is 0 for all groups but its own. Alternatively, the matmuls of all groups are added. In both forms each matrix
    is read once, without a sparse selection of blocks. Matrices are parameters, and are assumed to be finite.
    """
    where, reduction = views.Where.of(op.input), op.described
    if where is None or (reduction.dims, reduction.input.rank) != ((1,), _BLOCK_RANK) or scalar(where.third) != 0:
        return
    view = views.Reshape.of(where.second)
    grouped = None if view is None else views.SparseMatmul.of(view.input)
    weights = None if grouped is None else parameters().about(grouped.b)
    if grouped is None or weights is None or grouped.is_input_a_sparse:
        return
    (blocks, groups, height, columns), (a, b) = reduction.input.shape, grouped.described.operands[:2]
    if (a.shape[:3], height) != ((1, blocks, TILE), TILE) or (groups, columns) != (b.shape[1], b.shape[3]):
        return
    if read_type(where.first.type).shape != (blocks, groups, height, 1) or b.shape[2] % TILE:
        return
    names = [weight_of(value) for value in weights]
    for build in (_concatenate, _add):
        candidate = partial(build, grouped.a, grouped.b, where.first, reduction.results[0].shape)
        yield Assuming(candidate, partial(context.weights.assume_finite, names))


def _concatenate(rows: ir.Value, matrices: ir.Value, mine: ir.Value, shape: tuple[int, ...]) -> ir.Value:
    """Multiply all matrices at once by rows that are zero outside the columns of their group."""
    _, groups, width, columns = read_type(matrices.type).shape
    operand = ttir.concat(*_rows_by_group(rows, mine), dim=1)
    return reshape_to(ttir.matmul(operand, reshape_to(matrices, (groups * width, columns))), shape)


def _add(rows: ir.Value, matrices: ir.Value, mine: ir.Value, shape: tuple[int, ...]) -> ir.Value:
    """Add the matmuls of all groups, each with zeros for rows of other groups."""
    terms = list[ir.Value]()
    for group, operand in enumerate(_rows_by_group(rows, mine)):
        matrix = slice_along(matrices, 1, group, group + 1)
        terms.append(ttir.matmul(operand, reshape_to(matrix, read_type(matrices.type).shape[2:])))
    return reshape_to(reduce(ttir.add, terms), shape)


def _rows_by_group(rows: ir.Value, mine: ir.Value) -> Iterator[ir.Value]:
    """Yield all rows for each group, with zeros for rows of other groups."""
    (blocks, groups, *_), width = read_type(mine.type).shape, read_type(rows.type).shape[-1]
    flat = reshape_to(rows, (blocks * TILE, width))
    for group in range(groups):
        of_group = reshape_to(slice_along(mine, 1, group, group + 1), (blocks * TILE, 1))
        yield ttir.where(of_group, flat, number(0, read_type(flat.type)))

"""Products of groups of rows, each with a matrix of its own, as one product with all of the matrices."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce

from ttstack.dialects.base import definition_of
from ttstack.dialects.signature import weight_of
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.build import scalar as number
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.matmul import SparseMatmul
from ttstack.ops.reduction import Reduction
from ttstack.ops.types import TILE, DType
from ttstack.passes.base import ParameterPass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.queries.compile_time import parameters
from ttstack.passes.ttir.queries.producers import find_producer, scalar
from ttstack.passes.weights import Weights

_OF_BLOCKS = 4
"""Dimensions of blocks of rows, of groups, of rows of a block, and of columns."""


class DensifyGroupedMatmul(ParameterPass, name="densify-grouped-matmul"):
    """Rows sorted by experts meet all matrices, where that is predicted to be faster than block by block.

    A row is 0 for all groups but its own: either it stands in the columns of its group, `[rows, groups * k]` times all
    matrices one below the other, or the products of all groups are added. Each matrix is read once, and no products of
    blocks are left to select from. Matrices are parameters, and noted as finite. A module without a device stays as
    it is.
    """

    def run(self, module: ir.Module) -> None:
        """Look at what is taken of products of blocks."""
        if (prices := Prices.of(module)) is not None:
            apply_patterns(module, [("ttir.sum", partial(_dense, prices=prices, weights=self._weights))])


@dataclass(frozen=True)
class _Groups:
    """Products of blocks of rows with the matrices that any of their rows meets, and what each row takes of them."""

    product: SparseMatmul

    @property
    def rows(self) -> int:
        """All rows, whole blocks."""
        return self.product.a.shape[1] * TILE

    def apart(self, values: Sequence[ir.Value]) -> ir.Value:
        """What rows, matrices, the groups of blocks and those of rows give: [blocks, rows of a block, columns]."""
        rows, matrices, met, chosen = values
        made = ttir.sparse_matmul(rows, matrices, met, **self.product.attributes())
        (blocks, groups, *_), columns = read_type(chosen.type).shape, read_type(matrices.type).shape[-1]
        parts = reshape_to(made, (blocks, groups, TILE, columns))
        return ttir.sum(_where(chosen, parts), keep_dim=False, dim_arg=(1,))

    def side_by_side(self, values: Sequence[ir.Value]) -> ir.Value:
        """The same of one product: a row stands in the columns of its group, and is 0 in those of the others."""
        rows, chosen, matrices = values
        made = ttir.matmul(ttir.concat(*self._of_groups(rows, chosen), dim=1), matrices)
        return reshape_to(made, (read_type(chosen.type).shape[0], TILE, self.product.b.shape[-1]))

    def one_by_one(self, values: Sequence[ir.Value]) -> ir.Value:
        """The same as a sum of a product of each group, whose matrices come after rows and choices."""
        rows, chosen, *matrices = values
        made = [ttir.matmul(mine, matrix) for mine, matrix in zip(self._of_groups(rows, chosen), matrices, strict=True)]
        return reshape_to(reduce(ttir.add, made), (read_type(chosen.type).shape[0], TILE, self.product.b.shape[-1]))

    def _of_groups(self, rows: ir.Value, chosen: ir.Value) -> list[ir.Value]:
        """For each group all rows as a matrix, those of others as 0."""
        blocks, groups, *block = read_type(chosen.type).shape
        whole, found = reshape_to(rows, (self.rows, read_type(rows.type).shape[-1])), list[ir.Value]()
        for group in range(groups):
            begins, ends = (0, group, 0, 0), (blocks, group + 1, *block)
            mine = ttir.slice_static(chosen, begins=begins, ends=ends, step=(1, 1, 1, 1))
            found.append(_where(reshape_to(mine, (self.rows, 1)), whole))
        return found


def _dense(op: ir.Operation, prices: Prices, weights: Weights) -> list[ir.Value] | None:
    taken, selected = definition_of(op), find_producer(op.operands[0], "where")
    assert isinstance(taken, Reduction)
    if selected is None or taken.dims != (1,) or taken.input.rank != _OF_BLOCKS or scalar(selected.operands[2]) != 0:
        return None
    chosen, parts = selected.operands[:2]
    view = find_producer(parts, "reshape")
    product = view and find_producer(view.operands[0], "sparse_matmul")
    known = None if product is None else parameters().about(product.operands[1])
    found = None if product is None else definition_of(product)
    if product is None or known is None or not isinstance(found, SparseMatmul) or found.is_input_a_sparse:
        return None
    (blocks, groups, rows, columns), given = taken.input.shape, read_type(chosen.type).shape
    if (found.a.shape[:3], rows) != ((1, blocks, TILE), TILE) or given != (blocks, groups, rows, 1):
        return None
    if (groups, columns) != (found.b.shape[1], found.b.shape[3]) or found.b.shape[2] % TILE:
        return None
    rows, matrices, met = product.operands
    of, kinds = _Groups(found), [read_type(value.type) for value in (rows, matrices, met, chosen)]
    row, _, _, choice = kinds
    each, all_of_them = found.b.shape[2:], (groups * found.b.shape[2], found.b.shape[3])
    apart = prices.of_region(kinds, of.apart, dtype=DType.BF16)
    together = prices.of_region([row, choice, found.b.with_shape(all_of_them)], of.side_by_side, dtype=DType.BF16)
    single = prices.of_region([row, choice, *[found.b.with_shape(each)] * groups], of.one_by_one, dtype=DType.BF16)
    if min(single, together) >= apart or not weights.assume_finite([weight_of(value) for value in known]):
        return None
    return [
        of.one_by_one([rows, chosen, *_matrices(matrices)])
        if single < together
        else of.side_by_side([rows, chosen, reshape_to(matrices, all_of_them)])
    ]


def _matrices(all_of_them: ir.Value) -> Iterator[ir.Value]:
    """Each by itself."""
    _, groups, *matrix = read_type(all_of_them.type).shape
    for group in range(groups):
        begins, ends = (0, group, 0, 0), (1, group + 1, *matrix)
        yield reshape_to(ttir.slice_static(all_of_them, begins=begins, ends=ends, step=(1, 1, 1, 1)), matrix)


def _where(chosen: ir.Value, value: ir.Value) -> ir.Value:
    """The value, 0 where it is not chosen."""
    return ttir.where(chosen, value, number(0, read_type(value.type)))

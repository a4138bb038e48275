"""Ways to read all that columns are picked of, in whatever order is fast, as rows of one matrix."""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.matmul import Matmul
from ttstack.ops.movement import Permutation
from ttstack.ops.types import TILE
from ttstack.passes.ttir.matmuls.fan_in_cone import StandIns
from ttstack.passes.ttir.matmuls.filled_parts import fill_parts
from ttstack.passes.ttir.matmuls.gathered_columns import PickedColumns
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.fill import fill
from ttstack.passes.ttir.queries.producers import MATMULS
from ttstack.passes.ttir.queries.shape_chains import PERMUTATIONS


@dataclass(frozen=True, eq=False)
class WholeRows:
    """Rows of what columns are picked of."""

    picked: PickedColumns
    places: np.ndarray[Any, Any]
    """The element of a row that each column is."""
    shape: tuple[int, ...]
    """Rows as they are built, before they become those of a matrix."""
    build: Callable[[StandIns], ir.Value]

    @property
    def width(self) -> int:
        """Elements of a row."""
        return math.prod(self.shape)

    def rows(self, at: StandIns, lead: Sequence[int]) -> ir.Value:
        """A matrix of them for each of the leading dimensions but the last."""
        return reshape_to(self.build(at), (*lead, self.width))


def ways_to_read(picked: PickedColumns, inside: Collection[ir.Value]) -> Iterator[WholeRows]:
    """As they are; filled up to whole tiles; and of a product that is `inside`, whose operands are filled up."""
    begin, end = picked.rows
    source, row = picked.source, picked.row
    order = (*range(begin, end), *range(begin), *range(end, len(row) + end - begin))
    plain = WholeRows(picked, picked.places, row, lambda at: permute_dims(at(source), order))
    yield plain
    if len(row) < 2 or not row[-1] % TILE:
        return
    wide = (*row[:-1], -(-row[-1] // TILE) * TILE)
    last, extent = len(order) - 1, wide[-1]
    yield replace(plain, places=_among(plain, wide), shape=wide, build=lambda at: fill(plain.build(at), last, extent))
    product = pure_producer(source, *MATMULS) if source in inside else None
    if product is None or begin or len(row) != 2 or len(product.operands) != 2:
        return
    if has_same_rows(product):
        whole = (-(-row[0] // TILE) * TILE, wide[-1])
        yield replace(plain, places=_among(plain, whole), shape=whole, build=lambda at: _of_filled(product, extent, at))
    else:
        yield replace(plain, places=_among(plain, wide), shape=wide, build=lambda at: _of_wide(product, extent, at))


def has_same_rows(product: ir.Operation) -> bool:
    """Whether it multiplies rows with the same rows: one operand is the other transposed."""
    matmul, (a, b) = definition_of(product), list(product.operands)[:2]
    assert isinstance(matmul, Matmul)
    if matmul.transpose_a:
        return False
    if matmul.transpose_b:
        return a == b
    turn = pure_producer(b, *PERMUTATIONS)
    if turn is None or turn.operands[0] != a:
        return False
    permutation = definition_of(turn)
    assert isinstance(permutation, Permutation)
    rank = len(permutation.order)
    return permutation.order == _turned(rank)


def is_finite_with(picked: PickedColumns) -> bool:
    """Whether what is not picked is finite where all that is picked is, sums aside that overflow.

    So it is where everything is picked, and in a product of which some picked element is made of each row and each
    column: zeros times what is infinite are not 0.
    """
    if picked.taken.all():
        return True
    product = pure_producer(picked.source, *MATMULS)
    if product is None or not picked.taken.any():
        return False
    matmul = definition_of(product)
    assert isinstance(matmul, Matmul)
    _, matrix, *bias = product.operands
    if matmul.activation or not matmul.adds_row or not all(map(is_known, bias)):
        return False
    if _is_row_of(picked, 1):
        return is_known(matrix)
    return _is_row_of(picked, 2) and _shows_all(product, picked.taken.reshape(matmul.results[0].shape[-2:]))


def _is_row_of(picked: PickedColumns, rank: int) -> bool:
    """Whether what a row of the source has are its last so many axes."""
    shape, (begin, end) = read_type(picked.source.type).shape, picked.rows
    return begin == 0 and math.prod(shape[end:]) == math.prod(shape[-rank:]) and len(shape) >= rank


def _shows_all(product: ir.Operation, taken: np.ndarray[Any, Any]) -> bool:
    """Whether the elements that are taken of a product are made of each row and each column that is not known."""
    rows, columns = taken.any(1), taken.any(0)
    if has_same_rows(product):
        return bool((rows | columns).all())
    return bool(rows.all()) and (is_known(product.operands[1]) or bool(columns.all()))


def _among(rows: WholeRows, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Where columns are in a row that was filled up."""
    return np.ravel_multi_index(np.unravel_index(rows.places, rows.shape), shape)


def _turned(rank: int) -> tuple[int, ...]:
    return (*range(rank - 2), rank - 1, rank - 2)


def _of_filled(product: ir.Operation, extent: int, at: StandIns) -> ir.Value:
    """All products of rows, of which there are more."""
    rows = product.operands[0]
    rank = read_type(rows.type).rank
    with product.location:
        filled = fill_parts(rows, rank - 2, extent, at)
        return ttir.matmul(filled, permute_dims(filled, _turned(rank)))


def _of_wide(product: ir.Operation, extent: int, at: StandIns) -> ir.Value:
    """The product with more columns."""
    matmul, (a, b) = definition_of(product), product.operands
    assert isinstance(matmul, Matmul)
    with product.location:
        filled = fill_parts(b, matmul.b.rank - (2 if matmul.transpose_b else 1), extent, at)
        return ttir.matmul(at(a), filled, transpose_a=matmul.transpose_a, transpose_b=matmul.transpose_b)

"""Lookups: rows of a table gathered by index, pooled by bag, and their gradients."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ttstack.mlir import ir
from ttstack.ops.embedding import Embedding, EmbeddingBackward, EmbeddingBag
from ttstack.ops.tensor_train import TensorTrainBagLookup
from ttstack.ops.types import DType
from ttstack.passes.ttir_to_linalg.checks import inside, require
from ttstack.passes.ttir_to_linalg.in_order import write
from ttstack.passes.ttir_to_linalg.movement import concat, index_of
from ttstack.passes.ttir_to_linalg.reduction import scan
from ttstack.passes.ttir_to_linalg.scalars import Scalar, compare, maximum, select
from ttstack.passes.ttir_to_linalg.table import LoweringTable
from ttstack.passes.ttir_to_linalg.tensors import Body, Dense, elementwise, full, generate, literal

LOWERINGS = LoweringTable()


@LOWERINGS("embedding")
def _embedding(op: Embedding, indices: Dense, weight: Dense) -> Dense:
    table = weight.reshape(-1, weight.shape[-1])
    return rows(table, inside(indices.reshape(-1), table.shape[0])).reshape(*op.results[0].shape)


def rows(table: Dense, indices: Dense) -> Dense:
    """Gather the rows of a matrix; all indices must be in range."""

    def body(at: list[ir.Value]) -> Scalar:
        return table.at([index_of(indices.at([at[0]])), at[1]])

    return generate(body, (indices.size, table.shape[1]), table.dtype)


@LOWERINGS("embedding_backward")
def _backward(op: EmbeddingBackward, indices: Dense, weight: Dense, gradient: Dense) -> Dense:
    count, width = weight.size // weight.shape[-1], weight.shape[-1]
    sent = gradient.reshape(-1, width).wide()
    start = full((count, width), 0, sent.dtype)
    found = write(start, sent, _row_of(inside(indices.reshape(-1), count)), lambda so_far, new: so_far + new)
    return found.cast(op.results[0].dtype).reshape(*weight.shape)


@LOWERINGS("embedding_bag")
def _bag(
    op: EmbeddingBag, indices: Dense, weight: Dense, offsets: Dense | None = None, factors: Dense | None = None
) -> Dense:
    table = weight.reshape(-1, weight.shape[-1])
    bags = BagEntries.of(op, indices, offsets, factors, table.shape[0])
    return pool(bags, rows(table, bags.indices), op.mode).cast(op.results[0].dtype)


@dataclass(frozen=True)
class BagEntries:
    """Flat entries of all bags: index, bag, whether it counts, and weight; an extra bag takes the rest."""

    indices: Dense
    owners: Dense
    counted: Dense
    factors: Dense | None
    count: int

    @staticmethod
    def of(
        op: EmbeddingBag | TensorTrainBagLookup,
        indices: Dense,
        offsets: Dense | None,
        factors: Dense | None,
        table_rows: int,
    ) -> "BagEntries":
        """Return the bags of lookups in a table; record an error if indices or offsets do not fit."""
        flat = indices.reshape(-1).cast(DType.I64)
        counted = elementwise(lambda i: compare("ne", i, op.padding_idx), [flat], DType.I1)
        if op.padding_idx == -1:
            counted = full(flat.shape, 1, DType.I1)
        picked = inside(elementwise(lambda i, c: select(c, i, 0), [flat, counted], DType.I64), table_rows)
        if offsets is None:
            length = indices.shape[1]
            owners = literal(np.arange(flat.size) // length, DType.I64)
        else:
            owners = _owners(offsets.cast(DType.I64), flat.size)
        return BagEntries(picked, owners, counted, factors, op.results[0].shape[0])


def _owners(offsets: Dense, entries: int) -> Dense:
    """Return the bag of each entry: the number of offsets up to it, minus one."""
    places = inside(offsets, entries + 1)
    earlier = concat([full((1,), 0, DType.I64), places.slice([0], [offsets.size - 1])], 0)
    require(elementwise(lambda b, a: b >= a, [places, earlier], DType.I1))
    require(elementwise(lambda b: compare("eq", b, 0), [places.slice([0], [1])], DType.I1))
    marks = full((entries + 1,), 0, DType.I64)
    ones = full((offsets.size,), 1, DType.I64)
    started = write(marks, ones, lambda at: [index_of(places.at(at))], lambda so_far, new: so_far + new)
    found = scan(started, 0, adds=True).slice([0], [entries])
    return elementwise(lambda n: maximum(n - 1, 0), [found], DType.I64)


def pool(bags: BagEntries, picked: Dense, mode: str) -> Dense:
    """Pool the rows of all entries to [bags, width]; the row of an empty bag is 0."""
    wide, entries = picked.wide(), bags.indices.size
    start = -float("inf") if mode == "max" else 0
    counted, owner = bags.counted.reshape(entries, 1), _row_of(bags.owners)
    combine: Body = maximum if mode == "max" else lambda so_far, new: so_far + new
    if bags.factors is not None:
        wide = elementwise(lambda e, f: e * f, [wide, bags.factors.reshape(entries, 1)], wide.dtype)
    chosen = elementwise(lambda e, c: select(c, e, start), [wide, counted], wide.dtype)
    found = write(full((bags.count + 1, wide.shape[1]), start, wide.dtype), chosen, owner, combine)
    sizes = write(full((bags.count + 1, 1), 0, DType.I64), counted.cast(DType.I64), owner, lambda n, one: n + one)

    def finished(e: Scalar, n: Scalar) -> Scalar:
        some = e / maximum(n, 1) if mode == "mean" else e
        return select(n > 0, some, 0)

    made = elementwise(finished, [found, sizes], wide.dtype)
    return made.slice([0, 0], [bags.count, wide.shape[1]])


def _row_of(indices: Dense) -> Callable[[list[ir.Value]], list[ir.Value]]:
    """Return a function from a position in gathered rows to the position in the table."""
    return lambda at: [index_of(indices.at([at[0]])), at[1]]

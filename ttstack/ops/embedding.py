"""Embedding lookups: table rows gathered by index."""

import math
from collections.abc import Mapping
from typing import Any

from ttstack.ops.attributes import I64, Bool, I32Array, Str
from ttstack.ops.base import Op
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loop_nests import identity_map
from ttstack.ops.loops import Access, IndexingMap, Iterator, Pick, TileWork
from ttstack.ops.shapes import expect
from ttstack.ops.types import TensorType, tile_shape, tiles
from ttstack.ops.work_estimate import WorkEstimate


class Embedding(Op, mnemonic="embedding"):
    """`weight[input]`: the result has the indices' shape followed by the row width.

    `shape` is another shape of the same indices, for the device; it is not an attribute of tt-mlir.
    """

    op_code = "EmbeddingsDeviceOperation"
    computes = ()
    host_indices = ("input", "weight")
    unsigned = ("input",)
    input: TensorType
    weight: TensorType
    shape: I32Array | None = None

    def infer(self) -> TensorType:
        """Return the shape of the indices with the row width appended.

        Leading unit dimensions of the table are ignored.
        """
        check_table(self.weight)
        shape = self.input.shape if self.shape is None else self.shape
        fits = math.prod(shape) == self.input.size and min(shape, default=0) >= 0
        expect(fits, f"shape {list(shape)} is not one of the {self.input.size} indices of input")
        return self.weight.with_shape((*shape, self.weight.shape[-1]))

    def flops(self) -> int:
        """Return 0: the op computes nothing."""
        return 0

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Return the loops of a row gather; an estimate if indices or table are reshaped."""
        out, last = self.results[0], self.input.rank
        if self.shape not in (None, self.input.shape) or self.weight.rank != 2 or not out.size:
            return self.kernel_work()
        return LoopNest(
            domain=tile_shape(out.shape),
            iterators=(Iterator.PARALLEL,) * out.rank,
            inputs=(identity_map(last, Access.GATHER), IndexingMap((None, last), Access.INDIRECT, Pick())),
            outputs=(identity_map(out.rank, Access.GATHER),),
            body=(TileOp("copy", (1,)),),
            index_bound=self.weight.shape[0],
        )

    def kernel_work(self) -> WorkEstimate:
        """Estimate one unit of work for 32 indices, with rows gathered from anywhere."""
        return row_lookup(self.input, self.weight.shape[-1])


def row_lookup(index: TensorType, width: int) -> WorkEstimate:
    """Estimate the work of the kernel that gathers a row for each index."""
    return WorkEstimate(
        domain=(tiles(index.size), tiles(width)),
        iterators=(Iterator.PARALLEL, Iterator.PARALLEL),
        inputs=(IndexingMap((0,), Access.GATHER), IndexingMap((0, 1), Access.INDIRECT)),
        outputs=(IndexingMap((0, 1), Access.GATHER),),
        body=(TileWork("copy", (1,)),),
    )


class EmbeddingBag(Op, mnemonic="embedding_bag"):
    """Gather rows and reduce them by bag, as `torch.nn.functional.embedding_bag`.

    Bag `i` has the indices from `offsets[i]` up to the next offset; without offsets, each row of `input` is a bag.
    Empty bags give 0. Indices equal to `padding_idx` are ignored.
    """

    op_code = "EmbeddingsDeviceOperation"
    host_indices = ("input", "weight", "offsets", "per_sample_weights")
    unsigned = ("input",)
    input: TensorType
    weight: TensorType
    offsets: TensorType | None = None
    per_sample_weights: TensorType | None = None
    mode: Str = "sum"
    include_last_offset: Bool = False
    padding_idx: I64 = -1

    def infer(self) -> TensorType:
        """Return the number of bags by the row width."""
        check_table(self.weight)
        bags = count_bags(self.input, self.offsets, self.per_sample_weights, self.mode, self.include_last_offset)
        return self.weight.with_shape((bags, self.weight.shape[-1]))

    def check_constants(self, values: Mapping[int, Any]) -> None:
        """Raise `ValueError` unless offsets ascend from 0."""
        if self.offsets is not None and 2 in values:
            check_offsets(values[2], self.input)

    def flops(self) -> int:
        """Return one for each element of each gathered row."""
        return self.input.size * self.weight.shape[-1]

    def dispatch(self) -> WorkEstimate:
        """Estimate one unit of work for 32 bags, with the rows of a bag in sequence."""
        bags, width = self.results[0].shape
        depth = -(-self.input.size // max(bags, 1))
        vectors = len(self.operands) - 2
        return WorkEstimate(
            domain=(tiles(bags), tiles(width), depth),
            iterators=(Iterator.PARALLEL, Iterator.PARALLEL, Iterator.REDUCTION),
            inputs=(
                IndexingMap((0, 2), Access.GATHER),
                IndexingMap((0, 1, 2), Access.INDIRECT),
                *(IndexingMap((0,), Access.GATHER) for _ in range(vectors)),
            ),
            outputs=(IndexingMap((0, 1), Access.GATHER),),
            body=(TileWork("add", (1,)),),
        )


class EmbeddingBackward(Op, mnemonic="embedding_backward"):
    """Add rows of `in_gradient` to the table rows that `input` indexes; only the type of `weight` is used."""

    op_code = "EmbeddingBackwardDeviceOperation"
    host_indices = ("input",)
    unsigned = ("input",)
    input: TensorType
    weight: TensorType
    in_gradient: TensorType

    def infer(self) -> TensorType:
        """Return the table's type."""
        check_table(self.weight)
        width, count = self.weight.shape[-1], self.input.size
        fits = self.in_gradient.shape[-1:] == (width,) and self.in_gradient.size == count * width
        expect(fits, f"in_gradient {list(self.in_gradient.shape)} does not hold {count} rows of {width}")
        return self.weight

    def flops(self) -> int:
        """Return one for each element of the gradient."""
        return self.in_gradient.size

    def dispatch(self) -> WorkEstimate:
        """Estimate work in which each core has rows of the table and adds the indexed gradients."""
        rows, width = (tiles(d) for d in self.weight.shape[-2:])
        added = max(tiles(self.input.size), 1) / max(rows, 1)
        return WorkEstimate(
            domain=(rows, width),
            iterators=(Iterator.PARALLEL, Iterator.PARALLEL),
            inputs=(IndexingMap((0,), Access.GATHER), IndexingMap(()), IndexingMap((0, 1), Access.GATHER)),
            outputs=(IndexingMap((0, 1)),),
            body=(TileWork("add", (2,), added),),
        )


def check_table(weight: TensorType) -> None:
    """Raise `ValueError` unless a table is a matrix, apart from leading unit dimensions."""
    matrix = weight.rank >= 2 and all(d == 1 for d in weight.shape[:-2])
    expect(matrix, f"weight {list(weight.shape)} is not a matrix of rows")


def count_bags(
    indices: TensorType, offsets: TensorType | None, weights: TensorType | None, mode: str, include_last_offset: bool
) -> int:
    """Return the number of bags; raise `ValueError` if offsets, weights and mode do not fit the indices."""
    expect(mode in ("sum", "mean", "max"), f"mode is {mode!r}, not sum, mean or max")
    rank = 2 if offsets is None else 1
    expect(indices.rank == rank, f"input has rank {indices.rank}, needs {rank} here")
    if weights is not None:
        expect(mode == "sum", f"per_sample_weights need mode 'sum', not {mode!r}")
        same = weights.shape == indices.shape
        expect(same, f"per_sample_weights {list(weights.shape)} differ from input {list(indices.shape)}")
    if offsets is None:
        return indices.shape[0]
    expect(offsets.rank == 1, f"offsets have rank {offsets.rank}, not 1")
    return offsets.shape[0] - int(include_last_offset)


def check_offsets(offsets: Any, indices: TensorType) -> None:
    """Raise `ValueError` unless offsets ascend from 0 to at most the number of indices."""
    bounds = [int(offset) for offset in offsets]
    ascending = bounds == sorted(bounds) and bounds[:1] in ([], [0]) and bounds[-1:] <= [indices.size]
    expect(ascending, f"offsets {bounds[:8]} do not ascend from 0 to the {indices.size} indices")

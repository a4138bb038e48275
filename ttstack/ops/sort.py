"""Ops that order elements: sorting, top-k selection, and sampling."""

import math
from dataclasses import replace

from ttstack.ops.attributes import I32, Bool, ResultDType, SecondResultDType, Si32, Ui32
from ttstack.ops.base import Op
from ttstack.ops.loop_nests import identity_map, rowwise
from ttstack.ops.loops import Access, IndexingMap, Iterator, TileWork
from ttstack.ops.shapes import axis, expect, integer
from ttstack.ops.types import ElementType, TensorType, tiles
from ttstack.ops.work_estimate import WorkEstimate


class Ordering(Op):
    """Order values along one dimension, and return their positions in the declared integer type."""

    result_names = ("values", "indices")
    decides = ("input", "input_tensor")

    def ordered_operand(self) -> tuple[TensorType, int]:
        """Return the operand and the dimension."""
        raise NotImplementedError

    def positions(self, values: TensorType, dtype: ElementType) -> tuple[TensorType, ...]:
        """Return the types of both results."""
        integer("indices", values.with_dtype(dtype))
        return values, values.with_dtype(dtype)

    def flops(self) -> int:
        """Return one for each element and level of a sorting network."""
        given, at = self.ordered_operand()
        return given.size * max(1, math.ceil(math.log2(max(given.shape[at], 1))))

    def dispatch(self) -> WorkEstimate:
        """Estimate work that keeps each line in a core, which compares its tiles level by level."""
        given, at = self.ordered_operand()
        levels = max(1, math.ceil(math.log2(max(given.shape[at], 2))))
        loops = rowwise([given], given, [at], [("maximum", levels), ("minimum", levels)])
        return replace(loops, outputs=(identity_map(given.rank),) * 2)


class Sort(Ordering, mnemonic="sort"):
    """Sort values along `dim` in ascending or descending order, stably, with their previous positions."""

    op_code = "SortDeviceOperation"
    input: TensorType
    dim: Si32 = -1
    descending: Bool = False
    stable: Bool = False
    dtype: SecondResultDType

    def ordered_operand(self) -> tuple[TensorType, int]:
        """Return the operand and the dimension."""
        return self.input, axis(self.dim, self.input.rank)

    def infer(self) -> tuple[TensorType, ...]:
        """Return the operand's type twice, once with integers."""
        self.ordered_operand()
        return self.positions(self.input, self.dtype)


class Topk(Ordering, mnemonic="topk"):
    """Select the `k` largest or smallest values along `dim`, best first, with their positions."""

    op_code = "TopKDeviceOperation"
    input_tensor: TensorType
    k: I32
    dim: I32 = -1
    largest: Bool = True
    sorted: Bool = False
    dtype: SecondResultDType

    def ordered_operand(self) -> tuple[TensorType, int]:
        """Return the operand and the dimension."""
        return self.input_tensor, axis(self.dim, self.input_tensor.rank)

    def infer(self) -> tuple[TensorType, ...]:
        """Return the operand's shape with `k` along `dim`, twice."""
        given, at = self.ordered_operand()
        extent = given.shape[at]
        expect(0 < self.k <= extent, f"k is {self.k}, dimension {at} of input_tensor has extent {extent}")
        return self.positions(given.with_shape((*given.shape[:at], self.k, *given.shape[at + 1 :])), self.dtype)


class Sampling(Op, mnemonic="sampling"):
    """Sample one token per row of candidates [B, C], from the fewest of the `k` best with total probability `p`.

    `k`, `p` and `temp` have one number per row; a temperature of 0 selects the best candidate. The same `seed` draws
    the same tokens; no seed is equal to 0.
    """

    op_code = "SamplingDeviceOperation"
    host_indices = ("input_indices", "k", "p", "temp")
    decides = ("input_values",)
    input_values: TensorType
    input_indices: TensorType
    k: TensorType
    p: TensorType
    temp: TensorType
    seed: Ui32 | None = None
    dtype: ResultDType

    def infer(self) -> TensorType:
        """Return [B] in the declared integer type."""
        values, indices = self.input_values, self.input_indices
        expect(values.rank == 2, f"input_values has rank {values.rank}, not 2")
        expect(
            indices.shape == values.shape,
            f"input_indices {list(indices.shape)} differs from input_values {list(values.shape)}",
        )
        rows = (values.shape[0],)
        for name in ("k", "p", "temp"):
            got = getattr(self, name).shape
            expect(got == rows, f"{name} has shape {list(got)}, expected {list(rows)}")
        integer("input_indices", indices)
        integer("k", self.k)
        result = TensorType(rows, self.dtype)
        integer("result", result)
        return result

    def flops(self) -> int:
        """Return the operations of a softmax, a sorting network and a scan."""
        return self.input_values.size * (7 + math.ceil(math.log2(max(self.input_values.shape[1], 2))))

    def dispatch(self) -> WorkEstimate:
        """Estimate units of 32 rows, whose candidates stay in a core."""
        rows, width = self.input_values.shape
        levels = math.ceil(math.log2(max(width, 2)))
        scalars = (IndexingMap((0,), Access.GATHER),) * 3
        return WorkEstimate(
            domain=(tiles(rows), tiles(width)),
            iterators=(Iterator.PARALLEL, Iterator.REDUCTION),
            inputs=(identity_map(2), IndexingMap((0, 1), Access.GATHER), *scalars),
            outputs=(IndexingMap((0,), Access.GATHER),),
            body=(TileWork("maximum", (0,), levels), TileWork("exp", (0,)), TileWork("add", (0,), 2)),
        )

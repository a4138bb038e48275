"""Ops that reshape or move data, and compute nothing."""

import math

from ttstack.ops.attributes import F32, DenseI32, DenseI64, I32Array, Si32, Str, Ui32
from ttstack.ops.base import Op
from ttstack.ops.einops import rearrangement
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loop_nests import broadcast_map, identity_map
from ttstack.ops.loops import SAME, IndexExpr, Iterator
from ttstack.ops.movement import Movement, Permutation
from ttstack.ops.shapes import axes, axis, expect
from ttstack.ops.tile_moves import DimSlice, along, rearrange, reshape, take
from ttstack.ops.types import TILE, TensorType, tile_shape
from ttstack.ops.work_estimate import WorkEstimate


class Order(Movement):
    """The same elements in row-major order with another shape."""

    keeps_order = True
    op_code = "ReshapeViewDeviceOperation"
    input: TensorType

    def moved_tiles(self) -> LoopNest | None:
        """Return the loops that keep rows as rows; None if tiles are cut."""
        return reshape(self.input, self.results[0])


class Reshape(Order, mnemonic="reshape"):
    """Reshape in row-major order; one extent can be -1, which is inferred."""

    shape: I32Array

    def infer(self) -> TensorType:
        """Return `shape`; it must have as many elements as the operand."""
        left = self.input.size // max(1, math.prod(extent for extent in self.shape if extent != -1))
        shape = tuple(left if extent == -1 else extent for extent in self.shape)
        expect(
            math.prod(shape) == self.input.size and min(shape, default=1) >= 0 and self.shape.count(-1) < 2,
            f"shape {list(self.shape)} has {math.prod(shape)} elements, "
            f"input {list(self.input.shape)} has {self.input.size}",
        )
        return self.input.with_shape(shape)


class Squeeze(Order, mnemonic="squeeze"):
    """Drop dimension `dim`, which has extent 1."""

    dim: Si32

    def infer(self) -> TensorType:
        """Return the shape without `dim`."""
        at = axis(self.dim, self.input.rank)
        expect(
            self.input.rank > 0 and self.input.shape[at] == 1,
            f"dimension {self.dim} of input {list(self.input.shape)} is not 1",
        )
        return self.input.with_shape(self.input.shape[:at] + self.input.shape[at + 1 :])


class Unsqueeze(Order, mnemonic="unsqueeze"):
    """Insert a dimension of extent 1 at `dim`."""

    dim: Si32

    def infer(self) -> TensorType:
        """Return the shape with 1 at `dim`."""
        at = axis(self.dim, self.input.rank + 1)
        return self.input.with_shape((*self.input.shape[:at], 1, *self.input.shape[at:]))


class Permute(Permutation, mnemonic="permute"):
    """Dimension `i` of the result is dimension `permutation[i]` of the operand."""

    op_code = "PermuteDeviceOperation"
    permutation: DenseI64

    @property
    def order(self) -> tuple[int, ...]:
        """The checked permutation."""
        expect(
            sorted(self.permutation) == list(range(self.input.rank)),
            f"{list(self.permutation)} is not a permutation of {self.input.rank} dimensions",
        )
        return tuple(self.permutation)


class Transpose(Permutation, mnemonic="transpose"):
    """Swap dimensions `dim0` and `dim1`."""

    op_code = "TransposeDeviceOperation"
    dim0: Si32
    dim1: Si32

    @property
    def order(self) -> tuple[int, ...]:
        """The identity with two dimensions swapped."""
        order = list(range(self.input.rank))
        a, b = axis(self.dim0, self.input.rank, "dim0"), axis(self.dim1, self.input.rank, "dim1")
        order[a], order[b] = order[b], order[a]
        return tuple(order)


class Rearrange(Movement, mnemonic="rearrange"):
    """Permute and merge dimensions by an einops pattern without lengths, such as `b h s d -> b s (h d)`."""

    op_code = "PermuteDeviceOperation"
    input: TensorType
    pattern: Str

    def infer(self) -> TensorType:
        """Return the extents of the pattern's right side."""
        return self.input.with_shape(rearrangement(self.pattern, self.input.shape).merged)

    def moved_tiles(self) -> LoopNest | None:
        """Return the loops that reorder tiles, if merges with rows or columns leave them whole; otherwise None."""
        return rearrange(self.input, self.results[0], rearrangement(self.pattern, self.input.shape))


class Concat(Movement, mnemonic="concat"):
    """Concatenate the inputs along `dim`."""

    op_code = "ConcatDeviceOperation"
    computes = ("inputs",)
    inputs: tuple[TensorType, ...]
    dim: Si32

    def infer(self) -> TensorType:
        """Return the first input's shape with the extents along `dim` added up."""
        expect(bool(self.inputs), "needs at least one input")
        first = self.inputs[0]
        at = axis(self.dim, first.rank)
        for i, other in enumerate(self.inputs):
            fits = other.rank == first.rank and other.dtype == first.dtype
            fits = fits and other.shape[:at] + other.shape[at + 1 :] == first.shape[:at] + first.shape[at + 1 :]
            expect(fits, f"input {i} is {other}, which does not join input 0, {first}, along dim {self.dim}")
        total = sum(t.shape[at] for t in self.inputs)
        return first.with_shape((*first.shape[:at], total, *first.shape[at + 1 :]))


class Broadcast(Op, mnemonic="broadcast"):
    """Repeat each unit dimension `broadcast_dimensions` times."""

    op_code = "RepeatDeviceOperation"
    computes = ()
    input: TensorType
    broadcast_dimensions: DenseI64

    def infer(self) -> TensorType:
        """Return the extents times factors."""
        factors = self.broadcast_dimensions
        expect(len(factors) == self.input.rank, f"{len(factors)} factors for rank {self.input.rank}")
        for d, (extent, factor) in enumerate(zip(self.input.shape, factors, strict=True)):
            fits = factor == 1 or (extent == 1 and factor >= 1)
            expect(fits, f"factor {factor} of dimension {d} needs extent 1, input has {extent}")
        return self.input.with_shape(tuple(e * f for e, f in zip(self.input.shape, factors, strict=True)))

    def flops(self) -> int:
        """Return 0: the op computes nothing."""
        return 0

    def dispatch(self) -> LoopNest | WorkEstimate:
        """Return loops in which every result tile copies the tile that it repeats."""
        out = self.results[0]
        return LoopNest(
            domain=tile_shape(out.shape),
            iterators=(Iterator.PARALLEL,) * out.rank,
            inputs=(broadcast_map(self.input, out),),
            outputs=(identity_map(out.rank),),
            body=(TileOp("copy", (0,)),),
        )


class Repeat(Movement, mnemonic="repeat"):
    """Repeat the operand `repeat_dimensions` times in each dimension."""

    op_code = "RepeatDeviceOperation"
    input: TensorType
    repeat_dimensions: DenseI64

    def infer(self) -> TensorType:
        """Return the extents times counts."""
        counts = self.repeat_dimensions
        expect(len(counts) == self.input.rank, f"{len(counts)} counts for rank {self.input.rank}")
        expect(min(counts, default=1) >= 1, f"counts {list(counts)} are not all positive")
        return self.input.with_shape(tuple(e * c for e, c in zip(self.input.shape, counts, strict=True)))

    def moved_tiles(self) -> LoopNest | None:
        """Return the loops that repeat all tiles of a dimension; None if the last tile is partly filled."""
        out, extents = self.results[0], tile_shape(self.input.shape)
        counts = list(zip(self.repeat_dimensions, self.input.shape, strict=True))
        cut = any(count > 1 and extent % TILE for count, extent in counts[-2:])
        terms = [IndexExpr(modulus=e) if count > 1 else SAME for e, (count, _) in zip(extents, counts, strict=True)]
        return None if cut else along(out, terms)


class RepeatInterleave(Movement, mnemonic="repeat_interleave"):
    """Repeat each slice along `dim` `repeats` times in a row."""

    op_code = "ConcatDeviceOperation"
    input: TensorType
    repeats: Ui32
    dim: Si32

    def infer(self) -> TensorType:
        """Return the extent along `dim` times `repeats`."""
        at = axis(self.dim, self.input.rank)
        expect(self.repeats > 0, f"repeats is {self.repeats}, not positive")
        shape = self.input.shape
        return self.input.with_shape((*shape[:at], shape[at] * self.repeats, *shape[at + 1 :]))

    def moved_tiles(self) -> LoopNest | None:
        """Return the loops that repeat each tile; None if slices are rows or columns."""
        out, at = self.results[0], axis(self.dim, self.input.rank)
        if at >= out.rank - 2:
            return None
        return along(out, [IndexExpr(self.repeats if d == at else 1) for d in range(out.rank)])


class Pad(Movement, mnemonic="pad"):
    """Pad the operand with `value`: `padding` is [low, high] of each dimension in turn, negative numbers crop."""

    op_code = "PadDeviceOperation"
    input: TensorType
    padding: DenseI32
    value: F32

    def infer(self) -> TensorType:
        """Return the extents plus padding; raise `ValueError` if more is cropped than exists."""
        pads = self.padding
        expect(len(pads) == 2 * self.input.rank, f"padding has {len(pads)} entries for rank {self.input.rank}")
        for d, extent in enumerate(self.input.shape):
            low, high = self.cut(d)
            expect(low + high <= extent, f"padding {list(pads)} cuts {low + high} off the {extent} of dimension {d}")
        return self.input.with_shape(tuple(e + pads[2 * d] + pads[2 * d + 1] for d, e in enumerate(self.input.shape)))

    def cut(self, dim: int) -> tuple[int, int]:
        """Return the elements that negative padding crops from the start and the end of a dimension."""
        low, high = self.padding[2 * dim : 2 * dim + 2]
        return max(-low, 0), max(-high, 0)


class Reverse(Movement, mnemonic="reverse"):
    """Reverse the order of elements along `dimensions`."""

    op_code = "GatherDeviceOperation"
    input: TensorType
    dimensions: DenseI64

    def infer(self) -> TensorType:
        """Return the operand's type."""
        expect(min(self.dimensions, default=0) >= 0, f"dimensions {list(self.dimensions)} are counted from the front")
        axes(self.dimensions, self.input.rank, "dimensions")
        return self.input

    def moved_tiles(self) -> LoopNest | None:
        """Return the loops that reverse tiles; None for rows and columns."""
        shape = self.input.shape
        parts = [DimSlice(-1, e - 1) if d in self.dimensions else DimSlice() for d, e in enumerate(shape)]
        return take(self.input, self.input, parts)

"""Slices, windows, gathers and scatters."""

from ttstack.ops.attributes import I32, I32Array, ReduceType, ResultType, Si32
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.loop_nests import movement
from ttstack.ops.movement import Movement
from ttstack.ops.shapes import axis, expect, from_front, integer
from ttstack.ops.tile_moves import DimSlice, take
from ttstack.ops.types import TensorType
from ttstack.ops.work_estimate import WorkEstimate

SCATTER_REDUCTIONS = ("invalid", "sum", "prod", "min", "max")
"""Modes by which `scatter` combines a value with the present one; `invalid` replaces it."""


def steps(extent: int, begin: int, end: int, step: int, dim: int) -> tuple[int, int]:
    """Return the start of a slice, counted from the front, and its length; negative bounds count from the end.

    A negative step goes down from `begin` and ends above `end`, so it excludes element 0. Raises `ValueError` if a
    bound is out of range, or on the wrong side of the other.
    """
    expect(step != 0, f"step of dimension {dim} is 0")
    first, last = (b + extent if b < 0 else b for b in (begin, end))
    low, high = (first, last) if step > 0 else (last, first)
    room = extent - 1 if step < 0 and low != high else extent
    inside = 0 <= low <= high <= room
    expect(inside, f"slice {begin}:{end}:{step} of dimension {dim} is outside of its extent {extent}, or turned round")
    return first, -(-(high - low) // abs(step))


class SliceStatic(Movement, mnemonic="slice_static"):
    """`input[begin:end:step]` in every dimension; negative bounds count from the end, negative steps go down."""

    op_code = "SliceDeviceOperation"
    computes = None
    input: TensorType
    begins: I32Array
    ends: I32Array
    step: I32Array

    @property
    def counts_up(self) -> bool:
        """True if the slice is contiguous, with bounds that count from the front."""
        return set(self.step) <= {1} and min(self.begins + self.ends, default=0) >= 0

    def infer(self) -> TensorType:
        """Return the number of steps in each dimension."""
        shape: list[int] = []
        for name in ("begins", "ends", "step"):
            count = len(getattr(self, name))
            expect(count == self.input.rank, f"{name} has {count} entries for rank {self.input.rank}")
        for d, bounds in enumerate(zip(self.input.shape, self.begins, self.ends, self.step, strict=True)):
            shape.append(steps(*bounds, d)[1])
        return self.input.with_shape(tuple(shape))

    def moved_tiles(self) -> LoopNest | None:
        """Return the loops that copy a slice of each dimension in whole tiles; None if tiles are cut."""
        bounds = zip(self.input.shape, self.begins, self.ends, self.step, strict=True)
        parts = [DimSlice(by, steps(e, begin, end, by, d)[0]) for d, (e, begin, end, by) in enumerate(bounds)]
        return take(self.input, self.results[0], parts)


class SliceDynamic(Movement, mnemonic="slice_dynamic"):
    """Slice `input[begin:end:step]` in every dimension with bounds from 1-D tensors; the result shape is declared."""

    op_code = "SliceDeviceOperation"
    computes = None
    host_indices = ("begins", "ends")
    input: TensorType
    begins: TensorType
    ends: TensorType
    step: I32Array | None = None
    type: ResultType

    def infer(self) -> TensorType:
        """Return the declared type; raise `ValueError` if an extent exceeds the input's, counted in steps."""
        rank = self.input.rank
        expect(rank > 0, "input has rank 0, needs at least 1")
        for name, bounds in (("begins", self.begins), ("ends", self.ends)):
            integer(name, bounds)
            expect(bounds.shape == (rank,), f"{name} has shape {list(bounds.shape)}, expected [{rank}]")
        given = self.step if self.step is not None else (1,) * rank
        expect(len(given) == rank, f"step has {len(given)} entries for rank {rank}")
        expect(min(given) > 0, f"step {list(given)} is not all positive")
        most = [-(-extent // step) for extent, step in zip(self.input.shape, given, strict=True)]
        fits = len(most) == self.type.rank and all(e <= m for e, m in zip(self.type.shape, most, strict=True))
        expect(
            fits and self.type.dtype == self.input.dtype,
            f"result {self.type} is not a slice of input {self.input} in steps {list(given)}",
        )
        return self.type


class Index(Movement, mnemonic="index"):
    """Slice `input[begin:end:step]` along `dim`; a negative step goes down."""

    op_code = "SliceDeviceOperation"
    computes = None
    input: TensorType
    dim: I32
    begin: I32
    end: I32
    step: I32

    def infer(self) -> TensorType:
        """Return the number of steps along `dim`."""
        at = from_front(self.dim, self.input.rank)
        _, count = steps(self.input.shape[at], self.begin, self.end, self.step, at)
        return self.input.with_shape((*self.input.shape[:at], count, *self.input.shape[at + 1 :]))

    def moved_tiles(self) -> LoopNest | None:
        """Return the loops that copy a slice of one dimension in whole tiles; None if tiles are cut."""
        at = from_front(self.dim, self.input.rank)
        first, _ = steps(self.input.shape[at], self.begin, self.end, self.step, at)
        return take(self.input, self.results[0], _only(at, self.input.rank, DimSlice(self.step, first)))


class IndexSelect(Movement, mnemonic="index_select"):
    """Take windows of `length` along `dim`, every `stride` elements from `begin`; a stride of 0 takes one window."""

    op_code = "SliceDeviceOperation"
    computes = None
    input: TensorType
    dim: Si32
    begin: Si32
    length: Si32
    stride: Si32 = 0

    def infer(self) -> TensorType:
        """Return the total extent of all windows; the last one can be shorter."""
        at = axis(self.dim, self.input.rank)
        extent = self.input.shape[at]
        inside = self.begin >= 0 and self.length > 0 and self.begin + self.length <= extent
        expect(
            inside,
            f"window of {self.length} from {self.begin} is outside of dimension {at}, which has extent {extent}",
        )
        expect(0 <= self.stride <= extent, f"stride is {self.stride}, not from 0 to {extent}")
        apart = self.stride == 0 or self.length <= self.stride
        expect(apart, f"windows of {self.length} overlap: stride is {self.stride}")
        starts = range(self.begin, extent, self.stride or extent)
        count = sum(min(self.length, extent - start) for start in starts)
        return self.input.with_shape((*self.input.shape[:at], count, *self.input.shape[at + 1 :]))

    def moved_tiles(self) -> LoopNest | None:
        """Return the loops for one window, or for windows of one element; otherwise None."""
        at, out = axis(self.dim, self.input.rank), self.results[0]
        if out.shape[at] > self.length > 1:
            return None
        step = self.stride if out.shape[at] > self.length else 1
        return take(self.input, out, _only(at, self.input.rank, DimSlice(step, self.begin)))


def _only(at: int, rank: int, part: DimSlice) -> list[DimSlice]:
    return [part if d == at else DimSlice() for d in range(rank)]


class Gather(Movement, mnemonic="gather"):
    """`out[i][j] = input[index[i][j]][j]` for `dim` 0, as `torch.gather`."""

    op_code = "GatherDeviceOperation"
    unsigned = ("index",)
    input: TensorType
    index: TensorType
    dim: I32

    def infer(self) -> TensorType:
        """Return the index's shape in the input's element type."""
        at = axis(self.dim, self.input.rank)
        integer("index", self.index)
        fits = self.index.rank == self.input.rank and all(
            i <= e for d, (i, e) in enumerate(zip(self.index.shape, self.input.shape, strict=True)) if d != at
        )
        expect(
            fits,
            f"index {list(self.index.shape)} does not fit input {list(self.input.shape)} along dim {self.dim}",
        )
        return self.input.with_shape(self.index.shape)


class Scatter(Movement, mnemonic="scatter"):
    """`out = input; out[index[i][j]][j] = source[i][j]` for `dim` 0, as `torch.scatter` and `scatter_reduce`.

    With a `scatter_reduce_type`, values are combined with the present ones by sum, product, minimum or maximum.
    """

    op_code = "ScatterDeviceOperation"
    input: TensorType
    index: TensorType
    source: TensorType
    dim: I32
    scatter_reduce_type: ReduceType = "invalid"

    def infer(self) -> TensorType:
        """Return the input's type; the index must fit the source in all dimensions, and the input in all but `dim`."""
        at = axis(self.dim, self.input.rank)
        integer("index", self.index)
        kind, index, source = self.scatter_reduce_type, self.index, self.source
        known = ", ".join(SCATTER_REDUCTIONS)
        expect(kind in SCATTER_REDUCTIONS, f"scatter_reduce_type is {kind!r}, not one of {known}")
        expect(source.dtype == self.input.dtype, f"source holds {source.dtype}, input {self.input.dtype}")
        for name, other, free in (("input", self.input, at), ("source", source, None)):
            fits = index.rank == other.rank and all(
                i <= e for d, (i, e) in enumerate(zip(index.shape, other.shape, strict=True)) if d != free
            )
            where = "" if free is None else f" along dim {self.dim}"
            expect(fits, f"index {list(index.shape)} does not fit {name} {list(other.shape)}{where}")
        return self.input

    def flops(self) -> int:
        """Return one for each value that is combined with a present one."""
        return 0 if self.scatter_reduce_type == "invalid" else self.index.size

    def dispatch(self) -> WorkEstimate:
        """Estimate one read of all operands and one write of the result."""
        return movement(self.operands, self.results, "copy" if self.scatter_reduce_type == "invalid" else "add")


class GetDimensionSize(Movement, mnemonic="get_dimension_size"):
    """Return the extent of one dimension as a tensor of one integer, a compile-time constant."""

    executable = False
    operand: TensorType
    dimension: I32
    type: ResultType

    def infer(self) -> TensorType:
        """Return the declared type, which must be one integer."""
        axis(self.dimension, self.operand.rank, "dimension")
        whole = self.type.size == 1 and self.type.rank <= 1 and not self.type.dtype.is_float
        expect(whole, f"result is {self.type}, not one integer")
        return self.type

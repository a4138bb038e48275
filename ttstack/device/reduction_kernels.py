"""Reductions of several kernels, as `ttnn` 0.81.1 shows on a mock device.

- Over a leading dimension: it is permuted to the rows first, and back afterwards. Intermediates are in the memory of
  the result, where a short dimension is padded to 32 rows of tiles.
- Along the rows of a tall matrix: from 20 tiles of rows on, if at most half the cores would have a column of tiles, a
  first kernel reduces parts of each column, one per core, and a second one their results.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod

from ttstack.device.circular_buffers.reduction import KINDS, ReductionStage, kept_shape, stages
from ttstack.device.circular_buffers.tiles import matrix
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.kernel_class import reduced_along
from ttstack.device.layout import Grid, MemorySpace
from ttstack.ops.base import OPS, Op
from ttstack.ops.shape import Permute, Reshape
from ttstack.ops.types import TILE, DType, TensorType, tiles


def transposed_kernels(device_op: DeviceOp, device: Grid) -> tuple[DeviceOp, ...]:
    """Return the kernels of such a call in order; none for any other op."""
    reduced = reduced_along(device_op.op)
    if reduced is None or not device_op.op.operands[0].size or not all(layout.tiled for layout in device_op.layouts()):
        return ()
    name, source, dims = reduced
    if (kind := KINDS.get(name)) is None:
        return ()
    steps = list(stages(kind, source.shape, dims, device_op.operands[0].dtype))
    if not any(stage.transposed for stage in steps):
        return ()
    kernels, last = list[DeviceOp](), device_op.op.results[0]
    for stage in steps:
        for op, dtype in _ops(stage, source):
            _add(kernels, device_op, device, op, dtype)
    kept = kept_shape(source.shape, dims)
    if matrix(kept) != matrix(last.shape):
        reshape = Reshape(input=source.with_shape(kept), shape=last.shape)
        _add(kernels, device_op, device, reshape, device_op.operands[0].dtype)
    kernels[-1] = replace(kernels[-1], results=device_op.results)
    return tuple(kernels)


def _ops(stage: ReductionStage, t: TensorType) -> list[tuple[Op, DType]]:
    """Return each kernel for one dimension, and its result format."""
    operand = t.with_shape(stage.shape)
    if not stage.transposed:
        return [(_reduced(stage.kind, operand, stage.dim), stage.result)]
    transposed = Permute(input=operand, permutation=stage.order)
    reduced = _reduced(stage.kind, transposed.results[0], operand.rank - 2)
    back = Permute(input=reduced.results[0], permutation=stage.order)
    return [(transposed, stage.source), (reduced, stage.result), (back, stage.result)]


def _reduced(kind: str, t: TensorType, dim: int) -> Op:
    return OPS[kind].on([t], {"dim_arg": (dim,), "keep_dim": True})


def _add(kernels: list[DeviceOp], whole: DeviceOp, device: Grid, op: Op, dtype: DType) -> None:
    """Append a kernel whose result has the memory of the call's result."""
    sources = kernels[-1].results if kernels else whole.operands
    target = replace(whole.results[0].interleave(whole.results[0].memory_space), dtype=dtype)
    kernels.append(
        replace(whole, op=op, operands=sources, results=(target,), grid=device, spread=Spread.FLAT, config=None)
    )


def transposed_bytes(device_op: DeviceOp, device: Grid) -> int:
    """Return the maximum L1 bytes on a core of intermediates between kernels of such a call."""
    kernels = transposed_kernels(device_op, device)
    leftovers = [0, *(_bank_bytes(kernel, device) for kernel in kernels[:-1]), 0]
    return max(map(sum, pairwise(leftovers)), default=0)


def _bank_bytes(kernel: DeviceOp, device: Grid) -> int:
    """Return the bytes on a core of a kernel's result; blocks are permuted as plain numbers."""
    (layout,), (t,) = kernel.results, kernel.op.results
    plain = replace(layout, dtype=DType.BF16) if layout.dtype.is_block else layout
    return plain.bank_bytes(t, device.cores) if plain.in_l1 else 0


_TALL = 20
"""Tiles of rows above which columns are divided."""
_READ_AHEAD, _PARTIAL_READ_AHEAD = 16, 6
"""Tiles of its operand that the first kernel buffers, and the second of the first one's results."""
_ADDED = ("sum", "mean")


@dataclass(frozen=True)
class TallReduction:
    """A divided reduction."""

    kind: str
    source: TensorType
    parts: int
    """Number of parts of each column of tiles."""
    partial: DType
    """The format of partial results."""

    @staticmethod
    def of(device_op: DeviceOp, device: Grid) -> "TallReduction | None":
        """Return the divided reduction; None if one kernel computes it on a device of these cores."""
        reduced = reduced_along(device_op.op)
        if reduced is None or not all(layout.tiled and layout.grid is None for layout in device_op.layouts()):
            return None
        name, source, dims = reduced
        kind, dtype = KINDS.get(name), device_op.operands[0].dtype
        if kind is None or set(dims) != {source.rank - 2} or not dtype.is_float or 0 in source.shape:
            return None
        rows, columns = tiles(source.shape[-2]), tiles(source.shape[-1]) * prod(source.shape[:-2])
        if rows < _TALL or 2 * columns > device.cores:
            return None
        return TallReduction(kind, source, min(rows, device.cores // columns), DType.F32 if kind in _ADDED else dtype)

    def kernels(self, device_op: DeviceOp, device: Grid) -> tuple[DeviceOp, DeviceOp]:
        """Return the two kernels in order."""
        columns = self.source.shape[-1]
        each = -(-tiles(self.source.shape[-2]) // self.parts) * TILE
        lead = prod(self.source.shape[:-2])
        first = self._reduced((lead * self.parts, each, columns))
        second = self._reduced((lead, self.parts * TILE, columns))
        partial_layout = replace(device_op.results[0].interleave(MemorySpace.DRAM), dtype=self.partial)
        return (
            replace(device_op, op=first, results=(partial_layout,), grid=device),
            replace(device_op, op=second, operands=(partial_layout,), grid=device),
        )

    def _reduced(self, shape: tuple[int, ...]) -> Op:
        return OPS[self.kind].on([self.source.with_shape(shape)], {"dim_arg": (1,), "keep_dim": True})

    def nbytes(self, source: DType, target: DType) -> int:
        """Return the bytes of circular buffers on a core: input tiles, the factor, and two output tiles."""
        factor, ahead = (source, 2) if source is DType.F32 else (DType.BF16, _READ_AHEAD)
        first = ahead * source.tile_bytes + factor.tile_bytes + 2 * self.partial.tile_bytes
        return max(first, _PARTIAL_READ_AHEAD * self.partial.tile_bytes + 3 * target.tile_bytes)

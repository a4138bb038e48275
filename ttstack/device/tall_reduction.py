"""Reductions of tall matrices along their rows, which the library divides over all cores.

`ttnn` 0.81.1, seen on a mock device: from 20 tiles of rows on, where at most half the cores would have a column of
tiles, a first kernel reduces as many parts of each column as there are cores for, and a second one what these give.
"""

from dataclasses import dataclass, replace
from math import prod

from ttstack.device.device_op import DeviceOp
from ttstack.device.kernel_buffers.reduction import KINDS
from ttstack.device.kernel_class import reduced_along
from ttstack.device.layout import Grid, MemorySpace
from ttstack.ops.base import OPS, Op
from ttstack.ops.types import TILE, DType, TensorType, tiles

_TALL = 20
"""Tiles of rows from which on columns are divided."""
_READ_AHEAD, _PARTIAL_READ_AHEAD = 16, 6
"""Tiles that the first kernel holds of its operand, and the second of what the first one gave."""
_ADDED = ("sum", "mean")


@dataclass(frozen=True)
class TallReduction:
    """One that is divided."""

    kind: str
    given: TensorType
    parts: int
    """How many there are of each column of tiles."""
    partial: DType
    """The format of what parts give."""

    @staticmethod
    def of(device_op: DeviceOp, device: Grid) -> "TallReduction | None":
        """The reduction; None where one kernel does it on a device of these cores."""
        found = reduced_along(device_op.op)
        if found is None or not all(layout.tiled and layout.grid is None for layout in device_op.layouts()):
            return None
        name, given, dims = found
        kind, dtype = KINDS.get(name), device_op.operands[0].dtype
        if kind is None or set(dims) != {given.rank - 2} or not dtype.is_float or 0 in given.shape:
            return None
        rows, columns = tiles(given.shape[-2]), tiles(given.shape[-1]) * prod(given.shape[:-2])
        if rows < _TALL or 2 * columns > device.cores:
            return None
        return TallReduction(kind, given, min(rows, device.cores // columns), DType.F32 if kind in _ADDED else dtype)

    def kernels(self, device_op: DeviceOp, device: Grid) -> tuple[DeviceOp, DeviceOp]:
        """The two, one after the other."""
        columns = self.given.shape[-1]
        each = -(-tiles(self.given.shape[-2]) // self.parts) * TILE
        lead = prod(self.given.shape[:-2])
        first = self._reduced((lead * self.parts, each, columns))
        second = self._reduced((lead, self.parts * TILE, columns))
        held = replace(device_op.results[0].interleave(MemorySpace.DRAM), dtype=self.partial)
        return (
            replace(device_op, op=first, results=(held,), grid=device),
            replace(device_op, op=second, operands=(held,), grid=device),
        )

    def _reduced(self, shape: tuple[int, ...]) -> Op:
        return OPS[self.kind].on([self.given.with_shape(shape)], {"dim_arg": (1,), "keep_dim": True})

    def nbytes(self, given: DType, made: DType) -> int:
        """Bytes of circular buffers on a core: tiles that are read, the factor, and two tiles that are written."""
        factor, ahead = (given, 2) if given is DType.F32 else (DType.BF16, _READ_AHEAD)
        first = ahead * given.tile_bytes + factor.tile_bytes + 2 * self.partial.tile_bytes
        return max(first, _PARTIAL_READ_AHEAD * self.partial.tile_bytes + 3 * made.tile_bytes)

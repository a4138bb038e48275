"""Circular buffers of a matrix product whose weights each core streams from the bank of DRAM beside it."""

from dataclasses import dataclass

from ttstack.device.device_op import DeviceOp
from ttstack.device.matmul_buffers import DOUBLE
from ttstack.ops.types import DType

_TRIPLE = 3

_NARROW, _WIDE = 8, 4
"""Tiles that are computed at a time, and those with 32-bit sums."""


@dataclass(frozen=True)
class StreamedBuffers:
    """Bytes for each tile of a block."""

    in0: int
    in1: int
    extra: int
    """Bytes of bias, for each column."""
    out: int
    partial: int
    """Bytes of sums over part of K, where the output's own buffer cannot hold them."""
    at_once: int
    """Most tiles of a row that are computed at a time."""

    @staticmethod
    def of(device_op: DeviceOp) -> "StreamedBuffers":
        """For the op's formats; shards are copied into buffers on their way from and to other cores."""
        in0, in1, *extra = (layout.dtype.tile_bytes for layout in device_op.operands[: len(device_op.op.operands)])
        made = device_op.results[0].dtype
        sums = DType.F32 if made is DType.F32 else DType.BF16
        partial = sums.tile_bytes if made.tile_bytes < sums.tile_bytes else 0
        return StreamedBuffers(in0, in1, sum(extra), made.tile_bytes, partial, _WIDE if made is DType.F32 else _NARROW)

    def nbytes(self, height: int, width: int, depth: int, k_blocks: int) -> int:
        """Bytes for outputs of `height` x `width` tiles in steps of `depth` tiles along K."""
        in0, in1 = height * depth * self.in0, width * depth * self.in1
        streams = DOUBLE * in0 + _TRIPLE * in1 if k_blocks > 1 else in0 + in1
        columns = _filled(width, self.at_once)
        return streams + height * columns * (self.out + (self.partial if k_blocks > 1 else 0)) + columns * self.extra


def _filled(width: int, most: int) -> int:
    """Columns, filled up to the fewest parts that are computed at a time."""
    whole = max(w for w in range(1, most + 1) if width % w == 0)
    count, columns = min((-(-width // w), w) for w in range(whole, most + 1))
    return count * columns

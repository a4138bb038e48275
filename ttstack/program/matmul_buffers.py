"""Circular buffers of a matrix product, for any choice of blocks."""

import math
from dataclasses import dataclass

from ttstack.ops.types import TILE, DType
from ttstack.ops.windows import WindowOp
from ttstack.program.device_op import DeviceOp
from ttstack.program.structure import is_local

DOUBLE = 2
"""Buffers of a stream: one is filled while the other is used."""


@dataclass(frozen=True)
class MatmulBuffers:
    """Bytes for each tile of a block; 0 where the tensor's own shard is the buffer."""

    in0: int
    in1: int
    extra: int
    """Of bias and other operands of the epilogue, for each column of the output block."""
    out: int
    partial: int
    """Of sums over part of K, where the output's own buffer cannot hold them."""
    windows: "WindowBytes | None" = None
    """Of the input of a convolution."""

    @staticmethod
    def of(device_op: DeviceOp) -> "MatmulBuffers":
        """For the op's formats and layouts."""
        dispatch, op = device_op.dispatch, device_op.op
        parts = zip(dispatch.maps, device_op.types(), device_op.layouts(), strict=True)
        sizes = [0 if is_local(device_op, *part) else part[2].dtype.tile_bytes for part in parts]
        result = device_op.results[0].dtype
        partial = (DType.F32 if result is DType.F32 else DType.BF16).tile_bytes
        count = len(dispatch.inputs)
        return MatmulBuffers(
            in0=DOUBLE * sizes[0],
            in1=DOUBLE * sizes[1],
            extra=sum(layout.dtype.tile_bytes for layout in device_op.operands[2 : len(op.operands)]),
            out=sizes[count],
            partial=partial if result.tile_bytes < partial else 0,
            windows=WindowBytes.of(device_op),
        )

    def nbytes(self, height: int, width: int, depth: int, k_blocks: int) -> int:
        """Bytes for output blocks of `height` x `width` tiles in steps of `depth` tiles along K."""
        out = self.out + (self.partial if k_blocks > 1 else 0)
        held = self.windows.nbytes(height) if self.windows else 0
        return (height * self.in0 + width * self.in1) * depth + width * self.extra + height * width * out + held


@dataclass(frozen=True)
class WindowBytes:
    """The part of a convolution's input that a core holds for one output block: pixels without the padding of tiles.

    tt-metal's halo op leaves the channels of one pixel after those of another.
    """

    row: float
    """For a tile of pixels of the result, where windows share what they see."""
    halo: float
    """Seen by the block and its neighbours."""
    apart: float
    """For a tile of pixels, where each window is held by itself."""

    @staticmethod
    def of(device_op: DeviceOp) -> "WindowBytes | None":
        """None where no window slides over the input."""
        op = device_op.op
        if not isinstance(op, WindowOp) or op.is_pointwise:
            return None
        element = device_op.operands[0].dtype.tile_bytes / TILE**2
        return WindowBytes(
            row=op.operands[0].size * element / max(device_op.dispatch.domain[0], 1),
            halo=op.halo() * element,
            apart=TILE * op.taps * op.channels * element,
        )

    def nbytes(self, height: int) -> int:
        """Bytes for `height` tiles of pixels."""
        return math.ceil(min(height * self.row + self.halo, height * self.apart))

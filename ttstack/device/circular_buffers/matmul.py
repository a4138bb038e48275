"""Circular buffers of matmuls for any choice of blocks."""

from dataclasses import dataclass

from ttstack.device.circular_buffers.convolution import ConvolutionBuffers
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.halo import Halo, has_own_shards
from ttstack.device.kernel_class import is_local, keeps_rows, over_banks, transposes_first
from ttstack.device.matmul_blocks import per_core
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc

DOUBLE = 2
"""Number of buffers of a stream: one is filled while the other is used."""


@dataclass(frozen=True)
class MatmulBuffers:
    """Bytes for each tile of a block; 0 if the tensor's own shard is the buffer."""

    in0: int
    in1: int
    extra: int
    """Bytes of bias and other epilogue operands, for each column of the output block."""
    out: int
    partial: int
    """Bytes of partial sums over K, if the output's buffer cannot hold them."""
    core: tuple[int, int]
    """Rows and columns of output tiles of a core."""
    in0_shard: int = 0
    """Bytes of a tile of an in0 shard from which steps along K are copied; 0 without such a shard."""
    whole_rows: bool = False
    """Whether a core copies all steps along K from its in0 shard before the first one."""
    out_shard: int = 0
    """Bytes of an output tile, if full output blocks are computed in a shard."""
    batched: int = 0
    """Rows of tiles of a batch's matrix, processed one after another; 0 if all are one matrix."""
    transposed: int = 0
    """Bytes of a tile of in0, if it is transposed into a second buffer of the same size."""
    convolution: DeviceOp | None = None
    """The convolution, if any, whose input a core has a copy of."""

    @staticmethod
    def of(device_op: DeviceOp) -> "MatmulBuffers":
        """Create it from the op's formats and layouts."""
        dispatch, op = device_op.dispatch, device_op.op
        parts = zip(dispatch.maps, device_op.types(), device_op.layouts(), strict=True)
        sizes = [0 if is_local(device_op, *part) else part[2].dtype.tile_bytes for part in parts]
        result = device_op.results[0].dtype
        partial = (DType.F32 if result is DType.F32 else DType.BF16).tile_bytes
        count = len(dispatch.inputs)
        return MatmulBuffers(
            in0=sizes[0],
            in1=sizes[1],
            extra=sum(layout.dtype.tile_bytes for layout in device_op.operands[2 : len(op.operands)]),
            out=sizes[count],
            partial=partial if result.tile_bytes < partial else 0,
            core=per_core(device_op),
            in0_shard=0 if sizes[0] else device_op.operands[0].dtype.tile_bytes,
            whole_rows=device_op.spread is Spread.ROWS,
            out_shard=0 if sizes[count] else result.tile_bytes,
            batched=dispatch.domain[dispatch.parallel[-2]] if keeps_rows(op) else 0,
            transposed=device_op.operands[0].dtype.tile_bytes if transposes_first(op) else 0,
            convolution=device_op if Halo.of(device_op) else None,
        )

    def nbytes(self, height: int, width: int, depth: int, k_blocks: int) -> int:
        """Return the bytes for output blocks of `height` x `width` tiles in steps of `depth` tiles along K.

        Streams have two buffers if there are several steps along K; a shard that is one full block is the buffer.
        """
        steps = DOUBLE if k_blocks > 1 or self.batched else 1
        rows = min(height, self.batched or height)
        in0 = self.in0 + self.transposed
        copied = 0
        if self.in0_shard and k_blocks > 1:
            copied = self.core[0] * k_blocks if self.whole_rows else steps * rows
        out = self.out or (self.out_shard if (height, width) != self.core else 0)
        out += self.partial if k_blocks > 1 else 0
        halo = Halo.of_block(self.convolution, height) if self.convolution else None
        halo_bytes = min(halo.nbytes, halo.window_bytes(height)) if halo else 0
        streams = steps * (rows * in0 + width * self.in1) + copied * self.in0_shard
        return streams * depth + width * self.extra + height * width * out + halo_bytes


_TRIPLE = 3
_NARROW, _WIDE = 8, 4
"""Number of tiles computed at a time, and with 32-bit sums."""


@dataclass(frozen=True)
class StreamedBuffers:
    """Bytes for each tile of a block."""

    in0: int
    in1: int
    extra: int
    """Bytes of bias for each column."""
    out: int
    partial: int
    """Bytes of partial sums over K, if the output's buffer cannot hold them."""
    at_once: int
    """Maximum tiles of a row computed at a time."""

    @staticmethod
    def of(device_op: DeviceOp) -> "StreamedBuffers":
        """Create it from the op's formats; shards are copied into buffers on their way from and to other cores."""
        in0, in1, *extra = (layout.dtype.tile_bytes for layout in device_op.operands[: len(device_op.op.operands)])
        result = device_op.results[0].dtype
        sums = DType.F32 if result is DType.F32 else DType.BF16
        partial = sums.tile_bytes if result.tile_bytes < sums.tile_bytes else 0
        return StreamedBuffers(
            in0, in1, sum(extra), result.tile_bytes, partial, _WIDE if result is DType.F32 else _NARROW
        )

    def nbytes(self, height: int, width: int, depth: int, k_blocks: int) -> int:
        """Return the bytes for outputs of `height` x `width` tiles in steps of `depth` tiles along K."""
        in0, in1 = height * depth * self.in0, width * depth * self.in1
        streams = DOUBLE * in0 + _TRIPLE * in1 if k_blocks > 1 else in0 + in1
        columns = _filled(width, self.at_once)
        return streams + height * columns * (self.out + (self.partial if k_blocks > 1 else 0)) + columns * self.extra


def _filled(width: int, most: int) -> int:
    """Return the columns, padded to the fewest parts that are computed at a time."""
    whole = max(w for w in range(1, most + 1) if width % w == 0)
    count, columns = min((-(-width // w), w) for w in range(whole, most + 1))
    return count * columns


def buffers_of(device_op: DeviceOp, chip: ChipDesc) -> MatmulBuffers | StreamedBuffers | ConvolutionBuffers:
    """Return the buffers of the op's kernel; a convolution that fits no blocks is processed in slices from DRAM."""
    if has_own_shards(device_op):
        whole = ConvolutionBuffers.of(device_op, chip)
        source = device_op.operands[0]
        if source.in_l1 or whole.nbytes(1, whole.columns, 1, 1) <= chip.l1_usable_bytes:
            return whole
    streamed = len(device_op.operands) > 1 and over_banks(device_op.operands[1])
    return StreamedBuffers.of(device_op) if streamed else MatmulBuffers.of(device_op)

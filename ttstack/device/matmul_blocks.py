"""The blocks of a matmul on one core."""

import math
from dataclasses import dataclass

from ttstack.device.device_op import DeviceOp, once_for_each_op
from ttstack.device.kernel_class import keeps_rows
from ttstack.device.program_config import MatmulConfig


@dataclass(frozen=True)
class MatmulBlocks:
    """A core's output of `per_core_m` x `per_core_n` tiles, in output blocks, in steps of `in0_block_w` along K.

    Field names are tt-metal's; an output block is computed in subblocks that fit Dst.
    """

    per_core_m: int
    per_core_n: int
    k: int
    in0_block_w: int
    out_block_h: int
    out_block_w: int
    out_subblock_h: int
    out_subblock_w: int

    @staticmethod
    @once_for_each_op
    def of(device_op: DeviceOp) -> "MatmulBlocks":
        """Return the blocks of `config`, by default one block of the core's whole output and one tile along K."""
        m, n = per_core(device_op)
        k, config = device_op.dispatch.steps, device_op.config
        if not isinstance(config, MatmulConfig):
            return MatmulBlocks(m, n, k, min(1, k), m, n, min(1, m), min(1, n))
        m, n = config.per_core_M or m, config.per_core_N or n
        height, width = config.out_block_h or m, config.out_block_w or n
        return MatmulBlocks(
            per_core_m=m,
            per_core_n=n,
            k=k,
            in0_block_w=min(config.in0_block_w or 1, k),
            out_block_h=height,
            out_block_w=width,
            out_subblock_h=min(config.out_subblock_h or 1, height),
            out_subblock_w=min(config.out_subblock_w or 1, width),
        )

    @property
    def k_blocks(self) -> int:
        """Number of steps along K."""
        return -(-self.k // self.in0_block_w)

    @property
    def row_blocks(self) -> int:
        """Number of output blocks from top to bottom; in1 is read once for each."""
        return -(-self.per_core_m // self.out_block_h)

    @property
    def column_blocks(self) -> int:
        """Number of output blocks from left to right; in0 is read once for each."""
        return -(-self.per_core_n // self.out_block_w)

    @property
    def out_blocks(self) -> int:
        """Number of output blocks of a core."""
        return self.row_blocks * self.column_blocks


@once_for_each_op
def extents(device_op: DeviceOp) -> tuple[int, int]:
    """Return rows of tiles of the result, with all matrices of a batch, and columns."""
    dispatch = device_op.dispatch
    columns = dispatch.domain[dispatch.parallel[-1]]
    return dispatch.units // max(columns, 1), columns


def per_core(device_op: DeviceOp) -> tuple[int, int]:
    """Return rows, with the batch, and columns of output tiles of the busiest core; for batched matmuls full rows."""
    loops = device_op.dispatch.parallel
    domain = device_op.core_domain
    if keeps_rows(device_op.op):
        width = device_op.dispatch.domain[loops[-1]]
        return -(-device_op.dispatch.units // max(width * device_op.grid.cores, 1)), width
    return math.prod(domain[i] for i in loops[:-1]), domain[loops[-1]]

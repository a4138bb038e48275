"""Program configurations of tt-metal's tuned matrix products, as its tests/ttnn/unit_tests/benchmarks state them."""

from dataclasses import replace

from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.footprint import dst_tiles
from ttstack.device.layout import Grid
from ttstack.device.matmul.configs import subblock
from ttstack.device.matmul_blocks import per_core
from ttstack.device.program_config import MatmulConfig, MatmulProgram
from ttstack.ops.types import DType
from ttstack.system_desc import ChipDesc

GRID = Grid(8, 8)
_DIVISORS: dict[DType, dict[tuple[int, int, int], tuple[int, int, int]]] = {
    DType.BF16: {
        (2048, 3072, 3072): (2, 1, 1),
        (3072, 3072, 3072): (4, 1, 1),
        (3072, 3072, 4096): (2, 1, 1),
        (3072, 4096, 4096): (2, 1, 1),
        (4096, 4096, 4096): (1, 2, 2),
        (8192, 8192, 8192): (2, 4, 4),
        (16384, 16384, 16384): (4, 8, 8),
    },
    DType.BFP8_B: {
        (3072, 3072, 3072): (2, 1, 1),
        (3072, 3072, 4096): (2, 1, 1),
        (4096, 4096, 4096): (1, 2, 2),
        (8192, 8192, 8192): (2, 4, 4),
        (16384, 16384, 16384): (4, 8, 8),
    },
    DType.BFP4_B: {
        (3072, 4096, 4096): (2, 1, 1),
        (4096, 4096, 4096): (2, 1, 1),
        (8192, 8192, 8192): (2, 2, 2),
        (16384, 16384, 16384): (4, 4, 4),
    },
}
"""By format and MxKxN: parts of a core's share of K in one step, and of its output from top to bottom and side by side.

Shapes that are not listed take the whole share in one step and have one output block.
"""


def tuned(base: DeviceOp, shape: tuple[int, int, int], chip: ChipDesc) -> DeviceOp:
    """The product on the benchmark's 8x8 cores, with its blocks."""
    steps, rows, columns = _DIVISORS.get(base.operands[0].dtype, {}).get(shape, (1, 1, 1))
    spread = replace(base, spread=Spread.BLOCKS)
    m, n = per_core(spread)
    height, width = max(m // rows, 1), max(n // columns, 1)
    sub_h, sub_w = subblock(height, width, dst_tiles(chip))
    config = MatmulConfig(
        type=MatmulProgram.MULTICAST_2D,
        in0_block_w=max(shape[1] // (32 * GRID.cols * steps), 1),
        out_block_h=height,
        out_block_w=width,
        out_subblock_h=sub_h,
        out_subblock_w=sub_w,
    )
    return replace(spread, config=config)

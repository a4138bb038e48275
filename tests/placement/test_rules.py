"""The rules of kernels: what is placed keeps them, and what breaks them is told apart."""

from dataclasses import replace

import pytest

import ttstack
from tests.docs.pages import ROOT
from ttstack.compiled_program import Program
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.program_config import MatmulConfig, MatmulProgram
from ttstack.device.rules import rule_faults
from ttstack.ops.base import OPS
from ttstack.ops.decode import ScaledDotProductAttentionDecode
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import load

CHIP = load("wormhole").chips[0]
DRAM = Layout(DType.BF16)
GRID = Grid(4, 4)


def in_shards(kind: MemoryLayout, grid: Grid = GRID) -> Layout:
    return Layout(DType.BF16, memory_space=MemorySpace.L1, memory_layout=kind, grid=grid)


BLOCKS, HEIGHTS = in_shards(MemoryLayout.BLOCK_SHARDED), in_shards(MemoryLayout.HEIGHT_SHARDED)


def product(result: Layout = DRAM, in0_block_w: int = 2, **blocks: int) -> DeviceOp:
    """A product of 512 x 256 by 256 x 512 elements: four by four tiles on each of 4 x 4 cores."""
    op = OPS["matmul"].on([TensorType((512, 256), DType.BF16), TensorType((256, 512), DType.BF16)], {})
    named = {"in0_block_w": in0_block_w, "per_core_M": 4, "per_core_N": 4} | blocks
    config = MatmulConfig(MatmulProgram.MULTICAST_2D, **named)
    return DeviceOp(op, (DRAM, DRAM), (result,), GRID, Spread.BLOCKS, config=config)


def lined(mcast_in0: bool, in0: Layout, result: Layout = DRAM, **blocks: int) -> DeviceOp:
    """The same product by columns of its result, or by rows, on 4 x 4 cores."""
    spread, per_core = (Spread.COLUMNS, (16, 1)) if mcast_in0 else (Spread.ROWS, (1, 16))
    named = {"in0_block_w": 1, **dict(zip(("per_core_M", "per_core_N"), per_core, strict=True))} | blocks
    config = MatmulConfig(MatmulProgram.MULTICAST_1D, **named)
    return replace(product(), operands=(in0, DRAM), results=(result,), spread=spread, config=config)


def batched(subblock: int) -> DeviceOp:
    """A batch of 32 products of 32 x 64 by 64 x 64 elements: two matrices on each of 16 cores."""
    shapes = [TensorType((32, 32, 64), DType.BF16), TensorType((32, 64, 64), DType.BF16)]
    config = MatmulConfig(
        MatmulProgram.REUSE, in0_block_w=2, per_core_M=2, per_core_N=2, out_subblock_h=subblock, out_subblock_w=1
    )
    return DeviceOp(OPS["matmul"].on(shapes, {}), (DRAM, DRAM), (DRAM,), GRID, Spread.FLAT, config=config)


def streamed(cores: int) -> DeviceOp:
    """A product of 32 x 256 by 256 x 384 elements, weights in 12 banks."""
    op = OPS["matmul"].on([TensorType((32, 256), DType.BF16), TensorType((256, 384), DType.BF16)], {})
    weights = replace(DRAM, memory_layout=MemoryLayout.WIDTH_SHARDED, grid=Grid(1, 12))
    rows = in_shards(MemoryLayout.WIDTH_SHARDED, Grid(1, cores))
    return DeviceOp(op, (rows, weights), (rows,), Grid(2, 6), Spread.COLUMNS)


def norm(source: Layout, result: Layout, width: int = 512, grid: Grid = GRID) -> DeviceOp:
    t = TensorType((512, width), DType.BF16)
    op = OPS["rms_norm"].on([t], {"normalized_shape": (width,)})
    return DeviceOp(op, (source,), (result,), grid, Spread.BLOCKS)


def attention(mask: Layout) -> DeviceOp:
    q, m = TensorType((1, 4, 64, 64), DType.BF16), TensorType((1, 1, 64, 64), DType.BF16)
    op = OPS["scaled_dot_product_attention"].on([q, q, q, m], {"is_causal": False})
    return DeviceOp(op, (DRAM, DRAM, DRAM, mask), (DRAM,), GRID)


def single_tokens(query: Layout, key: Layout = DRAM) -> DeviceOp:
    q, cache = TensorType((1, 8, 32, 64), DType.BF16), TensorType((8, 2, 64, 64), DType.BF16)
    op = ScaledDotProductAttentionDecode(query=q, key=cache, value=cache, cur_pos_tensor=TensorType((8,), DType.SI32))
    return DeviceOp(op, (query, key, DRAM, Layout(DType.SI32, tiled=False)), (DRAM,), GRID)


@pytest.mark.parametrize(
    ("device_op", "why"),
    [
        (product(out_subblock_h=2, out_subblock_w=4), None),
        (product(out_block_h=4, out_block_w=3), "per_core_N (4) must be divisible"),
        (product(out_subblock_h=3, out_subblock_w=1), "out_block_h (4) must be divisible"),
        (product(out_subblock_h=4, out_subblock_w=4), "exceeds the 8 that Dst holds"),
        (product(replace(DRAM, dtype=DType.F32), out_subblock_h=2, out_subblock_w=4), "exceeds the 4"),
        (product(BLOCKS, out_subblock_h=2, out_subblock_w=2), "out_subblock_w (2) is per_core_N (4)"),
        (product(BLOCKS, out_block_h=2, out_block_w=2, out_subblock_h=1, out_subblock_w=2), "out_block_w (2) is per"),
        (product(BLOCKS, out_subblock_h=1, out_subblock_w=2), None),
        (product(in0_block_w=3), "the tiles along K (8) must be divisible"),
        (lined(mcast_in0=True, in0=DRAM), None),
        (lined(mcast_in0=True, in0=DRAM, per_core_M=8), "per_core_M (8) is all 16 rows"),
        (lined(mcast_in0=True, in0=BLOCKS), "takes width shards, not block_sharded"),
        (lined(mcast_in0=True, in0=DRAM, result=HEIGHTS), "gives width shards, not height_sharded"),
        (lined(mcast_in0=False, in0=HEIGHTS, result=HEIGHTS), None),
        (lined(mcast_in0=False, in0=HEIGHTS, per_core_M=2), "per_core_M (2) is the 1 rows of tiles of a shard"),
        (lined(mcast_in0=False, in0=HEIGHTS, result=BLOCKS), "does not give block_sharded results"),
        (lined(mcast_in0=False, in0=DRAM, per_core_N=4), "64 blocks exceed the 16 cores"),
        (product(HEIGHTS), "gives block shards, not height_sharded"),
        (product(per_core_M=2), "8 blocks exceed the 4 rows of cores"),
        (batched(1), None),
        (batched(2), "out_subblock_h (2) must divide the 1 rows"),
        (streamed(4), None),
        (streamed(3), "3 cores do not divide the 8 tiles"),
        (norm(BLOCKS, BLOCKS), None),
        (norm(DRAM, DRAM), "only where they hold them as shards"),
        (norm(BLOCKS, DRAM), "a norm of shards gives such shards"),
        (norm(in_shards(MemoryLayout.HEIGHT_SHARDED), DRAM), "takes no height shards"),
        (norm(BLOCKS, BLOCKS, width=576), None),
        (attention(DRAM), None),
        (attention(DRAM.interleave(MemorySpace.L1)), "a mask of attention must be in DRAM"),
        (single_tokens(DRAM), None),
        (single_tokens(HEIGHTS), None),
        (single_tokens(DRAM.interleave(MemorySpace.L1)), "query of decode attention must be in DRAM or sharded"),
        (single_tokens(DRAM, DRAM.interleave(MemorySpace.L1)), "keys and values of decode attention"),
    ],
)
def test_rules_tell_what_kernels_take(device_op: DeviceOp, why: str | None):
    faults = list(rule_faults(device_op, CHIP))
    assert bool(faults) == (why is not None)
    assert why is None or any(why in fault for fault in faults), faults


@pytest.fixture(scope="module", params=["greedy", "optimal"])
def placed(request: pytest.FixtureRequest) -> Program:
    return ttstack.compile(ROOT / "examples/encoder_layer.mlir", placement=request.param)


def test_what_is_placed_keeps_them(placed: Program):
    function = placed.function()
    ops = [function.device_op(op) for op in function.operations]
    assert [fault for op in ops for fault in rule_faults(op, CHIP)] == []


@pytest.mark.parametrize(
    ("grid", "taken"), [(Grid(8, 8), True), (Grid(5, 13), False), (Grid(1, 65), True), (Grid(8, 9), False)]
)
def test_columns_of_blocks_in_use_fill_rows_of_cores(grid: Grid, taken: bool):
    shapes = ((1, 2, 32, 64), (1, 4, 64, 64 * 7 * 32), (1, 2, 1, 4))
    op = OPS["sparse_matmul"].on([TensorType(shape, DType.BF16) for shape in shapes], {})
    faults = list(rule_faults(DeviceOp(op, (DRAM, DRAM, DRAM), (DRAM,), grid), CHIP))
    assert faults == ([] if taken else [f"64 cores that have columns of a sparse product fill no rows of {grid.cols}"])

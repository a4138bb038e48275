"""Convolutions and sharded norms: bytes of buffers, and of L1 beside them, that `ttnn` 0.81.1 shows on a mock n150."""

from dataclasses import replace

import pytest

from ttstack.device.device_op import SPREADS, DeviceOp, Spread
from ttstack.device.footprint import circular_buffers, footprint
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.matmul.configs import spread_configs, spreads
from ttstack.device.rules import rule_faults
from ttstack.ops.base import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import load

BF16, BFP8, F32 = DType.BF16, DType.BFP8_B, DType.F32
DRAM, HEIGHT, WIDTH, BLOCK = (
    MemoryLayout.INTERLEAVED,
    MemoryLayout.HEIGHT_SHARDED,
    MemoryLayout.WIDTH_SHARDED,
    MemoryLayout.BLOCK_SHARDED,
)
CHIP = load("wormhole").chips[0]


def place(dtype: DType, kind: MemoryLayout, grid: Grid | None) -> Layout:
    return Layout(dtype, True, MemorySpace.DRAM if kind is DRAM else MemorySpace.L1, kind, grid)


def convolution(
    side: int, given: int, made: int, stride: int, dtype: DType, source: Layout, result: Layout, rows: int | None
) -> DeviceOp:
    """A window of 3x3, in blocks of all that a core makes, or of some rows of tiles."""
    image = TensorType((1, 1, side * side, given), BF16)
    flat = {"stride": stride, "padding": 1, "dilation": 1, "groups": 1, "flattened_compat_info": (1, side, side)}
    op = OPS["conv2d"].on([image, TensorType((made, given, 3, 3), BF16)], flat)
    grid = result.grid or source.grid or Grid(*CHIP.grid)
    base = DeviceOp(op, (source, Layout(dtype, filters=True)), (result,), grid)
    base = replace(base, spread=spreads(base)[0])
    config = next(iter(spread_configs(base, CHIP)))
    return replace(base, config=replace(config, out_block_h=rows, out_block_w=None))


@pytest.mark.parametrize(
    ("side", "given", "made", "stride", "dtype", "kinds", "grid", "rows", "buffers", "peak"),
    [
        (16, 64, 64, 1, BF16, (HEIGHT, HEIGHT), Grid(1, 8), None, 49228, 66636),
        (16, 16, 64, 1, BF16, (HEIGHT, HEIGHT), Grid(1, 8), None, 24652, 35404),
        (16, 64, 64, 1, BFP8, (HEIGHT, HEIGHT), Grid(1, 8), None, 36044, 49612),
        (16, 64, 64, 1, F32, (HEIGHT, HEIGHT), Grid(1, 8), None, 98380, 133196),
        (32, 64, 64, 1, BF16, (HEIGHT, HEIGHT), Grid(1, 8), None, 122968, 181848),
        (32, 64, 64, 1, BF16, (HEIGHT, HEIGHT), Grid(1, 4), 2, 122992, 232048),
        (32, 64, 64, 1, BFP8, (HEIGHT, HEIGHT), Grid(1, 4), 2, 85104, 163440),
        (16, 64, 128, 1, BF16, (BLOCK, BLOCK), Grid(8, 2), None, 24652, 35404),
        (32, 128, 128, 1, BF16, (BLOCK, BLOCK), Grid(4, 4), 4, 55408, 109936),
        (32, 128, 128, 1, BFP8, (BLOCK, BLOCK), Grid(4, 4), None, 121128, 160296),
        (16, 128, 128, 1, BF16, (WIDTH, WIDTH), Grid(1, 4), 1, 92320, 145824),
        (16, 128, 128, 1, BFP8, (WIDTH, WIDTH), Grid(1, 4), None, 219844, 257988),
        (56, 128, 128, 2, BF16, (DRAM, DRAM), None, None, 55396, 106660),
        (7, 512, 512, 1, BF16, (DRAM, DRAM), None, None, 49240, 61016),
        (16, 128, 64, 1, BF16, (DRAM, BLOCK), Grid(8, 2), None, 36940, 48204),
    ],
)
def test_a_convolution_holds_windows_and_blocks_of_them(
    side: int,
    given: int,
    made: int,
    stride: int,
    dtype: DType,
    kinds: tuple[MemoryLayout, MemoryLayout],
    grid: Grid | None,
    rows: int | None,
    buffers: int,
    peak: int,
):
    source, result = (place(dtype, kind, None if kind is DRAM else grid) for kind in kinds)
    device_op = convolution(side, given, made, stride, dtype, source, result, rows)
    held = sum(
        layout.bank_bytes(t, CHIP.num_cores)
        for layout, t in zip(device_op.layouts(), device_op.types(), strict=True)
        if layout.in_l1
    )
    assert circular_buffers(device_op, CHIP) == buffers
    assert footprint(device_op, CHIP) + held == peak


@pytest.mark.parametrize(
    ("batch", "given", "made", "stride", "dtype", "buffers"),
    [(1, 32, 64, 2, BF16, 94284), (2, 16, 16, 1, BFP8, 57636)],
)
def test_one_core_sends_windows_where_others_make_channels_and_adds_up_nothing(
    batch: int, given: int, made: int, stride: int, dtype: DType, buffers: int
):
    image, row = TensorType((1, 1, batch * 16, given), BF16), TensorType((1, 1, 1, made), BF16)
    flat = {"stride": stride, "padding": 1, "dilation": 1, "groups": 1, "flattened_compat_info": (batch, 4, 4)}
    op = OPS["conv2d"].on([image, TensorType((made, given, 3, 3), BF16), row], flat)
    layouts = (Layout(dtype), Layout(dtype, filters=True), Layout(dtype))
    base = DeviceOp(op, layouts, (Layout(dtype),), Grid(1, 1), spread=Spread.COLUMNS)
    assert circular_buffers(replace(base, config=next(iter(spread_configs(base, CHIP)))), CHIP) == buffers


@pytest.mark.parametrize(
    ("name", "rows", "width", "kind", "grid", "dtype", "nbytes"),
    [
        ("layer_norm", 224, 64, BLOCK, Grid(1, 2), BF16, 61 * 2048),
        ("layer_norm", 224, 50, BLOCK, Grid(1, 2), BF16, 69 * 2048),
        ("layer_norm", 1024, 128, WIDTH, Grid(2, 2), BF16, 250 * 2048),
        ("layer_norm", 224, 176, WIDTH, Grid(1, 2), BF16, 115 * 2048),
        ("layer_norm", 64, 768, WIDTH, Grid(1, 5), BF16, 100352),
        ("layer_norm", 224, 50, BLOCK, Grid(1, 2), F32, 276480),
        ("rms_norm", 224, 50, BLOCK, Grid(1, 2), BF16, 46 * 2048),
        ("rms_norm", 1024, 3072, BLOCK, Grid(7, 5), BF16, 499712),
        ("rms_norm", 224, 50, BLOCK, Grid(1, 2), BFP8, 93248),
    ],
)
def test_shards_of_a_norm_may_have_a_rest(
    name: str, rows: int, width: int, kind: MemoryLayout, grid: Grid, dtype: DType, nbytes: int
):
    op = OPS[name].on([TensorType((rows, width), BF16), TensorType((width,), BF16)], {"normalized_shape": (width,)})
    shards = place(dtype, kind, grid)
    device_op = DeviceOp(op, (shards, Layout(dtype)), (shards,), grid, SPREADS[kind])
    assert list(rule_faults(device_op, CHIP)) == []
    assert footprint(device_op, CHIP) == nbytes

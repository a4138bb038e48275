"""Group norms of shards: the library's rules, and its buffers as `ttnn` 0.81.1 shows them on a mock n150."""

from dataclasses import replace

import pytest

from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.footprint import circular_buffers, footprint
from ttstack.device.group_norm import group_grids, mask_type
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.rules import rule_faults
from ttstack.ops.normalization import GroupNorm
from ttstack.ops.types import TILE, DType, TensorType
from ttstack.system_desc import load

CHIP = load("wormhole").chips[0]
BF16, F32, BFP8 = DType.BF16, DType.F32, DType.BFP8_B
ROWS = Layout(BF16, tiled=False)


def norm(samples: int, pixels: int, channels: int, groups: int = 32) -> GroupNorm:
    x, by_channel = (
        TensorType(shape, BF16) for shape in ((samples, 1, pixels, channels), (1, 1, channels // TILE, TILE))
    )
    plain = GroupNorm(input=x, weight=by_channel, bias=by_channel, num_groups=groups)
    return replace(plain, input_mask=mask_type(plain))


def placed(op: GroupNorm, grid: Grid, dtype: DType = BF16, mask: DType = BF16, *, height: bool = False) -> DeviceOp:
    kind = MemoryLayout.HEIGHT_SHARDED if height else MemoryLayout.BLOCK_SHARDED
    shards = Layout(dtype, True, MemorySpace.L1, kind, grid)
    given = (shards, Layout(mask), *([ROWS] * (len(op.operands) - 2)))
    return DeviceOp(op, given, (shards,), grid, Spread.ROWS if height else Spread.BLOCKS)


@pytest.mark.parametrize(
    ("op", "grid", "dtype", "mask", "nbytes"),
    [
        (norm(1, 256, 1280), Grid(8, 8), BF16, BF16, 59392),
        (norm(1, 512, 1280), Grid(8, 8), BF16, BF16, 73728),
        (norm(1, 64, 1280), Grid(2, 8), BF16, BF16, 59392),
        (norm(1, 64, 1280), Grid(1, 4), BF16, BF16, 114688),
        (norm(1, 1024, 640), Grid(8, 4), BF16, BF16, 102400),
        (norm(1, 1024, 640), Grid(8, 2), BF16, BF16, 163840),
        (norm(1, 4096, 320), Grid(8, 2), BF16, BF16, 274432),
        (norm(1, 4096, 512), Grid(8, 8), BF16, BF16, 126976),
        (norm(1, 1024, 960), Grid(8, 2), BF16, BF16, 225280),
        (norm(1, 256, 2560), Grid(4, 8), BF16, BF16, 122880),
        (norm(1, 1024, 96, 4), Grid(8, 1), BF16, BF16, 77824),
        (norm(1, 256, 1280, 1), Grid(8, 1), BF16, BF16, 507904),
        (norm(1, 1024, 64, 64), Grid(8, 2), BF16, BF16, 40960),
        (norm(8, 64, 1280), Grid(4, 8), BF16, BF16, 94208),
        (norm(3, 64, 1280), Grid(6, 8), BF16, BF16, 59392),
        (norm(1, 256, 1280), Grid(8, 8), BF16, BFP8, 55552),
        (norm(1, 256, 1280), Grid(8, 8), BF16, F32, 67584),
        (norm(1, 256, 1280), Grid(8, 8), F32, BF16, 81920),
        (norm(8, 64, 1280), Grid(4, 8), F32, BF16, 151552),
        (replace(norm(1, 256, 1280), bias=None), Grid(8, 8), BF16, BF16, 49152),
        (replace(norm(1, 256, 1280), weight=None, bias=None), Grid(8, 8), BF16, BF16, 38912),
    ],
)
def test_buffers_are_as_large_as_the_library_s(op: GroupNorm, grid: Grid, dtype: DType, mask: DType, nbytes: int):
    device_op = placed(op, grid, dtype, mask)
    assert list(rule_faults(device_op, CHIP)) == []
    assert circular_buffers(device_op, CHIP) == nbytes


@pytest.mark.parametrize(("rows", "nbytes"), [(8, 114688), (2, 262144)])
def test_cores_can_have_all_channels_of_some_rows(rows: int, nbytes: int):
    device_op = placed(norm(1, 4096, 320), Grid(rows, 8), height=True)
    assert list(rule_faults(device_op, CHIP)) == []
    assert circular_buffers(device_op, CHIP) == nbytes


@pytest.mark.parametrize(
    ("op", "grid"),
    [
        (norm(3, 64, 1280), Grid(2, 8)),
        (norm(2, 96, 1280), Grid(3, 8)),
        (norm(1, 1024, 320), Grid(8, 5)),
        (norm(1, 256, 1280, 4), Grid(8, 8)),
        (norm(1, 96, 1280), Grid(2, 8)),
    ],
)
def test_cores_have_whole_groups_and_rows_of_samples(op: GroupNorm, grid: Grid):
    assert any("do not divide" in fault for fault in rule_faults(placed(op, grid), CHIP))
    assert grid not in group_grids(op, Grid(8, 8))


def test_what_is_no_form_of_the_library_is_refused():
    base = norm(1, 256, 1280)
    for op in (replace(base, input_mask=None), replace(base, input_mask=mask_type(norm(1, 256, 1280, 64)))):
        shards = placed(base, Grid(8, 8))
        given = tuple(layout for i, layout in enumerate(shards.operands) if i != 1 or op.input_mask is not None)
        assert any("mask" in fault for fault in rule_faults(replace(shards, op=op, operands=given), CHIP))
    other = replace(placed(base, Grid(8, 8)), grid=Grid(4, 8))
    assert any("shards" in fault for fault in rule_faults(other, CHIP))


@pytest.mark.parametrize(("channels", "groups", "span"), [(320, 32, 2), (1280, 32, 2), (2560, 32, 3), (512, 32, 1)])
def test_a_mask_is_as_wide_as_groups_reach_over_tiles(channels: int, groups: int, span: int):
    assert norm(1, 32, channels, groups).span == span


def test_pages_are_put_into_shards_and_come_back():
    """Beside 59,392 bytes of buffers the operand's shard and the result's: what the library says for one in shards."""
    op = norm(1, 256, 1280)
    pages = replace(placed(op, Grid(8, 8)), operands=(Layout(BF16), Layout(BF16), ROWS, ROWS), results=(Layout(BF16),))
    assert list(rule_faults(pages, CHIP)) == []
    assert footprint(pages, CHIP) == 79872

"""Norms that add a residual: bytes that `ttnn` 0.81.1 shows on a mock n150, and where the two must lie."""

from dataclasses import replace

import pytest

from ttstack.device.device_op import SPREADS, DeviceOp, Spread
from ttstack.device.footprint import circular_buffers
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.device.program_config import RowwiseConfig, Sums
from ttstack.device.rules import layout_faults
from ttstack.ops.base import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import load

BF16, BFP8, F32 = DType.BF16, DType.BFP8_B, DType.F32
CHIP = load("wormhole").chips[0]
BLOCKS = Layout(BF16, True, MemorySpace.L1, MemoryLayout.BLOCK_SHARDED, Grid(8, 8))
WIDTH = replace(BLOCKS, memory_layout=MemoryLayout.WIDTH_SHARDED)


def norm(
    name: str, shape: tuple[int, ...], weights: int, layout: Layout, residual: Layout | None, sums: Sums | None = None
) -> DeviceOp:
    """A norm with so many of weight and bias, in DRAM in the format of the input; the result lies as that."""
    t = TensorType(shape, F32 if layout.dtype is F32 else BF16)
    row = t.with_shape(shape[-1:])
    affine = [row if i < weights else None for i in range(2)]
    op = OPS[name].on([t, *affine, None if residual is None else t], {"normalized_shape": shape[-1:]})
    others = [*(Layout(layout.dtype),) * weights, *([] if residual is None else [residual])]
    spread = SPREADS.get(layout.memory_layout, Spread.FLAT)
    return DeviceOp(
        op, (layout, *others), (layout,), layout.grid or Grid(8, 8), spread, config=RowwiseConfig(None, sums)
    )


@pytest.mark.parametrize(
    ("name", "width", "weights", "held", "residual", "sums", "nbytes"),
    [
        ("layer_norm", 1024, 0, BF16, BF16, Sums.BF16, 327680),
        ("layer_norm", 1024, 2, BF16, BF16, Sums.BF16, 491520),
        ("layer_norm", 1024, 2, BFP8, BFP8, Sums.BF16, 384000),
        ("layer_norm", 1024, 2, BF16, BFP8, Sums.BF16, 476160),
        ("layer_norm", 5120, 2, BFP8, BFP8, Sums.BF16, 585728),
        ("layer_norm", 8192, 2, BF16, BF16, Sums.BF16, 739328),
        ("rms_norm", 5120, 2, BF16, BF16, Sums.BF16, 620544),
        ("rms_norm", 5120, 1, BF16, BF16, Sums.F32, 421888),
    ],
)
def test_the_sum_is_held_and_operands_come_in_blocks(
    name: str, width: int, weights: int, held: DType, residual: DType, sums: Sums, nbytes: int
):
    placed = norm(name, (1, 1, 128, width), weights, Layout(held), Layout(residual), sums)
    assert circular_buffers(placed, CHIP) == nbytes


@pytest.mark.parametrize(
    ("name", "shape", "layout", "held", "nbytes"),
    [
        ("layer_norm", (3072, 1024), BLOCKS, BF16, 378880),
        ("layer_norm", (3072, 1024), BLOCKS, BFP8, 371200),
        ("rms_norm", (3072, 1024), BLOCKS, BF16, 313344),
        ("layer_norm", (32, 2048), WIDTH, BF16, 88064),
    ],
)
def test_of_shards_it_goes_where_squares_come_later(
    name: str, shape: tuple[int, ...], layout: Layout, held: DType, nbytes: int
):
    of = replace(layout, dtype=held)
    both = [circular_buffers(norm(name, (1, 1, *shape), 2, of, residual), CHIP) for residual in (of, None)]
    assert both == [nbytes, nbytes]


def test_the_two_lie_alike():
    """The library: both a and b should have the same shard spec."""
    shape = (1, 1, 256, 2048)
    assert not [*layout_faults(norm("layer_norm", shape, 0, BLOCKS, replace(BLOCKS, dtype=BFP8)))]
    for residual in (Layout(BF16), WIDTH, replace(BLOCKS, grid=Grid(8, 4))):
        assert [*layout_faults(norm("layer_norm", shape, 0, BLOCKS, residual))] == [
            "the residual of a norm must have the layout of its input"
        ]
    apart = norm("layer_norm", shape, 0, Layout(BF16), Layout(BF16).interleave(MemorySpace.L1))
    assert not [*layout_faults(apart)]

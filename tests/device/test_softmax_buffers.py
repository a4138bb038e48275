"""Circular buffers of softmax along rows, with a mask and without: bytes that `ttnn` 0.81.1 shows on a mock n150."""

import pytest

from ttstack.cost.confidence import confidence
from ttstack.cost.prediction import predict
from ttstack.cost.terms import Term
from ttstack.device.device_op import DeviceOp, Spread
from ttstack.device.footprint import circular_buffers
from ttstack.device.kernel_class import softmax_mask
from ttstack.device.layout import Grid, Layout
from ttstack.device.program_config import RowwiseConfig, Sums
from ttstack.ops.base import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import load

BF16, BFP8, F32 = DType.BF16, DType.BFP8_B, DType.F32
CHIP = load("wormhole").chips[0]


def softmax(width: int, held: DType, mask: DType | None, sums: Sums, *, stable: bool) -> DeviceOp:
    """That of [4, 12, 384, width] in DRAM, with a mask [4, 1, 1, width] in a format of its own."""
    t = TensorType((4, 12, 384, width), F32 if held is F32 else BF16)
    row = t.with_shape((4, 1, 1, width))
    given = [t] if mask is None else [t, row]
    op = OPS["softmax"].on(given, {"dimension": 3, "numericStable": stable})
    layouts = tuple(Layout(of) for of in (held, mask) if of is not None)
    return DeviceOp(op, layouts, (Layout(held),), Grid(8, 8), Spread.FLAT, config=RowwiseConfig(None, sums))


@pytest.mark.parametrize(
    ("width", "held", "mask", "sums", "stable", "nbytes"),
    [
        (96, BF16, BF16, Sums.F32, True, 98304),
        (96, BF16, BF16, Sums.BF16, False, 59392),
        (96, BF16, BFP8, Sums.BF16, True, 64704),
        (96, BFP8, BFP8, Sums.F32, False, 67520),
        (96, F32, BF16, Sums.F32, True, 124928),
        (384, BF16, BFP8, Sums.BF16, True, 160512),
        (374, BF16, BF16, Sums.F32, True, 239616),
        (374, BF16, BF16, Sums.BF16, False, 145408),
        (640, BF16, BF16, Sums.BF16, True, 290816),
        (3072, BF16, BF16, Sums.F32, True, 1357824),
        (3072, BF16, BF16, Sums.F32, False, 1046528),
        (4096, BF16, BF16, Sums.F32, False, 1353728),
    ],
)
def test_a_mask_is_held_beside_rows_that_it_was_added_to(
    width: int, held: DType, mask: DType, sums: Sums, *, stable: bool, nbytes: int
):
    assert circular_buffers(softmax(width, held, mask, sums, stable=stable), CHIP) == nbytes


@pytest.mark.parametrize(
    ("tiles", "sums", "nbytes"),
    [
        (10, Sums.F32, 106496),
        (15, Sums.F32, 131072),
        (18, Sums.BF16, 108544),
        (20, Sums.BF16, 141312),
        (30, Sums.F32, 229376),
        (30, Sums.BF16, 174080),
        (33, Sums.F32, 253952),
    ],
)
def test_rows_are_filled_up_to_whole_blocks_where_those_are_fewer(tiles: int, sums: Sums, nbytes: int):
    assert circular_buffers(softmax(tiles * 32, BF16, None, sums, stable=True), CHIP) == nbytes


def test_a_single_sample_has_a_mask_too():
    t = TensorType((1, 2, 32, 64), BF16)
    op = OPS["softmax"].on([t, t.with_shape((1, 1, 1, 64))], {"dimension": 3})
    assert softmax_mask(op) == 1


def test_a_mask_takes_two_passes_over_rows_and_no_launch():
    """They are multiplied by the scale, which is 1, and added to the mask."""
    masked, plain = (softmax(384, BF16, mask, Sums.BF16, stable=True) for mask in (BF16, None))
    assert (softmax_mask(masked.op), softmax_mask(plain.op)) == (1, None)
    each = CHIP.rows.pass_cycles + 12 * CHIP.rows.tile_cycles
    more = predict(masked, CHIP).terms[Term.COMPUTE] - predict(plain, CHIP).terms[Term.COMPUTE]
    assert more == pytest.approx(CHIP.cycles_to_ns(2 * 9 * each))
    beyond = confidence(masked, predict(masked, CHIP), CHIP).beyond
    assert "a softmax that adds a mask was not measured" in beyond

"""The price of a residual in a norm: the loop of the binary kernel, without a launch and a tensor of its own."""

from dataclasses import replace

import pytest

from tests.device.test_residual_norm import BF16, BFP8, BLOCKS, CHIP, F32, WIDTH, norm
from ttstack.cost.confidence import confidence
from ttstack.cost.math.rowwise import sum_cycles
from ttstack.cost.prediction import Cost, predict
from ttstack.cost.terms import Term
from ttstack.device.device_op import SPREADS, DeviceOp
from ttstack.device.layout import Layout
from ttstack.device.program_config import RowwiseConfig, Sums
from ttstack.ops.base import OPS
from ttstack.ops.types import DType, TensorType


def both(shape: tuple[int, ...], layout: Layout, held: DType = BF16) -> tuple[Cost, Cost]:
    """With a residual, and without."""
    of = Layout(held, layout.tiled, layout.memory_space, layout.memory_layout, layout.grid)
    with_it, without = (predict(norm("layer_norm", shape, 2, of, residual), CHIP) for residual in (of, None))
    return with_it, without


@pytest.mark.parametrize("layout", [BLOCKS, WIDTH])
def test_in_shards_it_takes_what_an_addition_computes(layout: Layout):
    """In bf16 both pack bf16; what a launch takes aside."""
    shape = (1, 1, 1024, 2048)
    t = TensorType(shape, BF16)
    assert layout.grid is not None
    added = DeviceOp(OPS["add"].on([t, t], {}), (layout,) * 2, (layout,), layout.grid, SPREADS[layout.memory_layout])
    fused, plain = both(shape, layout)
    alone = predict(added, CHIP)
    launched = alone.terms[Term.FILL] + alone.terms.get(Term.SKEW, 0.0)
    assert fused.total_ns - plain.total_ns == pytest.approx(alone.total_ns - launched, rel=0.02)


def test_sums_of_32_bits_take_longer_to_pack():
    of = Layout(BF16)
    narrow, wide = (
        predict(norm("rms_norm", (1, 1, 2048, 512), 1, of, of, sums), CHIP).terms[Term.COMPUTE]
        - predict(norm("rms_norm", (1, 1, 2048, 512), 1, of, None, sums), CHIP).terms[Term.COMPUTE]
        for sums in (Sums.BF16, Sums.F32)
    )
    assert wide > 1.2 * narrow > 0


@pytest.mark.parametrize("kind", ["layer_norm", "rms_norm"])
def test_a_result_of_32_bits_is_added_up_as_wide_unless_told_otherwise(kind: str):
    of, shape = Layout(F32), (1, 1, 2048, 512)
    untold, wide, narrow = (
        predict(norm(kind, shape, 1, of, None, sums), CHIP).terms[Term.COMPUTE] for sums in (None, Sums.F32, Sums.BF16)
    )
    assert untold == wide > narrow


def test_pages_are_read_of_both_and_little_ahead():
    """Two blocks of eight tiles: a row of 16 tiles comes while the one before is worked on, half of one of 32."""
    fused, plain = both((1, 1, 4096, 512), Layout(BF16))
    assert fused.dram_bytes - plain.dram_bytes == 4096 * 512 * 2
    assert fused.terms[Term.WAIT] < 0.2 * fused.terms[Term.DRAM]
    fused, plain = both((1, 1, 4096, 1024), Layout(BF16))
    assert 0.5 * fused.terms[Term.DRAM] < fused.terms[Term.WAIT] < 0.8 * fused.terms[Term.DRAM]
    assert plain.terms[Term.WAIT] < 0.5 * fused.terms[Term.WAIT]


def test_rows_in_pieces_are_added_up_in_each_pass():
    """Three passes of a layer norm."""
    of = Layout(F32)
    whole = norm("layer_norm", (1, 1, 2048, 16384), 0, of, of)
    parts = replace(whole, config=RowwiseConfig(56, Sums.F32))
    assert sum_cycles(parts, CHIP) == 3 * sum_cycles(replace(parts, config=RowwiseConfig(512, Sums.F32)), CHIP) > 0


@pytest.mark.parametrize("held", [BF16, BFP8])
def test_none_was_measured(held: DType):
    of = Layout(held)
    placed = norm("layer_norm", (1, 1, 1024, 768), 2, of, of)
    assert "a norm that adds a residual was not measured" in confidence(placed, predict(placed, CHIP), CHIP).beyond

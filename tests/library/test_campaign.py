"""The campaigns of programs and configurations that the library judges: what they draw, and what they found."""

from pathlib import Path
from random import Random

import pytest

from benchmarks.library_campaign import draw_form, programs, tallies
from benchmarks.library_campaign.campaigns import CAMPAIGNS
from benchmarks.library_campaign.draw_configuration import drawn
from benchmarks.library_campaign.outcome import Outcome
from ttstack.device.device_op import SPREADS
from ttstack.device.layout import MemoryLayout
from ttstack.device.program_config import MatmulConfig
from ttstack.ops.types import DType
from ttstack.system_desc import load


def test_the_same_number_is_the_same_program():
    assert [programs.drawn(1, n) for n in range(4)] == [programs.drawn(1, n) for n in range(4)]


def test_configurations_are_of_every_family():
    chip = load("wormhole").chips[0]
    found = [drawn(Random(n), chip) for n in range(60)]
    assert {kind.split()[0] for kind, _ in found} >= {"matmul", "eltwise", "attention", "conv2d"}
    assert len({op.config.type for _, op in found if isinstance(op.config, MatmulConfig)}) == 3
    assert found == [drawn(Random(n), chip) for n in range(60)]


def test_forms_are_of_all_ranks_formats_and_layouts():
    chip = load("wormhole").chips[0]
    found = [op for _, op in (draw_form.drawn(Random(n), chip) for n in range(400))]
    layouts = [layout for op in found for layout in op.layouts()]
    assert {op.op.operands[0].rank for op in found} == {1, 2, 3, 4, 5, 6}
    assert {layout.dtype for layout in layouts} >= {DType.BF16, DType.F32, DType.BFP8_B, DType.SI32, DType.UI32}
    assert {layout.memory_layout for layout in layouts} >= {*SPREADS, MemoryLayout.INTERLEAVED}
    assert {layout.tiled for layout in layouts} == {True, False}
    assert len({op.op.mnemonic for op in found}) >= 45


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_what_is_stored_is_of_such_a_campaign(campaign: str):
    stored = tallies.path(campaign).read_text()
    assert campaign in stored.partition(",")[0]
    assert len(set(CAMPAIGNS[campaign].keys(20))) == 20


def test_findings_stand_at_the_end(tmp_path: Path):
    outcomes = [Outcome("1", "softmax", "accepted", ops=2), Outcome("2", "pad", "refused", "0 pad: why", 1)]
    text = tallies.text("programs", 14, outcomes)
    assert text.startswith("2 programs of 3 ops, seed 14")
    assert text.endswith("\n2 pad: refused 0 pad: why\n")


def test_what_is_alike_is_counted_where_both_sides_are_known():
    alike = Outcome(
        "1", "small", "accepted", ops=4, same_buffers=3, factories=2, same_factories=2, l1_here=99, l1_there=100
    )
    apart = Outcome("2", "small", "accepted", ops=6, same_buffers=6, l1_here=90, l1_there=100)
    line = tallies.text("zoo", 14, [alike, apart, Outcome("3", "small", "not emitted")]).splitlines()[2]
    assert line.startswith("bytes of circular buffers alike 9 of 10; program factories alike 2 of 2; peaks of L1")
    assert line.endswith("alike 1 of 2")

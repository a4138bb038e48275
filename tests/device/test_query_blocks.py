"""Blocks of queries go to cores whole, and causal ones in pairs."""

from dataclasses import replace

import pytest

from ttstack.cost.math.attention import attention_work
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Grid, Layout
from ttstack.device.program_config import AttentionConfig
from ttstack.device.query_blocks import blocks_of_core
from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.flash import Attended
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import load

CAUSAL, FULL = Attended(1.0, is_causal=True), Attended(1.0)


@pytest.mark.parametrize(
    ("attended", "blocks", "heads", "cores", "most"),
    [
        (FULL, 8, 32, 110, 3),  # 256 blocks
        (CAUSAL, 8, 32, 110, 4),  # 128 pairs
        (CAUSAL, 7, 8, 64, 1),  # an odd number makes no pairs
        (FULL, 1, 4, 64, 1),
    ],
)
def test_the_core_with_most_blocks(attended: Attended, blocks: int, heads: int, cores: int, most: int):
    assert blocks_of_core(attended, blocks, heads, cores) == most


def _causal(q_chunk: int) -> DeviceOp:
    query, key = TensorType((1, 32, 4096, 128), DType.BFP8_B), TensorType((1, 8, 4096, 128), DType.BFP8_B)
    op = ScaledDotProductAttention(query=query, key=key, value=key, is_causal=True)
    layouts = (Layout(DType.BFP8_B),) * 3
    return DeviceOp(op, layouts, layouts[:1], Grid(10, 11), config=AttentionConfig(q_chunk, 4))


@pytest.mark.parametrize(("q_chunk", "steps"), [(4, 165), (8, 102), (16, 72)])
def test_steps_are_those_that_were_counted_on_a_chip(q_chunk: int, steps: int):
    """Chunks of keys that the last core on a p100a takes, by tt-metal issue 55766."""
    chip = load("blackhole_p150").chips[0]
    placed = _causal(q_chunk)
    work, one = attention_work(placed, chip), attention_work(_single(placed), chip)
    assert work.unpack / one.unpack == pytest.approx(steps)


def _single(placed: DeviceOp) -> DeviceOp:
    """One chunk of queries that visits one chunk of keys."""
    assert isinstance(placed.config, AttentionConfig)
    rows = (placed.config.q_chunk_tiles or 0) * 32
    query, key = (t.with_shape((1, 1, n, 128)) for t, n in zip(placed.op.operands[:2], (rows, 128), strict=True))
    op = ScaledDotProductAttention(query=query, key=key, value=key, is_causal=False)
    return replace(placed, op=op, grid=Grid(1, 1))

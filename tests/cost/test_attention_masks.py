"""What attention reads of a mask of scores."""

import pytest

from ttstack.cost.data.operand_streams import streams
from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Grid, Layout
from ttstack.device.program_config import AttentionConfig
from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import load

CHIP = load("wormhole").chips[0]
QUERY = TensorType((2, 12, 512, 64), DType.BF16)


def mask_bytes(mask: tuple[int, int, int, int], grid: Grid) -> float:
    """Bytes that all cores read of the mask."""
    op = ScaledDotProductAttention(
        query=QUERY, key=QUERY, value=QUERY, attention_mask=TensorType(mask, DType.BF16), is_causal=False
    )
    held = Layout(DType.BF16)
    found, _ = streams(DeviceOp(op, (held,) * 4, (held,), grid, config=AttentionConfig(8, 8)), CHIP)
    return found[3].dram_bytes


@pytest.mark.parametrize("mask", [(2, 12, 512, 512), (2, 1, 512, 512), (1, 1, 512, 512)])
@pytest.mark.parametrize("grid", [Grid(1, 1), Grid(6, 8), Grid(3, 4)])
def test_each_score_has_its_mask_read_once(mask: tuple[int, int, int, int], grid: Grid):
    assert mask_bytes(mask, grid) == 2 * 12 * 16 * 16 * DType.BF16.tile_bytes

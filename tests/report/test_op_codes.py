from dataclasses import replace

import pytest

from ttstack.device.device_op import DeviceOp
from ttstack.device.layout import Grid, Layout, MemoryLayout, MemorySpace
from ttstack.ops.eltwise import Typecast
from ttstack.ops.generic import ToLayout
from ttstack.ops.shape import Pad, Permute
from ttstack.ops.types import DType, TensorType
from ttstack.report.op_codes import op_code

TILED = Layout(DType.BF16)
ROW_MAJOR = Layout(DType.BF16, tiled=False)
L1 = TILED.interleave(MemorySpace.L1)
SHARDED = replace(L1, memory_layout=MemoryLayout.HEIGHT_SHARDED, grid=Grid(1, 4))


@pytest.mark.parametrize(
    ("shape", "source", "result", "code"),
    [
        ((64, 64), ROW_MAJOR, TILED, "TilizeDeviceOperation"),
        ((64, 33), ROW_MAJOR, TILED, "TilizeWithValPaddingDeviceOperation"),
        ((32,), ROW_MAJOR, TILED, "TilizeWithValPaddingDeviceOperation"),
        ((64, 64), TILED, ROW_MAJOR, "UntilizeDeviceOperation"),
        ((1, 64), TILED, ROW_MAJOR, "UntilizeWithUnpaddingDeviceOperation"),
        ((128, 64), TILED, SHARDED, "InterleavedToShardedDeviceOperation"),
        ((128, 64), SHARDED, L1, "ShardedToInterleavedDeviceOperation"),
        ((128, 64), SHARDED, replace(SHARDED, grid=Grid(2, 2)), "ReshardDeviceOperation"),
        ((128, 64), SHARDED, replace(SHARDED, dtype=DType.BFP8_B), "TypecastDeviceOperation"),
        ((128, 64), TILED, replace(TILED, dtype=DType.F32), "TypecastDeviceOperation"),
        ((128, 64), TILED, L1, "CopyDeviceOperation"),
    ],
)
def test_a_change_of_layout_is_named_by_what_changes(
    shape: tuple[int, ...], source: Layout, result: Layout, code: str
) -> None:
    op = ToLayout(input=TensorType(shape, DType.BF16))
    assert op_code(DeviceOp(op=op, operands=(source,), results=(result,), grid=Grid(1, 1))) == code


def test_an_op_is_named_by_the_kernel_that_its_shapes_ask_for() -> None:
    given = TensorType((2, 4, 32, 16), DType.BF16)
    named = {
        "FillPadDeviceOperation": Pad(input=given, padding=(0, 0, 0, 0, 0, 0, 0, 16), value=0.0),
        "PadDeviceOperation": Pad(input=given, padding=(0, 0, 0, 0, 0, 1, 0, 0), value=0.0),
        "TransposeDeviceOperation": Permute(input=given, permutation=(0, 2, 1, 3)),
        "PermuteDeviceOperation": Permute(input=given, permutation=(0, 2, 3, 1)),
        "CloneOperation": Typecast(input=given, dtype=DType.BF16),
    }
    for code, op in named.items():
        assert op_code(DeviceOp(op=op, operands=(TILED,), results=(TILED,), grid=Grid(1, 1))) == code

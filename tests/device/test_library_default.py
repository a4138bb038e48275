"""What `ttnn` does where its caller says nothing: cores and bytes that 0.81.1 shows on a mock n150 without a config."""

import pytest

from ttstack.device.device_op import DeviceOp, default_fidelity
from ttstack.device.footprint import footprint
from ttstack.device.layout import Grid, Layout, MemorySpace
from ttstack.device.library_default import library_default
from ttstack.ops.base import OPS, Op
from ttstack.ops.types import DType, TensorType
from ttstack.system_desc import load

CHIP = load("wormhole").chips[0]


def in_dram(op: Op, dtype: DType) -> DeviceOp:
    held = (Layout(dtype),) * len(op.operands)
    return DeviceOp(op, held, (Layout(dtype),), Grid(*CHIP.grid), fidelity=default_fidelity(dtype))


@pytest.mark.parametrize(
    ("a", "n", "cores", "bf16", "bfp8"),
    [
        ((512, 512), 512, 64, 40960, 29952),
        ((64, 768), 3072, 48, 40960, 29952),
        ((2048, 1024), 1024, 64, 262144, 204800),
        ((32, 4096), 4096, 64, 28672, 19328),
        ((1, 2, 160, 2048), 3072, 48, 77824, 61824),
        ((1, 6, 64, 128), 512, 16, 16384, 12800),
        ((197, 768), 768, 56, 55296, 35520),
        ((8, 197, 768), 2304, 36, 102400, 83072),
        ((32, 32), 32, 1, 6144, 3264),
        ((32, 768), 50257, 63, 264192, 191552),
    ],
)
def test_blocks_of_products(a: tuple[int, ...], n: int, cores: int, bf16: int, bfp8: int):
    op = OPS["matmul"].on([TensorType(a, DType.BF16), TensorType((a[-1], n), DType.BF16)], {})
    for dtype, nbytes in ((DType.BF16, bf16), (DType.BFP8_B, bfp8)):
        found = library_default(in_dram(op, dtype), CHIP)
        assert found is not None
        assert (found.cores, footprint(found, CHIP)) == (cores, nbytes)


def test_attention_takes_a_tile_at_a_time():
    q = TensorType((1, 8, 512, 128), DType.BF16)
    found = library_default(
        in_dram(OPS["scaled_dot_product_attention"].on([q, q, q], {"is_causal": False}), DType.BF16), CHIP
    )
    assert found is not None
    assert footprint(found, CHIP) == 100352


def test_what_lies_in_l1_was_asked_for():
    op = OPS["relu"].on([TensorType((64, 64), DType.BF16)], {})
    in_l1 = Layout(DType.BF16, memory_space=MemorySpace.L1)
    assert library_default(DeviceOp(op, (in_l1,), (in_l1,), Grid(2, 2)), CHIP) is None
    assert library_default(in_dram(op, DType.BF16), CHIP) == in_dram(op, DType.BF16)

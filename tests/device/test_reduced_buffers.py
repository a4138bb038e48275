"""Circular buffers of reductions, products, tests and softmax across rows: what `ttnn` 0.81.1 shows on a mock n150."""

from dataclasses import replace

import pytest

from tests.device.test_circular_buffers import BF16, BFP8, CHIP, F32, WORKERS, placed
from ttstack.device.device_op import DeviceOp
from ttstack.device.footprint import circular_buffers
from ttstack.device.layout import Layout
from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.eltwise import Typecast
from ttstack.ops.types import DType, TensorType

Shape = tuple[int, ...]


@pytest.mark.parametrize(
    ("kind", "shape", "dims", "bf16"),
    [
        ("max", (40, 2, 64, 64), (0, 3), 22528),
        ("max", (1, 65, 32, 128), (3,), 22528),
        ("max", (1, 96, 32, 64), (3,), 10240),
        ("mean", (2, 3, 33, 40), (0, 2, 3), 20480),
        ("mean", (4, 3, 5), (0, 1, 2), 12288),
        ("sum", (8, 64, 64, 64), (0, 1, 2, 3), 38912),
        ("sum", (64, 8, 64, 64), (0, 2, 3), 43008),
        ("reduce_and", (4, 3, 5), (0,), 12288),
        ("prod", (4, 64, 96), (0,), 8192),
        ("prod", (4, 64, 96), (2,), 8224),
        ("prod", (2, 3, 40, 50), (2,), 12288),
    ],
)
def test_a_reduction(kind: str, shape: Shape, dims: Shape, bf16: int):
    assert circular_buffers(placed(kind, shape, held=BF16, dim_arg=dims, keep_dim=True), CHIP) == bf16


@pytest.mark.parametrize(
    ("shape", "dim", "bf16", "f32", "bfp8"),
    [
        ((1, 32, 64), 1, 20480, 40960, 18560),
        ((4, 256, 96), 1, 77824, 155648, 62464),
        ((2, 8192, 32), 1, 26624, 53248, 22784),
        ((2, 1000, 32), 1, 274432, 53248, 18560 + 31 * 6272),
        ((4, 64, 96), 0, 20480, 40960, 10880),
    ],
)
def test_softmax_across_rows(shape: Shape, dim: int, bf16: int, f32: int, bfp8: int):
    for held, nbytes in ((BF16, bf16), (F32, f32), (BFP8, bfp8)):
        op = placed("softmax", shape, held=held, dimension=dim, numericStable=True)
        assert circular_buffers(op, CHIP) == nbytes


@pytest.mark.parametrize(("given", "nbytes"), [(BF16, 10240), (DType.SI32, 16384), (DType.UI16, 10240)])
def test_numbers_become_truth_values_by_a_comparison(given: DType, nbytes: int):
    op = Typecast(input=TensorType((32, 64), given), dtype=DType.I1)
    assert circular_buffers(DeviceOp(op, (Layout(given),), (Layout(BF16),), WORKERS), CHIP) == nbytes


@pytest.mark.parametrize(("rows", "depth", "nbytes"), [(32, 64, 61440), (96, 32, 112640)])
def test_a_sink_of_attention_is_a_tile(rows: int, depth: int, nbytes: int):
    heads, layout = TensorType((1, 2, rows, depth), BF16), Layout(BF16)
    plain = ScaledDotProductAttention(query=heads, key=heads, value=heads)
    held = replace(plain, attention_sink=heads.with_shape((1, 2, 1, 1)))
    found = [DeviceOp(op, (layout,) * len(op.operands), (layout,), WORKERS) for op in (plain, held)]
    assert [circular_buffers(op, CHIP) for op in found] == [nbytes - BF16.tile_bytes, nbytes]

"""Convolutions: against torch in every form, what is ill-formed, and text as tt-mlir writes it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ttstack
from tests.ops.case import Case
from tests.ops.strategies import cases
from tests.ops.text import assert_refused, module, run
from ttstack.ops import OPS
from ttstack.ops.types import DType, TensorType
from ttstack.ops.windows import low_and_high, per_axis
from ttstack_runtime.evaluate import evaluate

torch = pytest.importorskip("torch")
F = torch.nn.functional


def _channels_first(case: Case, x: np.ndarray) -> Any:
    op: Any = case.op
    flat = case.attributes.get("flattened_compat_info")
    images = x if flat is None else x.reshape(*flat, x.shape[-1])
    batch, *spatial, channel = op.order
    return torch.from_numpy(images.transpose(batch, channel, *spatial).copy())


def _given_order(case: Case, result: Any) -> np.ndarray:
    op: Any = case.op
    batch, *spatial, channel = op.order
    out = result.numpy().transpose(np.argsort((batch, channel, *spatial)))
    return out.reshape(case.op.results[0].shape)


def _padded(case: Case, x: Any) -> Any:
    """torch pads only alike on both sides."""
    rank = x.ndim - 2
    pads = [p for pair in reversed(low_and_high(case.attributes["padding"], rank)) for p in pair]
    mode = "replicate" if case.attributes.get("padding_mode") == "replicate" else "constant"
    return F.pad(x, pads, mode=mode)


def _as_f64(case: Case) -> Case:
    operands = tuple(None if t is None else t.with_dtype(DType.F64) for t in case.operands)
    return Case(case.mnemonic, operands, case.attributes)


def _tensors(case: Case) -> tuple[Any, Any, Any]:
    x, weight, bias = case.arrays()
    assert x is not None
    assert weight is not None
    return (
        _channels_first(case, x),
        torch.from_numpy(weight),
        None if bias is None else torch.from_numpy(bias.reshape(-1)),
    )


@settings(max_examples=200)
@given(case=cases("conv2d"))
def test_conv2d_is_that_of_torch(case: Case):
    _compare(_as_f64(case), F.conv2d)


@pytest.mark.parametrize(("mnemonic", "function"), [("conv1d", F.conv1d), ("conv3d", F.conv3d)])
@settings(max_examples=60)
@given(data=st.data())
def test_other_convolutions_are_those_of_torch(mnemonic: str, function: Any, data: st.DataObject):
    _compare(_as_f64(data.draw(cases(mnemonic))), function)


def _compare(case: Case, function: Any) -> None:
    x, weight, bias = _tensors(case)
    rank, given_ = weight.ndim - 2, case.attributes
    stride, dilation = (per_axis(n, given_.get(n, 1), rank) for n in ("stride", "dilation"))
    want = function(_padded(case, x), weight, bias, stride, 0, dilation, given_["groups"])
    (got,) = evaluate(case.op, case.arrays())
    np.testing.assert_allclose(got, _given_order(case, want), rtol=1e-10, atol=1e-10)


@settings(max_examples=100)
@given(case=cases("conv_transpose2d"))
def test_transposed_convolutions_are_those_of_torch(case: Case):
    case = _as_f64(case)
    x, weight, bias = _tensors(case)
    given_ = case.attributes
    stride, extra, dilation = (per_axis(n, given_[n], 2) for n in ("stride", "output_padding", "dilation"))
    full = F.conv_transpose2d(x, weight, bias, stride, 0, extra, given_["groups"], dilation)
    (top, bottom), (left, right) = low_and_high(given_["padding"], 2)
    want = full[:, :, top : full.shape[2] - bottom, left : full.shape[3] - right]
    (got,) = evaluate(case.op, case.arrays())
    np.testing.assert_allclose(got, _given_order(case, want), rtol=1e-10, atol=1e-10)


PLAIN = "stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, groups = 1 : i32"
X, W = "1x8x8x4xbf16", "6x4x3x3xbf16"
ILL_FORMED = [
    ("conv2d", PLAIN, ["1x8x4xbf16", W], "input has rank 3, not 4"),
    ("conv2d", PLAIN, [X, "6x4x3xbf16"], "weight has rank 3, not 4"),
    ("conv2d", PLAIN, [X, "6x4x9x3xbf16"], "kernel 9 is larger than the height 8 of the input"),
    (
        "conv2d",
        "stride = 1 : i32, padding = array<i32: 0, 0, 0, 1>, dilation = array<i32: 1, 5>, groups = 1 : i32",
        [X, W],
        "kernel 3 with dilation 5 (extent 11) is larger than the padded width 9 of the input",
    ),
    ("conv2d", PLAIN, [X, "6x3x3x3xbf16"], "weight [6, 3, 3, 3] takes 3 channels, input has 4 in 1 groups of 4"),
    ("conv2d", PLAIN.replace("groups = 1", "groups = 3"), [X, W], "groups 3 do not divide the 4 input channels"),
    (
        "conv2d",
        PLAIN.replace("groups = 1", "groups = 4"),
        [X, "6x1x3x3xbf16"],
        "groups 4 do not divide the 6 output channels",
    ),
    ("conv2d", PLAIN.replace("groups = 1", "groups = 0"), [X, W], "groups is 0, must be positive"),
    ("conv2d", PLAIN, ["1x8x8x0xbf16", "6x0x3x3xbf16"], "input [1, 8, 8, 0] has no channels"),
    ("conv2d", f'{PLAIN}, activation = "add"', [X, W], "activation 'add' is none that kernels end in"),
    ("conv2d", PLAIN.replace("stride = 1", "stride = 0"), [X, W], "stride is 0 along the height, must be positive"),
    ("conv2d", PLAIN.replace("dilation = 1", "dilation = -1"), [X, W], "dilation is -1 along the height, must be"),
    ("conv2d", PLAIN.replace("padding = 0", "padding = -1"), [X, W], "padding is -1 along the height, is negative"),
    (
        "conv2d",
        PLAIN.replace("padding = 0 : i32", "padding = array<i32: 1, 1, 1>"),
        [X, W],
        "padding [1, 1, 1] has 3 values, expected a number, 2 or 4 of them",
    ),
    (
        "conv2d",
        PLAIN.replace("stride = 1 : i32", "stride = array<i32: 1, 1, 1>"),
        [X, W],
        "stride [1, 1, 1] has 3 values, expected a number, or 2 of them",
    ),
    (
        "conv2d",
        PLAIN,
        [X, W, "1x1x1x4xbf16"],
        "bias [1, 1, 1, 4] does not fit 6 output channels, expected [1, 1, 1, 6]",
    ),
    ("conv2d", PLAIN, [X, W, "6xbf16"], "bias [6] does not fit 6 output channels, expected [1, 1, 1, 6]"),
    (
        "conv2d",
        f"{PLAIN}, height_dim = 2 : i64",
        [X, W],
        "batch_dim 0, height_dim 2, width_dim 2, channel_dim 3 name a dimension twice",
    ),
    ("conv2d", f"{PLAIN}, channel_dim = 4 : i64", [X, W], "channel_dim 4 is out of range for rank 4"),
    (
        "conv2d",
        f"{PLAIN}, flattened_compat_info = #ttir<flattened_compat batch_size = 1, input_height = 8, input_width = 8>",
        [X, W],
        "input [1, 8, 8, 4] does not hold 1 images of 8 x 8: expected [1, 1, 64, 4]",
    ),
    (
        "conv2d",
        (
            f"{PLAIN}, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64,"
            " flattened_compat_info = #ttir<flattened_compat batch_size = 1, input_height = 8, input_width = 8>"
        ),
        ["1x1x64x4xbf16", W],
        "flattened_compat_info needs the order N, H, W, C, not dimensions [0, 2, 3, 1]",
    ),
    ("conv1d", PLAIN, ["1x8x8x4xbf16", "6x4x3xbf16"], "input has rank 4, not 3"),
    ("conv1d", PLAIN, ["1x2x4xbf16", "6x4x3xbf16"], "kernel 3 is larger than the length 2 of the input"),
    ("conv1d", "stride = 1 : i32, padding = 0 : i32, groups = 1 : i32", ["1x8x4xbf16", "6x4x3xbf16"], "'dilation'"),
    (
        "conv3d",
        'stride = 1 : i32, padding = 0 : i32, groups = 1 : i32, padding_mode = "reflect"',
        ["1x8x8x8x4xbf16", "6x4x3x3x3xbf16"],
        "padding_mode is 'reflect', not zeros or replicate",
    ),
    (
        "conv3d",
        "stride = 1 : i32, padding = 0 : i32, groups = 1 : i32",
        ["1x2x8x8x4xbf16", "6x4x3x3x3xbf16"],
        "kernel 3 is larger than the depth 2 of the input",
    ),
    (
        "conv_transpose2d",
        f"{PLAIN}, output_padding = 1 : i32",
        [X, "4x6x3x3xbf16"],
        "output_padding is 1 along the height, must be less than stride or dilation 1",
    ),
    (
        "conv_transpose2d",
        f"{PLAIN}, output_padding = 0 : i32",
        [X, "6x4x3x3xbf16"],
        "weight [6, 4, 3, 3] takes 6 channels, input has 4",
    ),
    (
        "conv_transpose2d",
        f"{PLAIN.replace('padding = 0', 'padding = 5')}, output_padding = 0 : i32",
        [X, "4x6x3x3xbf16"],
        "padding [5, 5] leaves nothing of the height of the result",
    ),
]


@pytest.mark.parametrize(("mnemonic", "properties", "operands", "says"), ILL_FORMED)
def test_ill_formed_convolutions_are_refused(mnemonic: str, properties: str, operands: list[str], says: str):
    assert_refused(module(mnemonic, properties, operands, ["1x6x6x6xbf16"]), says)


def test_a_result_of_another_size_is_refused():
    text = module("conv2d", PLAIN, [X, W], ["1x8x8x6xbf16"])
    assert_refused(text, "result is tensor<1x8x8x6xbf16>, inferred tensor<1x6x6x6xbf16>")


def _first(x: np.ndarray) -> Any:
    return torch.from_numpy(np.moveaxis(x, -1, 1).copy())


def _last(x: Any) -> np.ndarray:
    return np.moveaxis(x.numpy(), 1, -1)


def _arrays(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [rng.standard_normal(s).astype(np.float32) for s in shapes]


def test_conv2d_of_flattened_images_runs():
    properties = (
        "stride = array<i32: 2, 2>, padding = array<i32: 0, 1, 1, 0>, dilation = array<i32: 1, 1>, groups = 2: i32, "
        "flattened_compat_info = #ttir<flattened_compat batch_size = 3, input_height = 9, input_width = 8,>"
    )
    operands = ["1x1x216x4xf32", "6x2x3x3xf32", "1x1x1x6xf32"]
    x, weight, bias = _arrays((1, 1, 216, 4), (6, 2, 3, 3), (1, 1, 1, 6))
    (got,) = run(module("conv2d", properties, operands, ["1x1x48x6xf32"]), x, weight, bias)
    padded = F.pad(_first(x.reshape(3, 9, 8, 4)), (1, 0, 0, 1))
    want = F.conv2d(padded, torch.from_numpy(weight), torch.from_numpy(bias.reshape(-1)), 2, 0, 1, 2)
    np.testing.assert_allclose(got, _last(want).reshape(1, 1, 48, 6), rtol=1e-4, atol=1e-5)


def test_conv2d_with_a_destination_and_segments_of_older_text_runs():
    text = """
func.func @f(%arg0: tensor<1x6x6x4xf32>, %arg1: tensor<6x4x3x3xf32>) -> tensor<1x4x4x6xf32> {
  %0 = ttir.empty() : tensor<1x4x4x6xf32>
  %1 = "ttir.conv2d"(%arg0, %arg1, %0) <{stride = 1: i32, padding = 0: i32, dilation = 1: i32, groups = 1: i32,
      operandSegmentSizes = array<i32: 1, 1, 0, 1>}>
      : (tensor<1x6x6x4xf32>, tensor<6x4x3x3xf32>, tensor<1x4x4x6xf32>) -> tensor<1x4x4x6xf32>
  return %1 : tensor<1x4x4x6xf32>
}
"""
    x, weight = _arrays((1, 6, 6, 4), (6, 4, 3, 3))
    want = F.conv2d(_first(x), torch.from_numpy(weight))
    np.testing.assert_allclose(run(text, x, weight)[0], _last(want), rtol=1e-4, atol=1e-5)


def test_conv1d_runs():
    x, weight, bias = _arrays((2, 9, 4), (6, 4, 3), (1, 1, 6))
    text = module("conv1d", PLAIN, ["2x9x4xf32", "6x4x3xf32", "1x1x6xf32"], ["2x7x6xf32"])
    want = F.conv1d(_first(x), torch.from_numpy(weight), torch.from_numpy(bias.reshape(-1)))
    np.testing.assert_allclose(run(text, x, weight, bias)[0], _last(want), rtol=1e-4, atol=1e-5)


def test_conv3d_runs():
    properties = (
        'stride = array<i32: 1, 2, 1>, padding = array<i32: 1, 1, 1>, groups = 1: i32, padding_mode = "replicate"'
    )
    x, weight = _arrays((1, 4, 5, 6, 3), (2, 3, 3, 3, 3))
    text = module("conv3d", properties, ["1x4x5x6x3xf32", "2x3x3x3x3xf32"], ["1x4x3x6x2xf32"])
    padded = F.pad(_first(x), (1,) * 6, mode="replicate")
    want = F.conv3d(padded, torch.from_numpy(weight), stride=(1, 2, 1))
    np.testing.assert_allclose(run(text, x, weight)[0], _last(want), rtol=1e-4, atol=1e-5)


def test_conv_transpose2d_runs():
    properties = "stride = 2: i32, padding = array<i32: 1, 1>, output_padding = array<i32: 1, 0>, dilation = 1: i32, groups = 1: i32"
    x, weight = _arrays((1, 4, 5, 3), (3, 2, 3, 3))
    text = module("conv_transpose2d", properties, ["1x4x5x3xf32", "3x2x3x3xf32"], ["1x8x9x2xf32"])
    want = F.conv_transpose2d(_first(x), torch.from_numpy(weight), None, 2, 1, (1, 0))
    np.testing.assert_allclose(run(text, x, weight)[0], _last(want), rtol=1e-4, atol=1e-5)


def test_work_is_counted_as_users_count_it():
    x, weight = TensorType((1, 8, 8, 4), DType.F32), TensorType((6, 2, 3, 3), DType.F32)
    attributes = {"stride": 1, "padding": 0, "dilation": 1, "groups": 2}
    assert OPS["conv2d"].on([x, weight], attributes).flops() == 2 * 6 * 6 * 6 * 2 * 9
    weight = TensorType((4, 3, 3, 3), DType.F32)
    transposed = OPS["conv_transpose2d"].on([x, weight], attributes | {"output_padding": 0})
    assert transposed.flops() == 2 * 8 * 8 * 4 * 3 * 9


WEIGHTED = """
func.func @f(%arg0: tensor<1x8x8x40xbf16>, %arg1: tensor<70x40x3x3xbf16>) -> tensor<1x6x6x70xbf16> {
  WEIGHT
  %0 = "ttir.conv2d"(%arg0, %w) <{stride = 1: i32, padding = 0: i32, dilation = 1: i32, groups = 1: i32}>
      : (tensor<1x8x8x40xbf16>, tensor<70x40x3x3xbf16>) -> tensor<1x6x6x70xbf16>
  return %0 : tensor<1x6x6x70xbf16>
}
"""


def _but_for_shapes(program: ttstack.Program) -> list[str]:
    """The ops, but for what takes pixels to one dimension and back."""
    names = [op.name for op in program.binary.functions[0].operations]
    return [name for name in names if name not in ("reshape", "deallocate")]


def test_weights_lie_on_the_device_as_the_matrix_that_is_multiplied(tmp_path: Path):
    program = ttstack.compile(WEIGHTED.replace("WEIGHT\n", "").replace("%w", "%arg1"))
    program.save(tmp_path / "conv.ttb")
    for held in (program, ttstack.load(tmp_path / "conv.ttb")):
        _, weight, *_ = held.binary.functions[0].tensors
        assert weight.layout.filters
        assert weight.layout.matrix(weight.type) == (12, 3)
        assert _but_for_shapes(held) == ["conv2d"]


def test_weights_that_are_computed_are_brought_into_that_form():
    scaled = '%w = "ttir.neg"(%arg1) : (tensor<70x40x3x3xbf16>) -> tensor<70x40x3x3xbf16>'
    program = ttstack.compile(WEIGHTED.replace("WEIGHT", scaled))
    assert _but_for_shapes(program) == ["neg", "to_layout", "conv2d"]
    x, weight = _arrays((1, 8, 8, 40), (70, 40, 3, 3))
    (got,) = program.run({"arg0": x, "arg1": weight}, numerics="device").outputs.values()
    want = F.conv2d(_first(x), -torch.from_numpy(weight))
    np.testing.assert_allclose(got.astype(np.float32), _last(want), rtol=0.1, atol=0.5)


def test_windows_that_overlap_are_read_once():
    """More taps cost time in L1 and in the multiplier, and hardly any bytes of DRAM."""

    def price(kernel: int) -> Any:
        shapes = ["1x64x64x64xbf16", f"64x64x{kernel}x{kernel}xbf16"]
        form = PLAIN.replace("padding = 0", f"padding = {kernel // 2}")
        return ttstack.compile(module("conv2d", form, shapes, ["1x64x64x64xbf16"]), placement="dram").cost().ops[0]

    one, three, seven = price(1), price(3), price(7)
    assert one.kernel_ns < three.kernel_ns < seven.kernel_ns
    assert three.flops == 9 * one.flops
    assert seven.dram_bytes < 3 * one.dram_bytes

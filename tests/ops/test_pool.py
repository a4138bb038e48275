"""Pools and resizing: against torch in every form, what is ill-formed, and text as tt-mlir writes it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import Draw
from tests.ops.strategies import cases
from tests.ops.strategies_windows import FEW
from tests.ops.text import assert_refused, module, run
from ttstack.ops.types import DType, TensorType
from ttstack.ops.windows import per_axis
from ttstack_runtime.evaluate import evaluate

torch = pytest.importorskip("torch")
F = torch.nn.functional


def _f64(case: Case) -> Case:
    operands = tuple(None if t is None else t.with_dtype(DType.F64) for t in case.operands)
    return Case(case.mnemonic, operands, case.attributes)


def _first(case: Case, x: Any) -> Any:
    flat = case.attributes.get("flattened_compat_info")
    images = x if flat is None else x.reshape(*flat, x.shape[-1])
    return torch.from_numpy(np.moveaxis(images, -1, 1).copy())


def _last(case: Case, x: Any) -> np.ndarray:
    return np.moveaxis(x.numpy(), 1, -1).reshape(case.op.results[0].shape)


@st.composite
def pools(draw: Draw, mnemonic: str) -> Case:
    """As torch has them: padding alike on both sides, and at most half of the kernel."""
    kernel, stride = ((draw(FEW), draw(FEW)) for _ in range(2))
    dilation = (1, 1) if mnemonic == "avg_pool2d" else (draw(FEW), draw(FEW))
    padding = tuple(draw(st.integers(0, k // 2)) for k in kernel)
    shape = (draw(FEW), *(draw(st.integers((k - 1) * d + 1, 9)) for k, d in zip(kernel, dilation, strict=True)), 3)
    attributes: dict[str, Any] = {"kernel": kernel, "stride": stride, "dilation": dilation, "padding": padding}
    attributes["ceil_mode"] = draw(st.booleans())
    if mnemonic == "avg_pool2d":
        attributes["count_include_pad"] = draw(st.booleans())
    return Case(mnemonic, (TensorType(shape, DType.F64),), attributes)


@settings(max_examples=60)
@given(case=pools("max_pool2d"))
def test_max_pools_are_those_of_torch(case: Case):
    (x,) = case.arrays()
    forms = [case.attributes[n] for n in ("kernel", "stride", "padding", "dilation")]
    ceil_mode = case.attributes["ceil_mode"]
    want, at = F.max_pool2d(_first(case, x), *forms, ceil_mode=ceil_mode, return_indices=True)
    (got,) = evaluate(case.op, [x])
    np.testing.assert_array_equal(got, _last(case, want))
    values = case.op.results[0]
    indexed = Case("max_pool2d_with_indices", case.operands, case.attributes, (values, values.with_dtype(DType.I64)))
    got, indices = evaluate(indexed.op, [x])
    np.testing.assert_array_equal(got, _last(case, want))
    np.testing.assert_array_equal(indices, _last(case, at))


@settings(max_examples=60)
@given(case=pools("avg_pool2d"))
def test_avg_pools_are_those_of_torch(case: Case):
    (x,) = case.arrays()
    forms = [case.attributes[n] for n in ("kernel", "stride", "padding", "ceil_mode", "count_include_pad")]
    want = F.avg_pool2d(_first(case, x), *forms)
    (got,) = evaluate(case.op, [x])
    np.testing.assert_allclose(got, _last(case, want), rtol=1e-12)


@settings(max_examples=30)
@given(case=cases("upsample2d"))
def test_resizing_is_that_of_torch(case: Case):
    case = _f64(case)
    (x,) = case.arrays()
    factors = per_axis("scale_factor", case.attributes["scale_factor"], 2)
    want = F.interpolate(_first(case, x), scale_factor=factors, mode=case.attributes["mode"])
    np.testing.assert_allclose(evaluate(case.op, [x])[0], _last(case, want), rtol=1e-10)


FORM = "kernel = array<i32: 3, 3>, stride = 2 : i32, dilation = 1 : i32, padding = 1 : i32, ceil_mode = false"
X = "1x8x8x4xbf16"
ILL_FORMED = [
    ("max_pool2d", FORM, ["8x8x4xbf16"], "input has rank 3, not 4"),
    ("max_pool2d", FORM.replace("3, 3", "3, 11"), [X], "kernel 11 is larger than the padded width 10 of the input"),
    ("avg_pool2d", FORM.replace("3, 3", "0, 3"), [X], "kernel is 0 along the height, must be positive"),
    ("avg_pool2d", FORM.replace("stride = 2", "stride = 0"), [X], "stride is 0 along the height, must be positive"),
    ("avg_pool2d", FORM.replace("padding = 1", "padding = -1"), [X], "padding is -1 along the height, is negative"),
    (
        "max_pool2d",
        FORM.replace("padding = 1 : i32", "padding = array<i32: 0, 3, 0, 0>"),
        [X],
        "padding 3 along the width leaves a window of kernel 3 nothing else",
    ),
    (
        "max_pool2d",
        FORM.replace("3, 3", "3, 3, 3"),
        [X],
        "kernel [3, 3, 3] has 3 values, expected a number, or 2 of them",
    ),
    ("max_pool2d", FORM.replace(", ceil_mode = false", ""), [X], "requires attribute 'ceil_mode'"),
    (
        "avg_pool2d",
        f"{FORM}, flattened_compat_info = #ttir<flattened_compat batch_size = 2, input_height = 8, input_width = 8>",
        ["1x1x64x4xbf16"],
        "input [1, 1, 64, 4] does not hold 2 images of 8 x 8: expected [1, 1, 128, 4]",
    ),
    ("max_pool2d", FORM.replace("false", "true"), [X], "result is tensor<1x4x4x4xbf16>, inferred tensor<1x5x5x4xbf16>"),
    ("global_avg_pool2d", "", ["8x8x4xbf16"], "input has rank 3, not 4"),
    ("upsample2d", "scale_factor = 2 : si32", ["8x8x4xbf16"], "input has rank 3, not 4"),
    ("upsample2d", "scale_factor = array<i32: 2, 0>", [X], "scale_factor is [2, 0], must be positive"),
    (
        "upsample2d",
        "scale_factor = array<i32: 2, 2, 2>",
        [X],
        "scale_factor [2, 2, 2] has 3 values, expected a number, or 2 of them",
    ),
    ("upsample2d", 'scale_factor = 2 : si32, mode = "cubic"', [X], "mode is 'cubic', not nearest or bilinear"),
]


@pytest.mark.parametrize(("mnemonic", "properties", "operands", "says"), ILL_FORMED)
def test_ill_formed_pools_are_refused(mnemonic: str, properties: str, operands: list[str], says: str):
    assert_refused(module(mnemonic, properties, operands, ["1x4x4x4xbf16"]), says)


def test_indices_are_integers_of_the_values_shape():
    text = module("max_pool2d_with_indices", FORM, [X], ["1x4x4x4xbf16", "1x4x4x4xbf16"])
    assert_refused(text, "result_indices are bf16, not integers")
    text = module("max_pool2d_with_indices", FORM, [X, "1x4x4x5xbf16", "1x4x4x4xi32"], ["1x4x4x4xbf16", "1x4x4x4xi32"])
    assert_refused(text, "output is tensor<1x4x4x5xbf16>, the result tensor<1x4x4x4xbf16>")


def _x(*shape: int) -> np.ndarray:
    return np.random.default_rng(5).standard_normal(shape).astype(np.float32)


def _torch(x: np.ndarray) -> Any:
    return torch.from_numpy(np.moveaxis(x, -1, 1).copy())


def _nhwc(x: Any) -> np.ndarray:
    return np.moveaxis(x.numpy(), 1, -1)


FLAT = "flattened_compat_info = #ttir<flattened_compat batch_size = 2, input_height = 8, input_width = 8>"


def test_pools_of_flattened_images_run():
    x = _x(1, 1, 128, 4)
    images = _torch(x.reshape(2, 8, 8, 4))
    (got,) = run(module("max_pool2d", f"{FORM}, {FLAT}", ["1x1x128x4xf32"], ["1x1x32x4xf32"]), x)
    np.testing.assert_array_equal(got.reshape(2, 4, 4, 4), _nhwc(F.max_pool2d(images, 3, 2, 1)))
    form = f"{FORM}, count_include_pad = false, {FLAT}"
    (got,) = run(module("avg_pool2d", form, ["1x1x128x4xf32"], ["1x1x32x4xf32"]), x)
    want = F.avg_pool2d(images, 3, 2, 1, count_include_pad=False)
    np.testing.assert_allclose(got.reshape(2, 4, 4, 4), _nhwc(want), rtol=1e-5, atol=1e-6)


def test_max_pool_with_indices_and_destinations_runs():
    text = f"""
func.func @f(%arg0: tensor<1x8x8x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi32>) {{
  %0 = ttir.empty() : tensor<1x4x4x4xf32>
  %1 = ttir.empty() : tensor<1x4x4x4xi32>
  %2, %3 = "ttir.max_pool2d_with_indices"(%arg0, %0, %1) <{{{FORM}}}>
      : (tensor<1x8x8x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xi32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi32>)
  return %2, %3 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xi32>
}}
"""
    x = _x(1, 8, 8, 4)
    values, indices = run(text, x)
    want, at = F.max_pool2d(_torch(x), 3, 2, 1, return_indices=True)
    np.testing.assert_array_equal(values, _nhwc(want))
    np.testing.assert_array_equal(indices, _nhwc(at))


def test_global_average_and_resizing_run():
    x = _x(2, 4, 6, 3)
    (got,) = run(module("global_avg_pool2d", "", ["2x4x6x3xf32"], ["2x1x1x3xf32"]), x)
    np.testing.assert_allclose(got, x.mean((1, 2), keepdims=True), rtol=1e-5, atol=1e-6)
    form = 'scale_factor = array<i32: 2, 3>, mode = "bilinear"'
    (got,) = run(module("upsample2d", form, ["2x4x6x3xf32"], ["2x8x18x3xf32"]), x)
    want = F.interpolate(_torch(x), scale_factor=(2, 3), mode="bilinear")
    np.testing.assert_allclose(got, _nhwc(want), rtol=1e-4, atol=1e-5)
    (got,) = run(module("upsample2d", "scale_factor = 2 : si32", ["2x4x6x3xf32"], ["2x8x12x3xf32"]), x)
    np.testing.assert_array_equal(got, x.repeat(2, 1).repeat(2, 2))

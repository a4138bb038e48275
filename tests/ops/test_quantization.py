"""Quantization: against torch, types per tensor and per axis, what is ill-formed, text as tt-mlir writes it."""

import numpy as np
import pytest
from hypothesis import given, settings

import ttstack
from tests.ops.case import Case
from tests.ops.strategies import cases
from tests.ops.text import assert_refused, module, run
from ttstack.device.layout import storage
from ttstack.dialects.types import read_type, tensor_type
from ttstack.flatbuffer.decode_values import tensor_type as decoded
from ttstack.flatbuffer.encode_values import tensor_type as encoded
from ttstack.flatbuffer.writer import Writer
from ttstack.mlir import ir
from ttstack.ops import OPS
from ttstack.ops.types import DType, QuantType, TensorType
from ttstack_runtime.evaluate import evaluate

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor:UserWarning")
INT8 = QuantType(DType.I8, DType.F32, (0.1,), (3,))
BY_AXIS = QuantType(DType.UI8, DType.F32, (0.5, 0.25), (0, 7), 1)


@pytest.mark.parametrize(
    "text",
    [
        "!quant.uniform<i8:f32, 0.1:3>",
        "!quant.uniform<i8:f32:1, {0.1,0.2:-3,1.0e-07}>",
        "!quant.uniform<u8:bf16, 123.0>",
        "!quant.uniform<i8<-127:127>:f32, 9.999999747378752e-06:-1>",
        "!quant.uniform<i32:f32, 0.02>",
    ],
)
def test_types_are_read_and_written_exactly(text: str):
    mlir = ir.Type.parse(f"tensor<2x3x{text}>")
    found = read_type(mlir)
    assert str(found) == f"tensor<2x3x{text}>"
    assert tensor_type(found) == mlir


@pytest.mark.parametrize(
    ("element", "says"),
    [
        ("!quant.uniform<i4:f32, 0.5>", "is stored as i4, expected one of i8, ui8, i16, ui16, i32, ui32"),
        ("!quant.any<i8:f32>", "is not quantized uniformly, as a whole or along one dimension"),
        ("!quant.uniform<i8:f32:{0:2}, {0.5,0.5}>", "is not quantized uniformly, as a whole or along one dimension"),
    ],
)
def test_other_quantized_types_are_refused(element: str, says: str):
    assert_refused(module("dequantize", "", [f"4x{element}"], ["4xf32"]), says)


@pytest.mark.parametrize("dtype", [INT8, BY_AXIS, QuantType(DType.I16, DType.BF16, (2.0,), (0,), None, (-9, 9))])
def test_types_survive_the_file(dtype: QuantType):
    from ttstack.flatbuffer._generated.binary_generated import TensorType as Table
    from ttstack.flatbuffer.reader import Reader

    t, writer = TensorType((4, 2), dtype), Writer()
    buffer = writer.finish(encoded(writer, t))
    assert decoded(Reader(), Table.GetRootAs(buffer)) == t


def test_the_device_holds_32_bit_integers():
    assert storage(INT8) is DType.SI32
    assert storage(BY_AXIS) is DType.SI32
    assert storage(QuantType(DType.UI32, DType.F32, (1.0,), (0,))) is DType.UI32


def _torch(dtype: DType) -> object:
    return {DType.I8: torch.qint8, DType.UI8: torch.quint8, DType.I32: torch.qint32}.get(dtype)


@settings(max_examples=60)
@given(case=cases("quantize"))
def test_quantize_is_that_of_torch(case: Case):
    q = case.op.results[0].dtype
    assert isinstance(q, QuantType)
    (x,) = case.arrays()
    assert x is not None
    kind, real = _torch(q.storage), torch.from_numpy(x.astype(np.float32))
    if kind is None or q.limits is not None:
        return
    if q.axis is None:
        want = torch.quantize_per_tensor(real, q.scales[0], q.zero_points[0], kind)
    else:
        scales, zeros = torch.tensor(q.scales), torch.tensor(q.zero_points)
        want = torch.quantize_per_channel(real, scales, zeros, q.axis, kind)
    (got,) = evaluate(case.op, [x])
    np.testing.assert_array_equal(got, want.int_repr())
    back = Case("dequantize", case.op.results, {}, case.op.operands[0]).op
    np.testing.assert_allclose(evaluate(back, [got])[0].astype(float), want.dequantize(), rtol=1e-2)


@settings(max_examples=40)
@given(case=cases("requantize"))
def test_requantize_is_dequantize_and_quantize(case: Case):
    (x,) = case.arrays()
    source, target = case.op.operands[0], case.op.results[0]
    real = TensorType(source.shape, DType.F64)
    wide = [t.with_dtype(_expressing(t.dtype)) for t in (source, target)]
    (middle,) = evaluate(OPS["dequantize"].on([wide[0]], {}, real), [x])
    (want,) = evaluate(OPS["quantize"].on([real], {}, wide[1]), [middle])
    np.testing.assert_array_equal(evaluate(case.op, [x])[0], want)


def _expressing(dtype: object) -> QuantType:
    assert isinstance(dtype, QuantType)
    return QuantType(dtype.storage, DType.F64, dtype.scales, dtype.zero_points, dtype.axis, dtype.limits)


@settings(max_examples=30)
@given(case=cases("quantize"))
def test_results_stay_within_the_range_of_the_type(case: Case):
    q = case.op.results[0].dtype
    assert isinstance(q, QuantType)
    t = case.op.operands[0]
    huge = np.full(t.shape, 1e30).astype(t.dtype.numpy)
    low, high = q.range
    for sign, bound in ((1, high), (-1, low)):
        (got,) = evaluate(case.op, [sign * huge])
        assert (got == bound).all()


T, I8, U8 = "2x3xf32", "2x3x!quant.uniform<i8:f32, 0.5:3>", "2x3x!quant.uniform<u8:f32, 0.25>"
BY_ROW, BY_COLUMN = (f"2x3x!quant.uniform<i8:f32:{at}, {{{s}}}>" for at, s in ((0, "0.5,0.5"), (1, "0.5,0.5,0.5")))
ILL_FORMED = [
    ("quantize", "", [I8], U8, "input is !quant.uniform<i8:f32, 0.5:3>, not a type of real numbers"),
    ("quantize", "", [T], "2x3xi8", "result is i8, not a quantized type such as !quant.uniform<i8:f32, 0.5>"),
    ("quantize", "", ["2x3xbf16"], I8, "result expresses f32, input is bf16"),
    ("quantize", "", [T], "3x2x!quant.uniform<i8:f32, 0.5:3>", "inferred tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>"),
    ("quantize", "", [T], "2x3x!quant.uniform<i8:f32:2, {0.5}>", "along dimension 2, out of range for rank 2"),
    ("quantize", "", [T], "2x3x!quant.uniform<i8:f32:1, {0.5,0.5}>", "has 2 scales for the 3 indices of dimension 1"),
    (
        "quantize",
        "",
        [T],
        "2x3x!quant.uniform<i8:f32, 0.5:300>",
        "result has zero point [300], its integers are -128 to 127",
    ),
    ("dequantize", "", [T], T, "input is f32, not a quantized type"),
    ("dequantize", "", [I8], "2x3xi32", "result is i32, not a type of real numbers"),
    ("dequantize", "", [I8], "2x3xbf16", "input expresses f32, result is bf16"),
    ("requantize", "", [I8], T, "result is f32, not a quantized type"),
    ("requantize", "", [I8], "2x3x!quant.uniform<i8:bf16, 0.5>", "input expresses f32, result bf16"),
    ("requantize", "", [BY_ROW], BY_COLUMN, "input is quantized along dimension 0, result along 1"),
    ("quantize_unrolled", "", [T, "2xf32", "1xi32"], I8, "scale has 2 elements, and there is no axis to spread them"),
    (
        "quantize_unrolled",
        "axis = 1 : i32",
        [T, "2xf32", "1xi32"],
        BY_COLUMN,
        "scale [2] does not fit the 3 indices of dimension 1 of the input",
    ),
    ("quantize_unrolled", "axis = 2 : i32", [T, "1xf32", "1xi32"], I8, "axis 2 is out of range for rank 2"),
    ("quantize_unrolled", "", [T, "1xi32", "1xi32"], I8, "scale is i32, not a type of real numbers"),
    ("quantize_unrolled", "", [T, "1xf32", "1xf32"], I8, "zero_point is f32, not an integer type"),
    ("quantize_unrolled", "", [T, "1xf32", "1xi32"], T, "f32 does not hold quantized values, expected an integer type"),
    ("quantize_unrolled", "", [T, "1xf32", "1xi32"], BY_COLUMN, "is quantized along dimension 1, no axis is given"),
    (
        "dequantize_unrolled",
        "axis = 0 : i32",
        [BY_COLUMN, "2xf32", "1xi32"],
        T,
        "is quantized along dimension 1, axis is 0",
    ),
    (
        "requantize_unrolled",
        "",
        [I8, "1xf32", "1xi32", "1xf32", "3xi32"],
        U8,
        "out_zero_point has 3 elements, and there is no axis",
    ),
    ("add", "", [I8, I8], I8, "computes on real numbers, tensor<2x3x!quant.uniform<i8:f32, 0.5:3>> is quantized"),
    (
        "permute",
        "permutation = array<i64: 1, 0>",
        [BY_COLUMN],
        "3x2x!quant.uniform<i8:f32:1, {0.5,0.5,0.5}>",
        "moves elements, tensor<2x3x!quant.uniform<i8:f32:1, {0.5,0.5,0.5}>> is quantized along a dimension",
    ),
]


@pytest.mark.parametrize(("mnemonic", "properties", "operands", "result", "says"), ILL_FORMED)
def test_ill_formed_quantization_is_refused(
    mnemonic: str, properties: str, operands: list[str], result: str, says: str
):
    assert_refused(module(mnemonic, properties, operands, [result]), says)


def test_a_program_goes_through_integers_and_back(tmp_path):
    text = f"""
func.func @f(%arg0: tensor<{T}>) -> (tensor<{T}>, tensor<{U8}>) {{
  %0 = ttir.empty() : tensor<{I8}>
  %1 = "ttir.quantize"(%arg0, %0) : (tensor<{T}>, tensor<{I8}>) -> tensor<{I8}>
  %2 = "ttir.permute"(%1) <{{permutation = array<i64: 1, 0>}}>
      : (tensor<{I8}>) -> tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>
  %3 = "ttir.permute"(%2) <{{permutation = array<i64: 1, 0>}}>
      : (tensor<3x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<{I8}>
  %4 = "ttir.requantize"(%3) : (tensor<{I8}>) -> tensor<{U8}>
  %5 = "ttir.dequantize"(%4) : (tensor<{U8}>) -> tensor<{T}>
  return %5, %4 : tensor<{T}>, tensor<{U8}>
}}
"""
    x = np.array([[0.3, 1.0, 2.26], [-4.0, 100.0, 0.74]], np.float32)
    real, whole = run(text, x)
    np.testing.assert_array_equal(real, [[0.5, 1.0, 2.5], [0.0, 62.0, 0.5]])
    np.testing.assert_array_equal(whole, [[2, 4, 10], [0, 248, 2]])
    assert whole.dtype == np.uint8
    program = ttstack.compile(text)
    program.save(tmp_path / "q.ttb")
    again = ttstack.load(tmp_path / "q.ttb").run({"arg0": x}).outputs
    np.testing.assert_array_equal(next(iter(again.values())), real)


def test_quantized_arguments_are_integers_of_the_storage_type():
    x = np.array([[1, 2, 3], [-4, 5, 127]], np.int8)
    np.testing.assert_array_equal(run(module("dequantize", "", [I8], [T]), x)[0], (x.astype(float) - 3) * 0.5)


def test_unrolled_ops_run_with_parameters_along_an_axis():
    x = np.array([[0.3, 1.0, 2.26], [-4.0, 100.0, 0.74]], np.float32)
    scale, zero = np.array([0.5, 0.25, 1], np.float32), np.array([0, 1, -1], np.int32)
    want = torch.quantize_per_channel(*map(torch.from_numpy, (x, scale, zero)), 1, torch.qint8)
    operands = [T, "3xf32", "3xi32"]
    (got,) = run(module("quantize_unrolled", "axis = 1 : i32", operands, [BY_COLUMN]), x, scale, zero)
    np.testing.assert_array_equal(got, want.int_repr())
    operands = ["2x3xi8", "3xf32", "3xi32"]
    (back,) = run(module("dequantize_unrolled", "axis = 1 : i32", operands, [T]), got, scale, zero)
    np.testing.assert_array_equal(back, want.dequantize())
    operands = ["2x3xi8", "3xf32", "3xi32", "1xf32", "1xi32"]
    text = module("requantize_unrolled", "axis = 1 : i32", operands, ["2x3xi32"])
    (moved,) = run(text, got, scale, zero, np.array([2], np.float32), np.array([5], np.int32))
    np.testing.assert_array_equal(moved, np.rint(back / 2) + 5)

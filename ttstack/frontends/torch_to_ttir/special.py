"""Numeric functions that TTIR does not have, as formulas: rounding, inverses, bits, quantization."""

from collections.abc import Sequence
from functools import partial

from ttstack.dialects.ttir.build import cast, elementwise, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.rounding import TO_EVEN, round_to_even
from ttstack.frontends.torch_to_ttir.eltwise import compare, where
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.frontends.torch_to_ttir.training import OF_MODULES
from ttstack.mlir import ir
from ttstack.ops.shapes import axis
from ttstack.ops.types import DType, TensorType

CONVERSIONS = TorchConversionTable()


@CONVERSIONS("round", to=TO_EVEN)
def _round(call: TorchOp) -> ir.Value:
    """Round to the nearest integer, ties to even."""
    return round_floats(call.tensor(0), call.result)


@CONVERSIONS("round.decimals", to=f"{TO_EVEN} multiply div")
def _round_decimals(call: TorchOp) -> ir.Value:
    """Scale, round, and divide again."""
    x, decimals, f = call.tensor(0), call.integer(1), partial(elementwise, result=call.result)
    scaled = round_floats(f("multiply" if decimals > 0 else "div", x, 10.0 ** abs(decimals)), call.result)
    return f("div" if decimals > 0 else "multiply", scaled, 10.0 ** abs(decimals))


def round_floats(x: ir.Value, result: TensorType) -> ir.Value:
    """Round to even; integers are unchanged."""
    return round_to_even(cast(x, result.dtype)) if result.dtype.is_float else x


@CONVERSIONS("acosh", to="square subtract sqrt add log")
def _acosh(call: TorchOp) -> ir.Value:
    """Compute `log(x + sqrt(x^2 - 1))`."""
    x, f = call.tensor(0), partial(elementwise, result=call.result)
    return f("log", f("add", x, f("sqrt", f("subtract", f("square", x), 1))))


@CONVERSIONS("atanh", to="multiply log1p div subtract")
def _atanh(call: TorchOp) -> ir.Value:
    """Compute `log(1 + 2 x / (1 - x)) / 2`."""
    x, f = call.tensor(0), partial(elementwise, result=call.result)
    return f("multiply", 0.5, f("log1p", f("div", f("multiply", 2, x), f("subtract", 1, x))))


@CONVERSIONS("hypot", to="square add sqrt")
def _hypot(call: TorchOp) -> ir.Value:
    """Compute `sqrt(a^2 + b^2)`."""
    f = partial(elementwise, result=call.result)
    return f("sqrt", f("add", f("square", call.tensor(0)), f("square", call.tensor(1))))


@CONVERSIONS("copysign.Tensor", to="abs neg signbit where")
def _copysign(call: TorchOp) -> ir.Value:
    """Combine the magnitude of one with the sign of the other."""
    f, sign = partial(elementwise, result=call.result), call.tensor(1)
    size = f("abs", call.tensor(0))
    negative = ttir.signbit(sign, result=read_type(sign.type).with_dtype(DType.I1))
    return where(negative, f("neg", size), size, call.result)


@CONVERSIONS("fmin", "fmax", to="minimum maximum ne where")
def _of_numbers(call: TorchOp) -> ir.Value:
    """Return the extreme of two, or the one that is not NaN."""
    a, b = call.tensor(0), call.tensor(1)
    extreme = elementwise("minimum" if call.name.endswith("fmin") else "maximum", a, b, result=call.result)
    if not call.result.dtype.is_float:
        return extreme
    return where(compare("ne", a, a), b, where(compare("ne", b, b), a, extreme, call.result), call.result)


@CONVERSIONS("ldexp.Tensor", to="exp2 multiply")
def _ldexp(call: TorchOp) -> ir.Value:
    """Compute `a * 2^b`."""
    f = partial(elementwise, result=call.result)
    return f("multiply", call.tensor(0), f("exp2", call.tensor(1)))


_SHIFTS = {"left_shift": ("logical_left_shift", "__lshift__"), "right_shift": ("right_shift", "__rshift__")}


def _shift(mnemonic: str, call: TorchOp) -> ir.Value:
    return elementwise(mnemonic, call.operand(0), call.operand(1), result=call.result)


for _name, (_mnemonic, _short) in _SHIFTS.items():
    _sources = [f"{_short}.{kind}" for kind in ("Tensor", "Scalar")]
    _sources += [f"bitwise_{_name}.{kind}" for kind in ("Tensor", "Tensor_Scalar")]
    CONVERSIONS.add(_sources, [_mnemonic], partial(_shift, _mnemonic))


@CONVERSIONS("view.dtype", to="bitcast_convert")
def _view(call: TorchOp) -> ir.Value:
    """Reinterpret the bits as another element type of the same width."""
    return ttir.bitcast_convert(call.tensor(0), result=call.result)


@CONVERSIONS("rrelu_with_noise_functional", to="leaky_relu")
def _rrelu(call: TorchOp) -> Sequence[ir.Value]:
    """Use the mean of both slopes; the noise is for training."""
    if call.flag(4):
        call.refuse("is in training mode", OF_MODULES)
    slope = (float(call.number(2)) + float(call.number(3))) / 2
    return [ttir.leaky_relu(call.tensor(0), parameter=slope), call.tensor(1)]


_QUANTIZED = f"{TO_EVEN} multiply div clamp_scalar reshape"


@CONVERSIONS("fake_quantize_per_tensor_affine_cachemask", to=_QUANTIZED)
def _fake_quantize(call: TorchOp) -> Sequence[ir.Value]:
    """Round to steps of the scale within bounds; results for training must be unused."""
    return _quantize(call, float(call.number(1)), float(call.number(2)), (call.integer(3), call.integer(4)))


@CONVERSIONS("fake_quantize_per_channel_affine_cachemask", to=_QUANTIZED)
def _fake_quantize_by_channel(call: TorchOp) -> Sequence[ir.Value]:
    """Round to steps of each channel's scale within bounds; results for training must be unused."""
    shape, channel = [1] * call.result.rank, axis(call.integer(3), call.result.rank)
    shape[channel] = call.result.shape[channel]
    scale, zero = (reshape_to(call.tensor(i), shape) for i in (1, 2))
    return _quantize(call, scale, zero, (call.integer(4), call.integer(5)))


def _quantize(
    call: TorchOp, scale: ir.Value | float, zero: ir.Value | float, bounds: tuple[int, int]
) -> Sequence[ir.Value]:
    if call.is_used(1):
        call.refuse("is used for more than its values", "only the first result is computed")
    f = partial(elementwise, result=call.result)
    steps = f("add", round_floats(f("div", call.tensor(0), scale), call.result), zero)
    low, high = map(float, bounds)
    inside = ttir.clamp_scalar(steps, min=low, max=high)
    return [f("multiply", f("subtract", inside, zero), scale)] * len(call.results)

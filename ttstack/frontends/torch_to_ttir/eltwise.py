"""Elementwise ops with one TTIR op each, and casts of operands to the result's element type."""

from collections.abc import Callable, Sequence
from functools import partial

from ttstack.dialects.ttir.build import cast, elementwise, scalar, wrap_integer
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.frontends.torch_to_ttir.training import DROPOUT
from ttstack.mlir import ir
from ttstack.ops.shapes import promote
from ttstack.ops.types import DType, ElementType, TensorType

CONVERSIONS = TorchConversionTable()

_UNARY = """abs acos asin asinh atan bitwise_not ceil cos erf erfc exp exp2 expm1 floor frac hardsigmoid log log1p
    mish neg reciprocal relu relu6 rsqrt sigmoid sign silu sin sqrt square tan tanh trunc"""

_BINARY = {
    "multiply": ("mul.Tensor", "mul.Scalar"),
    "div": ("div.Tensor", "div.Scalar", "true_divide.Tensor", "true_divide.Scalar"),
    "pow": ("pow.Tensor_Tensor", "pow.Scalar"),
    "atan2": ("atan2",),
    "maximum": ("maximum", "max.other", "clamp_min", "clamp_min.Tensor"),
    "minimum": ("minimum", "min.other", "clamp_max", "clamp_max.Tensor"),
    "remainder": ("fmod.Tensor", "fmod.Scalar"),
}

_BITWISE = {
    name: (f"bitwise_{name}.Tensor", f"bitwise_{name}.Scalar", f"__{name}__.Tensor", f"__{name}__.Scalar")
    for name in ("and", "or", "xor")
}

_COMPARISONS = {
    **{name: (f"{name}.Tensor", f"{name}.Scalar") for name in ("eq", "ne", "ge", "gt", "le", "lt")},
    **{name: (name,) for name in ("logical_and", "logical_or", "logical_xor")},
}

_PREDICATES = ("isfinite", "logical_not", "signbit")

_SUMS = {"add": ("add.Tensor", "add.Scalar"), "subtract": ("sub.Tensor", "sub.Scalar")}

_MIXED = {frozenset((DType.F16, DType.BF16)): DType.F32, frozenset((DType.UI8, DType.I8)): DType.I16}
"""Pairs of element types of one width, and the smallest type for the values of both."""

_CASTS = """to.dtype to.device to.dtype_layout to.other to.prim_Device _to_copy type_as"""


def compare(mnemonic: str, left: ir.Value | float, right: ir.Value | float) -> ir.Value:
    """Compare in the operands' common element type; a number takes the tensor's type if it is of its kind."""
    types = [read_type(x.type) for x in (left, right) if isinstance(x, ir.Value)]
    dtype = _common(types, [x for x in (left, right) if not isinstance(x, ir.Value)])
    like = TensorType((1,) * max(t.rank for t in types), dtype)
    values = [cast(x, dtype) if isinstance(x, ir.Value) else scalar(x, like) for x in (left, right)]
    return ttir.build(mnemonic, *values, result=like.with_dtype(DType.I1))


def _common(types: Sequence[TensorType], numbers: Sequence[float]) -> ElementType:
    """Return the element type in which PyTorch compares them."""
    dtypes = {t.dtype for t in types}
    dtype = _MIXED.get(frozenset(dtypes)) or promote(*types)
    if not dtype.is_float and any(isinstance(x, float) for x in numbers):
        return DType.F32
    whole = any(isinstance(x, int) and x not in (0, 1) for x in numbers)
    return DType.I64 if whole and dtype is DType.I1 else dtype


def where(condition: ir.Value, yes: ir.Value | float, no: ir.Value | float, result: TensorType) -> ir.Value:
    """Select, in the element type of the result."""
    choices = [cast(x, result.dtype) if isinstance(x, ir.Value) else scalar(x, result) for x in (yes, no)]
    return ttir.where(cast(condition, DType.I1), *choices)


def _unary(mnemonic: str, call: TorchOp) -> ir.Value:
    return elementwise(mnemonic, call.tensor(0), result=call.result)


def _binary(mnemonic: str, call: TorchOp) -> ir.Value:
    return elementwise(mnemonic, call.operand(0), call.operand(1), result=call.result)


def _bitwise(name: str, call: TorchOp) -> ir.Value:
    if call.result.dtype is DType.I1:
        return compare(f"logical_{name}", call.operand(0), call.operand(1))
    return _binary(f"bitwise_{name}", call)


def _comparison(mnemonic: str, call: TorchOp) -> ir.Value:
    return compare(mnemonic, call.operand(0), call.operand(1))


def _predicate(mnemonic: str, call: TorchOp) -> ir.Value:
    return ttir.build(mnemonic, call.tensor(0), result=call.result)


def _sum(mnemonic: str, call: TorchOp) -> ir.Value:
    alpha = call.number(2)
    right = call.operand(1)
    if alpha != 1:
        right = (
            elementwise("multiply", right, alpha, result=call.result) if isinstance(right, ir.Value) else right * alpha
        )
    return elementwise(mnemonic, call.tensor(0), right, result=call.result)


def _register() -> None:
    for name in _UNARY.split():
        CONVERSIONS.add([name], [name], partial(_unary, name))
    CONVERSIONS.add(["sgn"], ["sign"], partial(_unary, "sign"))
    for name in _PREDICATES:
        CONVERSIONS.add([name], [name], partial(_predicate, name))
    kinds: tuple[tuple[dict[str, tuple[str, ...]], Callable[[str, TorchOp], ir.Value]], ...] = (
        (_BINARY, _binary),
        (_COMPARISONS, _comparison),
        (_SUMS, _sum),
    )
    for table, convert in kinds:
        for name, sources in table.items():
            CONVERSIONS.add(sources, [name], partial(convert, name))
    for name, sources in _BITWISE.items():
        CONVERSIONS.add(sources, [f"bitwise_{name}", f"logical_{name}"], partial(_bitwise, name))


_register()


@CONVERSIONS("rsub.Scalar", to="subtract")
def _rsub(call: TorchOp) -> ir.Value:
    """Compute `other - x * alpha`."""
    x, alpha = call.tensor(0), call.number(2)
    scaled = x if alpha == 1 else elementwise("multiply", x, alpha, result=call.result)
    return elementwise("subtract", call.number(1), scaled, result=call.result)


@CONVERSIONS(*_CASTS.split(), to="typecast ne")
def _cast(call: TorchOp) -> ir.Value:
    """Cast to the result's element type; bools are comparisons with 0."""
    return cast(call.tensor(0), call.result.dtype)


@CONVERSIONS("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar", to="where")
def _where(call: TorchOp) -> ir.Value:
    """Select between tensors or numbers."""
    return where(call.tensor(0), call.operand(1), call.operand(2), call.result)


@CONVERSIONS("masked_fill.Scalar", "masked_fill.Tensor", to="where")
def _mask_fill(call: TorchOp) -> ir.Value:
    """Select between the value and the tensor."""
    return where(call.tensor(1), call.operand(2), call.tensor(0), call.result)


@CONVERSIONS("clamp", "hardtanh", to="clamp_scalar maximum minimum")
def _clamp(call: TorchOp) -> ir.Value:
    """Clamp with both bounds or one."""
    x, result = cast(call.tensor(0), call.result.dtype), call.result
    if call.is_none(1):
        return elementwise("minimum", x, call.number(2), result=result)
    if call.is_none(2):
        return elementwise("maximum", x, call.number(1), result=result)
    bounds = (call.number(i) for i in (1, 2))
    low, high = (float(b) if result.dtype.is_float else wrap_integer(b, result.dtype) for b in bounds)
    return ttir.clamp_scalar(x, min=low, max=high)


@CONVERSIONS("clamp.Tensor", to="clamp_tensor maximum minimum")
def _clamp_tensor(call: TorchOp) -> ir.Value:
    """Clamp with both bounds or one."""
    x, low, high = call.tensor(0), call.optional(1), call.optional(2)
    bounds = [b for b in (low, high) if b is not None]
    if not bounds:
        return x
    name = "clamp_tensor" if len(bounds) == 2 else "minimum" if low is None else "maximum"
    return elementwise(name, x, *bounds, result=call.result)


@CONVERSIONS("pow.Tensor_Scalar", to="pow square sqrt rsqrt reciprocal")
def _pow(call: TorchOp) -> ir.Value:
    """Use a special op for powers that have one."""
    x, exponent = call.tensor(0), call.number(1)
    own = {2: "square", 0.5: "sqrt", -0.5: "rsqrt", -1: "reciprocal"}.get(exponent)
    if own:
        return elementwise(own, x, result=call.result)
    return elementwise("pow", x, exponent, result=call.result)


@CONVERSIONS("leaky_relu", to="leaky_relu")
def _leaky_relu(call: TorchOp) -> ir.Value:
    """Use the slope as an attribute."""
    return ttir.leaky_relu(call.tensor(0), parameter=float(call.number(1)))


@CONVERSIONS("dropout", "feature_dropout", "alpha_dropout")
def _dropout(call: TorchOp) -> ir.Value:
    """Drop the op: only inference is supported."""
    if call.flag(2):
        call.refuse("is in training mode", DROPOUT)
    return call.tensor(0)

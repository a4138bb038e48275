"""Ops that create a tensor from numbers."""

from functools import partial

from ttstack.dialects.elements import elements_attribute, read_elements
from ttstack.dialects.ttir.build import cast, elementwise, reshape_to, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch_to_ttir.table import TorchConversionTable
from ttstack.frontends.torch_to_ttir.torch_op import TorchOp
from ttstack.mlir import ir
from ttstack.ops.types import DType

CONVERSIONS = TorchConversionTable()

_EMPTY = "empty.memory_format empty_like new_empty empty_permuted"
_FILLED = {
    "zeros": (
        "zeros",
        "zeros_like",
        "new_zeros",
        "zero",
        "empty.memory_format",
        "empty_like",
        "new_empty",
        "new_empty_strided",
        "empty_permuted",
    ),
    "ones": ("ones", "ones_like", "new_ones"),
}
"""Fill with a number; uninitialized memory is 0."""


def _fill(mnemonic: str, call: TorchOp) -> ir.Value:
    return ttir.build(mnemonic, result=call.result, shape=call.result.shape)


for _mnemonic, _sources in _FILLED.items():
    CONVERSIONS.add(_sources, [_mnemonic], partial(_fill, _mnemonic))


@CONVERSIONS("full", "full_like", "fill.Scalar", to="full")
def _full(call: TorchOp) -> ir.Value:
    """Fill with the number."""
    return splat(call.number(1), call.result)


@CONVERSIONS("new_full", to="full")
def _new_full(call: TorchOp) -> ir.Value:
    """Fill with the number."""
    return splat(call.number(2), call.result)


@CONVERSIONS("scalar_tensor", "torch.prim.NumToTensor.Scalar", to="full")
def _scalar_tensor(call: TorchOp) -> ir.Value:
    """Create a scalar tensor."""
    return splat(call.number(0), call.result)


@CONVERSIONS("torch.vtensor.literal", to="constant full")
def _literal(call: TorchOp) -> ir.Value:
    """Create a constant with signless integers; a fill if all elements are equal."""
    result = call.result  # refuses element types that no device has, such as complex ones, which cannot be read below
    attribute = ir.DenseElementsAttr(call.op.attributes["value"])
    values = read_elements(attribute)
    if attribute.is_splat:
        return splat(values.flat[0] if values.size else 0, result)
    return ttir.constant(result=result, value=elements_attribute(values, result))


@CONVERSIONS("arange", to="arange multiply add")
def _arange(call: TorchOp) -> ir.Value:
    """Count from 0."""
    return _steps(call, 0, 1)


@CONVERSIONS("arange.start", to="arange multiply add")
def _arange_start(call: TorchOp) -> ir.Value:
    """Count by 1."""
    return _steps(call, call.number(0), 1)


@CONVERSIONS("arange.start_step", to="arange multiply add")
def _arange_start_step(call: TorchOp) -> ir.Value:
    """Use the op, or scale integer steps if start or step are fractions."""
    return _steps(call, call.number(0), call.number(2))


@CONVERSIONS("linspace", to="arange multiply add")
def _linspace(call: TorchOp) -> ir.Value:
    """Add multiples of the step to the start."""
    start, end, count = float(call.number(0)), float(call.number(1)), call.integer(2)
    return _steps(call, start, (end - start) / max(count - 1, 1))


@CONVERSIONS("eye", "eye.m", to="arange eq")
def _eye(call: TorchOp) -> ir.Value:
    """Set 1 if row and column are equal."""
    t = call.result.with_dtype(DType.I32)
    row, column = (
        ttir.arange(result=t, start=0, end=extent, step=1, arange_dimension=dim) for dim, extent in enumerate(t.shape)
    )
    return cast(ttir.eq(row, column, result=t.with_dtype(DType.I1)), call.result.dtype)


@CONVERSIONS("one_hot", to="arange eq reshape")
def _one_hot(call: TorchOp) -> ir.Value:
    """Set 1 if the class number equals the index."""
    x, result = call.tensor(0), call.result
    index = reshape_to(x, (*result.shape[:-1], 1))
    t = read_type(x.type).with_shape((1,) * (result.rank - 1) + result.shape[-1:])
    classes = ttir.arange(result=t, start=0, end=t.shape[-1], step=1, arange_dimension=t.rank - 1)
    return cast(ttir.eq(index, classes, result=result.with_dtype(DType.I1)), result.dtype)


def _steps(call: TorchOp, start: float, step: float) -> ir.Value:
    result, f = call.result, partial(elementwise, result=call.result)
    whole = start == int(start) and step == int(step)
    first, by = (int(start), int(step)) if whole else (0, 1)
    end = first + by * result.shape[0]
    line = ttir.arange(result=result, start=first, end=end, step=by, arange_dimension=0)
    if whole:
        return line
    line = line if step == 1 else f("multiply", line, step)
    return line if start == 0 else f("add", line, start)

"""Native constraints of patterns in PDL, by name; numbers and shapes are `pdl.attribute`s."""

from ttstack.dialects.signature import kind_of
from ttstack.dialects.ttir.destination import is_overwritten
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.rewriting.user_pattern import Constraints
from ttstack.passes.ttir.queries.producers import scalar
from ttstack.program.records import TensorKind


def has_one_use(value: ir.Value) -> bool:
    """Return True if the value has exactly one use."""
    return len(list(value.uses)) == 1


def is_scalar(value: ir.Value, number: ir.Attribute) -> bool:
    """Return True if the value is a constant with this number in every element."""
    return scalar(value) == _number(number)


def has_rank(value: ir.Value, rank: ir.Attribute) -> bool:
    """Return True if the value has this number of dimensions."""
    return read_type(value.type).rank == ir.IntegerAttr(rank).value


def has_shape(value: ir.Value, shape: ir.Attribute) -> bool:
    """Return True if the value has this shape, a dense array such as `array<i64: 32, 64>`."""
    return list(read_type(value.type).shape) == list(ir.DenseI64ArrayAttr(shape))


def has_same_type(a: ir.Value, b: ir.Value) -> bool:
    """Return True if two values have the same shape and element type."""
    return a.type == b.type


def is_float(value: ir.Value) -> bool:
    """Return True if the elements are floating-point numbers."""
    return read_type(value.type).dtype.is_float


def is_parameter(value: ir.Value) -> bool:
    """Return True if the value is a parameter of the model."""
    return isinstance(value, ir.BlockArgument) and kind_of(value) is TensorKind.PARAMETER


def is_not_overwritten(value: ir.Value) -> bool:
    """Return True if no op overwrites the value's buffer, so that a later op can read it."""
    return not is_overwritten(value)


def _number(attribute: ir.Attribute) -> float:
    return float(
        ir.FloatAttr(attribute).value if isinstance(attribute, ir.FloatAttr) else ir.IntegerAttr(attribute).value
    )


CONSTRAINTS: Constraints = {
    f.__name__: f
    for f in (
        has_one_use,
        is_scalar,
        has_rank,
        has_shape,
        has_same_type,
        is_float,
        is_parameter,
        is_not_overwritten,
    )
}

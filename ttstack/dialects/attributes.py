"""Conversion between attribute values of MLIR and of op definitions."""

import re
from collections.abc import Callable
from typing import Any

from ttstack.dialects.python_attributes import plain_attribute, read_plain
from ttstack.dialects.types import element_type, read_dtype
from ttstack.mlir import ir
from ttstack.ops.attributes import Spelling, check_range
from ttstack.ops.tensor_train_type import FIELDS, TensorTrainType

_MISSPELT = "attribute '{name}' is {attribute}, expected {kind}"


def read_attribute(name: str, spelling: Spelling, attribute: ir.Attribute) -> Any:
    """Return the Python value of an attribute; raise `ValueError` if it is of another kind.

    Widths and signedness are not compared: `1 : i32` and `1 : si32` are the same number.
    """
    value = _READERS[spelling.kind](attribute)
    if value is None:
        kind = f"{spelling.kind} {spelling.type}".strip()
        raise ValueError(_MISSPELT.format(name=name, attribute=attribute, kind=kind))
    return value


def make_attribute(spelling: Spelling, value: Any) -> ir.Attribute:
    """Build the attribute in the current context, in tt-mlir's form."""
    return _MAKERS[spelling.kind](spelling.type, value)


def _integer(attribute: ir.Attribute) -> int | None:
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None


def _number(attribute: ir.Attribute) -> float | None:
    return attribute.value if isinstance(attribute, ir.FloatAttr | ir.IntegerAttr) else None


def _integers(attribute: ir.Attribute) -> tuple[int, ...] | None:
    if isinstance(attribute, ir.DenseI32ArrayAttr | ir.DenseI64ArrayAttr):
        return tuple(attribute)
    if isinstance(attribute, ir.ArrayAttr) and all(isinstance(a, ir.IntegerAttr) for a in attribute):
        return tuple(ir.IntegerAttr(a).value for a in attribute)
    return None


def _sides(attribute: ir.Attribute) -> int | tuple[int, ...] | None:
    whole = _integer(attribute)
    return _integers(attribute) if whole is None else whole


_FLATTENED = ("batch_size", "input_height", "input_width")


def _flattened(attribute: ir.Attribute) -> tuple[int, ...] | None:
    """Read tt-mlir's custom assembly of the attribute, which MLIR has as a string."""
    if not isinstance(attribute, ir.StringAttr):
        return None
    found = dict(re.findall(r"(\w+)\s*=\s*(\d+)", attribute.value))
    return tuple(int(found[name]) for name in _FLATTENED) if set(found) == set(_FLATTENED) else None


def _table(attribute: ir.Attribute) -> tuple[tuple[int, ...], ...] | None:
    if not isinstance(attribute, ir.DenseIntElementsAttr):
        return None
    shape = ir.RankedTensorType(attribute.type).shape
    if len(shape) != 2:
        return None
    rows, width = shape
    return tuple(tuple(attribute[i * width + j] for j in range(width)) for i in range(rows))


def _enum(attribute: ir.Attribute) -> str | None:
    if isinstance(attribute, ir.DynamicAttr):
        attribute = attribute.params[0].maybe_downcast()
    return ir.StringAttr(attribute).value if isinstance(attribute, ir.StringAttr) else None


def _tensor_train(attribute: ir.Attribute) -> TensorTrainType | None:
    if not str(attribute).startswith("#tt.tensor_train<"):
        return None
    named = {named.name: named.attr for named in ir.DictAttr(ir.DynamicAttr(attribute).params[0])}
    for name in (*named, *FIELDS):
        if name not in named or name not in FIELDS:
            raise ValueError(f"a tensor_train {'lacks' if name in FIELDS else 'has no field'} {name}")
    element = named.pop("element")
    if not isinstance(element, ir.TypeAttr):
        raise ValueError(f"element of a tensor_train is {element}, no type")
    shape = {name: _whole(name, read_plain(field)) for name, field in named.items()}
    return TensorTrainType.of(**shape, element=read_dtype(element.value))


def _whole(name: str, value: Any) -> Any:
    """Return an integer for rows and columns, and a list for all others."""
    one = name in ("rows", "columns")
    numbers = [value] if one else value
    if not isinstance(numbers, list) or not all(type(n) is int for n in numbers):
        raise ValueError(f"{name} of a tensor_train is {value}, not {'a whole number' if one else 'whole numbers'}")
    return value


_READERS: dict[str, Callable[[ir.Attribute], Any]] = {
    "bool": lambda a: a.value if isinstance(a, ir.BoolAttr) else None,
    "string": lambda a: a.value if isinstance(a, ir.StringAttr) else None,
    "integer": _integer,
    "float": _number,
    "number": _number,
    "array": _integers,
    "dense": _integers,
    "sides": _sides,
    "flattened": _flattened,
    "enum": _enum,
    "table": _table,
    "tensor_train": _tensor_train,
    "elements": lambda a: a if isinstance(a, ir.DenseElementsAttr | ir.DenseResourceElementsAttr) else None,
}


def _make_integer(type_: str, value: int) -> ir.Attribute:
    check_range(value, type_)
    return ir.IntegerAttr.get(ir.Type.parse(type_), value)


def _make_array(type_: str, value: tuple[int, ...]) -> ir.Attribute:
    return ir.ArrayAttr.get([_make_integer(type_, v) for v in value])


def _make_dense(type_: str, value: tuple[int, ...]) -> ir.Attribute:
    for number in value:
        check_range(number, type_)
    return (ir.DenseI32ArrayAttr if type_ == "i32" else ir.DenseI64ArrayAttr).get(list(value))


def _make_sides(type_: str, value: int | tuple[int, ...]) -> ir.Attribute:
    return _make_integer(type_, value) if isinstance(value, int) else _make_dense("i32", value)


def _make_flattened(_: str, value: tuple[int, ...]) -> ir.Attribute:
    return ir.StringAttr.get(", ".join(f"{n} = {v}" for n, v in zip(_FLATTENED, value, strict=True)))


def _make_table(type_: str, value: tuple[tuple[int, ...], ...]) -> ir.Attribute:
    shape = f"{len(value)}x{len(value[0]) if value else 0}"
    rows = str([list(row) for row in value]) if value and value[0] else ""
    return ir.Attribute.parse(f"dense<{rows}> : tensor<{shape}x{type_}>")


def _make_number(type_: str, value: float) -> ir.Attribute:
    if isinstance(value, int):
        return _make_integer("i32" if -(1 << 31) <= value < 1 << 31 else "i64", value)
    return ir.FloatAttr.get(ir.Type.parse(type_), value)


def _make_tensor_train(_: str, value: TensorTrainType) -> ir.Attribute:
    fields = value.fields()
    element = ir.TypeAttr.get(element_type(fields.pop("element")))
    named = {name: plain_attribute(field) for name, field in fields.items()}
    return ir.Attribute.parse(f"#tt.tensor_train<{ir.DictAttr.get({**named, 'element': element})}>")


_MAKERS: dict[str, Callable[[str, Any], ir.Attribute]] = {
    "bool": lambda _, v: ir.BoolAttr.get(v),
    "string": lambda _, v: ir.StringAttr.get(v),
    "integer": _make_integer,
    "float": lambda t, v: ir.FloatAttr.get(ir.Type.parse(t), v),
    "number": _make_number,
    "array": _make_array,
    "dense": _make_dense,
    "sides": _make_sides,
    "flattened": _make_flattened,
    "table": _make_table,
    "enum": lambda t, v: ir.Attribute.parse(f'#tt.{t}<"{v}">'),
    "tensor_train": _make_tensor_train,
    "elements": lambda _, v: v,
}

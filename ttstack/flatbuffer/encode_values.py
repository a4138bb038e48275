"""Encoding of types, layouts, attribute values and dispatches to a flatbuffer."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import NoneType
from typing import Any, cast

from ttstack.device.layout import Layout
from ttstack.flatbuffer import enums
from ttstack.flatbuffer._generated.binary_generated import AttributeKind
from ttstack.flatbuffer.writer import INT32, INT64, UINT8, Writer
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loops import IndexingMap
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import DType, QuantType, TensorType


def tensor_type(writer: Writer, t: TensorType) -> int:
    """Write a shape and an element type."""
    return writer.once(
        t,
        lambda: writer.table(
            "TensorType",
            shape=writer.numbers(t.shape, INT64),
            dtype=enums.DTYPE.number[t.dtype.storage if isinstance(t.dtype, QuantType) else t.dtype],
            quantization=_quantization(writer, t.dtype) if isinstance(t.dtype, QuantType) else None,
        ),
    )


def _quantization(writer: Writer, q: QuantType) -> int:
    return writer.once(
        q,
        lambda: writer.table(
            "Quantization",
            expressed=enums.DTYPE.number[q.expressed],
            scales=writer.floats(q.scales),
            zero_points=writer.numbers(q.zero_points, INT64),
            axis=-1 if q.axis is None else q.axis,
            limits=writer.numbers(q.limits or (), INT64),
        ),
    )


def layout(writer: Writer, value: Layout) -> int:
    """Write the layout of a tensor."""
    return writer.once(
        value,
        lambda: writer.table(
            "Layout",
            dtype=enums.DTYPE.number[value.dtype],
            tiled=value.tiled,
            memory_space=enums.MEMORY_SPACE.number[value.memory_space],
            memory_layout=enums.MEMORY_LAYOUT.number[value.memory_layout],
            grid=value.grid,
            filters=value.filters,
        ),
    )


def attributes(writer: Writer, values: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> int | None:
    """Write named values in order.

    Raises:
        ValueError: a value is of a type that the schema does not have.
    """
    pairs = cast(Mapping[str, Any], values).items() if isinstance(values, Mapping) else values
    return writer.tables([_attribute(writer, name, value) for name, value in pairs])


def dispatch(writer: Writer, value: LoopNest) -> int:
    """Write loops over tiles and their work."""
    return writer.table(
        "Dispatch",
        domain=writer.numbers(value.domain, INT64),
        iterators=writer.numbers([enums.ITERATOR.number[i] for i in value.iterators], UINT8),
        inputs=writer.tables([_map(writer, m) for m in value.inputs]),
        outputs=writer.tables([_map(writer, m) for m in value.outputs]),
        body=writer.tables([_tile_op(writer, op) for op in value.body]),
    )


def _map(writer: Writer, value: IndexingMap) -> int:
    loops = [-1 if i is None else i for i in value.loops]
    terms = [n for t in value.terms for n in (t.divisor, t.modulus or 0, t.step, t.offset)]
    return writer.table(
        "Map",
        loops=writer.numbers(loops, INT32),
        access=enums.ACCESS.number[value.access],
        terms=writer.numbers(terms, INT64),
    )


def _tile_op(writer: Writer, op: TileOp) -> int:
    return writer.table(
        "TileOp",
        name=writer.string(op.name),
        args=writer.numbers(op.args, INT32),
        attributes=attributes(writer, op.attributes),
    )


def _attribute(writer: Writer, name: str, value: Any) -> int:
    def write() -> int:
        kind, fields = _value(writer, name, value)
        return writer.table("Attribute", name=writer.string(name), kind=kind, **fields)

    return writer.once((name, type(value).__qualname__, repr(value)), write)


def _value(writer: Writer, name: str, value: Any) -> tuple[int, dict[str, Any]]:
    """Return the kind of a value, and the field that contains it."""
    for python_type, kind, fields in _KINDS:
        if isinstance(value, python_type):
            return kind, fields(writer, name, value)
    if isinstance(value, tuple | list):
        return _sequence(writer, name, cast(Sequence[Any], value))
    raise ValueError(f"attribute {name!r} has a value of type {type(value).__name__}")


_KINDS: tuple[tuple[type, int, Callable[[Writer, str, Any], dict[str, Any]]], ...] = (
    (NoneType, AttributeKind.NONE, lambda _w, _n, _v: {}),
    (bool, AttributeKind.BOOL, lambda _w, _n, v: {"int_value": int(v)}),
    (int, AttributeKind.INT, lambda _w, n, v: {"int_value": _int64(n, v)}),
    (float, AttributeKind.FLOAT, lambda w, _n, v: {"floats": w.floats([v])}),
    (DType, AttributeKind.DTYPE, lambda _w, _n, v: {"int_value": enums.DTYPE.number[v]}),
    (str, AttributeKind.STRING, lambda w, _n, v: {"string_value": w.string(v)}),
    (LoopNest, AttributeKind.DISPATCH, lambda w, _n, v: {"dispatch": dispatch(w, v)}),
    (Mapping, AttributeKind.MAPPING, lambda w, _n, v: {"items": attributes(w, v)}),
    (TensorTrainType, AttributeKind.TENSOR_TRAIN, lambda w, _n, v: _tensor_train(w, v)),
)
"""Python type, kind and field of attribute values; the first match is used."""


def _tensor_train(writer: Writer, train: TensorTrainType) -> dict[str, Any]:
    p = train.plan
    numbers = (p.rows, p.cols, *p.row_factors, *p.col_factors, *p.ranks)
    return {"int_value": enums.DTYPE.number[train.dtype], "ints": writer.numbers(numbers, INT64)}


def _sequence(writer: Writer, name: str, values: Sequence[Any]) -> tuple[int, dict[str, Any]]:
    kinds: set[type] = {type(v) for v in values}
    if kinds <= {int}:
        return AttributeKind.INTS, {"ints": writer.numbers([_int64(name, v) for v in values], INT64)}
    if kinds == {float}:
        return AttributeKind.FLOATS, {"floats": writer.floats(values)}
    return AttributeKind.LIST, {"items": attributes(writer, [("", v) for v in values])}


def _int64(name: str, value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"attribute {name!r} is {value}, which 64 bits do not hold")
    return value

"""Decoding of types, layouts, attribute values and dispatches from a flatbuffer."""

from collections.abc import Callable
from typing import Any

from ttstack.device.layout import Grid, Layout
from ttstack.flatbuffer import enums
from ttstack.flatbuffer._generated.binary_generated import AttributeKind
from ttstack.flatbuffer.reader import Reader, numbers, tables, text
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loops import IndexExpr, IndexingMap
from ttstack.ops.shapes import check_shape
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.ops.types import DType, QuantType, TensorType


def tensor_type(_: Reader, table: Any) -> TensorType:
    """Return a shape and an element type; raise `ValueError` for an impossible tensor."""
    dtype, shape = enums.DTYPE.member(table.Dtype()), numbers(table.ShapeAsNumpy())
    check_shape(shape)
    quantized = table.Quantization()
    return TensorType(shape, _quantization(dtype, shape, quantized) if quantized else dtype)


def _quantization(storage: DType, shape: tuple[int, ...], table: Any) -> QuantType:
    found = _quantize(storage, table)
    pairs = len(found.scales), len(found.zero_points)
    along = 1 if found.axis is None else shape[found.axis] if found.axis < len(shape) else -1
    if pairs != (along, along) or storage.is_float or (found.limits and len(found.limits) != 2):
        raise ValueError(f"no {storage} of shape {list(shape)} has {pairs[0]} scales and {pairs[1]} zero points")
    return found


def _quantize(storage: DType, table: Any) -> QuantType:
    return QuantType(
        storage=storage,
        expressed=enums.DTYPE.member(table.Expressed()),
        scales=numbers(table.ScalesAsNumpy()),
        zero_points=numbers(table.ZeroPointsAsNumpy()),
        axis=None if table.Axis() < 0 else table.Axis(),
        limits=numbers(table.LimitsAsNumpy()) or None,
    )


def layout(_: Reader, table: Any) -> Layout:
    """Return the layout of a tensor."""
    return Layout(
        dtype=enums.DTYPE.member(table.Dtype()),
        tiled=bool(table.Tiled()),
        memory_space=enums.MEMORY_SPACE.member(table.MemorySpace()),
        memory_layout=enums.MEMORY_LAYOUT.member(table.MemoryLayout()),
        grid=grid(table.Grid()),
        filters=bool(table.Filters()),
    )


def grid(struct: Any) -> Grid | None:
    """Return a rectangle of cores."""
    return None if struct is None else Grid(struct.Rows(), struct.Cols())


def attributes(reader: Reader, owner: Any, field: str = "Attributes") -> list[tuple[str, Any]]:
    """Return named values in order."""
    return [reader.once(_attribute, table) for table in tables(owner, field)]


def dispatch(reader: Reader, table: Any) -> LoopNest:
    """Return loops over tiles and their work."""
    return LoopNest(
        domain=numbers(table.DomainAsNumpy()),
        iterators=tuple(enums.ITERATOR.member(i) for i in numbers(table.IteratorsAsNumpy())),
        inputs=tuple(_map(m) for m in tables(table, "Inputs")),
        outputs=tuple(_map(m) for m in tables(table, "Outputs")),
        body=tuple(_tile_op(reader, op) for op in tables(table, "Body")),
    )


def _map(table: Any) -> IndexingMap:
    loops = tuple(None if i < 0 else i for i in numbers(table.LoopsAsNumpy()))
    numbers_of = numbers(table.TermsAsNumpy())
    each = [numbers_of[i : i + 4] for i in range(0, len(numbers_of), 4)]
    terms = tuple(IndexExpr(divisor, modulus or None, step, offset) for divisor, modulus, step, offset in each)
    return IndexingMap(loops, enums.ACCESS.member(table.Access()), terms=terms)


def _tile_op(reader: Reader, table: Any) -> TileOp:
    return TileOp(
        name=text(table.Name()),
        args=numbers(table.ArgsAsNumpy()),
        attributes=tuple(attributes(reader, table)),
    )


def _attribute(reader: Reader, table: Any) -> tuple[str, Any]:
    return text(table.Name()), _value(reader, table)


def _tensor_train(table: Any) -> TensorTrainType:
    rows, columns, *rest = numbers(table.IntsAsNumpy())
    d = len(rest) // 3
    element = enums.DTYPE.member(table.IntValue())
    return TensorTrainType.of(rows, columns, rest[:d], rest[d : 2 * d], rest[2 * d :], element)


def _value(reader: Reader, table: Any) -> Any:
    decode = _KINDS.get(table.Kind())
    if decode is None:
        raise ValueError(f"attributes have no kind {table.Kind()}")
    return decode(reader, table)


_KINDS: dict[int, Callable[[Reader, Any], Any]] = {
    AttributeKind.NONE: lambda _, _table: None,
    AttributeKind.BOOL: lambda _, table: bool(table.IntValue()),
    AttributeKind.INT: lambda _, table: table.IntValue(),
    AttributeKind.FLOAT: lambda _, table: numbers(table.FloatsAsNumpy())[0],
    AttributeKind.STRING: lambda _, table: text(table.StringValue()),
    AttributeKind.DTYPE: lambda _, table: enums.DTYPE.member(table.IntValue()),
    AttributeKind.INTS: lambda _, table: numbers(table.IntsAsNumpy()),
    AttributeKind.FLOATS: lambda _, table: numbers(table.FloatsAsNumpy()),
    AttributeKind.DISPATCH: lambda reader, table: reader.once(dispatch, table.Dispatch()),
    AttributeKind.LIST: lambda reader, table: tuple(v for _, v in attributes(reader, table, "Items")),
    AttributeKind.MAPPING: lambda reader, table: dict(attributes(reader, table, "Items")),
    AttributeKind.TENSOR_TRAIN: lambda _, table: _tensor_train(table),
}

"""Tiles, and the `tile_*` ops on them in regions of `generic`."""

from typing import Any

from ttstack.dialects.attributes import make_attribute, read_attribute
from ttstack.dialects.types import read_element, spelling
from ttstack.mlir import ir
from ttstack.ops.loop_nest import TileOp
from ttstack.ops.tile_ops import TILE_OPS
from ttstack.ops.types import TILE, DType, ElementType

PREFIX = "tile_"


def _spelling(dtype: ElementType) -> str:
    """Return `!tt.tile<[32, 32], dtype>`."""
    return f"!tt.tile<[{TILE}, {TILE}], {spelling(dtype)}>"


_TILES = {_spelling(d): d for d in DType}


def read_tile(tile: ir.Type) -> ElementType:
    """Return the element type of a tile type; raise `ValueError` for other types."""
    text = str(tile)
    if text in _TILES:
        return _TILES[text]
    if not text.startswith("!tt.tile<"):
        raise ValueError(f"type {tile} is not a tile")
    return read_element(ir.TypeAttr(ir.DynamicType(tile).params[1]).value)


def tile_type(dtype: ElementType) -> ir.Type:
    """Return the type of tiles of these elements."""
    return ir.Type.parse(_spelling(dtype))


def read_tile_op(op: ir.Operation, args: tuple[int, ...]) -> TileOp:
    """Return the record of a `tile_*` operation."""
    name = op.name.partition(".")[2].removeprefix(PREFIX)
    values: dict[str, Any] = {}
    for key, attribute in TILE_OPS[name].attributes.items():
        if key not in op.attributes and attribute.required:
            raise ValueError(f"'{op.name}' requires attribute '{key}'")
        written = key in op.attributes
        if not written and attribute.default is None:
            continue
        values[key] = read_attribute(key, attribute.spelling, op.attributes[key]) if written else attribute.default
    if TILE_OPS[name].typed:
        values["dtype"] = read_tile(op.results[0].type)
    return TileOp(name, args, attributes=tuple(values.items()))


def build_tile_op(dialect: str, tile_op: TileOp, operands: list[ir.Value], dtype: ElementType) -> ir.Value:
    """Build the operation of a record at the current insertion point, with result type `dtype`."""
    specs = TILE_OPS[tile_op.name].attributes
    attributes = {k: make_attribute(specs[k].spelling, v) for k, v in tile_op.attributes if k in specs}
    op = ir.Operation.create(
        f"{dialect}.{PREFIX}{tile_op.name}", results=[tile_type(dtype)], operands=operands, attributes=attributes
    )
    return op.results[0]

"""The `tile_*` ops: what the region of a `ttir.generic` does with one tile of each operand."""

from types import new_class
from typing import Any

from ttstack.dialects.attributes import make_attribute, read_attribute
from ttstack.dialects.base import Verified
from ttstack.dialects.ttir.dialect import TTIR
from ttstack.dialects.types import element_type, read_element
from ttstack.mlir import ext, ir
from ttstack.ops.loop_nest import TileOp
from ttstack.ops.tile_ops import TILE_OPS, TileOpSpec
from ttstack.ops.types import TILE, ElementType

PREFIX = "tile_"


class Tile(Verified):
    """An op on tiles."""

    def check(self) -> None:
        """Operands and result are tiles."""
        for value in (*self.operation.operands, *self.operation.results):
            read_tile(value.type)


def read_tile(tile: Any) -> ElementType:
    """The element type of a tile type; raises `ValueError` where it is none."""
    if not str(tile).startswith("!tt.tile<"):
        raise ValueError(f"type {tile} is not a tile")
    return read_element(ir.TypeAttr(ir.DynamicType(tile).params[1]).value)


def tile_type(dtype: ElementType) -> ir.Type:
    """`!tt.tile<[32, 32], dtype>`."""
    return ir.Type.parse(f"!tt.tile<[{TILE}, {TILE}], {element_type(dtype)}>")


def read_tile_op(op: Any, args: tuple[int, ...]) -> TileOp:
    """The record of a `tile_*` operation."""
    name = op.name.removeprefix(f"ttir.{PREFIX}")
    values: dict[str, Any] = {}
    for key, attribute in TILE_OPS[name].attributes.items():
        if key not in op.attributes and attribute.required:
            raise ValueError(f"'{op.name}' requires attribute '{key}'")
        written = key in op.attributes
        values[key] = read_attribute(key, attribute.spelling, op.attributes[key]) if written else attribute.default
    if TILE_OPS[name].typed:
        values["dtype"] = read_tile(op.results[0].type)
    return TileOp(name, args, attributes=tuple(values.items()))


def build_tile_op(tile_op: TileOp, operands: list[ir.Value], dtype: ElementType) -> ir.Value:
    """The operation of a record at the current insertion point; its result holds `dtype`."""
    specs = TILE_OPS[tile_op.name].attributes
    attributes = {k: make_attribute(specs[k].spelling, v) for k, v in tile_op.attributes if k in specs}
    op = ir.Operation.create(
        f"ttir.{PREFIX}{tile_op.name}", results=[tile_type(dtype)], operands=operands, attributes=attributes
    )
    return op.results[0]


def _define(spec: TileOpSpec) -> None:
    count = spec.arity + spec.reduces
    annotations: dict[str, Any] = {f"operand{i}": ext.Operand[Any] for i in range(count)}
    if spec.optional:
        annotations["optional"] = ext.Operand[Any] | None
    annotations["result"] = ext.Result[Any]
    body = {"__annotations__": annotations, "__doc__": spec.doc, "__module__": __name__}
    keywords = {"dialect": TTIR, "name": PREFIX + spec.name, "traits": [ext.Pure]}
    new_class(f"Tile_{spec.name}", (Tile,), keywords, lambda ns: ns.update(body))


for _spec in TILE_OPS.values():
    _define(_spec)

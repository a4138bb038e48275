"""The `tile_*` ops: what the region of a `ttir.generic` does with one tile of each operand."""

from dataclasses import MISSING
from functools import cache
from types import new_class
from typing import Any

from ttstack.dialects.attributes import make_attribute, read_attribute
from ttstack.dialects.base import Verified
from ttstack.dialects.ttir.dialect import TTIR
from ttstack.dialects.types import element_type, read_element
from ttstack.mlir import ext, ir
from ttstack.ops.attributes import Spelling
from ttstack.ops.base import OPS, Attribute
from ttstack.ops.dispatch import TileOp
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.reduction import Reduction
from ttstack.ops.tensor_train import TensorTrainEmbeddingBag
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
    for key, attribute in _attributes(name).items():
        if key not in op.attributes and attribute.required:
            raise ValueError(f"'{op.name}' requires attribute '{key}'")
        written = key in op.attributes
        values[key] = read_attribute(key, attribute.spelling, op.attributes[key]) if written else attribute.default
    spec = OPS.get(name)
    if spec is not None and issubclass(spec, Eltwise) and spec.result_fields():
        values["dtype"] = read_tile(op.results[0].type)
    return TileOp(name, args, attributes=tuple(values.items()))


def build_tile_op(tile_op: TileOp, operands: list[ir.Value], dtype: ElementType) -> ir.Value:
    """The operation of a record at the current insertion point; its result holds `dtype`."""
    specs = _attributes(tile_op.name)
    attributes = {k: make_attribute(specs[k].spelling, v) for k, v in tile_op.attributes if k in specs}
    op = ir.Operation.create(
        f"ttir.{PREFIX}{tile_op.name}", results=[tile_type(dtype)], operands=operands, attributes=attributes
    )
    return op.results[0]


@cache
def _attributes(name: str) -> dict[str, Attribute]:
    """What a tile op's text spells: what the elementwise op of its name has, or what lookups say."""
    if name == "group":
        return {"columns": Attribute("columns", Spelling("integer", "i64"), MISSING)}
    spec = TensorTrainEmbeddingBag if name == "pool" else OPS.get(name)
    if spec is None or not issubclass(spec, Eltwise | TensorTrainEmbeddingBag):
        return {}
    return {key: attribute for key, attribute in spec.attribute_specs().items() if key != "train"}


def _define(name: str, operands: int, doc: str, *, optional: bool = False) -> None:
    annotations: dict[str, Any] = {f"operand{i}": ext.Operand[Any] for i in range(operands)}
    if optional:
        annotations["optional"] = ext.Operand[Any] | None
    annotations["result"] = ext.Result[Any]
    body = {"__annotations__": annotations, "__doc__": doc, "__module__": __name__}
    keywords = {"dialect": TTIR, "name": PREFIX + name, "traits": [ext.Pure]}
    new_class(f"Tile_{name}", (Tile,), keywords, lambda ns: ns.update(body))


for _spec in list(OPS.values()):
    if issubclass(_spec, Eltwise):
        _define(_spec.mnemonic, len(_spec.operand_specs()), f"On tiles: {_spec.__doc__}")
    elif issubclass(_spec, Reduction) and _spec.mnemonic != "argmax":
        _define(_spec.tile_op, 2, "Reduce a tile into the accumulator.")
_define("matmul", 3, "Multiply two tiles onto the accumulator.")
_define("transpose", 1, "Swap rows and columns of a tile.")
_define("copy", 1, "The tile as it is.")
_define("group", 1, "Rows that need the same slice together, equal ones once; each of `columns` is a row of its own.")
_define("weigh", 2, "Each row times its weight.")
_define("pool", 1, "Rows of a bag made one; offsets say where bags start, without them they are alike.", optional=True)

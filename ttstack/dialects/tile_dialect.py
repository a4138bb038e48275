"""Tile ops, and the terminator of their regions, shared by `ttir` and `ttnn`."""

from types import new_class
from typing import Any

from ttstack.dialects.base import Dialect, Verified
from ttstack.dialects.tile import PREFIX, read_tile
from ttstack.mlir import ext, ir
from ttstack.ops.tile_ops import TILE_OPS, TileOpSpec


class Tile(Verified):
    """An op on tiles."""

    def check(self) -> None:
        """Raise `ValueError` unless operands and results are tiles."""
        for value in (*self.operation.operands, *self.operation.results):
            read_tile(value.type)


def define_tile_ops(dialect: type[Dialect]) -> None:
    """Add an op to the dialect for each registered tile op, and `yield`."""
    for spec in TILE_OPS.values():
        _define(dialect, PREFIX + spec.name, spec.doc, _annotations(spec), ext.Pure)
    doc = "The tiles that an iteration gives."
    _define(dialect, "yield", doc, {"value": ext.Operand[Any]}, ir.IsTerminatorTrait)


def _annotations(spec: TileOpSpec) -> dict[str, Any]:
    annotations: dict[str, Any] = {f"operand{i}": ext.Operand[Any] for i in range(spec.arity)}
    if spec.optional or spec.reduces:
        annotations["optional"] = ext.Operand[Any] | None
    return annotations | {"result": ext.Result[Any]}


def _define(dialect: type[Dialect], name: str, doc: str, annotations: dict[str, Any], trait: type) -> None:
    body = {"__annotations__": annotations, "__doc__": doc, "__module__": __name__}
    keywords = {"dialect": dialect, "name": name, "traits": [trait]}
    new_class(f"{dialect.DIALECT_NAMESPACE}_{name}", (Tile,), keywords, lambda ns: ns.update(body))

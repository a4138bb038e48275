"""Attributes made of plain values: dictionaries, lists, numbers and strings; and a dispatch as one of them."""

from typing import Any

from ttstack.mlir import ir
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loops import Access, IndexingMap, Iterator
from ttstack.ops.types import DType


def dispatch_attribute(d: LoopNest) -> ir.Attribute:
    """A dictionary of domain, iterators, maps (-1 where no loop) and tile ops."""
    maps = [{"loops": [-1 if x is None else x for x in m.loops], "access": str(m.access)} for m in d.maps]
    body = [{"name": op.name, "args": list(op.args), "attributes": dict(op.attributes)} for op in d.body]
    fields = {
        "domain": list(d.domain),
        "iterators": list(map(str, d.iterators)),
        "maps": maps,
        "outputs": len(d.outputs),
        "body": body,
    }
    return plain_attribute(fields)


def read_dispatch(attribute: Any) -> LoopNest | None:
    """The record; None where the attribute is no dictionary of those fields."""
    if not isinstance(attribute, ir.DictAttr):
        return None
    fields = read_plain(attribute)
    if not {"domain", "iterators", "maps", "outputs", "body"} <= fields.keys():
        return None
    maps = tuple(
        IndexingMap(tuple(None if x < 0 else x for x in m["loops"]), Access(m["access"])) for m in fields["maps"]
    )
    inputs = len(maps) - fields["outputs"]
    return LoopNest(
        domain=tuple(fields["domain"]),
        iterators=tuple(Iterator(i) for i in fields["iterators"]),
        inputs=maps[:inputs],
        outputs=maps[inputs:],
        body=tuple(_tile_op(op) for op in fields["body"]),
    )


def _tile_op(fields: dict[str, Any]) -> TileOp:
    attributes = {k: DType(v) if k == "dtype" else v for k, v in fields["attributes"].items()}
    return TileOp(fields["name"], tuple(fields["args"]), tuple(attributes.items()))


def plain_attribute(value: Any) -> ir.Attribute:
    """Numbers, strings, lists and dictionaries as the attributes of the same kind."""
    match value:
        case bool():
            return ir.BoolAttr.get(value)
        case int():
            return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)
        case float():
            return ir.FloatAttr.get_f64(value)
        case dict():
            return ir.DictAttr.get({k: plain_attribute(v) for k, v in value.items()})
        case list() | tuple():
            return ir.ArrayAttr.get([plain_attribute(v) for v in value])
        case _:
            return ir.StringAttr.get(str(value))


def read_plain(attribute: Any) -> Any:
    """The inverse of `plain_attribute`; enums and tuples come back as strings and lists."""
    match attribute:
        case ir.DictAttr():
            return {named.name: read_plain(named.attr) for named in attribute}
        case ir.ArrayAttr():
            return [read_plain(a) for a in attribute]
        case _:
            return attribute.value

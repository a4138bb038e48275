"""Attributes from plain values: dictionaries, lists, numbers and strings."""

from typing import Any

from ttstack.mlir import ir


def plain_attribute(value: Any) -> ir.Attribute:
    """Return attributes of numbers, strings, lists and dictionaries."""
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


def read_plain(attribute: ir.Attribute) -> Any:
    """Return the value of a `plain_attribute`; enums and tuples become strings and lists.

    Raises:
        ValueError: an attribute of another kind.
    """
    match attribute:
        case ir.DictAttr():
            return {named.name: read_plain(named.attr) for named in attribute}
        case ir.ArrayAttr():
            return [read_plain(a) for a in attribute]
        case ir.BoolAttr() | ir.IntegerAttr() | ir.FloatAttr() | ir.StringAttr():
            return attribute.value
        case _:
            raise ValueError(f"attribute {attribute} is not a number, string, list or dictionary")

"""`#tt.system_desc` from a device description, and back: the fields of the YAML form as a dictionary."""

from typing import Any

from ttstack.mlir import ir
from ttstack.system_desc import SystemDesc, from_dict, to_dict


def system_desc_attribute(desc: SystemDesc) -> ir.Attribute:
    """The attribute that a compiled module carries as `tt.system_desc`."""
    return ir.Attribute.parse(f"#tt.system_desc<{_spell(to_dict(desc))}>")


def read_system_desc(attribute: Any) -> SystemDesc:
    """The description in a `#tt.system_desc`; raises `SystemDescError` where fields are wrong or unknown."""
    return from_dict(_read(ir.DictAttr(ir.DynamicAttr(attribute).params[0])), origin="tt.system_desc")


def _spell(value: Any) -> str:
    match value:
        case None:
            return "unit"
        case bool():
            return str(value).lower()
        case int():
            return f"{value} : i64"
        case float():
            return f"{value!r} : f64" if "." in repr(value) else f"{value:.17e} : f64"
        case dict():
            return "{" + ", ".join(f'"{k}" = {_spell(v)}' for k, v in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_spell, value)) + "]"
        case _:
            return str(ir.StringAttr.get(str(value)))


def _read(attribute: Any) -> Any:
    match attribute:
        case ir.DictAttr():
            return {named.name: _read(named.attr) for named in attribute}
        case ir.ArrayAttr():
            return [_read(a) for a in attribute]
        case ir.UnitAttr():
            return None
        case _:
            return attribute.value

"""`#tt.system_desc` from a device description, and back: the fields of the YAML form as a dictionary."""

from functools import lru_cache
from typing import Any

from ttstack.dialects.python_attributes import plain_attribute, read_plain
from ttstack.mlir import ir
from ttstack.system_desc import SystemDesc, from_dict, to_dict


def system_desc_attribute(desc: SystemDesc) -> ir.Attribute:
    """The attribute that a compiled module carries as `tt.system_desc`."""
    return ir.Attribute.parse(_text((desc,)))


@lru_cache(16)
def _text(of: tuple[SystemDesc]) -> str:
    (desc,) = of
    return f"#tt.system_desc<{plain_attribute(_present(to_dict(desc)))}>"


def read_system_desc(attribute: ir.Attribute) -> SystemDesc:
    """The description in a `#tt.system_desc`; raises `SystemDescError` where fields are wrong or unknown."""
    text = str(attribute)
    found = _LATEST.get(text)
    if found is None:
        found = from_dict(read_plain(ir.DictAttr(ir.DynamicAttr(attribute).params[0])), origin="tt.system_desc")
        _LATEST.clear()
        _LATEST[text] = found
    return found


_LATEST: dict[str, SystemDesc] = {}
"""The description that was read last, by its text: every pass of a pipeline asks for the same."""


def _present(value: Any) -> Any:
    """Without what is not there: a dictionary attribute has no null."""
    if isinstance(value, dict):
        return {k: _present(v) for k, v in value.items() if v is not None}
    return [_present(v) for v in value] if isinstance(value, list) else value

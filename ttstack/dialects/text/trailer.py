"""The end of a module's text: long attributes and large constants, which are named where they are used.

It has the form of MLIR's file metadata: `{-# dialect_resources: ..., external_resources: ... #-}`.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.tt.system_desc import SYSTEM_DESC, device_attribute, device_reference
from ttstack.mlir import ir

_LONG = 200
"""Characters of a module's attribute above which it is at the end of the text."""
_OURS = "ttstack"
_ENTRY = re.compile(r'^ {6}([\w.$-]+): "((?!0x)(?:[^"\\]|\\.)*)",?$', re.MULTILINE)
_ESCAPED = re.compile(r"\\([0-9A-F]{2})")
_HEX = re.compile(r'dense<"0x([0-9A-F]+)">')
_ALIGNMENT = "04000000"
"""The alignment of a resource in bytes, before its data."""


def content_hash(text: str) -> str:
    """Return eight hexadecimal digits that name a text."""
    return blake2b(text.encode(), digest_size=4).hexdigest()


@contextmanager
def outline_attributes(module: ir.Module, *, device: bool) -> Iterator[Mapping[str, str]]:
    """Replace the long attributes of a module by references inside the block; their texts by reference.

    Args:
        module: A module, with or without a device.
        device: Whether the text of a device is needed that is a preset.
    """
    attributes, replaced, texts = module.operation.attributes, dict[str, ir.Attribute](), dict[str, str]()
    for name in list(attributes):
        attribute = attributes[name]
        text = str(attribute)
        if name == SYSTEM_DESC and not isinstance(attribute, ir.FlatSymbolRefAttr):
            reference, is_preset = device_reference(attribute)
        elif len(text) > _LONG:
            reference, is_preset = f"{name.rpartition('.')[2]}_{content_hash(text)}", False
        else:
            continue
        replaced[name] = attribute
        attributes[name] = ir.FlatSymbolRefAttr.get(reference)
        if device or not is_preset:
            texts[reference] = text
    try:
        yield texts
    finally:
        for name, attribute in replaced.items():
            attributes[name] = attribute


def outline_constants(text: str) -> tuple[str, dict[str, str]]:
    """Return a text with names in place of large constants, and their hexadecimal digits by name."""
    digits: dict[str, str] = {}

    def name(found: re.Match[str]) -> str:
        digits[key := f"c_{content_hash(found[1])}"] = found[1]
        return f"dense_resource<{key}>"

    return _HEX.sub(name, text), digits


def trailer(attributes: Mapping[str, str], constants: Mapping[str, str]) -> str:
    """Return the end of a text with these attributes and the hexadecimal digits of these constants."""
    sections: list[str] = []
    if constants:
        entries = [f'      {name}: "0x{_ALIGNMENT}{digits}"' for name, digits in constants.items()]
        sections.append(_section("dialect_resources", "builtin", entries))
    if attributes:
        entries = [f'      {name}: "{_escape(text)}"' for name, text in attributes.items()]
        sections.append(_section("external_resources", _OURS, entries))
    return f"\n{{-#\n{','.join(sections).lstrip()}\n#-}}\n" if sections else ""


def stored_attributes(text: str) -> dict[str, str]:
    """Return the texts of attributes at the end of a text, by reference."""
    begin = text.rfind(f"    {_OURS}: {{", max(text.find("{-#"), 0))
    return {name: _unescape(found) for name, found in _ENTRY.findall(text, begin)} if begin >= 0 else {}


def restore_attributes(module: ir.Module, stored: Mapping[str, str]) -> None:
    """Replace the references of a module by the attributes that they name.

    Raises:
        InvalidIRError: a reference is neither in the text nor a preset's.
    """
    attributes = module.operation.attributes
    for name in list(attributes):
        attribute = attributes[name]
        if not isinstance(attribute, ir.FlatSymbolRefAttr):
            continue
        if (text := stored.get(attribute.value)) is not None:
            attributes[name] = _parse(text, name)
        elif name == SYSTEM_DESC:
            attributes[name] = device_attribute(attribute.value)


def _parse(text: str, name: str) -> ir.Attribute:
    try:
        return ir.Attribute.parse(text)
    except ir.MLIRError as e:
        raise InvalidIRError(f"the text of '{name}' at the end of the module does not parse: {e.message}") from e


def _section(kind: str, owner: str, entries: list[str]) -> str:
    lines = ",\n".join(entries)
    return f"\n  {kind}: {{\n    {owner}: {{\n{lines}\n    }}\n  }}"


def _escape(text: str) -> str:
    return text.replace("\\", "\\5C").replace('"', "\\22").replace("\n", "\\0A")


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)

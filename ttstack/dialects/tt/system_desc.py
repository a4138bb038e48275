"""Conversion between `#tt.system_desc` and a device description: the fields of the YAML form as a dictionary."""

import re
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.python_attributes import plain_attribute, read_plain
from ttstack.mlir import ir
from ttstack.system_desc import SystemDesc, from_dict, load, to_dict
from ttstack.system_desc.at_release import at_release
from ttstack.system_desc.load import presets
from ttstack.system_desc.releases import is_release

SYSTEM_DESC = "tt.system_desc"
"""The attribute of a module that describes its device."""


def system_desc_attribute(desc: SystemDesc) -> ir.Attribute:
    """Return the attribute that a compiled module has as `tt.system_desc`."""
    return ir.Attribute.parse(_text((desc,)))


@lru_cache(16)
def _text(of: tuple[SystemDesc]) -> str:
    (desc,) = of
    return f"#tt.system_desc<{plain_attribute(_present(to_dict(desc)))}>"


def read_system_desc(attribute: ir.Attribute) -> SystemDesc:
    """Return the description of a `#tt.system_desc`; raise `SystemDescError` for wrong or unknown fields."""
    text = str(attribute)
    found = _LATEST.get(text)
    if found is None:
        found = from_dict(read_plain(ir.DictAttr(ir.DynamicAttr(attribute).params[0])), origin="tt.system_desc")
        _LATEST.clear()
        _LATEST[text] = found
    return found


_LATEST: dict[str, SystemDesc] = {}
"""The last parsed description by its text, as every pass of a pipeline reads the same."""


def _present(value: Any) -> Any:
    """Remove None values, as dictionary attributes have no null."""
    if isinstance(value, dict):
        return {k: _present(v) for k, v in value.items() if v is not None}
    return [_present(v) for v in value] if isinstance(value, list) else value


def device_reference(attribute: ir.Attribute) -> tuple[str, bool]:
    """Return a name for a description: device, release of ttnn and a hash; and whether it is a preset's."""
    desc = read_system_desc(attribute)
    name, release = _word(desc.name), desc.chips[0].ttnn
    reference = _reference(name, release, str(attribute))
    return reference, reference in _presets_of(name, release)


def device_attribute(reference: str) -> ir.Attribute:
    """Return the description of the preset that a reference names.

    Raises:
        InvalidIRError: there is no such preset, or its figures are others than those that were referred to.
    """
    name, _, release = reference.rpartition("_")[0].rpartition("_")
    found = _presets_of(name, release)
    if reference not in found:
        known = ", ".join(found) or f"none; the presets are {', '.join(presets())}"
        raise InvalidIRError(
            f"the module refers to the device '{reference}', whose description is not in the text",
            notes=(f"known under this name: {known}",),
            hint="print the module with --print-device, or remove tt.system_desc and give --system-desc",
        )
    return ir.Attribute.parse(found[reference])


@cache
def _presets_of(name: str, release: str) -> dict[str, str]:
    """Texts of the presets of a name at a release of ttnn, by reference."""
    found: dict[str, str] = {}
    for desc in map(load, presets()):
        if _word(desc.name) == name and is_release(release):
            text = str(system_desc_attribute(desc if desc.chips[0].ttnn == release else at_release(desc, release)))
            found[_reference(name, release, text)] = text
    return found


def _reference(name: str, release: str, text: str) -> str:
    return f"{name}_{release}_{blake2b(text.encode(), digest_size=4).hexdigest()}"


def _word(name: str) -> str:
    return re.sub(r"\W+", "-", name)

"""Options of custom calls: attributes of a dictionary, or strings, to which PyTorch/XLA is limited."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ttstack.dialects.elements import read_elements
from ttstack.mlir import ir
from ttstack.ops.attributes import Spelling, check_range

DICTIONARIES = (
    "mhlo.attributes",
    "mhlo.frontend_attributes",
    "tt.composite_attributes",
    "mhlo.backend_config",
    "backend_config",
)
"""The attributes with the options of a custom call."""

_ADDED = re.compile(r"_.*|.*[./].*|num_batch_dims")
"""Options that exporters add: names with a namespace, and JAX's number of batch dimensions."""

_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
_INTEGERS = re.compile(r"-?\d+")


class Options(Mapping[str, Any]):
    """All options of a custom call by name, as MLIR attributes or JSON values; the first dictionary takes precedence.

    `asked` are the names that were looked up: the options that the call supports.
    """

    def __init__(self, attributes: ir.OpAttributeMap | Mapping[str, ir.Attribute]) -> None:
        """Read them from an op's attributes; raise `ValueError` if they are not a dictionary."""
        self.asked: set[str] = set()
        self._found: dict[str, Any] = {}
        for key in reversed(DICTIONARIES):
            if key in attributes:
                self._found |= _entries(key, attributes[key])

    def __getitem__(self, name: str) -> Any:
        self.asked.add(name)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def unread(self) -> list[str]:
        """Return options that were not looked up, without those of exporters and those of absent operands."""
        left = [name for name in self._found if name not in self.asked and not _ADDED.fullmatch(name)]
        return [name for name in left if not (name.startswith("has_") and _is_false(self._found[name]))]


def _entries(key: str, attribute: ir.Attribute) -> dict[str, Any]:
    if isinstance(attribute, ir.DictAttr):
        return {named.name: named.attr for named in attribute}
    text = attribute.value if isinstance(attribute, ir.StringAttr) else str(attribute)
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ValueError(f"its {key} is {text[:60]!r}, expected a dictionary, or JSON of one")
    return found


def _is_false(option: Any) -> bool:
    return _TRUTHS.get(str(_plain(option)).lower()) is False


def read_option(name: str, spelling: Spelling, option: Any) -> Any:
    """Convert an option to a value of an op's attribute; raise `ValueError` if it is of another kind."""
    plain = _plain(option)
    try:
        value = _READERS[spelling.kind](plain)
        if spelling.kind == "integer":
            check_range(value, spelling.type or "i64")
    except (ValueError, TypeError, KeyError):
        kind = f"{spelling.kind} {spelling.type}".strip()
        raise ValueError(f"attribute '{name}' is {plain!r}, expected {kind}") from None
    return value


def _plain(option: Any) -> Any:
    """Return an attribute as numbers, a string or a tuple of these; any other as its text."""
    if isinstance(option, ir.BoolAttr | ir.IntegerAttr | ir.FloatAttr | ir.StringAttr):
        return option.value
    if isinstance(option, ir.DenseIntElementsAttr):
        return tuple(read_elements(option).reshape(-1).tolist())
    if isinstance(option, ir.DenseI32ArrayAttr | ir.DenseI64ArrayAttr):
        return tuple(option)
    if isinstance(option, ir.ArrayAttr):
        return tuple(_plain(entry) for entry in option)
    return str(option) if isinstance(option, ir.Attribute) else option


def _bool(plain: Any) -> bool:
    return _TRUTHS[str(plain).lower()]


def _integer(plain: Any) -> int:
    """Return an integer, also from a list of one, as PyTorch/XLA writes some."""
    if isinstance(plain, tuple | list):
        (plain,) = plain
    if isinstance(plain, float):
        raise TypeError(plain)
    return int(plain)


def _integers(plain: Any) -> tuple[int, ...]:
    numbers = _INTEGERS.findall(plain) if isinstance(plain, str) else plain
    return tuple(map(_integer, numbers))


_READERS: dict[str, Callable[[Any], Any]] = {
    "bool": _bool,
    "integer": _integer,
    "float": float,
    "dense": _integers,
    "array": _integers,
    "string": str,
    "enum": str,
}

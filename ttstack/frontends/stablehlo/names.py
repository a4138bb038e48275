"""Names of a function's arguments and results, as JAX writes them: nested structures become dotted names."""

import re
from collections.abc import Sequence
from typing import Any

from ttstack.dialects.location import read_location
from ttstack.dialects.signature import NAME
from ttstack.mlir import ir

_PART = re.compile(r"[^\[\]'\".]+")


def argument_names(function: Any) -> list[str]:
    """What the text says, or the location's name, or `arg0`, `arg1`, ..."""
    block = function.regions[0].blocks[0]
    given = _given(function, "arg_attrs", len(block.arguments))
    named = [said or _dotted(_name_of(a.location)) for said, a in zip(given, block.arguments, strict=True)]
    return _unique([name or f"arg{i}" for i, name in enumerate(named)])


def result_names(function: Any, count: int) -> list[str]:
    """What the text says, or where JAX says that the result stands, or `output.0`, `output.1`, ..."""
    given = _given(function, "res_attrs", count)
    default = ["output"] if count == 1 else [f"output.{i}" for i in range(count)]
    return _unique([name or d for name, d in zip(given, default, strict=True)])


def _given(function: Any, key: str, count: int) -> list[str]:
    if key not in function.attributes:
        return [""] * count
    return [_said(ir.DictAttr(a)) for a in ir.ArrayAttr(function.attributes[key])]


def _said(attributes: Any) -> str:
    if NAME in attributes:
        return ir.StringAttr(attributes[NAME]).value
    if "jax.result_info" not in attributes:
        return ""
    path = _dotted(ir.StringAttr(attributes["jax.result_info"]).value)
    return "output" + path[6:] if path == "result" or path.startswith("result.") else path


def _dotted(path: str) -> str:
    """`params['w'][0]` as `params.w.0`."""
    return ".".join(_PART.findall(path))


def _name_of(location: Any) -> str:
    return "" if not isinstance(location, ir.NameLoc) else read_location(location).partition(" (")[0]


def _unique(names: Sequence[str]) -> list[str]:
    """Names with a number behind those that stand before."""
    found: list[str] = []
    for name in names:
        number, fresh = 1, name
        while fresh in found:
            fresh, number = f"{name}.{number}", number + 1
        found.append(fresh)
    return found

"""The section of a module's text that holds the data of `dense_resource` constants, which the bindings cannot read."""

import re
from typing import Any

from ttstack.mlir import ir

_SECTION = re.compile(r"\{-#.*?#-\}", re.DOTALL)
_ENTRY = re.compile(r'("(?:[^"\\]|\\.)*"|[\w.$-]+)\s*:\s*"0x([0-9A-Fa-f]*)"')
_CONSTANTS = {"stablehlo.constant": "value", "tosa.const": "values"}
"""Ops that hold elements, and in which attribute."""
_ALIGNMENT = 4
"""Bytes before the data that say its alignment."""


def cut(text: str) -> tuple[str, dict[str, memoryview]]:
    """The text without its resources, and their data by name."""
    found: dict[str, memoryview] = {}
    for section in _SECTION.finditer(text):
        for name, digits in _ENTRY.findall(section[0]):
            found[name.strip('"')] = memoryview(bytes.fromhex(digits))[_ALIGNMENT:]
    return (_SECTION.sub("", text) if found else text), found


def resources(module: ir.Module) -> dict[str, memoryview]:
    """The data of the module's resources by name, by way of its text."""
    names: list[Any] = []

    def visit(op: Any) -> ir.WalkResult:
        key = _CONSTANTS.get(op.name)
        if key and not isinstance(op.attributes[key], ir.DenseElementsAttr):
            names.append(op)
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return cut(module.operation.get_asm(large_elements_limit=16))[1] if names else {}

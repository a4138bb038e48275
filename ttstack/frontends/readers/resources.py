"""The section of a module's text that holds the data of `dense_resource` constants, which the bindings cannot read."""

import re
from collections.abc import Mapping

from ttstack.diagnostics import SourceError
from ttstack.dialects.elements import RESOURCE
from ttstack.mlir import ir

_BEGIN, _END, _DATA = "{-#", "#-}", '"0x'
_NAME = re.compile(r'("(?:[^"\\]|\\.)*"|[\w.$-]+)\s*:\s*$')
_LONGEST_NAME = 1024
_CONSTANTS = {"stablehlo.constant": "value", "tosa.const": "values"}
"""Ops that hold elements, and in which attribute."""
_ALIGNMENT = 4
"""Bytes before the data that say its alignment."""


def cut(text: str) -> tuple[str, dict[str, memoryview]]:
    """The text without its resources, and their data by name.

    Raises:
        SourceError: data that is not spelled as hexadecimal bytes.
    """
    begin = text.find(_BEGIN)
    end = text.find(_END, begin)
    if begin < 0 or end < 0:
        return text, {}
    found: dict[str, memoryview] = {}
    at = text.find(_DATA, begin, end)
    while at >= 0:
        close = text.find('"', at + 1)
        if name := _NAME.search(text, max(begin, at - _LONGEST_NAME), at):
            found[name[1].strip('"')] = _data(name[1], text[at + len(_DATA) : close])
        at = text.find(_DATA, close, end)
    return text[:begin] + text[end + len(_END) :], found


def inline_resources(text: str, data: Mapping[str, memoryview]) -> str:
    """The text with the data of resources in the place of their names; of names without data, as it is."""

    def dense(found: re.Match[str]) -> str:
        name = found[1].strip('"')
        return f'dense<"0x{data[name].hex()}">' if name in data else found[0]

    return RESOURCE.sub(dense, text)


def _data(name: str, digits: str) -> memoryview:
    try:
        return memoryview(bytes.fromhex(digits))[_ALIGNMENT:]
    except ValueError as e:
        hint = "export the model again with its resources"
        raise SourceError(f"resource '{name}' holds what are no hexadecimal bytes", hint=hint) from e


def resources(module: ir.Module) -> dict[str, memoryview]:
    """The data of the module's resources by name, by way of its text."""
    names: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name in _CONSTANTS and _holds_resource(op):
            names.append(op)
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return cut(str(module.operation.get_asm(large_elements_limit=16)))[1] if names else {}


def _holds_resource(op: ir.Operation) -> bool:
    """Whether the elements are elsewhere; complex numbers, which no frontend takes, the bindings cannot look at."""
    element = ir.ShapedType(op.results[0].type).element_type
    if isinstance(element, ir.ComplexType):
        return False
    return not isinstance(op.attributes[_CONSTANTS[op.name]], ir.DenseElementsAttr)

"""The section of MLIR text with the data of `dense_resource` constants, which the bindings cannot read."""

import re
from collections.abc import Mapping

from ttstack.diagnostics import SourceError
from ttstack.dialects.elements import RESOURCE
from ttstack.mlir import ir

_BEGIN, _END, _DATA = "{-#", "#-}", '"0x'
_NAME = re.compile(r'("(?:[^"\\]|\\.)*"|[\w.$-]+)\s*:\s*$')
_LONGEST_NAME = 1024
_CONSTANTS = {"stablehlo.constant": "value", "tosa.const": "values"}
"""Ops with elements, and their attribute."""
_OUR_CONSTANTS = ('"ttir.constant"', '"ttnn.constant"')
_ALIGNMENT = 4
"""Bytes before the data that contain its alignment."""


def cut(text: str) -> tuple[str, dict[str, memoryview]]:
    """Return the text without its resources, and their data by name.

    Raises:
        SourceError: the data is not hexadecimal.
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


def has_constants(text: str) -> bool:
    """Return True if a text has constants of our dialects, whose data can be resources."""
    return any(op in text for op in _OUR_CONSTANTS)


def inline_resources(text: str, data: Mapping[str, memoryview]) -> str:
    """Return the text with resource data in place of its names, if available."""

    def dense(found: re.Match[str]) -> str:
        name = found[1].strip('"')
        return f'dense<"0x{data[name].hex()}">' if name in data else found[0]

    return RESOURCE.sub(dense, text)


def _data(name: str, digits: str) -> memoryview:
    try:
        return memoryview(bytes.fromhex(digits))[_ALIGNMENT:]
    except ValueError as e:
        hint = "export the model again with its resources"
        raise SourceError(f"resource '{name}' has bytes that are not hexadecimal", hint=hint) from e


def resources(module: ir.Module) -> dict[str, memoryview]:
    """Return the data of the module's resources by name, through its text."""
    names: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name in _CONSTANTS and _holds_resource(op):
            names.append(op)
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return cut(str(module.operation.get_asm(large_elements_limit=16)))[1] if names else {}


def _holds_resource(op: ir.Operation) -> bool:
    """Return True if the elements are a resource; complex numbers, which the bindings cannot read, are excluded."""
    element = ir.ShapedType(op.results[0].type).element_type
    if isinstance(element, ir.ComplexType):
        return False
    return not isinstance(op.attributes[_CONSTANTS[op.name]], ir.DenseElementsAttr)

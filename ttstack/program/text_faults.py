"""Names and locations of a program that could forge a line of a report, or of code."""

from collections.abc import Iterator
from itertools import chain

from ttstack.escape import name_fault
from ttstack.program.records import Binary, Function


def text_faults(binary: Binary) -> Iterator[str]:
    """Yield a fault for each name and location that has a control character."""
    functions = (text for function in binary.functions for text in _texts(function))
    return filter(None, map(name_fault, dict.fromkeys(chain(binary.weights, binary.stages, functions))))


def _texts(function: Function) -> Iterator[str]:
    yield function.name
    yield from (output.name for output in function.outputs)
    yield from (tensor.name for tensor in function.tensors)
    yield from (operation.location for operation in function.operations)

"""A small interpreter of TTIR: what an imported model computes, before anything is lowered."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from ttstack.dialects.base import definition_of, operands_by_place
from ttstack.dialects.elements import read_elements
from ttstack.mlir import ir
from ttstack_runtime.evaluate import evaluate

Array = np.ndarray[Any, Any]
Interpret = Callable[[ir.Module, Sequence[Array]], list[Array]]


def interpret(module: ir.Module, arguments: Sequence[Array]) -> list[Array]:
    """The results of the module's only function."""
    (function,) = module.body.operations
    block = function.regions[0].blocks[0]
    values = dict(zip(block.arguments, arguments, strict=True))
    *ops, last = (op.operation for op in block.operations)
    for op in ops:
        values |= zip(op.results, _results(op, values), strict=True)
    return [values[v] for v in last.operands]


def _results(op: ir.Operation, values: Mapping[ir.Value, Array]) -> Sequence[Array]:
    if op.name == "ttir.constant":
        return [read_elements(op.attributes["value"])]
    definition = definition_of(op)
    operands = [None if v is None else values[v] for v in operands_by_place(type(definition), op)]
    return evaluate(definition, operands)


@pytest.fixture(name="interpret")
def _interpret() -> Interpret:
    return interpret

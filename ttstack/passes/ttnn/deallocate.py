"""End each buffer right after the last op that uses it."""

from typing import Any

from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.ttnn.buffers import buffer_owners


class Deallocate(Pass, name="deallocate"):
    """Insert `ttnn.deallocate` for every buffer that the function makes and does not return."""

    def run(self, module: ir.Module) -> None:
        """Insert them in every function."""
        for function in functions(module):
            _deallocate(body(function))


def _deallocate(ops: list[Any]) -> None:
    owners = buffer_owners(ops)
    made: list[Any] = []
    last_use: dict[Any, int] = {}
    for i, op in enumerate(ops):
        if op.name != "ttnn.constant":
            made += [r for r in op.results if r not in owners]
        for value in (*op.operands, *op.results):
            last_use[owners.get(value, value)] = i
    for value in sorted(made, key=lambda v: last_use[v]):
        if last_use[value] < len(ops) - 1:
            with ir.InsertionPoint(ops[last_use[value] + 1]), ops[last_use[value]].location:
                ir.Operation.create("ttnn.deallocate", operands=[value])

"""Deallocation of each buffer after its last use."""

from ttstack.buffers.aliasing import buffer_owners
from ttstack.buffers.lifetimes import BufferAccesses, last_uses
from ttstack.dialects.placement_attrs import view_sources
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.stages import Stage
from ttstack.passes.ttnn.l1_buffers import CONSTANT, DEALLOCATE


class DeallocateBuffers(
    Pass, name="deallocate", stage=Stage.MEMORY, after={"share-layouts": "it changes the lifetimes of buffers"}
):
    """Insert `ttnn.deallocate` for every buffer that the function creates and does not return."""

    def run(self, module: ir.Module) -> None:
        """Insert them in every function."""
        for function in functions(module):
            _deallocate(body(function))


def _deallocate(ops: list[ir.Operation]) -> None:
    owners = buffer_owners(view_sources(ops))
    last_use = last_uses((BufferAccesses(op.operands, op.results) for op in ops), owners)
    made = [r for op in ops if op.name != CONSTANT for r in op.results if r not in owners]
    for value in sorted(made, key=lambda v: last_use[v]):
        if last_use[value] < len(ops) - 1:
            with ir.InsertionPoint(ops[last_use[value] + 1]), ops[last_use[value]].location:
                ir.Operation.create(DEALLOCATE, operands=[value])

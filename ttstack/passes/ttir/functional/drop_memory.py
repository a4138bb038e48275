"""Removal of the input model's memory placement."""

from ttstack.dialects.built_ops import insert_before
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import functions


class DropMemory(Pass, name="drop-memory"):
    """Replace allocations by empty tensors and layout casts by their operands; remove deallocations."""

    def run(self, module: ir.Module) -> None:
        """Rewrite every function."""
        for function in functions(module):
            for block in function.regions[0].blocks:
                for op in [o.operation for o in block.operations]:
                    _drop(op)


def _drop(op: ir.Operation) -> None:
    match op.name:
        case "ttir.dealloc":
            op.erase()
        case "ttir.ttnn_metal_layout_cast":
            _replace_by(op, op.operands[0])
        case "ttir.alloc":
            with insert_before(op):
                _replace_by(op, ir.Operation.create("ttir.empty", results=[op.results[0].type]).results[0])
        case _:
            pass


def _replace_by(op: ir.Operation, value: ir.Value) -> None:
    op.results[0].replace_all_uses_with(value)
    op.erase()

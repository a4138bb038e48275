"""Copies of buffers as loops, so that no library of the compiler's is linked."""

from ttstack.dialects.built_ops import insert_before
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import ops_of_name


class ExpandCopies(Pass, name="expand-copies"):
    """`memref.copy` becomes a `linalg.copy`, which later becomes loops."""

    def run(self, module: ir.Module) -> None:
        """Replace every copy."""
        from ttstack.mlir import linalg

        for op in ops_of_name(module, "memref.copy"):
            with insert_before(op):
                linalg.copy(op.operands[0], outs=[op.operands[1]])
            op.erase()

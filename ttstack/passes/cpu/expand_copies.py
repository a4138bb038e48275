"""Expands copies of buffers to loops, so that code does not depend on the compiler's runtime library."""

from ttstack.dialects.built_ops import insert_before
from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import ops_of_name


class ExpandCopies(Pass, name="expand-copies"):
    """Replace `memref.copy` by `linalg.copy`."""

    def run(self, module: ir.Module) -> None:
        """Replace every copy."""
        from ttstack.mlir import linalg

        for op in ops_of_name(module, "memref.copy"):
            with insert_before(op):
                linalg.copy(op.operands[0], outs=[op.operands[1]])
            op.erase()

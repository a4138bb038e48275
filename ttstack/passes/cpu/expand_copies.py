"""Copies of buffers as loops, so that no library of the compiler's is linked."""

from ttstack.mlir import ir
from ttstack.passes.base import Pass


class ExpandCopies(Pass, name="expand-copies"):
    """`memref.copy` becomes a `linalg.copy`, which later becomes loops."""

    def run(self, module: ir.Module) -> None:
        """Replace every copy."""
        from ttstack.mlir import linalg

        found: list[ir.Operation] = []

        def visit(op: ir.Operation) -> ir.WalkResult:
            if op.name == "memref.copy":
                found.append(op)
            return ir.WalkResult.ADVANCE

        module.operation.walk(visit)
        for op in found:
            with ir.InsertionPoint(op), op.location:
                linalg.copy(op.operands[0], outs=[op.operands[1]])
            op.erase()

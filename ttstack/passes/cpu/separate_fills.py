"""A fill for each use, so that none is kept and copied."""

from ttstack.mlir import ir
from ttstack.passes.base import Pass


class SeparateFills(Pass, name="separate-fills"):
    """A tensor that is filled with a number and used several times is filled for each use, just before it.

    What equal tensors share, and one use writes to, would be filled once, kept, and copied for each that writes.
    """

    def run(self, module: ir.Module) -> None:
        """Repeat every fill that has several uses."""
        found: list[ir.Operation] = []

        def visit(op: ir.Operation) -> ir.WalkResult:
            if op.name == "linalg.fill" and op.results:
                found.append(op)
            return ir.WalkResult.ADVANCE

        module.operation.walk(visit)
        for fill in found:
            for use in list(fill.results[0].uses)[:-1]:
                with ir.InsertionPoint(use.owner), fill.location:
                    own = fill.clone()
                use.owner.operands[use.operand_number] = own.results[0]

"""A fill for each use, so that none is kept and copied."""

from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import ops_of_name


class SeparateFills(Pass, name="separate-fills"):
    """A tensor that is filled with a number and used several times is filled for each use, just before it.

    What equal tensors share, and one use writes to, would be filled once, kept, and copied for each that writes.
    """

    def run(self, module: ir.Module) -> None:
        """Repeat every fill that has several uses."""
        for fill in ops_of_name(module, "linalg.fill"):
            for use in [use for result in fill.results for use in result.uses][:-1]:
                with ir.InsertionPoint(use.owner), fill.location:
                    own = fill.clone()
                use.owner.operands[use.operand_number] = own.results[0]

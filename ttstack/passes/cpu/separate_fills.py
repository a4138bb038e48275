"""Separate fills for each use, so that no filled buffer is copied."""

from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import ops_of_name


class SeparateFills(Pass, name="separate-fills"):
    """Fill a tensor again for each use, just before the use.

    Otherwise a tensor with several uses, one of which writes to it, would be filled once and copied for each write.
    """

    def run(self, module: ir.Module) -> None:
        """Repeat every fill that has several uses."""
        for fill in ops_of_name(module, "linalg.fill"):
            for use in [use for result in fill.results for use in result.uses][:-1]:
                with ir.InsertionPoint(use.owner), fill.location:
                    own = fill.clone()
                use.owner.operands[use.operand_number] = own.results[0]

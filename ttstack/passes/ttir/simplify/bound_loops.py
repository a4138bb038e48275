"""The largest number of iterations of loops that a condition ends."""

from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.functions import ops_of_name

_BOUND = "max_iterations"


class BoundLoops(Pass, name="bound-loops"):
    """Set the largest number of iterations of loops that a condition ends, unless they have one.

    Predictions count that many. A program whose condition still holds after them ends with an error.
    """

    iterations: int = 1
    """The number."""

    def run(self, module: ir.Module) -> None:
        """Set the attribute on every such loop."""
        number = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), self.iterations)
        for op in ops_of_name(module, "ttir.while"):
            if "condition" in op.attributes and _BOUND not in op.attributes:
                op.attributes[_BOUND] = number

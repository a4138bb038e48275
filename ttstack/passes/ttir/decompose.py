"""Replace ops that the device does not have by ops that it has."""

from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.pattern import apply_patterns
from ttstack.passes.ttir.decompose_attention import ATTENTION
from ttstack.passes.ttir.decompose_collective import collectives
from ttstack.passes.ttir.decompose_movement import MOVEMENT
from ttstack.passes.ttir.decompose_pool import POOLS
from ttstack.passes.ttir.decompose_product import PRODUCTS


class Decompose(Pass, name="decompose"):
    """General contractions become products of permuted and reshaped operands; extents become constants.

    So do the forms that no kernel of the library takes: a bias larger than its product, negative steps and padding,
    dilated average pools, training attention without a batch, and reductions over devices that are no sums.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite every such op."""
        apply_patterns(module, [*PRODUCTS, *MOVEMENT, *POOLS, *ATTENTION, *collectives(module)])

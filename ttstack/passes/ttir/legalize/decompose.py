"""Decomposition of ops without a kernel."""

from ttstack.mlir import ir
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.legalize.decompose_collective import collectives
from ttstack.passes.ttir.legalize.decompose_elements import ELEMENTS
from ttstack.passes.ttir.legalize.decompose_matmul import PRODUCTS
from ttstack.passes.ttir.legalize.decompose_movement import MOVEMENT
from ttstack.passes.ttir.legalize.decompose_norm import MASKS
from ttstack.passes.ttir.legalize.decompose_pool import POOLS
from ttstack.passes.ttir.legalize.decompose_scatter import SCATTERS
from ttstack.passes.ttir.legalize.decompose_training import TRAINING


class Decompose(Pass, name="decompose", stage=Stage.FORMS):
    """Decompose ops without a ttnn kernel, and replace queried dimensions by constants.

    General contractions become matmuls of permuted and reshaped operands. These are decomposed too: a bias larger than
    its matmul, negative steps and padding, einops patterns, windows of elements, dilated average pools, pools with more
    padding than half a window, gradients of another shape, expert routing, minimum and maximum scatters, attention with
    statistics, its gradients, an optimizer's step, and reductions over devices that are not sums. Masks of group norms
    are removed: a kernel that needs one gets a new one.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite every such op."""
        apply_patterns(
            module, [*PRODUCTS, *MOVEMENT, *SCATTERS, *POOLS, *TRAINING, *ELEMENTS, *MASKS, *collectives(module)]
        )

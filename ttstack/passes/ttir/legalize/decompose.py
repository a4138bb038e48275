"""Replace ops that the device does not have by ops that it has."""

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
    """General contractions become products of permuted and reshaped operands; extents become constants.

    So do ops and forms that no kernel of the library takes: a bias larger than its product, negative steps and padding,
    patterns of dimensions, windows of elements, dilated average pools, pools with more padding than half a window,
    gradients of another shape, experts chosen by scores, the extremes of what is scattered, attention with statistics,
    its gradients, an optimizer's step, and reductions over devices that are no sums. Masks of group norms go: where a
    kernel takes one, it is made anew.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite every such op."""
        apply_patterns(
            module, [*PRODUCTS, *MOVEMENT, *SCATTERS, *POOLS, *TRAINING, *ELEMENTS, *MASKS, *collectives(module)]
        )

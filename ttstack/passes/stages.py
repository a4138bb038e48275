"""The stages of `simplify` and `lower`: their order, and the invariant after each."""

from collections.abc import Mapping
from enum import Enum
from typing import TypedDict


class Stage(Enum):
    """A set of passes ordered by their own declarations, then by name.

    `holds` is the invariant of a module after the stage. `cleanup` lists the MLIR passes that end it.
    """

    STATE = "State is in separate buffers, and cache ops write to caches."
    FORMS = "Ops have the forms that later stages match and kernels compute."
    FOLDED = "Ops on constants are constants, and batch norms are in the weights of convolutions."
    UPDATES = "Parameters are updated as matrices, and only in the rows that have gradients."
    ATTENTION = "Decomposed attention and rotary embeddings are single ops, with minimal masks."
    OPERANDS = "Operands of attention and `topk` fill tiles and cores, and running sums are matmuls."
    IMAGES = "Images are matrices of pixels and channels."
    NORMS = "Decomposed norms and biases are single ops; norms without a kernel are decomposed."
    WEIGHTS = "Scales and padding are folded into weights."
    MOVEMENT = "Chains of reshapes and permutations are minimal.", "cse"
    MATMULS = "Pointwise convolutions and column gathers are matmuls; sums of rows are pools."
    FUSION = "Biases, activations and head splits are fused into matmuls and convolutions.", "cse"
    TOKENS = "Projections, time steps and tokens are merged.", "cse"
    PARALLEL = "Matmuls of one operand are merged, and the library's ops split and concatenate heads."
    KERNELS = "Norms, softmax and eltwise ops are fused with their neighbours, and row moves are lookups.", "cse"
    RECURRENCES = "Parallel recurrences are merged, and every matmul fits L1.", "canonicalize", "cse"
    PARAMETERS = "Values that depend only on parameters are parameters."

    LOOKUPS = "Lookups use indices and rows in their stored shapes."
    TABLES = "Lookups in several tables are merged, and sums of bags are matmuls."
    LOOPS = "Compute ops are loops over tiles.", "cse"
    SCHEDULE = "No value is overwritten before its last use."
    PLACEMENT = "Every tensor has a layout, and every op its cores."
    DEVICE = "All ops are ttnn ops.", "canonicalize"
    MEMORY = "Every tensor has an address."

    def __init__(self, holds: str, *cleanup: str) -> None:
        self.holds, self.cleanup = holds, cleanup

    @property
    def title(self) -> str:
        """Its name in reports."""
        return self.name.lower()


_STAGES = tuple(Stage)
SIMPLIFY = _STAGES[: _STAGES.index(Stage.LOOKUPS)]
"""The stages of `simplify`."""
LOWER = _STAGES[_STAGES.index(Stage.LOOKUPS) :]
"""The stages of `lower`."""


class PassOrder(TypedDict, total=False):
    """The order of a pass: keywords of its class, or of `@rewrite`."""

    stage: Stage | tuple[Stage, ...]
    """One stage, or several if it runs again."""
    before: Mapping[str, str]
    """Passes of the same stage that must run later, by name, and why."""
    after: Mapping[str, str]
    """Passes of the same stage that must run earlier, by name, and why."""

"""The stages of `simplify` and `lower`: their order, and what holds after each."""

from collections.abc import Mapping
from enum import Enum
from typing import TypedDict


class Stage(Enum):
    """A set of passes whose order is what they state themselves, and otherwise that of their names.

    `holds` is true of a module after the stage. `cleanup` are the passes of MLIR's own that end it.
    """

    STATE = "State that a function keeps is in buffers of its own, and caches are written by ops on caches."
    FORMS = "Ops have the forms that later stages match and kernels compute."
    FOLDED = "Ops on constants are constants, and batch norms are in the weights of convolutions."
    UPDATES = "Parameters are updated as matrices, and only in the rows that have gradients."
    ATTENTION = "Attention and rotary embeddings that a model spells out are ops, with the least mask."
    OPERANDS = "Operands of attention and `topk` fill tiles and cores, and running sums are matmuls."
    IMAGES = "Images are matrices of pixels and channels."
    NORMS = "Norms and biases that a model spells out are ops; norms without a kernel are spelled out."
    WEIGHTS = "Scales and padding are in weights, and rows keep their order in matmuls."
    MOVEMENT = "As few ops as possible change shapes and order.", "cse"
    MATMULS = "Convolutions of one pixel and gathers of columns are matmuls; sums of rows are pools."
    FUSION = "Matmuls and convolutions compute the biases, activations and heads after them.", "cse"
    TOKENS = "Projections, time steps and tokens are computed together.", "cse"
    PARALLEL = "Matmuls of one operand are one, and heads are split and joined by ops of the library."
    KERNELS = "Norms, softmax and eltwise ops compute what is next to them, and moved rows are looked up.", "cse"
    RECURRENCES = "Recurrences run together, and every matmul fits L1.", "canonicalize", "cse"
    PARAMETERS = "What depends on parameters alone is a parameter."

    LOOKUPS = "Lookups read indices and write rows in the shapes that are stored."
    TABLES = "Lookups in several tables are one, and sums of bags are matmuls."
    LOOPS = "Ops that compute are loops over tiles.", "cse"
    SCHEDULE = "Ops run in an order in which no value is overwritten before its last use."
    PLACEMENT = "Every tensor has a layout, and every op its cores."
    DEVICE = "Ops are ops of the library.", "canonicalize"
    MEMORY = "Every tensor has an address."

    def __init__(self, holds: str, *cleanup: str) -> None:
        self.holds, self.cleanup = holds, cleanup

    @property
    def title(self) -> str:
        """Its name, as reports have it."""
        return self.name.lower()


_STAGES = tuple(Stage)
SIMPLIFY = _STAGES[: _STAGES.index(Stage.LOOKUPS)]
"""The stages of `simplify`."""
LOWER = _STAGES[_STAGES.index(Stage.LOOKUPS) :]
"""The stages of `lower`."""


class PassOrder(TypedDict, total=False):
    """Where a pass runs: keywords of its class, or of `@rewrite`."""

    stage: Stage | tuple[Stage, ...]
    """One stage, or several if it runs again later."""
    before: Mapping[str, str]
    """Passes of the same stage that it comes before, by name, and why."""
    after: Mapping[str, str]
    """Passes of the same stage that it comes after, by name, and why."""

"""The stages of `simplify` and `lower`: their order, and what holds after each."""

from collections.abc import Mapping
from enum import Enum
from typing import TypedDict


class Stage(Enum):
    """A set of passes whose order is what they state themselves, and otherwise that of their names.

    `holds` is true of a module after the stage. `cleanup` are the passes of MLIR's own that end it.
    """

    STATE = "State that a function keeps is in buffers of its own, and caches are written by ops on caches."
    FORMS = "Ops have forms that the patterns of later stages know, and that kernels compute."
    FOLDED = "Nothing is computed that constants, or parameters of a convolution, decide."
    UPDATES = "Parameters are updated by the rows that have gradients, and as matrices."
    ATTENTION = "Attention and rotary embeddings that a model spells out are ops, with the masks that they need."
    OPERANDS = "Attention and `topk` have operands that fill tiles and cores."
    IMAGES = "Images are matrices of pixels and channels."
    NORMS = "Norms and biases are ops if the library has them, and are spelled out if not."
    WEIGHTS = "Scales, padding and order are in weights, as far as they can be before a program runs."
    MOVEMENT = "As few ops as possible change shapes and order."
    MATMULS = "Matmuls take the work of convolutions, gathers and reductions."
    FUSION = "Ops compute biases, activations and heads with the matmuls and convolutions that they belong to.", "cse"
    TOKENS = "Projections, time steps and tokens are computed together.", "cse"
    PARALLEL = "Matmuls of one operand are one, and heads are split and joined by ops of the library."
    KERNELS = "Each of the library's kernels computes as much as it can.", "cse"
    RECURRENCES = "Recurrences run together, and every matmul fits L1.", "canonicalize", "cse"
    PARAMETERS = "What depends on parameters alone is a parameter."

    LOOKUPS = "Lookups read indices and rows as they are stored."
    TABLES = "Lookups of several tables are one."
    LOOPS = "Ops are loops over tiles.", "cse"
    SCHEDULE = "Ops run in an order that overwrites no value in use, each with the grids that it may have."
    PLACEMENT = "Every tensor has a layout, every op its cores."
    DEVICE = "Ops are those of the library.", "canonicalize"
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

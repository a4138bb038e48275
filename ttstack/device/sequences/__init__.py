"""The sequence of library calls for each op, in a file for each family."""

from ttstack.device.sequences.find import call_sequence
from ttstack.device.sequences.sequence import CallSequence, Step
from ttstack.support.modules import import_modules

FAMILIES = import_modules(
    __name__,
    (
        "attention",
        "caches",
        "creation",
        "eltwise",
        "heads",
        "indexing",
        "lookups",
        "matmul",
        "movement",
        "normalization",
        "reduction",
        "rotary",
        "windows",
    ),
)
"""The modules that register sequences, one per family of ops."""

__all__ = [
    "FAMILIES",
    "CallSequence",
    "Step",
    "call_sequence",
]

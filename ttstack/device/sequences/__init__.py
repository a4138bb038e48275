"""What calls each op becomes, a file a family."""

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
"""The modules that register calls, one a family of ops."""

__all__ = [
    "FAMILIES",
    "CallSequence",
    "Step",
    "call_sequence",
]

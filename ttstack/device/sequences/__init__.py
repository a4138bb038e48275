"""What calls each op becomes, a file a family."""

from ttstack.device.sequences import (
    attention,
    caches,
    creation,
    eltwise,
    heads,
    indexing,
    lookups,
    matmul,
    movement,
    normalization,
    reduction,
    rotary,
    windows,
)
from ttstack.device.sequences.call_sequence import CallSequence, Step
from ttstack.device.sequences.find import call_sequence

__all__ = [
    "CallSequence",
    "Step",
    "attention",
    "caches",
    "call_sequence",
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
]

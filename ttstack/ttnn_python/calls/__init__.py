"""The `ttnn` call for each op, by mnemonic: `CALLS`, in a file for each family."""

from ttstack.support.modules import import_modules
from ttstack.ttnn_python.calls.table import CALLS, NO_CALL, PREPARED, PREPARED_WITH_BIAS, Statement

FAMILIES = import_modules(
    __name__,
    (
        "attention",
        "cache",
        "collective",
        "control_flow",
        "conv",
        "creation",
        "eltwise",
        "embedding",
        "indexing",
        "layout",
        "matmul",
        "mesh",
        "normalization",
        "pool",
        "reduction",
        "rotary",
        "shape",
        "sort",
    ),
)
"""The modules that register calls, one per family of ops."""

__all__ = [
    "CALLS",
    "FAMILIES",
    "NO_CALL",
    "PREPARED",
    "PREPARED_WITH_BIAS",
    "Statement",
]

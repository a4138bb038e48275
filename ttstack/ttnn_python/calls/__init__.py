"""The call of `ttnn` for each op, by mnemonic: `CALLS`. A file for each family of ops that needs code."""

from ttstack.support.modules import import_modules
from ttstack.ttnn_python.calls.table import CALLS, NO_CALL, PREPARED, PREPARED_WITH_BIAS, WRITES_FROM_HOST, Statement

FAMILIES = import_modules(
    __name__,
    (
        "attention",
        "cache",
        "collective",
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
"""The modules that register calls, one a family of ops."""

__all__ = [
    "CALLS",
    "FAMILIES",
    "NO_CALL",
    "PREPARED",
    "PREPARED_WITH_BIAS",
    "WRITES_FROM_HOST",
    "Statement",
]

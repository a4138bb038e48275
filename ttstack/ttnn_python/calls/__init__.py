"""The call of `ttnn` for each op, by mnemonic: `CALLS`. A file for each family of ops that needs code."""

from ttstack.ttnn_python.calls import (
    attention,
    cache,
    collective,
    conv,
    creation,
    eltwise,
    embedding,
    indexing,
    layout,
    matmul,
    normalization,
    pool,
    reduction,
    shape,
    sort,
)
from ttstack.ttnn_python.calls.table import CALLS, NO_CALL, PREPARED, WRITES_FROM_HOST, Statement

__all__ = [
    "CALLS",
    "NO_CALL",
    "PREPARED",
    "WRITES_FROM_HOST",
    "Statement",
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
    "normalization",
    "pool",
    "reduction",
    "shape",
    "sort",
]

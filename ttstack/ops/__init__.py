"""Definitions of all ops, shared by every level of the compiler and by the runtime."""

from ttstack.ops.base import OPS, Op
from ttstack.support.modules import import_modules

FAMILIES = import_modules(
    __name__,
    (
        "attention",
        "block_sparse",
        "collective",
        "control_flow",
        "conv",
        "creation",
        "decode",
        "distributed",
        "eltwise",
        "embedding",
        "experts",
        "fourier",
        "generic",
        "indexing",
        "kv_cache",
        "linear_bias",
        "matmul",
        "memory",
        "mesh",
        "moe",
        "normalization",
        "opaque",
        "pool",
        "quantization",
        "reduction",
        "rotary",
        "shape",
        "sort",
        "state",
        "tensor_train",
        "token_exchange",
        "training",
    ),
)

__all__ = ["FAMILIES", "OPS", "Op"]

"""The library's names of ops."""

from functools import lru_cache

from ttstack.device.kernel_class import is_product, is_softmax
from ttstack.ops.base import Op
from ttstack.ops.flash import is_flash
from ttstack.ops.generic import Generic
from ttstack.ops.types import DType

_REDUCTIONS = ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_argmax")
"""Tile ops of reductions whose calls omit the first word."""

_OTHER_NAMES = {
    "div": "divide",
    "right_shift": "bitwise_right_shift",
    "remainder": "fmod",
}
"""Elementwise ops with another name in `ttnn`."""


@lru_cache(4096)
def call_kind(op: Op) -> str:
    """Return the mnemonic of the op that the library runs; for a dispatch that of its nest, empty if unknown."""
    if not isinstance(op, Generic):
        return op.mnemonic
    if op.picks_rows:
        return "embedding"
    if is_flash(op.program):
        return "scaled_dot_product_attention"
    if is_softmax(op):
        return "softmax"
    if is_product(op):
        return "matmul"
    return _of_tiles(op.program.body[0].name) if len(op.program.body) == 1 else ""


def _of_tiles(name: str) -> str:
    if name == "iota":
        return "arange"
    return name.removeprefix("reduce_") if name in _REDUCTIONS else name


def call_name(op: Op) -> str:
    """Return `ttnn`'s name of an elementwise op; bools are stored as real numbers, so their bitwise ops are logical."""
    kind = call_kind(op)
    if kind == "div" and not op.operands[0].dtype.is_float:
        return kind
    if kind.startswith("bitwise_") and op.operands[0].dtype is DType.I1:
        return kind.replace("bitwise", "logical")
    return _OTHER_NAMES.get(kind, kind)

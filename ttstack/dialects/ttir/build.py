"""Short names for the `ttir` ops that passes and frontends write."""

from collections.abc import Sequence
from typing import Any

from ttstack.dialects.base import create
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.types import TensorType


def ttir(
    mnemonic: str, operands: Sequence[ir.Value | None], *, result: TensorType | None = None, **attributes: Any
) -> ir.Value:
    """The first result of a new `ttir` op at the current insertion point."""
    return create("ttir", mnemonic, operands, attributes, results=[] if result is None else [result]).results[0]


def reshaped(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """`value` in another shape; itself where it has that shape."""
    if read_type(value.type).shape == tuple(shape):
        return value
    return ttir("reshape", [value], shape=tuple(shape))


def permuted(value: ir.Value, order: Sequence[int]) -> ir.Value:
    """`value` with its dimensions in another order; itself where that is theirs."""
    if list(order) == list(range(len(order))):
        return value
    return ttir("permute", [value], permutation=tuple(order))

"""Fuse a bias and an activation into the matrix product that they follow."""

from typing import Any

from ttstack.dialects.base import attribute_values, describe, operands_by_place
from ttstack.dialects.ttir.build import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.matmul import ACTIVATIONS, Linear, Matmul
from ttstack.passes.base import Pass
from ttstack.passes.pattern import apply_patterns


class Fuse(Pass, name="fuse"):
    """`matmul + bias` becomes `linear`; a unary op on the only use of either becomes its activation."""

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        activations = [(f"ttir.{name}", _activation) for name in ACTIVATIONS]
        apply_patterns(module, [("ttir.add", _bias), *activations])


def _bias(op: Any) -> list[ir.Value] | None:
    for product, bias in (op.operands, reversed(op.operands)):
        if (found := _product(product)) is None or found.activation or isinstance(found, Linear):
            continue
        shape = read_type(bias.type).shape
        row = all(extent == 1 for extent in shape[:-1]) and read_type(op.results[0].type) == found.results[0]
        if row and shape[-1:] == found.results[0].shape[-1:]:
            attributes = attribute_values(OPS["matmul"], product.owner)
            return [ttir("linear", [*product.owner.operands, bias], **attributes)]
    return None


def _activation(op: Any) -> list[ir.Value] | None:
    value = op.operands[0]
    if (found := _product(value)) is None or found.activation:
        return None
    owner = value.owner
    attributes = attribute_values(type(found), owner) | {"activation": op.name.partition(".")[2]}
    return [ttir(found.mnemonic, operands_by_place(type(found), owner), **attributes)]


def _product(value: ir.Value) -> Matmul | None:
    """The matrix product that only this value's one user sees."""
    owner: Any = value.owner
    if getattr(owner, "name", "") not in ("ttir.matmul", "ttir.linear") or len(list(value.uses)) != 1:
        return None
    found = describe(owner)
    return found if isinstance(found, Matmul) else None

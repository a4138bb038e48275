"""Fuse biases and activations into matrix products, movements of heads into one op, and elementwise ops into norms."""

import math

from ttstack.dialects.base import attribute_values, describe, operands_by_place
from ttstack.dialects.ttir.build import reshaped
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.conv import Convolution
from ttstack.ops.matmul import ACTIVATIONS, Linear, Matmul
from ttstack.ops.movement import Permutation
from ttstack.ops.types import TILE
from ttstack.passes.base import Pass
from ttstack.passes.pattern import apply_patterns, producer
from ttstack.passes.ttir import fuse_gelu, fuse_norm, fuse_reduction, fuse_sigmoid


class Fuse(Pass, name="fuse"):
    """`matmul + bias` becomes `linear`; a unary op on the only use of either or a convolution becomes its activation.

    A reshape and a permutation that split or join heads of whole tiles become one op.
    What a model spells as elementwise ops becomes the op that it is: a mean, softmax, norms, GELU, sigmoid, SiLU.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        activations = [(f"ttir.{name}", _activation) for name in ACTIVATIONS]
        heads = [("ttir.permute", _split_heads), ("ttir.transpose", _split_heads), ("ttir.reshape", _join_heads)]
        families = (fuse_gelu, fuse_norm, fuse_reduction, fuse_sigmoid)
        spelled = [pattern for family in families for pattern in family.PATTERNS]
        apply_patterns(module, [("ttir.add", _bias), *activations, *heads, *spelled])


def _bias(op: ir.Operation) -> list[ir.Value] | None:
    for product, bias in (op.operands, reversed(op.operands)):
        found = _product(product)
        if not isinstance(found, Matmul) or found.activation or isinstance(found, Linear):
            continue
        shape = read_type(bias.type).shape
        row = all(extent == 1 for extent in shape[:-1]) and read_type(op.results[0].type) == found.results[0]
        if row and shape[-1:] == found.results[0].shape[-1:]:
            (a, b), attributes = product.owner.operands, attribute_values(OPS["matmul"], product.owner)
            with product.owner.location:
                return [ttir.linear(a, b, bias, **attributes)]
    return None


def _activation(op: ir.Operation) -> list[ir.Value] | None:
    value = op.operands[0]
    if (found := _product(value)) is None or found.activation:
        return None
    owner = value.owner
    attributes = attribute_values(type(found), owner) | {"activation": op.name.partition(".")[2]}
    with owner.location:
        return [ttir.named(found.mnemonic, *operands_by_place(type(found), owner), **attributes)]


def _split_heads(op: ir.Operation) -> list[ir.Value] | None:
    """[B, S, H * D] as [B, S, H, D], then as [B, H, S, D]; with or without a batch."""
    reshape = op.operands[0].owner
    if not _swaps_heads(op) or not _used_once(op.operands[0], "ttir.reshape"):
        return None
    source, result = reshape.operands[0], read_type(op.results[0].type).shape
    heads, length, width = result[-3:]
    given = read_type(source.type).shape
    if given[-1:] != (heads * width,) or math.prod(given[:-1]) != math.prod(result[:-3]) * length or width % TILE:
        return None
    batched = reshaped(source, (math.prod(result[:-3]), length, heads * width))
    return [reshaped(ttir.split_heads(batched, num_heads=heads), result)]


def _join_heads(op: ir.Operation) -> list[ir.Value] | None:
    """[B, H, S, D] as [B, S, H, D], then as [B, S, H * D]; with or without a batch."""
    value = op.operands[0]
    if not (_used_once(value, "ttir.permute") or _used_once(value, "ttir.transpose")) or not _swaps_heads(value.owner):
        return None
    given, result = read_type(value.type).shape, read_type(op.results[0].type).shape
    length, heads, width = given[-3:]
    if result[-1:] != (heads * width,) or math.prod(given[:-3]) * length != math.prod(result[:-1]) or width % TILE:
        return None
    batched = reshaped(value.owner.operands[0], (math.prod(given[:-3]), heads, length, width))
    return [reshaped(ttir.concatenate_heads(batched), result)]


def _swaps_heads(op: ir.Operation) -> bool:
    permutation = describe(op)
    return isinstance(permutation, Permutation) and permutation.order in ((0, 2, 1, 3), (1, 0, 2))


def _used_once(value: ir.Value, name: str) -> bool:
    return getattr(producer(value), "name", "") == name and len(list(value.uses)) == 1


def _product(value: ir.Value) -> Matmul | Convolution | None:
    """The matrix product or convolution that only this value's one user sees."""
    owner = producer(value)
    if owner is None or owner.name not in _PRODUCTS or len(list(value.uses)) > 1:
        return None
    found = describe(owner)
    return found if isinstance(found, Matmul | Convolution) else None


_PRODUCTS = {f"ttir.{name}" for name, spec in OPS.items() if issubclass(spec, (Matmul, Convolution))}

"""Fusion of biases and activations into matmuls, of head movements into one op, and of elementwise ops into norms."""

import math
from collections.abc import Sequence
from itertools import chain
from typing import Any

from ttstack.dialects.base import attribute_values, definition_of, operands_by_place
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.conv import Convolution
from ttstack.ops.index_map import IndexMap, Part, in_source_order
from ttstack.ops.matmul import ACTIVATIONS, Linear, Matmul
from ttstack.ops.movement import Permutation
from ttstack.ops.types import TILE
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.aliases import VIEWS, unshared_source
from ttstack.passes.ttir.queries.compile_time import is_known
from ttstack.passes.ttir.queries.movement_chain import MOVES, compose, move_alike, moves, rearrange, ways
from ttstack.passes.ttir.queries.producers import is_shared
from ttstack.passes.ttir.recognize import (
    fuse_clamp,
    fuse_erfc,
    fuse_gate,
    fuse_gelu,
    fuse_l2_normalize,
    fuse_norm,
    fuse_reduction,
    fuse_sigmoid,
)


class Fuse(Pass, name="fuse", optional=True, stage=Stage.FUSION):
    """Fuse bias and activation into matmuls and convolutions, and elementwise ops into norms, softmax and GELU.

    A reshape and a permutation that split or concatenate heads of whole tiles become one op. Elementwise ops that
    decompose a mean, softmax, norm, GELU, sigmoid or SiLU become that op. New states of GRUs become one multiplication
    each.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        activations = [(f"ttir.{name}", _activation) for name in ACTIVATIONS]
        heads = [*((name, _split_heads) for name in MOVES), ("ttir.reshape", _join_heads)]
        families = (
            fuse_clamp,
            fuse_erfc,
            fuse_gate,
            fuse_gelu,
            fuse_l2_normalize,
            fuse_norm,
            fuse_reduction,
            fuse_sigmoid,
        )
        spelled = [pattern for family in families for pattern in family.PATTERNS]
        apply_patterns(module, [("ttir.add", _bias), *activations, *heads, *spelled])


class FuseNorms(Pass, name="fuse-norms", optional=True, stage=Stage.NORMS):
    """Fuse elementwise ops and means that compute a norm into one op."""

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        apply_patterns(module, [*fuse_reduction.PATTERNS, *fuse_norm.PATTERNS, *fuse_l2_normalize.PATTERNS])


class FuseBias(Pass, name="fuse-bias", optional=True, stage=Stage.NORMS):
    """Fuse `matmul + bias` into `linear`.

    The bias may be added in another shape, or after columns were permuted, as Flax does for queries, keys and values.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        apply_patterns(module, [("ttir.add", _bias), ("ttir.add", _moved_bias)])


def _bias(op: ir.Operation) -> list[ir.Value] | None:
    result = read_type(op.results[0].type)
    for value, bias in (op.operands, reversed(op.operands)):
        view = pure_producer(value, *VIEWS) if len(list(value.uses)) == 1 else None
        product = value if view is None else view.operands[0]
        definition = _product(product)
        if not isinstance(definition, Matmul) or definition.activation or isinstance(definition, Linear):
            continue
        columns = definition.results[0].shape[-1:]
        if read_type(value.type) == result and columns and _is_row(read_type(bias.type).shape, result.shape, *columns):
            matmul = ir.OpResult(product).owner.operation
            (a, b), attributes = matmul.operands, attribute_values(OPS["matmul"], matmul)
            row = bias if view is None else reshape_to(bias, columns)
            with matmul.location:
                return [reshape_to(ttir.linear(a, b, row, **attributes), result.shape)]
    return None


def _moved_bias(op: ir.Operation) -> list[ir.Value] | None:
    """Move a bias of permuted columns before the permutation, as for Flax's query heads."""
    for value, bias in (op.operands, reversed(op.operands)):
        steps = moves(value)
        moved = compose(steps) if steps and is_known(bias) else None
        if moved is None or read_type(value.type) != read_type(op.results[0].type):
            continue
        product = steps[0].operands[0]
        definition, alone = _product(product), all(not is_shared(v) for v in (product, *(s.results[0] for s in steps)))
        if not isinstance(definition, Matmul) or isinstance(definition, Linear) or definition.activation or not alone:
            continue
        if (row := _as_row(bias, moved, definition.results[0].rank - 1)) is not None:
            matmul = ir.OpResult(product).owner.operation
            a, b = matmul.operands
            with matmul.location:
                linear = ttir.linear(a, b, row, **attribute_values(Matmul, matmul))
            return [move_alike(linear, steps)]
    return None


def _as_row(bias: ir.Value, by: IndexMap, columns: int) -> ir.Value | None:
    """Return one element for each column in the original order; None if the bias differs by row."""
    shape = (*(1,) * (len(by.dims) - read_type(bias.type).rank), *read_type(bias.type).shape)
    wanted = [n if dim and dim[0].axis == columns else 1 for n, dim in zip(by.shape, by.dims, strict=True)]
    parts = [part for part in by.parts if part.axis == columns]
    if list(shape) != wanted or any(len({part.axis == columns for part in dim}) > 1 for dim in by.dims):
        return None
    apart = reshape_to(bias, [part.extent for part in parts])
    return reshape_to(permute_dims(apart, [*map(parts.index, in_source_order(parts))]), (math.prod(shape),))


def _is_row(shape: tuple[int, ...], whole: tuple[int, ...], columns: int) -> bool:
    """Return True if a shape has one element for each column, the last dimensions of `whole`."""
    starts = [i for i in range(len(whole)) if math.prod(whole[i:]) == columns]
    last = max(starts, default=0) - len(whole)
    return bool(starts) and shape[last:] == whole[last:] and all(extent == 1 for extent in shape[:last])


def _activation(op: ir.Operation) -> list[ir.Value] | None:
    """Fuse an activation into the matmul or convolution before it, also through reshapes."""
    value = unshared_source(op.operands[0])
    if (definition := _product(value)) is None or definition.activation or not _takes_activation(definition):
        return None
    owner = ir.OpResult(value).owner.operation
    attributes: dict[str, Any] = attribute_values(type(definition), owner) | {"activation": op.name.partition(".")[2]}
    with owner.location:
        activated = ttir.build(definition.mnemonic, *operands_by_place(type(definition), owner), **attributes)
    return [reshape_to(activated, read_type(op.results[0].type).shape)]


def _split_heads(op: ir.Operation) -> list[ir.Value] | None:
    """Return [.., H * D] as [B, H, S, D], with or without a batch; rows are reordered first if needed."""
    result = read_type(op.results[0].type).shape
    for steps, moved in ways(op.results[0]) if len(result) in _HEADS else ():
        source, (heads, _, width) = steps[0].operands[0], result[-3:]
        last = read_type(source.type).rank - 1
        *batch, across, rows, inside = moved.dims
        outer = tuple(chain.from_iterable(batch))
        cut = across == (Part(last, width, heads),) and inside == (Part(last, 1, width),) and width % TILE == 0
        if cut and all(part.axis != last for part in (*outer, *rows)) and _read_once(steps):
            whole = rearrange(source, IndexMap(moved.source, (outer, rows, (*across, *inside))))
            return [reshape_to(ttir.split_heads(whole, num_heads=heads), result)]
    return None


def _read_once(steps: Sequence[ir.Operation]) -> bool:
    """Return True if only the last of these moves has other uses."""
    return all(len(list(step.results[0].uses)) == 1 for step in steps[:-1])


def _join_heads(op: ir.Operation) -> list[ir.Value] | None:
    """Return [B, H, S, D] as [B, S, H, D], then as [B, S, H * D], with or without a batch."""
    value = op.operands[0]
    if not (_used_once(value, "ttir.permute") or _used_once(value, "ttir.transpose")) or not _swaps_heads(value.owner):
        return None
    shape, result = read_type(value.type).shape, read_type(op.results[0].type).shape
    length, heads, width = shape[-3:]
    if result[-1:] != (heads * width,) or math.prod(shape[:-3]) * length != math.prod(result[:-1]) or width % TILE:
        return None
    batched = reshape_to(value.owner.operands[0], (math.prod(shape[:-3]), heads, length, width))
    return [reshape_to(ttir.concatenate_heads(batched), result)]


def _swaps_heads(op: ir.Operation) -> bool:
    permutation = definition_of(op)
    return isinstance(permutation, Permutation) and permutation.order in ((0, 2, 1, 3), (1, 0, 2))


def _used_once(value: ir.Value, name: str) -> bool:
    return getattr(pure_producer(value), "name", "") == name and len(list(value.uses)) == 1


def _product(value: ir.Value) -> Matmul | Convolution | None:
    """Return the matmul or convolution that computes a value with one use."""
    owner = pure_producer(value)
    if owner is None or owner.name not in _PRODUCTS or len(list(value.uses)) > 1:
        return None
    definition = definition_of(owner)
    return definition if isinstance(definition, Matmul | Convolution) else None


def _takes_activation(definition: Matmul | Convolution) -> bool:
    """Return True if its kernels can fuse an activation; those of batched matmuls cannot."""
    return not isinstance(definition, Matmul) or math.prod(definition.b.shape[:-2]) == 1


_HEADS = (3, 4)
"""Ranks of heads without and with a batch."""

_PRODUCTS = {f"ttir.{name}" for name, spec in OPS.items() if issubclass(spec, (Matmul, Convolution))}

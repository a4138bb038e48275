"""Fuse biases and activations into matrix products, movements of heads into one op, and elementwise ops into norms."""

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
from ttstack.passes.ttir.queries.rearrangement import Rearrangement
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
    """`matmul + bias` becomes `linear`; a unary op on the only use of either or a convolution becomes its activation.

    A reshape and a permutation that split or join heads of whole tiles become one op.
    What a model spells as elementwise ops becomes the op that it is: a mean, softmax, norms, GELU, sigmoid, SiLU. New
    states of GRUs are one product each.
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
    """Norms that a model spells as elementwise ops and means, before movements go between their parts."""

    def run(self, module: ir.Module) -> None:
        """Rewrite to a fixpoint."""
        apply_patterns(module, [*fuse_reduction.PATTERNS, *fuse_norm.PATTERNS, *fuse_l2_normalize.PATTERNS])


class FuseBias(Pass, name="fuse-bias", optional=True, stage=Stage.NORMS):
    """`matmul + bias` becomes `linear`, before parts of either are looked at.

    The bias may be added in another shape, or where columns were moved, as Flax projects queries, keys and values.
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
    """A bias of columns that is added where these were moved, as queries of heads are by Flax: before the moves."""
    for value, bias in (op.operands, reversed(op.operands)):
        steps = moves(value)
        rearrangement = compose(steps) if steps and is_known(bias) else None
        if rearrangement is None or read_type(value.type) != read_type(op.results[0].type):
            continue
        product = steps[0].operands[0]
        definition, alone = _product(product), all(not is_shared(v) for v in (product, *(s.results[0] for s in steps)))
        if not isinstance(definition, Matmul) or isinstance(definition, Linear) or definition.activation or not alone:
            continue
        if (row := _as_row(bias, rearrangement, definition.results[0].rank - 1)) is not None:
            matmul = ir.OpResult(product).owner.operation
            a, b = matmul.operands
            with matmul.location:
                linear = ttir.linear(a, b, row, **attribute_values(Matmul, matmul))
            return [move_alike(linear, steps)]
    return None


def _as_row(bias: ir.Value, by: Rearrangement, columns: int) -> ir.Value | None:
    """One element for each column in the order before they were moved; None where the bias differs by row."""
    shape = (*(1,) * (len(by.dims) - read_type(bias.type).rank), *read_type(bias.type).shape)
    wanted = [math.prod(by.sizes[a] for a in atoms) if atoms[:1] and atoms[0][0] == columns else 1 for atoms in by.dims]
    atoms = [a for dim in by.dims for a in dim if a[0] == columns]
    if list(shape) != wanted or any(len({a[0] == columns for a in dim}) > 1 for dim in by.dims):
        return None
    parts = reshape_to(bias, [by.sizes[a] for a in atoms])
    return reshape_to(permute_dims(parts, [atoms.index(a) for a in sorted(atoms)]), (math.prod(shape),))


def _is_row(shape: tuple[int, ...], whole: tuple[int, ...], columns: int) -> bool:
    """Return True if it has one element for each column, where the last dimensions of the whole are the columns."""
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
    """[.., H * D] as [B, H, S, D], with or without a batch: rows are put in order first where they are not."""
    result = read_type(op.results[0].type).shape
    for steps, rearrangement in ways(op.results[0]) if len(result) in _HEADS else ():
        source, (heads, length, width) = steps[0].operands[0], result[-3:]
        last = read_type(source.type).rank - 1
        *batch, across, rows, inside = rearrangement.dims
        outer = tuple(chain.from_iterable(batch))
        cut = across == ((last, 0),) and inside == ((last, 1),) and width % TILE == 0
        if cut and all(atom[0] != last for atom in (*outer, *rows)) and _read_once(steps):
            matrix = Rearrangement({**rearrangement.sizes, (last,): heads * width}, (outer, rows, ((last,),)))
            whole = rearrange(source, matrix, (math.prod(result[:-3]), length, heads * width))
            return [reshape_to(ttir.split_heads(whole, num_heads=heads), result)]
    return None


def _read_once(steps: Sequence[ir.Operation]) -> bool:
    """Return True if only the last of these moves has other uses."""
    return all(len(list(step.results[0].uses)) == 1 for step in steps[:-1])


def _join_heads(op: ir.Operation) -> list[ir.Value] | None:
    """[B, H, S, D] as [B, S, H, D], then as [B, S, H * D]; with or without a batch."""
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
    """The matrix product or convolution that only this value's one user sees."""
    owner = pure_producer(value)
    if owner is None or owner.name not in _PRODUCTS or len(list(value.uses)) > 1:
        return None
    definition = definition_of(owner)
    return definition if isinstance(definition, Matmul | Convolution) else None


def _takes_activation(definition: Matmul | Convolution) -> bool:
    """Return True if its kernels can fuse an activation; those of batched matmuls cannot."""
    return not isinstance(definition, Matmul) or math.prod(definition.b.shape[:-2]) == 1


_HEADS = (3, 4)
"""Dimensions of heads without a batch, and with one."""

_PRODUCTS = {f"ttir.{name}" for name, spec in OPS.items() if issubclass(spec, (Matmul, Convolution))}

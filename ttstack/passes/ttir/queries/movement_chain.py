"""Chains of reshapes and permutations before a value: what they do together, and the value before them."""

from collections.abc import Collection, Iterator, Sequence

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS, Op
from ttstack.ops.index_map import IndexMap
from ttstack.ops.movement import Permutation
from ttstack.ops.types import TensorType
from ttstack.passes.ttir.queries.aliases import VIEWS
from ttstack.passes.ttir.queries.rearrangement import Rearrangement

PERMUTATIONS = ("ttir.permute", "ttir.transpose")
MOVES = (*VIEWS, *PERMUTATIONS)


def moves(value: ir.Value) -> list[ir.Operation]:
    """List the reshapes and permutations that end with the value, first to last."""
    chain = list[ir.Operation]()
    while (op := pure_producer(value)) is not None and op.name in MOVES:
        chain.insert(0, op)
        value = op.operands[0]
    return chain


def before_moves(value: ir.Value) -> tuple[ir.Value, list[ir.Operation]]:
    """Return the value before its chain, and the chain."""
    chain = moves(value)
    return (chain[0].operands[0] if chain else value), chain


def ways(value: ir.Value) -> Iterator[tuple[list[ir.Operation], Rearrangement]]:
    """The last of these moves and what they do together, as many as possible first."""
    steps = moves(value)
    for start in range(len(steps)):
        if (rearrangement := compose(steps[start:])) is not None:
            yield steps[start:], rearrangement


def chains(value: ir.Value) -> Iterator[list[ir.Operation]]:
    """The last of the moves that end with the value, as many as possible first."""
    steps = moves(value)
    yield from (steps[start:] for start in range(len(steps)))


def compose_map(steps: Sequence[ir.Operation]) -> IndexMap | None:
    """Compose consecutive moves; None if a reshape ends inside of a part that another joined."""
    moved: IndexMap | None = IndexMap.identity(read_type(steps[0].operands[0].type).shape)
    for step in steps:
        moved = None if moved is None else extend_map(moved, step)
    return moved


def extend_map(moved: IndexMap, step: ir.Operation) -> IndexMap | None:
    """A map, then a reshape or permutation; None where a reshape ends inside of a part."""
    if step.name in PERMUTATIONS:
        permutation = definition_of(step)
        assert isinstance(permutation, Permutation)
        return moved.permute(permutation.order)
    return moved.reshape(read_type(step.results[0].type).shape)


def rearrange(value: ir.Value, by: Rearrangement, shape: Sequence[int]) -> ir.Value:
    """A value with its elements in another order, in that shape."""
    if not by.flat or by.keeps_order:
        return reshape_to(value, shape)
    cut, order = _parts(read_type(value.type).shape, by)
    return reshape_to(permute_dims(reshape_to(value, cut), order), shape)


def way(t: TensorType, by: Rearrangement, shape: Sequence[int]) -> list[Op]:
    """The ops with which `rearrange` does it to a tensor of that type."""
    cut, order = (shape, ()) if not by.flat or by.keeps_order else _parts(t.shape, by)
    steps = (("reshape", {"shape": cut}), ("permute", {"permutation": order}), ("reshape", {"shape": tuple(shape)}))
    ops: list[Op] = []
    for mnemonic, attributes in steps:
        if attributes.get("shape") != t.shape and attributes.get("permutation") != ():
            ops.append(OPS[mnemonic].on([t], attributes))
            (t,) = ops[-1].results
    return ops


def _parts(shape: tuple[int, ...], by: Rearrangement) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A shape of the source and a permutation of its axes that does it: as the source is, or with as few as can be."""
    cut, order = by.merge()
    whole = by.in_place(len(shape))
    return (shape, whole) if whole is not None and cut == tuple(n for n in shape if n != 1) else (cut, order)


def after(rearrangement: Rearrangement, step: ir.Operation) -> Rearrangement | None:
    """Apply a reshape or permutation to a rearrangement; None if it would split a part of an axis."""
    if step.name in PERMUTATIONS:
        permutation = definition_of(step)
        assert isinstance(permutation, Permutation)
        return rearrangement.permute(permutation.order)
    return rearrangement.reshape(read_type(step.results[0].type).shape)


def way_there(
    value: ir.Value, wanted: Rearrangement, *, but: Collection[ir.Operation] = ()
) -> list[ir.Operation] | None:
    """The moves by which others have the value with its elements in that order; None where none but these do."""

    def lead(moved: ir.Value, rearrangement: Rearrangement) -> list[ir.Operation] | None:
        for user in (use.owner.operation for use in moved.uses):
            then = after(rearrangement, user) if user.name in MOVES and user not in but else None
            rest = None if then is None else [] if then.flat == wanted.flat else lead(user.results[0], then)
            if rest is not None:
                return [user, *rest]
        return None

    shape = read_type(value.type).shape
    return None if 0 in shape else lead(value, Rearrangement.of(shape))


def before_undone(value: ir.Value, order: Sequence[int]) -> ir.Value | None:
    """Return the source of moves that this permutation undoes, with missing leading dimensions of extent 1.

    Its element type is another where a cast stands among them; of two casts, the first may have rounded.
    """
    shape, steps, casts, source = read_type(value.type).shape, list[ir.Operation](), 0, value
    while (op := pure_producer(source, *MOVES, "ttir.typecast")) is not None and casts < 2:
        if op.name in MOVES:
            steps.insert(0, op)
            rearrangement = compose(steps)
            full = rearrangement and rearrangement.reshape((*(1 for _ in range(len(order) - len(shape))), *shape))
            if full is not None and full.permute(order).keeps_order:
                return op.operands[0]
        source, casts = op.operands[0], casts + (op.name not in MOVES)
    return None


def compose(steps: Sequence[ir.Operation]) -> Rearrangement | None:
    """Compose consecutive moves; None if one splits an axis that another joined from several parts."""
    shape = read_type(steps[0].operands[0].type).shape
    rearrangement = None if 0 in shape else Rearrangement.of(shape)
    for step in steps:
        if rearrangement is None:
            return None
        rearrangement = after(rearrangement, step)
    return rearrangement


def move_alike(value: ir.Value, moves: Sequence[ir.Operation]) -> ir.Value:
    """Build the same reshapes and permutations of another value."""
    for move in moves:
        definition = definition_of(move)
        is_permuted = isinstance(definition, Permutation)
        value = permute_dims(value, definition.order) if is_permuted else reshape_to(value, definition.results[0].shape)
    return value


def moves_unit_dims(op: ir.Operation) -> bool:
    """Return True if an op changes only the positions of unit dimensions."""
    if op.name in VIEWS:
        before, after = (read_type(v.type).shape for v in (op.operands[0], op.results[0]))
        return [n for n in before if n > 1] == [n for n in after if n > 1]
    return op.name in PERMUTATIONS and (moved := moved_dims(op)) == sorted(moved)


def moved_dims(op: ir.Operation) -> list[int]:
    """Return the order of a permutation without its unit dimensions."""
    permutation = definition_of(op)
    assert isinstance(permutation, Permutation)
    return [d for d in permutation.order if permutation.input.shape[d] > 1]


def before_unit_dims(value: ir.Value) -> ir.Value:
    """Return the value before all ops that change only the positions of its unit dimensions."""
    while (op := pure_producer(value)) is not None and moves_unit_dims(op):
        value = op.operands[0]
    return value

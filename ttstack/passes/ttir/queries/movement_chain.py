"""Chains of reshapes and permutations: their combined map and their source."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from ttstack.dialects.base import create, definition_of
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS, Op
from ttstack.ops.index_map import IndexMap, in_source_order
from ttstack.ops.movement import Permutation
from ttstack.ops.types import TensorType
from ttstack.passes.ttir.queries.aliases import VIEWS

PERMUTATIONS = ("ttir.permute", "ttir.transpose")
MOVES = (*VIEWS, *PERMUTATIONS)
Order = tuple[int, ...]
Chain = Sequence[tuple[str, Mapping[str, object]]]
"""Consecutive ops, each by mnemonic and attributes."""


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


def ways(value: ir.Value) -> Iterator[tuple[list[ir.Operation], IndexMap]]:
    """Yield suffixes of these moves and their combined map, longest first."""
    steps = moves(value)
    for start in range(len(steps)):
        if (moved := compose(steps[start:])) is not None:
            yield steps[start:], moved


def compose(steps: Sequence[ir.Operation]) -> IndexMap | None:
    """Compose consecutive moves; None if a reshape ends inside a part of an axis, or if there are no elements."""
    shape = read_type(steps[0].operands[0].type).shape
    moved = None if 0 in shape else IndexMap.identity(shape)
    for step in steps:
        moved = None if moved is None else after(moved, step)
    return moved


def after(moved: IndexMap, step: ir.Operation) -> IndexMap | None:
    """Return a map followed by a reshape or permutation; None if a reshape ends inside a part."""
    if step.name in PERMUTATIONS:
        permutation = definition_of(step)
        assert isinstance(permutation, Permutation)
        return moved.permute(permutation.order)
    return moved.reshape(read_type(step.results[0].type).shape)


def rearrange(value: ir.Value, by: IndexMap) -> ir.Value:
    """Rearrange a value by a map."""
    return build_chain(value, spellings(read_type(value.type), by)[0])


def build_chain(value: ir.Value, ops: Iterable[Op]) -> ir.Value:
    """Build ops, each on the result of the previous one."""
    for op in ops:
        value = create("ttir", op.mnemonic, [value], op.attributes()).results[0]
    return value


@lru_cache(1 << 12)
def spellings(t: TensorType, by: IndexMap) -> tuple[tuple[Op, ...], ...]:
    """List chains of a reshape, a permutation and a reshape that compute a map, simplest first.

    Permutations are of the source's dimensions, of as few dimensions as possible, and of the result's. Fewer dimensions
    need reshapes before and after, which are not views if they change columns.
    """
    if by.keeps_order:
        return (chain_of(t, [("reshape", {"shape": by.shape})]),)
    return tuple(chain_of(t, reshape_permute_reshape(cut, [order], by.shape)) for cut, order in permutations(by))


def permutations(by: IndexMap) -> list[tuple[tuple[int, ...], Order]]:
    """Return shapes of the source, and permutations of these that compute a map."""
    cut, order = by.as_permute
    parts = in_source_order(by.parts)
    apart = tuple(part.extent for part in parts), tuple(parts.index(part) for part in by.parts)
    found = [(cut, order), apart if by.order is None else (by.source, by.order)]
    long = [axis for axis, extent in enumerate(by.source) if extent != 1]
    if cut == tuple(by.source[axis] for axis in long):
        moved = iter(order)
        found.insert(0, (by.source, tuple(long[next(moved)] if n != 1 else axis for axis, n in enumerate(by.source))))
    return list(dict.fromkeys(found))


def reshape_permute_reshape(cut: tuple[int, ...], orders: Iterable[Order], shape: tuple[int, ...]) -> Chain:
    """Return a chain of a reshape, permutations, and a reshape."""
    return [
        ("reshape", {"shape": cut}),
        *(("permute", {"permutation": o}) for o in orders),
        ("reshape", {"shape": shape}),
    ]


def chain_of(t: TensorType, chain: Chain) -> tuple[Op, ...]:
    """Return the ops of a chain on a tensor, without redundant reshapes."""
    ops: list[Op] = []
    for mnemonic, attributes in chain:
        if attributes.get("shape") != t.shape:
            ops.append(OPS[mnemonic].on([t], attributes))
            (t,) = ops[-1].results
    return tuple(ops)


def move_alike(value: ir.Value, moves: Sequence[ir.Operation]) -> ir.Value:
    """Apply the same reshapes and permutations to another value."""
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

"""Dimension orders: each value of a function gets the order with the least total predicted time."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.ttir.build import reshape_to
from ttstack.mlir import ir
from ttstack.ops.index_map import IndexMap
from ttstack.passes.base import Pass
from ttstack.passes.functions import functions
from ttstack.passes.outcomes import APPLIED, SLOWER, count_outcome
from ttstack.passes.rewriting.candidates import LEAST_SHARE_SAVED
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.movement.moving import move_by
from ttstack.passes.ttir.orders.choices import Chooser, OpForm, choosers
from ttstack.passes.ttir.orders.contents import Content, Contents
from ttstack.passes.ttir.orders.moved_values import MovedValues
from ttstack.passes.ttir.orders.placed import placed_ns
from ttstack.passes.ttir.orders.solve import solve

_SURE_SHARE_SAVED = 0.25
"""Larger savings by separate prices are kept without placing the ops together."""
_MOST_AT_ONCE = 120
"""Maximum number of ops in one integer program."""


class AssignDimOrders(
    Pass,
    name="assign-dim-orders",
    optional=True,
    stage=Stage.MATMULS,
    after={
        "time-major": "it needs the original slices of time steps",
        "convolution-by-im2col": "image patches are then rows",
        "distribute-matmul-over-concat": "concatenated columns then have separate matmuls",
        "fold-gather-into-weights": "gathers are then part of weights",
        "pointwise-convolution-to-matmul": "matmuls accept columns in any order",
        "reduce-rows-by-pooling": "sums over pixels are then pools",
    },
):
    """Permute or reshape the dimensions of ops if this removes more data movement than it adds.

    As in XLA's layout assignment, every op states how it commutes with moves (`ttstack.ops.commute`), and an integer
    program chooses the orders of all values that depend on each other. Users of a value in another order move it.
    """

    def run(self, module: ir.Module) -> None:
        """Choose the orders of every function."""
        if (prices := Prices.of(module)) is not None:
            for function in functions(module):
                _assign([op.operation for op in function.regions[0].blocks[0].operations], prices)


def _assign(ops: Sequence[ir.Operation], prices: Prices) -> None:
    contents = Contents(ops)
    found = choosers(ops, contents)
    chosen = {id(chooser): 0 for chooser in found}
    for group, read_outside in _groups(found):
        choices, share_saved = solve(group, read_outside, prices)
        pays = share_saved >= LEAST_SHARE_SAVED
        if pays and (share_saved < _SURE_SHARE_SAVED or _shares_moves(group)):
            pays = placed_ns(group, choices, prices) < placed_ns(group, [0] * len(group), prices)
        count_outcome(APPLIED if pays else SLOWER)
        if pays:
            chosen |= {id(chooser): choice for chooser, choice in zip(group, choices, strict=True)}
    if any(chosen.values()):
        _Rebuild(prices).run(found, [chosen[id(chooser)] for chooser in found])
        replaced = {chooser.op for chooser in found if chosen[id(chooser)] and not chooser.is_copy}
        for op in reversed(ops):
            if (op in replaced or op in contents.moves) and not list(op.results[0].uses):
                op.erase()


def _shares_moves(group: Sequence[Chooser]) -> bool:
    """Return True if one content has uses in several moved orders: moves to one may be part of those to another."""
    reads = ((p.content, o) for c in group for p, o in zip(c.reads, c.choices[0].reads, strict=True))
    moved = {(content.root, order) for content, order in reads if not content.is_known and order != content.orders[0]}
    return len(moved) > len({root for root, _ in moved})


def _groups(found: Sequence[Chooser]) -> list[tuple[list[Chooser], Collection[int]]]:
    """Group the ops whose choices depend on each other, with bounded size, so that time is linear in the number of ops.

    Uses of a group by fixed ops are part of it. Each group comes with the identities of contents that other groups use,
    which keep their order.
    """
    parts = list[tuple[list[Chooser], Collection[int]]]()
    for group in _dependent([c for c in found if len(c.choices) > 1]):
        for part in _cut(group, _MOST_AT_ONCE):
            inside = {id(chooser) for chooser in part}
            others = (chooser for chooser in group if id(chooser) not in inside)
            parts.append(([*part], {id(place.content) for chooser in others for place in chooser.reads}))
    numbers = {
        content.root: i
        for i, (part, _) in enumerate(parts)
        for c in part
        for content in (c.makes, *(place.content for place in c.reads))
        if content is not None and not content.is_known
    }
    for chooser in found:
        if len(chooser.choices) == 1:
            read = [numbers.get(place.content.root) for place in chooser.reads]
            for number in dict.fromkeys(n for n in read if n is not None):
                parts[number][0].append(_reader(chooser, [i for i, n in enumerate(read) if n == number]))
    return parts


def _dependent(free: Sequence[Chooser]) -> Collection[list[Chooser]]:
    """Group the ops that produce and use contents with several orders."""
    parent = {id(c): id(c) for c in free}

    def root(key: int) -> int:
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    makers = {id(c.makes): c for c in free if c.makes is not None and len({choice.makes for choice in c.choices}) > 1}
    for chooser in free:
        for place in chooser.reads:
            if (maker := makers.get(id(place.content))) is not None:
                parent[root(id(chooser))] = root(id(maker))
    groups: dict[int, list[Chooser]] = {}
    for chooser in free:
        groups.setdefault(root(id(chooser)), []).append(chooser)
    return groups.values()


def _reader(chooser: Chooser, places: Sequence[int]) -> Chooser:
    """Return the uses of a fixed op at some positions."""
    reads = tuple(chooser.reads[i] for i in places)
    form = OpForm(None, tuple(chooser.choices[0].reads[i] for i in places), None)
    return replace(chooser, described=None, is_copy=False, reads=reads, makes=None, choices=[form])


def _cut(group: Sequence[Chooser], most: int) -> Iterator[Sequence[Chooser]]:
    """Split a group into parts of equal length, at most `most`."""
    count = -(-len(group) // most)
    length = -(-len(group) // count)
    yield from (group[begin : begin + length] for begin in range(0, len(group), length))


class _Rebuild:
    """Builds the chosen forms, each before the op that it replaces."""

    def __init__(self, prices: Prices) -> None:
        self._values = MovedValues(move_by, prices)
        self._changed: set[int] = set()
        """Identities of contents that are now produced in other orders, or by other ops."""

    def run(self, found: Sequence[Chooser], chosen: Sequence[int]) -> None:
        """Build the ops of a block in order, each with its choice."""
        for chooser, number in zip(found, chosen, strict=True):
            choice = chooser.choices[number]
            with insert_before(chooser.op):
                if chooser.is_copy:
                    self._copy(chooser, choice.reads[0], is_changed=number != 0)
                elif choice.moved is None:
                    self._read_anew(chooser)
                else:
                    assert chooser.makes is not None
                    assert choice.makes is not None
                    reads = zip(chooser.reads, choice.reads, strict=True)
                    result = chooser.build(choice, [self._value(place.content, order) for place, order in reads])
                    self._changed.add(id(chooser.makes))
                    self._values.add(chooser.makes, choice.makes, result)

    def _copy(self, chooser: Chooser, order: IndexMap, *, is_changed: bool) -> None:
        (source,), copy = chooser.reads, chooser.makes
        assert copy is not None
        if is_changed or id(source.content) in self._changed:
            self._changed.add(id(copy))
            self._values.add(copy, order, self._value(source.content, order))

    def _read_anew(self, chooser: Chooser) -> None:
        """Move the operands of a fixed op to the orders that it reads."""
        for i, (place, order) in enumerate(zip(chooser.reads, chooser.choices[0].reads, strict=True)):
            if id(place.content) in self._changed:
                value = self._value(place.content, order)
                chooser.op.operands[i] = reshape_to(value, place.map.shape)

    def _value(self, content: Content, order: IndexMap) -> ir.Value:
        """Return the content in an order."""
        if not self._values.has(content):
            self._values.add(content, content.orders[0], content.root)
        return self._values.value(content, order)

"""The predicted time of a group of ops in given orders, placed together to account for results that stay in L1."""

from collections.abc import Iterator, Sequence
from functools import partial

from ttstack.dialects.ttir.build import reshape_to
from ttstack.mlir import ir
from ttstack.ops.index_map import IndexMap
from ttstack.ops.types import TensorType
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.movement.canonicalize_movement import CanonicalizeMovement
from ttstack.passes.ttir.movement.moving import move_fastest
from ttstack.passes.ttir.orders.choices import Chooser, OpForm, ordered
from ttstack.passes.ttir.orders.contents import Content
from ttstack.passes.ttir.orders.moved_values import MovedValues

_Argument = tuple[int, TensorType]
"""A content by its id, in the type that the group uses."""


def placed_ns(group: Sequence[Chooser], choices: Sequence[int], prices: Prices) -> float:
    """Return the predicted nanoseconds of a group with these choices; infinity if it does not fit."""
    return _Region([(c, c.choices[i]) for c, i in zip(group, choices, strict=True)], prices).ns()


class _Region:
    """The ops of a group and the moves of their operands, as a separate function."""

    def __init__(self, forms: Sequence[tuple[Chooser, OpForm]], prices: Prices) -> None:
        self._forms, self._prices = forms, prices
        computed = {id(c.makes) for c, _ in forms if c.makes is not None and (c.is_copy or c.described is not None)}
        self._arguments: dict[_Argument, bool] = {}
        """Arguments from outside, and whether their elements are compile-time constants."""
        for chooser, form in forms:
            for place, t in zip(chooser.reads, _operands(chooser, form), strict=True):
                if id(place.content) not in computed:
                    self._arguments[_argument(place.content, t)] = place.content.is_known
        self._values = MovedValues(move_fastest, prices)

    def ns(self) -> float:
        """Return the predicted nanoseconds, after later rewrites of moves."""
        stored = [i for i, is_known in enumerate(self._arguments.values()) if is_known]
        steps = [partial(CanonicalizeMovement().apply, prices=self._prices)]
        return self._prices.of_region([t for _, t in self._arguments], self._build, stored=stored, steps=steps)

    def _build(self, arguments: Sequence[ir.Value]) -> list[ir.Value]:
        given, results = dict(zip(self._arguments, arguments, strict=True)), list[ir.Value]()
        read = {id(place.content) for chooser, _ in self._forms for place in chooser.reads}
        for chooser, form in self._forms:
            types = _operands(chooser, form)
            operands = [
                self._operand(place.content, order, t, given)
                for place, order, t in zip(chooser.reads, form.reads, types, strict=True)
            ]
            if chooser.is_copy or (chooser.described is not None and chooser.makes is not None):
                assert chooser.makes is not None
                assert form.makes is not None
                value = operands[0] if chooser.is_copy else chooser.build(form, operands)
                self._values.add(chooser.makes, form.makes, value)
                if id(chooser.makes) not in read:
                    results.append(value)
            else:
                results += operands
        return [value for value in dict.fromkeys(results) if value not in arguments]

    def _operand(self, content: Content, order: IndexMap, t: TensorType, given: dict[_Argument, ir.Value]) -> ir.Value:
        if content.is_known:
            return given[_argument(content, t)]
        if not self._values.has(content):
            self._values.add(content, content.orders[0], given[_argument(content, t)])
        return reshape_to(self._values.value(content, order), t.shape)


def _operands(chooser: Chooser, form: OpForm) -> Iterator[TensorType]:
    """Yield the types of the operands of a form."""
    if form.moved is not None:
        yield from form.moved.op.operands
    elif chooser.described is not None:
        yield from chooser.described.operands
    else:
        yield from (ordered(place.content, order) for place, order in zip(chooser.reads, form.reads, strict=True))


def _argument(content: Content, t: TensorType) -> _Argument:
    return id(content), t if content.is_known else ordered(content, content.orders[0])

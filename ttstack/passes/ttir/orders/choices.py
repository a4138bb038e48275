"""The choices of each op of a function: the same op on operands in other orders."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ttstack.dialects.base import create, definition, definition_of, operands_by_place
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.mlir import ir
from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.base import Op
from ttstack.ops.commute import RESULT, MovedOp, commute
from ttstack.ops.index_map import IndexMap, Part, in_source_order
from ttstack.ops.matmul import Matmul
from ttstack.ops.types import TensorType
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.orders.contents import Content, Contents, MovedContent, normalize, uses

_MOST_ORDERS = 6
"""Maximum number of orders of one content."""
_MOST_CHOICES = 8
"""Maximum number of forms of one op."""
_ROUNDS = 2
"""Number of forward and backward propagations of orders."""


_MATRICES = 3
"""Maximum number of matrix operands of matmuls and attention."""


@dataclass(frozen=True)
class OpForm:
    """A form of an op: the orders of the contents that it reads and produces."""

    moved: MovedOp | None
    """None for the unchanged op."""
    reads: tuple[IndexMap, ...]
    makes: IndexMap | None
    """None if the op produces several values, none, or an overwritten one."""


@dataclass
class Chooser:
    """An op that is not a move, and its choices; the first is the unchanged op."""

    op: ir.Operation
    """The op; for several users of one order, the first of these."""
    described: Op | None
    """None for a fixed op."""
    reads: tuple[MovedContent, ...]
    makes: Content | None
    choices: list[OpForm] = field(default_factory=list[OpForm])
    is_copy: bool = False
    """Whether it only moves a content for several users."""
    tried: set[tuple[int, IndexMap]] = field(default_factory=set[tuple[int, IndexMap]])
    """The orders of operands and of the result for which forms were generated."""

    def add(self, choice: OpForm) -> bool:
        """Add a choice; return False if it exists, or if there are enough."""
        seen = any(c.reads == choice.reads and c.makes == choice.makes for c in self.choices)
        if seen or len(self.choices) >= _MOST_CHOICES:
            return False
        self.choices.append(choice)
        return True

    def ns(self, choice: OpForm, prices: Prices) -> float:
        """Return the predicted nanoseconds of a choice; 0 for fixed ops."""
        if self.described is None:
            return 0.0
        return prices.latency_of(self.described if choice.moved is None else choice.moved.op)

    def build(self, choice: OpForm, operands: Iterable[ir.Value]) -> ir.Value:
        """Build a form of the op from operands with as many elements, in their order."""
        op = self.described if choice.moved is None else choice.moved.op
        assert op is not None
        values = (reshape_to(v, t.shape) for v, t in zip(operands, op.operands, strict=True))
        places = [v and next(values) for v in operands_by_place(type(op), self.op)]
        return create("ttir", op.mnemonic, places, op.attributes(), results=op.results).results[0]


def choosers(ops: Sequence[ir.Operation], contents: Contents) -> list[Chooser]:
    """List the ops of a block that are not moves, with all forms whose operand and result orders occur."""
    block = {*ops}
    found = [_chooser(op, contents, block) for op in ops if op not in contents.moves]
    found = [*_with_copies(found)]
    for chooser in found:
        for place, order in zip(chooser.reads, chooser.choices[0].reads, strict=True):
            _note(place.content, order)
    for _ in range(_ROUNDS):
        changed = [_widen(chooser) for chooser in (*found, *reversed(found))]
        if not any(changed):
            break
    for chooser in found:
        if chooser.is_copy and chooser.makes is not None:
            chooser.choices += [
                OpForm(None, (order,), order) for order in chooser.makes.orders if order != chooser.choices[0].makes
            ]
    return found


def _chooser(op: ir.Operation, contents: Contents, block: set[ir.Operation]) -> Chooser:
    places = tuple(contents.of(v) for v in op.operands)
    is_pure = len(op.results) == 1 and definition(op) is not None and pure_producer(op.results[0]) is not None
    makes = contents.of(op.results[0]).content if is_pure else None
    reads = tuple(normalize(place.map) for place in places)
    is_open = makes is not None and not makes.is_known and not len(op.regions)
    is_open = is_open and all(user in block for user, _ in uses(op.results[0], contents))
    chooser = Chooser(op, definition_of(op) if is_open else None, places, makes)
    chooser.choices.append(OpForm(None, reads, makes.orders[0] if makes else None))
    return chooser


def _with_copies(found: Sequence[Chooser]) -> Iterator[Chooser]:
    """Yield a copy before the first of several uses of a content in one moved order, so that it is moved once."""
    reads = Counter((id(p.content), o) for c in found for p, o in zip(c.reads, c.choices[0].reads, strict=True))
    copies: dict[tuple[int, IndexMap], Content] = {}
    for chooser in found:
        places: list[MovedContent] = []
        for place, order in zip(chooser.reads, chooser.choices[0].reads, strict=True):
            content, key = place.content, (id(place.content), order)
            if reads[key] == 1 or content.is_known or order == content.orders[0]:
                places.append(place)
                continue
            if key not in copies:
                copies[key] = Content(content.root, is_known=False, orders=content.orders)
                copy = Chooser(chooser.op, None, (MovedContent(content, place.map),), copies[key], is_copy=True)
                copy.choices.append(OpForm(None, (order,), order))
                yield copy
            places.append(MovedContent(copies[key], place.map))
        yield replace(chooser, reads=tuple(places))


def _note(content: Content, order: IndexMap) -> bool:
    """Add an order of a content; return False if there are enough others."""
    if order in content.orders:
        return True
    if len(content.orders) < _MOST_ORDERS:
        content.orders.append(order)
    return order in content.orders


def _widen(chooser: Chooser) -> bool:
    """Add the forms for all orders of operands and result, and the orders that these need."""
    if chooser.described is None or chooser.makes is None:
        return False
    changed = False
    for moved in _moved(chooser, chooser.described, chooser.makes):
        choice = _choice(chooser, moved)
        if choice is None or choice.makes is None or not _note(chooser.makes, choice.makes):
            continue
        if chooser.add(choice):
            changed = True
            for place, order in zip(chooser.reads, choice.reads, strict=True):
                _note(place.content, order)
    return changed


def _moved(chooser: Chooser, op: Op, makes: Content) -> Iterator[MovedOp]:
    """Yield the forms for new orders of operands and of the result."""
    for position, place in enumerate(chooser.reads):
        if not place.content.is_known:
            for order in _new(chooser, position, [*place.content.orders, *_natural(op, chooser, position)]):
                if (by := place.map.inverse.then(order)) is not None:
                    yield from _with_rows(op, position, by)
    for order in _new(chooser, RESULT, [*makes.orders]):
        yield from _with_rows(op, RESULT, order)


def _new(chooser: Chooser, position: int, orders: Sequence[IndexMap]) -> list[IndexMap]:
    new = [order for order in orders if (position, order) not in chooser.tried]
    chooser.tried.update((position, order) for order in new)
    return new


def _with_rows(op: Op, place: int, by: IndexMap) -> Iterator[MovedOp]:
    """Yield the form for an order; for a matmul also with only rows in that order, and with merged rows."""
    orders = [by]
    if isinstance(op, Matmul) and place in (0, RESULT) and len(by.source) > 1 and not op.transpose_a:
        columns = (Part(len(by.source) - 1, 1, by.source[-1]),)
        rows = [tuple(part for part in dim if part.axis != columns[0].axis) for dim in by.dims]
        flat = tuple(part for dim in IndexMap.identity(by.source).dims[:-1] for part in dim)
        orders += [IndexMap(by.source, (*(dim for dim in rows if dim), columns)), IndexMap(by.source, (flat, columns))]
    for order in orders:
        if (moved := commute(op, place, order)) is not None:
            yield moved


def _natural(op: Op, chooser: Chooser, position: int) -> Iterator[IndexMap]:
    """Yield the order of an operand whose free dimensions are in the root's order.

    Free are columns multiplied by a constant matrix, and dimensions whose parts are computed separately.
    """
    order = chooser.choices[0].reads[position]
    *lead, rows, columns = order.dims
    if isinstance(op, Matmul) and position == 0 and chooser.reads[1].content.is_known:
        yield IndexMap(order.source, (*lead, rows, in_source_order(columns)))
    elif isinstance(op, Matmul | ScaledDotProductAttention) and position < _MATRICES:
        parts = in_source_order(part for dim in lead for part in dim)
        yield IndexMap(order.source, (*((part,) for part in parts), rows, columns))


def _choice(chooser: Chooser, moved: MovedOp) -> OpForm | None:
    reads = [place.map.then(by) for place, by in zip(chooser.reads, moved.operands, strict=True)]
    if None in reads:
        return None
    orders = tuple(normalize(order) for order in reads if order is not None)
    return OpForm(moved, orders, normalize(moved.result))


def ordered(content: Content, order: IndexMap) -> TensorType:
    """Return the type of a content in an order."""
    return TensorType(order.shape, content.dtype)

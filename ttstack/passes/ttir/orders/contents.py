"""Values that hold the same elements: what is left of a function where moves are no ops, but maps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.index_map import IndexMap
from ttstack.ops.types import ElementType
from ttstack.passes.ttir.queries.compile_time import parameters
from ttstack.passes.ttir.queries.movement_chain import MOVES, extend_map


@dataclass
class Content:
    """Elements that several values hold in different orders and shapes."""

    root: ir.Value
    """The value before all moves."""
    is_known: bool
    """Whether the elements are known before the program runs: to move them takes no time then."""
    orders: list[IndexMap] = field(default_factory=list[IndexMap])
    """The orders in which it is made or read, from the root's dimensions; the first is the root's own."""

    @property
    def dtype(self) -> ElementType:
        """The element type."""
        return read_type(self.root.type).dtype


@dataclass(frozen=True)
class MovedContent:
    """A value as a content, and how its elements are moved from the content's root."""

    content: Content
    map: IndexMap


class Contents:
    """The content of each value of a block."""

    def __init__(self, ops: Sequence[ir.Operation]) -> None:
        self._known = parameters()
        self._places: dict[ir.Value, MovedContent] = {}
        self.moves = {op for op in ops if self._follow(op)}
        """Ops that are a part of maps."""

    def of(self, value: ir.Value) -> MovedContent:
        """The place of a value; the root of a content of its own where no move made it."""
        if value not in self._places:
            identity = IndexMap.identity(read_type(value.type).shape)
            self._places[value] = MovedContent(
                Content(value, self._known.about(value) is not None, [normalize(identity)]), identity
            )
        return self._places[value]

    def _follow(self, op: ir.Operation) -> bool:
        """Note where the result of a move has its elements from; return False for other ops."""
        if op.name not in MOVES or pure_producer(op.results[0]) is None or 0 in read_type(op.operands[0].type).shape:
            return False
        source = self.of(op.operands[0])
        moved = extend_map(source.map, op)
        if moved is None:
            return False
        self._places[op.results[0]] = MovedContent(source.content, moved)
        return True


def normalize(map_: IndexMap) -> IndexMap:
    """The same without dimensions of extent 1 that cost nothing: all but the rows and columns of tiles."""
    *lead, rows, columns = ((), (), *map_.dims)
    return IndexMap(map_.source, (*(dim for dim in lead if dim), rows, columns))


def uses(value: ir.Value, contents: Contents) -> Iterator[tuple[ir.Operation, int]]:
    """Yield the ops that read a value's elements, behind moves, and the number of the operand."""
    for use in value.uses:
        reader = use.owner.operation
        if reader in contents.moves:
            yield from uses(reader.results[0], contents)
        else:
            yield reader, use.operand_number

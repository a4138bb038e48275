"""Values with the same elements: moves of a function as maps instead of ops."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ttstack.dialects.ttir.destination import pure_producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.index_map import IndexMap
from ttstack.ops.types import ElementType
from ttstack.passes.ttir.queries.compile_time import parameters
from ttstack.passes.ttir.queries.movement_chain import MOVES, after


@dataclass
class Content:
    """Elements that several values have in different orders and shapes."""

    root: ir.Value
    """The value before all moves."""
    is_known: bool
    """Whether the elements are compile-time constants, whose moves take no time."""
    orders: list[IndexMap] = field(default_factory=list[IndexMap])
    """The orders in which it is produced or read, as maps from the root; the first is the identity."""

    @property
    def dtype(self) -> ElementType:
        """The element type."""
        return read_type(self.root.type).dtype


@dataclass(frozen=True)
class MovedContent:
    """A value as a content, and the map from the content's root."""

    content: Content
    map: IndexMap


class Contents:
    """The content of each value of a block."""

    def __init__(self, ops: Sequence[ir.Operation]) -> None:
        self._known = parameters()
        self._places: dict[ir.Value, MovedContent] = {}
        self.moves = {op for op in ops if self._follow(op)}
        """Ops that became maps."""

    def of(self, value: ir.Value) -> MovedContent:
        """Return the content and map of a value; it is its own root if no move produces it."""
        if value not in self._places:
            identity = IndexMap.identity(read_type(value.type).shape)
            self._places[value] = MovedContent(
                Content(value, self._known.about(value) is not None, [normalize(identity)]), identity
            )
        return self._places[value]

    def _follow(self, op: ir.Operation) -> bool:
        """Record the map of a move's result; return False for other ops."""
        if op.name not in MOVES or pure_producer(op.results[0]) is None or 0 in read_type(op.operands[0].type).shape:
            return False
        source = self.of(op.operands[0])
        moved = after(source.map, op)
        if moved is None:
            return False
        self._places[op.results[0]] = MovedContent(source.content, moved)
        return True


def normalize(map_: IndexMap) -> IndexMap:
    """Remove unit dimensions from a map, except for rows and columns of tiles."""
    *lead, rows, columns = ((), (), *map_.dims)
    return IndexMap(map_.source, (*(dim for dim in lead if dim), rows, columns))


def uses(value: ir.Value, contents: Contents) -> Iterator[tuple[ir.Operation, int]]:
    """Yield the ops that use a value's elements through moves, and the operand position."""
    for use in value.uses:
        reader = use.owner.operation
        if reader in contents.moves:
            yield from uses(reader.results[0], contents)
        else:
            yield reader, use.operand_number

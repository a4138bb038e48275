"""Contents in the orders in which values of them were made: another order is moved from the nearest of these."""

from collections.abc import Callable

from ttstack.dialects.ttir.build import reshape_to
from ttstack.mlir import ir
from ttstack.ops.index_map import IndexMap
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.orders.choices import ordered
from ttstack.passes.ttir.orders.contents import Content
from ttstack.passes.ttir.orders.moving import moving_ns


class MovedValues:
    """Values of contents, by order, that ops at the insertion point may read."""

    def __init__(self, move: Callable[[ir.Value, IndexMap, Prices], ir.Value], prices: Prices) -> None:
        self._move, self._prices = move, prices
        self._values: dict[ir.Value, dict[IndexMap, ir.Value]] = {}

    def add(self, content: Content, order: IndexMap, value: ir.Value) -> None:
        """Note a value of a content in an order."""
        self._values.setdefault(content.root, {})[order] = reshape_to(value, order.shape)

    def has(self, content: Content) -> bool:
        """Return True if there is a value of the content."""
        return content.root in self._values

    def value(self, content: Content, order: IndexMap) -> ir.Value:
        """The content in an order, of which there is a value in some order."""
        values = self._values[content.root]
        if order not in values:
            ways = [(have, by) for have in values if (by := have.inverse.then(order)) is not None]
            if ways:
                have, by = min(ways, key=lambda way: moving_ns(ordered(content, way[0]), way[1], self._prices))
                values[order] = self._move(values[have], by, self._prices)
            else:
                have = next(iter(values))
                back = self._move(values[have], have.inverse, self._prices)
                values[order] = self._move(back, order, self._prices)
        return values[order]

"""The orders in which values of a content exist; other orders are moved from the nearest one."""

from collections.abc import Callable

from ttstack.dialects.ttir.build import reshape_to
from ttstack.mlir import ir
from ttstack.ops.index_map import IndexMap
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.movement.moving import moving_ns
from ttstack.passes.ttir.orders.choices import ordered
from ttstack.passes.ttir.orders.contents import Content


class MovedValues:
    """Values of contents, by order, that are available at the insertion point."""

    def __init__(self, move: Callable[[ir.Value, IndexMap, Prices], ir.Value], prices: Prices) -> None:
        self._move, self._prices = move, prices
        self._values: dict[ir.Value, dict[IndexMap, ir.Value]] = {}

    def add(self, content: Content, order: IndexMap, value: ir.Value) -> None:
        """Record a value of a content in an order."""
        self._values.setdefault(content.root, {})[order] = reshape_to(value, order.shape)

    def has(self, content: Content) -> bool:
        """Return True if there is a value of the content."""
        return content.root in self._values

    def value(self, content: Content, order: IndexMap) -> ir.Value:
        """Return the content in an order, moved from an existing value."""
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

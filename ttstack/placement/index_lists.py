"""Lists of indices: values that only lookups read, directly or after concats and additions, stay in rows."""

from collections.abc import Callable

from ttstack.ops.base import Op
from ttstack.ops.shape import Concat
from ttstack.placement.graph import Graph, Node

Positions = Callable[[Op], frozenset[int]]
"""Function from an op to the operands that it reads in some way."""


def read_as_rows(graph: Graph) -> frozenset[int]:
    """Return the values in row-major layout, because ops read them so directly or through ops that keep rows."""
    return _only_read(graph, lambda op: op.host_operands)


def read_without_sign(graph: Graph) -> frozenset[int]:
    """Return the values that have no sign, likewise."""
    return _only_read(graph, lambda op: op.unsigned_operands)


def _only_read(graph: Graph, positions: Positions) -> frozenset[int]:
    """Return the values that come only from arguments and are only read at these positions."""
    left = {v for v, users in graph.users.items() if users and v not in graph.loop_values}
    previous: set[int] = set()
    while previous != left:
        previous, left = left, {v for v in left if _is_only_read(graph, v, left, positions)}
    return frozenset(previous)


def _is_only_read(graph: Graph, value: int, others: set[int], positions: Positions) -> bool:
    maker = graph.nodes[graph.makers[value]] if value in graph.makers else None
    if maker and (value in graph.outputs or not _keeps_rows(graph, maker) or not others.issuperset(maker.operands)):
        return False
    return all(
        position in positions(node.op) or (_keeps_rows(graph, node) and others.issuperset(node.results))
        for node, position in graph.users[value]
    )


def _keeps_rows(graph: Graph, node: Node) -> bool:
    """Return True if the node makes rows of unchanged rows: views, concatenated tensors, and sums of equal shapes."""
    op = node.op
    if isinstance(op, Concat):
        return op.dim % op.results[0].rank != op.results[0].rank - 1
    if op.nest is not None and [tile_op.name for tile_op in op.nest.body] == ["add"]:
        return not op.results[0].dtype.is_float and len({t.shape for t in (*op.operands, *op.results)}) == 1
    return graph.is_view(node)

"""Values that a model's host code would compute: they keep the source's format on any device."""

from ttstack.device.kernel_class import is_softmax
from ttstack.ops.base import Op
from ttstack.ops.generic import Generic
from ttstack.placement.element_values import element_nest
from ttstack.placement.graph import Graph, Node

_FAMILIES = frozenset({"eltwise", "shape", "reduction", "creation"})
"""Files of ops that take operands of any formats together; the library's others take those of the device's formats."""


def host_values(graph: Graph) -> frozenset[int]:
    """Return buffers of scalars, and of values that depend on neither inputs nor weights.

    A scalar has one element. Constants of the program are among them, and so are tables made of positions, also where
    a row of weights, such as frequencies, enters one that is larger. What any op reads that takes tensors of the
    device's formats alone, as products of matrices do, is none.
    """
    on_host = {v for v in graph.arguments if graph.values[v].size == 1 or _is_constant(graph, v)}
    for node in graph.nodes:
        rows = _rows_of_weights(graph, node, on_host)
        if takes_any_format(node.op) and all(v in on_host or v in rows for v in node.operands):
            on_host.update(node.results, rows)
    kept = on_host - {v for v in on_host if graph.values[v].size > 1 and not _only_in(graph, v)}
    lost = {graph.owner[v] for v in on_host - kept}
    return frozenset(v for v in kept if graph.owner[v] == v and v not in lost)


def _is_constant(graph: Graph, value: int) -> bool:
    """Return True if the value is an argument of the graph, but not of the function."""
    return value in graph.parameters and graph.arguments.index(value) >= len(graph.names)


def _rows_of_weights(graph: Graph, node: Node, on_host: set[int]) -> set[int]:
    """Return the weights with no other use that are concatenated with host values to a larger table."""
    largest = max((graph.values[v].size for v in node.operands if v in on_host), default=1)
    if largest == 1 or not node.results:
        return set()
    size = graph.values[node.results[0]].size
    weights = set(node.operands) & set(graph.parameters) - on_host
    return {v for v in weights if graph.values[v].size < size and len(graph.users[v]) == 1}


def takes_any_format(op: Op) -> bool:
    """Return True for an op whose operands and results can have different formats."""
    if isinstance(op, Generic):
        return element_nest(op) is not None or is_softmax(op)
    return op.family in _FAMILIES and op.pure


def _only_in(graph: Graph, value: int) -> bool:
    return all(takes_any_format(node.op) for node, _ in graph.users[value])

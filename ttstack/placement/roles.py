"""Roles of tensors and ops in a model, which decide their precision."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from ttstack.device.kernel_class import divides_rows, is_attention, is_contraction, is_product, is_softmax
from ttstack.ops.base import Op
from ttstack.ops.matmul import ACTIVATIONS
from ttstack.placement.element_values import element_nest
from ttstack.placement.graph import Graph, Node


class Role(StrEnum):
    """Role of a tensor in a model, or of the op that multiplies by it."""

    ACTIVATIONS = "activations"
    PARAMETERS = "other parameters"
    """Parameters that are not matmul operands: norms, embedding tables."""
    WEIGHTS = "weights"
    MLP = "MLP weights"
    """Weights of consecutive matmuls with an activation and only elementwise ops between them."""
    GATES = "gate and up weights"
    """Weights of the MLP matmuls whose results are multiplied with each other."""
    CACHES = "caches"
    ATTENTION = "attention"
    DECODE = "decode attention"
    NORMS = "norms and softmax"


@dataclass(frozen=True)
class Roles:
    """The roles of real values by number, activations left out; and of nodes whose fidelity depends on it."""

    values: dict[int, Role]
    nodes: dict[int, Role]


def roles_of(graph: Graph) -> Roles:
    """Return the role of every parameter and cache, and of every op that the roles of `Role` name."""
    products = _products(graph)
    nodes = {i: role for i, node in enumerate(graph.nodes) if (role := products.get(i) or _of_op(node.op))}
    values = dict.fromkeys(graph.parameters, Role.PARAMETERS)
    values |= {v: role for i, role in products.items() for v in graph.nodes[i].operands[1:] if v in values}
    values |= dict.fromkeys(graph.pinned, Role.CACHES)
    return Roles(values, nodes)


def _of_op(op: Op) -> Role | None:
    if op.family == "decode":
        return Role.DECODE
    if op.family == "normalization" or divides_rows(op) or is_softmax(op):
        return Role.NORMS
    return Role.ATTENTION if is_attention(op.loops) or is_contraction(op.loops) else None


def _products(graph: Graph) -> dict[int, Role]:
    """Return the weights that each node multiplies by."""
    parameters = frozenset(graph.parameters)
    roles = {i: Role.WEIGHTS for i, node in enumerate(graph.nodes) if _weighs(node, parameters)}
    for i in [i for i in roles if is_product(graph.nodes[i].op)]:
        before = _Before(graph, roles, graph.nodes[i].operands[0])
        if before.is_mlp:
            roles |= dict.fromkeys((*before.products, i), Role.MLP)
            roles |= dict.fromkeys(before.products if before.gated else (), Role.GATES)
    return roles


def _weighs(node: Node, parameters: frozenset[int]) -> bool:
    """Return True if the node multiplies by a matrix of parameters, or by filters."""
    return is_contraction(node.op.loops) and not parameters.isdisjoint(node.operands[1:])


class _Before:
    """The computation of a matmul operand from other matmuls' results."""

    def __init__(self, graph: Graph, products: dict[int, Role], value: int) -> None:
        makers_of = graph.makers
        self.products: list[int] = []
        self.gated = self._whole = False
        names, seen, todo = set[str](), set[int](), [value]
        while todo:
            if (v := todo.pop()) in seen or v in graph.parameters:
                continue
            seen.add(v)
            maker = makers_of.get(v)
            if maker is None or not (maker in products or _keeps_elements(graph.nodes[maker].op)):
                return
            node = graph.nodes[maker]
            names.update(_functions(node.op))
            if maker in products:
                self.products.append(maker)
            else:
                todo += node.operands
                self.gated |= _multiplies(graph, node)
        self._whole = not names.isdisjoint(ACTIVATIONS)

    @property
    def is_mlp(self) -> bool:
        """Return True if there is an activation, and all ops between are elementwise."""
        return self._whole and bool(self.products)


def _keeps_elements(op: Op) -> bool:
    return op.family == "shape" or element_nest(op) is not None or (op.nest is not None and op.nest.moves_only)


def _functions(op: Op) -> Iterator[str]:
    yield from () if op.nest is None else (tile_op.name for tile_op in op.nest.body)


def _multiplies(graph: Graph, node: Node) -> bool:
    computed = [v for v in node.operands if v not in graph.parameters and graph.values[v].size > 1]
    return len(computed) > 1 and "multiply" in _functions(node.op)

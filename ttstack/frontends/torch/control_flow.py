"""Control flow in graphs of PyTorch: branches and short loops are written out, longer ones stay loops."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import torch
from torch import Tensor, fx
from torch._ops import HigherOrderOperator
from torch._subclasses.fake_tensor import FakeTensorMode

from ttstack.frontends.limits import UNROLLED_OPS

GRAPH = "ttstack.graph"
"""The key in a node's `meta` of the graph that it stands for, which another node runs."""
SCANNED = "ttstack.scanned"
"""The key in a loop's `meta` of the number of tensors that it scans; absent if a condition ends it."""
_HIGHER = torch.ops.higher_order
_aten = torch.ops.aten


def has_graphs(node: fx.Node) -> bool:
    """Return True if a node runs other graphs, of a kind that is supported."""
    return isinstance(node.target, HigherOrderOperator) and node.target.name() in SUPPORTED


def attach_graphs(graph: fx.Graph, root: torch.nn.Module, prepare: Callable[[fx.Graph], fx.Graph]) -> None:
    """Put the prepared graphs that nodes name into their `meta`, at any depth; `root` has them as attributes."""
    for node in graph.find_nodes(op="get_attr"):
        inner = getattr(root, str(node.target), None)
        if isinstance(inner, fx.GraphModule):
            node.meta[GRAPH] = prepare(inner.graph)
            attach_graphs(node.meta[GRAPH], inner, prepare)


def graph_of(node: object) -> fx.Graph:
    """Return the graph that a node stands for."""
    return cast(fx.Node, node).meta[GRAPH]


def expand_control_flow(graph: fx.Graph) -> None:
    """Write out what need not be a loop; only `while_loop` is left, in the graph and in those that it runs.

    A branch that depends on values becomes both branches and a choice of each result. `scan` and `map` are written out
    up to `UNROLLED_OPS` ops; longer ones become loops that take slices and stack rows.
    """
    for node in [n for n in graph.nodes if has_graphs(n)]:
        for inner in node.all_input_nodes:
            if GRAPH in inner.meta:
                expand_control_flow(inner.meta[GRAPH])
        _EXPANSIONS[cast(HigherOrderOperator, node.target).name()](_Site(graph, node))
    graph.eliminate_dead_code()


@dataclass
class _Site:
    """The place of a node, before which others are added."""

    graph: fx.Graph
    node: fx.Node

    def call(self, target: Any, *args: Any) -> fx.Node:
        """Add a call, with the source line of the node."""
        node = self.graph.call_function(target, args)
        node.meta = {key: self.node.meta[key] for key in ("stack_trace", "nn_module_stack") if key in self.node.meta}
        node.meta["val"] = target(*fx.map_arg(args, lambda n: _shape_of(n.meta["val"])))
        return node

    def inline(self, graph: fx.Graph, arguments: Sequence[fx.Node]) -> list[fx.Node]:
        """Add the nodes of a graph on these arguments; return its results."""
        values = dict(zip(graph.find_nodes(op="placeholder"), arguments, strict=True))
        found = self.graph.graph_copy(graph, cast(Any, values))
        return list(cast(Any, found)) if isinstance(found, tuple | list) else [cast(fx.Node, found)]

    def replace(self, results: Sequence[fx.Node]) -> None:
        """Let all users of the node's results use these."""
        for user in list(self.node.users):
            user.replace_all_uses_with(results[cast(int, user.args[1])])
            self.graph.erase_node(user)
        self.graph.erase_node(self.node)


@cache
def _fakes() -> FakeTensorMode:
    return FakeTensorMode()


def _shape_of(value: Any) -> Any:
    """Return a tensor without values, of the same shape and type."""
    if not isinstance(value, Tensor):
        return value
    with _fakes():
        return torch.empty(tuple(value.shape), dtype=value.dtype)


def _branch(site: _Site) -> None:
    """Run both branches, which have no side effects, and choose each result."""
    condition, _, _, arguments = site.node.args
    with site.graph.inserting_before(site.node):
        both = [site.inline(graph_of(site.node.args[i]), cast(Any, arguments)) for i in (1, 2)]
        site.replace([site.call(_aten.where.self, condition, yes, no) for yes, no in zip(*both, strict=True)])


def _scan(site: _Site) -> None:
    """Run a graph on carried values and slices of the first dimension, and stack its other results."""
    _, start, scanned, others = site.node.args
    _repeat(site, cast(Any, start), cast(Any, scanned), cast(Any, others))


def _map(site: _Site) -> None:
    """Run a graph on slices of the first dimension, and stack its results."""
    _, mapped, others = site.node.args
    _repeat(site, (), cast(Any, mapped), cast(Any, others))


def _repeat(site: _Site, start: Sequence[fx.Node], scanned: Sequence[fx.Node], others: Sequence[fx.Node]) -> None:
    body, count = graph_of(site.node.args[0]), scanned[0].meta["val"].shape[0]
    if not count or count * len(body.nodes) > UNROLLED_OPS:
        _as_loop(site, body, start, scanned, others)
        return
    carried, rows = list(start), list[list[fx.Node]]()
    with site.graph.inserting_before(site.node):
        for i in range(count):
            slices = [site.call(_aten.select.int, x, 0, i) for x in scanned]
            results = site.inline(body, [*carried, *slices, *others])
            carried = results[: len(start)]
            rows.append(results[len(start) :])
        stacks = [site.call(_aten.stack.default, list(column)) for column in zip(*rows, strict=True)]
        site.replace([*carried, *stacks])


def _as_loop(
    site: _Site, body: fx.Graph, start: Sequence[fx.Node], scanned: Sequence[fx.Node], others: Sequence[fx.Node]
) -> None:
    """A loop that takes a slice of each scanned tensor, and stacks rows."""
    with site.graph.inserting_before(site.node):
        iteration = site.graph.get_attr("iteration")
        iteration.meta[GRAPH] = body
        loop = site.graph.call_function(_HIGHER.while_loop, (None, iteration, tuple(start), (*scanned, *others)))
        loop.meta = {**site.node.meta, SCANNED: len(scanned)}
    for user in list(site.node.users):
        user.replace_input_with(site.node, loop)
    site.graph.erase_node(site.node)


_EXPANSIONS: Mapping[str, Callable[[_Site], None]] = {
    "cond": _branch,
    "map_impl": _map,
    "scan": _scan,
    "while_loop": lambda _: None,
}
SUPPORTED = frozenset(_EXPANSIONS)
"""Names of the ops with graphs that are written out, or stay loops."""

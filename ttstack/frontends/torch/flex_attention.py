"""FlexAttention: its functions of positions become a mask, others are applied to scores."""

import copy
import math
import operator
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, fx
from torch._ops import OpOverload
from torch.export import ExportedProgram
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.node import map_arg

FLEX_ATTENTION = torch.ops.higher_order.flex_attention
_FLAT_APPLY = torch.ops.higher_order.flat_apply
"""The op by which an export indexes a tensor: arguments are the tensor, then the indices."""
_INDEXED = 3
"""The position of that tensor among its arguments."""


class _Pointwise(fx.Interpreter):
    """Applies a function of one score to all scores: batch, head, query and key are tensors that broadcast."""

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        """Return the result of the op."""
        if target is _FLAT_APPLY:
            return args[_INDEXED][tuple(args[_INDEXED + 1 :])]
        return super().call_function(target, args, kwargs)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score: fx.GraphModule,
    block_mask: Sequence[Any],
    scale: float,
    _options: object,
    score_tensors: Sequence[Tensor] = (),
    mask_tensors: Sequence[Tensor] = (),
) -> Tensor:
    """Compute `flex_attention`: [B, H, S, D] on [B, Hkv, S, D].

    A function that adds to scores becomes a mask of `scaled_dot_product_attention`; any other is decomposed. The mask
    function determines the visited blocks; the block mask's list is ignored.
    """
    (batch, heads, queries, _), keys = query.shape, key.shape[2]
    places = [
        torch.arange(count).view([-1 if d == dim else 1 for d in range(4)])
        for dim, count in enumerate((batch, heads, queries, keys))
    ]
    seen = _Pointwise(block_mask[-1]).run(*places, *mask_tensors)
    seen = seen.expand(torch.broadcast_shapes(seen.shape, (1, 1, queries, keys)))

    def scored(x: Tensor) -> Tensor:
        return _Pointwise(score).run(x, *places, *score_tensors)

    grouped = heads != key.shape[1]
    if _adds(score):
        bias = None if _is_identity(score) else scored(query.new_zeros(()))
        mask = seen if bias is None else torch.where(seen, bias.to(query.dtype), -math.inf)
        given = {"attn_mask": mask, "scale": scale, "enable_gqa": grouped}
        return torch.ops.aten.scaled_dot_product_attention(query, key, value, **given)
    if grouped:
        key, value = (x.repeat_interleave(heads // key.shape[1], 1) for x in (key, value))
    scores = torch.where(seen, scored(query @ key.transpose(-2, -1) * scale), -math.inf)
    weights = torch.where(seen.any(-1, keepdim=True), torch.softmax(scores, -1), 0)
    return weights.to(value.dtype) @ value


def _is_identity(score: fx.GraphModule) -> bool:
    return score.graph.output_node().args[0] is _first(score)


def _adds(score: fx.GraphModule) -> bool:
    """Return True if the function only adds values that do not depend on the score."""
    at, given = score.graph.output_node().args[0], _first(score)
    while isinstance(at, fx.Node) and at is not given:
        if at.target not in (torch.ops.aten.add.Tensor, torch.ops.aten.sub.Tensor) or at.kwargs:
            return False
        reached = [isinstance(x, fx.Node) and _depends(x, given) for x in at.args[:2]]
        if reached != [True, False]:
            return at.target is torch.ops.aten.add.Tensor and reached == [False, True] and at.args[1] is given
        at = at.args[0]
    return at is given


def _depends(node: fx.Node, given: fx.Node) -> bool:
    return node is given or any(_depends(x, given) for x in node.all_input_nodes)


def _first(score: fx.GraphModule) -> fx.Node:
    return score.graph.find_nodes(op="placeholder")[0]


@contextmanager
def on_any_device() -> Iterator[None]:
    """Disable PyTorch's checks for FlexAttention kernels: gradients on CPUs, and device types."""
    module: Any = sys.modules.get("torch.nn.attention.flex_attention")
    if module is None:
        yield
        return
    before = module._validate_device
    module._validate_device = lambda *_: None
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The .grad attribute of a Tensor")  # its own trace looks at them
            yield
    finally:
        module._validate_device = before


def without_flex_attention(program: ExportedProgram) -> ExportedProgram:
    """Replace each `flex_attention` by its computation; return the same program if there is none."""
    if not program.graph.find_nodes(op="call_function", target=FLEX_ATTENTION):
        return program
    graph = fx.Graph()
    graph.output(graph.graph_copy(program.graph, {}))
    found = copy.copy(program)
    found._graph_module = fx.GraphModule(program.graph_module, graph)
    for node in found.graph.find_nodes(op="call_function", target=FLEX_ATTENTION):
        _inline(found.graph_module, node)
    _drop_unused(found.graph)
    return found


def _drop_unused(graph: fx.Graph) -> None:
    """Drop unused nodes, such as those that computed lists of blocks."""
    used = {node for node in graph.nodes if node.op in ("placeholder", "output")}
    known = 0
    while known < len(used):
        known = len(used)
        for node in reversed(graph.nodes):
            if node in used or (_writes(node) and not used.isdisjoint(_made_of(node))):
                used.update((node, *node.all_input_nodes))
    for node in reversed(list(graph.nodes)):
        if node not in used:
            graph.erase_node(node)


def _writes(node: fx.Node) -> bool:
    return isinstance(node.target, OpOverload) and node.target._schema.is_mutable


def _made_of(node: fx.Node) -> Iterator[fx.Node]:
    """Yield the first operand, and the sources of its views."""
    while node.args and isinstance(node.args[0], fx.Node):
        node = node.args[0]
        yield node


def _inline(module: fx.GraphModule, node: fx.Node) -> None:
    tensors = [x for x in node.all_input_nodes if x.op != "get_attr"]
    graphs = {x: getattr(module, str(x.target)) for x in node.all_input_nodes if x.op == "get_attr"}
    traced = make_fx(_on_tensors(node, tensors, graphs), pre_dispatch=True)(*(x.meta["val"] for x in tensors))
    known = dict(zip(traced.graph.find_nodes(op="placeholder"), tensors, strict=True))
    with module.graph.inserting_before(node):
        for made in traced.graph.nodes:
            if made.op == "call_function":
                known[made] = module.graph.node_copy(made, known.__getitem__)
                known[made].meta.update({k: node.meta[k] for k in ("nn_module_stack", "stack_trace") if k in node.meta})
    (result,) = traced.graph.output_node().all_input_nodes
    for use in list(node.users):
        if use.target is operator.getitem and use.args[1] == 0:
            use.replace_all_uses_with(known[result])


def _on_tensors(
    node: fx.Node, tensors: Sequence[fx.Node], graphs: dict[fx.Node, fx.GraphModule]
) -> Callable[..., Tensor]:
    """Return the attention as a function of its tensors."""

    def run(*values: Tensor) -> Tensor:
        known: dict[fx.Node, Any] = {**graphs, **dict(zip(tensors, values, strict=True))}
        arguments: Any = map_arg(node.args, known.__getitem__)
        return attention(*arguments)

    return run

"""In-place ops on private memory, which are equivalent to ops that return a new tensor."""

import torch
from torch import fx
from torch._ops import OpOverload

_aten = torch.ops.aten
_FUNCTIONAL = {
    _aten.add_.Scalar: _aten.add.Scalar,
    _aten.add_.Tensor: _aten.add.Tensor,
    _aten.div_.Scalar: _aten.div.Scalar,
    _aten.div_.Tensor: _aten.div.Tensor,
    _aten.mul_.Scalar: _aten.mul.Scalar,
    _aten.mul_.Tensor: _aten.mul.Tensor,
    _aten.relu_.default: _aten.relu.default,
    _aten.sigmoid_.default: _aten.sigmoid.default,
    _aten.silu_.default: _aten.silu.default,
    _aten.sub_.Scalar: _aten.sub.Scalar,
    _aten.sub_.Tensor: _aten.sub.Tensor,
    _aten.tanh_.default: _aten.tanh.default,
}
"""The functional op of common in-place ops."""

_FRESH = {
    _aten.batch_norm.default,
    _aten.conv1d.default,
    _aten.conv2d.default,
    _aten.conv3d.default,
    _aten.layer_norm.default,
    _aten.linear.default,
}
"""Composite ops that always return new memory, which their schemas do not state; `dropout` may return its operand."""


def is_private_update(node: fx.Node) -> bool:
    """Return True if a node writes to memory that only this node reads, and keeps the type of what it overwrites."""
    if node.target not in _FUNCTIONAL:
        return False
    overwritten = node.args[0]
    return (
        isinstance(overwritten, fx.Node) and [*overwritten.users] == [node] and _is_fresh(overwritten) and _fits(node)
    )


def replace_private_updates(graph: fx.Graph) -> None:
    """Let each private update return a new tensor."""
    for node in filter(is_private_update, graph.nodes):
        node.target = _FUNCTIONAL[node.target]


def _is_fresh(node: fx.Node) -> bool:
    """Return True if an op wrote its result to memory of its own."""
    target = node.target
    if not isinstance(target, OpOverload):
        return False
    composite = torch._C._dispatch_has_kernel_for_dispatch_key(target.name(), "CompositeImplicitAutograd")
    returns_new = all(returned.alias_info is None for returned in target._schema.returns)
    return (returns_new and (not composite or target in _FRESH)) or is_private_update(node)


def _fits(node: fx.Node) -> bool:
    """Return True if all operands are tensors of one real type, or numbers that do not change the type."""
    tensors = [argument.meta.get("val") for argument in node.all_input_nodes]
    dtypes = {value.dtype if isinstance(value, torch.Tensor) else None for value in tensors}
    return len(dtypes) == 1 and all(dtype is not None and dtype.is_floating_point for dtype in dtypes)

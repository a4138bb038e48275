"""Ops between the chips of a mesh."""

from typing import Any

from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, Item, Name, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError

_LINE = Name("ttnn.Topology.Linear")


@calls("all_gather")
def all_gather(o: PlacedOp) -> Expression:
    """What all chips along an axis have, joined."""
    return call("all_gather", o.operands[0], dim=o.op.all_gather_dim, **_along(o))


@calls("reduce_scatter")
def reduce_scatter(o: PlacedOp) -> Expression:
    """Sums over the chips along an axis, divided among them."""
    _sums(o)
    return call("reduce_scatter", o.operands[0], dim=o.op.scatter_dim, **_along(o))


@calls("all_reduce", "all_reduce_async")
def all_reduce(o: PlacedOp) -> Expression:
    """Sums over the chips along an axis, on all of them."""
    _sums(o)
    return call("all_reduce", o.operands[0], **_along(o))


@calls("collective_broadcast")
def collective_broadcast(o: PlacedOp) -> Expression:
    """What the first chip has."""
    return Item(call("all_broadcast", o.operands[0], memory_config=o.memory, topology=_LINE), 0)


@calls("mesh_partition")
def mesh_partition(o: PlacedOp) -> Expression:
    """Each chip's own part."""
    return call("mesh_partition", o.operands[0], o.op.dim, o.op.cluster_axis, memory_config=o.memory)


def _along(o: PlacedOp) -> dict[str, Any]:
    return {"cluster_axis": o.op.cluster_axis, "memory_config": o.memory, "topology": _LINE}


def _sums(o: PlacedOp) -> None:
    if o.op.reduce_type != "sum":
        raise NoCallError(f"a reduction by {o.op.reduce_type} over chips: sums only")

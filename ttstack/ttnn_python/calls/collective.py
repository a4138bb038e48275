"""Ops between the chips of a mesh."""

from typing import Any

from ttstack.ops.devices import Groups
from ttstack.ops.types import TILE
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, Item, Name, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError

_LINE = Name("ttnn.Topology.Linear")
_RANK = 4
"""Rank of tensors that chips exchange by parts."""


@calls("all_gather")
def all_gather(o: PlacedOp) -> Expression:
    """Concatenate the tensors of all chips along an axis."""
    return call("all_gather", o.operands[0], dim=o.op.all_gather_dim, **_along(o))


@calls("reduce_scatter")
def reduce_scatter(o: PlacedOp) -> Expression:
    """Add up over the chips along an axis, and divide the result among them."""
    _sums(o)
    return call("reduce_scatter", o.operands[0], dim=o.op.scatter_dim, **_along(o))


@calls("all_reduce", "all_reduce_async")
def all_reduce(o: PlacedOp) -> Expression:
    """Add up over the chips along an axis, with the result on all of them."""
    _sums(o)
    return call("all_reduce", o.operands[0], **_along(o))


@calls("collective_broadcast")
def collective_broadcast(o: PlacedOp) -> Expression:
    """Copy the tensor of the first chip of each row or column."""
    everything = call("all_broadcast", o.operands[0], cluster_axis=_axis(o), memory_config=o.memory, topology=_LINE)
    return Item(everything, 0)


@calls("all_to_all")
def all_to_all(o: PlacedOp) -> Expression:
    """Exchange parts of whole tiles among the chips of a row or column, in four dimensions."""
    shape, result = o.op.input.shape, o.op.results[0].shape
    if len(shape) > _RANK or any(extent % TILE for extent in (*shape[-2:], *result[-2:])):
        raise NoCallError("all_to_all supports only whole tiles and at most four dimensions")
    more = _RANK - len(shape)
    found = call(
        "experimental.all_to_all_async_generic",
        call("reshape", o.operands[0], [1] * more + list(shape)) if more else o.operands[0],
        in_dim=o.op.split_dim % len(shape) + more,
        out_dim=o.op.concat_dim % len(shape) + more,
        cluster_axis=_axis(o),
        memory_config=o.memory,
        topology=_LINE,
    )
    return call("reshape", found, list(result)) if more else found


@calls("mesh_partition")
def mesh_partition(o: PlacedOp) -> Expression:
    """Take each chip's own slice."""
    return call("mesh_partition", o.operands[0], o.op.dim, o.op.cluster_axis, memory_config=o.memory)


def _along(o: PlacedOp) -> dict[str, Any]:
    return {"cluster_axis": o.op.cluster_axis, "memory_config": o.memory, "topology": _LINE}


def _axis(o: PlacedOp) -> int:
    """Return the mesh axis whose rows or columns are the groups, in order."""
    groups: Groups = o.op.replica_groups
    for axis in (1, 0):
        if sorted(groups) == sorted(o.mesh.groups(axis)):
            return axis
    raise NoCallError(f"groups of chips that are not all rows or all columns of the mesh {o.mesh}, in order")


def _sums(o: PlacedOp) -> None:
    if o.op.reduce_type != "sum":
        raise NoCallError(f"a reduction by {o.op.reduce_type}over chips: only sums have a call")

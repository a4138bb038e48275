"""Exchanges between devices: each kernel takes the operand of every device, and gives the result of every device."""

from collections.abc import Callable, Sequence

import numpy as np

from ttstack.ops.devices import Mesh
from ttstack_runtime.kernels.mesh import Shares, mesh_partition
from ttstack_runtime.kernels.table import Array, KernelTable

_REDUCED: dict[str, Callable[[Array, Array], Array]] = {
    "sum": np.add,
    "max": np.maximum,
    "min": np.minimum,
}


def all_reduce(shares: Shares, *, mesh: Mesh, reduce_type: str, cluster_axis: int) -> list[Array]:
    """The arrays of all devices along the axis, reduced element by element."""
    return _in_groups(shares, mesh, cluster_axis, lambda group: _reduce(group, reduce_type))


KERNELS = KernelTable({"all_reduce": all_reduce, "all_reduce_async": all_reduce})


@KERNELS
def all_gather(shares: Shares, *, mesh: Mesh, all_gather_dim: int, cluster_axis: int) -> list[Array]:
    """The arrays of all devices along the axis, one after the other."""
    return _in_groups(shares, mesh, cluster_axis, lambda group: np.concatenate(group, all_gather_dim))


@KERNELS
def reduce_scatter(shares: Shares, *, mesh: Mesh, reduce_type: str, scatter_dim: int, cluster_axis: int) -> list[Array]:
    """Each device's part of what `all_reduce` gives."""
    whole = all_reduce(shares, mesh=mesh, reduce_type=reduce_type, cluster_axis=cluster_axis)
    return mesh_partition(whole, mesh=mesh, dim=scatter_dim, cluster_axis=cluster_axis)


@KERNELS
def collective_permute(
    shares: Shares,
    *,
    mesh: Mesh,  # noqa: ARG001 the pairs say all
    source_target_pairs: Sequence[Sequence[int]],
) -> list[Array]:
    """Each target gets its source's array, all others zeros."""
    zeros = np.zeros_like(shares[0])
    sources = {target: source for source, target in source_target_pairs}
    return [shares[sources[d]] if d in sources else zeros for d in range(len(shares))]


@KERNELS
def collective_broadcast(
    shares: Shares,
    *,
    mesh: Mesh,  # noqa: ARG001 the groups say all
    replica_groups: Sequence[Sequence[int]],
) -> list[Array]:
    """Each group gets the array of its first device."""
    first = {device: group[0] for group in replica_groups for device in group}
    return [shares[first[d]] for d in range(len(shares))]


@KERNELS
def all_to_all(
    shares: Shares,
    *,
    mesh: Mesh,  # noqa: ARG001 the groups say all
    split_dim: int,
    concat_dim: int,
    split_count: int,
    replica_groups: Sequence[Sequence[int]],
) -> list[Array]:
    """Device i of each group gets part i of everyone's array, joined in the order of the group."""
    parts = [np.split(x, split_count, split_dim) for x in shares]
    found = list(shares)
    for group in replica_groups:
        for i, device in enumerate(group):
            found[device] = np.concatenate([parts[other][i] for other in group], concat_dim)
    return found


def _in_groups(shares: Shares, mesh: Mesh, axis: int | None, combined: Callable[[list[Array]], Array]) -> list[Array]:
    """The devices along the axis share one array: what their arrays make."""
    found = list(shares)
    for group in mesh.groups(axis):
        whole = combined([shares[d] for d in group])
        for device in group:
            found[device] = whole
    return found


def _reduce(group: Sequence[Array], reduce_type: str) -> Array:
    """In the order of the devices, in the arrays' own precision."""
    total = group[0]
    for x in group[1:]:
        total = _REDUCED[reduce_type](total, x)
    return total

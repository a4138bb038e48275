"""Exchanges between devices: each kernel takes the operand of every device, and gives the result of every device."""

from collections.abc import Callable, Sequence

import numpy as np

from ttstack.ops.mesh import Mesh
from ttstack_runtime.kernels.table import Array, KernelTable

Shares = Sequence[Array]
"""An array for each device; devices that hold the same can share one."""

_REDUCED: dict[str, Callable[[Array, Array], Array]] = {
    "sum": np.add,
    "mean": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "prod": np.multiply,
}


def all_reduce(shares: Shares, *, mesh: Mesh, reduce_type: str, cluster_axis: int) -> list[Array]:
    """The arrays of all devices along the axis, reduced element by element."""
    return _in_groups(shares, mesh, cluster_axis, lambda group: _reduced(group, reduce_type))


KERNELS = KernelTable({"all_reduce": all_reduce, "all_reduce_async": all_reduce})


@KERNELS
def all_gather(shares: Shares, *, mesh: Mesh, all_gather_dim: int, cluster_axis: int) -> list[Array]:
    """The arrays of all devices along the axis, one after the other."""
    return _in_groups(shares, mesh, cluster_axis, lambda group: np.concatenate(group, all_gather_dim))


@KERNELS
def reduce_scatter(
    shares: Shares, *, mesh: Mesh, reduce_type: str, scatter_dim: int, cluster_axis: int
) -> list[Array]:
    """Each device's part of what `all_reduce` gives."""
    whole = all_reduce(shares, mesh=mesh, reduce_type=reduce_type, cluster_axis=cluster_axis)
    return mesh_partition(whole, mesh=mesh, dim=scatter_dim, cluster_axis=cluster_axis)


@KERNELS
def mesh_partition(shares: Shares, *, mesh: Mesh, dim: int, cluster_axis: int | None = None) -> list[Array]:
    """Of each device's array, the part that belongs to its position along the axis."""
    count = mesh.extent(cluster_axis)
    return [np.split(x, count, dim)[mesh.position(d, cluster_axis)] for d, x in enumerate(shares)]


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


@KERNELS
def mesh_shard(
    shares: Shares,
    *,
    mesh: Mesh,
    shard_type: str,
    shard_direction: str,
    shard_shape: Sequence[int],
    shard_dims: Sequence[int],
) -> list[Array]:
    """A whole array in parts on the devices, or their parts as one array, which all of them then share."""
    if shard_type in ("devices", "identity"):
        if shard_direction == "full_to_shard":
            return [_cut(x, _place(mesh, d, shard_dims), shard_shape) for d, x in enumerate(shares)]
        return [_joined(shares, mesh, shard_shape, shard_dims)] * mesh.size
    if shard_type == "maximal" and shard_direction == "full_to_shard":
        return [shares[0], *[np.zeros_like(shares[0])] * (mesh.size - 1)]
    return [shares[0]] * mesh.size


def _in_groups(
    shares: Shares, mesh: Mesh, axis: int | None, combined: Callable[[list[Array]], Array]
) -> list[Array]:
    """The devices along the axis share one array: what their arrays make."""
    found = list(shares)
    for group in mesh.groups(axis):
        whole = combined([shares[d] for d in group])
        for device in group:
            found[device] = whole
    return found


def _reduced(group: Sequence[Array], reduce_type: str) -> Array:
    """In the order of the devices, in the arrays' own precision."""
    total = group[0]
    for x in group[1:]:
        total = _REDUCED[reduce_type](total, x)
    return total / np.asarray(len(group), total.dtype) if reduce_type == "mean" else total


def _place(mesh: Mesh, device: int, shard_dims: Sequence[int]) -> dict[int, int]:
    """Which part of each dimension a device has; of a dimension over two axes, the first axis counts slowest."""
    place: dict[int, int] = {}
    for axis, dim in enumerate(shard_dims):
        if dim >= 0:
            place[dim] = place.get(dim, 0) * mesh.extent(axis) + mesh.position(device, axis)
    return place


def _region(shape: Sequence[int], place: dict[int, int]) -> tuple[slice, ...]:
    """Where a part of that shape stands in the whole."""
    starts = [place.get(d, 0) * extent for d, extent in enumerate(shape)]
    return tuple(slice(start, start + extent) for start, extent in zip(starts, shape, strict=True))


def _cut(whole: Array, place: dict[int, int], parts: Sequence[int]) -> Array:
    return whole[_region([e // p for e, p in zip(whole.shape, parts, strict=True)], place)]


def _joined(shares: Shares, mesh: Mesh, parts: Sequence[int], shard_dims: Sequence[int]) -> Array:
    """Where several devices have the same part, the first one's counts."""
    shape = shares[0].shape
    whole = np.empty([e * p for e, p in zip(shape, parts, strict=True)], shares[0].dtype)
    for device in reversed(range(mesh.size)):
        whole[_region(shape, _place(mesh, device, shard_dims))] = shares[device]
    return whole

"""Tensors between the host and the devices of a mesh, and each device's part of what all of them have."""

from collections.abc import Sequence

import numpy as np

from ttstack.ops.devices import Mesh
from ttstack.ops.mesh import dims_by_axis
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()
Shares = Sequence[Array]
"""An array for each device; devices that hold the same can share one."""


@KERNELS
def mesh_partition(shares: Shares, *, mesh: Mesh, dim: int, cluster_axis: int | None = None) -> list[Array]:
    """The part of each device's array that belongs to its position along the axis."""
    count = mesh.extent(cluster_axis)
    return [np.split(x, count, dim)[mesh.position(d, cluster_axis)] for d, x in enumerate(shares)]


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
    if shard_type in ("devices", "identity") and max(shard_shape, default=1) > 1:
        if shard_direction == "full_to_shard":
            return [_cut(x, _place(mesh, d, shard_dims), shard_shape) for d, x in enumerate(shares)]
        return [_join(shares, mesh, shard_shape, shard_dims)] * mesh.size
    if shard_type == "maximal" and shard_direction == "full_to_shard":
        return [shares[0], *[np.zeros_like(shares[0])] * (mesh.size - 1)]
    return [shares[0]] * mesh.size


def _place(mesh: Mesh, device: int, shard_dims: Sequence[int]) -> dict[int, int]:
    """Which part of each dimension a device has; of a dimension over two axes, the first axis counts slowest."""
    place: dict[int, int] = {}
    for axis, dim in enumerate(dims_by_axis(shard_dims)):
        if dim >= 0:
            place[dim] = place.get(dim, 0) * mesh.extent(axis) + mesh.position(device, axis)
    return place


def _region(shape: Sequence[int], place: dict[int, int]) -> tuple[slice, ...]:
    """Where a part of that shape stands in the whole."""
    starts = [place.get(d, 0) * extent for d, extent in enumerate(shape)]
    return tuple(slice(start, start + extent) for start, extent in zip(starts, shape, strict=True))


def _cut(whole: Array, place: dict[int, int], parts: Sequence[int]) -> Array:
    return whole[_region([e // p for e, p in zip(whole.shape, parts, strict=True)], place)]


def _join(shares: Shares, mesh: Mesh, parts: Sequence[int], shard_dims: Sequence[int]) -> Array:
    """Where several devices have the same part, the first one's counts."""
    shape = shares[0].shape
    whole = np.empty([e * p for e, p in zip(shape, parts, strict=True)], shares[0].dtype)
    for device in reversed(range(mesh.size)):
        whole[_region(shape, _place(mesh, device, shard_dims))] = shares[device]
    return whole

"""The ways of tokens to experts on the devices of a mesh, and back."""

from typing import Any

import numpy as np

from ttstack.ops.devices import Mesh
from ttstack_runtime.kernels.collective import all_gather
from ttstack_runtime.kernels.mesh import Shares
from ttstack_runtime.kernels.moe import held_experts
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def all_to_all_dispatch(
    tokens: Shares,
    indices: Shares,
    mappings: Shares,
    *,
    mesh: Mesh,
    num_devices: int,  # noqa: ARG001 the mesh says it
    cluster_axis: int,
    types: tuple[Any, ...],
) -> tuple[list[Array], ...]:
    """The tokens of all devices along the axis that go to an expert of the device, 0 for others; all their experts."""
    return _dispatch((tokens, indices), mappings, mesh, cluster_axis, types)


@KERNELS
def all_to_all_dispatch_metadata(
    tokens: Shares,
    indices: Shares,
    scores: Shares,
    mappings: Shares,
    *,
    mesh: Mesh,
    num_devices: int,  # noqa: ARG001 the mesh says it
    cluster_axis: int,
    types: tuple[Any, ...],
) -> tuple[list[Array], ...]:
    """What `all_to_all_dispatch` gives, and the scores of all tokens."""
    return _dispatch((tokens, indices, scores), mappings, mesh, cluster_axis, types)


@KERNELS
def all_to_all_combine(
    made: Shares,
    metadata: Shares,
    mappings: Shares,
    *,
    mesh: Mesh,
    num_devices: int,
    cluster_axis: int,
    num_experts_per_tok: int,
    output_shard_dim: int = 2,
) -> list[Array]:
    """What the experts of each of a device's tokens made of it; 0 where no device along the axis holds the expert."""
    found = list(made)
    for group in mesh.groups(cluster_axis):
        _, batch, length, _ = metadata[group[0]].shape
        whole = np.zeros((num_experts_per_tok, batch, length, made[group[0]].shape[3]), made[group[0]].dtype)
        for device in reversed(group):
            _collect(whole, made[device], metadata[device], held_experts(mappings, mesh, device, cluster_axis))
        for device, part in zip(group, np.split(whole, num_devices, output_shard_dim), strict=True):
            found[device] = part
    return found


def _dispatch(
    given: tuple[Shares, ...], mappings: Shares, mesh: Mesh, axis: int, types: tuple[Any, ...]
) -> tuple[list[Array], ...]:
    gathered = [_gather(shares, mesh, axis, t.shape) for shares, t in zip(given, types, strict=True)]
    tokens, indices, *_ = gathered
    for d in range(mesh.size):
        rows = indices[d].reshape(-1, indices[d].shape[-1]).astype(np.int64)
        goes = held_experts(mappings, mesh, d, axis)[rows].any(axis=-1)
        tokens[d] = np.where(goes.reshape(*tokens[d].shape[:-1], 1), tokens[d], np.zeros_like(tokens[d]))
    return tuple(gathered)


def _gather(shares: Shares, mesh: Mesh, axis: int, shape: tuple[int, ...]) -> list[Array]:
    """Rows of all devices along the axis, one device after the other; in each batch entry where results keep these."""
    given = shares[0].shape
    keeps = (
        len(given) == len(shape) == 4 and given[0] == shape[1] and given[1] * given[2] * mesh.extent(axis) == shape[2]
    )
    lead = given[0] if keeps else 1
    rows = [x.reshape(lead, x.size // max(lead * x.shape[-1], 1), x.shape[-1]) for x in shares]
    whole = all_gather(rows, mesh=mesh, all_gather_dim=1, cluster_axis=axis)
    return [x.reshape(shape) for x in whole]


def _collect(whole: Array, made: Array, metadata: Array, held: Array) -> None:
    """Write what the experts that are held made of their tokens where `whole` has these."""
    _, batch, length, _ = metadata.shape
    by_expert = made if made.shape[1:3] == (batch, length) else made.transpose(2, 0, 1, 3)
    place = np.where(held, np.cumsum(held) - 1, -1)[metadata[0].astype(np.int64)]
    rows, columns = np.indices((batch, length))
    for choice, out in enumerate(whole):
        expert = place[..., choice]
        here = (expert >= 0) & (expert < len(by_expert))
        out[here] = by_expert[expert[here], rows[here], columns[here]]

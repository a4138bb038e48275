"""Mixture of experts: routing, and the ways of tokens to experts on the devices of a mesh and back."""

from typing import Any

import numpy as np

from ttstack.ops.devices import Mesh
from ttstack.ops.moe import column
from ttstack_runtime.kernels.collective import all_gather
from ttstack_runtime.kernels.mesh import Shares
from ttstack_runtime.kernels.sort import sorting
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def topk_router_gpt(
    x: Array,
    weight: Array,
    bias: Array,
    *,
    k: int,
    num_experts: int,  # noqa: ARG001 the columns of `weight`
) -> tuple[Array, Array]:
    """The `k` highest scores of `x @ weight + bias` in each row: which experts, and the softmax of the scores."""
    logits = np.matmul(x, weight) + bias
    experts = sorting(logits, -1, descending=True)[:, :k]
    scores = np.take_along_axis(logits, experts, axis=-1)
    weights = np.exp(scores - scores[:, :1])
    return experts, weights / weights.sum(axis=-1, keepdims=True)


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
    return _dispatched((tokens, indices), mappings, mesh, cluster_axis, types)


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
    return _dispatched((tokens, indices, scores), mappings, mesh, cluster_axis, types)


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
            _collect(whole, made[device], metadata[device], _held(mappings, mesh, device, cluster_axis))
        for device, part in zip(group, np.split(whole, num_devices, output_shard_dim), strict=True):
            found[device] = part
    return found


@KERNELS
def moe_expert_token_remap(
    weights: Shares, mappings: Shares, metadata: Shares, *, mesh: Mesh, reduction_size: int
) -> tuple[list[Array], ...]:
    """The weights of each device's experts for the tokens that go there, and which groups of tokens need them."""
    pairs = [
        _remapped(weights[d], _held(mappings, mesh, d), mappings[d].shape[3], metadata[d], reduction_size)
        for d in range(mesh.size)
    ]
    return tuple(map(list, zip(*pairs, strict=True)))


def _held(mappings: Shares, mesh: Mesh, device: int, axis: int | None = None) -> Array:
    """Whether the device holds each expert."""
    mapping = mappings[device]
    return mapping[0, 0, :, column(mesh, device, mapping.shape[3], axis)] == 1


def _dispatched(
    given: tuple[Shares, ...], mappings: Shares, mesh: Mesh, axis: int, types: tuple[Any, ...]
) -> tuple[list[Array], ...]:
    gathered = [_gathered(shares, mesh, axis, t.shape) for shares, t in zip(given, types, strict=True)]
    tokens, indices, *_ = gathered
    for d in range(mesh.size):
        rows = indices[d].reshape(-1, indices[d].shape[-1]).astype(np.int64)
        goes = _held(mappings, mesh, d, axis)[rows].any(axis=-1)
        tokens[d] = np.where(goes.reshape(*tokens[d].shape[:-1], 1), tokens[d], np.zeros_like(tokens[d]))
    return tuple(gathered)


def _gathered(shares: Shares, mesh: Mesh, axis: int, shape: tuple[int, ...]) -> list[Array]:
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


def _remapped(weights: Array, held: Array, devices: int, metadata: Array, reduction_size: int) -> tuple[Array, Array]:
    _, batch, length, _ = metadata.shape
    room, tokens = len(held) // devices, batch * length
    experts = np.flatnonzero(held)[:room]
    chosen = (metadata[0].astype(np.int64)[..., None] == experts).any(axis=-2)
    rows = weights.reshape(-1, weights.shape[-1])[:, experts]
    every = np.tile(rows, (tokens // len(rows), 1)).reshape(batch, length, -1)
    local = np.zeros((1, batch, length, room), dtype=weights.dtype)
    local[0, ..., : len(experts)] = np.where(chosen, every, 0)
    used = np.zeros((-(-tokens // reduction_size) * reduction_size, room), dtype=np.bool_)
    used[:tokens, : len(experts)] = chosen.reshape(tokens, -1)
    groups: Array = np.logical_or.reduce(used.reshape(1, 1, -1, reduction_size, room), axis=3)
    return local, groups

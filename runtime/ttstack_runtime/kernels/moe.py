"""Mixture of experts: routing, and the experts that each device of a mesh holds."""

import numpy as np

from ttstack.ops.devices import Mesh
from ttstack.ops.moe import column
from ttstack_runtime.kernels.mesh import Shares
from ttstack_runtime.kernels.sort import sort_positions
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
    experts = sort_positions(logits, -1, descending=True)[:, :k]
    scores = np.take_along_axis(logits, experts, axis=-1)
    weights = np.exp(scores - scores[:, :1])
    return experts, weights / weights.sum(axis=-1, keepdims=True)


@KERNELS
def moe_expert_token_remap(
    weights: Shares, mappings: Shares, metadata: Shares, *, mesh: Mesh, reduction_size: int
) -> tuple[list[Array], ...]:
    """The weights of each device's experts for the tokens that go there, and which groups of tokens need them."""
    pairs = [
        _remap(weights[d], held_experts(mappings, mesh, d), mappings[d].shape[3], metadata[d], reduction_size)
        for d in range(mesh.size)
    ]
    return tuple(map(list, zip(*pairs, strict=True)))


def held_experts(mappings: Shares, mesh: Mesh, device: int, axis: int | None = None) -> Array:
    """Whether the device holds each expert."""
    mapping = mappings[device]
    return mapping[0, 0, :, column(mesh, device, mapping.shape[3], axis)] == 1


def _remap(weights: Array, held: Array, devices: int, metadata: Array, reduction_size: int) -> tuple[Array, Array]:
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

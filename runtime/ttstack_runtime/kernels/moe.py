"""Mixture of experts on one device: routing, and the ways of tokens to experts and back."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ttstack.diagnostics import ExecutionError
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
    tokens: Array,
    indices: Array,
    _mapping: Array,
    *,
    num_devices: int,
    cluster_axis: int,  # noqa: ARG001 one device is computed
    types: tuple[Any, ...],
) -> tuple[Array, ...]:
    """Tokens and their experts as they are: on one device, none moves."""
    return _stay((tokens, indices), types, num_devices)


@KERNELS
def all_to_all_dispatch_metadata(
    tokens: Array,
    indices: Array,
    scores: Array,
    _mapping: Array,
    *,
    num_devices: int,
    cluster_axis: int,  # noqa: ARG001 one device is computed
    types: tuple[Any, ...],
) -> tuple[Array, ...]:
    """Tokens, their experts and scores as they are: on one device, none moves."""
    return _stay((tokens, indices, scores), types, num_devices)


@KERNELS
def all_to_all_combine(
    made: Array,
    metadata: Array,
    mapping: Array,
    *,
    num_devices: int,
    cluster_axis: int,  # noqa: ARG001 one device is computed
    num_experts_per_tok: int,
    output_shard_dim: int = 2,  # noqa: ARG001 one device is computed
    shape: tuple[int, ...] | None = None,
    dtype: DTypeLike | None = None,
) -> Array:
    """What the experts of each token made of it, [k, batch, sequence, width]; 0 where no expert here did."""
    _alone(num_devices)
    _, batch, length, _ = metadata.shape
    by_expert = made if made.shape[1:3] == (batch, length) else made.transpose(2, 0, 1, 3)
    place = _places(mapping)[metadata[0].astype(np.int64)]
    rows, columns = np.indices((batch, length))
    out = np.zeros((num_experts_per_tok, batch, length, made.shape[3]), dtype=dtype or made.dtype)
    for choice in range(num_experts_per_tok):
        expert = place[..., choice]
        held = (expert >= 0) & (expert < len(by_expert))
        out[choice][held] = by_expert[expert[held], rows[held], columns[held]]
    return out if shape is None else out.reshape(shape)


@KERNELS
def moe_expert_token_remap(
    weights: Array, mapping: Array, metadata: Array, *, reduction_size: int
) -> tuple[Array, Array]:
    """The weights of this device's experts for each token that goes there, and which groups of tokens need them."""
    _, batch, length, _ = metadata.shape
    place = _places(mapping)
    held = np.flatnonzero(place >= 0)[: mapping.shape[2] // mapping.shape[3]]
    chosen = (metadata[0].astype(np.int64)[..., None] == held).any(axis=-2)
    tokens = batch * length
    rows = weights.reshape(-1, weights.shape[-1])[:, held]
    every = np.tile(rows, (tokens // len(rows), 1)).reshape(batch, length, -1)
    local = np.zeros((1, batch, length, mapping.shape[2] // mapping.shape[3]), dtype=weights.dtype)
    local[0, ..., : len(held)] = np.where(chosen, every, 0)
    used = np.zeros((-(-tokens // reduction_size) * reduction_size, local.shape[-1]), dtype=np.bool_)
    used[:tokens, : len(held)] = chosen.reshape(tokens, -1)
    groups: Array = np.logical_or.reduce(used.reshape(1, 1, -1, reduction_size, local.shape[-1]), axis=3)
    return local, groups


def _places(mapping: Array) -> Array:
    """For each expert, its position among those of the first device; -1 where it is on another."""
    here = mapping[0, 0, :, 0] == 1
    return np.where(here, np.cumsum(here) - 1, -1)


def _stay(given: tuple[Array, ...], types: tuple[Any, ...], num_devices: int) -> tuple[Array, ...]:
    _alone(num_devices)
    return tuple(array.reshape(t.shape) for array, t in zip(given, types, strict=True))


def _alone(num_devices: int) -> None:
    if num_devices != 1:
        raise ExecutionError(
            f"tokens go to {num_devices} devices, and the program runs on one",
            hint="give num_devices = 1, or predict its time without running it (--cost-only)",
        )

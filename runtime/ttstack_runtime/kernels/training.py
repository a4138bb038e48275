"""What training adds: an optimizer's step, and attention with its gradients."""

import numpy as np

from ttstack.diagnostics import ExecutionError
from ttstack.ops.training import STATISTICS
from ttstack_runtime.kernels.flash import Visibility, attend
from ttstack_runtime.kernels.table import Array, KernelTable

KERNELS = KernelTable()


@KERNELS
def adamw(
    param: Array,
    grad: Array,
    exp_avg: Array,
    exp_avg_sq: Array,
    max_exp_avg_sq: Array | None = None,
    *,
    lr: float,
    beta1: float,
    beta2: float,
    beta1_pow: float,
    beta2_pow: float,
    epsilon: float,
    weight_decay: float,
    stochastic_rounding: bool = False,  # noqa: ARG001 the caller rounds the result
) -> tuple[Array, ...]:
    """One AdamW step (Loshchilov and Hutter, 2019): parameters and moments, with AMSGrad's maximum if given.

    `beta1_pow` and `beta2_pow` are the betas to the power of the step's number.
    """
    first = beta1 * exp_avg + (1 - beta1) * grad
    second = beta2 * exp_avg_sq + (1 - beta2) * grad * grad
    largest = second if max_exp_avg_sq is None else np.maximum(max_exp_avg_sq, second)
    denominator = np.sqrt(largest / (1 - beta2_pow)) + epsilon
    stepped = param * (1 - lr * weight_decay) - lr / (1 - beta1_pow) * first / denominator
    return (stepped, first, second) if max_exp_avg_sq is None else (stepped, first, second, largest)


@KERNELS
def sdpa_fw(
    query: Array,
    key: Array,
    value: Array,
    attention_mask: Array | None = None,
    *,
    mask_type: str = "Causal",
    dropout_probability: float = 0.0,
    return_intermediates: bool = False,
) -> Array | tuple[Array, Array]:
    """Attention and, if asked for, each row's log-sum-exp in every column of [B, H, S, 32].

    `mask_type` is `Causal`, `Arbitrary` (an added mask) or `None`.
    """
    _check_dropout(dropout_probability)
    if query.ndim == 3:
        heads = [x[None] for x in (query, key, value)]
        made = sdpa_fw(*heads, attention_mask, mask_type=mask_type, return_intermediates=return_intermediates)
        return (made[0][0], made[1][0]) if return_intermediates else made[0]
    positions = np.arange(query.shape[2], dtype=np.int64)[None]
    visible = Visibility(positions, mask_type.lower() == "causal")
    mask = attention_mask if mask_type.lower() == "arbitrary" else None
    out = attend(query, key, value, scale=None, visible=visible, mask=mask)
    if not return_intermediates:
        return out
    scores = _scores(query, key, mask, visible)
    top = scores.max(axis=-1, keepdims=True)
    sums = top + np.log(np.exp(scores - top).sum(axis=-1, keepdims=True))
    return out, np.repeat(sums.reshape(*query.shape[:3], 1), STATISTICS, axis=-1)


@KERNELS
def sdpa_bw(
    grad_output: Array,
    attn_output: Array,
    query: Array,
    key: Array,
    value: Array,
    intermediates: Array,
    attention_mask: Array | None = None,
    *,
    mask_type: str = "Arbitrary",
    dropout_probability: float = 0.0,
) -> tuple[Array, Array, Array]:
    """Gradients of query, key and value, from the output and the log-sum-exp that `sdpa_fw` returned."""
    _check_dropout(dropout_probability)
    if query.ndim == 3:
        heads = [x[None] for x in (grad_output, attn_output, query, key, value, intermediates)]
        return tuple(g[0] for g in sdpa_bw(*heads, attention_mask, mask_type=mask_type))
    visible = Visibility(np.arange(query.shape[2], dtype=np.int64)[None], mask_type.lower() == "causal")
    mask = attention_mask if mask_type.lower() == "arbitrary" else None
    batch, kv_heads, _, depth = key.shape
    grouped = batch, kv_heads, query.shape[1] // kv_heads, query.shape[2]
    grad, out = grad_output.reshape(*grouped, -1), attn_output.reshape(*grouped, -1)
    weights = np.exp(_scores(query, key, mask, visible) - intermediates[..., :1].reshape(*grouped, 1))
    grad_value = np.matmul(weights.swapaxes(-1, -2), grad).sum(axis=2)
    grad_weights = np.matmul(grad, value[:, :, None].swapaxes(-1, -2))
    grad_scores = weights * (grad_weights - (grad * out).sum(axis=-1, keepdims=True)) * depth**-0.5
    grad_query = np.matmul(grad_scores, key[:, :, None]).reshape(query.shape)
    grad_key = np.matmul(grad_scores.swapaxes(-1, -2), query.reshape(*grouped, depth)).sum(axis=2)
    return grad_query, grad_key, grad_value


def _scores(query: Array, key: Array, mask: Array | None, visible: Visibility) -> Array:
    """[B, Hkv, group, S, Sk] scaled and masked scores."""
    batch, kv_heads, columns, depth = key.shape
    grouped = query.reshape(batch, kv_heads, -1, *query.shape[2:])
    scores = np.matmul(grouped * query.dtype.type(depth**-0.5), key[:, :, None].swapaxes(-1, -2))
    if mask is not None:
        scores += np.broadcast_to(mask, (batch, *query.shape[1:3], columns)).reshape(scores.shape)
    hidden = visible.hidden_mask(slice(None), slice(None), slice(0, columns))
    if hidden is not None:
        np.copyto(scores, -np.inf, where=hidden)
    return scores


def _check_dropout(probability: float) -> None:
    if probability:
        raise ExecutionError(
            f"attention with dropout {probability} has no reference semantics",
            hint="the device's random sequence is not known; set dropout_probability to 0",
        )

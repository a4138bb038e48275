"""Reductions, scans, norms, and calls that order elements."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ttnn_python.stand_in.tensor import Array, DataType, Tensor, made


def over(function: Callable[..., Any]) -> Callable[..., Tensor]:
    """A reduction along one dimension or several, of all where none is named."""

    def reduce(x: Tensor, *, dim: Any = None, keepdim: bool = False, **keywords: Any) -> Tensor:
        axes = tuple(dim) if isinstance(dim, list) else dim
        return made(x, function(x.values, axis=axes, keepdims=keepdim), **keywords)

    return reduce


def scan(function: Callable[..., Any]) -> Callable[..., Tensor]:
    """Sums or products of all elements so far."""
    return lambda x, *, dim, **keywords: made(x, function(x.values, axis=dim), **keywords)


def argmax(x: Tensor, *, dim: int | None = None, keepdim: bool = False, **keywords: Any) -> Tensor:
    """The first of the greatest, as a number without sign."""
    return made(x, np.argmax(x.values, axis=dim, keepdims=keepdim), DataType.UINT32, **keywords)


def softmax(x: Tensor, *, dim: int, **keywords: Any) -> Tensor:
    """Shares of exponentials."""
    return made(x, shares(x.values, dim), **keywords)


def scale_mask_softmax(x: Tensor, *, mask: Tensor, **keywords: Any) -> Tensor:
    """Shares of exponentials of what a mask of one row for each sample is added to."""
    assert mask.shape == (x.shape[0], 1, 1, x.shape[-1])
    return made(x, shares(x.values + mask.values), **keywords)


def shares(x: Array, dim: int = -1) -> Array:
    """Softmax of values."""
    found = np.exp(x - x.max(dim, keepdims=True))
    return found / found.sum(dim, keepdims=True)


def layer_norm(
    x: Tensor,
    *,
    epsilon: float,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    residual_input_tensor: Tensor | None = None,
    **keywords: Any,
) -> Tensor:
    """By mean and variance of the last dimension."""
    rows = _sum(x, residual_input_tensor)
    apart = rows - rows.mean(-1, keepdims=True)
    return _scaled(x, apart / np.sqrt(np.square(apart).mean(-1, keepdims=True) + epsilon), weight, bias, **keywords)


def rms_norm(
    x: Tensor,
    *,
    epsilon: float,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    residual_input_tensor: Tensor | None = None,
    **keywords: Any,
) -> Tensor:
    """By the mean square of the last dimension."""
    rows = _sum(x, residual_input_tensor)
    spread = np.sqrt(np.square(rows).mean(-1, keepdims=True) + epsilon)
    return _scaled(x, rows / spread, weight, bias, **keywords)


def _sum(x: Tensor, residual: Tensor | None) -> Array:
    """What is normalised."""
    assert residual is None or residual.shape == x.shape
    return x.values if residual is None else x.values + residual.values


def group_norm(
    x: Tensor, *, num_groups: int, epsilon: float, weight: Tensor | None = None, bias: Tensor | None = None, **_: Any
) -> Tensor:
    """By mean and variance of each sample's groups of channels, which are last."""
    samples, one, pixels, channels = x.shape
    groups = x.values.reshape(samples, one, pixels, num_groups, channels // num_groups)
    apart = groups - groups.mean((1, 2, 4), keepdims=True)
    normal = apart / np.sqrt(np.square(apart).mean((1, 2, 4), keepdims=True) + epsilon)
    return _scaled(x, normal.reshape(x.shape), weight, bias)


def _scaled(x: Tensor, found: Array, weight: Tensor | None, bias: Tensor | None, **keywords: Any) -> Tensor:
    for parameter in (weight, bias):
        assert parameter is None or parameter.values.size == x.shape[-1]
    scaled = found if weight is None else found * weight.values.ravel()
    return made(x, scaled if bias is None else scaled + bias.values.ravel(), **keywords)


def batch_norm(
    x: Tensor,
    *,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Tensor,
    bias: Tensor,
    eps: float,
    training: bool,
    **keywords: Any,
) -> Tensor:
    """NCHW, by statistics that are given."""
    assert not training
    apart = (x.values - running_mean.values) / np.sqrt(running_var.values + eps)
    return made(x, apart * weight.values + bias.values, **keywords)


def topk(x: Tensor, *, k: int, dim: int, largest: bool, sorted: bool, **_: Any) -> list[Tensor]:  # noqa: A002
    """The best values, and where they stood."""
    return [Tensor(np.take(t.values, range(k), dim), t.dtype) for t in _ordered(x, dim, down=largest)]


def sort(x: Tensor, *, dim: int, descending: bool, stable: bool = False, **_: Any) -> list[Tensor]:
    """All values in order, and where they stood."""
    return _ordered(x, dim, down=descending)


def _ordered(x: Tensor, dim: int, *, down: bool) -> list[Tensor]:
    at = np.argsort(-x.values if down else x.values, dim, kind="stable")
    positions = DataType.UINT16 if x.shape[dim] <= 1 << 16 else DataType.UINT32
    return [made(x, np.take_along_axis(x.values, at, dim)), made(x, at, positions)]

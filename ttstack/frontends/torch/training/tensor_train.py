"""Gradients of tables in Tensor-Train form: of the slices of each row, added up by index digit."""

from collections.abc import Sequence
from itertools import accumulate
from math import prod

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812  (its usual name)

from ttstack.diagnostics import SourceError
from ttstack.tensor_train.torch import tensor_train_embedding_bag  # noqa: F401  (registers the operators)

_aten = torch.ops.aten


def core_gradients(
    gradient: Tensor,
    indices: Tensor,
    cores: Sequence[Tensor],
    rows: int,  # noqa: ARG001  (as the operator has it)
    col_factors: Sequence[int],
    offsets: Tensor | None = None,
    per_sample_weights: Tensor | None = None,
    mode: str = "sum",
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> list[Tensor]:
    """Compute `ttstack::tensor_train_embedding_bag_backward`: gradients of cores, then of weights if present.

    Raises:
        SourceError: bags are reduced by the maximum.
    """
    if mode == "max":
        raise SourceError("the largest of rows in Tensor-Train form has no gradient", hint="use mode 'sum' or 'mean'")
    flat = indices.reshape(-1)
    kept = torch.ones_like(flat, dtype=torch.bool) if padding_idx is None else flat != padding_idx
    of_bags = _of_each_row(gradient, indices, offsets, kept, mean=mode == "mean", last=include_last_offset)
    of_rows = of_bags if padding_idx is None else torch.where(kept[:, None], of_bags, 0)
    weighted = of_rows if per_sample_weights is None else of_rows * per_sample_weights.reshape(-1, 1)
    digits = _digits(flat, [len(core) for core in cores])
    slices = [
        F.embedding(d, core.flatten(1)).unflatten(1, core.shape[1:]) for d, core in zip(digits, cores, strict=True)
    ]
    found, products = _of_slices(weighted, slices, col_factors)
    of_cores = [
        _aten.embedding_dense_backward(of.flatten(1), d, len(core), -1, False).view(core.shape)
        for of, d, core in zip(found, digits, cores, strict=True)
    ]
    if per_sample_weights is None:
        return of_cores
    return [*of_cores, (of_rows * products.flatten(1)).sum(1).view(per_sample_weights.shape)]


def _of_each_row(
    gradient: Tensor, indices: Tensor, offsets: Tensor | None, kept: Tensor, *, mean: bool, last: bool
) -> Tensor:
    """Return the gradient of the bag of each index; for a mean, divided by the size of the bag."""
    if offsets is None:
        bags, length = indices.shape
        counts = kept.view(bags, length).sum(1, keepdim=True).clamp(min=1)
        each = gradient / counts if mean else gradient
        return each[:, None].expand(bags, length, gradient.shape[-1]).flatten(0, 1)
    starts = offsets[:-1] if last else offsets
    place = torch.arange(len(indices), dtype=offsets.dtype)
    ends = torch.cat([offsets[1:], offsets.new_full((1,), len(indices))])[: len(starts)]
    inside = ((place >= starts[:, None]) & (place < ends[:, None])).to(gradient.dtype)
    each = gradient / (inside * kept).sum(1, keepdim=True).clamp(min=1) if mean else gradient
    return inside.t() @ each


def _digits(indices: Tensor, factors: Sequence[int]) -> list[Tensor]:
    """Return the slice numbers of each core for each row."""
    below = [prod(factors[k + 1 :]) for k in range(len(factors))]
    return [indices // step % count for step, count in zip(below, factors, strict=True)]


def _of_slices(gradient: Tensor, slices: Sequence[Tensor], factors: Sequence[int]) -> tuple[list[Tensor], Tensor]:
    """Return gradients of the slices of each row, and the rows.

    Slices are `(rows, rank before, column factor times rank after)`.
    """
    columns = [1, *accumulate(factors, lambda a, b: a * b)]
    left = [slices[0].new_ones(len(gradient), 1, 1)]
    for k, piece in enumerate(slices):
        left.append((left[-1] @ piece if k else piece).reshape(len(gradient), columns[k + 1], -1))
    found, right = list[Tensor](), gradient.unsqueeze(-1)
    for k, piece in reversed(list(enumerate(slices))):
        right = right.reshape(len(gradient), columns[k], -1)
        found.insert(0, left[k].transpose(1, 2) @ right if k else right)
        right = right @ piece.transpose(1, 2)
    return found, left[-1]


DECOMPOSITIONS = {torch.ops.ttstack.tensor_train_embedding_bag_backward.default: core_gradients}

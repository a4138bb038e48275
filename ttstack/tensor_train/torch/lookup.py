"""Rows of a Tensor-Train table in differentiable PyTorch operations."""
# Not all of PyTorch says its types.
# pyright: reportUnknownMemberType=false

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor

from ttstack.tensor_train.indices import outside

_WASTE = 4  # padded products for each one that is needed, up to which slices are multiplied where they lie


def distinct_rows(indices: Tensor, cores: Sequence[Tensor], rows: int, cols: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the distinct rows in `indices`, ascending; the table's rows, `(count, cols)`; and each index's position.

    Raises:
        TensorTrainError: an index is not a row of the table.
    """
    once, places = cast(tuple[Tensor, Tensor], torch.unique(indices.long(), return_inverse=True))
    if once.numel() and (once[0] < 0 or once[-1] >= rows):
        raise outside(int(once[0] if once[0] < 0 else once[-1]), rows)
    table = _rows(once, cores) if once.numel() else cores[0].new_empty(0, cols)
    return once, table.reshape(len(once), cols), places


def _rows(sorted_rows: Tensor, cores: Sequence[Tensor]) -> Tensor:
    """Return products `(count, columns, numbers)` for ascending rows, each its prefix's product times a slice."""
    *before, last = cores
    if not before:
        return last[sorted_rows]
    prefixes, places = cast(
        tuple[Tensor, Tensor], torch.unique_consecutive(sorted_rows // len(last), return_inverse=True)
    )
    left = _rows(prefixes, before).reshape(len(prefixes), -1, last.shape[1])[places]
    return _multiply(left, last, sorted_rows % len(last))


def _multiply(left: Tensor, core: Tensor, digit: Tensor) -> Tensor:
    """Multiply each of `left` by the slice of its digit: slices are gathered, or rows grouped by slice."""
    count, width, rank = left.shape
    lengths = torch.bincount(digit, minlength=len(core))
    longest = int(lengths.max())
    if len(core) * longest > _WASTE * count:
        return torch.bmm(left, core[digit])
    order = torch.argsort(digit, stable=True)
    starts = torch.cumsum(lengths, 0) - lengths
    slots = torch.empty_like(digit)
    slots[order] = digit[order] * longest + torch.arange(count, device=digit.device) - starts[digit[order]]
    padded = left.new_zeros(len(core) * longest, width * rank).index_copy(0, slots, left.reshape(count, -1))
    products = torch.bmm(padded.view(len(core), longest * width, rank), core)
    return products.view(len(core) * longest, width, -1)[slots]

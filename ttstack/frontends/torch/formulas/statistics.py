"""Order statistics: medians without NaN, modes, histograms."""

import torch
from torch import Tensor

_aten = torch.ops.aten


def nanmedian(x: Tensor) -> Tensor:
    """Return the lower of the two middle elements that are not NaN."""
    return nanmedian_dim(x.reshape(-1), 0)[0]


def nanmedian_dim(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """Return the same of each line, and the position of an equal element; NaNs are sorted to the end."""
    values, places = torch.sort(x, dim=dim, stable=True)
    count = torch.sum(~torch.isnan(x), dim=dim, keepdim=True)
    middle = torch.clamp(count - 1, min=0) // 2
    found = torch.gather(values, dim, middle), torch.gather(places, dim, middle)
    value, place = found if keepdim or not x.dim() else (t.squeeze(dim) for t in found)
    return value, place


def mode(x: Tensor, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """Return the smallest of the most frequent elements of each line, and its last position."""
    if not x.dim():
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    line = x.movedim(dim, -1)
    equal = line[..., None] == line[..., None, :]
    counts = torch.sum(equal, -1)
    frequent = counts == torch.amax(counts, -1, keepdim=True)
    values, places = torch.sort(line, dim=-1, stable=True)
    first = torch.argmax(torch.gather(frequent, -1, places).to(torch.int32), -1, keepdim=True)
    value = torch.gather(values, -1, first)
    count = line.shape[-1]
    place = torch.amax(torch.where(line == value, torch.arange(count), -1), -1, keepdim=True)
    shaped = (t.movedim(-1, dim) if keepdim else t.squeeze(-1) for t in (value, place))
    first_result, second_result = shaped
    return first_result, second_result


def histogram(
    x: Tensor, bins: int = 100, *, range: list[float] | None = None, weight: Tensor | None = None, density: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the number or weight of elements in each of the equal bins, and the edges of the bins."""
    line = x.reshape(-1)
    low, high = (torch.full_like(line[:1], end) for end in range) if range else (line.amin(0, True), line.amax(0, True))
    same = low == high
    low, high = torch.where(same, low - 0.5, low), torch.where(same, high + 0.5, high)
    edges = low + (high - low) * (torch.arange(bins + 1, dtype=x.dtype) / bins)
    inside = (line[:, None] >= edges[:-1]) & (line[:, None] < edges[1:])
    last = (line == edges[-1])[:, None] & (torch.arange(bins) == bins - 1)
    one = torch.ones_like(line) if weight is None else weight.reshape(-1)
    counts = torch.sum((inside | last).to(x.dtype) * one[:, None], 0)
    return (counts / (counts.sum() * (edges[1:] - edges[:-1])) if density else counts), edges


def nonzero_static(x: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """Return the indices of the first elements that are not 0, in order; then the fill value."""
    mask = (x != 0).reshape(-1)
    place = torch.cumsum(mask.to(torch.int64), 0) - 1
    chosen = mask & (torch.arange(size)[:, None] == place)
    number = torch.arange(mask.shape[0])
    flat = torch.sum(chosen.to(torch.int64) * number, 1)
    present = torch.sum(chosen.to(torch.int64), 1) > 0
    columns = list[Tensor]()
    for extent in reversed(x.shape):
        columns.insert(0, torch.where(present, flat % extent, fill_value))
        flat = flat // extent
    return torch.stack(columns, 1) if columns else torch.zeros([size, 0], dtype=torch.int64)


FORMULAS = {
    _aten.nanmedian.default: nanmedian,
    _aten.nanmedian.dim: nanmedian_dim,
    _aten.mode.default: mode,
    _aten.histogram.bin_ct: histogram,
    _aten.nonzero_static.default: nonzero_static,
}
"""The formula of each op."""

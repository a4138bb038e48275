"""Lookups of numbers that are lookups of rows."""

import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.spellings.case import Case

SCATTER, ROWS, BAGS = "scatter by a mask", "lookups of numbers", "bags one by one"
_draw = torch.Generator().manual_seed(0)


def _normal(*shape: int) -> Tensor:
    return torch.randn(shape, generator=_draw)


def _ints(end: int, *shape: int) -> Tensor:
    return torch.randint(0, end, shape, generator=_draw)


def _scatter(text: Tensor, mask: Tensor, features: Tensor) -> Tensor:
    return text.masked_scatter(mask[..., None].expand_as(text), features)


def _scatter_by_hand(text: Tensor, mask: Tensor, features: Tensor) -> Tensor:
    at = mask.reshape(-1).to(torch.int64).cumsum(-1) - 1
    rows = functional.embedding(at.clamp(min=0), features.reshape(-1, features.shape[-1])).reshape(text.shape)
    return torch.where(mask[..., None], rows, text)


def _scatter_unsqueezed(text: Tensor, ids: Tensor, features: Tensor) -> Tensor:
    """As Qwen2-VL finds the places of its images."""
    mask = (ids == 7).unsqueeze(-1).expand_as(text)
    return text.masked_scatter(mask, features.to(text.dtype))


def _scatter_ids_by_hand(text: Tensor, ids: Tensor, features: Tensor) -> Tensor:
    return _scatter_by_hand(text, ids == 7, features)


def _sample(images: Tensor, at: Tensor) -> Tensor:
    return functional.grid_sample(images, at, align_corners=False)


def _sample_by_hand(images: Tensor, at: Tensor) -> Tensor:
    """Rows of channels, one for each corner."""
    batch, channels, height, width = images.shape
    table = images.permute(0, 2, 3, 1).reshape(-1, channels)
    x, y = (at[..., 0] + 1) * (width / 2) - 0.5, (at[..., 1] + 1) * (height / 2) - 0.5
    left, top, found = x.floor(), y.floor(), None
    first = (torch.arange(batch) * (height * width)).reshape(-1, 1, 1)
    for dx in (0, 1):
        for dy in (0, 1):
            column, row = left + dx, top + dy
            inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
            weight = (1 - (x - column).abs()) * (1 - (y - row).abs()) * inside
            index = (row.clamp(0, height - 1) * width + column.clamp(0, width - 1)).to(torch.int64) + first
            part = functional.embedding(index, table) * weight[..., None]
            found = part if found is None else found + part
    assert found is not None
    return found.permute(0, 3, 1, 2)


def _time_bias(scores: Tensor, times: Tensor, table: Tensor) -> Tensor:
    """As HSTU adds a number for the bucket of each difference of times."""
    apart = (times[:, :, None] - times[:, None, :]).abs().clamp(min=1)
    buckets = (torch.log2(apart.to(torch.float32)) * 4).to(torch.int64).clamp(0, table.shape[0] - 1)
    return scores + torch.index_select(table, 0, buckets.reshape(-1)).reshape(scores.shape)


def _time_bias_by_hand(scores: Tensor, times: Tensor, table: Tensor) -> Tensor:
    """The sum of the steps that lie below a number."""
    apart = (times[:, :, None] - times[:, None, :]).abs().clamp(min=1)
    buckets = (torch.log2(apart.to(torch.float32)) * 4).to(torch.int64).clamp(0, table.shape[0] - 1)
    hot = (buckets[..., None] == torch.arange(table.shape[0])).to(scores.dtype)
    return scores + (hot @ table[:, None])[..., 0]


def _place_bias(scores: Tensor, table: Tensor) -> Tensor:
    """As T5 and HSTU look up a bias for each distance of places, which is known."""
    place = torch.arange(scores.shape[-1])
    return scores + table[place[None, :] - place[:, None] + scores.shape[-1] - 1]


def _gather(x: Tensor, at: Tensor) -> Tensor:
    return x.gather(1, at[..., None].expand(-1, -1, x.shape[-1]))


def _gather_by_hand(x: Tensor, at: Tensor) -> Tensor:
    first = torch.arange(x.shape[0])[:, None] * x.shape[1]
    return functional.embedding(at + first, x.reshape(-1, x.shape[-1]))


def _bags(ids: Tensor, *tables: Tensor) -> Tensor:
    """A lookup and a sum for each table."""
    return torch.stack([functional.embedding(ids[:, i], table).sum(1) for i, table in enumerate(tables)], 1)


def _bags_by_hand(ids: Tensor, *tables: Tensor) -> Tensor:
    first = (torch.arange(len(tables)) * tables[0].shape[0])[:, None]
    return functional.embedding(ids + first, torch.cat(tables)).sum(2)


def _embedding_bags(ids: Tensor, *tables: Tensor) -> Tensor:
    return torch.stack([functional.embedding_bag(ids[:, i], table, mode="sum") for i, table in enumerate(tables)], 1)


def _features(ids: Tensor, *tables: Tensor) -> Tensor:
    """One row of each table, side by side."""
    return torch.cat([functional.embedding(ids[:, i], table) for i, table in enumerate(tables)], -1)


def _features_by_hand(ids: Tensor, *tables: Tensor) -> Tensor:
    first = torch.arange(len(tables)) * tables[0].shape[0]
    return functional.embedding(ids + first, torch.cat(tables)).reshape(ids.shape[0], -1)


_places = torch.zeros(1, 640, dtype=torch.bool)
_places[:, 32:608] = True
_two = torch.cat([_places, _places.roll(7, 1)])
_tables = [_normal(1000, 64) for _ in range(16)]
_detector = [_normal(8, 32, 20, 20), _normal(8, 300, 4, 2).tanh()]

CASES = (
    Case(
        SCATTER,
        "576 features in 640 tokens",
        _scatter,
        _scatter_by_hand,
        [_normal(1, 640, 2048), _places, _normal(576, 2048)],
    ),
    Case(
        SCATTER,
        "by ids",
        _scatter_unsqueezed,
        _scatter_ids_by_hand,
        [_normal(1, 640, 1024), _places * 7, _normal(576, 1024)],
    ),
    Case(SCATTER, "two prompts", _scatter, _scatter_by_hand, [_normal(2, 640, 512), _two, _normal(2, 576, 512)]),
    Case(ROWS, "grid_sample of 8 heads", _sample, _sample_by_hand, _detector),
    Case(
        ROWS,
        "grid_sample at 900 points",
        _sample,
        _sample_by_hand,
        [_normal(1, 64, 20, 20), _normal(1, 30, 30, 2).tanh()],
    ),
    Case(
        ROWS,
        "biases by time",
        _time_bias,
        _time_bias_by_hand,
        [_normal(2, 128, 128), _ints(10**6, 2, 128)],
        [_normal(129)],
    ),
    Case(ROWS, "biases by place", _place_bias, _place_bias, [_normal(2, 256, 256)], [_normal(511)]),
    Case(ROWS, "gather of tokens", _gather, _gather_by_hand, [_normal(2, 1000, 256), _ints(1000, 2, 300)]),
    Case(BAGS, "16 tables, lookup and sum", _bags, _bags_by_hand, [_ints(1000, 128, 16, 4)], _tables),
    Case(BAGS, "16 tables, embedding_bag", _embedding_bags, _bags_by_hand, [_ints(1000, 128, 16, 4)], _tables),
    Case(BAGS, "16 tables, a row of each", _features, _features_by_hand, [_ints(1000, 128, 16)], _tables),
)

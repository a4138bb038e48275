"""Running sums, and forward substitution: triangles of ones, and products of blocks."""

from functools import partial

import torch
from torch import Tensor

from benchmarks.spellings.case import Case

SCAN, TRIANGLE = "running sums", "inverse of a triangle"
_draw = torch.Generator().manual_seed(0)


def _normal(*shape: int) -> Tensor:
    return torch.randn(shape, generator=_draw)


def _ones(count: int, offset: int = 0) -> Tensor:
    return torch.ones(count, count).triu(offset)


def _in_blocks(x: Tensor, block: int) -> Tensor:
    """Scan the last dimension by two products."""
    blocks = x.reshape(*x.shape[:-1], -1, block)
    sums = blocks @ _ones(block).to(x.dtype)
    before = _ones(blocks.shape[-2], 1).T.to(x.dtype) @ sums[..., -1:]
    return (sums + before).reshape(x.shape)


def _scan_mask(mask: Tensor) -> Tensor:
    return mask.to(torch.int64).cumsum(-1)


def _scan_mask_by_hand(mask: Tensor) -> Tensor:
    return _in_blocks(mask.to(torch.float32), 64).to(torch.int64)


def _positions(mask: Tensor) -> Tensor:
    return (mask.to(torch.int64).cumsum(-1) - 1).masked_fill(mask == 0, 1)


def _positions_by_hand(mask: Tensor) -> Tensor:
    at = mask.to(torch.float32) @ _ones(mask.shape[-1]) - 1
    return torch.where(mask == 0, 1.0, at).to(torch.int64)


def _expert_places(chosen: Tensor) -> Tensor:
    return torch.nn.functional.one_hot(chosen, 8).cumsum(0)


def _expert_places_by_hand(chosen: Tensor) -> Tensor:
    hot = (chosen[:, None] == torch.arange(8)).to(torch.float32)
    return (_ones(chosen.shape[0]).T @ hot).to(torch.int64)


def _segments(x: Tensor) -> Tensor:
    """As Mamba-2 sums segments: copies below the diagonal, scanned by columns."""
    rows = x[..., None].expand(*x.shape, x.shape[-1])
    return rows.masked_fill(~torch.ones(rows.shape[-2:], dtype=torch.bool).tril(-1), 0).cumsum(-2)


def _segments_by_hand(x: Tensor) -> Tensor:
    sums = x.reshape(-1, x.shape[-1]) @ _ones(x.shape[-1]).to(x.dtype)
    sums = sums.reshape(x.shape)
    return ((sums[..., :, None] - sums[..., None, :]).tril(-1)).to(x.dtype)


def _mean_so_far(x: Tensor) -> Tensor:
    count = torch.arange(1, x.shape[1] + 1, dtype=x.dtype)[:, None]
    return x.cumsum(1) / count


def _mean_so_far_by_hand(x: Tensor) -> Tensor:
    count = torch.arange(1, x.shape[1] + 1, dtype=x.dtype)[:, None]
    return (torch.ones(x.shape[1], x.shape[1]).tril() / count).to(x.dtype) @ x


def _from_the_end(x: Tensor) -> Tensor:
    return x.flip(-1).cumsum(-1).flip(-1)


def _from_the_end_by_hand(x: Tensor) -> Tensor:
    return x @ _ones(x.shape[-1]).T.to(x.dtype)


def _substitute(a: Tensor) -> Tensor:
    """As linear attention by chunks inverts `I - a`, row by row."""
    rows = a.shape[-1]
    a = a.masked_fill(torch.ones(rows, rows, dtype=torch.bool).triu(), 0)
    for i in range(1, rows):
        row, above = a[..., i, :i].clone(), a[..., :i, :i].clone()
        a[..., i, :i] = row + (row.unsqueeze(-1) * above).sum(-2)
    return a + torch.eye(rows, dtype=a.dtype)


def _solve(a: Tensor, b: Tensor) -> Tensor:
    """The same of a right side, without the inverse."""
    a = a.tril(-1)
    found = [b[..., :1, :]]
    for i in range(1, a.shape[-1]):
        found.append(b[..., i : i + 1, :] + a[..., i : i + 1, :i] @ torch.cat(found, -2))
    return torch.cat(found, -2)


def _invert_by_hand(a: Tensor) -> Tensor:
    rows = a.shape[-1]
    place, eye, a = torch.arange(rows), torch.eye(rows, dtype=a.dtype), a.tril(-1)
    inverse, size = eye, 1
    while size < rows:
        first, second = place // size, place // (2 * size)
        between = (second[:, None] == second) & (first[:, None] > first)
        inverse = inverse + inverse @ (a * between.to(a.dtype)) @ inverse
        size *= 2
    return inverse


def _solve_by_hand(a: Tensor, b: Tensor) -> Tensor:
    return _invert_by_hand(a) @ b


_mask = torch.rand(1, 2048, generator=_draw) < 0.5
_counts = torch.randint(0, 8, (128,), generator=_draw)
_scan = partial(torch.cumsum, dim=-1)

CASES = (
    Case(SCAN, "a row of 4,096", _scan, partial(_in_blocks, block=64), [_normal(1, 4096)]),
    Case(SCAN, "a mask of 2,048", _scan_mask, _scan_mask_by_hand, [_mask]),
    Case(SCAN, "128 counts", _scan, lambda x: (x.to(torch.float32) @ _ones(128)).to(torch.int64), [_counts]),
    Case(SCAN, "top-p, 8 rows of 4,096", _scan, partial(_in_blocks, block=64), [_normal(8, 4096).softmax(-1)]),
    Case(SCAN, "positions, 4 x 512", _positions, _positions_by_hand, [_mask.reshape(4, 512)]),
    Case(SCAN, "places in 8 experts", _expert_places, _expert_places_by_hand, [_counts]),
    Case(SCAN, "segments of Mamba-2", _segments, _segments_by_hand, [_normal(1, 24, 2, 64)]),
    Case(SCAN, "mean of all before", _mean_so_far, _mean_so_far_by_hand, [_normal(2, 512, 64)]),
    Case(SCAN, "from the end", _from_the_end, _from_the_end_by_hand, [_normal(32, 256)]),
    Case(TRIANGLE, "64 x 64, 6 heads", _substitute, _invert_by_hand, [_normal(1, 6, 64, 64) / 8]),
    Case(TRIANGLE, "32 x 32, 4 x 8 chunks", _substitute, _invert_by_hand, [_normal(4, 8, 32, 32) / 8]),
    Case(
        TRIANGLE, "solve for a right side", _solve, _solve_by_hand, [_normal(1, 6, 32, 32) / 8, _normal(1, 6, 32, 64)]
    ),
)

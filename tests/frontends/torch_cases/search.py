"""Places among numbers, prefixes, ranks, distances, groups."""

import math

import torch
import torch.nn.functional as F  # noqa: N812 as everyone calls it
import transformers.integrations.moe  # noqa: F401 defines an op

from tests.frontends.torch_cases.draw import B, Cases, X, Y, aten, real, whole

LINE = torch.tensor([-1.0, 0.0, 0.5, 2.0])
ENDS = torch.tensor([2, 2, 5], dtype=torch.int32)

CASES: Cases = {
    "places": (
        lambda x, line, r: [
            torch.bucketize(x, line),
            torch.bucketize(line, line, right=True, out_int32=True),
            torch.searchsorted(line, x),
            torch.searchsorted(x.sort(1)[0], x, right=True),
            torch.searchsorted(line, x, side="right"),
            torch.histc(x, 5, -1, 1),
            torch.histc(x, 4),
            torch.histc(x * 0, 3),
            torch.histc(r.float(), bins=4, min=0, max=3),
            x.repeat_interleave(r, 0, output_size=6),
        ],
        (X, LINE, torch.tensor([1, 0, 2, 3])),
    ),
    "elements put where a mask is set": (
        lambda x, y, b: [x.masked_scatter(b, y), x.masked_scatter(b[0], y)],
        (X, Y, B),
    ),
    "prefixes": (
        lambda x, i: [
            x.logcumsumexp(1),
            (x * 1000).logcumsumexp(0),
            *x.cummax(1),
            *i.cummin(0),
            i.cummax(1)[0],
        ],
        (X, whole(4, 6, low=0, high=3)),
    ),
    "ranks": (
        lambda x, n, i: [
            x.median(),
            *x.median(1),
            n.median(),
            n.median(0, keepdim=True)[0],
            i.median(),
            x.kthvalue(2, 1)[0],
            *x.kthvalue(3, 0, keepdim=True),
        ],
        (X, torch.where(X > 1, math.nan, X), whole(5, low=0, high=9)),
    ),
    "distances": (
        lambda x, y: [
            torch.cdist(x, y),
            torch.cdist(x, y[:2], p=1.0),
            torch.cdist(x[None], y[None], p=math.inf),
            F.pdist(x),
            F.pdist(x, 3),
            torch.linalg.vector_norm(x, 3, dim=1),
            torch.linalg.vector_norm(x, 0, dim=1, keepdim=True),
            torch.linalg.vector_norm(x, -math.inf),
        ],
        (X, Y),
    ),
    "rows that meet the matrix of their group": (
        lambda x, w, e: [aten._grouped_mm(x.bfloat16(), w.bfloat16(), offs=e)],
        (real(5, 16), real(3, 16, 8), ENDS),
    ),
    "experts of transformers": (
        lambda x, w, e: [torch.ops.transformers.grouped_mm_fallback(x, w, e)],
        (real(5, 16), real(3, 16, 8), ENDS),
    ),
}

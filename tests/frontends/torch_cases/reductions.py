"""Reductions, scans, softmax and variances."""

import math

import torch
import torch.nn.functional as F  # noqa: N812 as everyone calls it

from tests.frontends.torch_cases.draw import B, Cases, I, X, aten

CASES: Cases = {
    "reductions": (
        lambda x, i, b: [
            x.sum(),
            x.mean(),
            x.max(),
            x.min(),
            x.prod(),
            b.all(),
            b.any(),
            i.any(),
            i.sum(),
            b.sum(-1),
            x.sum(-1),
            x.sum((0, 1), keepdim=True),
            x.mean(-1, keepdim=True),
            i.mean(dim=1, dtype=torch.float32),
            x.amax(-1),
            x.amin((0, 1)),
            x.prod(1),
            b.all(1),
            i.any(0),
            b.all((0, 1)),
            b.any((0, 1), keepdim=True),
        ],
        (X, I, B),
    ),
    "extremes": (
        lambda x: [
            *x.max(1),
            *x.min(0, keepdim=True),
            x.max(1)[0],
            x.argmax(-1),
            x.argmin(0, keepdim=True),
            x.argmax(),
        ],
        (X,),
    ),
    "scans": (lambda x, i, b: [x.cumsum(1), i.cumsum(0), b.cumsum(-1), x.cumprod(1)], (X, I, B)),
    "softmax": (
        lambda x, h: [
            F.softmax(x, -1),
            F.softmax(h, 0, dtype=torch.float32),
            F.log_softmax(x, 1),
            torch.logsumexp(x, 1),
            torch.logsumexp(x, (0, 1), keepdim=True),
            aten._softmax(x, 1, False),
            aten._log_softmax(x, 1, False),
        ],
        (X * 30, X.half()),
    ),
    "norms and variances": (
        lambda x: [
            torch.linalg.vector_norm(x, dim=-1),
            torch.linalg.vector_norm(x, 1, dim=(0, 1), keepdim=True),
            torch.linalg.vector_norm(x, math.inf),
            aten.norm.ScalarOpt_dim(x, 2, [1], True),
            x.var(-1),
            x.var((0, 1), correction=0, keepdim=True),
            x.std(1),
            x.std(1, correction=0),
            *torch.var_mean(x, 1, correction=0),
            *torch.var_mean(x, 1),
            *torch.var_mean(x, 1, keepdim=True),
        ],
        (X,),
    ),
}

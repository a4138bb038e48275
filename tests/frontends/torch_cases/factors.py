"""Triangular systems, Cholesky factors, and positions of maxima and samples in volumes."""

import torch
import torch.nn.functional as F  # noqa: N812 as everyone calls it

from tests.frontends.torch_cases.draw import Cases, real

_SQUARE = real(2, 5, 5) + 4 * torch.eye(5)
_POSITIVE = _SQUARE @ _SQUARE.mT
_RIGHT = real(5, 3)
_VOLUME = real(2, 3, 5, 6, 7)

CASES: Cases = {
    "triangular systems": (
        lambda a, b: (
            [
                torch.linalg.solve_triangular(a, b, upper=upper, unitriangular=unit)
                for upper in (False, True)
                for unit in (False, True)
            ]
            + [torch.linalg.solve_triangular(a, b.mT, upper=True, left=False)]
        ),
        (_SQUARE, _RIGHT),
    ),
    "factors": (lambda a: [torch.linalg.cholesky(a), torch.linalg.cholesky(a, upper=True)], (_POSITIVE,)),
    "positions of maxima": (
        lambda x: [
            *F.adaptive_max_pool1d(x[0, 0], 4, return_indices=True),
            *F.adaptive_max_pool2d(x[0], (4, 3), return_indices=True),
            *F.adaptive_max_pool3d(x, (2, 4, 3), return_indices=True),
            *F.max_pool3d(x, (2, 3, 2), (1, 2, 2), (1, 1, 0), (1, 1, 2), return_indices=True),
            *F.max_pool3d(x, 3, 2, ceil_mode=True, return_indices=True),
        ],
        (_VOLUME,),
    ),
    "samples of volumes": (
        lambda x, g: [
            F.grid_sample(x, g, mode=mode, padding_mode=padding, align_corners=corners)
            for mode in ("bilinear", "nearest")
            for padding in ("zeros", "border", "reflection")
            for corners in (False, True)
        ],
        (_VOLUME, 1.3 * real(2, 2, 3, 4, 3)),
    ),
    "lines of one element": (
        lambda x, i: [
            x.index_add(0, i, x),
            x.index_copy(0, i, x + 1),
            x.index_fill(0, i, 3.0),
            x.index_reduce(0, i, x, "amax"),
            x.unfold(0, 1, 1),
            torch.logsumexp(x, 0),
        ],
        (real(), torch.zeros(1, dtype=torch.int64)),
    ),
    "extents of 0": (
        lambda x: [x[:1].expand(3, 6)[:0], torch.ones(3, 0) @ torch.ones(0, 4) + x[:3, :4], x[:1, :1].expand(0, 4)],
        (real(4, 6),),
    ),
    "edges of a cropped tensor": (
        lambda x: [F.pad(x, (-4, 3), mode="replicate"), F.pad(x, (-2, 2), mode="reflect")],
        (real(1, 2, 4),),
    ),
}

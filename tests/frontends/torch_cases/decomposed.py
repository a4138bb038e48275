"""Ops that PyTorch's own decompositions lead to others."""

import torch
import torch.nn.functional as F  # noqa: N812 as everyone calls it

from tests.frontends.torch_cases.draw import Cases, T, X, Y, real

CASES: Cases = {
    "formulas and losses": (
        lambda x, y: [
            F.celu(x, 0.7),
            F.threshold(x, 0.1, 20),
            F.softshrink(x),
            F.cosine_similarity(x, y),
            F.cosine_embedding_loss(x, y, torch.ones(4)),
            F.cross_entropy(x, torch.tensor([1, 0, 5, 2])),
            F.mse_loss(x, y),
            torch.nan_to_num(x / 0, 1.0, 2.0, 3.0),
            torch.logaddexp(x, y),
            torch.kron(x[:2, :2], y[:2]),
            torch.rot90(x),
            torch.trapezoid(x, dx=0.5),
            torch.quantile(x, 0.3, dim=1),
        ],
        (X, Y),
    ),
    "windows and grids": (
        lambda x, g: [
            F.unfold(x, (2, 3), padding=1, stride=2, dilation=(1, 2)),
            F.fold(F.unfold(x, 2), (4, 5), 2),
            F.grid_sample(x, g, align_corners=False),
            F.grid_sample(x, g, mode="nearest", padding_mode="reflection", align_corners=True),
        ],
        (T, real(2, 6, 7, 2).clamp(-1.1, 1.1)),
    ),
}

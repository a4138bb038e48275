"""Activations and other formulas."""

import torch
import torch.nn.functional as F  # noqa: N812 as everyone calls it

from tests.frontends.torch_cases.draw import B, Cases, X, aten, real

CASES: Cases = {
    "activations": (
        lambda x, w: [
            F.gelu(x),
            F.gelu(x, approximate="tanh"),
            F.leaky_relu(x, 0.1),
            F.elu(x, 0.7),
            F.selu(x),
            F.glu(x),
            aten.elu(x, 1.5, 1.1, 0.9),
            F.hardswish(x),
            F.softplus(x),
            F.softplus(x * 50, beta=2, threshold=10),
            F.logsigmoid(x),
            F.prelu(x, w),
            torch.sinh(x),
            torch.cosh(x),
            torch.addcmul(x, x, x, value=0.5),
            torch.addcdiv(x, x, x.abs() + 1),
            F.dropout(x, training=False),
            aten.feature_dropout(x, 0.5, False),
            F.alpha_dropout(x, training=False),
        ],
        (X, torch.tensor([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])),
    ),
    "triangles": (
        lambda x, b: [torch.tril(x), torch.triu(x, 1), torch.tril(x, -2), torch.tril(b)],
        (real(2, 4, 6), B),
    ),
}

"""Functions of numbers that are formulas: rounding, inverses, bits, false quantization."""

import math

import torch

from tests.frontends.torch_cases.draw import Cases, I, P, X, Y, aten

NAN = torch.tensor([[math.nan, 1.0, math.nan, -0.0], [2.0, math.nan, math.nan, 3.0]])

CASES: Cases = {
    "rounding": (
        lambda x, i: [x.round(), torch.round(x, decimals=1), torch.round(x * 100, decimals=-1), i.round()],
        (torch.tensor([-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 0.49999997, 2.3, -7.9, 1e30, math.inf]), I),
    ),
    "inverse hyperbolic functions": (lambda x, p: [torch.acosh(p + 1), torch.atanh(x)], (X.clamp(-0.9, 0.9), P)),
    "functions by approximation": (
        lambda x, y, z: [torch.erfinv(x), aten.i0(y), aten.special_i0(y), torch.lgamma(z), aten.special_gammaln(z)],
        (
            torch.tensor([-1.0, -0.99, -0.3, 0.0, 1e-6, 0.7, 0.9999, 1.0]),
            torch.tensor([-9.0, -3.75, -1.0, 0.0, 0.5, 3.7, 3.8, 20.0]),
            torch.tensor([-math.inf, -2.5, -1.0, -1e-6, 0.0, 1e-3, 0.4, 1.0, 2.0, 30.5, math.inf]),
        ),
    ),
    "lengths, signs and numbers among no numbers": (
        lambda x, y, n: [
            torch.hypot(x, y),
            torch.copysign(x, y),
            torch.copysign(x.abs(), torch.tensor(-0.0)),
            torch.fmin(n[0], n[1]),
            torch.fmax(n[0], n[1]),
            torch.fmax(x.long(), y.long()),
            torch.ldexp(x, y.long()),
            torch.positive(x),
        ],
        (X, Y, NAN),
    ),
    "shifts and bits": (
        lambda i, x: [
            i << 2,
            i >> 1,
            torch.bitwise_left_shift(i, i.abs() % 4),
            torch.bitwise_right_shift(i, i.abs() % 4),
            torch.bitwise_left_shift(i, 3),
            torch.bitwise_right_shift(i, 3),
            aten.__lshift__.Tensor(i, i.abs() % 4),
            aten.__rshift__.Tensor(i, i.abs() % 4),
            x.view(torch.int32),
        ],
        (I, X),
    ),
    "false quantization": (
        lambda x, s, z: [
            torch.fake_quantize_per_tensor_affine(x, 0.1, 2, -8, 7),
            torch.fake_quantize_per_channel_affine(x, s, z, 0, -128, 127),
            torch.nn.functional.rrelu(x),
        ],
        (X, P[:, 0].contiguous() / 10, torch.tensor([0, 1, -2, 3], dtype=torch.int32)),
    ),
}

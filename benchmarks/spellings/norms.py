"""Norms and means of vectors, of parameters and of groups."""

from functools import partial

import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.spellings.case import Case

VECTORS, PARAMETERS, NORMALIZE, GROUPS = "vectors of one pixel", "parameters alone", "F.normalize", "group norms"
_draw = torch.Generator().manual_seed(0)


def _normal(*shape: int) -> Tensor:
    return torch.randn(shape, generator=_draw)


def _mean(x: Tensor) -> Tensor:
    return x.sin().mean(1, keepdim=True)


def _mean_by_hand(x: Tensor) -> Tensor:
    return x.reshape(1, -1).sin().mean(-1, keepdim=True).reshape(1, 1, 1, 1)


def _unit(x: Tensor) -> Tensor:
    """As a descriptor of an image is normalised."""
    return functional.normalize(x.sin(), dim=1)


def _unit_by_hand(x: Tensor) -> Tensor:
    return functional.normalize(x.reshape(1, -1).sin(), dim=-1).reshape(x.shape)


def _layer_norm_2d(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """As networks of images spell layer norms of channels."""
    mean = x.mean(1, keepdim=True)
    variance = (x - mean).pow(2).mean(1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + 1e-6) * weight[:, None, None] + bias[:, None, None]


def _layer_norm_2d_by_hand(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return functional.layer_norm(x.reshape(1, -1), weight.shape, weight, bias, 1e-6).reshape(x.shape)


def _excite(x: Tensor, down: Tensor, up: Tensor) -> Tensor:
    """Squeeze and excite: means of channels, two layers, and a factor for each channel."""
    s = functional.conv2d(
        functional.conv2d(x.mean((2, 3), keepdim=True), down[..., None, None]).relu(), up[..., None, None]
    )
    return x * s.sigmoid()


def _excite_by_hand(x: Tensor, down: Tensor, up: Tensor) -> Tensor:
    rows = x.reshape(x.shape[1], -1)
    s = functional.linear(functional.linear(rows.mean(-1)[None], down).relu(), up).sigmoid()
    return (rows * s.reshape(-1, 1)).reshape(x.shape)


def _excite_softmax(x: Tensor, down: Tensor) -> Tensor:
    """Selective kernels: weights of channels that sum to 1, of a vector [1, C, 1, 1]."""
    return functional.conv2d(x, down[..., None, None]).softmax(1)


def _excite_softmax_by_hand(x: Tensor, down: Tensor) -> Tensor:
    return functional.linear(x.reshape(1, -1), down).softmax(-1).reshape(1, -1, 1, 1)


def _weight_norm(x: Tensor, v: Tensor, g: Tensor) -> Tensor:
    return functional.linear(x, v * (g / torch.linalg.vector_norm(v, dim=1, keepdim=True)))


def _standardized(x: Tensor, w: Tensor) -> Tensor:
    variance, mean = torch.var_mean(w, dim=[1, 2, 3], keepdim=True, unbiased=False)
    return functional.conv2d(x, (w - mean) / torch.sqrt(variance + 1e-10), padding=1)


def _cosine_head(x: Tensor, w: Tensor) -> Tensor:
    return functional.linear(functional.normalize(x, dim=-1), functional.normalize(w, dim=-1))


def _cosine_head_by_hand(x: Tensor, w: Tensor) -> Tensor:
    norm = functional.rms_norm(x, x.shape[-1:], eps=1e-12)
    return functional.linear(norm, functional.normalize(w, dim=-1) * x.shape[-1] ** -0.5)


def _linear_of_scaled(x: Tensor, v: Tensor, _: Tensor) -> Tensor:
    """Its norms are the factors."""
    return functional.linear(x, v)


def _conv(x: Tensor, w: Tensor) -> Tensor:
    return functional.conv2d(x, w, padding=1)


def _normalized(x: Tensor) -> Tensor:
    return functional.normalize(x, dim=-1)


def _clamped(x: Tensor) -> Tensor:
    return x / x.norm(dim=-1, keepdim=True).clamp(min=1e-12)


def _unclamped(x: Tensor) -> Tensor:
    return x / x.norm(p=2, dim=-1, keepdim=True)


def _inverse_root(x: Tensor) -> Tensor:
    """As gated delta rules normalise queries and keys."""
    return x * torch.rsqrt((x * x).sum(-1, keepdim=True) + 1e-6)


def _scaled(x: Tensor, weight: Tensor) -> Tensor:
    """As an RMS norm of a scaled unit vector."""
    return functional.normalize(x, dim=-1) * (weight * x.shape[-1] ** 0.5)


def _normalized_by_hand(x: Tensor, eps: float = 1e-24) -> Tensor:
    width = x.shape[-1]
    return functional.rms_norm(x, (width,), torch.full((width,), width**-0.5, dtype=x.dtype), eps / width)


def _scaled_by_hand(x: Tensor, weight: Tensor) -> Tensor:
    return functional.rms_norm(x, weight.shape, weight, 1e-24)


def _groups_of_image(x: Tensor, w: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return functional.silu(functional.group_norm(functional.conv2d(x, w, padding=1), 32, weight, bias))


def _groups_of_heads(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """As RWKV and RetNet normalise the heads of each token: rows [tokens, channels]."""
    return functional.group_norm(x, 12, weight, bias, 64e-5)


def _groups_of_heads_by_hand(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    width = x.shape[-1]
    group = torch.arange(width) // (width // 12)
    ones = (group[:, None] == group).to(x.dtype) / (width // 12)
    centred = x - x @ ones
    return centred * torch.rsqrt((centred * centred) @ ones + 64e-5) * weight + bias


def _groups_of_sequence(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """As decoders of audio normalise [N, C, length]."""
    return functional.group_norm(x, 8, weight, bias)


def _groups_of_sequence_by_hand(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    rows = x.reshape(8, x.shape[1] // 8, -1)
    mean = rows.mean(-1, keepdim=True).mean(1, keepdim=True)
    centred = rows - mean
    variance = centred.square().mean(-1, keepdim=True).mean(1, keepdim=True)
    scale = torch.rsqrt(variance + 1e-5) * weight.reshape(8, -1, 1)
    return (centred * scale + bias.reshape(8, -1, 1)).reshape(x.shape)


_affine = [_normal(1280), _normal(1280)]
_pixel = [_normal(1, 1280, 1, 1)]
_matrix = _normal(768, 768)
_standard = functional.layer_norm(_normal(64, 64, 3, 3), (64, 3, 3))
_image, _kernel = _normal(1, 640, 32, 32), _normal(640, 640, 3, 3) / 80

CASES = (
    Case(VECTORS, "mean over channels", _mean, _mean_by_hand, _pixel),
    Case(VECTORS, "normalised over channels", _unit, _unit_by_hand, _pixel),
    Case(VECTORS, "layer norm of channels", _layer_norm_2d, _layer_norm_2d_by_hand, _pixel, _affine),
    Case(VECTORS, "softmax over channels", _excite_softmax, _excite_softmax_by_hand, _pixel, [_normal(512, 1280) / 36]),
    Case(
        VECTORS,
        "squeeze and excite",
        _excite,
        _excite_by_hand,
        [_normal(1, 512, 14, 14)],
        [_normal(32, 512) / 23, _normal(512, 32) / 6],
    ),
    Case(
        PARAMETERS,
        "weight norm",
        _weight_norm,
        _linear_of_scaled,
        [_normal(32, 768)],
        [_matrix, torch.linalg.vector_norm(_matrix, dim=1, keepdim=True)],
    ),
    Case(PARAMETERS, "standardised weights", _standardized, _conv, [_normal(1, 64, 28, 28)], [_standard]),
    Case(PARAMETERS, "cosine classifier", _cosine_head, _cosine_head_by_hand, [_normal(32, 512)], [_normal(1000, 512)]),
    Case(NORMALIZE, "F.normalize", _normalized, _normalized_by_hand, [_normal(512, 768)]),
    Case(NORMALIZE, "with a clamp", _clamped, _normalized_by_hand, [_normal(4, 197, 768)]),
    Case(NORMALIZE, "without a clamp", _unclamped, partial(_normalized_by_hand, eps=0.0), [_normal(32, 512)]),
    Case(NORMALIZE, "by rsqrt", _inverse_root, partial(_normalized_by_hand, eps=1e-6), [_normal(1, 16, 128, 128)]),
    Case(NORMALIZE, "with a weight", _scaled, _scaled_by_hand, [_normal(512, 768)], [_normal(768)]),
    Case(GROUPS, "of an image", _groups_of_image, None, [_image], [_kernel, _normal(640), _normal(640)]),
    Case(
        GROUPS,
        "of heads",
        _groups_of_heads,
        _groups_of_heads_by_hand,
        [_normal(512, 768)],
        [_normal(768), _normal(768)],
    ),
    Case(
        GROUPS,
        "of a sequence",
        _groups_of_sequence,
        _groups_of_sequence_by_hand,
        [_normal(1, 256, 1024)],
        [_normal(256), _normal(256)],
    ),
)

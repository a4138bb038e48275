"""Products that are spelled as convolutions or as contractions of several dimensions."""

import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.spellings.case import Case

HEADS, PIXELS, PATCHES = "projections of heads", "convolutions of one pixel", "patches"
_draw = torch.Generator().manual_seed(0)


def _normal(*shape: int) -> Tensor:
    return torch.randn(shape, generator=_draw) / 16


def _queries(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    """Flax's `DenseGeneral` of queries: [N, L, D] by [D, H, K]."""
    return torch.einsum("nld,dhk->nlhk", x, w) + b


def _queries_by_hand(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return functional.linear(x, w.reshape(w.shape[0], -1).T, b.reshape(-1)).reshape(*x.shape[:-1], *w.shape[1:])


def _heads_first(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return torch.einsum("nld,dhk->nhlk", x, w) + b[:, None, :]


def _heads_first_by_hand(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return _queries_by_hand(x, w, b).transpose(1, 2)


def _output(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    """Flax's `DenseGeneral` of the output: [N, L, H, K] by [H, K, D], of a sum of tokens' heads."""
    heads = x.reshape(*x.shape[:-1], *w.shape[:2])
    return torch.einsum("nlhk,hkd->nld", heads, w) + b


def _output_by_hand(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return functional.linear(x, w.reshape(-1, w.shape[-1]).T, b)


def _joint(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    """Queries, keys and values in one contraction, and taken apart."""
    q, k, v = (torch.einsum("nld,dchk->cnhlk", x, w) + b[:, None, :, None, :]).unbind(0)
    return functional.scaled_dot_product_attention(q, k, v)


def _joint_by_hand(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    rows = functional.linear(x, w.reshape(w.shape[0], -1).T, b.reshape(-1)).reshape(*x.shape[:-1], *w.shape[1:])
    q, k, v = rows.permute(2, 0, 3, 1, 4).unbind(0)
    return functional.scaled_dot_product_attention(q, k, v)


def _conv1d(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return functional.conv1d(x, w, b)


def _conv1d_by_hand(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return functional.linear(x.transpose(1, 2), w[..., 0], b).transpose(1, 2)


def _feed(x: Tensor, up: Tensor, down: Tensor) -> Tensor:
    """Two layers of neurons of [N, L, C] by convolutions, as FastSpeech has them."""
    return functional.conv1d(functional.conv1d(x.transpose(1, 2), up).relu(), down).transpose(1, 2)


def _feed_by_hand(x: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return functional.linear(functional.linear(x, up[..., 0]).relu(), down[..., 0])


def _every_second(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return functional.conv1d(x, w, b, stride=2)


def _every_second_by_hand(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return functional.linear(x[:, :, ::2].transpose(1, 2), w[..., 0], b).transpose(1, 2)


def _patches(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return functional.conv2d(x, w, b, stride=w.shape[-1]).flatten(2).transpose(1, 2)


def _patches_by_hand(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    """Rows of the image are looked up in the order of patches, and columns put below one another."""
    batch, channels, height, width = x.shape
    size = w.shape[-1]
    down, across = height // size, width // size
    rows = torch.arange(batch * channels * down * size).reshape(batch, channels, down, size).transpose(1, 2)
    lines = functional.embedding(rows.reshape(batch * down, -1), x.reshape(-1, width))[..., : across * size]
    tokens = lines.transpose(1, 2).reshape(batch, down * across, -1)
    return functional.linear(tokens, w.permute(0, 3, 1, 2).reshape(w.shape[0], -1), b)


def _downsampled(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    """Between stages of ConvNeXt: pixels [N, H, W, C] to a half of each."""
    return functional.conv2d(x.permute(0, 3, 1, 2), w, b, stride=2).permute(0, 2, 3, 1)


def _downsampled_by_hand(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    batch, height, width, channels = x.shape
    pairs = x.reshape(batch * height // 2, 2, width // 2, 2 * channels).transpose(1, 2)
    rows = functional.linear(pairs.reshape(-1, 4 * channels), w.permute(0, 2, 3, 1).reshape(w.shape[0], -1), b)
    return rows.reshape(batch, height // 2, width // 2, -1)


def _frames(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    """Windows of a signal that do not overlap."""
    return functional.conv1d(x, w, b, stride=w.shape[-1]).transpose(1, 2)


def _frames_by_hand(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return functional.linear(x.reshape(x.shape[0], -1, w.shape[-1]), w[:, 0], b)


def _tubes(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    """Patches of two frames of a video."""
    return functional.conv3d(x, w, b, stride=w.shape[2:]).flatten(2).transpose(1, 2)


def _tubes_by_hand(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    _, channels, frames, height, width = x.shape
    pairs = x.reshape(channels, frames // 2, 2, height, width).transpose(0, 1)
    images = pairs.reshape(frames // 2, channels * 2, height, width)
    kernel = w.reshape(w.shape[0], -1, *w.shape[3:])
    return _patches_by_hand(images, kernel, b).reshape(1, -1, w.shape[0])


_words, _wide = [_normal(2, 128, 768)], [_normal(768, 12, 64), _normal(12, 64)]

CASES = (
    Case(HEADS, "queries of Flax", _queries, _queries_by_hand, _words, _wide),
    Case(HEADS, "heads first", _heads_first, _heads_first_by_hand, _words, _wide),
    Case(HEADS, "output of Flax", _output, _output_by_hand, _words, [_normal(12, 64, 768), _normal(768)]),
    Case(HEADS, "all three at once", _joint, _joint_by_hand, _words, [_normal(768, 3, 12, 64), _normal(3, 12, 64)]),
    Case(
        PIXELS,
        "conv1d [1, 512, 256]",
        _conv1d,
        _conv1d_by_hand,
        [_normal(1, 512, 256)],
        [_normal(1024, 512, 1), _normal(1024)],
    ),
    Case(
        PIXELS,
        "two in a row",
        _feed,
        _feed_by_hand,
        [_normal(1, 256, 512)],
        [_normal(1024, 512, 1), _normal(512, 1024, 1)],
    ),
    Case(
        PIXELS,
        "every second place",
        _every_second,
        _every_second_by_hand,
        [_normal(1, 512, 256)],
        [_normal(1024, 512, 1), _normal(1024)],
    ),
    Case(
        PATCHES,
        "ViT-B/16 of 224",
        _patches,
        _patches_by_hand,
        [_normal(1, 3, 224, 224)],
        [_normal(768, 3, 16, 16), _normal(768)],
    ),
    Case(
        PATCHES,
        "ViT-L/14 of 336",
        _patches,
        _patches_by_hand,
        [_normal(1, 3, 336, 336)],
        [_normal(1024, 3, 14, 14), _normal(1024)],
    ),
    Case(
        PATCHES,
        "Swin, 4 of 224",
        _patches,
        _patches_by_hand,
        [_normal(1, 3, 224, 224)],
        [_normal(96, 3, 4, 4), _normal(96)],
    ),
    Case(
        PATCHES,
        "ConvNeXt, 2 of 28",
        _downsampled,
        _downsampled_by_hand,
        [_normal(1, 28, 28, 192)],
        [_normal(384, 192, 2, 2), _normal(384)],
    ),
    Case(
        PATCHES,
        "16 samples of a signal",
        _frames,
        _frames_by_hand,
        [_normal(1, 1, 16384)],
        [_normal(256, 1, 16), _normal(256)],
    ),
    Case(
        PATCHES,
        "tubes of a video",
        _tubes,
        _tubes_by_hand,
        [_normal(1, 3, 8, 224, 224)],
        [_normal(384, 3, 2, 16, 16), _normal(384)],
    ),
)

"""Convolutions, against torch."""

from itertools import product

import numpy as np
import torch

from tests.forms.form import Form

Sides = int | tuple[int, ...]
"""One number for all axes, or one for each."""


def _tensor(x):
    return torch.from_numpy(np.ascontiguousarray(np.asarray(x, np.float64)))


def _conv(name, stride: Sides = 1, padding: Sides = 0, dilation: Sides = 1, groups=1, **more):
    """A convolution of channels last; a padding of four is top, left, bottom, right."""

    def run(x, w, bias=None):
        images = _tensor(np.moveaxis(x, -1, 1))
        pads = padding
        if isinstance(padding, tuple) and len(padding) == 4:
            t, l, b, r = padding
            images, pads = F.pad(images, (l, r, t, b)), 0
        made = getattr(F, name)(
            images,
            _tensor(w),
            None if bias is None else _tensor(bias).reshape(-1),
            stride=stride,
            padding=pads,
            dilation=dilation,
            groups=groups,
            **more,
        )
        return np.moveaxis(made.numpy(), 1, -1)

    return run


def _transposed(stride, padding, output_padding=0, dilation: Sides = 1, groups=1):
    """Without padding, then cut: top, left, bottom, right."""

    def run(x, w, bias=None):
        made = F.conv_transpose2d(
            _tensor(np.moveaxis(x, -1, 1)),
            _tensor(w),
            stride=stride,
            output_padding=output_padding,
            dilation=dilation,
            groups=groups,
        )
        t, l, b, r = padding
        made = np.moveaxis(made.numpy(), 1, -1)[:, t : made.shape[2] - b, l : made.shape[3] - r]
        return made if bias is None else made + bias.reshape(-1)

    return run


def _volume(x, w, pads, mode="constant", stride: Sides = 1):
    padded = F.pad(_tensor(np.moveaxis(x, -1, 1)), pads, mode=mode)
    return np.moveaxis(F.conv3d(padded, _tensor(w), stride=stride).numpy(), 1, -1)


def _conv_text(stride: Sides = 1, padding: Sides = 0, dilation: Sides = 1, groups=1, extra=""):
    def sides(v):
        return f"{v} : i32" if isinstance(v, int) else f"array<i32: {', '.join(map(str, v))}>"

    return f"stride = {sides(stride)}, padding = {sides(padding)}, dilation = {sides(dilation)}, groups = {groups} : i32{extra}"


F = torch.nn.functional
X, W = "1x8x8x4xf32", "4x4x3x3xf32"

FORMS = [
    *(
        Form("conv2d", f"1x6x5x4x{a} 3x4x3x2x{a}", f"1x4x4x3x{r}", _conv("conv2d"), _conv_text())
        for a, r in product(("f32", "bf16", "f16"), ("f32", "bf16"))
    ),
    Form(
        "conv2d",
        "2x6x5x4xf32 6x2x3x3xf32 1x1x1x6xf32",
        "2x3x3x6xf32",
        _conv("conv2d", 2, 1, 1, 2),
        _conv_text(2, 1, 1, 2),
    ),
    Form(
        "conv2d",
        "1x6x5x4xf32 4x1x3x3xf32",
        "1x6x5x4xf32",
        _conv("conv2d", 1, (1, 1), 1, 4),
        _conv_text(1, (1, 1), 1, 4),
    ),
    Form(
        "conv2d",
        "1x6x5x4xf32 2x4x2x2xf32",
        "1x5x6x2xf32",
        _conv("conv2d", 1, (1, 0, 0, 3), (2, 2)),
        _conv_text(1, (1, 0, 0, 3), (2, 2)),
    ),
    Form(
        "conv2d",
        "1x1x30x4xf32 3x4x1x1xf32",
        "1x1x30x3xf32",
        lambda x, w: x @ w[:, :, 0, 0].T,
        _conv_text(
            extra=", flattened_compat_info = #ttir<flattened_compat batch_size = 1, input_height = 6, input_width = 5>"
        ),
    ),
    Form(
        "conv2d",
        "1x4x6x5xf32 3x4x3x3xf32",
        "1x3x4x3xf32",
        lambda x, w: F.conv2d(_tensor(x), _tensor(w)).numpy(),
        _conv_text(extra=", batch_dim = 0 : i64, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64"),
    ),
    Form(
        "conv1d",
        "2x9x4xf32 6x2x3xf32",
        "2x4x6xf32",
        _conv("conv1d", 2, 1, 2, 2),
        _conv_text(2, 1, 2, 2).replace("stride = 2 : i32", "stride = array<i32: 2>"),
    ),
    Form("conv1d", "2x9x4xbf16 6x4x3xbf16", "2x7x6xf32", _conv("conv1d"), _conv_text()),
    Form(
        "conv3d",
        "1x4x5x6x2xf32 3x2x2x3x2xf32",
        "1x4x5x3x3xf32",
        lambda x, w: _volume(x, w, (0, 0, 1, 1, 0, 1), stride=(1, 1, 2)),
        "stride = array<i32: 1, 1, 2>, padding = array<i32: 0, 1, 0, 1, 1, 0>, groups = 1 : i32",
    ),
    Form(
        "conv3d",
        "1x3x4x4x2xf32 3x2x3x3x3xf32",
        "1x3x4x4x3xbf16",
        lambda x, w: _volume(x, w, (1,) * 6, mode="replicate"),
        'stride = 1 : i32, padding = 1 : i32, groups = 1 : i32, padding_mode = "replicate"',
    ),
    *(
        Form(
            "conv_transpose2d",
            f"1x4x5x4x{e} 4x3x3x3x{e}",
            f"1x{2 * 3 + 3 - p[0] - p[2] + o}x{2 * 4 + 3 - p[1] - p[3] + o}x3x{e}",
            _transposed(2, p, o),
            _conv_text(2, p, 1, 1, f", output_padding = {o} : i32"),
        )
        for p, o, e in product(((0, 0, 0, 0), (1, 1, 1, 1), (1, 0, 0, 2), (0, 2, 1, 0)), (0, 1), ("f32",))
    ),
    Form(
        "conv_transpose2d",
        "1x4x5x4xf32 4x2x2x3xf32 1x1x1x4xf32",
        "1x5x9x4xbf16",
        _transposed(1, (0, 0, 0, 0), 0, (1, 2), 2),
        _conv_text(1, 0, (1, 2), 2, ", output_padding = 0 : i32"),
    ),
]

INVALID = [
    ("conv2d", f"{X} {W}", "1x6x6x4xf32", _conv_text(0), "stride is 0"),
    ("conv2d", f"{X} {W}", "1x6x6x4xf32", _conv_text((1,)), "1 values"),
    ("conv2d", f"{X} {W}", "1x6x6x4xf32", _conv_text(1, (0,)), "1 values"),
    ("conv2d", f"{X} {W}", "1x6x6x4xf32", _conv_text(1, (0, 0, 0)), "3 values"),
    ("conv2d", f"{X} {W}", "1x6x6x4xf32", _conv_text(1, -1), "is negative"),
    ("conv2d", f"{X} {W}", "1x6x6x4xf32", _conv_text(1, 0, 0), "dilation is 0"),
    ("conv2d", f"{X} {W}", "1x6x6x4xf32", _conv_text(1, 0, 4), "is larger"),
    ("conv2d", f"{X} {W}", "1x6x6x4xf32", _conv_text(1, 0, 1, 3), "do not divide"),
    ("conv2d", f"{X} {W}", "1x6x6x4xf32", _conv_text(1, 0, 1, 0), "groups is 0"),
    ("conv2d", f"{X} {W}", "1x6x6x4xf32", _conv_text(extra=", channel_dim = 2 : i64"), "name a dimension twice"),
    ("conv2d", f"{X} {W} 4xf32", "1x6x6x4xf32", _conv_text(), "does not fit 4 output channels"),
    (
        "conv3d",
        "1x4x4x4x2xf32 3x2x2x2x2xf32",
        "1x3x3x3x3xf32",
        'stride = 1 : i32, padding = 0 : i32, groups = 1 : i32, padding_mode = "reflect"',
        "zeros or replicate",
    ),
    (
        "conv_transpose2d",
        f"{X} {W}",
        "1x16x16x4xf32",
        _conv_text(2, 1, 1, 1, ", output_padding = 2 : i32"),
        "must be less",
    ),
    (
        "conv_transpose2d",
        f"{X} {W}",
        "1x16x16x4xf32",
        _conv_text(2, 1, 1, 1, ", output_padding = -1 : i32"),
        "must be less",
    ),
]

"""Pools and resizing, window by window."""

from itertools import product

import numpy as np
import torch

from tests.forms.form import Form


def _tensor(x):
    return torch.from_numpy(np.ascontiguousarray(np.asarray(x, np.float64)))


def _pool(kind, kernel, stride, dilation, padding, ceil_mode=False, counted=True):
    """Window by window, as the definition says it; padding is top, left, bottom, right."""

    def run(x):
        n, height, width, c = x.shape
        (kh, kw), (sh, sw), (dh, dw), (t, l, b, r) = kernel, stride, dilation, padding
        rows, columns = (_count(*of, ceil_mode) for of in ((height, t, b, kh, sh, dh), (width, l, r, kw, sw, dw)))
        out = np.zeros((n, rows, columns, c))
        for i, j in product(range(rows), range(columns)):
            seen = [(i * sh - t + u * dh, j * sw - l + v * dw) for u, v in product(range(kh), range(kw))]
            inside = [x[:, y, z] for y, z in seen if 0 <= y < height and 0 <= z < width]
            in_padding = sum(-t <= y < height + b and -l <= z < width + r for y, z in seen)
            out[:, i, j] = (
                np.max(inside, 0) if kind == "max" else np.sum(inside, 0) / (in_padding if counted else len(inside))
            )
        return out

    return run


def _count(size, low, high, kernel, stride, dilation, ceil_mode):
    room = size + low + high - (kernel - 1) * dilation - 1
    count = (-(-room // stride) if ceil_mode else room // stride) + 1
    return count - 1 if ceil_mode and (count - 1) * stride >= size + low else count


def _pool_form(
    op,
    size,
    element,
    result,
    kernel,
    stride=(1, 1),
    dilation=(1, 1),
    padding=(0, 0, 0, 0),
    ceil_mode=False,
    counted=True,
    flat=False,
):
    n, h, w, c = size
    rows = _count(h, padding[0], padding[2], kernel[0], stride[0], dilation[0], ceil_mode)
    columns = _count(w, padding[1], padding[3], kernel[1], stride[1], dilation[1], ceil_mode)
    names = {"kernel": kernel, "stride": stride, "dilation": dilation, "padding": padding}
    text = ", ".join(f"{k} = array<i32: {', '.join(map(str, v))}>" for k, v in names.items())
    text += f", ceil_mode = {str(ceil_mode).lower()}" + (
        f", count_include_pad = {str(counted).lower()}" if op == "avg_pool2d" else ""
    )
    run = _pool(op[:3], kernel, stride, dilation, padding, ceil_mode, counted)
    given, made = f"{n}x{h}x{w}x{c}", f"{n}x{rows}x{columns}x{c}"
    if flat:
        text += (
            f", flattened_compat_info = #ttir<flattened_compat batch_size = {n}, input_height = {h}, input_width = {w}>"
        )
        given, made = f"1x1x{n * h * w}x{c}", f"1x1x{n * rows * columns}x{c}"
        return Form(
            op, f"{given}x{element}", f"{made}x{result}", lambda x: run(x.reshape(size)).reshape(1, 1, -1, c), text
        )
    return Form(op, f"{given}x{element}", f"{made}x{result}", run, text)


def _indexed(x):
    values, at = F.max_pool2d(_tensor(np.moveaxis(x, -1, 1)), 2, return_indices=True)
    return tuple(np.moveaxis(t.numpy(), 1, -1) for t in (values, at))


def _resized(x, factor, mode):
    more = {} if mode == "nearest" else {"align_corners": False}
    return np.moveaxis(
        F.interpolate(_tensor(np.moveaxis(x, -1, 1)), scale_factor=factor, mode=mode, **more).numpy(), 1, -1
    )


F = torch.nn.functional
POOLS = [
    {"kernel": (2, 2), "stride": (2, 2)},
    {"kernel": (3, 2), "stride": (2, 1), "padding": (1, 0, 0, 1)},
    {"kernel": (3, 3), "stride": (2, 2), "padding": (1, 1, 1, 1), "ceil_mode": True},
    {"kernel": (3, 3), "dilation": (2, 2)},
    {"kernel": (2, 3), "stride": (2, 1), "dilation": (3, 1), "padding": (1, 1, 1, 1)},
    {"kernel": (3, 2), "stride": (2, 2), "dilation": (1, 3), "padding": (2, 1, 0, 2), "ceil_mode": True},
    {"kernel": (1, 1), "stride": (3, 3), "dilation": (5, 5)},
    {"kernel": (2, 2), "dilation": (2, 2), "padding": (1, 1, 1, 1), "flat": True},
]
SIZE = (2, 7, 6, 3)
COUNTED = [{**p, "counted": c} for p, c in product(POOLS, (True, False))]
BILINEAR = 'scale_factor = {} : si32, mode = "{}"'
X, W = "1x8x8x4xf32", "4x4x3x3xf32"
POOL = "kernel = {}, stride = {}, dilation = {}, padding = {}, ceil_mode = false"
ONE, TWO, NONE = "1 : i32", "2 : i32", "0 : i32"

FORMS = [
    *(_pool_form("max_pool2d", SIZE, "f32", "f32", **p) for p in POOLS),
    *(_pool_form("avg_pool2d", SIZE, "f32", "f32", **p) for p in COUNTED),
    *(
        _pool_form(op, SIZE, a, r, **POOLS[k])
        for op, (a, r), k in product(
            ("max_pool2d", "avg_pool2d"), (("bf16", "bf16"), ("bf16", "f32"), ("f32", "bf16"), ("f16", "f16")), (1, 4)
        )
    ),
    Form(
        "max_pool2d_with_indices",
        "1x4x4x2xf32",
        "1x2x2x2xf32 1x2x2x2xi32",
        _indexed,
        "kernel = 2 : i32, stride = 2 : i32, dilation = 1 : i32, padding = 0 : i32, ceil_mode = false",
    ),
    *(
        Form("global_avg_pool2d", f"2x3x4x5x{a}", f"2x1x1x5x{r}", lambda x: x.mean((1, 2), keepdims=True))
        for a, r in product(("f32", "bf16"), ("f32", "bf16"))
    ),
    *(
        Form("upsample2d", "1x3x4x2xf32", f"1x6x8x2x{r}", lambda x, m=m: _resized(x, 2, m), BILINEAR.format(2, m))
        for m, r in product(("nearest", "bilinear"), ("f32", "bf16"))
    ),
    Form("upsample2d", "1x3x4x2xf32", "1x3x12x2xf32", lambda x: np.repeat(x, 3, 2), "scale_factor = array<i32: 1, 3>"),
]

INVALID = [
    ("max_pool2d", X, "1x7x7x4xf32", POOL.format("array<i32: 2>", ONE, ONE, NONE), "1 values"),
    ("max_pool2d", X, "1x7x7x4xf32", POOL.format(TWO, "array<i32: 1>", ONE, NONE), "1 values"),
    ("max_pool2d", X, "1x7x7x4xf32", POOL.format(TWO, ONE, "array<i32: 1>", NONE), "1 values"),
    ("max_pool2d", X, "1x7x7x4xf32", POOL.format(TWO, ONE, ONE, "array<i32: 0>"), "1 values"),
    ("max_pool2d", X, "1x7x7x4xf32", POOL.format(NONE, ONE, ONE, NONE), "kernel is 0"),
    ("max_pool2d", X, "1x7x7x4xf32", POOL.format(TWO, NONE, ONE, NONE), "stride is 0"),
    ("max_pool2d", X, "1x7x7x4xf32", POOL.format(TWO, ONE, NONE, NONE), "dilation is 0"),
    ("avg_pool2d", X, "1x9x9x4xf32", POOL.format(TWO, ONE, ONE, TWO), "leaves a window"),
    ("avg_pool2d", X, "1x7x7x4xf32", POOL.format("9 : i32", ONE, ONE, NONE), "is larger"),
    ("avg_pool2d", X, "1x7x7x4xf32", POOL.format(TWO, ONE, ONE, "-1 : i32"), "is negative"),
    ("max_pool2d", "8x8x4xf32", "7x7x4xf32", POOL.format(TWO, ONE, ONE, NONE), "rank 3, not 4"),
    ("max_pool2d_with_indices", X, "1x7x7x4xf32 1x7x7x4xf32", POOL.format(TWO, ONE, ONE, NONE), "not integers"),
    ("upsample2d", X, "1x16x16x4xf32", 'scale_factor = 2 : si32, mode = "cubic"', "nearest or bilinear"),
    ("upsample2d", X, "1x0x0x4xf32", "scale_factor = 0 : si32", "must be positive"),
    ("upsample2d", X, "1x16x16x4xf32", "scale_factor = array<i32: 2>", "1 values"),
    ("global_avg_pool2d", "8x8x4xf32", "1x1x4xf32", "", "rank 3, not 4"),
]

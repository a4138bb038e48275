"""Normalisation, parameters in any of the shapes that they come in."""

from itertools import product

import numpy as np
import torch

from tests.forms.form import Form


def _t(x):
    return torch.from_numpy(np.ascontiguousarray(x))


def _layer(x, weight=None, bias=None, count=1, eps=1e-5):
    return F.layer_norm(
        _t(x), x.shape[-count:], None if weight is None else _t(weight), None if bias is None else _t(bias), eps
    ).numpy()


def _rms(x, weight=1.0, bias=0.0, count=1, eps=1e-5):
    axes = tuple(range(x.ndim - count, x.ndim))
    return x / np.sqrt((x * x).mean(axes, keepdims=True) + eps) * weight + bias


def _batch(x, scale, offset, mean, variance, dim=1, eps=0.5):
    along = [-1 if d == dim else 1 for d in range(x.ndim)]
    scale, offset, mean, variance = (v.reshape(along) for v in (scale, offset, mean, variance))
    return (x - mean) / np.sqrt(variance + eps) * scale + offset


def _batch_training(x, scale, offset, mean, variance, dim=1, momentum=0.25):
    others = tuple(d for d in range(x.ndim) if d != dim)
    own = x.mean(others), x.var(others)
    kept = [
        (1 - momentum) * old + momentum * new.reshape(old.shape) for old, new in zip((mean, variance), own, strict=True)
    ]
    return _batch(x, scale, offset, *own, dim), *kept


def _group(x, weight=None, bias=None, groups=2, dim=3, eps=0.5):
    made = F.group_norm(
        _t(np.moveaxis(x, dim, 1)),
        groups,
        None if weight is None else _t(weight),
        None if bias is None else _t(bias),
        eps,
    )
    return np.moveaxis(made.numpy(), 1, dim)


F = torch.nn.functional
BN, BNT = (
    "epsilon = 0.5 : f32, dimension = {} : i32",
    "epsilon = 0.5 : f32, momentum = 0.25 : f32, dimension = {} : i32",
)

FORMS = [
    *(
        Form(
            "layer_norm",
            f"4x3x8x{a}",
            f"4x3x8x{r}",
            _layer,
            "normalized_shape = array<i64: 8>, operandSegmentSizes = array<i32: 1, 0, 0>",
        )
        for a, r in product(("f32", "bf16", "f16"), ("f32", "bf16"))
    ),
    Form(
        "layer_norm",
        "4x3x8xf32 3x8xf32 3x8xf32",
        "4x3x8xf32",
        lambda x, w, b: _layer(x, w, b, 2),
        "normalized_shape = array<i64: 3, 8>, operandSegmentSizes = array<i32: 1, 1, 1>",
    ),
    Form(
        "layer_norm",
        "4x8xf32 8xbf16",
        "4x8xf32",
        _layer,
        "normalized_shape = array<i64: 8>, operandSegmentSizes = array<i32: 1, 1, 0>",
    ),
    Form(
        "layer_norm",
        "4x8xf32",
        "4x8xf32",
        lambda x: _layer(x, eps=1.0),
        "normalized_shape = array<i64: 8>, epsilon = 1.0 : f32, operandSegmentSizes = array<i32: 1, 0, 0>",
    ),
    Form(
        "layer_norm",
        "4x3x8xbf16 3x8xbf16 4x3x8xbf16",
        "4x3x8xf32",
        lambda x, b, r: _layer(x + r, None, b, 2),
        "normalized_shape = array<i64: 3, 8>, operandSegmentSizes = array<i32: 1, 0, 1, 1>",
    ),
    Form(
        "rms_norm",
        "4x8xf32 8xf32 4x8xf32",
        "4x8xf32",
        lambda x, w, r: _rms(x + r, w),
        "normalized_shape = array<i64: 8>, operandSegmentSizes = array<i32: 1, 1, 0, 1>",
    ),
    *(
        Form(
            "rms_norm",
            f"4x3x8x{a} 8x{a}",
            f"4x3x8x{r}",
            _rms,
            "normalized_shape = array<i64: 8>, operandSegmentSizes = array<i32: 1, 1, 0>",
        )
        for a, r in product(("f32", "bf16"), ("f32", "bf16"))
    ),
    Form(
        "rms_norm",
        "4x8xf32 8xf32 8xf32",
        "4x8xf32",
        _rms,
        "normalized_shape = array<i64: 8>, operandSegmentSizes = array<i32: 1, 1, 1>",
    ),
    Form(
        "rms_norm",
        "4x8xf32",
        "4x8xf32",
        lambda x: _rms(x, count=2),
        "normalized_shape = array<i64: 4, 8>, operandSegmentSizes = array<i32: 1, 0, 0>",
    ),
    *(
        Form(
            "batch_norm_inference",
            f"2x3x4x5xf32 {p} {p} {p} {p}",
            "2x3x4x5xf32",
            lambda x, *p, d=d: _batch(x, *p, dim=d),
            BN.format(d),
        )
        for p, d in (("3xf32", 1), ("1x3x1x1xf32", 1), ("5xf32", 3), ("1x1x1x5xf32", 3), ("2xf32", 0), ("1x4xf32", 2))
    ),
    Form("batch_norm_inference", "2x3xbf16 3xf32 3xf32 3xf32 3xf32", "2x3xf32", _batch, BN.format(1)),
    Form("batch_norm_inference", "2x3x1x2x2xf32 3xf32 3xf32 3xf32 3xf32", "2x3x1x2x2xbf16", _batch, BN.format(1)),
    *(
        Form(
            "batch_norm_training",
            f"2x3x4x5xf32 {p} {p} {p} {p}",
            f"2x3x4x5xf32 {p} {p}",
            lambda x, *p, d=d: _batch_training(x, *p, dim=d),
            BNT.format(d),
        )
        for p, d in (("3xf32", 1), ("1x3x1x1xf32", 1), ("1x1x1x5xf32", 3))
    ),
    Form(
        "group_norm",
        "2x3x4x6xf32",
        "2x3x4x6xf32",
        _group,
        "num_groups = 2 : i64, epsilon = 0.5 : f32, operandSegmentSizes = array<i32: 1, 0, 0, 0>",
    ),
    Form(
        "group_norm",
        "2x6x3x4xf32 6xf32 6xf32",
        "2x6x3x4xbf16",
        lambda x, w, b: _group(x, w, b, 3, 1),
        "num_groups = 3 : i64, epsilon = 0.5 : f32, channel_dim = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 1, 1>",
    ),
    Form(
        "group_norm",
        "1x1x32x64xf32 1x2x32x32xf32 1x1x2x32xf32 1x1x2x32xf32",
        "1x1x32x64xf32",
        lambda x, _, w, b: _group(x, w.ravel(), b.ravel(), 2, 3),
        "num_groups = 2 : i64, epsilon = 0.5 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1>",
    ),
    *(
        Form(
            "distributed_rms_norm",
            "4x8xf32 8xf32",
            "4x8xf32",
            _rms,
            "cluster_axis = 1 : ui32, operandSegmentSizes = array<i32: 1, 1, 0>",
        )
        for _ in "1"
    ),
    Form(
        "distributed_layer_norm",
        "4x8xf32 8xf32 8xf32 4x8xf32",
        "4x8xf32",
        lambda x, w, b, r: _layer(x + r, w, b),
        "cluster_axis = 1 : ui32, operandSegmentSizes = array<i32: 1, 1, 1, 1>",
    ),
]

INVALID = [
    ("batch_norm_inference", "2x3xf32 3xf32 3xf32 3xf32 3xf32", "2x3xf32", BN.format(-1), "counted from the front"),
    (
        "layer_norm",
        "4x8xf32",
        "4x8xf32",
        "normalized_shape = array<i64: 4>, operandSegmentSizes = array<i32: 1, 0, 0>",
        "is not the end",
    ),
    (
        "layer_norm",
        "4x8xf32",
        "4x8xf32",
        "normalized_shape = array<i64>, operandSegmentSizes = array<i32: 1, 0, 0>",
        "is not the end",
    ),
    (
        "layer_norm",
        "4x8xf32 4xf32",
        "4x8xf32",
        "normalized_shape = array<i64: 8>, operandSegmentSizes = array<i32: 1, 1, 0>",
        "expected [8]",
    ),
    (
        "rms_norm",
        "4x8xf32 1x8xf32",
        "4x8xf32",
        "normalized_shape = array<i64: 8>, operandSegmentSizes = array<i32: 1, 0, 0, 1>",
        "residual is tensor<1x8xf32>, expected tensor<4x8xf32>",
    ),
    (
        "rms_norm",
        "4x8xf32",
        "4x8xf32",
        "normalized_shape = array<i64: 2, 4, 8>, operandSegmentSizes = array<i32: 1, 0, 0>",
        "is not the end",
    ),
    ("batch_norm_inference", "2x3x4xf32 4xf32 4xf32 4xf32 4xf32", "2x3x4xf32", BN.format(1), "expected [3]"),
    ("batch_norm_inference", "2x4x4xf32 2x2xf32 4xf32 4xf32 4xf32", "2x4x4xf32", BN.format(1), "expected [4]"),
    ("batch_norm_inference", "2x3x4xf32 3xf32 3xf32 3xf32 3xf32", "2x3x4xf32", BN.format(3), "out of range"),
    ("batch_norm_inference", "3xf32 3xf32 3xf32 3xf32 3xf32", "3xf32", BN.format(0), "not 2 to 5"),
    (
        "batch_norm_training",
        "2x3x4xf32 3xf32 3xf32 3xf32 4xf32",
        "2x3x4xf32 3xf32 4xf32",
        BNT.format(1),
        "running_variance",
    ),
    (
        "group_norm",
        "2x3x4x6xf32",
        "2x3x4x6xf32",
        "num_groups = 4 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>",
        "does not divide",
    ),
    (
        "group_norm",
        "2x3x4x6xf32",
        "2x3x4x6xf32",
        "num_groups = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>",
        "num_groups 0",
    ),
    (
        "group_norm",
        "2x3x4x6xf32",
        "2x3x4x6xf32",
        "num_groups = 2 : i64, channel_dim = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>",
        "is the batch",
    ),
    (
        "group_norm",
        "1x1x32x64xf32 1x1x1x64xf32",
        "1x1x32x64xf32",
        "num_groups = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 1, 0>",
        "expected [64]",
    ),
    (
        "distributed_rms_norm",
        "4x8xf32",
        "4x8xf32",
        "cluster_axis = 2 : ui32, operandSegmentSizes = array<i32: 1, 0, 0>",
        "axes of a mesh are 0 and 1",
    ),
]

"""Every op of the torch dialect that has a conversion, by itself: values as PyTorch's, ops as declared."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812 as everyone calls it
from torch import nn

from ttstack.frontends.torch import Imported, export, import_program
from ttstack.frontends.torch_to_ttir import CONVERSIONS, torch_to_ttir
from ttstack.frontends.torch_to_ttir.call import Call
from ttstack.mlir import ir, register_torch_dialect
from ttstack.session import new_context

aten = torch.ops.aten

pytestmark = pytest.mark.filterwarnings(
    "ignore:Using padding='same' with even kernel", "ignore:The reduce argument of torch.scatter"
)


class Function(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> object:
        return self.function(*inputs)


def real(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(math.prod(shape)))


def positive(*shape: int) -> torch.Tensor:
    return real(*shape).abs() + 0.1


def whole(*shape: int, low: int = -9, high: int = 9, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    generator = torch.Generator().manual_seed(math.prod(shape))
    return torch.randint(low, high, shape, generator=generator, dtype=dtype)


def bools(*shape: int) -> torch.Tensor:
    return real(*shape) > 0


def writes(x: torch.Tensor, i: torch.Tensor, v: torch.Tensor) -> list[torch.Tensor]:
    """Assignments to parts of a copy, which the export turns into functions."""
    copies = [x.clone() for _ in range(10)]
    copies[0][i] = 1.0
    copies[1][i, i] = v
    copies[2][:, 1:3] = 2.0
    copies[3][0] = x[1]
    copies[4][x > 0] = 0
    copies[5][:, i] += 1
    copies[6][1::2] = 5
    copies[7][:, 1::2] = v
    copies[8][x[:, 0] > 0] = v[0]
    copies[9].copy_(x[:1] * 2)
    deep = [x.reshape(2, 2, 6).repeat(2, 2, 1) for _ in range(3)]
    deep[0][:, i, i] = v
    deep[1][i, :, i] = v[:, None]
    deep[2][:, :1][:, 0] = v[1]
    return [*copies, *deep, aten.index_put(x, [i], v[:, None], True), aten.fill.Tensor(x, v[0])]


X, Y, P = real(4, 6), real(6, 4).T.contiguous(), positive(4, 6)
I, J = whole(4, 6), whole(6, 4, low=1).T.contiguous()
B, C = bools(4, 6), bools(6, 4).T.contiguous()
T = real(2, 3, 4, 5)

CASES: dict[str, tuple[Callable[..., object], tuple[torch.Tensor, ...]]] = {
    "unary": (
        lambda x: [
            f(x)
            for f in (
                torch.abs,
                torch.asinh,
                torch.atan,
                torch.ceil,
                torch.cos,
                torch.erf,
                torch.erfc,
                torch.exp,
                torch.exp2,
                torch.expm1,
                torch.floor,
                torch.frac,
                F.hardsigmoid,
                F.mish,
                torch.neg,
                torch.reciprocal,
                torch.relu,
                F.relu6,
                torch.sigmoid,
                torch.sign,
                F.silu,
                torch.sin,
                torch.square,
                torch.tan,
                torch.tanh,
                torch.trunc,
            )
        ],
        (X,),
    ),
    "unary on part of the reals": (
        lambda x: [torch.log(x), torch.log1p(x), torch.rsqrt(x), torch.sqrt(x), torch.log2(x), torch.log10(x)],
        (P,),
    ),
    "unary between -1 and 1": (lambda x: [torch.acos(x), torch.asin(x)], (X.clamp(-1, 1),)),
    "unary of integers": (lambda i: [torch.cos(i), i.abs(), torch.bitwise_not(i), ~(i > 0)], (I,)),
    "predicates": (
        lambda x: [torch.isfinite(x), torch.isinf(x), torch.isnan(x), x.logical_not(), aten.signbit(x)],
        (torch.tensor([0.0, -1.5, math.inf, -math.inf, math.nan]),),
    ),
    "binary": (
        lambda x, y: [
            x * y,
            x / y,
            torch.atan2(x, y),
            torch.maximum(x, y),
            torch.minimum(x, y),
            torch.fmod(x, y),
            torch.remainder(x, y),
            torch.max(x, y),
            torch.min(x, y),
            x.abs() ** y,
            x + y,
            x - y,
            torch.add(x, y, alpha=2),
            torch.sub(x, y, alpha=0.5),
            torch.clamp_min(x, y),
            torch.clamp_max(x, y),
        ],
        (X, Y),
    ),
    "binary with a number": (
        lambda x: [
            x * 3,
            x / 3,
            2**x,
            torch.fmod(x, 2),
            torch.remainder(x, -2),
            x + 1,
            x - 2.5,
            3 - x,
            torch.rsub(x, 2, alpha=3),
            torch.clamp_min(x, 0),
            torch.clamp_max(x, 0.5),
            torch.add(x, 2, alpha=3),
        ],
        (X,),
    ),
    "binary of mixed types": (
        lambda x, i, b, h: [x * i, i / 2, i * 1.5, x + b, i - x, h + x, i + b, h * 2, i.to(torch.int32) + i],
        (X, I, B, X.half()),
    ),
    "binary with broadcast": (lambda x, v, s: [x * v, v[:, None] - x[0], x + s, s * 2], (X, X[0], torch.tensor(2.5))),
    "binary of integers": (
        lambda i, j: [
            i // j,
            i % j,
            torch.div(i, j, rounding_mode="trunc"),
            torch.div(i, j, rounding_mode="floor"),
            torch.div(i, j),
            i // 4,
            torch.fmod(i, j),
            i & j,
            i | j,
            i ^ j,
            i & 3,
            torch.bitwise_or(i, 4),
            torch.bitwise_xor(i, 5),
            aten.__or__.Scalar(i, 6),
            aten.__xor__.Scalar(i, 6),
            aten.__and__.Scalar(i, 6),
            torch.bitwise_and(i, 6),
            i + 2**40,
        ],
        (I, J),
    ),
    "division of reals": (
        lambda x, y: [
            x // y,
            torch.div(x, y, rounding_mode="trunc"),
            torch.div(x, y, rounding_mode=None),
            torch.div(x, 0.3, rounding_mode="floor"),
            x // 0.3,
            aten.true_divide.Tensor(x, y),
            aten.true_divide.Scalar(x, 3),
            aten.div.Scalar_mode(x, 0.3, rounding_mode="floor"),
        ],
        (X, Y),
    ),
    "logic": (
        lambda b, c, i: [
            b & c,
            b | c,
            b ^ c,
            torch.bitwise_and(b, c),
            torch.bitwise_or(b, c),
            torch.bitwise_xor(b, c),
            torch.logical_and(b, i),
            torch.logical_or(i, c),
            torch.logical_xor(b, c),
        ],
        (B, C, I),
    ),
    "comparisons": (
        lambda x, i: [x == i, x != i, x < i, x <= i, x > i, x >= i],
        (I.float(), whole(6, 4).T.contiguous()),
    ),
    "comparisons with a number": (
        lambda x, i, b: [x == 1, x != 0, x < 0.5, x <= -1, x > 2, x >= 0, i > 0.5, i == 3, b == 1],
        (X, I, B),
    ),
    "choices": (
        lambda c, x, y, i: [
            torch.where(c, x, y),
            torch.where(c, x, 0.0),
            torch.where(c, 1, x),
            torch.where(c, 1.0, 2.0),
            torch.where(c, i, y),
            x.masked_fill(c, -math.inf),
            x.masked_fill(c, y[0, 0]),
        ],
        (B, X, Y, I),
    ),
    "bounds": (
        lambda x, y, i: [
            x.clamp(-1, 0.5),
            x.clamp(min=0),
            x.clamp(max=0),
            i.clamp(-2, 3),
            x.clamp(min=y),
            x.clamp(max=y),
            x.clamp(y, y + 1),
            F.hardtanh(x),
        ],
        (X, Y, I),
    ),
    "powers": (lambda x, i: [x**2, x**0.5, x**-0.5, x**3, x**-1, i**2, x**2.5], (P, I)),
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
    "casts": (
        lambda x, i, b: [
            x.to(torch.int32),
            x.to(torch.bool),
            i.to(torch.float32),
            b.to(torch.int64),
            i.bool(),
            x.to("cpu", torch.float64),
            i.type_as(x),
            x.to(i),
            x.bfloat16() + 1,
            aten._to_copy(x, dtype=torch.float16),
            x.to("cpu"),
            x.double() * 0.1,
        ],
        (X * 3, I, B),
    ),
    "triangles": (
        lambda x, b: [torch.tril(x), torch.triu(x, 1), torch.tril(x, -2), torch.tril(b)],
        (real(2, 4, 6), B),
    ),
    "products": (
        lambda a, b, v, w: [
            a @ b,
            a @ v,
            torch.mm(a[0], b[0]),
            torch.bmm(a, b),
            torch.mv(a[0], v),
            torch.outer(v, w[0]),
            torch.einsum("bij,bjk->bik", a, b),
            torch.einsum("bij,jk->kbi", a, w.T),
            torch.einsum("bij,oj->i", a, w),
            F.linear(a, w),
            F.linear(a, w, w[:, 0]),
            torch.addmm(w[:, 0], a[0], w.T),
            torch.addmm(w[:, 0], a[0], w.T, beta=0.5, alpha=2),
            torch.addmm(w[:, 0], a[0], w.T, beta=0),
            torch.baddbmm(a @ b, a, b),
        ],
        (real(2, 3, 4), real(2, 4, 5), real(4), real(7, 4)),
    ),
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
    "shapes": (
        lambda x: [
            x.view(6, -1),
            x.reshape(4, 5, 6),
            aten._unsafe_view(x, [6, 20]),
            x.flatten(1, 2),
            x.unflatten(2, (2, 2)),
            x[:, :1].squeeze(),
            x[:, :1].squeeze(1),
            x.squeeze(1),
            x.unsqueeze(-1),
            x.view_as(x.reshape(5, 24)),
            x.reshape_as(x.reshape(5, 24)),
            aten._reshape_alias(x, [120], [1]),
            x.ravel(),
            x.swapaxes(0, 1),
            x.mT,
            x.transpose(1, 3),
            x.transpose(2, 2),
            x[0, 0].t(),
            x[0, 0].T,
            x.permute(3, 0, -2, 1),
            x.movedim(1, -1),
            x.transpose(0, 1).contiguous(),
        ],
        (T,),
    ),
    "repetition": (
        lambda x, y: [
            x.expand(3, -1, 6),
            x.expand(4, 6),
            x.expand_as(y),
            torch.broadcast_to(x, (2, 4, 6)),
            y.repeat(2, 1, 3),
            y.repeat(1, 1),
            y.tile(2, 2),
            y.repeat_interleave(3, dim=1),
            y.repeat_interleave(2),
            y.flip(0, -1),
        ],
        (real(4, 1), X),
    ),
    "parts": (
        lambda x: [
            x[:, 1:4],
            x[::2, -3:],
            x[:, 9:],
            x[2],
            x[:, -1],
            x.narrow(1, 2, 3),
            x.narrow(1, -2, 2),
            *torch.split(x, 4, dim=1),
            *torch.split(x, [1, 2, 3], dim=-1),
            *x.chunk(4, 1),
            *x.unbind(0),
            *aten.split_with_sizes(x, [1, 3]),
        ],
        (X,),
    ),
    "joins": (
        lambda x, i: [
            torch.cat([x, x]),
            torch.cat([x, i], 1),
            torch.cat([torch.zeros(0), x]),
            torch.stack([x, x]),
            torch.stack([x, i], -1),
            torch.stack([x, x], 1),
            torch.cat([x[:1] * n for n in range(300)]),
        ],
        (X, I),
    ),
    "shifts and padding": (
        lambda x, b: [
            torch.roll(x, 2, 1),
            torch.roll(x, (1, -2), (0, 1)),
            torch.roll(x, 5),
            F.pad(x, (1, 2)),
            F.pad(x, (1, -1, 0, 2), value=-1.5),
            aten.constant_pad_nd(x, [0, 0, 2, 1], 3),
            F.pad(x, (1, 2), mode="reflect"),
            F.pad(x[None], (1, 2, 3, 0), mode="reflect"),
            F.pad(x, (2, 1), mode="replicate"),
            F.pad(x, (2, 1), mode="circular"),
            F.pad(x, (-1, 1), mode="replicate"),
            aten.reflection_pad1d(x, [1, 3]),
            aten.reflection_pad2d(x[None], [1, 0, 2, 3]),
            torch.diff(x),
            torch.diff(x, n=2, dim=0),
            torch.diff(x, prepend=x[:, :1], append=x[:, -2:]),
            torch.diff(b),
        ],
        (X, B),
    ),
    "creation": (
        lambda x: [
            torch.full((2, 3), 1.5),
            torch.full_like(x, 7),
            torch.zeros(2),
            torch.zeros_like(x, dtype=torch.int64),
            torch.ones(3, dtype=torch.bool),
            torch.ones_like(x),
            x.new_zeros(2, 2),
            x.new_ones(2),
            x.new_full((2,), -math.inf),
            torch.scalar_tensor(4.5),
            torch.full((2,), 2**40),
            torch.arange(5),
            torch.arange(2, 7),
            torch.arange(7, 1, -2),
            torch.arange(0.0, 4.0),
            torch.arange(0.5, 3.0, 0.25),
            torch.arange(3, dtype=torch.float32),
            torch.linspace(-1, 1, 7),
            torch.linspace(2, 5, 1),
            torch.eye(3),
            torch.eye(2, 4, dtype=torch.int64),
            aten.fill.Scalar(x, 3),
            aten.zero(x),
            torch.tensor([1, 2, 3]),
            torch.tensor(2.5, dtype=torch.bfloat16),
        ],
        (X,),
    ),
    "memory that is not initialised": (
        lambda x: [torch.empty(3) * 0, torch.empty_like(x) * 0, x.new_empty(2) * 0],
        (X,),
    ),
    "lookups": (
        lambda w, i, x: [
            F.embedding(i, w),
            torch.gather(w, 1, i),
            torch.index_select(w, 1, i[0]),
            torch.index_select(x, 2, i[0]),
            torch.index_select(w, 0, torch.tensor(2)),
            w[i],
            w[i[0], i[1]],
            x[:, i[0], i[1]],
            x[:, i[0][:, None], i[1]],
            x[:, i],
            x[i[:, :2], :, i[:, :2]],
            w[i[0], 1],
        ],
        (real(4, 3), whole(2, 3, low=0, high=3), real(3, 4, 4, 2)),
    ),
    "bags": (
        lambda w, i, o, p: [
            F.embedding_bag(i, w, o, mode="sum"),
            F.embedding_bag(i, w, o, mode="mean"),
            F.embedding_bag(i, w, o, mode="max"),
            F.embedding_bag(i, w, o, mode="sum", per_sample_weights=p),
            F.embedding_bag(i, w, o, mode="sum", include_last_offset=True),
            F.embedding_bag(i, w, o, mode="mean", padding_idx=2),
            F.embedding_bag(i.view(4, 2), w, mode="sum"),
            torch.embedding_bag(w, i, o, False, 1)[0],
        ],
        (real(5, 3), whole(8, low=0, high=5), torch.tensor([0, 3, 3, 8]), real(8)),
    ),
    "attention": (
        lambda q, k, v, m: [
            F.scaled_dot_product_attention(q, k, v),
            F.scaled_dot_product_attention(q, k, v, is_causal=True),
            F.scaled_dot_product_attention(q, k, v, scale=0.3),
            F.scaled_dot_product_attention(q, k, v, attn_mask=m),
            F.scaled_dot_product_attention(q, k, v, attn_mask=m.float() * -2),
            F.scaled_dot_product_attention(q, k[:, :2], v[:, :2], enable_gqa=True),
            F.scaled_dot_product_attention(q[0], k[0], v[0], attn_mask=m[0]),
            F.scaled_dot_product_attention(q[0, 0], k[0, 0], v[0, 0]),
        ],
        (real(2, 4, 5, 8), real(2, 4, 7, 8), real(2, 4, 7, 8) + 1, real(2, 1, 5, 7) > -1),
    ),
    "convolutions of images": (
        lambda x, w, g, b: [
            F.conv2d(x, w, b),
            F.conv2d(x, w, b, stride=(2, 1), padding=(1, 2), dilation=(1, 2)),
            F.conv2d(x, g, b, groups=2),
            F.conv2d(x, w, padding="same"),
            F.conv2d(x, w[..., :2], padding="same", dilation=(1, 3)),
            F.conv2d(x, w, b, padding="valid"),
            F.conv2d(x[0], w, b),
            aten.convolution(x, w, b, [2, 2], [1, 1], [1, 1], False, [0, 0], 1),
            aten.convolution(x, w.transpose(0, 1), b, [2, 2], [1, 1], [1, 1], True, [1, 0], 1),
            aten._convolution(x, w, None, [1], [1], [1], False, [0], 1, False, False, True, True),
            F.conv_transpose2d(x, w.transpose(0, 1), b),
            F.conv_transpose2d(x, w.transpose(0, 1), b, stride=2, padding=1, output_padding=(1, 0), dilation=(1, 2)),
            F.conv_transpose2d(x, g.reshape(4, 4, 3, 3), groups=2, stride=(3, 2)),
            F.conv_transpose2d(x[0], w.transpose(0, 1)),
        ],
        (real(2, 4, 7, 9), real(8, 4, 3, 3) / 6, real(8, 2, 3, 3) / 6, real(8)),
    ),
    "convolutions of lines and volumes": (
        lambda x, w, b, y, v: [
            F.conv1d(x, w, b, stride=2, padding=1, dilation=2),
            F.conv1d(x, w, padding="same"),
            F.conv1d(x, w[..., :2], padding="same"),
            F.conv1d(x[0], w, b),
            F.conv_transpose1d(x, w.transpose(0, 1), b, stride=3, padding=1, output_padding=2, dilation=2),
            F.conv_transpose1d(x[0], w.transpose(0, 1)),
            F.conv3d(y, v, b, stride=(1, 2, 1), padding=(1, 0, 1)),
            F.conv3d(y, v, padding="same"),
        ],
        (real(2, 4, 9), real(8, 4, 3) / 3, real(8), real(2, 2, 3, 4, 5), real(8, 2, 3, 3, 3) / 7),
    ),
    "pools": (
        lambda x: [
            F.max_pool2d(x, 2),
            F.max_pool2d(x, (3, 2), stride=2, padding=1, dilation=(1, 2), ceil_mode=True),
            F.max_pool2d(x[0], 2),
            F.max_pool1d(x[0], 2),
            F.max_pool1d(x[0, 0], 3, stride=1, padding=1),
            *F.max_pool2d(x, 3, stride=2, padding=1, return_indices=True),
            F.avg_pool2d(x, 2),
            F.avg_pool2d(x, 3, stride=2, padding=1, ceil_mode=True),
            F.avg_pool2d(x, 3, stride=2, padding=1, count_include_pad=False),
            F.avg_pool1d(x[0], 2),
            F.adaptive_avg_pool2d(x, 1),
            F.adaptive_avg_pool2d(x, (3, 2)),
            F.adaptive_avg_pool2d(x, (4, None)),
            F.adaptive_avg_pool2d(x[0], 5),
            F.adaptive_avg_pool1d(x[0], 4),
            F.adaptive_avg_pool1d(x[0], 1),
            F.adaptive_avg_pool1d(x[0], 5),
            *F.adaptive_max_pool2d(x, (3, 4), return_indices=True),
            *F.adaptive_max_pool1d(x[0], 2, return_indices=True),
        ],
        (real(2, 3, 6, 8),),
    ),
    "resizing": (
        lambda x: [
            F.interpolate(x, scale_factor=2),
            F.interpolate(x, size=(8, 18)),
            F.interpolate(x, size=(5, 3)),
            F.interpolate(x, scale_factor=(2.3, 0.7)),
            F.interpolate(x, scale_factor=(2, 3), mode="bilinear"),
            F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True),
            F.interpolate(x, size=(3, 9), mode="bilinear"),
            F.interpolate(x, scale_factor=1.7, mode="bilinear"),
            F.interpolate(x, size=(7, 5), mode="bicubic"),
            F.interpolate(x, scale_factor=2, mode="bicubic", align_corners=True),
            F.interpolate(x, size=(7, 4), mode="nearest-exact"),
            F.interpolate(x[0], size=7, mode="nearest-exact"),
            F.interpolate(x[0], scale_factor=2),
            F.interpolate(x[0], size=9, mode="linear"),
            aten.upsample_nearest2d(x, [8, 12], None, None),
            aten.upsample_nearest2d(x, [5, 12], 1.4, 2.0),
            aten.upsample_bilinear2d(x, [8, 12], False, 2.0, 2.0),
        ],
        (real(2, 3, 4, 6),),
    ),
    "shuffles": (
        lambda x: [
            F.pixel_shuffle(x, 2),
            F.pixel_shuffle(x[0], 2),
            F.pixel_unshuffle(x, 2),
            F.channel_shuffle(x, 4),
        ],
        (real(2, 8, 4, 6),),
    ),
    "orders": (
        lambda x: [
            *torch.topk(x, 3),
            *torch.topk(x, 2, dim=0, largest=False),
            *torch.sort(x),
            *torch.sort(x, dim=0, descending=True),
            *torch.sort(x, stable=True, dim=0, descending=True),
            torch.argsort(x, descending=True),
            torch.argsort(x, stable=True, dim=0),
        ],
        (X,),
    ),
    "scatters": (
        lambda x, i, s: [
            x.scatter(0, i, s),
            x.scatter(1, i, 1.5),
            x.scatter_add(0, i, s),
            x.scatter(0, i, s, reduce="multiply"),
            x.scatter_reduce(0, i, s, "sum"),
            x.scatter_reduce(0, i, s, "amax", include_self=False),
            x.scatter_reduce(0, i, s, "prod", include_self=False),
            x.index_add(0, i[0], x[1:], alpha=2),
            x.index_add(-1, i[0], x[:, :3]),
            x.index_copy(0, i[1], x[1:]),
            x.index_fill(1, i[1], 7),
        ],
        (X, torch.tensor([[3, 0, 1], [2, 1, 0]]), real(2, 3)),
    ),
    "writes": (
        writes,
        (X, torch.tensor([3, 0, 1]), real(3)),
    ),
    "windows, grids and classes": (
        lambda x, i, v: [
            x.unfold(1, 3, 2),
            x.unfold(0, 2, 1),
            *torch.meshgrid(v, x[0], indexing="ij"),
            *torch.meshgrid(v, x[0], v, indexing="xy"),
            F.one_hot(i % 5, 5),
            torch.lerp(x, x.flip(0), 0.3),
            torch.lerp(x, x.flip(0), x.abs()),
        ],
        (X, I, real(4)),
    ),
    "recurrent layers": (
        lambda x, h, wx, wh, b: [
            *torch.lstm(x, [h, h * 2], [wx, wh, b, b * 2] * 2, True, 1, 0.0, False, True, True),
            *torch.lstm(x, [h[:1, :1].expand(1, 3, 4)] * 2, [wx, wh], False, 1, 0.0, False, False, False),
            *torch.gru(
                x, h[:, :1].expand(2, 3, 4), [wx[:12], wh[:12], b[:12], b[4:]] * 2, True, 2, 0.0, False, False, False
            ),
            *torch.rnn_tanh(x, h, [wx[:4], wh[:4]] * 2, False, 1, 0.0, False, True, True),
            *torch.rnn_relu(x, h[:1], [wx[:4], wh[:4]], False, 1, 0.0, False, False, True),
        ],
        (real(2, 3, 4), real(2, 2, 4), real(16, 4), real(16, 4), real(16)),
    ),
    "normalization": (
        lambda x, w, b, s: [
            F.layer_norm(x, (6,), w, b),
            F.layer_norm(x, (4, 6), eps=1e-3),
            F.rms_norm(x, (6,), w, 1e-6),
            F.rms_norm(x, (6,)),
            F.batch_norm(x, s, s + 1, s, s, eps=1e-3),
            F.batch_norm(x, s, s + 1),
            aten._native_batch_norm_legit_no_training(x, s, s, s, s + 1, 0.1, 1e-5)[0],
            F.group_norm(x, 2, s, s + 1),
            F.group_norm(x, 4),
            F.instance_norm(x, weight=s, bias=s),
            F.instance_norm(x),
            torch._weight_norm(x, b[None, None], 2),
            torch._weight_norm(x, x[:, :1, :1], 0),
            aten.native_layer_norm(x, [6], w, b, 1e-5)[0],
            F.group_norm(x.view(3, 4, 2, 3), 2, s, s + 1),
            F.group_norm(x.view(3, 4, 2, 3), 4),
            F.batch_norm(x.view(3, 4, 2, 3), s, s + 1, s, s),
            aten.native_group_norm(x, s, None, 3, 4, 6, 2, 1e-5)[0],
        ],
        (real(3, 4, 6), real(6), real(6), positive(4)),
    ),
}


@dataclass(frozen=True)
class Converted:
    """A case before and after its conversion."""

    sources: frozenset[str]
    targets: frozenset[str]
    module: ir.Module
    imported: Imported


@cache
def converted(name: str) -> Converted:
    function, inputs = CASES[name]
    with new_context() as context, ir.Location.unknown():
        imported = import_program(export(Function(function), inputs), context)
        sources = op_names(imported.module)
        torch_to_ttir(imported.module)
        imported.module.operation.verify()
        return Converted(sources, op_names(imported.module), imported.module, imported)


def op_names(module: ir.Module) -> frozenset[str]:
    block = module.body.operations[0].regions[0].blocks[0]
    return frozenset(Call.name_of(op.operation) for op in block.operations) - {"func.return"}


def array(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()


@pytest.mark.parametrize("name", CASES)
def test_values_are_pytorchs(name: str, interpret: Callable[..., list[np.ndarray[Any, Any]]]):
    function, inputs = CASES[name]
    case = converted(name)
    weights = [array(case.imported.weights[a.name]) for a in case.imported.arguments[len(inputs) :]]
    with case.module.context:
        results = interpret(case.module, [*map(array, inputs), *weights])
    wanted: Any = function(*inputs)
    assert len(results) == len(wanted)
    for i, (got, want) in enumerate(zip(results, wanted, strict=True)):
        assert got.shape == tuple(want.shape), i
        if want.dtype != torch.bfloat16:
            assert got.dtype == array(want).dtype, i
        tolerance = {torch.float16: 2e-3, torch.bfloat16: 1e-2}.get(want.dtype, 2e-6)
        np.testing.assert_allclose(
            got.astype(np.float64), array(want).astype(np.float64), tolerance, tolerance, err_msg=f"{name} {i}"
        )


@pytest.mark.parametrize("name", CASES)
def test_ops_become_what_the_table_says(name: str):
    case = converted(name)
    declared = {f"ttir.{t}" for s in case.sources if s in CONVERSIONS for t in CONVERSIONS[s].targets}
    scalars = {"ttir.full", "ttir.constant", "ttir.typecast", "ttir.ne"}
    assert case.targets <= declared | scalars


FOLDED: dict[str, tuple[str, str, Callable[..., Any]]] = {
    "aten.alias": ("x", "x", lambda x, i, b: x),
    "aten.clone": ("x none", "x", lambda x, i, b: x),
    "aten.detach": ("x", "x", lambda x, i, b: x),
    "aten.lift_fresh_copy": ("x", "x", lambda x, i, b: x),
    "aten.dot": ("v v", "s", lambda x, i, b: np.dot(x[1], x[1])),
    "aten.full": ("size two none none none none", "x", lambda x, i, b: np.full((2, 3), 2, np.float32)),
    "aten.ones": ("size none none none none", "i", lambda x, i, b: np.ones((2, 3), np.int64)),
    "aten.zeros": ("size none none none none", "x", lambda x, i, b: np.zeros((2, 3), np.float32)),
    "aten.max.other": ("x x", "x", lambda x, i, b: x),
    "aten.min.other": ("x x", "x", lambda x, i, b: x),
    "aten.sign": ("x", "x", lambda x, i, b: np.sign(x)),
    "aten.__and__.Scalar": ("i two", "i", lambda x, i, b: i & 2),
    "aten.__or__.Tensor": ("b b", "b", lambda x, i, b: b),
    "aten.to.dtype_layout": ("i two none none none false false none", "x", lambda x, i, b: np.float32(i)),
    "aten.to.other": ("i x false false none", "x", lambda x, i, b: np.float32(i)),
    "aten.to.prim_Device": ("i none two false false", "x", lambda x, i, b: np.float32(i)),
}
"""Ops that torch-mlir's canonicalizer replaces today: operands and result by the names below."""

TYPES = {
    **{name: f"vtensor<[2,3],{t}>" for name, t in (("x", "f32"), ("i", "si64"), ("b", "i1"))},
    "v": "vtensor<[3],f32>",
    "s": "vtensor<[],f32>",
    "size": "list<int>",
    "none": "none",
    "false": "bool",
    "one": "int",
    "two": "int",
}


def parse_folded(name: str) -> ir.Module:
    operands, result, _ = FOLDED[name]
    t = {name: f"!torch.{spelled}" for name, spelled in TYPES.items()}
    call = ", ".join(f"%{o}" for o in operands.split()) + " : " + ", ".join(t[o] for o in operands.split())
    return ir.Module.parse(f"""
        func.func @forward(%x: {t["x"]}, %i: {t["i"]}, %b: {t["b"]}) -> {t[result]} {{
          %none = torch.constant.none
          %false = torch.constant.bool false
          %zero = torch.constant.int 0
          %one = torch.constant.int 1
          %two = torch.constant.int 2
          %three = torch.constant.int 3
          %size = torch.prim.ListConstruct %two, %three : (!torch.int, !torch.int) -> {t["size"]}
          %v = torch.aten.select.int %x, %zero, %one : {t["x"]}, !torch.int, !torch.int -> {t["v"]}
          %r = torch.{name} {call} -> {t[result]}
          return %r : {t[result]}
        }}""")


@pytest.mark.parametrize("name", FOLDED)
def test_ops_that_the_importer_replaces_today(name: str, interpret: Callable[..., list[np.ndarray[Any, Any]]]):
    inputs = [array(t) for t in (real(2, 3), whole(2, 3), bools(2, 3))]
    with new_context() as context, ir.Location.unknown():
        register_torch_dialect(context)
        module = parse_folded(name)
        torch_to_ttir(module)
        (got,) = interpret(module, inputs)
    want = np.asarray(FOLDED[name][2](*inputs))
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, 1e-6)


def test_every_conversion_is_tested():
    tested = {s for name in CASES for s in converted(name).sources} | {f"torch.{name}" for name in FOLDED}
    assert set(CONVERSIONS) - tested == set()


def test_every_target_is_reached():
    reached = {t for name in CASES for t in converted(name).targets}
    assert {f"ttir.{t}" for c in CONVERSIONS.values() for t in c.targets} - reached == set()

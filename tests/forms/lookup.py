"""Lookups, routers, and a step of an optimizer."""

import numpy as np
import torch

from tests.forms.form import Form


def _t(x):
    return torch.from_numpy(np.ascontiguousarray(x))


def _adamw(p, g, m, v, top=None, lr=0.5, b1=0.75, b2=0.5, b1p=0.5, b2p=0.25, eps=0.125, decay=0.25):
    m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
    largest = v if top is None else np.maximum(top, v)
    p = p * (1 - lr * decay) - lr * (m / (1 - b1p)) / (np.sqrt(largest / (1 - b2p)) + eps)
    return (p, m, v) if top is None else (p, m, v, largest)


def _bags(ids, table, mode, offsets=None, weights=None, last=False, padding=None):
    made = F.embedding_bag(
        _t(ids),
        _t(table),
        None if offsets is None else _t(offsets),
        mode=mode,
        per_sample_weights=None if weights is None else _t(weights),
        include_last_offset=last,
        padding_idx=padding,
    )
    return made.numpy()


def _router(x, w, b, k):
    best = torch.topk(_t(x @ w + b), k)
    return best.indices.numpy(), torch.softmax(best.values, -1).numpy()


def _added(table, ids, gradients):
    out = np.zeros_like(table)
    np.add.at(out, ids, gradients)
    return out


F = torch.nn.functional
STEP = "lr = 0.5 : f32, beta1 = 0.75 : f32, beta2 = 0.5 : f32, beta1_pow = 0.5 : f32, beta2_pow = 0.25 : f32, epsilon = 0.125 : f32, weight_decay = 0.25 : f32"

FORMS = [
    *(
        Form(
            "embedding",
            f"{s}x{i} 9x4x{a}",
            f"{s}x4x{r}",
            lambda i, w: w[i],
            given={0: np.arange(n).reshape([int(e) for e in s.split("x")]) % 9},
        )
        for s, n in (("5x1", 5), ("5", 5), ("2x3", 6), ("1x1", 1))
        for i, a, r in (("i32", "bf16", "bf16"), ("ui32", "f32", "bf16"), ("i64", "bf16", "f32"))
    ),
    Form("embedding", "3xui16 1x1x9x4xf32", "3x4xf32", lambda i, w: w[0, 0][i]),
    Form("embedding", "3xbf16 9x4xf32", "3x4xf32", lambda i, w: w[i.astype(int)], given={0: [8, 0, 3]}),
    Form("embedding", "3xi32 9x4xf32", "3x1x4xf32", lambda i, w: w[i][:, None], "shape = [3 : i32, 1 : i32]"),
    Form("embedding", "0xi32 9x4xf32", "0x4xf32", lambda i, w: np.zeros((0, 4))),
    *(
        Form(
            "embedding_bag",
            "4x3xi32 9x4xf32",
            "4x4xf32",
            lambda i, w, m=m: _bags(i, w, m),
            f'mode = "{m}", operandSegmentSizes = array<i32: 1, 1, 0, 0>',
        )
        for m in ("sum", "mean", "max")
    ),
    Form(
        "embedding_bag",
        "6xi32 9x4xf32 3xi32 6xf32",
        "3x4xf32",
        lambda i, w, o, p: _bags(i, w, "sum", o, p),
        'mode = "sum", operandSegmentSizes = array<i32: 1, 1, 1, 1>',
        given={2: [0, 2, 2]},
    ),
    *(
        Form(
            "embedding_bag",
            "3x3xi32 9x4xf32",
            "3x4xf32",
            lambda i, w, m=m: _bags(i, w, m, padding=2),
            f'mode = "{m}", padding_idx = 2 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0>',
            given={0: [[2, 1, 2], [2, 2, 2], [0, 1, 3]]},
        )
        for m in ("sum", "mean", "max")
    ),
    *(
        Form(
            "embedding_bag",
            "6xi32 9x4xf32 3xi32",
            "3x4xf32",
            lambda i, w, o, m=m: _bags(i, w, m, o, padding=2),
            f'mode = "{m}", padding_idx = 2 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0>',
            given={0: [2, 1, 2, 2, 3, 4], 2: [0, 2, 4]},
        )
        for m in ("sum", "mean")
    ),
    Form("embedding_backward", "2x3xi32 9x4xf32 2x3x4xf32", "9x4xf32", lambda i, w, g: _added(w, i, g)),
    Form(
        "adamw",
        "4x8xf32 4x8xf32 4x8xf32 4x8xf32",
        "4x8xf32 4x8xf32 4x8xf32",
        _adamw,
        f"{STEP}, stochastic_rounding = true",
    ),
    Form("adamw", "4x8xbf16 4x8xbf16 4x8xf32 4x8xf32 4x8xf32", "4x8xbf16 4x8xf32 4x8xf32 4x8xf32", _adamw, STEP),
    Form(
        "topk_router_gpt",
        "4x8xf32 8x16xf32 4x16xf32",
        "4x3xui16 4x3xf32",
        lambda x, w, b: _router(x, w, b, 3),
        "k = 3 : i32, num_experts = 16 : i32",
    ),
]

INVALID = [
    ("embedding", "3xi32 9xf32", "3x9xf32", "", "not a matrix"),
    ("embedding", "3xi32 2x9x4xf32", "3x4xf32", "", "not a matrix"),
    ("embedding", "3xi32 9x4xf32", "2x4xf32", "", "inferred tensor<3x4xf32>"),
    ("embedding", "3xi32 9x4xf32", "2x4xf32", "shape = [2 : i32]", "is not one of the 3 indices"),
    (
        "embedding_bag",
        "4x3xi32 9x4xf32",
        "4x4xf32",
        'mode = "prod", operandSegmentSizes = array<i32: 1, 1, 0, 0>',
        "not sum, mean or max",
    ),
    ("embedding_bag", "6xi32 9x4xf32", "3x4xf32", "operandSegmentSizes = array<i32: 1, 1, 0, 0>", "rank 1, needs 2"),
    ("embedding_backward", "2x3xi32 9x4xf32 2x3x5xf32", "9x4xf32", "", "does not hold 6 rows of 4"),
    ("adamw", "4xf32 5xf32 4xf32 4xf32", "4xf32 4xf32 4xf32", STEP, "expected [4]"),
    (
        "adamw",
        "4xf32 4xf32 4xf32 4xf32",
        "4xf32 4xf32 4xf32",
        STEP.replace("beta1 = 0.75", "beta1 = 1.0"),
        "beta1 is 1.0",
    ),
    (
        "topk_router_gpt",
        "4x8xf32 8x16xf32 16xf32",
        "4x17xui16 4x17xf32",
        "k = 17 : i32, num_experts = 16 : i32",
        "k is 17",
    ),
]

"""Reductions, scans, softmax and what orders elements: every dimension, every pair of element types."""

from itertools import product

import numpy as np

from tests.forms.form import NUMBERS, Form

REDUCTIONS = {
    "sum": np.sum,
    "mean": np.mean,
    "max": np.max,
    "min": np.min,
    "prod": np.prod,
    "reduce_and": lambda x, **k: np.all(x != 0, **k),
    "reduce_or": lambda x, **k: np.any(x != 0, **k),
}


def _over(op, dims, keep):
    return lambda x: REDUCTIONS[op](x, axis=dims, keepdims=keep)


def _attributes(dims, keep):
    given = "" if dims is None else f", dim_arg = [{', '.join(f'{d} : i32' for d in dims)}]"
    return f"keep_dim = {str(keep).lower()}{given}"


def _softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _sorted(x, axis, sign=1):
    order = np.argsort(sign * x, axis=axis, kind="stable")
    return np.take_along_axis(x, order, axis), order


KEPT = {None: "1x1x1", (0,): "1x3x5", (-1,): "4x3x1", (0, 2): "1x3x1", (1, -1): "4x1x1", (0, 1, 2): "1x1x1"}
DROPPED = {None: "", (0,): "3x5x", (-1,): "4x3x", (0, 2): "3x", (1, -1): "4x", (0, 1, 2): ""}
SCAN = {"cumsum": np.cumsum, "cumprod": np.cumprod}

FORMS = [
    *(
        Form(op, f"2x6x{a}", f"2x{r}", _over(op, (1,), False), _attributes((1,), False))
        for op, a, r in product(("sum", "mean", "max"), NUMBERS, ("f32", "bf16", "i32", "i64"))
        if not (op == "mean" and r in ("i32", "i64") and a in ("f32", "bf16", "f16", "f64"))
    ),
    Form("mean", "2x6xf32", "2xi32", _over("mean", (1,), False), _attributes((1,), False), low=1, high=9),
    Form("sum", "4x8xi1", "4xi32", _over("sum", (1,), False), _attributes((1,), False)),
    Form("mean", "4x8xi1", "4xf32", _over("mean", (1,), False), _attributes((1,), False)),
    Form("reduce_or", "4x8xi1", "4xi1", _over("reduce_or", (1,), False), _attributes((1,), False)),
    Form("reduce_and", "4x8xi32", "4xi1", _over("reduce_and", (1,), False), _attributes((1,), False)),
    *(
        Form(op, "4x3x5xf32", f"{t}xf32", _over(op, d, True), _attributes(d, True))
        for op in REDUCTIONS
        for d, t in KEPT.items()
    ),
    *(
        Form(op, "4x3x5xf32", f"{t}f32", _over(op, d, False), _attributes(d, False))
        for op in REDUCTIONS
        for d, t in DROPPED.items()
    ),
    Form("sum", "f32", "f32", lambda x: x, "keep_dim = false"),
    Form("sum", "4x3xf32", "f32", np.sum, "keep_dim = false, dim_arg = []"),
    Form("sum", "4x0xf32", "4xf32", lambda x: np.zeros(4), _attributes((1,), False)),
    Form("max", "3xf32", "f32", lambda x: np.nan, "keep_dim = false", given={0: [1, np.nan, 2]}),
    *(
        Form("argmax", f"4x9x{a}", f"4x{r}", lambda x: np.argmax(x, 1), _attributes((1,), False))
        for a, r in product(("f32", "bf16", "i32"), ("i32", "ui32", "i64"))
    ),
    Form("argmax", "4x9xf32", "1x1xi32", lambda x: np.argmax(x).reshape(1, 1), "keep_dim = true"),
    Form("argmax", "4x3x2xf32", "4xi32", lambda x: np.argmax(x.reshape(4, 6), 1), _attributes((1, 2), False)),
    Form(
        "argmax",
        "4x3x2xf32",
        "1x3x1xi32",
        lambda x: np.argmax(x.swapaxes(0, 1).reshape(3, 8), 1)[None, :, None],
        _attributes((0, -1), True),
    ),
    Form("argmax", "4x3xf32", "i32", np.argmax, _attributes((0, 1), False)),
    Form("argmax", "4x9xf32", "1x9xi32", lambda x: np.argmax(x, 0)[None], _attributes((-2,), True)),
    Form("argmax", "4xf32", "i32", lambda x: 1, "keep_dim = false", given={0: [1, 7, 7, 2]}),
    *(
        Form(op, "4x3x5xf32", "4x3x5xf32", lambda x, f=f, d=d: f(x, axis=d), f"dim = {d} : i64")
        for (op, f), d in product(SCAN.items(), (-3, -1, 0, 1, 2))
    ),
    *(
        Form(op, f"9x{a}", f"9x{r}", f, "dim = 0 : i64")
        for (op, f), (a, r) in product(SCAN.items(), (("bf16", "f32"), ("f32", "bf16"), ("i32", "i64"), ("ui8", "i32")))
    ),
    *(
        Form(
            "softmax",
            "4x3x9xf32",
            "4x3x9xf32",
            lambda x, d=d: _softmax(x, d),
            f"dimension = {d} : si32, numericStable = {s}",
            low=-3,
            high=3,
        )
        for d, s in product((-3, -1, 0, 1, 2), ("true", "false"))
    ),
    *(
        Form("softmax", f"4x9x{a}", f"4x9x{r}", lambda x: _softmax(x, 1), "dimension = 1 : si32")
        for a, r in product(("f32", "bf16", "f16"), ("f32", "bf16", "f16"))
    ),
    *(
        Form(
            "softmax",
            f"2x3x4x9x{a} 2x1x1x9x{a}",
            f"2x3x4x9x{a}",
            lambda x, mask: _softmax(x + mask, 3),
            f"dimension = {d} : si32, numericStable = {s}",
            low=-3,
            high=3,
        )
        for a, d, s in (("f32", 3, "true"), ("f32", -1, "false"), ("bf16", -1, "true"))
    ),
    Form(
        "softmax",
        "3xf32",
        "3xf32",
        lambda x: [0, 0, 1],
        "dimension = 0 : si32, numericStable = true",
        given={0: [-1e38, 0, 1e3]},
    ),
    *(
        Form(
            "sort",
            "4x9xf32",
            f"4x9xf32 4x9x{i}",
            lambda x, d=d, s=s: _sorted(x, d, s),
            f"dim = {d} : si32, descending = {str(s < 0).lower()}, stable = true",
        )
        for d, s, i in product((-1, 0), (1, -1), ("i32", "ui16"))
    ),
    Form("sort", "6xi32", "6xi32 6xi32", lambda x: _sorted(x, 0), "stable = true", given={0: [3, 1, 3, 2, 1, 3]}),
    *(
        Form(
            "topk",
            "4x9xf32",
            f"4x{k}xf32 4x{k}xi32",
            lambda x, k=k, s=s: tuple(y[:, :k] for y in _sorted(x, 1, s)),
            f"k = {k} : i32, largest = {str(s < 0).lower()}, sorted = true",
        )
        for k, s in product((1, 4, 9), (1, -1))
    ),
    Form(
        "topk",
        "4x9xbf16",
        "3x9xbf16 3x9xui16",
        lambda x: tuple(y[:3] for y in _sorted(x, 0, -1)),
        "k = 3 : i32, dim = 0 : i32, sorted = true",
        given={0: np.arange(36).reshape(4, 9)},
    ),
    Form(
        *("sampling", "2x4xf32 2x4xi32 2xi32 2xf32 2xf32", "2xi32", lambda v, i, k, p, t: [7, 4]),
        given={0: [[1, 5, 2, 0], [9, 1, 2, 3]], 1: [[6, 7, 8, 9], [4, 5, 6, 7]], 2: 1, 3: 1.0, 4: 0.0},
    ),
]

INVALID = [
    ("sum", "4x8xf32", "4xf32", "keep_dim = false, dim_arg = [2 : i32]", "out of range"),
    ("sum", "4x8xf32", "4xf32", "keep_dim = false, dim_arg = [-3 : i32]", "out of range"),
    ("sum", "4x8xf32", "4xf32", "keep_dim = false, dim_arg = [1 : i32, 1 : i32]", "twice"),
    ("sum", "4x8xf32", "4xf32", "keep_dim = false, dim_arg = [1 : i32, -1 : i32]", "twice"),
    ("sum", "4x8xf32", "4xf32", "dim_arg = [1 : i32]", "requires attribute 'keep_dim'"),
    ("mean", "4x8xf32", "4xf32", "keep_dim = true, dim_arg = [1 : i32]", "inferred tensor<4x1xf32>"),
    ("max", "4x8xf32", "8xi32", "keep_dim = false, dim_arg = [1 : i32]", "tensor<4x"),
    ("argmax", "4x8xf32", "4xf32", "keep_dim = false, dim_arg = [1 : i32]", "not an integer"),
    ("argmax", "4x0xf32", "4xi32", "keep_dim = false, dim_arg = [1 : i32]", "no elements"),
    ("cumsum", "4x8xf32", "4x8xf32", "dim = 2 : i64", "out of range"),
    ("cumprod", "4x8xf32", "4x8xf32", "dim = -3 : i64", "out of range"),
    ("softmax", "4x8xf32", "4x8xf32", "dimension = 2 : si32", "out of range"),
    ("softmax", "4x8xf32", "8x4xf32", "dimension = 1 : si32", "inferred tensor<4x8xf32>"),
    ("softmax", "2x3x4x8xf32 2x1x1x8xf32", "2x3x4x8xf32", "dimension = 2 : si32", "the last of 4 dimensions"),
    ("softmax", "2x4x8xf32 2x1x8xf32", "2x4x8xf32", "dimension = 2 : si32", "the last of 4 dimensions"),
    ("softmax", "2x3x4x8xf32 1x1x1x8xf32", "2x3x4x8xf32", "dimension = 3 : si32", "expected tensor<2x1x1x8xf32>"),
    ("softmax", "2x3x4x8xf32 2x1x4x8xf32", "2x3x4x8xf32", "dimension = 3 : si32", "expected tensor<2x1x1x8xf32>"),
    ("sort", "4x8xf32", "4x8xf32 4x8xi32", "dim = 2 : si32", "out of range"),
    ("sort", "4x8xf32", "4x8xf32 4x8xf32", "", "not an integer"),
    ("sort", "4x8xf32", "4x8xbf16 4x8xi32", "", "inferred tensor<4x8xf32>"),
    ("topk", "4x8xf32", "4x9xf32 4x9xi32", "k = 9 : i32", "extent 8"),
    ("topk", "4x8xf32", "4x0xf32 4x0xi32", "k = 0 : i32", "k is 0"),
    ("topk", "4x8xf32", "4x2xf32 4x2xf32", "k = 2 : i32", "not an integer"),
    ("sampling", "2x4xf32 2x5xi32 2xi32 2xf32 2xf32", "2xi32", "", "differs from input_values"),
    ("sampling", "2x4xf32 2x4xi32 3xi32 2xf32 2xf32", "2xi32", "", "expected [2]"),
]

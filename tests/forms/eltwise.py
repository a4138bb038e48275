"""Elementwise ops: every element type that goes in with every one that comes out, broadcasting, attributes at edges."""

from itertools import product
from math import pi, sqrt

import numpy as np
import torch

from tests.forms.form import INTEGERS, NUMBERS, REALS, Form


def _of_torch(function):
    return lambda x: function(torch.from_numpy(np.asarray(x, np.float64))).numpy()


F = torch.nn.functional
UNARY = {
    "cbrt": np.cbrt,
    "cos": np.cos,
    "tan": np.tan,
    "atan": np.arctan,
    "tanh": np.tanh,
    "sin": np.sin,
    "asinh": np.arcsinh,
    "log": np.log,
    "log1p": np.log1p,
    "expm1": np.expm1,
    "exp2": np.exp2,
    "erf": _of_torch(torch.erf),
    "erfc": _of_torch(torch.erfc),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sqrt": np.sqrt,
    "gelu": _of_torch(F.gelu),
    "gelu_tanh": _of_torch(lambda x: F.gelu(x, approximate="tanh")),
    "mish": _of_torch(F.mish),
    "sigmoid": _of_torch(torch.sigmoid),
    "softsign": _of_torch(F.softsign),
    "hardsigmoid": _of_torch(F.hardsigmoid),
    "silu": _of_torch(F.silu),
}
SIGNED = {
    "abs": np.abs,
    "neg": np.negative,
    "ceil": np.ceil,
    "floor": np.floor,
    "trunc": np.trunc,
    "frac": lambda x: x - np.trunc(x),
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "sign": np.sign,
    "square": np.square,
}
BINARY = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "atan2": np.arctan2,
    "pow": np.power,
    "remainder": np.fmod,
}
COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "ge": np.greater_equal,
    "gt": np.greater,
    "le": np.less_equal,
    "lt": np.less,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}
BITS = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}
SHIFTS = {"logical_left_shift": np.left_shift, "right_shift": np.right_shift, "logical_right_shift": np.right_shift}
BCAST = "4x1x8xf32 5x1xf32"


def _cdf_slope(x):
    """The derivative of GELU."""
    t = torch.from_numpy(x).requires_grad_()
    F.gelu(t).sum().backward()
    return np.asarray(t.grad)


def _tanh_slope(x):
    t = torch.from_numpy(x).requires_grad_()
    F.gelu(t, approximate="tanh").sum().backward()
    return np.asarray(t.grad)


_STRAIGHT = (("9xf32", 3, 9), ("9xbf16", -9, -3))
"""Where the lines of `gelu_fast` are GELU's own: element type, from, to."""

FORMS = [
    # Element types: each that can go in with each that can come out.
    *(Form("exp", f"3x5x{a}", f"3x5x{r}", np.exp) for a, r in product(NUMBERS, (*REALS, "i32"))),
    *(Form("typecast", f"3x5x{a}", f"3x5x{r}", lambda x: x) for a, r in product((*NUMBERS, "i1"), (*NUMBERS, "i1"))),
    *(Form("multiply", f"4x8x{a} 4x8x{a}", f"4x8x{r}", np.multiply) for a, r in product(NUMBERS, NUMBERS)),
    *(
        Form("add", f"4x8x{a} 8x{b}", f"4x8x{r}", np.add)
        for a, b, r in product(("f32", "bf16", "f16"), ("bf16", "i32", "f64"), ("f32", "bf16", "i32"))
    ),
    *(Form("gt", f"4x8x{a} 4x8x{b}", "4x8xi1", np.greater) for a, b in product(REALS, (*REALS, "i32"))),
    *(
        Form("where", f"4x8x{c} 4x8x{a} 4x8x{b}", f"4x8x{r}", lambda c, a, b: np.where(c != 0, a, b))
        for c, a, b, r in (
            ("i1", "f32", "f32", "bf16"),
            ("i1", "f32", "bf16", "bf16"),
            ("bf16", "i32", "i32", "f32"),
            ("i32", "bf16", "f16", "f32"),
            ("i1", "i32", "f32", "f32"),
        )
    ),
    *(Form("abs", f"3x5x{a}", f"3x5x{r}", np.abs) for a, r in product(INTEGERS, ("bf16", "i64"))),
    Form("add", "4xi32 4xui32", "4xi64", np.add),
    Form("add", "4xi32 4xui32", "4xi32", np.add),
    Form("multiply", "4xi1 4xi1", "4xi1", np.logical_and),
    Form("add", "4xi1 4xi1", "4xi1", np.logical_or),
    Form("subtract", "4xi1 4xi1", "4xi1", np.logical_xor),
    # Every op, of reals of both signs where it takes them.
    *(Form(op, "3x33xf32", "3x33xf32", ref) for op, ref in UNARY.items()),
    *(Form(op, "3x33xbf16", "3x33xf32", ref) for op, ref in UNARY.items()),
    *(Form(op, "3x33xf32", "3x33xf32", ref, low=-3, high=3) for op, ref in SIGNED.items()),
    *(Form(op, "3x33xf32", "3x33xbf16", ref, low=-3, high=3) for op, ref in SIGNED.items()),
    *(Form(op, "9xf64", "9xf64", ref, low=-0.9, high=0.9) for op, ref in (("acos", np.arccos), ("asin", np.arcsin))),
    Form("gelu", "64xf64", "64xf64", UNARY["gelu"], low=-9, high=3),
    *(Form("gelu_fast", "9xf32", of, lambda x: np.maximum(x, 0), low=a, high=b) for of, a, b in _STRAIGHT),
    Form("reciprocal", "5xf32", "5xf32", np.reciprocal),
    Form("reciprocal", "5xi32", "5xf32", lambda x: 1 / x),
    *(Form(op, BCAST, "4x5x8xf32", ref) for op, ref in BINARY.items()),
    *(Form(op, BCAST, "4x5x8xbf16", ref) for op, ref in BINARY.items()),
    *(Form(op, "7xi32 7xi32", "7xi32", ref) for op, ref in BINARY.items() if op != "atan2"),
    *(Form(op, "7xi32 7xi32", "7xf32", ref) for op, ref in BINARY.items()),
    Form("div", "4x8xf32 8xf32", "4x8xf32", np.divide),
    Form("div", "9xi32 9xi32", "9xi32", lambda a, b: np.trunc(a / b)),
    Form("div", "9xi32 9xi32", "9xf32", np.divide),
    Form("div", "4xi32 4xi32", "4xi32", lambda a, b: [-3, 3, -3, 3], given={0: [-7, 7, 7, -7], 1: [2, 2, -2, -2]}),
    Form("remainder", "4xi32 4xi32", "4xi32", np.fmod, given={0: [-17, 17, 17, -17], 1: [3, 3, -3, -3]}),
    Form("remainder", "4xf32 4xf32", "4xf32", np.fmod, given={0: [-17, 17, 17, -17], 1: [3, 3, -3, -3]}),
    *(Form(op, "5xf32 5xf32", f"5x{r}", ref) for (op, ref), r in product(COMPARISONS.items(), ("i1", "bf16"))),
    *(Form(op, "8xi32 1xi32", "8xi1", ref) for op, ref in COMPARISONS.items()),
    *(Form(op, f"5x{t} 5x{t}", f"5x{t}", ref) for (op, ref), t in product(BITS.items(), ("i32", "ui8", "i64"))),
    *(Form(op, f"5x{t} 5x{t}", f"5x{t}", ref) for (op, ref), t in product(SHIFTS.items(), ("ui32", "i32"))),
    Form("right_shift", "3xi32 3xi32", "3xi32", lambda a, b: [-2, -1, 1], given={0: [-8, -1, 4], 1: 2}),
    Form("logical_right_shift", "2xi32 2xi32", "2xi32", lambda a, b: [(2**32 - 8) >> 2, 1], given={0: [-8, 4], 1: 2}),
    Form("bitwise_not", "5xi32", "5xi32", np.invert),
    Form("bitwise_not", "5xui8", "5xui8", lambda x: 255 - x),
    Form("isfinite", "4xf32", "4xi1", lambda x: [0, 0, 0, 1], given={0: [np.inf, -np.inf, np.nan, 1]}),
    Form("isfinite", "4xf32", "4xbf16", lambda x: [0, 0, 0, 1], given={0: [np.inf, -np.inf, np.nan, 1]}),
    Form("logical_not", "3xf32", "3xi1", lambda x: [1, 0, 0], given={0: [0, -2, 0.5]}),
    Form("logical_not", "3xi32", "3xi32", lambda x: [1, 0, 0], given={0: [0, -2, 5]}),
    Form("signbit", "4xf32", "4xi1", lambda x: [1, 0, 1, 0], given={0: [-0.0, 0.0, -3, 3]}),
    # Attributes at their edges.
    Form("typecast", "4xf32", "4xi32", lambda x: [1, -1, 0, 2], given={0: [1.9, -1.9, np.nan, 2.5]}),
    Form("typecast", "3xf32", "3xui8", lambda x: [255, 0, 7], given={0: [300, -5, 7.9]}),
    Form("typecast", "4xf32", "4xbf16", lambda x: x, "conservative_folding = true"),
    Form("bitcast_convert", "3xf32", "3xi32", lambda x: [0x3F800000, 0x40000000, 0], given={0: [1, 2, 0]}),
    Form("bitcast_convert", "3xui16", "3xbf16", lambda x: [1, 2, 0], given={0: [0x3F80, 0x4000, 0]}),
    Form("bitcast_convert", "2xi64", "2xf64", lambda x: [1, 0], given={0: [0x3FF0000000000000, 0]}),
    Form("selu", "9xf32", "9xf32", _of_torch(F.selu), low=-2),
    Form(
        "selu",
        "9xf32",
        "9xf32",
        lambda x: 2 * np.where(x > 0, x, np.expm1(x)),
        "scale = 2.0 : f32, alpha = 1.0 : f32",
        low=-2,
    ),
    *(
        Form(
            "leaky_relu", "9xf32", "9xf32", lambda x, p=p: np.where(x >= 0, x, p * x), f"parameter = {p} : f32", low=-2
        )
        for p in (0.0, 0.01, 1.0, -1.0)
    ),
    Form("leaky_relu", "9xf32", "9xbf16", lambda x: np.where(x >= 0, x, x / 2), "parameter = 0.5 : f32", low=-2),
    Form("clamp_scalar", "9xf32", "9xf32", lambda x: np.clip(x, -1, 1), "min = -1.0 : f32, max = 1.0 : f32", low=-2),
    Form("clamp_scalar", "9xi32", "9xi32", lambda x: np.clip(x, 2, 3), "min = 2 : i32, max = 3 : i32"),
    Form("clamp_scalar", "9xbf16", "9xbf16", lambda x: 0 * x + 1, "min = 1.0 : f32, max = 1.0 : f32"),
    Form("clamp_scalar", "9xf32", "9xf32", lambda x: 0 * x - 1, "min = 1.0 : f32, max = -1.0 : f32"),
    Form("clamp_scalar", "9xf32", "9xf32", lambda x: x, "min = 0xFF800000 : f32, max = 0x7F800000 : f32"),
    Form("clamp_tensor", "4x8xf32 8xf32 1xf32", "4x8xf32", lambda x, a, b: np.minimum(np.maximum(x, a), b)),
    Form("clamp_tensor", "4x8xf32 8xbf16 1xf32", "4x8xbf16", lambda x, a, b: np.minimum(np.maximum(x, a), b)),
    Form("gelu_bw", "9xf32 9xf32", "9xf32", lambda g, x: g * _cdf_slope(x), low=-2),
    Form("gelu_bw", "9xf32 9xf32", "9xbf16", lambda g, x: g * _tanh_slope(x), 'approximate = "tanh"', low=-2),
    Form(
        "activated_multiply",
        "4x8xf32 8xf32",
        "4x8xf32",
        lambda x, y: np.maximum(np.tanh(x) / (1 + np.exp(-y)), 0),
        'lhs_activation = "tanh", rhs_activation = "sigmoid", activation = "relu"',
        low=-2,
    ),
    Form("activated_add", "9xf32 9xf32", "9xf32", lambda x, y: np.maximum(x + y, 0), 'activation = "relu"', low=-2),
    Form("activated_subtract", "9xf32 9xf32", "9xf32", lambda x, y: x - np.tanh(y), 'rhs_activation = "tanh"', low=-2),
    Form("activated_add", "9xbf16 9xbf16", "9xbf16", np.add),
    # Shapes at their edges.
    Form("add", "f32 f32", "f32", np.add),
    Form("add", "f32 4x8xf32", "4x8xf32", np.add),
    Form("multiply", "1x1xf32 7xf32", "1x7xf32", np.multiply),
    Form("add", "0x4xf32 1x4xf32", "0x4xf32", np.add),
    Form("add", "2x1x2x1x2x1x2xf32 1x2x1x2x1x2x1xf32", "2x2x2x2x2x2x2xf32", np.add),
    Form("atan2", "1xf32 1xf32", "1xf32", lambda a, b: [pi], given={0: [0.0], 1: [-1.0]}),
    Form("pow", "2xf32 2xf32", "2xf32", lambda a, b: [sqrt(2), 0.25], given={0: [2, 2], 1: [0.5, -2]}),
]

INVALID = [
    ("add", "4x8xf32 3x8xf32", "4x8xf32", "", "do not broadcast"),
    ("add", "4x8xf32 4x8xf32", "8x4xf32", "", "inferred tensor<4x8xf32>"),
    ("add", "4x8xf32", "4x8xf32", "", "operand"),
    ("exp", "4x8xf32", "4x1xf32", "", "inferred tensor<4x8xf32>"),
    ("exp", "4x8x!quant.uniform<i8:f32,0.5>", "4x8xf32", "", "is quantized"),
    ("eq", "4xf32 4xf32", "1xi1", "", "inferred tensor<4xi1>"),
    ("where", "4xi1 4xf32 3xf32", "4xf32", "", "do not broadcast"),
    ("bitwise_and", "4xf32 4xf32", "4xf32", "", "not an integer"),
    ("bitwise_not", "4xbf16", "4xbf16", "", "not an integer"),
    ("logical_left_shift", "4xi32 4xf32", "4xi32", "", "not an integer"),
    ("bitcast_convert", "4xf32", "4xbf16", "", "differ in width"),
    ("activated_add", "4xf32 4xf32", "4xf32", 'activation = "add"', "none that kernels end in"),
    ("activated_add", "4xi32 4xi32", "4xi32", "", "no real numbers"),
    ("gelu_bw", "4xf32 4xf32", "4xf32", 'approximate = "erf"', "not none or tanh"),
    ("leaky_relu", "4xf32", "4xf32", "", "requires attribute 'parameter'"),
    ("leaky_relu", "4xf32", "4xf32", 'parameter = "x"', "expected float f32"),
    ("clamp_scalar", "4xf32", "4xf32", "min = 0.0 : f32", "requires attribute 'max'"),
    ("clamp_scalar", "4xf32", "4xbf16", "min = 0.0 : f32, max = 1.0 : f32", "inferred tensor<4xf32>"),
    ("clamp_tensor", "4xf32 3xf32 4xf32", "4xf32", "", "do not broadcast"),
]

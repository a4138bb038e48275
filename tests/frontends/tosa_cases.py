"""Small TOSA functions, at least one for each op: types of inputs, the op, and the type of what it gives."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional

_SHAPE = re.compile(r"#\[([-\d, ]+)\]")
_CONST = re.compile(r"#\((.+?) : (tensor<[^>]*>)\)")

F, I8, I16, I32 = "tensor<2x3x4xf32>", "tensor<2x3x4xi8>", "tensor<2x3x4xi16>", "tensor<2x3x4xi32>"
IMAGE, QUANTIZED = "tensor<1x6x5x4xf32>", "tensor<1x6x5x4xi8>"
WINDOW = "pad = array<i64: 1, 1, 0, 1>, stride = array<i64: 2, 1>"
CONV = f"acc_type = f32, {WINDOW}, dilation = array<i64: 1, 2>"
INT_CONV = f"acc_type = i32, {WINDOW}, dilation = array<i64: 1, 2>"
RESCALE = "per_channel = false, scale32 = true"


def unary(op: str, t: str = F, attributes: str = "") -> tuple[list[str], str, str]:
    return [t], f"tosa.{op} %0 {attributes} : ({t}) -> {t}", t


def binary(op: str, t: str = F, out: str = "") -> tuple[list[str], str, str]:
    other = t.replace("2x3x4", "1x3x1")
    return [t, other], f"tosa.{op} %0, %1 : ({t}, {other}) -> {out or t}", out or t


def conv(
    op: str, x: str, w: str, b: str, out: str, attributes: str, zeros: str = "0.0, 0.0"
) -> tuple[list[str], str, str]:
    element = x.rpartition("x")[2].rstrip(">")
    first, second = zeros.split(", ")
    text = f"tosa.{op} %0, %1, %2, #(dense<{first}> : tensor<1x{element}>), #(dense<{second}> : tensor<1x{element}>) {{{attributes}}}"
    return [x, w, b], f"{text} : ({x}, {w}, {b}, tensor<1x{element}>, tensor<1x{element}>) -> {out}", out


def rescale(
    given: str, out: str, multiplier: str, shift: str, zeros: tuple[int, int], more: str
) -> tuple[list[str], str, str]:
    count = "1" if "per_channel = false" in more else "4"
    i, o = (t.rpartition("x")[2].rstrip(">") for t in (given, out))
    text = f"""tosa.rescale %0, #(dense<{multiplier}> : tensor<{count}xi32>), #(dense<{shift}> : tensor<{count}xi8>),
        #(dense<{zeros[0]}> : tensor<1x{i}>), #(dense<{zeros[1]}> : tensor<1x{o}>) {{{more}}} :
        ({given}, tensor<{count}xi32>, tensor<{count}xi8>, tensor<1x{i}>, tensor<1x{o}>) -> {out}"""
    return [given], text, out


SIGNED = "input_unsigned = false, output_unsigned = false"
CASES: dict[str, tuple[list[str], str, str]] = {
    **{
        op: unary(op)
        for op in ["abs", "ceil", "cos", "exp", "floor", "identity", "reciprocal", "sigmoid", "sin", "tanh"]
    },
    **{f"{op} of integers": unary(op, I32) for op in ("abs", "bitwise_not", "clz", "identity")},
    **{op: binary(op) for op in ("add", "sub", "maximum", "minimum")},
    **{
        f"{op} of integers": binary(op, I32)
        for op in ("add", "sub", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor")
    },
    **{op: binary(op, F, "tensor<2x3x4xi1>") for op in ("equal", "greater", "greater_equal")},
    "intdiv": ([I32], f"tosa.intdiv %0, #(dense<7> : {I32}) : ({I32}, {I32}) -> {I32}", I32),
    "logical_left_shift": ([I32], f"tosa.logical_left_shift %0, #(dense<7> : {I32}) : ({I32}, {I32}) -> {I32}", I32),
    "logical_right_shift": ([I32], f"tosa.logical_right_shift %0, #(dense<7> : {I32}) : ({I32}, {I32}) -> {I32}", I32),
    "arithmetic_right_shift": (
        [I32],
        f"tosa.arithmetic_right_shift %0, #(dense<3> : {I32}) {{round = true}} : ({I32}, {I32}) -> {I32}",
        I32,
    ),
    "mul": ([F, F], f"tosa.mul %0, %1, #(dense<0> : tensor<1xi8>) : ({F}, {F}, tensor<1xi8>) -> {F}", F),
    "mul, shifted": (
        [I32, I32],
        f"tosa.mul %0, %1, #(dense<20> : tensor<1xi8>) : ({I32}, {I32}, tensor<1xi8>) -> {I32}",
        I32,
    ),
    "mul of 8 bits": (
        [I8, I8],
        f"tosa.mul %0, %1, #(dense<0> : tensor<1xi8>) : ({I8}, {I8}, tensor<1xi8>) -> {I32}",
        I32,
    ),
    "negate": (
        [I8],
        f"tosa.negate %0, #(dense<5> : tensor<1xi8>), #(dense<-7> : tensor<1xi8>) : ({I8}, tensor<1xi8>, tensor<1xi8>) -> {I8}",
        I8,
    ),
    "clamp": unary("clamp", F, "{min_val = -0.5 : f32, max_val = 0.25 : f32}"),
    "clamp of integers": unary("clamp", I8, "{min_val = -50 : i8, max_val = 25 : i8}"),
    "select": (["tensor<2x3x4xi1>", F, F], f"tosa.select %0, %1, %2 : (tensor<2x3x4xi1>, {F}, {F}) -> {F}", F),
    "cast to integers": ([F], f"tosa.cast %0 : ({F}) -> {I8}", I8),
    "cast from integers": ([I32], f"tosa.cast %0 : ({I32}) -> {F}", F),
    "cast to bools": ([I32], f"tosa.cast %0 : ({I32}) -> tensor<2x3x4xi1>", "tensor<2x3x4xi1>"),
    **{
        f"reduce_{k}": ([F], f"tosa.reduce_{k} %0 {{axis = 1 : i32}} : ({F}) -> tensor<2x1x4xf32>", "tensor<2x1x4xf32>")
        for k in ("sum", "max", "min", "product")
    },
    **{
        f"reduce_{k} of integers": (
            [I32],
            f"tosa.reduce_{k} %0 {{axis = 1 : i32}} : ({I32}) -> tensor<2x1x4xi32>",
            "tensor<2x1x4xi32>",
        )
        for k in ("sum", "max")
    },
    **{
        f"reduce_{k}": (
            ["tensor<2x3x4xi1>"],
            f"tosa.reduce_{k} %0 {{axis = 1 : i32}} : (tensor<2x3x4xi1>) -> tensor<2x1x4xi1>",
            "tensor<2x1x4xi1>",
        )
        for k in ("all", "any")
    },
    "argmax": ([F], f"tosa.argmax %0 {{axis = 2 : i32}} : ({F}) -> tensor<2x3xi32>", "tensor<2x3xi32>"),
    "reshape": ([F], f"tosa.reshape %0, #[6, 4] : ({F}, !tosa.shape<2>) -> tensor<6x4xf32>", "tensor<6x4xf32>"),
    "transpose": (
        [F],
        f"tosa.transpose %0 {{perms = array<i32: 2, 0, 1>}} : ({F}) -> tensor<4x2x3xf32>",
        "tensor<4x2x3xf32>",
    ),
    "pad": (
        [I8],
        f"tosa.pad %0, #[0, 1, 2, 0, 0, 3], #(dense<-7> : tensor<1xi8>) : ({I8}, !tosa.shape<6>, tensor<1xi8>) -> tensor<3x5x7xi8>",
        "tensor<3x5x7xi8>",
    ),
    "tile": ([F], f"tosa.tile %0, #[1, 2, 3] : ({F}, !tosa.shape<3>) -> tensor<2x6x12xf32>", "tensor<2x6x12xf32>"),
    "reverse": unary("reverse", F, "{axis = 1 : i32}"),
    "gather": (
        [F],
        f"tosa.gather %0, #(dense<[[2, 0], [1, 1]]> : tensor<2x2xi32>) : ({F}, tensor<2x2xi32>) -> tensor<2x2x4xf32>",
        "tensor<2x2x4xf32>",
    ),
    "matmul": (
        [F, "tensor<2x4x5xf32>"],
        f"tosa.matmul %0, %1, #(dense<0.0> : tensor<1xf32>), #(dense<0.0> : tensor<1xf32>) : ({F}, tensor<2x4x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x3x5xf32>",
        "tensor<2x3x5xf32>",
    ),
    "matmul of integers": (
        [I8, "tensor<2x4x5xi8>"],
        f"tosa.matmul %0, %1, #(dense<3> : tensor<1xi8>), #(dense<-4> : tensor<1xi8>) : ({I8}, tensor<2x4x5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3x5xi32>",
        "tensor<2x3x5xi32>",
    ),
    "conv2d": conv("conv2d", IMAGE, "tensor<3x2x2x4xf32>", "tensor<3xf32>", "tensor<1x4x4x3xf32>", CONV),
    "conv2d of integers": conv(
        "conv2d", QUANTIZED, "tensor<3x2x2x4xi8>", "tensor<3xi32>", "tensor<1x4x4x3xi32>", INT_CONV, "9, 0"
    ),
    "depthwise_conv2d": conv(
        "depthwise_conv2d", IMAGE, "tensor<2x2x4x2xf32>", "tensor<8xf32>", "tensor<1x4x4x8xf32>", CONV
    ),
    "depthwise_conv2d of integers": conv(
        "depthwise_conv2d", QUANTIZED, "tensor<2x2x4x2xi8>", "tensor<8xi32>", "tensor<1x4x4x8xi32>", INT_CONV, "9, 0"
    ),
    "max_pool2d": (
        [IMAGE],
        f"tosa.max_pool2d %0 {{kernel = array<i64: 2, 2>, pad = array<i64: 1, 1, 1, 0>, stride = array<i64: 2, 2>}} : ({IMAGE}) -> tensor<1x4x3x4xf32>",
        "tensor<1x4x3x4xf32>",
    ),
    "avg_pool2d": (
        [IMAGE],
        f"tosa.avg_pool2d %0, #(dense<0.0> : tensor<1xf32>), #(dense<0.0> : tensor<1xf32>) {{acc_type = f32, kernel = array<i64: 2, 2>, pad = array<i64: 1, 1, 1, 0>, stride = array<i64: 2, 2>}} : ({IMAGE}, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3x4xf32>",
        "tensor<1x4x3x4xf32>",
    ),
    "avg_pool2d of integers": (
        [QUANTIZED],
        f"tosa.avg_pool2d %0, #(dense<3> : tensor<1xi8>), #(dense<-4> : tensor<1xi8>) {{acc_type = i32, kernel = array<i64: 4, 2>, pad = array<i64: 1, 1, 1, 0>, stride = array<i64: 2, 2>}} : ({QUANTIZED}, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x3x4xi8>",
        "tensor<1x3x3x4xi8>",
    ),
    "resize, nearest": (
        [IMAGE],
        f"tosa.resize %0, #[4, 2, 4, 2], #[-1, -1], #[1, 1] {{mode = NEAREST_NEIGHBOR}} : ({IMAGE}, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x12x10x4xf32>",
        "tensor<1x12x10x4xf32>",
    ),
    "resize, bilinear": (
        [IMAGE],
        f"tosa.resize %0, #[4, 2, 4, 2], #[-1, -1], #[1, 1] {{mode = BILINEAR}} : ({IMAGE}, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x12x10x4xf32>",
        "tensor<1x12x10x4xf32>",
    ),
    "resize of integers": (
        [QUANTIZED],
        f"tosa.resize %0, #[4, 2, 4, 2], #[-1, -1], #[1, 1] {{mode = BILINEAR}} : ({QUANTIZED}, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x12x10x4xi32>",
        "tensor<1x12x10x4xi32>",
    ),
    "rescale": rescale(I32, I8, "1073741824", "37", (0, 3), f"{RESCALE}, rounding_mode = SINGLE_ROUND, {SIGNED}"),
    "rescale, rounded twice": rescale(
        I32, I8, "1073741824", "37", (0, 3), f"{RESCALE}, rounding_mode = DOUBLE_ROUND, {SIGNED}"
    ),
    "rescale of 8 bits by channels": rescale(
        I8,
        I32,
        "[1073741824, 1610612736, 2000000000, 1200000000]",
        "[28, 29, 30, 31]",
        (-5, 0),
        f"scale32 = true, per_channel = true, rounding_mode = SINGLE_ROUND, {SIGNED}",
    ),
    "table": (
        [I8],
        f"tosa.table %0, #(dense<[{', '.join(str((i * 37) % 256 - 128) for i in range(256))}]> : tensor<256xi8>) : ({I8}, tensor<256xi8>) -> {I8}",
        I8,
    ),
    "table of 16 bits": (
        [I16],
        f"tosa.table %0, #(dense<[{', '.join(str((i * 377) % 65536 - 32768) for i in range(513))}]> : tensor<513xi16>) : ({I16}, tensor<513xi16>) -> {I32}",
        I32,
    ),
}

KERNEL = "tensor<3x3x2x4xf32>"
BY_HAND: dict[str, tuple[tuple[list[str], str, str], Callable[..., Any]]] = {
    "erf": (unary("erf"), lambda x: torch.erf(torch.from_numpy(x)).numpy()),
    "rsqrt": (unary("rsqrt"), lambda x: 1 / np.sqrt(x)),
    "log": (unary("log"), np.log),
    "pow": (binary("pow"), np.power),
    "concat": (
        (
            [F, F],
            f"tosa.concat %0, %1, %0 {{axis = 1 : i32}} : ({F}, {F}, {F}) -> tensor<2x9x4xf32>",
            "tensor<2x9x4xf32>",
        ),
        lambda x, y: np.concatenate([x, y, x], 1),
    ),
    "slice": (
        (
            [F],
            f"tosa.slice %0, #[1, 0, 2], #[1, 2, 2] : ({F}, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x2x2xf32>",
            "tensor<1x2x2xf32>",
        ),
        lambda x: x[1:2, 0:2, 2:4],
    ),
    "scatter": (
        (
            [F, "tensor<2x2x4xf32>"],
            f"tosa.scatter %0, #(dense<[[2, 0], [1, 2]]> : tensor<2x2xi32>), %1 : ({F}, tensor<2x2xi32>, tensor<2x2x4xf32>) -> {F}",
            F,
        ),
        lambda x, y: np.stack([[y[0, 1], x[0, 1], y[0, 0]], [x[1, 0], y[1, 0], y[1, 1]]]),
    ),
    "conv3d": (
        conv(
            "conv3d",
            "tensor<1x3x4x5x2xf32>",
            "tensor<3x2x2x2x2xf32>",
            "tensor<3xf32>",
            "tensor<1x2x5x4x3xf32>",
            "acc_type = f32, pad = array<i64: 0, 0, 1, 1, 0, 0>, stride = array<i64: 1, 1, 1>, dilation = array<i64: 1, 1, 1>",
        ),
        lambda x, w, b: channels_last(
            functional.conv3d(channels_first(x), channels_first(w), torch.from_numpy(b), padding=(0, 1, 0))
        ),
    ),
    "transpose_conv2d": (
        conv(
            "transpose_conv2d",
            IMAGE,
            KERNEL,
            "tensor<3xf32>",
            "tensor<1x12x5x3xf32>",
            "acc_type = f32, out_pad = array<i64: 0, -1, 0, -1>, stride = array<i64: 2, 1>",
        ),
        lambda x, w, b: channels_last(
            functional.conv_transpose2d(
                channels_first(x), channels_first(w).transpose(0, 1), torch.from_numpy(b), stride=(2, 1)
            )
        )[:, :-1, :-1],
    ),
}
"""Ops that MLIR does not lower, or whose code needs a library, by what they are in NumPy or PyTorch."""


def channels_first(x: np.ndarray[Any, Any]) -> torch.Tensor:
    return torch.from_numpy(np.moveaxis(x, -1, 1).copy())


def channels_last(x: torch.Tensor) -> np.ndarray[Any, Any]:
    return np.moveaxis(x.numpy(), 1, -1)


def spelled(inputs: list[str], op: str, out: str) -> str:
    """A function of one op; `#[...]` and `#(...)` in it stand for a shape and a constant."""
    lines: list[str] = []

    def named(text: str) -> str:
        lines.append(f"%c{len(lines)} = {text}")
        return f"%c{len(lines) - 1}"

    def shape(found: re.Match[str]) -> str:
        rank = found[1].count(",") + 1
        return named(
            f'"tosa.const_shape"() {{values = dense<[{found[1]}]> : tensor<{rank}xindex>}} : () -> !tosa.shape<{rank}>'
        )

    def constant(found: re.Match[str]) -> str:
        return named(f'"tosa.const"() {{values = {found[1]} : {found[2]}}} : () -> {found[2]}')

    op = _SHAPE.sub(shape, _CONST.sub(constant, op))
    arguments = ", ".join(f"%{i}: {t}" for i, t in enumerate(inputs))
    body = "\n  ".join([*lines, f"%out = {op}", f"return %out : {out}"])
    return f"func.func @main({arguments}) -> {out} {{\n  {body}\n}}"

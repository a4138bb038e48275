"""ONNX ops with attributes at uncommon values: for each op, declarations, initialisers, nodes and lists of attributes.

Attributes are combined. Forms in which ONNX's reference differs from ONNX's text are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

Form = tuple[str, str, str, int]
"""Inputs, initialisers, nodes that compute `y`, and the operator set."""

_X = "float[2,3,4] x"
_IMAGE = "float[2,4,7,6] x"
_AXES = {"axis": (0, 1, 2, -2)}


def _spell(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(list(value)) if isinstance(value, tuple) else str(value)


def _forms(
    call: str, inputs: str, attributes: Mapping[str, Sequence[Any]], initialisers: str = "", opset: int = 17
) -> Iterator[tuple[str, Form]]:
    """Each combination of attributes; `call` names the op with `<>` where they go, and its results where they differ."""
    for values in product(*attributes.values()):
        given = {name: value for name, value in zip(attributes, values, strict=True) if value is not None}
        text = ", ".join(f"{name}={_spell(value)}" for name, value in given.items())
        node = call.replace("<>", f"<{text}>" if text else "")
        node = node if "=" in node.partition("<")[0].partition("(")[0] else f"y = {node}"
        name = f"{node} of {inputs}; {initialisers}" if initialisers else f"{node} of {inputs}"
        yield name, (inputs, initialisers, node, opset)


def _gemms() -> Iterator[tuple[str, Form]]:
    for a, b in product((0, 1), repeat=2):
        x, w = ("4,3" if a else "3,4"), ("5,4" if b else "4,5")
        scales = {"transA": (a,), "transB": (b,), "alpha": (None, 0.5)}
        yield from _forms("Gemm<>(x, w)", f"float[{x}] x, float[{w}] w", scales)
        for bias in ("5", "1,5", "3,1", "3,5", "1"):
            inputs = f"float[{x}] x, float[{w}] w, float[{bias}] b"
            yield from _forms("Gemm<>(x, w, b)", inputs, scales | {"beta": (None, 2.0)})


def _blocks() -> Iterator[tuple[str, Form]]:
    for block, more in product((2, 3), (1, 2, 3)):
        x = f"float[2,{block * block * more},2,3] x"
        yield from _forms("DepthToSpace<>(x)", x, {"blocksize": (block,), "mode": ("DCR", "CRD")})
        x = f"float[2,{more},{2 * block},{3 * block}] x"
        yield from _forms("SpaceToDepth<>(x)", x, {"blocksize": (block,)})


def _convolutions() -> Iterator[tuple[str, Form]]:
    steps = {"strides": (None, (2, 1)), "dilations": (None, (1, 2)), "pads": (None, (1, 0, 2, 1))}
    for groups in (1, 2, 4):
        w = f"float[8,{4 // groups},3,2] w"
        yield from _forms("Conv<>(x, w)", f"{_IMAGE}, {w}", {"group": (groups,)} | steps)
    more = {"strides": (None, (2, 3)), "pads": (None, (1, 0, 1, 0))}  # the reference has no groups of several channels
    yield from _forms("ConvTranspose<>(x, w)", f"{_IMAGE}, float[4,5,3,2] w", more)
    yield from _forms("ConvTranspose<>(x, w)", f"{_IMAGE}, float[4,1,3,2] w", more | {"group": (4,)})
    padded = {"auto_pad": ("SAME_UPPER", "SAME_LOWER", "VALID"), "strides": (None, (2, 3))}
    yield from _forms("Conv<>(x, w)", f"{_IMAGE}, float[5,4,3,2] w", padded)
    kernel = {"kernel_shape": ((3, 2),), "strides": (None, (2, 1)), "pads": (None, (1, 1, 1, 1))}
    windows = kernel | {"dilations": (None, (1, 2))}
    yield from _forms("MaxPool<>(x)", _IMAGE, windows)
    yield from _forms("MaxPool<>(x)", _IMAGE, windows | {"strides": ((2, 1),), "ceil_mode": (1,)})
    yield from _forms("AveragePool<>(x)", _IMAGE, kernel | {"count_include_pad": (None, 1)})
    yield from _forms("LpPool<>(x)", _IMAGE, kernel | {"p": (1, 2, 3)})
    yield from _forms("LpPool<>(x)", _IMAGE, kernel | {"dilations": ((2, 1), (1, 2))}, opset=19)


def _functions() -> Iterator[tuple[str, Form]]:
    for op, attributes in {
        "Elu": {"alpha": (0.5, 2.0)},
        "Selu": {"alpha": (1.5,), "gamma": (0.5, 2.0)},
        "Celu": {"alpha": (0.5, 2.0)},
        "LeakyRelu": {"alpha": (0.3, -0.5)},
        "ThresholdedRelu": {"alpha": (0.2, 2.0)},
        "HardSigmoid": {"alpha": (0.5,), "beta": (0.1, 0.7)},
        "Shrink": {"bias": (0.0, 0.3), "lambd": (0.1, 1.0)},
        "Softmax": _AXES,
        "LogSoftmax": _AXES,
        "Hardmax": _AXES,
        "LpNormalization": {"axis": (0, 1, -1)},
        "MeanVarianceNormalization": {"axes": ((0,), (0, 2))},
        "Flatten": {"axis": (0, 1, 3, -1)},
        "Transpose": {"perm": ((2, 1, 0), (1, 0, 2))},
        "ArgMax": _AXES | {"keepdims": (0, 1)},
        "ArgMin": _AXES | {"keepdims": (0, 1)},
        "Cast": {"to": (1, 3, 6, 7, 9, 10)},
    }.items():
        yield from _forms(f"{op}<>(x)", _X, attributes)
    for op in ("Max", "Mean", "Min", "Prod", "L1", "L2", "LogSum", "LogSumExp", "SumSquare"):
        yield from _forms(f"Reduce{op}<>(p)", "float[2,3,4] p", {"axes": ((0,), (0, 2), (-1, 0)), "keepdims": (0, 1)})
    for op in ("Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "LogSum", "LogSumExp", "SumSquare"):
        given = {"keepdims": (0, 1), "noop_with_empty_axes": (0, 1)}
        yield from _forms(f"Reduce{op}<>(p, a)", "float[2,3,4] p", given, "int64[0] a = {}", 18)
        yield from _forms(f"Reduce{op}<>(p)", "float[2,3,4] p", given, opset=18)
    yield from _forms("LpNormalization<>(p)", "float[2,3,4] p", {"axis": (0, 1, -1), "p": (1,)})
    yield from _forms("Gelu<>(x)", _X, {"approximate": ("none", "tanh")}, opset=20)
    yield from _forms("IsInf<>(x)", _X, {"detect_negative": (0, 1), "detect_positive": (0, 1)})


def _indexed() -> Iterator[tuple[str, Form]]:
    wise = {"reduction": (None, "add", "mul")}
    yield from _forms("Gather<>(x, i)", "float[5,6,5] x, int64[2] i", {"axis": (0, 1, -1)})
    yield from _forms("GatherElements<>(x, i)", "float[5,6,5] x, int64[5,6,5] i", {"axis": (0, 1, -1)})
    at = "int64[2,3] i = {0, 1, 2, 2, 0, 1}"
    yield from _forms("ScatterElements<>(x, i, w)", "float[3,3] x, float[2,3] w", {"axis": (0, 1)} | wise, at, 16)
    yield from _forms("ScatterND<>(x, i, w)", "float[5,4] x, float[2,4] w", wise, "int64[2,1] i = {3, 0}", 16)
    yield from _forms("OneHot<>(i, d, v)", "int64[2,3] i", {"axis": (0, 1, -1)}, "int64 d = {6}, float[2] v = {-1, 2}")
    yield from _forms("CumSum<>(x, a)", _X, {"exclusive": (0, 1), "reverse": (0, 1)}, "int64 a = {-1}")
    sorts = {"axis": (0, 1, -1), "largest": (0, 1)}
    yield from _forms("y, n = TopK<>(x, k)", _X, sorts, "int64[1] k = {2}")
    yield from _forms("Trilu<>(x, k)", "float[4,5] x", {"upper": (0, 1)}, "int64 k = {-1}")
    yield from _forms("EyeLike<>(x)", "float[4,5] x", {"k": (-1, 0, 2), "dtype": (None, 6)})
    yield from _forms("Concat<>(x, w)", f"{_X}, float[2,3,4] w", _AXES)
    for mode in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"):
        # To one pixel, the reference differs from ONNX's text for pytorch_half_pixel.
        for size in ("1, 2, 4, 9", *(() if mode == "pytorch_half_pixel" else ("1, 2, 1, 5", "1, 2, 5, 1"))):
            given = {"coordinate_transformation_mode": (mode,), "mode": ("linear", "cubic", "nearest")}
            yield from _forms("Resize<>(x, , , s)", "float[1,2,3,4] x", given, f"int64[4] s = {{{size}}}")
    scales = "float[4] s = {1, 1, 0.6, 0.6}"
    given = {"coordinate_transformation_mode": ("align_corners", "half_pixel"), "mode": ("linear", "cubic")}
    yield from _forms("Resize<>(x, , s)", "float[1,2,3,4] x", given, scales)


def _normalized() -> Iterator[tuple[str, Form]]:
    small = {"epsilon": (0.001, 0.5)}
    inputs = "float[2,3,4,4] x, float[3] s, float[3] b"
    yield from _forms("InstanceNormalization<>(x, s, b)", inputs, small)
    yield from _forms("BatchNormalization<>(x, s, b, m, p)", f"{inputs}, float[3] m, float[3] p", small)
    for axis, shape in ((1, "3,4"), (2, "4"), (-1, "4"), (0, "2,3,4")):
        given = small | {"axis": (axis,)}
        yield from _forms("LayerNormalization<>(x, s, b)", f"{_X}, float[{shape}] s, float[{shape}] b", given)
    yield from _forms("LRN<>(x)", "float[5,5,3,2] x", {"size": (1, 3, 5), "alpha": (0.5,), "beta": (0.5, 1.0)})
    yield from _forms(
        "QuantizeLinear<>(x, s, z)", _X, {"axis": (1,)}, "float[3] s = {0.1, 0.2, 0.3}, int8[3] z = {1, 2, 3}"
    )


def _recurrent() -> Iterator[tuple[str, Form]]:
    for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        for direction, n in (("forward", 1), ("reverse", 1), ("bidirectional", 2)):
            inputs = f"float[5,2,3] x, float[{n},{4 * gates},3] w, float[{n},{4 * gates},4] r, float[{n},{8 * gates}] b"
            given = {"hidden_size": (4,), "direction": (direction,)}
            given |= {"linear_before_reset": (0, 1)} if op == "GRU" else {}
            yield from _forms(f"y, h = {op}<>(x, w, r, b)", inputs, given)


FORMS: dict[str, Form] = {
    name: form
    for forms in (_gemms, _blocks, _convolutions, _functions, _indexed, _normalized, _recurrent)
    for name, form in forms()
}

"""What can be drawn for convolutions, pools and resizing: windows that fit, in any order of dimensions."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import REALS, Draw, for_ops
from ttstack.ops import conv, pool
from ttstack.ops.types import DType, TensorType

CHANNELS = st.sampled_from((1, 2, 3, 8, 33))
EXTENT = st.integers(1, 9)
FEW = st.integers(1, 3)


def _either(draw: Draw, values: Sequence[int]) -> int | tuple[int, ...]:
    """All values, or one number where it stands for all of them."""
    return values[0] if len(set(values)) == 1 and draw(st.booleans()) else tuple(values)


def _padding(draw: Draw, lows: Sequence[int], highs: Sequence[int]) -> int | tuple[int, ...]:
    return _either(draw, lows) if tuple(lows) == tuple(highs) and draw(st.booleans()) else (*lows, *highs)


def window(draw: Draw, size: int, *, dilated: bool = True) -> tuple[int, int, int, int, int]:
    """Kernel, stride, dilation, and padding before and after an axis of this size."""
    low, high = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    dilation = draw(FEW) if dilated else 1
    most = min(4, (size + low + high - 1) // dilation + 1)
    return draw(st.integers(1, most)), draw(FEW), dilation, low, high


def _arranged(extents: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    shape = [0] * len(extents)
    for at, extent in zip(order, extents, strict=True):
        shape[at] = extent
    return tuple(shape)


def _bias(draw: Draw, outputs: int, order: Sequence[int], dtype: DType) -> TensorType | None:
    if draw(st.booleans()):
        return None
    at = draw(st.sampled_from((len(order) - 1, order[-1])))
    return TensorType(tuple(outputs if d == at else 1 for d in range(len(order))), dtype)


def _order(draw: Draw, spec: type[conv.Convolution]) -> tuple[tuple[int, ...], dict[str, Any]]:
    names = ("batch", *spec.spatial, "channel")
    order = tuple(draw(st.permutations(range(len(names)))) if draw(st.booleans()) else range(len(names)))
    given = dict(zip((f"{n}_dim" for n in names), order, strict=True))
    return order, given if order != tuple(range(len(names))) else {}


def _flattened(draw: Draw, shape: Sequence[int], attributes: dict[str, Any]) -> tuple[int, ...]:
    """The shape, or that of the same pixels in one dimension."""
    if "batch_dim" in attributes or draw(st.booleans()):
        return tuple(shape)
    n, h, w, c = shape
    attributes["flattened_compat_info"] = (n, h, w)
    return (1, 1, n * h * w, c)


@for_ops(conv.Convolution)
def convolution(draw: Draw, mnemonic: str) -> Case:
    spec: Any = getattr(conv, {"conv1d": "Conv1d", "conv2d": "Conv2d", "conv3d": "Conv3d"}[mnemonic])
    order, attributes = _order(draw, spec)
    sizes = [draw(EXTENT) for _ in spec.spatial]
    forms = [window(draw, size, dilated=mnemonic != "conv3d") for size in sizes]
    kernel, stride, dilation, lows, highs = zip(*forms, strict=True)
    groups, dtype = draw(FEW), draw(st.sampled_from(REALS))
    depthwise = draw(st.booleans())
    taken, given = (1 if depthwise else draw(CHANNELS)), draw(FEW)
    attributes |= {"stride": _either(draw, stride), "padding": _padding(draw, lows, highs), "groups": groups}
    if mnemonic == "conv3d":
        attributes["padding_mode"] = draw(st.sampled_from(("zeros", "replicate")))
    else:
        attributes["dilation"] = _either(draw, dilation)
    shape = _arranged((draw(FEW), *sizes, taken * groups), order)
    if mnemonic == "conv2d":
        shape = _flattened(draw, shape, attributes)
    weight = TensorType((given * groups, taken, *kernel), dtype)
    operands = (TensorType(shape, dtype), weight, _bias(draw, given * groups, order, dtype))
    return Case(mnemonic, operands, attributes)


@for_ops(conv.ConvTranspose2d)
def transposed(draw: Draw, mnemonic: str) -> Case:
    order, attributes = _order(draw, conv.ConvTranspose2d)
    groups, taken, given = draw(FEW), draw(CHANNELS), draw(CHANNELS)
    sizes, kernel = [draw(EXTENT) for _ in range(2)], [draw(FEW) for _ in range(2)]
    stride, dilation = [draw(FEW) for _ in range(2)], [draw(FEW) for _ in range(2)]
    extra = [draw(st.integers(0, max(s, d) - 1)) for s, d in zip(stride, dilation, strict=True)]
    spans = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(sizes, stride, kernel, dilation, strict=True)]
    lows = [draw(st.integers(0, min(2, span - 1))) for span in spans]
    highs = [draw(st.integers(0, min(2, span - 1 - low))) for span, low in zip(spans, lows, strict=True)]
    dtype = draw(st.sampled_from(REALS))
    attributes |= {
        "stride": _either(draw, stride),
        "padding": _padding(draw, lows, highs),
        "output_padding": _either(draw, extra),
        "dilation": _either(draw, dilation),
        "groups": groups,
    }
    shape = _flattened(draw, _arranged((draw(FEW), *sizes, taken * groups), order), attributes)
    operands = (
        TensorType(shape, dtype),
        TensorType((taken * groups, given, *kernel), dtype),
        _bias(draw, given * groups, order, dtype),
    )
    return Case(mnemonic, operands, attributes)


@for_ops(pool.Pool)
def pooled(draw: Draw, mnemonic: str) -> Case:
    sizes = [draw(EXTENT) for _ in range(2)]
    forms = [window(draw, size) for size in sizes]
    kernel, stride, dilation, lows, highs = zip(*forms, strict=True)
    reach = [(k - 1) * d for k, d in zip(kernel, dilation, strict=True)]
    lows = [min(p, r) for p, r in zip(lows, reach, strict=True)]
    highs = [min(p, r) for p, r in zip(highs, reach, strict=True)]
    missing = [max(0, r + 1 - n - a - b) for r, n, a, b in zip(reach, sizes, lows, highs, strict=True)]
    shape = (draw(FEW), *(n + m for n, m in zip(sizes, missing, strict=True)), draw(CHANNELS))
    attributes: dict[str, Any] = {
        "kernel": _either(draw, kernel),
        "stride": _either(draw, stride),
        "dilation": _either(draw, dilation),
        "padding": _padding(draw, lows, highs),
        "ceil_mode": draw(st.booleans()),
    }
    if mnemonic == "avg_pool2d" and draw(st.booleans()):
        attributes["count_include_pad"] = draw(st.booleans())
    t = TensorType(_flattened(draw, shape, attributes), draw(st.sampled_from(REALS)))
    return Case(mnemonic, (t,), attributes)


@for_ops(pool.MaxPool2dWithIndices)
def pooled_with_indices(draw: Draw, mnemonic: str) -> Case:
    case = pooled(draw, "max_pool2d")
    values = case.op.results[0]
    indices = values.with_dtype(draw(st.sampled_from((DType.I32, DType.UI32, DType.I64))))
    operands = (*case.operands, *((values, indices) if draw(st.booleans()) else (None, None)))
    return Case(mnemonic, operands, case.attributes, (values, indices))


def _images(draw: Draw) -> TensorType:
    shape = (draw(FEW), draw(EXTENT), draw(EXTENT), draw(CHANNELS))
    return TensorType(shape, draw(st.sampled_from(REALS)))


@for_ops(pool.GlobalAvgPool2d)
def averaged(draw: Draw, mnemonic: str) -> Case:
    return Case(mnemonic, (_images(draw),))


@for_ops(pool.Upsample2d)
def upsampled(draw: Draw, mnemonic: str) -> Case:
    factors = _either(draw, [draw(FEW), draw(FEW)])
    return Case(
        mnemonic, (_images(draw),), {"scale_factor": factors, "mode": draw(st.sampled_from(("nearest", "bilinear")))}
    )

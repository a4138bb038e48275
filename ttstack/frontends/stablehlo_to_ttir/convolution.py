"""Convolutions with any layout, padding, dilation and grouping, along one to three axes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ttstack.dialects.ttir.build import cast, permute_dims, reshape_to, splat
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.stablehlo_to_ttir.shape import pad_around
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp
from ttstack.frontends.stablehlo_to_ttir.table import StablehloConversionTable
from ttstack.mlir import ir
from ttstack.ops.types import TensorType

CONVERSIONS = StablehloConversionTable()

_LAYOUTS = re.compile(r"\[([^\]]*)\]x\[([^\]]*)\]->\[([^\]]*)\]")
_AXES = {1: ("length",), 2: ("height", "width"), 3: ("depth", "height", "width")}


@dataclass(frozen=True)
class _Layout:
    """The dimensions of batch and features of an operand, or outputs and inputs of a kernel, and its axes."""

    first: int
    second: int
    spatial: tuple[int, ...]

    @property
    def order(self) -> tuple[int, ...]:
        """All dimensions, in order."""
        return self.first, *self.spatial, self.second


@CONVERSIONS("convolution", to="conv1d conv2d conv3d pad slice_static reverse permute reshape")
def _convolution(call: StablehloOp) -> ir.Value:
    """Apply unsupported options (dilated or cropped inputs, reversed windows) to the operands."""
    given, kernel, out = _layouts(call)
    rank = len(given.spatial)
    if rank not in _AXES:
        call.refuse(f"has {rank} spatial dimensions", "1, 2 and 3 are supported")
    x = cast(call.tensor(0), call.result.dtype)
    w = cast(call.tensor(1), call.result.dtype)
    if not call.result.size or not call.types[1].size:
        return splat(0, call.result)
    x, pads = _prepare(call, x, given)
    w = _reverse(call, w, kernel)
    w = permute_dims(w, (kernel.first, kernel.second, *kernel.spatial))
    dilation = call.integers("rhs_dilation", (1,) * rank)
    if rank == 3:  # the op has none
        w, dilation = _dilate(w, dilation), (1,) * rank
    groups = call.integer("feature_group_count")
    batches = call.integer("batch_group_count")
    if batches > 1:
        x, groups = _batches_as_features(x, given, batches), batches
    names = dict(zip(("batch", *_AXES[rank], "channel"), given.order, strict=True))
    attributes: dict[str, Any] = {f"{name}_dim": d for name, d in names.items()}
    attributes |= {"stride": call.integers("window_strides", (1,) * rank), "padding": pads, "groups": groups}
    if rank < 3:
        attributes["dilation"] = dilation
    convolved = ttir.build(f"conv{rank}d", x, w, **attributes)
    return permute_dims(convolved, _order(given, out))


def _layouts(call: StablehloOp) -> tuple[_Layout, _Layout, _Layout]:
    found = _LAYOUTS.search(str(call.attribute("dimension_numbers")))
    assert found is not None
    given, kernel, out = (part.replace(" ", "").split(",") for part in found.groups())
    return _layout(given, "b", "f"), _layout(kernel, "o", "i"), _layout(out, "b", "f")


def _layout(letters: Sequence[str], first: str, second: str) -> _Layout:
    axes = [letters.index(str(i)) for i in range(len(letters) - 2)]
    return _Layout(letters.index(first), letters.index(second), tuple(axes))


def _order(given: _Layout, out: _Layout) -> tuple[int, ...]:
    """Return for each result dimension its position in a result in the input's order."""
    places = dict(zip(out.order, given.order, strict=True))
    return tuple(places[d] for d in range(len(places)))


def _prepare(call: StablehloOp, x: ir.Value, given: _Layout) -> tuple[ir.Value, tuple[int, ...]]:
    """Insert zeros for dilation and crop negative padding; return the input and the remaining padding."""
    rank = len(given.spatial)
    pads = call.integers("padding", (0,) * (2 * rank))
    low, high = pads[::2], pads[1::2]
    between = [d - 1 for d in call.integers("lhs_dilation", (1,) * rank)]
    if any(between) or min(pads, default=0) < 0:
        zero = splat(0, TensorType((), call.result.dtype))
        sides = [_along(given, amounts) for amounts in (low, high, between)]
        return pad_around(x, zero, *sides), (0,) * (2 * rank)
    return x, (*low, *high)


def _along(given: _Layout, amounts: Sequence[int]) -> list[int]:
    """Return amounts for all dimensions from those of the spatial axes."""
    found = [0] * (len(amounts) + 2)
    for at, amount in zip(given.spatial, amounts, strict=True):
        found[at] = amount
    return found


def _reverse(call: StablehloOp, w: ir.Value, kernel: _Layout) -> ir.Value:
    flags = call.attribute("window_reversal")
    turned = [at for at, flag in zip(kernel.spatial, flags or [], strict=False) if flag]
    return ttir.reverse(w, dimensions=tuple(turned)) if turned else w


def _dilate(w: ir.Value, dilation: Sequence[int]) -> ir.Value:
    zero = splat(0, TensorType((), read_type(w.type).dtype))
    none = [0] * (len(dilation) + 2)
    return pad_around(w, zero, none, none, [0, 0, *(d - 1 for d in dilation)])


def _batches_as_features(x: ir.Value, given: _Layout, count: int) -> ir.Value:
    """Move groups of the batch to the features, for as many groups of outputs."""
    shape = list(read_type(x.type).shape)
    batch, feature = given.first, given.second
    apart = reshape_to(x, (*shape[:batch], count, shape[batch] // count, *shape[batch + 1 :]))
    order = [d + (d >= batch) for d in range(len(shape))]
    order[batch] = batch + 1
    order.insert(order.index(feature + (feature >= batch)) if feature != batch else 0, batch)
    shape[batch] //= count
    shape[feature] *= count
    return reshape_to(permute_dims(apart, tuple(order)), tuple(shape))

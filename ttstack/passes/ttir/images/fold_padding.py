"""Folding of zero padding around images into convolutions."""

from typing import Any

from ttstack.dialects.base import attribute_values, definition_of
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.ops.conv import Conv2d
from ttstack.ops.shape import Pad
from ttstack.ops.windows import low_and_high
from ttstack.passes.ttir.queries.producers import find_producer


def fold_padding(op: ir.Operation) -> list[ir.Value] | None:
    """Fold zero padding of height and width into a convolution."""
    conv, before = definition_of(op), find_producer(op.operands[0], "pad")
    assert isinstance(conv, Conv2d)
    if before is None or conv.flattened_compat_info is not None:
        return None
    pad = definition_of(before)
    assert isinstance(pad, Pad)
    sides = [tuple(pad.padding[2 * d : 2 * d + 2]) for d in conv.order]
    if pad.value != 0 or any(sides[0]) or any(sides[-1]) or min(pad.padding) < 0:
        return None
    own = low_and_high(conv.padding, 2)
    (top, bottom), (left, right) = ((a + c, b + d) for (a, b), (c, d) in zip(own, sides[1:3], strict=True))
    attributes: dict[str, Any] = attribute_values(Conv2d, op) | {"padding": (top, left, bottom, right)}
    return [ttir.conv2d(before.operands[0], *list(op.operands)[1:], **attributes)]

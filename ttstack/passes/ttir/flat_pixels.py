"""Ops on images that come with channels last: on all pixels in one dimension, as convolutions leave them."""

import math

from ttstack.dialects.base import attribute_values, create, describe
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.ttir.destination import producer
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.eltwise import Eltwise
from ttstack.ops.reduction import Reduction
from ttstack.passes.ttir.views import VIEWS

_SPATIAL = (1, 2)
"""Where height and width stand in [N, H, W, C]."""


def elementwise(op: ir.Operation) -> list[ir.Value] | None:
    """An op on images of one size, or on images and one value a channel."""
    function, shape = describe(op), read_type(op.results[0].type).shape
    assert isinstance(function, Eltwise)
    small = [all(extent == 1 for extent in read_type(value.type).shape[:-1]) for value in op.operands]
    flat = [_flat(value) if read_type(value.type).shape == shape else None for value in op.operands]
    if not any(flat) or not all(whole or one for whole, one in zip(flat, small, strict=True)):
        return None
    operands = [
        whole or reshape_to(value, (1, 1, 1, *read_type(value.type).shape[-1:]))
        for value, whole in zip(op.operands, flat, strict=True)
    ]
    results = [read_type(op.results[0].type).with_shape((1, 1, math.prod(shape[:-1]), shape[-1]))]
    made = create("ttir", function.mnemonic, operands, attribute_values(type(function), op), results=results)
    return [reshape_to(made.results[0], shape)]


def reduction(op: ir.Operation) -> list[ir.Value] | None:
    """Each channel over all pixels of an image."""
    found, flat = describe(op), _flat(op.operands[0])
    assert isinstance(found, Reduction)
    if flat is None or found.dims != _SPATIAL or type(found).infer is not Reduction.infer:
        return None
    batch, height, width, channels = found.input.shape
    pixels = reshape_to(flat, (batch, height * width, channels))
    return [reshape_to(ttir.build(found.mnemonic, pixels, keep_dim=True, dim_arg=(1,)), found.results[0].shape)]


def _flat(value: ir.Value) -> ir.Value | None:
    """[1, 1, N * H * W, C], of which the value is the same as [N, H, W, C]."""
    shape, view = read_type(value.type).shape, producer(value, *VIEWS)
    if view is None or len(shape) != 4 or shape[:2] == (1, 1):
        return None
    source = view.operands[0]
    return source if read_type(source.type).shape == (1, 1, math.prod(shape[:-1]), shape[-1]) else None

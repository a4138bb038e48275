"""Elementwise ops on channels-last images with all pixels in one dimension, as in convolutions."""

import math

from ttstack.dialects.base import attribute_values, create, definition_of
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.eltwise import Eltwise
from ttstack.passes.ttir.images.image_layout import Images


def elementwise(op: ir.Operation) -> list[ir.Value] | None:
    """Rewrite an op on images of one size, or on images and one value per channel."""
    function, shape = definition_of(op), read_type(op.results[0].type).shape
    assert isinstance(function, Eltwise)
    small = [all(extent == 1 for extent in read_type(value.type).shape[:-1]) for value in op.operands]
    layouts = [Images.behind_pixels(value) if read_type(value.type).shape == shape else None for value in op.operands]
    if not any(layouts) or not all(images or one for images, one in zip(layouts, small, strict=True)):
        return None
    operands = [
        images.flat if images else reshape_to(value, (1, 1, 1, *read_type(value.type).shape[-1:]))
        for value, images in zip(op.operands, layouts, strict=True)
    ]
    results = [read_type(op.results[0].type).with_shape((1, 1, math.prod(shape[:-1]), shape[-1]))]
    result = create("ttir", function.mnemonic, operands, attribute_values(type(function), op), results=results)
    return [reshape_to(result.results[0], shape)]

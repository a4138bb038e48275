"""Sums and means of as many rows for each of a batch as fill no tiles, as pools of images."""

import math
from functools import partial

from ttstack.device.kernel_class import is_view
from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import elementwise, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.pool import AvgPool2d
from ttstack.ops.reduction import Reduction
from ttstack.ops.shape import Reshape
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.ttir.queries.producers import find_producer


class ReduceRowsByPooling(Pass, name="reduce-rows-by-pooling"):
    """Sums and means of the rows of each image become a pool whose window is the image, if that is predicted faster.

    So 49 pixels an image of a global average pool stay in the tiles in which convolutions left them. A pool reads only
    the rows of its image: what is not finite in one image stays in that image. A module without a device is unchanged.
    """

    def run(self, module: ir.Module) -> None:
        """Look at sums and means."""
        if (prices := Prices.of(module)) is not None:
            apply_patterns(module, [(f"ttir.{name}", partial(_pooled, prices=prices)) for name in ("sum", "mean")])


def _pooled(op: ir.Operation, prices: Prices) -> list[ir.Value] | None:
    found, split = definition_of(op), find_producer(op.operands[0], "reshape")
    assert isinstance(found, Reduction)
    if split is None or len(list(op.operands[0].uses)) > 1 or is_view(definition_of(split)):
        return None
    shape, source = found.input.shape, read_type(split.operands[0].type)
    if len(shape) < 2 or found.dims != (len(shape) - 2,) or not source.dtype.is_float or 0 in shape:
        return None
    (*batch, rows, width), result = shape, found.results[0]
    if source.shape[-1:] != (width,):
        return None
    pool = _pool(found, math.prod(batch), rows, width)
    means = pool.results[0]
    scaled = [OPS["multiply"].on([means, means.with_shape((1,) * means.rank)], {})] if found.mnemonic == "sum" else []
    shaped = Reshape(input=means, shape=result.shape)
    if prices.sum_of([pool, *scaled, shaped]) >= prices.sum_of([definition_of(split), found]):
        return None
    value = ttir.avg_pool2d(reshape_to(split.operands[0], pool.input.shape), **pool.attributes())
    if found.mnemonic == "sum":
        value = elementwise("multiply", value, rows, result=means)
    return [reshape_to(value, result.shape)]


def _pool(reduction: Reduction, images: int, rows: int, width: int) -> AvgPool2d:
    """The mean of the rows of each image, as those of an image that is as square as can be."""
    height = max(n for n in range(1, math.isqrt(rows) + 1) if rows % n == 0)
    window = (height, rows // height)
    flat = reduction.input.with_shape((1, 1, images * rows, width))
    return AvgPool2d(
        input=flat,
        kernel=window,
        stride=window,
        dilation=(1, 1),
        padding=(0, 0),
        ceil_mode=False,
        flattened_compat_info=(images, *window),
    )

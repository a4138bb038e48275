"""Sums and means over the rows of each sample as pooling, if the rows do not fill tiles."""

import math

from ttstack.device.kernel_class import is_view
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import elementwise, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage


@rewrite("reduce-rows-by-pooling", if_faster=True, stage=Stage.MATMULS)
def reduce_rows_by_pooling(op: views.Sum | views.Mean) -> ir.Value | None:
    """`mean(reshape(x), rows)` = `avg_pool2d(x)` with one window for each sample, so that `x` stays in its tiles.

    An example is the 49 pixels of an image before global average pooling. A pool reads only the rows of its window, so
    a non-finite value stays in its sample.
    """
    reduction, split = op.described, views.Reshape.of(op.input)
    if split is None or not split.is_read_once or is_view(split.described):
        return None
    shape, source = reduction.input.shape, read_type(split.input.type)
    if len(shape) < 2 or reduction.dims != (len(shape) - 2,) or not source.dtype.is_float or 0 in shape:
        return None
    *batch, rows, width = shape
    if source.shape[-1:] != (width,):
        return None
    height = max(n for n in range(1, math.isqrt(rows) + 1) if rows % n == 0)
    window, images = (height, rows // height), math.prod(batch)
    value = ttir.avg_pool2d(
        reshape_to(split.input, (1, 1, images * rows, width)),
        kernel=window,
        stride=window,
        dilation=(1, 1),
        padding=(0, 0),
        ceil_mode=False,
        flattened_compat_info=(images, *window),
    )
    if isinstance(op, views.Sum):
        value = elementwise("multiply", value, rows, result=read_type(value.type))
    return reshape_to(value, reduction.results[0].shape)

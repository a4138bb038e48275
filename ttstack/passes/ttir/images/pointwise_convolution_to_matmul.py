"""Pointwise convolutions as matmuls."""

import numpy as np

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.passes.rewriting.candidates import Declined
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.compile_time import is_known


@rewrite("pointwise-convolution-to-matmul", stage=Stage.MATMULS)
def pointwise_convolution_to_matmul(op: views.Conv1d | views.Conv2d | views.Conv3d) -> ir.Value | Declined | None:
    """`conv2d(x, w, b)` = `linear(x, w, b)` with windows of one pixel.

    Images have all pixels in one dimension here; lengths and volumes may have channels in any dimension.

    `ttnn` runs both as a matmul, but chooses the blocks of a convolution itself, and reshards its input first. Blocks
    and shards of a `linear` are placed together with those of the ops around it.
    """
    conv = op.described
    if not conv.sliding.is_pointwise or conv.groups != 1:
        return None
    if isinstance(op, views.Conv2d) and op.described.flattened_compat_info is None:
        return None
    if not is_known(op.weight):
        return Declined("the weight is computed in the program")
    matrix = reshape_to(op.weight, conv.weight.shape[:2])
    bias = None if op.bias is None else reshape_to(op.bias, (conv.out_channels,))
    pixels = permute_dims(op.input, conv.order)
    product = ttir.linear(pixels, matrix, bias, transpose_b=True, activation=conv.activation)
    return permute_dims(product, np.argsort(conv.order).tolist())

"""Convolutions of single pixels as the products that they are."""

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.mlir import ir
from ttstack.ops.conv import Conv2d
from ttstack.passes.base import Pass
from ttstack.passes.rewriting.pattern import apply_patterns
from ttstack.passes.ttir.queries.compile_time import is_known


class PointwiseConvolutionToMatmul(Pass, name="pointwise-convolution-to-matmul"):
    """A convolution whose windows are one pixel is a product of all pixels with one matrix.

    `ttnn` runs it as such, in blocks that it chooses alone and on shards that it moves first; as a `linear` its blocks
    and shards are placed, and so is what stands before and after it.
    """

    def run(self, module: ir.Module) -> None:
        """Rewrite those of images with all pixels in one dimension."""
        apply_patterns(module, [("ttir.conv2d", _product)])


def _product(op: ir.Operation) -> list[ir.Value] | None:
    conv = definition_of(op)
    assert isinstance(conv, Conv2d)
    images, weight, *bias = op.operands
    if not conv.sliding.is_pointwise or conv.groups != 1 or conv.flattened_compat_info is None or not is_known(weight):
        return None
    matrix = reshape_to(weight, conv.weight.shape[:2])
    rows = [reshape_to(b, (conv.out_channels,)) for b in bias]
    return [ttir.linear(images, matrix, *rows, transpose_b=True, activation=conv.activation)]

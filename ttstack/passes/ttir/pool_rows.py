"""Sums and means of as many rows for each of a batch as fill no tiles, as one product with ones."""

from functools import partial

import numpy as np

from ttstack.device.kernel_class import is_view
from ttstack.dialects.base import describe
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.values import constant, elementwise
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.ops.matmul import Matmul
from ttstack.ops.reduction import Reduction
from ttstack.ops.shape import Reshape
from ttstack.ops.types import TensorType
from ttstack.passes.base import Pass
from ttstack.passes.pattern import apply_patterns
from ttstack.passes.ttir.price import Prices
from ttstack.passes.ttir.producers import find_producer

_LARGEST = 2**20
"""Elements of a matrix of ones."""


class PoolRows(Pass, name="pool-rows"):
    """Rows of all images are added up for each by one product, where it is predicted faster than to part them first.

    So 49 pixels an image of a global average pool stay in the tiles in which convolutions left them. A module
    without a device stays as it is.
    """

    def run(self, module: ir.Module) -> None:
        """Look at sums and means."""
        if (prices := Prices.of(module)) is not None:
            apply_patterns(module, [(f"ttir.{name}", partial(_pooled, prices=prices)) for name in ("sum", "mean")])


def _pooled(op: ir.Operation, prices: Prices) -> list[ir.Value] | None:
    found, parted = describe(op), find_producer(op.operands[0], "reshape")
    assert isinstance(found, Reduction)
    if parted is None or len(list(op.operands[0].uses)) > 1 or is_view(describe(parted)):
        return None
    *batch, rows, width = found.input.shape
    each, source = int(np.prod(batch)), read_type(parted.operands[0].type)
    if found.dims != (len(batch),) or source.shape[-1] != width or not source.dtype.is_float:
        return None
    ones, matrix = source.with_shape((each, each * rows)), source.with_shape((each * rows, width))
    product = Matmul(a=ones, b=matrix)
    divisor = rows if found.mnemonic == "mean" else 1
    divided = [OPS["multiply"].on([*product.results, source.with_shape((1, 1))], {})] if divisor > 1 else []
    shaped = Reshape(input=product.results[0], shape=found.results[0].shape)
    if ones.size > _LARGEST or prices.total([product, *divided, shaped]) >= prices.total([describe(parted), found]):
        return None
    return [reshape_to(_product(reshape_to(parted.operands[0], matrix.shape), ones, divisor), found.results[0].shape)]


def _product(matrix: ir.Value, ones: TensorType, divisor: int) -> ir.Value:
    """The rows of each added up and divided."""
    each, rows = ones.shape
    elements = np.kron(np.eye(each, dtype=np.float32), np.ones((1, rows // each), np.float32))
    sums = ttir.matmul(constant(elements, ones), matrix)
    if divisor == 1:
        return sums
    share = constant(np.full((1, 1), 1 / divisor, np.float32), ones.with_shape((1, 1)))
    return elementwise("multiply", sums, share, result=read_type(sums.type))

"""Norms of few long rows, as those of all channels and pixels of an image, as reductions over several dimensions."""

from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.producers import find_producer


@rewrite(
    "layer-norm-by-reductions",
    if_faster=True,
    placed=True,
    stage=Stage.NORMS,
    after={"fuse-norms": "it would make a norm of the reductions again"},
)
def layer_norm_by_reductions(op: views.LayerNorm) -> ir.Value | None:
    """`layer_norm(reshape(x))` = `(x - mean(x)) * rsqrt(variance(x) + epsilon)` over the dimensions that a row has.

    The library's norm of a row is the work of one core. Reductions, and what is done to each element, are divided over
    all cores, and no reshape puts the elements of several dimensions into one row.
    """
    before = find_producer(op.input, "reshape")
    if before is None or len(op.normalized_shape) != 1 or op.residual is not None:
        return None
    x = before.operands[0]
    shape, (width,) = read_type(x.type).shape, op.normalized_shape
    dims = _trailing(shape, width)
    if sum(shape[dim] > 1 for dim in dims) < 2:
        return None
    centred = ttir.subtract(x, ttir.mean(x, keep_dim=True, dim_arg=dims))
    variance = ttir.mean(ttir.multiply(centred, centred), keep_dim=True, dim_arg=dims)
    t = read_type(variance.type)
    shifted = ttir.add(variance, ttir.full(result=t, shape=t.shape, fill_value=op.epsilon))
    normal = ttir.multiply(centred, ttir.rsqrt(shifted))
    each = shape[dims[0] :]
    if op.weight is not None:
        normal = ttir.multiply(normal, reshape_to(op.weight, each))
    if op.bias is not None:
        normal = ttir.add(normal, reshape_to(op.bias, each))
    return reshape_to(normal, op.result_type.shape)


def _trailing(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """Return the last dimensions that have so many elements together; none where a row ends within a dimension."""
    dims, elements = list[int](), 1
    while elements < size and len(dims) < len(shape):
        dims.append(len(shape) - 1 - len(dims))
        elements *= shape[dims[-1]]
    return tuple(reversed(dims)) if elements == size else ()

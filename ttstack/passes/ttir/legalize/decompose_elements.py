"""Decomposition of elementwise ops, argmax and expert routing."""

import math
from collections.abc import Sequence

from ttstack.dialects.base import create, definition_of
from ttstack.dialects.ttir.build import broadcast_to, cast, permute_dims, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.eltwise import GeluBw
from ttstack.ops.moe import TopkRouterGpt
from ttstack.ops.reduction import Argmax
from ttstack.ops.types import DType
from ttstack.passes.rewriting.pattern import Pattern


def _gradient(op: ir.Operation) -> list[ir.Value] | None:
    """Broadcast operands of a derivative explicitly."""
    gelu = definition_of(op)
    assert isinstance(gelu, GeluBw)
    if gelu.lhs.shape == gelu.rhs.shape:
        return None
    whole = (broadcast_to(v, gelu.results[0].shape) for v in op.operands)
    return [ttir.gelu_bw(*whole, approximate=gelu.approximate)]


def _argmax(op: ir.Operation) -> list[ir.Value] | None:
    """Compute the index along one merged dimension."""
    argmax = definition_of(op)
    assert isinstance(argmax, Argmax)
    if len(argmax.dim_arg or ()) < 2:
        return None
    kept = [d for d in range(argmax.input.rank) if d not in argmax.dims]
    shape = (*(argmax.input.shape[d] for d in kept), math.prod(argmax.input.shape[d] for d in argmax.dims))
    rows = reshape_to(permute_dims(op.operands[0], [*kept, *sorted(argmax.dims)]), shape)
    index = argmax.results[0].with_shape(shape[:-1])
    return [reshape_to(ttir.argmax(rows, keep_dim=False, dim_arg=(len(kept),), result=index), argmax.results[0].shape)]


def _route(op: ir.Operation) -> list[ir.Value]:
    """Compute the best scores, their positions, and their softmax."""
    router = definition_of(op)
    assert isinstance(router, TopkRouterGpt)
    x, weight, bias = op.operands
    scores = ttir.add(ttir.matmul(x, weight), bias)
    kept = read_type(scores.type).with_shape((router.input.shape[0], router.k))
    best = create(
        "ttir", "topk", [scores], {"k": router.k, "dim": -1, "sorted": True}, results=(kept, kept.with_dtype(DType.I32))
    ).results
    indices, weights = router.results
    shares = ttir.softmax(best[0], dimension=1)
    return [cast(best[1], indices.dtype), cast(shares, weights.dtype)]


ELEMENTS: Sequence[tuple[str, Pattern]] = (
    ("ttir.argmax", _argmax),
    ("ttir.gelu_bw", _gradient),
    ("ttir.topk_router_gpt", _route),
)

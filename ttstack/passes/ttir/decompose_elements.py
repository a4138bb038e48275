"""Ops on elements and rows in the forms that kernels take, and experts chosen by the scores of a product."""

from collections.abc import Sequence

import numpy as np

from ttstack.dialects.base import create, describe
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.conversion.values import broadcast_to, cast, constant, elementwise
from ttstack.mlir import ir
from ttstack.ops.eltwise import GeluBw
from ttstack.ops.moe import TopkRouterGpt
from ttstack.ops.rotary import RotaryEmbedding
from ttstack.ops.types import DType, TensorType
from ttstack.passes.pattern import Pattern


def _gradient(op: ir.Operation) -> list[ir.Value] | None:
    """A derivative repeats no operand."""
    found = describe(op)
    assert isinstance(found, GeluBw)
    if found.lhs.shape == found.rhs.shape:
        return None
    whole = (broadcast_to(v, found.results[0].shape) for v in op.operands)
    return [ttir.gelu_bw(*whole, approximate=found.approximate)]


def _turn(op: ir.Operation) -> list[ir.Value] | None:
    """Neighbours change places by a product with a matrix of ones."""
    found, (x, cos, sin) = describe(op), op.operands
    assert isinstance(found, RotaryEmbedding)
    if not found.interleaved:
        return None
    width, result = found.input.shape[-1], found.results[0]
    turns = np.kron(np.eye(width // 2), np.array([[0, 1], [-1, 0]]))
    turned = ttir.matmul(x, constant(turns, TensorType((width, width), result.dtype)))
    still, moved = (elementwise("multiply", v, by, result=result) for v, by in ((x, cos), (turned, sin)))
    return [ttir.add(still, moved)]


def _route(op: ir.Operation) -> list[ir.Value]:
    """The best scores, where they stood, and their softmax."""
    found = describe(op)
    assert isinstance(found, TopkRouterGpt)
    x, weight, bias = op.operands
    scores = ttir.add(ttir.matmul(x, weight), bias)
    kept = read_type(scores.type).with_shape((found.input.shape[0], found.k))
    best = create(
        "ttir", "topk", [scores], {"k": found.k, "dim": -1, "sorted": True}, results=(kept, kept.with_dtype(DType.I32))
    ).results
    indices, weights = found.results
    shares = ttir.softmax(best[0], dimension=1)
    return [cast(best[1], indices.dtype), cast(shares, weights.dtype)]


ELEMENTS: Sequence[tuple[str, Pattern]] = (
    ("ttir.gelu_bw", _gradient),
    ("ttir.rotary_embedding", _turn),
    ("ttir.topk_router_gpt", _route),
)

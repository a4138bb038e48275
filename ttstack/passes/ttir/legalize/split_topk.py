"""Splits of `topk` of long rows, such as tokens of a vocabulary, into slices and a final selection."""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from ttstack.dialects.base import create
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import constant, reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.sort import Topk
from ttstack.passes.rewriting.candidates import Candidate
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage

_MOST_SLICES = 64


@rewrite("split-topk", if_faster=True, stage=Stage.OPERANDS)
def split_topk(op: views.Topk) -> Iterator[Candidate]:
    """`topk(x)` = `topk(concat(topk(slices of x)))`: a core processes full rows of tiles, so slices use more cores."""
    topk = op.described
    operand, dim = topk.ordered_operand()
    width = operand.shape[dim]
    if dim == operand.rank - 1:
        for count in range(2, _MOST_SLICES + 1):
            if width % count == 0 and width >= 2 * count * topk.k:
                yield partial(_split, op.input_tensor, topk, count)


def _split(x: ir.Value, topk: Topk, count: int) -> list[ir.Value]:
    *batch, width = topk.input_tensor.shape
    rows = math.prod(batch)
    values, indices = _topk(reshape_to(x, (rows, count, width // count)), topk)
    t = read_type(indices.type)
    begins = constant(np.arange(count)[None, :, None] * (width // count), t.with_shape((1, count, 1)))
    indices = reshape_to(ttir.add(indices, begins), (rows, count * topk.k))
    values, chosen = _topk(reshape_to(values, (rows, count * topk.k)), topk)
    return [reshape_to(v, topk.results[0].shape) for v in (values, ttir.gather(indices, chosen, dim=1))]


def _topk(x: ir.Value, like: Topk) -> tuple[ir.Value, ir.Value]:
    t = read_type(x.type)
    shape = (*t.shape[:-1], like.k)
    attributes = {name: value for name, value in like.attributes().items() if name != "dtype"}
    results = [t.with_shape(shape), like.results[1].with_shape(shape)]
    op = create("ttir", "topk", [x], {**attributes, "dim": -1, "sorted": True}, results=results)
    return op.results[0], op.results[1]

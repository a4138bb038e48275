"""Composition of consecutive slices."""

from ttstack.dialects.base import definition_of
from ttstack.dialects.ttir import views
from ttstack.dialects.ttir.build import reshape_to
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.indexing import SliceStatic
from ttstack.passes.rewriting.rewrite import rewrite
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.producers import find_producer


@rewrite("compose-slices", stage=Stage.KERNELS)
def compose_slices(op: views.SliceStatic) -> list[ir.Value] | None:
    """`x[a:b][c:d]` = `x[a+c:a+d]`, also if leading unit dimensions were dropped in between."""
    cut, source, dropped = op.described, op.input, 0
    if (view := find_producer(source, "reshape")) is not None:
        source = view.operands[0]
        dropped = read_type(source.type).rank - cut.input.rank
    inner = find_producer(source, "slice_static")
    if inner is None or dropped < 0 or read_type(source.type).shape != (1,) * dropped + cut.input.shape:
        return None
    before = definition_of(inner)
    assert isinstance(before, SliceStatic)
    if not (before.counts_up and cut.counts_up):
        return None
    begins = [b + c for b, c in zip(before.begins, (0,) * dropped + cut.begins, strict=True)]
    ends = [b + extent for b, extent in zip(begins, (1,) * dropped + cut.results[0].shape, strict=True)]
    merged = ttir.slice_static(inner.operands[0], begins=tuple(begins), ends=tuple(ends), step=before.step)
    return [reshape_to(merged, cut.results[0].shape)]

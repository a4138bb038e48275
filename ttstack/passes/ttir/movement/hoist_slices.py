"""Slices moved before ops, so that unused elements are not computed."""

from ttstack.dialects.base import create, definition_of, operands_by_place
from ttstack.dialects.ttir.build import slice_as
from ttstack.dialects.ttir.destination import pure_producer
from ttstack.mlir import ir
from ttstack.ops.indexing import SliceStatic
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.rewriting.prices import Prices
from ttstack.passes.stages import Stage
from ttstack.passes.ttir.queries.sliced_cone import SlicedCone


class HoistSlices(
    Pass,
    name="hoist-slices",
    optional=True,
    stage=Stage.TOKENS,
    after={"time-major": "it needs the slices of all time steps in one place"},
):
    """Move slices, such as the one of the last token, before ops on rows, if predicted to be faster.

    It moves slices before row-wise ops, reductions, reshapes and permutations; equal slices count as one.
    """

    def run(self, module: ir.Module) -> None:
        """Move each slice as early as possible."""
        if (prices := Prices.of(module)) is None:
            return
        for function in functions(module):
            pending = [op for op in body(function) if op.name == "ttir.slice_static"]
            while pending:
                group = _same_part(pending.pop())
                if group and _saved(group[0].operands[0], _described(group[0]), prices) > 0:
                    pending = [*(op for op in pending if op not in group), *_sink(group)]


def _same_part(op: ir.Operation) -> list[ir.Operation]:
    """Return all users of a sliced value if they are the same slice; otherwise nothing."""
    readers = [use.owner.operation for use in op.operands[0].uses]
    return readers if all(_cuts(other, _described(op)) for other in readers) else []


def _sink(group: list[ir.Operation]) -> list[ir.Operation]:
    """Build the slice from sliced operands of the producer, and return the new slices."""
    maker = pure_producer(group[0].operands[0])
    assert maker is not None
    cone = SlicedCone.of(definition_of(maker), _described(group[0]))
    assert cone is not None
    with ir.InsertionPoint(maker), group[0].location:
        values = [v if cut is None else slice_as(v, cut) for v, cut in zip(maker.operands, cone.cuts, strict=True)]
        remaining = iter(values)
        operands = [v and next(remaining) for v in operands_by_place(type(cone.op), maker)]
        sliced = create("ttir", cone.op.mnemonic, operands, cone.op.attributes(), results=cone.op.results)
    for op in group:
        op.results[0].replace_all_uses_with(sliced.results[0])
        op.erase()
    slices = [new for new, old in zip(values, maker.operands, strict=True) if new != old]
    maker.erase()
    return [ir.OpResult(value).owner.operation for value in slices]


def _saved(value: ir.Value, cut: SliceStatic, prices: Prices) -> float:
    """Return the nanoseconds that slicing before the producer and its producers is predicted to save."""
    maker = pure_producer(value)
    if maker is None or not maker.name.startswith("ttir.") or cut.results[0] == cut.input:
        return 0.0
    op = definition_of(maker)
    if (cone := SlicedCone.of(op, cut)) is None:
        return 0.0
    saved = prices.sum_of([op, cut]) - prices.sum_of([cone.op])
    for read, part in zip(maker.operands, cone.cuts, strict=True):
        if part is not None:
            others = [use.owner.operation for use in read.uses if use.owner.operation != maker]
            alone = all(_cuts(other, part) for other in others)
            saved += (_saved(read, part, prices) if alone else 0) - (0 if alone and others else prices.sum_of([part]))
    return max(0.0, saved)


def _cuts(op: ir.Operation, part: SliceStatic) -> bool:
    return op.name == "ttir.slice_static" and _described(op) == part


def _described(op: ir.Operation) -> SliceStatic:
    cut = definition_of(op)
    assert isinstance(cut, SliceStatic)
    return cut

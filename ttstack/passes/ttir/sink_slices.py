"""Rows that nobody reads are not computed: a slice of rows is taken of what they are made of."""

from ttstack.dialects.base import create, describe, operands_by_place
from ttstack.dialects.ttir.build import slice_as
from ttstack.mlir import ir
from ttstack.ops.indexing import SliceStatic
from ttstack.ops.types import TensorType
from ttstack.passes.base import Pass
from ttstack.passes.functions import body, functions
from ttstack.passes.pattern import producer
from ttstack.passes.ttir.price import Prices
from ttstack.passes.ttir.row_ops import RowOp


class SinkSlices(Pass, name="sink-slices"):
    """A slice of whole rows, as the last token's logits, goes before ops on rows where that is predicted to pay."""

    def run(self, module: ir.Module) -> None:
        """Move each slice as far as it goes."""
        if (prices := Prices.of(module)) is None:
            return
        for function in functions(module):
            pending = [op for op in body(function) if op.name == "ttir.slice_static"]
            while pending:
                pending += _sink(pending.pop(), prices)


def _sink(op: ir.Operation, prices: Prices) -> list[ir.Operation]:
    """Put the slice before the op that makes what it cuts; the slices that stand there then."""
    cut, maker = describe(op), producer(op.operands[0])
    assert isinstance(cut, SliceStatic)
    if maker is None or len(list(op.operands[0].uses)) > 1 or not _takes_rows(cut):
        return []
    found = RowOp.of(describe(maker)) if maker.name.startswith("ttir.") else None
    if found is None or isinstance(found.op, SliceStatic):
        return []
    cuts = [_cut(t, cut) if found.has_rows(i) else None for i, t in enumerate(found.op.operands)]
    types = iter(t if of is None else of.results[0] for t, of in zip(found.op.operands, cuts, strict=True))
    flat = [v and next(types) for v in operands_by_place(type(found.op), maker)]
    small = type(found.op).on(flat, found.op.attributes(), found.op.results[0].with_shape(cut.results[0].shape))
    if prices.total([small, *(of for of in cuts if of)]) >= prices.total([found.op, cut]):
        return []
    with ir.InsertionPoint(op), op.location:
        values = [v if of is None else slice_as(v, of) for v, of in zip(maker.operands, cuts, strict=True)]
        given = iter(values)
        places = [v and next(given) for v in operands_by_place(type(found.op), maker)]
        made = create("ttir", small.mnemonic, places, small.attributes(), results=small.results)
    op.results[0].replace_all_uses_with(made.results[0])
    op.erase()
    maker.erase()
    return [ir.OpResult(v).owner.operation for v, of in zip(values, cuts, strict=True) if of]


def _takes_rows(cut: SliceStatic) -> bool:
    """Whether it takes whole rows, and not all of them."""
    return cut.results[0].shape[-1:] == cut.input.shape[-1:] and cut.step[-1:] == (1,) and cut.results[0] != cut.input


def _cut(t: TensorType, cut: SliceStatic) -> SliceStatic:
    """The same rows of another tensor."""
    return SliceStatic(input=t, begins=(*cut.begins[:-1], 0), ends=(*cut.ends[:-1], t.shape[-1]), step=cut.step)

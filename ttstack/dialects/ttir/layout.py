"""`ttir.to_layout`: the only op with a destination operand, whose type is the layout."""

from ttstack.dialects.base import Verified
from ttstack.dialects.ttir.dialect import TTIR
from ttstack.dialects.types import read_type
from ttstack.mlir import ext, ir


class ToLayoutOp(Verified, dialect=TTIR, name="to_layout", traits=[ext.Pure]):
    """Convert `input` to the layout of `output`."""

    input: ext.Operand[ir.RankedTensorType]
    output: ext.Operand[ir.RankedTensorType]
    result: ext.Result[ir.RankedTensorType]  # pyright: ignore[reportIncompatibleMethodOverride]

    def check(self) -> None:
        """Raise `ValueError` unless shapes agree and the result has the destination's type.

        Element types can differ.
        """
        if len(self.operation.operands) != 2:
            raise ValueError("takes an input and a destination, whose layout it gives")
        value, into, out = (v.type for v in (*self.operation.operands, self.operation.results[0]))
        if into != out:
            raise ValueError(f"result is {out}, its destination {into}")
        if read_type(value).shape != read_type(into).shape:
            raise ValueError(f"input is {read_type(value)}, destination {read_type(into)}")


def build_to_layout(value: ir.Value, layout: ir.Attribute) -> ir.Value:
    """Convert `value` to `layout`, at the current insertion point."""
    tensor = ir.RankedTensorType(value.type)
    destination = ir.RankedTensorType.get(tensor.shape, tensor.element_type, layout)
    empty = ir.Operation.create("ttir.empty", results=[destination])
    op = ir.Operation.create("ttir.to_layout", results=[destination], operands=[value, empty.results[0]])
    return op.results[0]

"""`ttnn.generic`: a kernel defined by a region of tile ops, for which ttnn has no op."""

from collections.abc import Sequence

from ttstack.dialects.base import SEGMENTS, Defined, segments
from ttstack.dialects.defined_ops import operand_annotations
from ttstack.dialects.region import build_region, check_nest, nest_attributes, read_nest
from ttstack.dialects.tile_dialect import define_tile_ops
from ttstack.dialects.ttnn.dialect import TTNN
from ttstack.dialects.types import read_type, tensor_type
from ttstack.mlir import ext, ir
from ttstack.ops.base import MAX_VARIADIC
from ttstack.ops.generic import Generic


class TTNNGeneric(Defined, dialect=TTNN, name="generic", traits=[ext.Pure]):
    """Loops over tiles: inputs and a result, a map and an access for each, and a region on tiles."""

    definition = Generic
    __annotations__ = {
        **operand_annotations(MAX_VARIADIC),
        "result": ext.Result[ir.RankedTensorType],
        "body": ext.Region,
    }

    def check(self) -> None:
        """Raise `ValueError` unless maps, accesses and block arguments fit the types and loops are consistent."""
        check_nest(self.operation, read_nest(self.operation))
        super().check()


define_tile_ops(TTNN)


def build_generic(generic: Generic, inputs: Sequence[ir.Value], encoding: ir.Attribute | None) -> ir.Operation:
    """Build a `ttnn.generic` at the current insertion point, with the layout of its result."""
    source = {"source": ir.StringAttr.get(generic.source)} if generic.source else {}
    sizes = {SEGMENTS: ir.DenseI32ArrayAttr.get(segments("generic", [True] * len(inputs)) or [])}
    types = [*(read_type(v.type) for v in inputs), generic.type]
    op = ir.Operation.create(
        "ttnn.generic",
        results=[tensor_type(generic.type, encoding)],
        operands=list(inputs),
        attributes=nest_attributes(generic.program, types) | source | sizes,
        regions=1,
    )
    build_region(op, generic.program, [t.dtype for t in types])
    return op

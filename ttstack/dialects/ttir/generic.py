"""`ttir.generic`: the dispatch of one computation on a grid of cores."""

from collections.abc import Sequence

from ttstack.dialects.attributes import make_attribute, read_attribute
from ttstack.dialects.base import SEGMENTS, Verified, segments
from ttstack.dialects.built_ops import record
from ttstack.dialects.defined_ops import operand_annotations
from ttstack.dialects.region import build_region, check_nest, nest_attributes, read_nest
from ttstack.dialects.tile_dialect import define_tile_ops
from ttstack.dialects.ttir.dialect import TTIR
from ttstack.dialects.types import read_type, tensor_type
from ttstack.mlir import ext, ir
from ttstack.ops.base import MAX_VARIADIC, OPS
from ttstack.ops.generic_source import WRITTEN, GenericSource
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.types import TensorType

SOURCE, ATTRIBUTES, PLACES = "source", "source_attributes", "source_places"
"""The op that a dispatch was created from, by mnemonic, its attributes, and unusual positions of operands."""


class TTIRGeneric(Verified, dialect=TTIR, name="generic", traits=[ext.Pure]):
    """Loops over tiles: inputs and a destination, a map and an access for each, and a region on tiles."""

    __annotations__ = {
        **operand_annotations(MAX_VARIADIC),
        "result": ext.Result[ir.RankedTensorType],
        "body": ext.Region,
    }

    def check(self) -> None:
        """Raise `ValueError` unless maps, accesses and block arguments fit the operands and loops are consistent."""
        operation = self.operation
        nest = read_nest(operation)
        result, destination = (read_type(v.type) for v in (operation.results[0], list(operation.operands)[-1]))
        if result != destination:
            raise ValueError(f"result is {result}, its destination {destination}")
        check_nest(operation, nest)
        read_source(operation)


define_tile_ops(TTIR)


def build_generic(
    nest: LoopNest, inputs: Sequence[ir.Value], out: TensorType, source: GenericSource = WRITTEN
) -> ir.Value:
    """Build a `ttir.generic` at the current insertion point, created from `source`."""
    result = tensor_type(out)
    operands = [*inputs, record(ir.Operation.create("ttir.empty", results=[result])).results[0]]
    types = [read_type(v.type) for v in operands]
    sizes = {SEGMENTS: ir.DenseI32ArrayAttr.get(segments("generic", [True] * len(operands)) or [])}
    op = ir.Operation.create(
        "ttir.generic",
        results=[result],
        operands=operands,
        attributes=nest_attributes(nest, types) | _spelled(source) | sizes,
        regions=1,
    )
    record(op)
    build_region(op, nest, [t.dtype for t in types])
    return op.results[0]


def _spelled(source: GenericSource) -> dict[str, ir.Attribute]:
    if not source.name:
        return {}
    specs = OPS[source.name].attribute_specs()
    written: dict[str, ir.Attribute] = {SOURCE: ir.StringAttr.get(source.name)}
    if source.attributes:
        spelled = {name: make_attribute(specs[name].spelling, value) for name, value in source.attributes.items()}
        written[ATTRIBUTES] = ir.DictAttr.get(spelled)
    if source.places:
        written[PLACES] = ir.DenseI64ArrayAttr.get(source.places)
    return written


def read_source(op: ir.Operation) -> GenericSource:
    """Return the op that a dispatch was created from; raise `ValueError` if it does not exist."""
    if SOURCE not in op.attributes:
        return WRITTEN
    name = ir.StringAttr(op.attributes[SOURCE]).value
    if name not in OPS:
        raise ValueError(f"its source is '{name}', which is not an op")
    written = ir.DictAttr(op.attributes[ATTRIBUTES]) if ATTRIBUTES in op.attributes else []
    specs = OPS[name].attribute_specs()
    if wrong := [a.name for a in written if a.name not in specs]:
        raise ValueError(f"its source has an attribute '{wrong[0]}', which '{name}' does not have")
    places = tuple(ir.DenseI64ArrayAttr(op.attributes[PLACES])) if PLACES in op.attributes else ()
    if places and not 0 < len(set(places)) == len(op.operands) - 1 <= max(places) + 1 <= len(OPS[name].operand_specs()):
        raise ValueError(f"its source has operands in the places {list(places)}")
    return GenericSource(
        name, {a.name: read_attribute(a.name, specs[a.name].spelling, a.attr) for a in written}, places
    )

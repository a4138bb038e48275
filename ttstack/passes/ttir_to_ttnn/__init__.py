"""Lowering of placed `ttir` to `ttnn`; ops with the same mnemonic in both dialects need no code."""

from collections.abc import Sequence
from typing import Any

from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.base import attribute_values, create, operands_by_place
from ttstack.dialects.location import read_location
from ttstack.dialects.placement_attrs import copy_placement
from ttstack.dialects.ttir import TTIR, read_source
from ttstack.dialects.ttnn import TTNN, build_generic
from ttstack.dialects.types import read_type
from ttstack.mlir import ir
from ttstack.ops.base import OPS, Op
from ttstack.ops.fields import Arity
from ttstack.ops.generic import Generic
from ttstack.ops.raising import raise_to_named
from ttstack.passes.base import Pass
from ttstack.passes.conversion import DialectConversion
from ttstack.passes.rewriting.function_graph import inputs_of, op_of
from ttstack.passes.stages import Stage


class ConvertTTIRToTTNN(Pass, name="convert-ttir-to-ttnn", stage=Stage.DEVICE):
    """Replace every ttir op by the ttnn op that the device executes, with the same layouts and placement."""

    def run(self, module: ir.Module) -> None:
        """Convert the module; a dispatch becomes its named op, or `ttnn.generic`."""
        conversion = DialectConversion()
        conversion.target.add_legal_dialect(TTNN)
        conversion.target.add_illegal_dialect(TTIR)
        for op in TTIR.operations:
            name = op._op_name
            if name == "generic":
                conversion.add("ttir.generic", _generic)
            elif name == "to_layout":
                conversion.add("ttir.to_layout", _to_layout)
            elif name == "empty":
                conversion.add("ttir.empty", _empty)
            elif name in OPS:
                conversion.add(f"ttir.{name}", _named)
        conversion.apply(module)


def _named(op: ir.Operation, operands: Sequence[ir.Value]) -> Sequence[ir.Value]:
    spec = OPS[op.name.partition(".")[2]]
    by_place = dict(zip((v for v in op.operands), operands, strict=True))
    places = [None if v is None else by_place[v] for v in operands_by_place(spec, op)]
    return _lower(op, spec, places, attribute_values(spec, op))


def _generic(op: ir.Operation, operands: Sequence[ir.Value]) -> Sequence[ir.Value]:
    generic = op_of(op)
    assert isinstance(generic, Generic)
    named = raise_to_named(generic.program, generic.inputs, generic.type, read_source(op))
    if named is not None:
        return _lower(op, type(named), _by_place(named, operands[:-1]), named.attributes())
    if generic.program.index_bound is not None:
        raise UnsupportedOpError(
            "'ttir.generic' picks by an index, and is not a lookup", loc=read_location(op.location)
        )
    new = build_generic(generic, operands[:-1], op.results[0].type.encoding)
    copy_placement(op, new)
    return list(new.results)


def _by_place(named: Op, operands: Sequence[ir.Value]) -> Sequence[ir.Value | None]:
    """Return the operands of a dispatch at their positions in the named op."""
    if Arity.VARIADIC in named.operand_specs().values():
        return operands
    taken = iter(operands)
    return [None if getattr(named, place) is None else next(taken) for place in named.operand_specs()]


def _to_layout(op: ir.Operation, operands: Sequence[ir.Value]) -> Sequence[ir.Value]:
    return _lower(op, OPS["to_layout"], operands[: len(inputs_of(op))], {})


def _empty(op: ir.Operation, operands: Sequence[ir.Value]) -> Sequence[ir.Value]:
    return _lower(op, OPS["empty"], operands, {})


def _lower(
    op: ir.Operation, spec: type[Op], operands: Sequence[ir.Value | None], attributes: dict[str, Any]
) -> Sequence[ir.Value]:
    encodings = [r.type.encoding for r in op.results]
    results = [read_type(r.type) for r in op.results]
    new = create("ttnn", spec.mnemonic, operands, attributes, results=results, encodings=encodings)
    copy_placement(op, new)
    return list(new.results)

"""Conversion of `chlo` ops and composites: those with a conversion are kept, others become StableHLO ops."""

from collections.abc import Mapping

from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.built_ops import insert_before
from ttstack.dialects.context import as_diagnostics
from ttstack.frontends.conversion import ConversionRule
from ttstack.frontends.stablehlo_to_ttir.stablehlo_op import StablehloOp, call_name
from ttstack.mlir import PassManager, ir

_UPGRADE = "builtin.module(vhlo-legalize-to-stablehlo)"
_EXPAND = "builtin.module(func.func(chlo-legalize-to-stablehlo,stablehlo-canonicalize-dynamism))"


def keep_whole(module: ir.Module, conversions: Mapping[str, ConversionRule[StablehloOp]]) -> None:
    """Turn all `chlo` ops and composites with a conversion into custom calls, and expand other `chlo` ops.

    A composite in an unsupported form is replaced by its decomposition. Ops of `vhlo`, the dialect of portable
    artifacts, become those of `stablehlo` first.
    """
    with as_diagnostics("cannot read the module's vhlo ops"):
        PassManager.parse(_UPGRADE).run(module.operation)
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "stablehlo.composite" or (op.name.startswith("chlo.") and op.name in conversions):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in found:
        if op.name.startswith("chlo."):
            _replace(op, _call(op, op.name, _dictionary(op)))
        elif (known := conversions.get(call_name(ir.StringAttr(op.attributes["name"]).value))) is not None:
            _keep(op, known)
    with as_diagnostics("cannot expand the module's chlo ops"):
        PassManager.parse(_EXPAND).run(module.operation)


def _keep(composite: ir.Operation, conversion: ConversionRule[StablehloOp]) -> None:
    """Replace the composite by a call, if its conversion supports it."""
    attributes = composite.attributes
    given = attributes["composite_attributes"] if "composite_attributes" in attributes else ir.DictAttr.get({})
    call = _call(composite, ir.StringAttr(attributes["name"]).value, given)
    if _is_taken(call, composite, conversion):
        _replace(composite, call)
    else:
        call.erase()


def _is_taken(call: ir.Operation, end: ir.Operation, conversion: ConversionRule[StablehloOp]) -> bool:
    """Return True if a trial conversion gives results of the call's types; erase the ops that it adds before `end`.

    Returns True after an internal error, so that the actual conversion reports it.
    """
    with ir.InsertionPoint(end), call.location:
        try:
            values = conversion.apply(StablehloOp(call, list(call.operands)))
            taken = [v.type for v in values] == [r.type for r in call.results]
        except (UnsupportedOpError, ValueError):
            taken = False
        except (ArithmeticError, LookupError):
            taken = True
    ops = [op.operation for op in call.block.operations]
    for op in reversed(ops[ops.index(call) + 1 : ops.index(end)]):
        op.erase()
    return taken


def _call(op: ir.Operation, name: str, given: ir.Attribute) -> ir.Operation:
    """Build a custom call before the op, with its operands and results."""
    attributes = {"call_target_name": ir.StringAttr.get(name), "mhlo.attributes": given}
    with insert_before(op):
        return ir.Operation.create(
            "stablehlo.custom_call",
            results=[r.type for r in op.results],
            operands=list(op.operands),
            attributes=attributes,
        )


def _replace(op: ir.Operation, call: ir.Operation) -> None:
    for old, new in zip(op.results, call.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()


def _dictionary(op: ir.Operation) -> ir.DictAttr:
    return ir.DictAttr.get({name: op.attributes[name] for name in op.attributes})

"""Ops of `chlo` and composites that have a conversion of their own stay whole; the others become StableHLO ops."""

from collections.abc import Collection
from typing import Any

from ttstack.context import as_diagnostics
from ttstack.mlir import PassManager, ir

_UPGRADE = "builtin.module(vhlo-legalize-to-stablehlo)"
_EXPAND = "builtin.module(func.func(chlo-legalize-to-stablehlo,stablehlo-canonicalize-dynamism))"


def keep_whole(module: ir.Module, known: Collection[str]) -> None:
    """Make custom calls of all `chlo` ops and composites whose names are `known`, and expand other `chlo` ops.

    Ops of `vhlo`, the dialect of portable artifacts, become those of `stablehlo` first.
    """
    with as_diagnostics("cannot read the module's vhlo ops"):
        PassManager.parse(_UPGRADE).run(module.operation)
    found: list[Any] = []

    def visit(op: Any) -> ir.WalkResult:
        composite = op.name == "stablehlo.composite"
        name = op.attributes["name"].value if composite else op.name
        if (composite and f"@{name}" in known) or (name.startswith("chlo.") and name in known):
            found.append((op, name))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op, name in found:
        _call_by_name(op, name)
    with as_diagnostics("cannot expand the module's chlo ops"):
        PassManager.parse(_EXPAND).run(module.operation)


def _call_by_name(op: Any, name: str) -> None:
    """A custom call in the place of the op, with its attributes."""
    given = op.attributes["composite_attributes"] if "composite_attributes" in op.attributes else _dictionary(op)
    attributes = {"call_target_name": ir.StringAttr.get(name), "mhlo.attributes": given}
    with ir.InsertionPoint(op), op.location:
        new = ir.Operation.create(
            "stablehlo.custom_call",
            results=[r.type for r in op.results],
            operands=list(op.operands),
            attributes=attributes,
        )
    for old, result in zip(op.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    op.erase()


def _dictionary(op: Any) -> ir.DictAttr:
    if op.name == "stablehlo.composite":
        return ir.DictAttr.get({})
    return ir.DictAttr.get({name: op.attributes[name] for name in op.attributes})

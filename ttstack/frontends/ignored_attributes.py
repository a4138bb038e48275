"""Discardable attributes of a model's ops, which no op definition has and which are ignored."""

from warnings import warn

from ttstack.diagnostics import TTStackWarning
from ttstack.dialects.base import RESULT_SEGMENTS, SEGMENTS, definition
from ttstack.mlir import ir
from ttstack.support.suggestion import did_you_mean

_OF_MLIR = (SEGMENTS, RESULT_SEGMENTS)


def warn_of_ignored_attributes(module: ir.Module) -> None:
    """Warn once of all ignored attributes whose names resemble attributes of their ops."""
    found: dict[tuple[str, str], str] = {}

    def visit(op: ir.Operation) -> ir.WalkResult:
        spec = definition(op)
        if spec is not None and not len(op.regions):
            known = spec.attribute_specs()
            others = [n for n in op.attributes if n not in known and n not in _OF_MLIR and "." not in n]
            found.update({(op.name, n): hint for n in others if (hint := did_you_mean(n, known))})
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    if found:
        spelled = ", ".join(f"'{name}' of {op} ({hint})" for (op, name), hint in sorted(found.items()))
        warn(f"attributes that ops do not have are ignored: {spelled}", TTStackWarning, stacklevel=2)

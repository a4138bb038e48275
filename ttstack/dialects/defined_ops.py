"""An IRDL op for each definition, with the numbers of operands and results that MLIR checks itself."""

from collections.abc import Sequence
from types import new_class
from typing import Any

from ttstack.dialects.base import Defined, Dialect
from ttstack.mlir import ext, ir
from ttstack.ops.base import MAX_RESULTS, MAX_VARIADIC, Op
from ttstack.ops.fields import Arity


def define_ops(dialect: type[Dialect], definitions: Sequence[type[Op]]) -> None:
    """Add one op to the dialect for each new definition."""
    known = {getattr(op, "definition", None) for op in dialect.operations}
    for spec in (spec for spec in definitions if spec not in known):
        keywords = {"dialect": dialect, "name": spec.mnemonic, "traits": [ext.Pure] if spec.pure else []}
        new_class(spec.__name__, (Defined,), keywords, lambda ns, spec=spec: ns.update(_body(spec)))


def operand_annotations(count: int) -> dict[str, Any]:
    """Return annotations of `count` optional operands.

    All operands of an IRDL variadic group must have the same type, so an op whose operands differ in shape has separate
    optional operands instead, and operandSegmentSizes.
    """
    return {f"operand{i}": ext.Operand[ir.RankedTensorType] | None for i in range(count)}


def _body(spec: type[Op]) -> dict[str, Any]:
    tensor: Any = ir.RankedTensorType
    annotations: dict[str, Any] = {}
    for name, arity in spec.operand_specs().items():
        if arity is Arity.VARIADIC:
            annotations |= operand_annotations(MAX_VARIADIC)
        else:
            operand = ext.Operand[tensor]
            annotations[f"{name}_operand"] = operand | None if arity is Arity.OPTIONAL else operand
    annotations |= _result_annotations(spec)
    return {
        "__annotations__": annotations,
        "__doc__": spec.__doc__,
        "__module__": __name__,
        "definition": spec,
        "stands_alone": spec.check_constants is Op.check_constants,
    }


def _result_annotations(spec: type[Op]) -> dict[str, Any]:
    """Return annotations of results; those of an IRDL variadic group must have the same type too."""
    result: Any = ext.Result[ir.RankedTensorType]
    if spec.variadic_results:
        return {f"result{i}": result | None for i in range(MAX_RESULTS)}
    found = {f"{name}_result": result for name in spec.result_names}
    if spec.optional_result:
        found[f"{spec.result_names[-1]}_result"] |= None
    return found

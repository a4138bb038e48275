"""Check that an operation's operands, attributes and recorded types match the definition of its op."""

from typing import Any, cast

from ttstack.ops.attributes import Attribute
from ttstack.ops.base import OPS, Op
from ttstack.ops.fields import Arity
from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.tensor_train_type import TensorTrainType
from ttstack.program.records import Function, Operation

_TYPES: dict[str, type | tuple[type, ...]] = {
    "bool": bool,
    "string": str,
    "enum": str,
    "integer": int,
    "float": (int, float),
    "number": (int, float),
    "array": tuple,
    "dense": tuple,
    "sides": (int, tuple),
    "flattened": tuple,
    "table": tuple,
    "region": LoopNest,
    "elements": object,
    "tensor_train": TensorTrainType,
}
"""Python types of attribute values by the kind of their spelling."""


def signature_fault(function: Function, op: Operation) -> str | None:
    """Return why a recorded operation is invalid; None if it is valid. Its references must be valid."""
    definition = OPS.get(op.name)
    if definition is None:
        return "is not an op that this ttstack knows"
    if not definition.executable:
        return "is not an op of the device"
    why = _operand_fault(definition, op) or _attribute_fault(definition, op)
    return why or _type_fault(function, op)


def _operand_fault(definition: type[Op], op: Operation) -> str | None:
    specs = definition.operand_specs()
    variadic = Arity.VARIADIC in specs.values()
    required = sum(arity is Arity.ONE for arity in specs.values())
    if len(op.operands) < required or (len(op.operands) > len(specs) and not variadic):
        return f"has {len(op.operands)} operands, the op takes {', '.join(specs)}"
    for (name, arity), operand in zip(specs.items(), op.operands, strict=False):
        if operand is None and arity is not Arity.OPTIONAL:
            return f"has no operand '{name}'"
    if None in op.operands[len(specs) :]:
        return "has a gap among its operands"
    return None


def _attribute_fault(definition: type[Op], op: Operation) -> str | None:
    specs = definition.attribute_specs()
    for name, value in op.attributes.items():
        if name not in specs:
            return f"has an attribute '{name}', which the op does not have"
        if not _fits(specs[name], value):
            return f"has {value!r} as attribute '{name}'"
    missing = [name for name, spec in specs.items() if spec.required and name not in op.attributes]
    return f"lacks the attribute '{missing[0]}'" if missing else None


def _fits(spec: Attribute, value: Any) -> bool:
    if value is None:
        return spec.default is None
    if spec.spelling.kind == "table":
        return isinstance(value, tuple) and all(map(_is_numbers, cast(tuple[Any, ...], value)))
    if isinstance(value, tuple) and not _is_numbers(value):
        return False
    return isinstance(value, _TYPES[spec.spelling.kind])


def _is_numbers(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(v, int | float) for v in cast(tuple[Any, ...], value))


def _type_fault(function: Function, op: Operation) -> str | None:
    try:
        inferred = function.definition(op).results
    except (ValueError, TypeError, IndexError, ArithmeticError) as error:
        return f"does not fit its operands: {error}"
    recorded = tuple(function.tensors[i].type for i in op.results)
    if inferred != recorded:
        spelled = [", ".join(map(str, types)) or "nothing" for types in (inferred, recorded)]
        tensors = ", ".join(f"tensor {i} '{function.tensors[i].name}'" for i in op.results)
        return f"gives {spelled[0]}, recorded is {spelled[1]}{f' as {tensors}' if tensors else ''}"
    return None

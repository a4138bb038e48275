"""The signature of an imported function: builtin tensors instead of torch's, and casts between them."""

from collections.abc import Sequence

from ttstack.diagnostics import SourceError
from ttstack.dialects.functions import refresh_signature
from ttstack.frontends.torch_to_ttir.types import builtin_type
from ttstack.mlir import func, ir

ENTER, LEAVE = "torch_c.from_builtin_tensor", "torch_c.to_builtin_tensor"
"""The casts at each argument and at each result, which conversion removes."""


def list_of(values: Sequence[ir.Value], list_type: ir.Type) -> ir.Value:
    """Build a cast of elements to a torch list, which is unused after conversion."""
    return _cast("builtin.unrealized_conversion_cast", values, list_type)


def convert_signature(function: func.FuncOp) -> None:
    """Change the function's types to builtin tensors; its body still uses torch's types.

    Raises:
        SourceError: an input, a parameter or a result has an unsupported type.
    """
    block = function.regions[0].blocks[0]
    *_, last = block.operations
    with ir.Location.unknown(), ir.InsertionPoint.at_block_begin(block):
        for argument in block.arguments:
            _enter(argument)
    with last.operation.location, ir.InsertionPoint(last):
        for i, value in enumerate(last.operands):
            last.operation.operands[i] = _cast(LEAVE, [value], _builtin_type(value, "a result"))
    refresh_signature(function)


def _enter(argument: ir.BlockArgument) -> None:
    before = argument.type
    argument.set_type(_builtin_type(argument, "an input or a parameter"))
    inside = _cast(ENTER, [argument], before)
    argument.replace_all_uses_except(inside, inside.owner.operation)


def _builtin_type(value: ir.Value, what: str) -> ir.Type:
    try:
        return builtin_type(value.type)
    except ValueError as e:
        raise SourceError(f"{what} of the model cannot be held: {e}") from e


def _cast(name: str, values: Sequence[ir.Value], result: ir.Type) -> ir.OpResult:
    return ir.Operation.create(name, results=[result], operands=list(values)).results[0]

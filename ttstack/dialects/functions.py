"""The functions of a module."""

from collections.abc import Iterator

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.location import read_location
from ttstack.mlir import PassManager, func, ir

_JOIN_BLOCKS = "builtin.module(func.func(canonicalize))"
"""The pass that merges blocks with unconditional branches."""


def all_functions(module: ir.Module) -> Iterator[func.FuncOp]:
    """Iterate over all functions in order, with and without a body."""
    return (op for op in module.body.operations if isinstance(op, func.FuncOp))


def join_blocks(module: ir.Module) -> None:
    """Merge the blocks of each function into one.

    Raises:
        InvalidIRError: a condition selects between blocks.
    """
    if any(len(function.regions[0].blocks) > 1 for function in all_functions(module)):
        PassManager.parse(_JOIN_BLOCKS).run(module.operation)
    for function in all_functions(module):
        if function.regions[0].blocks:
            only_block(function)


def only_block(function: func.FuncOp) -> ir.Block:
    """Return the block of a function with a body.

    Raises:
        InvalidIRError: the function has several blocks.
    """
    block, *others = function.regions[0].blocks
    if others:
        raise InvalidIRError(
            f"function '{function.name.value}' has {1 + len(others)} blocks",
            loc=read_location(function.location) or None,
            hint="branches between blocks cannot be compiled: use an op with regions, or unroll it in the source",
        )
    return block


def refresh_signature(function: func.FuncOp) -> None:
    """Set the function's type to that of its block arguments and its return."""
    block = function.regions[0].blocks[0]
    *_, last = block.operations
    inputs, results = [a.type for a in block.arguments], [v.type for v in last.operands]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results))

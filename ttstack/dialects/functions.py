"""The functions of a module."""

from collections.abc import Iterator

from ttstack.mlir import func, ir


def all_functions(module: ir.Module) -> Iterator[func.FuncOp]:
    """Those with a body and those without, in order."""
    return (op for op in module.body.operations if isinstance(op, func.FuncOp))

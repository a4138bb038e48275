"""State updates: results in a frontend's function become writes in the program."""

from collections.abc import Sequence

from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.functions import refresh_signature
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.mlir import func, ir


def write_updates(function: func.FuncOp, targets: Sequence[ir.Value | None]) -> None:
    """Assign results to the arguments that they update, by ops that have these values as results.

    `targets` has the argument of each result, None if it stays a result. All other uses of an argument read its old
    value.
    """
    block = function.regions[0].blocks[0]
    *_, last = block.operations
    pairs = list(zip(targets, last.operands, strict=True))
    results = [value for target, value in pairs if target is None]
    for target, value in pairs:
        maker = defining_op(value)
        if target is not None and target != value:
            with last.location if maker is None else maker.location, ir.InsertionPoint(last):
                ttir.assign(target, value, result=read_type(target.type))
    with last.location, ir.InsertionPoint(last):
        func.ReturnOp(results)
    last.operation.erase()
    refresh_signature(function)

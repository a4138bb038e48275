"""Next values of buffers and inputs: results of the graph that torch.export gives, writes in the program."""

from collections.abc import Sequence

from ttstack.dialects.base import create
from ttstack.dialects.ttir.builders import ttir
from ttstack.frontends.torch.signature import Argument, Output
from ttstack.mlir import func, ir


def write_updates(function: func.FuncOp, arguments: Sequence[Argument], outputs: Sequence[Output]) -> None:
    """Results that are the next values of arguments are assigned to them when all else is done.

    What an argument held before, where that is a result or the next value of another argument, is copied first.
    """
    block = function.regions[0].blocks[0]
    *_, last = block.operations
    named = {a.name: value for a, value in zip(arguments, block.arguments, strict=True)}
    pairs = list(zip(outputs, last.operands, strict=True))
    results = [value for output, value in pairs if output.updates is None]
    writes = [(named[o.updates], value) for o, value in pairs if o.updates is not None and named[o.updates] != value]
    changed = {target for target, _ in writes}
    given = dict.fromkeys([*results, *(value for _, value in writes)])
    with last.location, ir.InsertionPoint.at_block_begin(block):
        old = {value: ttir.clone(value) for value in given if value in changed}
    with last.location, ir.InsertionPoint(last):
        for target, value in writes:
            create("ttir", "assign", [target, old.get(value, value)])
        func.ReturnOp([old.get(value, value) for value in results])
    last.operation.erase()
    types = [a.type for a in block.arguments], [value.type for value in results]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(*types))

"""Next values of buffers and inputs: results of the graph that torch.export gives, writes in the program."""

from collections.abc import Sequence

from ttstack.dialects.defining_op import defining_op
from ttstack.dialects.ttir.builders import ttir
from ttstack.dialects.types import read_type
from ttstack.frontends.torch.signature import Argument, GraphOutput
from ttstack.mlir import func, ir


def write_updates(function: func.FuncOp, arguments: Sequence[Argument], outputs: Sequence[GraphOutput]) -> None:
    """Results that are the next values of arguments are assigned to them, by ops that have these values as results.

    What reads an argument has its value from before, wherever it stands.
    """
    block = function.regions[0].blocks[0]
    *_, last = block.operations
    named = {a.name: value for a, value in zip(arguments, block.arguments, strict=True)}
    pairs = list(zip(outputs, last.operands, strict=True))
    results = [value for output, value in pairs if output.updates is None]
    for target, value in ((named[o.updates], value) for o, value in pairs if o.updates is not None):
        maker = defining_op(value)
        if target != value:
            with last.location if maker is None else maker.location, ir.InsertionPoint(last):
                ttir.assign(target, value, result=read_type(target.type))
    with last.location, ir.InsertionPoint(last):
        func.ReturnOp(results)
    last.operation.erase()
    types = [a.type for a in block.arguments], [value.type for value in results]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(*types))

"""Loops: calls of the functions that the file has for them."""

from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Call, Expression, Name
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import loop_function


@calls("while")
def loop(o: PlacedOp) -> Expression:
    """Call the function of the loop on its values."""
    given = [Name(variable) for variable in o.variables if variable is not None]
    return Call(loop_function(o.op.body), [Name("device"), Name("t"), *given])

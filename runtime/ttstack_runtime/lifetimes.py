"""How long the values of a function are needed."""

from ttstack.buffers.lifetimes import BufferAccesses, last_reads
from ttstack.program.buffers import steps
from ttstack.program.records import Function


def ends(function: Function) -> list[list[int]]:
    """For each operation, the tensors whose values nothing needs after it: neither themselves nor what shares them.

    Outputs are needed to the end.
    """
    returned = BufferAccesses([output.tensor for output in function.outputs], ())
    last = last_reads([*steps(function), returned], function.aliases)
    found: list[list[int]] = [[] for _ in function.operations]
    for position, operation in enumerate(function.operations):
        found[position] += [tensor for tensor in operation.results if tensor not in last]
    for tensor, position in sorted(last.items()):
        if position < len(found):
            found[position].append(tensor)
    return found

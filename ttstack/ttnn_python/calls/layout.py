"""Layout changes, deallocations, and copies."""

from ttstack.ttnn_python.calls.table import Statement, calls
from ttstack.ttnn_python.expression import Expression, Name, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import layout


@calls("to_layout")
def to_layout(o: PlacedOp) -> Expression:
    """Convert tiling, then format, then memory, each only if it changes; copy if nothing changes."""
    given, wanted, x = o.device_op.operands[0], o.device_op.results[0], o.operands[0]
    retiled, cast = given.tiled != wanted.tiled, given.dtype != wanted.dtype
    if retiled and not wanted.sharded and not given.sharded:
        return call("to_layout", x, layout(wanted), dtype=o.dtype if cast else None, memory_config=o.memory)
    if retiled:
        x = call("to_layout", x, layout(wanted))
    if not cast:
        moved = retiled or o.constants.memory(given, o.op.operands[0]) != o.memory
        return call("to_memory_config", x, o.memory) if moved else call("clone", x, memory_config=o.memory)
    if given.interleave(wanted.memory_space) == given and not wanted.sharded:
        return call("typecast", x, o.dtype, memory_config=o.memory)
    return call("to_memory_config", call("typecast", x, o.dtype), o.memory)


@calls("deallocate")
def deallocate(o: PlacedOp) -> list[Statement]:
    """Free a buffer."""
    return [((), call("deallocate", o.operands[0]))]


@calls("clone")
def clone(o: PlacedOp) -> Expression:
    """Copy a tensor."""
    return call("clone", o.operands[0], dtype=o.dtype, memory_config=o.memory)


@calls("assign")
def assign(o: PlacedOp) -> list[Statement]:
    """Copy values into the buffer of another tensor."""
    return [((), call("copy", o.operand("input"), o.operand("target") or Name("None")))]

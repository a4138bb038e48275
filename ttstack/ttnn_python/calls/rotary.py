"""Rotary positions."""

from ttstack.ops.types import TILE
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.calls.users import in_shards
from ttstack.ttnn_python.expression import Expression, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError


@calls("rotary_embedding")
def rotary_embedding(o: PlacedOp) -> Expression:
    """The library's op where halves are whole tiles: for all rows by their places, or for the users of a step."""
    if o.op.interleaved:
        raise NoCallError("pairs of neighbours: the library turns them by a matrix that is not emitted")
    shape, angles = o.op.input.shape, {_four(t.shape) for t in o.op.operands[1:]}
    whole = shape[-1] == TILE or shape[-1] % (2 * TILE) == 0
    if not whole or len(shape) != 4 or len(angles) > 1:
        return _step_by_step(o)
    (table,) = angles
    if table == (1, 1, *shape[2:]) and shape[2] > 1:
        return call("experimental.rotary_embedding_hf", *_operands(o), is_decode_mode=False, memory_config=o.memory)
    if shape[0] == 1 and table == (1, 1, 1, shape[3]):
        return _at_one_place(o)
    if shape[0] == 1 and table == (1, shape[1], 1, shape[3]) and shape[2] <= TILE:
        return _at_own_places(o)
    return _step_by_step(o)


def _four(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (*(1,) * (4 - len(shape)), *shape)


def _operands(o: PlacedOp) -> list[Expression]:
    """Rows, and angles in four dimensions."""
    x, *tables = o.operands
    types = o.op.operands[1:]
    pairs = zip(tables, types, strict=True)
    return [x, *(v if t.rank == 4 else call("reshape", v, list(_four(t.shape))) for v, t in pairs)]


def _at_one_place(o: PlacedOp) -> Expression:
    """The first row of a table for all rows; what fills the last tile is given, and cut off."""
    found = call("experimental.rotary_embedding", *_operands(o), 0, memory_config=o.memory)
    shape = list(o.op.input.shape)
    return call("slice", found, [0] * 4, shape, [1] * 4, memory_config=o.memory) if shape[2] % TILE else found


def _at_own_places(o: PlacedOp) -> Expression:
    """Shards of a user, with a row of a table for each."""
    placed = zip(_operands(o), o.device_op.operands, o.op.operands, strict=True)
    held = [in_shards(o, value, layout, t.with_shape(_four(t.shape))) for value, layout, t in placed]
    found = call("experimental.rotary_embedding_hf", *held, is_decode_mode=True)
    return call("to_memory_config", found, o.memory)


def _step_by_step(o: PlacedOp) -> Expression:
    """Halves that change places, two products and a sum."""
    x, cos, sin = o.operands
    shape, half = list(o.op.input.shape), o.op.input.shape[-1] // 2
    begin, ones = [0] * len(shape), [1] * len(shape)
    first = call("slice", x, begin, [*shape[:-1], half], ones)
    second = call("slice", x, [*begin[:-1], half], shape, ones)
    turned = call("concat", [call("neg", second), first], dim=len(shape) - 1)
    sines = call("multiply", turned, sin)
    return call("add", call("multiply", x, cos), sines, dtype=o.dtype, memory_config=o.memory)

"""Values that decide a choice: a number that is rounded away changes which element, expert or branch is taken."""

from collections.abc import Iterator

from ttstack.device.kernel_class import casts_reals, is_softmax
from ttstack.ops.base import OPS, Op
from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.placement.element_values import CARRYING, element_nest
from ttstack.placement.graph import Graph


def deciding_values(graph: Graph) -> frozenset[int]:
    """Return the buffers of conditions, and of values that are compared, sorted or searched.

    What these are moved from, or computed from in the same order (softmax, functions of one element), decides, too.
    """
    deciding = set[int]()
    for node in reversed(graph.nodes):
        decides = not deciding.isdisjoint(node.results)
        deciding.update(node.operands[i] for i in _deciding_operands(node.op, decides=decides))
    return frozenset(graph.owner[v] for v in deciding if graph.values[v].dtype.is_float)


def _deciding_operands(op: Op, *, decides: bool) -> Iterator[int]:
    """Yield positions of operands that decide; those of a result only if `decides`."""
    yield from op.operand_positions(*op.decides)
    nest = element_nest(op)
    moves = op.family == "shape" or (op.nest is not None and op.nest.moves_only)
    if decides and (moves or casts_reals(op) or is_softmax(op)):
        yield from range(len(op.operands))
    elif nest is not None and not op.decides:
        yield from _in_nest(nest, len(op.operands), decides=decides)


def _in_nest(nest: LoopNest, inputs: int, *, decides: bool) -> Iterator[int]:
    makers = dict(enumerate(nest.body, inputs + len(nest.outputs)))
    deciding = {max(makers)} if decides and makers else set[int]()
    for value, tile_op in reversed(makers.items()):
        if value in deciding and tile_op.name in CARRYING:
            deciding.update(_only_variable(tile_op, makers))
        if (spec := OPS.get(tile_op.name)) is not None and spec.decides:
            named = list(spec.operand_specs())
            deciding.update(tile_op.args[named.index(name)] for name in spec.decides)
    yield from (value for value in deciding if value < inputs)


def _only_variable(tile_op: TileOp, makers: dict[int, TileOp]) -> list[int]:
    """Return the argument that is not a constant, if there is exactly one."""
    variables = [i for i in tile_op.args if i not in makers or makers[i].name != "fill"]
    return variables if len(variables) == 1 else []

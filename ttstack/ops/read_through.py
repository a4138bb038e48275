"""An operand that only moved whole tiles, read where they were: what moved it becomes part of a map."""

from dataclasses import replace

from ttstack.ops.loop_nest import LoopNest, TileOp
from ttstack.ops.loops import IndexingMap

_MOVES = (TileOp("copy", (0,)), TileOp("transpose", (0,)))


def moves_tiles(nest: LoopNest) -> bool:
    """Whether a nest does no more than repeat, reorder or transpose the tiles of one operand."""
    plain = len(nest.inputs) == 1 and not nest.inputs[0].terms and nest.index_bound is None
    everywhere = nest.outputs == (IndexingMap(tuple(range(len(nest.domain)))),)
    return plain and everywhere and len(nest.body) == 1 and nest.body[0] in _MOVES


def read_through(nest: LoopNest, position: int, mover: LoopNest) -> LoopNest | None:
    """The nest that reads the mover's operand in the place of its result.

    None where maps alone do not say it: the mover turns tiles which others than products take, that read a tile either
    way round.
    """
    read, source = nest.inputs[position], mover.inputs[0]
    if read.terms or read.pick or len(read.loops) != len(mover.domain):
        return None
    turned = mover.body[0].name == "transpose"
    if turned and any(position in op.args and op.name != "matmul" for op in nest.body):
        return None
    loops = tuple(None if i is None else read.loops[i] for i in source.loops)
    inputs = [replace(read, loops=loops) if i == position else m for i, m in enumerate(nest.inputs)]
    return replace(nest, inputs=tuple(inputs))

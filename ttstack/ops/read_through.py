"""An operand that only moved whole tiles, read where they were: what moved it becomes part of a map."""

from dataclasses import replace

from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.tile_order import transposes_each


def read_through(nest: LoopNest, position: int, mover: LoopNest) -> LoopNest | None:
    """The nest that reads the mover's operand in the place of its result.

    None where maps alone do not say it: the mover turns tiles which others than products take, that read a tile either
    way round.
    """
    read, source = nest.inputs[position], mover.inputs[0]
    if read.terms or read.pick or len(read.loops) != len(mover.domain):
        return None
    if transposes_each(mover) and any(position in op.args and op.name != "matmul" for op in nest.body):
        return None
    loops = tuple(None if i is None else read.loops[i] for i in source.loops)
    inputs = [replace(read, loops=loops) if i == position else m for i, m in enumerate(nest.inputs)]
    return replace(nest, inputs=tuple(inputs))

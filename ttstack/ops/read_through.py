"""Folding of whole-tile data movement into the map of an operand."""

from dataclasses import replace

from ttstack.ops.loop_nest import LoopNest
from ttstack.ops.tile_order import transposes_each


def read_through(nest: LoopNest, position: int, mover: LoopNest) -> LoopNest | None:
    """Return the nest that reads the mover's operand in place of its result.

    None if maps cannot express it, as when the mover transposes tiles and a user other than a matmul reads them.
    """
    read, source = nest.inputs[position], mover.inputs[0]
    if read.terms or read.pick or len(read.loops) != len(mover.domain):
        return None
    if transposes_each(mover) and any(position in op.args and op.name != "matmul" for op in nest.body):
        return None
    loops = tuple(None if i is None else read.loops[i] for i in source.loops)
    inputs = [replace(read, loops=loops) if i == position else m for i, m in enumerate(nest.inputs)]
    return replace(nest, inputs=tuple(inputs))

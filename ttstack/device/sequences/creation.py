"""Tensors from attributes."""

from ttstack.device.layout import MemorySpace
from ttstack.device.sequences.sequence import CallSequence, CallWriter, calls_of
from ttstack.ops.creation import Arange
from ttstack.ops.shape import Repeat


@calls_of("arange")
def arange(s: CallWriter) -> CallSequence | None:
    """Count along one dimension, repeated along the others."""
    t, nest = s.op.results[0], s.op.nest
    if nest is None or t.rank < 2:
        return None
    facts = dict(nest.body[0].attributes)
    dim, start, step = facts["along"], facts["start"], facts["step"]
    extent = t.shape[dim]
    line = Arange(type=t.with_shape((extent,)), start=start, end=start + step * extent, step=step, arange_dimension=0)
    repeats = tuple(1 if d == dim else extent for d, extent in enumerate(t.shape))
    row = s.call(line, to=s.wanted.interleave(MemorySpace.DRAM))
    once = set(repeats) <= {1}
    row = s.reshape(row, [extent if d == dim else 1 for d, extent in enumerate(t.shape)], to=s.wanted if once else None)
    return s.end(row if once else s.call(Repeat(input=s.type(row), repeat_dimensions=repeats), row, to=s.wanted))

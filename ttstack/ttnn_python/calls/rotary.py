"""Rotary positions."""

from ttstack.ops.types import TILE
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError


@calls("rotary_embedding")
def rotary_embedding(o: PlacedOp) -> Expression:
    """For all rows by their places, for all rows by one, or for the users of a step; neighbours by a matrix."""
    if o.op.trans_mat is not None:
        return call("experimental.rotary_embedding_llama", *o.operands, memory_config=o.memory)
    if o.op.interleaved:
        raise NoCallError("pairs of neighbours without the matrix that turns them")
    if o.device_op.operands[0].sharded:
        return call("experimental.rotary_embedding_hf", *o.operands, is_decode_mode=True)
    if o.op.cos_cache.shape[2] > 1:
        return call("experimental.rotary_embedding_hf", *o.operands, is_decode_mode=False, memory_config=o.memory)
    found = call("experimental.rotary_embedding", *o.operands, 0, memory_config=o.memory)
    shape = list(o.op.input.shape)  # what fills the last tile is given, and cut off
    return call("slice", found, [0] * 4, shape, [1] * 4, memory_config=o.memory) if shape[2] % TILE else found

"""Rotary embeddings."""

from ttstack.device.sequences.rotary import WIDEST
from ttstack.ops.types import TILE
from ttstack.ttnn_python.calls.table import calls
from ttstack.ttnn_python.expression import Expression, call
from ttstack.ttnn_python.placed_op import PlacedOp
from ttstack.ttnn_python.spelling import NoCallError


@calls("rotary_embedding")
def rotary_embedding(o: PlacedOp) -> Expression:
    """Rotate all rows by position, all rows by one, or the users of a decode step; neighbours by a matrix."""
    if o.op.trans_mat is not None and o.op.input.shape[-1] > WIDEST:
        raise NoCallError(f"interleaved pairs in heads of more than {WIDEST} columns")
    if o.op.trans_mat is not None:
        return call("experimental.rotary_embedding_llama", *o.operands, memory_config=o.memory)
    if o.op.interleaved:
        raise NoCallError("interleaved pairs without the rotation matrix")
    if o.op.cos_cache.shape[1] > 1:
        return call("experimental.rotary_embedding_hf", *o.operands, is_decode_mode=True)
    if o.op.cos_cache.shape[2] > 1:
        return call("experimental.rotary_embedding_hf", *o.operands, is_decode_mode=False, memory_config=o.memory)
    found = call("experimental.rotary_embedding", *o.operands, 0, memory_config=o.memory)
    *lead, rows, width = o.op.input.shape
    if rows % TILE == 0:
        return found
    return call("reshape", found, [*lead, rows, width], [*lead, rows + -rows % TILE, width])  # without what fills tiles

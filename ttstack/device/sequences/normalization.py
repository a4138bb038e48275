"""Norms."""

from dataclasses import replace

from ttstack.device.group_norm import shards_of
from ttstack.device.sequences.sequence import CallSequence, CallWriter, calls_of
from ttstack.ops.generic import ToLayout
from ttstack.ops.types import DType


@calls_of("layer_norm", "rms_norm", "batch_norm_inference")
def norm(s: CallWriter) -> CallSequence | None:
    """Call it in the operand's format; statistics per channel have four dimensions."""
    positions = range(1, len(s.op.operands))
    if s.kind != "batch_norm_inference":
        others = list(positions)
    elif s.op.operand.rank == 4 and s.op.dimension == 1:
        others = [s.reshape(i, [1, s.op.operand.shape[1], 1, 1]) for i in positions]
    else:
        return None
    call_dtype = s.layout(0).dtype
    normalized = s.itself(s.op, 0, *others, to=[replace(s.wanted, dtype=call_dtype)])
    return s.end(s.cast(normalized, s.wanted.dtype, to=s.wanted))


@calls_of("group_norm")
def group_norm(s: CallWriter) -> CallSequence | None:
    """Call it on 16- or 32-bit shards: pages are sharded first, and interleaved after it.

    Numbers by channel are bf16.
    """
    call_dtype = s.layout(0).dtype if s.layout(0).dtype is DType.F32 else DType.BF16
    shards = shards_of(s.whole, call_dtype)
    x = 0 if s.layout(0).sharded else s.call(ToLayout(input=s.type(0)), 0, to=replace(shards, dtype=s.layout(0).dtype))
    by_channel = s.op.operand_positions("weight", "bias")
    others = [s.cast(i, DType.BF16) if i in by_channel else i for i in range(1, len(s.op.operands))]
    normalized = s.cast(s.itself(s.op, s.cast(x, call_dtype), *others, to=[shards]), s.wanted.dtype)
    return s.end(
        normalized if s.wanted.sharded else s.call(ToLayout(input=s.type(normalized)), normalized, to=s.wanted)
    )

"""Norms."""

from dataclasses import replace

from ttstack.device.call_sequence import CallSequence, CallWriter, calls_of


@calls_of("layer_norm", "rms_norm", "batch_norm_inference")
def norm(s: CallWriter) -> CallSequence | None:
    """In the format of the operand; statistics of channels have four dimensions."""
    given = range(1, len(s.op.operands))
    if s.kind != "batch_norm_inference":
        others = list(given)
    elif s.op.operand.rank == 4 and s.op.dimension == 1:
        others = [s.reshape(i, [1, s.op.operand.shape[1], 1, 1]) for i in given]
    else:
        return None
    held = s.layout(0).dtype
    found = s.itself(s.op, 0, *others, to=[replace(s.wanted, dtype=held)])
    return s.end(s.cast(found, s.wanted.dtype, to=s.wanted))

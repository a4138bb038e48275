"""How much a model may be written out to before it is compiled, as every op takes time; the documentation lists it."""

from typing import Final

ROUNDS: Final = 4_096
"""Iterations of an ONNX `Loop`, steps of a recurrent layer, tensors that a sequence is split into."""

OPS: Final = 20_000
"""Ops of a StableHLO function, or nodes inside of an ONNX model's bodies, when loops and branches are written out."""

STEPS: Final = 200_000
"""Ops of a StableHLO function that are looked at for it, those included that are computed and leave nothing behind."""

CALLED_OPS: Final = 100_000
"""Ops that a function stands for with all that it calls."""

CALLS: Final = 200
"""Calls inside of calls."""

TAPS: Final = 4_096
"""Elements of a StableHLO window that are combined one by one, where it is no pool."""

DILATED_TAPS: Final = 256
"""Rows and columns of a dilated average pool together, a slice and a sum for each."""

FACTOR_ROWS: Final = 128
"""Rows of a matrix that is factored or solved for, a few ops for each."""

FOLDED_ELEMENTS: Final = 1_024
"""Elements of a StableHLO result that is computed when the model is read: control flow, indices and small tables."""

FOLDED_BYTES: Final = 1 << 20
"""Bytes of an ONNX result that is computed when the model is read, if no shape depends on it."""

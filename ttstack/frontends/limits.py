"""Limits on the size of a model after unrolling, as every op takes time; the documentation lists them."""

from typing import Final

ROUNDS: Final = 4_096
"""Iterations of an ONNX `Loop`, time steps of a recurrent layer, tensors that a sequence is split into."""

OPS: Final = 20_000
"""Ops of a StableHLO function, or nodes in bodies of an ONNX model, after loops and branches are unrolled."""

UNROLLED_OPS: Final = 4_000
"""Ops of a StableHLO loop with a known number of iterations, all iterations together, up to which it is unrolled."""

STEPS: Final = 200_000
"""Ops of a StableHLO function that are evaluated or copied during unrolling."""

CALLED_OPS: Final = 100_000
"""Ops of a function with all its callees."""

CALLS: Final = 200
"""Nesting depth of calls."""

TAPS: Final = 4_096
"""Elements of a StableHLO window that are combined one by one if it is not a pool."""

DILATED_TAPS: Final = 256
"""Rows and columns of a dilated average pool together, with a slice and an addition each."""

FACTOR_ROWS: Final = 128
"""Rows of a matrix that is factored or solved for, with a few ops each."""

FOLDED_ELEMENTS: Final = 1_024
"""Elements of a StableHLO result that is computed at import: control flow, indices and small tables."""

FOLDED_BYTES: Final = 1 << 20
"""Bytes of an ONNX result that is computed at import, if no shape depends on it."""

"""What can be drawn for norms."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.ops.case import Case
from tests.ops.draws import REALS, Draw, for_ops, tensors
from ttstack.ops import normalization
from ttstack.ops.types import TensorType


@for_ops(normalization.TrailingNorm)
def _norm(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(REALS, least=1))
    tail = t.shape[-draw(st.integers(1, t.rank)) :]
    weights = [t.with_shape(tail) if draw(st.booleans()) else None for _ in range(2)]
    attributes: dict[str, Any] = {"normalized_shape": tail}
    if draw(st.booleans()):
        attributes["epsilon"] = float(np.float32(1e-6))
    return Case(mnemonic, (t, *weights, t if draw(st.booleans()) else None), attributes)


@for_ops(normalization.BatchNormInference)
def _batch_norm(draw: Draw, mnemonic: str) -> Case:
    t = draw(tensors(REALS, least=2))
    dim = draw(st.integers(0, t.rank - 1))
    attributes = {"epsilon": 0.5, "dimension": dim}
    return Case(mnemonic, (t, *per_channel(draw, t, dim)), attributes)


def per_channel(draw: Draw, t: TensorType, dim: int) -> list[TensorType]:
    """Four parameters with a value for each index of a dimension, with extents of 1 around it or without."""
    spread = tuple(e if d == dim else 1 for d, e in enumerate(t.shape))
    return [t.with_shape(spread if draw(st.booleans()) else (t.shape[dim],)) for _ in range(4)]

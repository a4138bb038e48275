"""The nest of attention, run as tile ops, gives what its kernel gives."""

from typing import Any

import numpy as np
import pytest

from ttstack.ops.attention import ScaledDotProductAttention
from ttstack.ops.raising import raise_to_named
from ttstack.ops.types import DType, TensorType
from ttstack_runtime.kernels.attention import scaled_dot_product_attention
from ttstack_runtime.precision import Ieee
from ttstack_runtime.region import Region

VISIBLE = [
    {"is_causal": True},
    {"is_causal": True, "sliding_window_size": 5},
    {"is_causal": False, "sliding_window_size": 1},
    {"is_causal": False, "sliding_window_size": 40, "scale": 0.5},
]
MASKS = [None, (2, 1, 37, 70), (1, 4, 37, 70), (37, 70), (1, 1, 1, 70)]
CASES = [(v, m, s) for v in VISIBLE for m in MASKS for s in (None, (1, 4, 1, 1)) if not (m and v["is_causal"])]


def _attention(shapes: tuple[tuple[int, ...] | None, ...], attributes: dict[str, Any]) -> ScaledDotProductAttention:
    types = [None if s is None else TensorType(s, DType.F32) for s in shapes]
    op = ScaledDotProductAttention.on(types, attributes)
    assert isinstance(op, ScaledDotProductAttention)
    return op


@pytest.mark.parametrize(("attributes", "mask", "sink"), CASES)
def test_groups_of_heads_masks_windows_and_sinks(
    attributes: dict[str, Any], mask: tuple[int, ...] | None, sink: tuple[int, ...] | None
):
    rng = np.random.default_rng(0)
    shapes = ((2, 4, 37, 40), (2, 2, 70, 40), (2, 2, 70, 33), mask, sink)
    op = _attention(shapes, attributes)
    arrays = [None if s is None else rng.standard_normal(s, np.float32) for s in shapes]
    hidden = arrays[3]
    if hidden is not None:
        hidden[..., 3:9, :] = -np.inf  # queries that see no key
        hidden[..., 60:] = -np.inf
    assert op.nest is not None
    assert op.loops == op.estimate()
    named = raise_to_named(op.nest, op.operands, op.results[0])
    assert named is not None
    assert named.nest == op.nest
    got = Region(op.nest, Ieee(), lambda x, _: x).run([x for x in arrays if x is not None], op.results[0])
    want = scaled_dot_product_attention(*arrays, **attributes)  # pyright: ignore[reportArgumentType]
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_a_sink_that_is_no_number_for_each_head_is_refused():
    heads = (1, 4, 32, 64)
    with pytest.raises(ValueError, match="is not a score for each of 4 heads"):
        _ = _attention((heads, heads, heads, None, (4, 32)), {}).results

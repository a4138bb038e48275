"""Placement prices a dispatch by the calls that the named op is emitted as, which its nest says."""

from typing import Any

import pytest

from ttstack.cost import predict_calls
from ttstack.device.layout import Grid, Layout
from ttstack.ops import OPS
from ttstack.ops.generic import Generic
from ttstack.ops.types import DType, TensorType
from ttstack.placement.pricing import place_op
from ttstack.system_desc import load

CHIP = load("wormhole").chips[0]
INPUT = TensorType((4, 64, 128), DType.BF16)
WHERE = {"keep_dim": True, "dtype": DType.I32}


@pytest.mark.parametrize(
    ("name", "attributes", "shape"),
    [
        ("argmax", {"dim_arg": (2,), **WHERE}, (4, 64, 1)),
        ("argmax", WHERE, (1, 1, 1)),
        ("prod", {"dim_arg": (1, 2), "keep_dim": True}, (4, 1, 1)),
        ("max", {"dim_arg": (1,), "keep_dim": True}, (4, 1, 128)),
    ],
)
def test_a_dispatch_costs_what_the_op_costs_that_it_is_emitted_as(
    name: str, attributes: dict[str, Any], shape: tuple[int, ...]
):
    named = OPS[name].on([INPUT], attributes, TensorType(shape, DType.I32))
    assert named.nest is not None
    dispatch = Generic(inputs=(INPUT,), program=named.nest, type=named.results[0], source=name)
    given, made = Layout(DType.BF16), Layout(DType.SI32 if name == "argmax" else DType.BF16)
    ours, theirs = (
        predict_calls(place_op(op, (given,), (made,), Grid(*CHIP.grid)), CHIP).elapsed_ns for op in (dispatch, named)
    )
    assert ours == pytest.approx(theirs)

"""What a model can be traced with: tensors, arrays, shapes."""

import re
from collections.abc import Iterable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch
from torch import nn

from ttstack.diagnostics import SourceError
from ttstack.frontends.torch import export
from ttstack.frontends.torch.inputs import split_inputs
from ttstack.ops.types import DType, TensorType


def kinds(tensors: Iterable[Any]) -> list[tuple[tuple[int, ...], torch.dtype]]:
    return [(tuple(t.shape), t.dtype) for t in tensors]


@pytest.mark.parametrize(
    ("inputs", "shape", "dtype"),
    [
        ((2, 3), (2, 3), torch.float32),
        ([(2, 3)], (2, 3), torch.float32),
        ([torch.Size([2, 3])], (2, 3), torch.float32),
        ("2x3", (2, 3), torch.float32),
        ("2x3xbf16", (2, 3), torch.bfloat16),
        (["tensor<2x3xi64>"], (2, 3), torch.int64),
        (["2xsi32"], (2,), torch.int32),
        ("tensor<f32>", (), torch.float32),
        (((2, 3), "f16"), (2, 3), torch.float16),
        ([((2, 3), "int64")], (2, 3), torch.int64),
        ([((2, 3), torch.bool)], (2, 3), torch.bool),
        (TensorType((2, 3), DType.UI8), (2, 3), torch.uint8),
        (np.ones((2, 3), np.int32), (2, 3), torch.int32),
        ([np.ones((2, 3), ml_dtypes.bfloat16)], (2, 3), torch.bfloat16),
    ],
)
def test_one_input(inputs: object, shape: tuple[int, ...], dtype: torch.dtype):
    args, kwargs = split_inputs(inputs)
    assert (kinds(args), kwargs) == ([(shape, dtype)], {})


def test_shapes_by_name_and_in_structures():
    args, kwargs = split_inputs({"batch": {"x": (4, 5), "ids": [((7,), "i64")]}, "scale": 2.0})
    assert args == ()
    assert kinds([kwargs["batch"]["x"], *kwargs["batch"]["ids"]]) == [((4, 5), torch.float32), ((7,), torch.int64)]
    assert kwargs["scale"] == 2.0


def test_among_tensors_integers_are_arguments():
    args, _ = split_inputs((torch.ones(6), (2, 3), "2x3"))
    assert args[1:] == ((2, 3), "2x3")


def test_arrays_keep_their_values():
    values = np.array([1.5, -2.0], ml_dtypes.bfloat16)
    (found,), _ = split_inputs(values)
    assert found.tolist() == [1.5, -2.0]


def test_a_model_is_exported_from_a_shape():
    program = export(nn.Linear(4, 2), {"input": (3, 4)})
    assert tuple(program.module()(input=torch.ones(3, 4)).shape) == (3, 2)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([(2, -1)], "the shape (2, -1) has a negative extent"),
        ("2xf99", "no input can be of type 'f99'"),
        ([((2, 3), "bfp8_b")], "no input can be of type 'bfp8_b'"),
        ([np.ones(2, np.uint16).astype("U1")], "an input is an array of <U1, which PyTorch lacks"),
    ],
)
def test_what_is_no_input(inputs: object, message: str):
    with pytest.raises(SourceError, match=re.escape(message)):
        split_inputs(inputs)

"""Small models of plain PyTorch from end to end against PyTorch."""

from importlib import import_module

import numpy as np
import pytest
import torch

import ttstack
from ttstack.program.validate import validate_binary

MODELS = ("vision:resnet", "vision:unet", "vision:patch_transformer", "recurrent:tagger", "recurrent:forecast")


@pytest.mark.filterwarnings("ignore:The tensor attributes self.*_flat_weights")
@pytest.mark.parametrize("name", MODELS)
def test_float32_equals_pytorch(name: str):
    file, factory = name.split(":")
    module, inputs = getattr(import_module(f"tests.models.{file}"), factory)()
    with torch.no_grad():
        want = module(*inputs).numpy()
    program = ttstack.compile(module, inputs)
    validate_binary(program.binary)
    names = program.inputs()
    (got,) = program.run(dict(zip(names, (x.numpy() for x in inputs), strict=True))).outputs.values()
    assert got.shape == want.shape
    assert np.abs(got - want).max() / np.abs(want).max() < 1e-4


def test_a_convolution_moves_no_dimension():
    module, inputs = import_module("tests.models.vision").resnet()
    names = [op.name for op in ttstack.compile(module, inputs).function().operations]
    assert names.count("conv2d") == 8
    assert names.count("permute") == 1, "of the input"

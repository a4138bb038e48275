"""Models of the zoo by way of ONNX files, as both of PyTorch's exporters write them, against PyTorch."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils import _pytree as pytree

import ttstack
from ttstack.frontends.torch.factory import Example, load_factory

TRACED = ("distilbert", "lstm", "mobilenet_v2", "resnet", "unet", "vit")
EXPORTED = ("convnext", "dcn_v2", "llama", "whisper")


def exported(model: torch.nn.Module, example: Example, path: Path, *, dynamo: bool) -> Path:
    kwargs: Any = dict(example.kwargs) or None
    torch.onnx.export(model, example.args or (), path / "m.onnx", kwargs=kwargs, dynamo=dynamo, verbose=False)
    return path / "m.onnx"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "dynamo"), [*((n, False) for n in TRACED), *((n, True) for n in EXPORTED)])
def test_agrees_with_pytorch(name: str, dynamo: bool, tmp_path: Path):
    example = load_factory(f"examples.zoo.{name}:small")
    assert isinstance(example.model, torch.nn.Module)
    program = ttstack.compile(exported(example.model, example, tmp_path, dynamo=dynamo), placement="dram")
    arrays = [
        t.numpy() for t in pytree.tree_leaves((example.args, dict(example.kwargs))) if isinstance(t, torch.Tensor)
    ]
    outputs = program.run(dict(zip(program.inputs(), arrays, strict=True))).outputs.values()
    with torch.no_grad():
        results = pytree.tree_leaves(example.model(*(example.args or ()), **example.kwargs))
    for expected, result in zip([t.numpy() for t in results if isinstance(t, torch.Tensor)], outputs, strict=True):
        assert np.abs(result - expected).max() < 1e-4 * np.abs(expected).max()

"""What was chosen for whole models, exported as overrides, gives the identical program."""

from dataclasses import replace
from importlib import import_module

import pytest
import torch

import ttstack
from ttstack.placement.graph_from_program import overrides_of


@pytest.mark.parametrize("name", ["bert", "dlrm", "llama", "llama_decode", "resnet", "unet", "vit"])
def test_exported_overrides_give_the_identical_program(name: str):
    module, args, kwargs = import_module(f"examples.zoo.{name}").small()
    with torch.no_grad():
        source = torch.export.export(module, tuple(args), kwargs, strict=False)
    chosen = ttstack.compile(source, placement="optimal").function()
    again = ttstack.compile(source, overrides=overrides_of(chosen).model_dump(mode="json", exclude_none=True))
    assert again.function() == replace(chosen, bound_ns=None, greedy_saves_ns=0.0)

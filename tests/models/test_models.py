"""Whole models against PyTorch: values, memory on every preset, smaller devices, and the files that users get."""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils import _pytree as pytree

import ttstack
from ttstack.device.layout import MemorySpace
from ttstack.diagnostics import CapacityError
from ttstack.frontends.torch import export
from ttstack.program.buffers import live_bytes
from ttstack.program.validate import validate_binary
from ttstack.system_desc import load, loads, presets
from ttstack_runtime.numerics import pcc

MODELS = {"mlp": "mlp:mlp", "dlrm": "dlrm:dlrm", "bert": "bert:bert_layers"}
LAYERS = 4
DEVICE_FORMATS = ("bf16", "bfp8_b")

SMALLER = "name: smaller\nchips:\n  - {base: wormhole, l1: {size_bytes: 768 KiB}}\n"
"""Norms hold rows whole: 600 KiB of buffers in BERT."""
NEXT_TO_NOTHING = "name: tiny\nchips:\n  - {base: wormhole, l1: {size_bytes: 134 KiB}}\n"


@dataclass(frozen=True)
class Model:
    program: Any
    inputs: dict[str, np.ndarray]
    expected: list[np.ndarray]


@cache
def model(name: str) -> Model:
    """The exported model, its inputs by the names that we give them, and PyTorch's outputs."""
    file, factory = MODELS[name].split(":")
    made: Any = (*getattr(import_module(f"tests.models.{file}"), factory)(), {})[:3]
    module, args, kwargs = made
    with torch.no_grad():
        outputs = module(*args, **kwargs)
        exported = torch.export.export(module, tuple(args), kwargs)
    flat = [outputs] if isinstance(outputs, torch.Tensor) else list(outputs.values())
    leaves, _ = pytree.tree_flatten((tuple(args), kwargs))
    names = ttstack.compile(exported, placement="dram").inputs()
    inputs = dict(zip(names, (leaf.numpy() for leaf in leaves), strict=True))
    return Model(exported, inputs, [t.numpy() for t in flat])


@cache
def compiled(name: str, dtype: str | None = None, system: str = "wormhole") -> ttstack.Program:
    return ttstack.compile(model(name).program, dtype=dtype, system_desc=system)


@pytest.mark.parametrize("name", MODELS)
def test_float32_equals_pytorch(name):
    run = compiled(name).run(model(name).inputs)
    for got, want in zip(run.outputs.values(), model(name).expected, strict=True):
        assert np.abs(got - want).max() / np.abs(want).max() < 1e-4


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("dtype", DEVICE_FORMATS)
def test_device_formats_are_close_to_pytorch(name, dtype):
    run = compiled(name, dtype).run(model(name).inputs, numerics="device")
    for got, want in zip(run.outputs.values(), model(name).expected, strict=True):
        assert pcc(got, want) >= 0.99


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("system", presets())
def test_no_core_is_ever_over_full(name, system):
    binary = compiled(name, system=system).binary
    validate_binary(binary)
    chip = binary.system_desc.chips[0]
    for function in binary.functions:
        assert 0 < max(live_bytes(function, chip, MemorySpace.L1)) <= chip.l1_usable_bytes


@pytest.mark.parametrize("name", MODELS)
def test_less_l1_costs_time(name):
    small = ttstack.compile(model(name).program, system_desc=loads(SMALLER))
    validate_binary(small.binary)
    assert _bytes_in_dram(small) >= _bytes_in_dram(compiled(name))
    assert small.cost().total_ns >= compiled(name).cost().total_ns


@pytest.mark.parametrize("name", MODELS)
def test_next_to_no_l1_is_one_error(name):
    with pytest.raises(CapacityError, match=r"'\w+' needs at least [\d,]+ bytes of L1 on each core, there are 736"):
        ttstack.compile(model(name).program, system_desc=loads(NEXT_TO_NOTHING))


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_program_gives_the_same(name, tmp_path: Path):
    program = compiled(name)
    program.save(tmp_path / "model.ttb")
    loaded = ttstack.load(tmp_path / "model.ttb")
    assert loaded.cost().total_ns == program.cost().total_ns
    ours, theirs = program.run(model(name).inputs).outputs, loaded.run(model(name).inputs).outputs
    assert all(np.array_equal(ours[k], theirs[k]) for k in ours)


def test_high_level_ops_survive():
    names = [op.name for op in compiled("bert").function().operations]
    assert names.count("scaled_dot_product_attention") == LAYERS
    assert names.count("layer_norm") == 2 * LAYERS + 1
    assert names.count("split_query_key_value_and_split_heads") == LAYERS
    assert names.count("linear") == 4 * LAYERS + 1, "queries, keys and values of a layer are one product"
    names = [op.name for op in compiled("dlrm").function().operations]
    assert names.count("embedding_bag") == 0
    assert names.count("embedding") == 4, (
        "the rows of 26 tables in one, in three parts, and of the weights that sum bags"
    )


def test_locations_lead_to_the_model():
    rows = [row for row in compiled("bert").cost().ops if row.name == "linear"]
    assert all("modeling_bert.py" in row.location for row in rows)
    assert rows[0].location.startswith("encoder.layer.0.attention.self.query (")


def test_parameters_keep_their_names_and_memory():
    live = dict(model("dlrm").program.named_parameters())
    weights = {n: w.data for n, w in compiled("dlrm").binary.weights.items() if n in live}
    assert {n for n in live if not n.startswith("tables.")} - {*weights} == {"top.0.weight"}, "parts of it are weights"
    assert all(np.shares_memory(data, live[n].detach().numpy()) for n, data in weights.items())


def test_a_factory_is_a_source():
    assert export("tests.models.mlp:mlp") is not None
    assert load("wormhole").num_chips == 1


def _bytes_in_dram(program: ttstack.Program) -> int:
    function = program.function()
    made = [function.tensors[r] for op in function.operations for r in op.results]
    return sum(t.layout.nbytes(t.type) for t in made if not t.layout.in_l1)

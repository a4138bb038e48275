"""Precision by name: which tensors and ops get which formats and fidelities, and that values stay near."""

from functools import cache
from typing import Any

import pytest
import torch
from torch import nn

import ttstack
from ttstack.device.program_config import RowwiseConfig
from ttstack.diagnostics import OverrideError, PassOptionError
from ttstack.options.choices import Precision
from ttstack.report.model import OpReport
from ttstack_runtime.numerics import pcc


class Layer(nn.Module):
    """A gated MLP, one without gates, a norm before each, and attention over a cache."""

    keys: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(64)
        self.gate, self.up, self.down = (nn.Linear(a, b, bias=False) for a, b in ((64, 96), (64, 96), (96, 64)))
        self.fc1, self.fc2, self.out = nn.Linear(64, 96), nn.Linear(96, 64), nn.Linear(64, 32)
        self.register_buffer("keys", torch.zeros(1, 2, 32, 32))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(32, 64) to (32, 32)."""
        rows = self.norm(x)
        rows = rows + self.down(nn.functional.silu(self.gate(rows)) * self.up(rows))
        rows = rows + self.fc2(nn.functional.gelu(self.fc1(self.norm(rows))))
        heads = rows.view(1, 32, 2, 32).transpose(1, 2)
        self.keys.copy_(heads)
        seen = nn.functional.scaled_dot_product_attention(heads, self.keys, heads)
        return self.out(self.norm(seen.transpose(1, 2).reshape(32, 64)))


@cache
def example() -> tuple[torch.export.ExportedProgram, torch.Tensor, torch.Tensor]:
    """The model, what it takes, and what it gives."""
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(0)
        model, x = Layer().eval().requires_grad_(False), torch.randn(32, 64)
        return torch.export.export(model, (x,)), x, model(x)


@cache
def compiled(**options: Any) -> ttstack.Program:
    return ttstack.compile(example()[0], **options)


def exactness(op: OpReport) -> tuple[str, str]:
    """Format of the second operand and fidelity."""
    return str(op.operands[1].layout.dtype), op.fidelity


def found(**options: Any) -> dict[str, Any]:
    """What the products of each role have, and formats of other tensors."""
    program = compiled(**options)
    ops = program.cost().ops
    gate, up, down, fc1, fc2, out = (op for op in ops if op.op_class == "matmul")
    assert exactness(gate) == exactness(up)
    assert exactness(down) == exactness(fc1) == exactness(fc2)
    norms = [op for op in ops if op.name == "layer_norm"]
    (attention,) = (op for op in ops if op.name == "scaled_dot_product_attention")
    cache = next(t for t in program.function().tensors if t.name == "keys")
    return {
        "gates": exactness(gate),
        "mlp": exactness(down),
        "weights": exactness(out),
        "norms": {(str(op.results[0].layout.dtype), *exactness(op)) for op in norms},
        "attention": attention.fidelity,
        "cache": str(cache.layout.dtype),
    }


def test_roles_have_the_formats_and_fidelities_of_the_name() -> None:
    accuracy, balanced, performance, throughput = (found(precision=name) for name in Precision)
    assert accuracy == {
        "gates": ("bfp8_b", "HiFi2"),
        "mlp": ("bfp8_b", "HiFi2"),
        "weights": ("bf16", "HiFi4"),
        "norms": {("bf16", "bf16", "HiFi4")},
        "attention": "HiFi4",
        "cache": "bf16",
    }
    assert balanced == accuracy | {
        "weights": ("bfp8_b", "HiFi2"),
        "norms": {("bf16", "bf16", "HiFi2")},
        "cache": "bfp8_b",
    }
    assert performance == balanced | {"gates": ("bfp4_b", "LoFi")}
    lowest = ("bfp8_b", "LoFi")
    assert throughput == {
        "gates": lowest,
        "mlp": lowest,
        "weights": lowest,
        "norms": {("bfp8_b", "bf16", "HiFi2")},
        "attention": "HiFi2",
        "cache": "bfp8_b",
    }


class Scores(nn.Module):
    """A norm, and a softmax that is no part of attention."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(256)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(64, 256) to the same."""
        return torch.softmax(self.norm(x), -1)


def sums(**options: Any) -> dict[str, str]:
    """What each kernel of rows adds up in, by name."""
    ops = ttstack.compile(Scores().eval(), (torch.randn(64, 256),), **options).cost().ops
    configs = [(op.name, op.config) for op in ops if op.name in ("layer_norm", "softmax")]
    return {name: str(config.sums) for name, config in configs if isinstance(config, RowwiseConfig)}


def test_norms_and_softmax_add_up_as_the_name_says() -> None:
    wide, narrow = dict.fromkeys(("layer_norm", "softmax"), "f32"), dict.fromkeys(("layer_norm", "softmax"), "bf16")
    for name in Precision:
        assert sums(precision=name) == (narrow if name is Precision.THROUGHPUT else wide)
    asked = {"ops": [{"location": "*", "name": "softmax", "config": {"sums": "bf16"}}]}
    assert sums(precision="accuracy", overrides=asked) == wide | {"softmax": "bf16"}
    asked = {"ops": [{"location": "*", "name": "layer_norm", "config": {"sums": "f32"}}]}
    assert sums(dtype="bf16", overrides=asked) == {"layer_norm": "f32", "softmax": "None"}


def test_wide_sums_have_a_price_and_are_emitted() -> None:
    model, x = Scores().eval(), torch.randn(4096, 256)
    asked = [{"ops": [{"location": "*", "name": "layer_norm", "config": {"sums": of}}]} for of in ("bf16", "f32")]
    narrow, wide = (ttstack.compile(model, (x,), dtype="bf16", overrides=of) for of in asked)
    assert narrow.cost().total_ns < wide.cost().total_ns < 1.5 * narrow.cost().total_ns
    assert [text.count("fp32_dest_acc_en=True") for text in (narrow.to_python(), wide.to_python())] == [0, 1]
    assert "compute_kernel_config=HIFI4_FP32" in wide.to_python()


def test_sums_that_there_are_not_are_refused() -> None:
    asked = {"ops": [{"location": "*", "name": "softmax", "config": {"sums": "bf16"}}]}
    with pytest.raises(OverrideError, match="accumulates in bf16 but outputs f32"):
        ttstack.compile(Scores().eval(), (torch.randn(64, 256),), overrides=asked)


@pytest.mark.parametrize("name", Precision)
def test_values_stay_near(name: str) -> None:
    _, x, expected = example()
    (given,) = compiled(precision=name).run({"x": x.numpy()}, numerics="device").outputs.values()
    assert pcc(given, expected.numpy()) > 0.99


@pytest.mark.parametrize(
    ("options", "activations"),
    [
        ({}, {"gelu"}),
        ({"precision": "performance"}, {"gelu"}),
        ({"precision": "throughput"}, {"gelu_fast"}),
        ({"precision": "throughput", "approximate": "none"}, {"gelu"}),
        ({"approximate": "gelu"}, {"gelu_fast"}),
    ],
)
def test_functions_are_approximated_where_that_is_asked_for(options: dict[str, Any], activations: set[str]) -> None:
    function = compiled(**options).function()
    said = {str(getattr(function.definition(op), "activation", "")) for op in function.operations}
    assert said - {""} == {"silu", *activations}


def test_overrides_count_for_single_ops() -> None:
    asked = {
        "arguments": [{"name": "out.weight", "dtype": "bf16"}],
        "ops": [{"location": "*", "name": "layer_norm", "fidelity": "HiFi3"}],
    }
    ops = ttstack.compile(example()[0], precision="performance", overrides=asked).cost().ops
    assert {op.fidelity for op in ops if op.name == "layer_norm"} == {"HiFi3"}
    assert str([op for op in ops if op.op_class == "matmul"][-1].operands[1].layout.dtype) == "bf16"


def test_a_report_says_it() -> None:
    report = compiled(precision="performance").cost()
    assert "precision  performance" in str(report)
    assert report.to_dict()["precision"] == "performance"
    assert "precision" not in compiled().cost().to_dict()


def test_a_program_is_compiled_again_with_it(tmp_path: Any) -> None:
    program = compiled(precision="performance")
    program.save(tmp_path / "p.ttb")
    again = ttstack.load(tmp_path / "p.ttb").recompile(example()[0])
    assert again.binary.functions == program.binary.functions


def test_why_an_op_was_placed_is_asked_in_its_fidelity() -> None:
    program = compiled(precision="performance")
    function = program.function()
    at = next(i for i, op in enumerate(function.operations) if op.fidelity == "LoFi")
    from ttstack.placement.explain import explain

    ways = explain(function, at, program.binary.chip(function), program.binary.system_desc)
    assert {way.device_op.fidelity for way in ways} == {"LoFi"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"precision": "best"}, "precision: Input should be 'accuracy', 'balanced', 'performance' or 'throughput'"),
        ({"precision": "balanced", "dtype": "bf16"}, "precision and dtype both set formats"),
        ({"approximate": "gelu,tan"}, "approximate.1: Input should be 'gelu'"),
    ],
)
def test_what_cannot_be_asked_for_is_named(options: dict[str, Any], told: str) -> None:
    with pytest.raises(PassOptionError) as refused:
        ttstack.compile(nn.Identity(), (torch.zeros(1),), **options)
    assert any(told in note for note in refused.value.diagnostic.notes), refused.value

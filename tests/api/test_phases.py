"""Compilations that stop at a phase: its text goes in again and gives the same program."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import ttstack
from ttstack.options.choices import Phase

EXAMPLES = Path(__file__).parents[2] / "examples"
ENCODER = str(EXAMPLES / "encoder_layer.mlir")
TEXT = """func.func @f(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = "ttir.neg"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = "ttir.neg"(%0) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %1 : tensor<64x64xbf16>
}
"""
OWN = """
from ttstack.patterns import pattern, views


@pattern
def double_negation(op: views.Neg):
    inner = views.Neg.of(op.input)
    return inner and inner.input
"""


def convolutions() -> Any:
    torch.manual_seed(0)
    layers = (torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Flatten())
    return torch.nn.Sequential(*layers, torch.nn.Linear(8 * 36, 10)).eval(), (torch.randn(2, 3, 8, 8),)


def tables() -> Any:
    torch.manual_seed(0)
    return torch.nn.EmbeddingBag(4096, 64, mode="sum"), (torch.randint(0, 4096, (32, 4)),)


class Sums(torch.nn.Module):
    """State of four dimensions, which is held as a matrix."""

    seen: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros(32, 32, 3, 3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen.add_(x)
        return self.seen * 2


MODELS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "encoder": (lambda: (ENCODER, None), {}),
    "state": (lambda: (Sums().eval(), (torch.ones(32, 32, 3, 3),)), {}),
    "weights": (convolutions, {"precision": "balanced", "without": "fuse"}),
    "tables": (tables, {"tensor_train": {"ranks": (8,), "min_rows": 1, "max_slowdown": 1e9}, "placement": "optimal"}),
}


def saved(program: ttstack.Program, path: Path) -> bytes:
    program.save(path, weights="inline")
    return path.read_bytes()


@pytest.mark.parametrize("name", MODELS)
def test_every_phase_gives_the_same_program(name: str, tmp_path: Path):
    make, options = MODELS[name]
    source, inputs = make()
    wanted = saved(ttstack.compile(source, inputs, **options), tmp_path / "wanted.ttb")
    part = ttstack.compile_to("source", source, inputs, **options)
    for phase in Phase:
        part = part.compile_to(phase)
        part.save(tmp_path / "model.mlir")
        found = ttstack.compile_from(tmp_path / "model.mlir")
        assert saved(found, tmp_path / "found.ttb") == wanted, phase


def test_what_a_phase_leaves():
    phases = {phase: ttstack.compile_to(phase, ENCODER).text for phase in Phase}
    assert '"ttir.concatenate_heads"' not in phases[Phase.SOURCE]
    assert '"ttir.concatenate_heads"' in phases[Phase.SIMPLIFIED]
    assert '"ttir.generic"' in phases[Phase.DISPATCHED]
    assert '"ttir.to_layout"' in phases[Phase.PLACED]
    assert '"ttnn.linear"' in phases[Phase.TTNN]


def test_one_phase_is_placed_in_several_ways():
    part = ttstack.compile_to("dispatched", ENCODER)
    dram, greedy = (part.compile(placement=policy) for policy in ("dram", "greedy"))
    assert dram.cost().total_ns == ttstack.compile(ENCODER, placement="dram").cost().total_ns
    assert greedy.cost().total_ns < dram.cost().total_ns


def test_the_text_can_be_edited():
    part = ttstack.compile_to("simplified", TEXT, without="all")
    edited = ttstack.PartialProgram(part.text.replace("ttir.neg", "ttir.abs"), {})
    assert [op.name for op in edited.compile().cost().ops] == ["abs", "abs"]


def test_patterns_are_given_again_where_they_have_not_run(tmp_path: Path):
    (tmp_path / "own.py").write_text(OWN)
    own: dict[str, Any] = {"patterns": tmp_path / "own.py", "verify_patterns": True}
    wanted = saved(ttstack.compile(TEXT, **own), tmp_path / "a.ttb")
    part = ttstack.compile_to("source", TEXT, **own)
    with pytest.raises(ttstack.TTStackError, match=r"of a user's own(.|\n)*give patterns= \(--patterns\) again"):
        part.compile()
    assert saved(part.compile(**own), tmp_path / "b.ttb") == wanted
    ran = ttstack.compile_to("simplified", TEXT, **own)
    (tmp_path / "own.py").unlink()
    assert saved(ran.compile(), tmp_path / "c.ttb") == wanted


def test_a_pass_that_was_put_in_once_more_is_named():
    part = ttstack.compile_to("simplified", TEXT)
    with pytest.raises(ttstack.TTStackError, match=r"about passes before the phase(.|\n)*cse has not run"):
        part.compile(passes={"after:fuse": "cse"})


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"without": "fuse"}, "fuse has run"),
        ({"system_desc": "blackhole_p150"}, "is for another device"),
        ({"passes": {"after:fuse": "cse"}}, "about passes before the phase 'placed'"),
        ({"placement": "dram"}, r"place\{placement=dram\} has not run"),
    ],
)
def test_options_that_have_decided_are_refused(changes: dict[str, Any], why: str):
    part = ttstack.compile_to("placed", TEXT)
    with pytest.raises(ttstack.TTStackError, match=why):
        part.compile(**changes)


def test_phases_that_are_not_there():
    with pytest.raises(ttstack.TTStackError, match="there is no phase 'end'"):
        ttstack.compile_to("end", TEXT)
    with pytest.raises(ttstack.TTStackError, match=r"no phase 'placed', for it has no pass 'place'(.|\n)*source, ttnn"):
        ttstack.compile_to("placed", TEXT, pipeline="fuse")
    with pytest.raises(ttstack.TTStackError, match="placed already, which is after source"):
        ttstack.compile_to("placed", TEXT).compile_to("source")


def test_texts_of_no_phase(tmp_path: Path):
    (tmp_path / "model.mlir").write_text(TEXT)
    with pytest.raises(ttstack.TTStackError, match="does not record its phase"):
        ttstack.compile_from(tmp_path / "model.mlir")
    with pytest.raises(ttstack.TTStackError, match="cannot read"):
        ttstack.compile_from(tmp_path / "none.mlir")


@pytest.mark.parametrize(
    ("written", "altered", "why"),
    [
        ('tt.phase = "ttnn"', 'tt.phase = "tnn"', "was altered(.|\n)*did you mean 'ttnn'"),
        ("tt.values = ", "tt.value = ", "does not record its phase"),
        ("tt.address = [", "tt.address = [7, ", "leaves it: ValueError"),
        ("tt.grid = ", "tt.grit = ", "as the phase 'ttnn' leaves it"),
    ],
)
def test_texts_that_were_altered(written: str, altered: str, why: str):
    part = ttstack.compile_to("ttnn", TEXT.replace("neg", "abs", 1))
    assert written in part.text
    with pytest.raises(ttstack.TTStackError, match=why):
        ttstack.PartialProgram(part.text.replace(written, altered), {}).compile()


def test_values_that_are_missing_or_others(tmp_path: Path):
    part = ttstack.compile_to("simplified", *convolutions())
    part.save(tmp_path / "model.mlir")
    assert {p.name for p in tmp_path.iterdir()} == {"model.mlir", "model.safetensors"}
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(ttstack.TTStackError, match="values of 4 parameters are missing"):
        ttstack.compile_from(tmp_path / "model.mlir")
    others = {name: np.zeros((3,), np.float32) for name in part.weights}
    with pytest.raises(ttstack.TTStackError, match=r"its values are float32\[3\]"):
        ttstack.PartialProgram(part.text, others).compile()
    (tmp_path / "model.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0[1,2,3]  ")
    with pytest.raises(ttstack.TTStackError, match="not in safetensors format"):
        ttstack.compile_from(tmp_path / "model.mlir")

"""A program knows how it was compiled, and is compiled again in the same way."""

import json
from dataclasses import replace
from inspect import signature
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import ttstack
from ttstack.cli.compile import compile_model
from ttstack.cli.exit_codes import run
from ttstack.diagnostics import BinaryFormatError, PassOptionError
from ttstack.options.choices import CHOICES
from ttstack.options.model import CompileOptions
from ttstack.system_desc.what_if import what_if

ROWS = 4096
MODEL = f"""func.func @forward(%i: tensor<2048xi32> {{ttir.name = "i"}},
    %t: tensor<{ROWS}x64xf32> {{ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "table"}},
    %w: tensor<64x512xf32> {{ttcore.argument_type = #ttcore.argument_type<parameter>, ttir.name = "w"}})
    -> tensor<2048x512xf32> {{
  %0 = "ttir.embedding"(%i, %t) : (tensor<2048xi32>, tensor<{ROWS}x64xf32>) -> tensor<2048x64xf32>
  %1 = "ttir.matmul"(%0, %w) : (tensor<2048x64xf32>, tensor<64x512xf32>) -> tensor<2048x512xf32>
  %2 = "ttir.relu"(%1) : (tensor<2048x512xf32>) -> tensor<2048x512xf32>
  return %2 : tensor<2048x512xf32>
}}
"""
OVERRIDES = {"arguments": [{"name": "w", "dtype": "bfp4_b"}], "ops": [{"location": "*:6", "dtype": "f32"}]}
TABLES = {"ranks": [16], "rel_error": 0.99, "min_rows": 100, "max_slowdown": 1e9}
VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "placement": (
        {},
        {"placement": "dram"},
        {"placement": "optimal", "placement_nodes": 1},
    ),
    "dtype": ({}, {"dtype": "bf16"}),
    "weights_dtype": ({}, {"weights_dtype": "bfp8_b"}),
    "overrides": ({}, {"overrides": OVERRIDES}),
    "tensor_train": ({}, {"tensor_train": TABLES}),
}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.mlir"
    path.write_text(MODEL)
    return path


def loaded(program: ttstack.Program, folder: Path) -> ttstack.Program:
    program.save(folder / "program.ttb")
    return ttstack.load(folder / "program.ttb")


@pytest.mark.parametrize("choice", list(product(*VARIANTS.values())), ids=str)
def test_what_changes_nothing_gives_the_same_program(choice: tuple[dict[str, Any], ...], model: Path) -> None:
    given = {name: value for part in choice for name, value in part.items()}
    first = ttstack.compile(str(model), **given)
    saved = loaded(first, model.parent)
    again = saved.recompile(str(model), system_desc=what_if(saved.binary.system_desc, ["clock=1GHz"]).system)
    assert again.binary.functions == first.binary.functions
    assert again.binary.options == first.binary.options
    assert again.cost().total_ns == first.cost().total_ns
    for name, weight in first.binary.weights.items():
        assert again.binary.weights[name].type == weight.type


def test_every_option_makes_another_program(model: Path) -> None:
    """Else a forgotten one could not be seen. Some are made elsewhere, as they need another model or device."""
    made = {name for parts in VARIANTS.values() for part in parts for name in part}
    elsewhere = {
        "system_desc",
        "ttnn",
        "function",
        "placement_budget",
        "placement_caution",
        "without",
        "half_dtype",
        "precision",
        "approximate",
        "max_iterations",
        "patterns",
        "verify_patterns",
        "recompute",
        "passes",
        "pipeline",
    }
    assert made | elsewhere == set(CHOICES)
    plain = ttstack.compile(str(model)).binary.functions
    for part in (part for parts in VARIANTS.values() for part in parts if part):
        assert ttstack.compile(str(model), **part).binary.functions != plain, part


def test_the_command_line_compiles_again_as_it_did(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files of options may be gone by then: the program holds what they said."""
    (tmp_path / "fixed.yaml").write_text(yaml.safe_dump(OVERRIDES))
    (tmp_path / "tables.yaml").write_text(yaml.safe_dump(TABLES | {"tables": {"table": {"ranks": 8}}}))
    program = tmp_path / "p.ttb"
    options = ("--placement", "optimal", "--placement-nodes", "1", "--dtype", "bf16", "--weights-dtype", "bfp8_b")
    files = ("--overrides", tmp_path / "fixed.yaml", "--tensor-train", tmp_path / "tables.yaml")
    assert run([*map(str, ("compile", model, "-o", program, *options, *files))]) == 0
    for name in ("fixed.yaml", "tables.yaml"):
        (tmp_path / name).unlink()
    capsys.readouterr()
    assert run([*map(str, ("perf", program, "--what-if", "clock=1GHz", "--recompile", model, "--json"))]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["delta_ns"] == 0
    assert all(op["before_terms"] == op["after_terms"] for op in found["ops"])


def test_shapes_that_a_model_leaves_open_are_known(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    types = [onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, ["n", 64]) for n in "xy"]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Relu", ["x"], ["y"])], "g", types[:1], types[1:])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)]), tmp_path / "m.onnx")
    first = ttstack.compile(str(tmp_path / "m.onnx"), {"x": "96x64"})
    assert loaded(first, tmp_path).recompile(str(tmp_path / "m.onnx")).binary.functions == first.binary.functions


def test_an_older_program_does_not_say_how_it_was_compiled(model: Path) -> None:
    program = ttstack.compile(str(model))
    older = ttstack.Program(replace(program.binary, options="", version="0.0.9"))
    with pytest.raises(BinaryFormatError, match="does not record its compile options") as caught:
        loaded(older, model.parent).recompile(str(model))
    assert "saved by ttstack 0.0.9, without its options" in caught.value.diagnostic.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "[",
        "[]",
        "7",
        "[" * 100_000,
        '{"placement": "best"}',
        '{"new": 1}',
        '{"overrides": {"ops": 1}}',
        '{"tensor_train": 5}',
    ],
)
def test_options_that_cannot_be_read(text: str, model: Path) -> None:
    program = ttstack.compile(str(model))
    with pytest.raises(BinaryFormatError, match="how this program was compiled cannot be read"):
        ttstack.Program(replace(program.binary, options=text)).recompile(str(model))


@pytest.mark.parametrize("option", ["overrides", "tensor_train"])
def test_a_program_reads_no_file_that_it_names(option: str, model: Path) -> None:
    """A stranger's program could name a device, or a secret."""
    (model.parent / "given.yaml").write_text(yaml.safe_dump(OVERRIDES if option == "overrides" else TABLES))
    options = json.dumps({option: str(model.parent / "given.yaml")})
    program = ttstack.Program(replace(ttstack.compile(str(model)).binary, options=options))
    with pytest.raises(BinaryFormatError, match="cannot be read") as caught:
        program.recompile(str(model))
    assert "is not the content of a file" in caught.value.diagnostic.notes[0]


def test_values_and_models_in_memory_are_not_kept() -> None:
    assert CompileOptions.of({"inputs": {"x": np.zeros(3)}}).inputs is None


def test_a_program_does_not_say_where_the_model_was(model: Path) -> None:
    assert str(model.parent) not in ttstack.compile(str(model)).binary.options


def test_a_program_that_says_where_the_model_was_is_read(model: Path) -> None:
    """As they did before."""
    program = ttstack.compile(str(model), placement="dram")
    before = json.dumps({**json.loads(program.binary.options), "source": "/home/me/model.mlir"})
    again = ttstack.Program(replace(program.binary, options=before)).recompile(str(model))
    assert json.loads(again.binary.options) == json.loads(program.binary.options)


def test_all_that_is_wrong_is_told_together() -> None:
    with pytest.raises(PassOptionError) as caught:
        ttstack.compile(MODEL, placement="best", dtype="f7", placement_nodes=0)
    assert [note.split(":")[0] for note in caught.value.diagnostic.notes] == ["dtype", "placement", "placement_nodes"]


def test_an_option_is_asked_for_everywhere() -> None:
    """In Python and on the command line; except shapes of inputs, which have a form of their own, and the model's name."""
    assert set(CompileOptions.model_fields) == {*CHOICES, "inputs", "model"}
    assert set(CHOICES) < set(signature(compile_model).parameters)


def test_an_option_is_what_it_is_said_to_be_by_default() -> None:
    plain = CompileOptions()
    assert {name: getattr(plain, name) for name in CHOICES} == {name: c.default for name, c in CHOICES.items()}

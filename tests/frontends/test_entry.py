"""Which functions of a module are compiled: all public ones, or the one that is named."""

from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import ttstack
from ttstack.cli.app import app
from ttstack.diagnostics import SourceError
from ttstack.dialects.context import new_context
from ttstack.frontends.readers.torch import is_factory
from ttstack.mlir import ir, register_stablehlo_dialects

T = "tensor<4xf32>"
ADD = {"ttir": f'"ttir.add"(%x, %x) : ({T}, {T}) -> {T}', "stablehlo": f"stablehlo.add %x, %x : {T}"}
EXP = {"ttir": f'"ttir.exp"(%x) : ({T}) -> {T}', "stablehlo": f"stablehlo.exponential %x : {T}"}
X = np.array([0, 1, 2, 3], np.float32)


def module(dialect: str, visibility: str = "private") -> str:
    """`twice` and `power`, which calls it; and `alien`, which cannot be compiled."""
    return f"""
    func.func {visibility} @twice(%x: {T}) -> {T} {{
      %0 = {ADD[dialect]}
      return %0 : {T}
    }}
    func.func {visibility} @power(%y: {T}) -> {T} {{
      %x = func.call @twice(%y) : ({T}) -> {T}
      %0 = {EXP[dialect]}
      return %0 : {T}
    }}
    func.func private @alien(%x: {T}) -> {T} {{
      %0 = "{dialect}.custom_call"(%x) {{call_target_name = "alien"}} : ({T}) -> {T}
      return %0 : {T}
    }}"""


@pytest.mark.parametrize("dialect", ["ttir", "stablehlo"])
def test_a_module_of_private_functions_names_them(dialect: str):
    text = module(dialect).partition("func.func private @alien")[0]
    with pytest.raises(SourceError, match=r"all functions of the module are private: twice, power\n.*--function NAME"):
        ttstack.compile(text)


def test_the_named_function_alone_is_compiled_with_what_it_calls():
    for visibility in ("private", "public"):
        program = ttstack.compile(module("stablehlo", visibility), function="power")
        assert [f.name for f in program.binary.functions] == ["power"]
        (got,) = program.run({"arg0": X}).outputs.values()
        np.testing.assert_allclose(got, np.exp(2 * X), rtol=1e-5)


def test_the_named_function_of_ttir():
    text = module("ttir").partition("func.func private @alien")[0]
    program = ttstack.compile(text, function="twice")
    assert [f.name for f in program.binary.functions] == ["twice"]
    (got,) = program.run({"arg0": X}).outputs.values()
    np.testing.assert_array_equal(got, 2 * X)


def test_all_public_functions_are_compiled_where_none_is_named():
    program = ttstack.compile(module("stablehlo", "public"))
    assert [f.name for f in program.binary.functions] == ["twice", "power"]


def test_what_a_composite_is_made_of_can_be_named():
    text = f"""
    func.func @main(%x: {T}) -> {T} {{
      %0 = stablehlo.composite "acme.twice" %x {{decomposition = @body}} : ({T}) -> {T}
      return %0 : {T}
    }}
    func.func @body(%x: {T}) -> {T} {{
      %0 = stablehlo.add %x, %x : {T}
      return %0 : {T}
    }}"""
    for name in ("main", "body"):
        (got,) = ttstack.compile(text, function=name).run({"arg0": X}).outputs.values()
        np.testing.assert_array_equal(got, 2 * X)


def test_bytecode_too(tmp_path: Path):
    path = tmp_path / "model.mlirbc"
    with new_context() as context, ir.Location.unknown(), path.open("wb") as file:
        register_stablehlo_dialects(context)
        ir.Module.parse(module("stablehlo")).operation.write_bytecode(file)
    assert [f.name for f in ttstack.compile(path, function="twice").binary.functions] == ["twice"]


def test_a_name_that_no_function_has():
    with pytest.raises(SourceError, match=r"no function 'powre'; the module has twice, power, alien\n.*mean 'power'"):
        ttstack.compile(module("stablehlo"), function="powre")


def test_models_of_other_frameworks_have_no_functions():
    with pytest.raises(SourceError, match="`function` is for modules of several functions"):
        ttstack.compile(torch.nn.ReLU(), [(2, 3)], function="forward")


def test_the_command_line_takes_a_name(tmp_path: Path):
    source, target = tmp_path / "model.mlir", tmp_path / "model.ttb"
    source.write_text(module("stablehlo"))
    done = CliRunner().invoke(app, ["compile", str(source), "-o", str(target), "--function", "power"])
    assert done.exit_code == 0
    assert [f.name for f in ttstack.load(target).binary.functions] == ["power"]


@pytest.mark.parametrize(
    ("text", "factory"),
    [
        ("my.models:build", True),
        ("models:build", True),
        ("my-models:build", False),
        ("models", False),
        ("a.b:c d", False),
    ],
)
def test_what_is_spelled_as_a_factory(text: str, factory: bool):
    assert is_factory(text) is factory

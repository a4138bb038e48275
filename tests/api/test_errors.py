"""What each wrong call says."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ttstack
from tests.api.programs import SOURCE, T, compiled, function
from ttstack.diagnostics import (
    InputError,
    InvalidIRError,
    OverrideError,
    PassOptionError,
    SourceError,
    SystemDescError,
    UnsupportedOpError,
)


def test_no_such_file():
    with pytest.raises(SourceError, match=r"'nowhere\.mlir' does not exist"):
        ttstack.compile("nowhere.mlir")


def test_a_folder(tmp_path: Path):
    with pytest.raises(SourceError, match="is a folder"):
        ttstack.compile(tmp_path)


def test_binary_data(tmp_path: Path):
    (tmp_path / "x.mlir").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SourceError, match="is not MLIR text"):
        ttstack.compile(tmp_path / "x.mlir")


def test_something_else():
    with pytest.raises(SourceError, match="cannot compile a int"):
        ttstack.compile(3)


def test_text_that_does_not_parse():
    with pytest.raises(InvalidIRError) as e:
        compiled('func.func @f() { "ttir.add"( }')
    assert e.value.diagnostic.loc == "<text>:2:29"


def test_unsupported_ops_are_all_listed():
    lines = [f'  %{i} = "ttir.{n}"(%a) : ({T}) -> {T}' for i, n in enumerate(("nope", "nix", "nope"))]
    with pytest.raises(UnsupportedOpError) as e:
        compiled(function(f"%a: {T}", "\n".join(lines), f"%2 : {T}"))
    assert "ttir.nope" in str(e.value)
    assert "ttir.nix" in str(e.value)
    assert "2" in next(n for n in e.value.diagnostic.notes if "nope" in n)


def test_ops_of_other_dialects_are_unsupported_in_private_functions_too():
    text = """
    func.func private @g(%a: i32) -> i32 { %0 = arith.addi %a, %a : i32  return %0 : i32 }
    func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
    """
    with pytest.raises(UnsupportedOpError, match=r"arith\.addi"):
        compiled(text)


@pytest.mark.parametrize("text", ["module {}", "func.func private @f(tensor<4xf32>)"])
def test_nothing_to_compile(text: str):
    with pytest.raises(InvalidIRError, match="no public function with a body"):
        compiled(text)


def test_dtype():
    with pytest.raises(PassOptionError) as e:
        compiled(SOURCE, dtype="i32", weights_dtype=8)
    assert e.value.diagnostic.notes == (
        "dtype: 'i32' is not one of f32, bf16, bfp8_b, bfp4_b",
        "weights_dtype: 8 is not one of f32, bf16, bfp8_b, bfp4_b",
    )


def test_placement():
    with pytest.raises(PassOptionError, match="placement: Input should be 'greedy'"):
        compiled(SOURCE, placement="best")


def test_overrides():
    with pytest.raises(OverrideError, match="add: nothing that can be fixed"):
        compiled(SOURCE, overrides={"add": {}})


def test_device():
    with pytest.raises(SystemDescError, match="nothing"):
        compiled(SOURCE, system_desc="nothing")


def test_what_is_no_device():
    with pytest.raises(SystemDescError, match="system_desc is a int"):
        compiled(SOURCE, system_desc=7)


def test_fewer_inputs_than_the_function_takes():
    with pytest.raises(InputError, match=r"'arg1' is missing[\s\S]*takes arg0: tensor<64x96xf32>, arg1"):
        compiled(SOURCE).run(np.zeros((64, 96), np.float32))


@pytest.mark.parametrize("seed", [-1, "a", None])
def test_seeds(seed: Any):
    with pytest.raises(InputError, match=f"seed is {seed!r}"):
        compiled(SOURCE).run(seed=seed)


def test_two_arguments_of_one_name():
    argument = '{ttir.name = "x"}'
    text = function(f"%a: {T} {argument}, %b: {T} {argument}", "", f"%a : {T}")
    with pytest.raises(InvalidIRError, match="two arguments of function 'f' are called 'x'"):
        compiled(text)


def test_one_parameter_of_two_types():
    kind = '{ttir.name = "w", ttcore.argument_type = #ttcore.argument_type<parameter>}'
    text = "\n".join(
        f"func.func @f{n}(%w: tensor<{n}xf32> {kind}) -> tensor<{n}xf32> {{ return %w : tensor<{n}xf32> }}"
        for n in (4, 5)
    )
    with pytest.raises(InvalidIRError, match="parameter 'w' has type tensor<4xf32> in one function and tensor<5xf32>"):
        compiled(text)


def test_control_flow():
    text = function("%a: tensor<4xf32>", "  cf.br ^end\n^end:", "%a : tensor<4xf32>")
    with pytest.raises(UnsupportedOpError, match=r"cf\.br"):
        compiled(text)


@pytest.mark.parametrize(
    ("given", "says"), [({"arg1": (64, 96)}, "arg0"), ({"arg1": (96, 64)}, "arg1"), ({"x": (1,)}, "x")]
)
def test_inputs(given: dict[str, tuple[int, ...]], says: str):
    with pytest.raises(InputError, match=says):
        compiled(SOURCE).run({name: np.zeros(shape, np.float32) for name, shape in given.items()})

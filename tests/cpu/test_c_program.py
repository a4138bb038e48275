"""Objects and headers, taken by the system's compiler: that of the documentation's C program, and odd ones."""

import contextlib
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.docs.pages import DOCS, blocks
from ttstack.diagnostics import (
    BinaryFormatError,
    ExecutionError,
    InputError,
    InvalidIRError,
    OutputError,
    UnsupportedOpError,
)
from ttstack.dialects.context import new_context
from ttstack.targets import cpu

PAGE = DOCS / "tutorial" / "to-object-code.md"
LOOKUP = """func.func @pick(%ids: tensor<3xi32>, %table: tensor<5x2xf32>) -> tensor<3x2xf32> {
  %0 = "ttir.embedding"(%ids, %table) : (tensor<3xi32>, tensor<5x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}"""


def cc(folder: Path, *arguments: str) -> None:
    subprocess.run(["cc", "-Wall", "-Werror", *arguments], cwd=folder, check=True)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where the page has run, which compares what its program prints with PyTorch."""
    folder = tmp_path_factory.mktemp("page")
    names = {"__name__": "example"}
    with contextlib.chdir(folder):
        for block in blocks(PAGE, "python"):
            exec(block.text, names)
    return folder


@pytest.fixture
def mlp(built: Path, tmp_path: Path) -> Path:
    """A copy of it, to change."""
    return shutil.copytree(built, tmp_path / "page")


def test_weights_of_another_file_are_refused_in_c(mlp: Path):
    with (mlp / "mlp.safetensors").open("ab") as file:
        file.write(b"more")
    done = subprocess.run([mlp / "mlp"], cwd=mlp, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "another file" in done.stderr


def test_objects_hold_no_path(mlp: Path):
    found = re.findall(rb"/[\w.-]+/[\w./-]+", (mlp / "mlp.o").read_bytes())
    assert not [f for f in found if Path(os.fsdecode(f)).parts[1] in ("tmp", "root", "home", "usr", "work")]


def test_headers_are_good_in_c_and_in_cpp(mlp: Path):
    (mlp / "only.c").write_text('#include "mlp.h"\nint main(void) { return MLP_INTERFACE - 1; }\n')
    cc(mlp, "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-pedantic", "only.c", "-o", "only")
    assert subprocess.run([mlp / "only"], check=False).returncode == 0


def test_an_index_outside_is_a_fault_and_no_crash(tmp_path: Path):
    cpu.compile(LOOKUP, name="pick").save(tmp_path / "pick.so")
    loaded = cpu.load(tmp_path / "pick.so")
    table = np.arange(10, dtype=np.float32).reshape(5, 2)
    inside = {"arg0": np.array([4, 0, 2], np.int32), "arg1": table}
    np.testing.assert_array_equal(loaded.run(inside).outputs["output"], table[[4, 0, 2]])
    with pytest.raises(ExecutionError, match=r"ttir\.embedding: an index is out of bounds"):
        loaded.run({**inside, "arg0": np.array([0, 5, -1], np.int32)})


def test_inputs_that_do_not_fit_are_refused(tmp_path: Path):
    cpu.compile(LOOKUP, name="pick").save(tmp_path / "pick.so")
    loaded = cpu.load(tmp_path / "pick.so")
    with pytest.raises(InputError, match="'arg0' is int64"):
        loaded.run({"arg0": np.zeros(3, np.int64)})
    with pytest.raises(InputError, match="input 'arg1' is missing"):
        loaded.run({"arg0": np.zeros(3, np.int32)})


@pytest.mark.parametrize(
    ("kind", "given", "want"),
    [
        ("i1", np.array([False, True]), [0, 1]),
        ("ui8", np.array([3, 255], np.uint8), [3, 255]),
        ("i32", np.array([-257, 258], np.int32), [-256, 258]),
    ],
)
def test_integers_become_bfloat16_without_functions_of_the_compiler(
    kind: str, given: np.ndarray, want: list[int], tmp_path: Path
):
    program = cpu.compile(
        f"""func.func @f(%x: tensor<2x{kind}>) -> tensor<2xbf16> {{
          %0 = "ttir.typecast"(%x) : (tensor<2x{kind}>) -> tensor<2xbf16>
          return %0 : tensor<2xbf16>
        }}""",
        name="cast",
    )
    assert re.findall(r"itofp .* to (\w+)", program.generated.llvm_ir) == ["float"]
    program.save(tmp_path / "cast.so")
    (have,) = cpu.load(tmp_path / "cast.so").run({"arg0": given}).outputs.values()
    np.testing.assert_array_equal(have.astype(float), want)


def test_ops_without_a_lowering_are_listed_together():
    text = """func.func @f(%x: tensor<1x64xf32>, %p: tensor<1x8xf32>) -> (tensor<1x64xf32>, tensor<1x64xf32>) {
      %0 = "ttir.all_gather"(%x) {all_gather_dim = 0 : si32, cluster_axis = 0 : ui32} : (tensor<1x64xf32>) -> tensor<1x64xf32>
      %1 = "ttir.all_gather"(%0) {all_gather_dim = 0 : si32, cluster_axis = 0 : ui32} : (tensor<1x64xf32>) -> tensor<1x64xf32>
      return %0, %1 : tensor<1x64xf32>, tensor<1x64xf32>
    }"""
    with new_context(), pytest.raises(UnsupportedOpError, match="2 ops of 1 kind cannot be compiled"):
        cpu.compile(text)


def test_what_is_no_library_of_ours_is_refused(tmp_path: Path):
    (tmp_path / "a.so").write_bytes(b"nothing")
    with pytest.raises(BinaryFormatError, match="not a library that can be loaded"):
        cpu.load(tmp_path / "a.so")


def test_a_missing_compiler_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(OutputError, match="no C compiler 'no-such-compiler'"):
        cpu.compile(LOOKUP, name="pick").save(tmp_path / "pick.so")
    with pytest.raises(OutputError, match=r"not a file of a processor's code"):
        cpu.compile(LOOKUP, name="pick").save(tmp_path / "pick.exe")


def test_a_library_that_was_written_anew_is_loaded_anew(tmp_path: Path):
    x, path = np.ones((3,), np.float32), tmp_path / "m.so"
    for op, want in (("neg", -1), ("square", 1)):
        text = f'func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {{ %0 = "ttir.{op}"(%x) : (tensor<3xf32>) -> tensor<3xf32> return %0 : tensor<3xf32> }}'
        cpu.compile(text, name="m").save(path)
        np.testing.assert_array_equal(cpu.load(path).run({"arg0": x}).outputs["output"], want * x)


def test_functions_that_are_no_models_are_not_in_the_object(tmp_path: Path):
    text = (
        """llvm.func @expf(%x: f32) -> f32 attributes {ttstack.interface = "{}"} { llvm.return %x : f32 }
"""
        + LOOKUP
    )
    program = cpu.compile(text, name="pick")
    assert "expf" not in program.generated.llvm_ir
    assert b"expf" not in program.generated.code


def test_names_of_models_are_harmless_in_the_header(tmp_path: Path):
    text = """func.func @"f\\22"(%x: tensor<3xf32> {ttir.name = "x*/ stray /*\\0A"}, %w: tensor<3xf32> {ttir.name = "int", tt.argument_type = #tt.argument_type<parameter>}) -> tensor<3xf32> {
      %0 = "ttir.add"(%x, %w) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      return %0 : tensor<3xf32>
    }"""
    cpu.compile(text, name="odd").save(tmp_path / "odd.o")
    (tmp_path / "only.c").write_text('#include "odd.h"\nint main(void) { odd_weights w = {0}; return w.int_ != 0; }\n')
    cc(tmp_path, "-std=c11", "only.c", "-o", "only")
    assert subprocess.run([tmp_path / "only"], check=False).returncode == 0


def test_weights_that_are_named_are_there(tmp_path: Path):
    cpu.compile(LOOKUP, name="pick").save(tmp_path / "pick.so")
    with pytest.raises(BinaryFormatError, match="weights is missing"):
        cpu.load(tmp_path / "pick.so", tmp_path / "no.safetensors")


def test_functions_that_c_would_call_alike_are_refused():
    body = "(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}"
    text = f'func.func @"a.b"{body}\nfunc.func @a_b{body}'
    with pytest.raises(InvalidIRError, match=r"functions 'a\.b' and 'a_b' have one name in C, 'm_a_b'"):
        cpu.compile(text, name="m")

"""Loops that threads share: which they are, and that they give what one thread gives."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from ttstack.cli.exit_codes import run
from ttstack.dialects.context import new_context
from ttstack.mlir import ir
from ttstack.passes.base import Builtin, Pipeline
from ttstack.passes.cpu.divide_loops import DivideLoops
from ttstack.targets import cpu
from ttstack.targets.cpu.link import openmp_arguments

TEXT = """func.func @f(%x: tensor<1x64x600xf32>, %w: tensor<600x70xf32>) -> (tensor<1x64x600xf32>, tensor<64xf32>, tensor<1x64x70xf32>) {
  %0 = "ttir.exp"(%x) : (tensor<1x64x600xf32>) -> tensor<1x64x600xf32>
  %1 = "ttir.sum"(%0) {dim_arg = [0 : i32, 2 : i32], keep_dim = false} : (tensor<1x64x600xf32>) -> tensor<64xf32>
  %2 = "ttir.matmul"(%x, %w) : (tensor<1x64x600xf32>, tensor<600x70xf32>) -> tensor<1x64x70xf32>
  return %0, %1, %2 : tensor<1x64x600xf32>, tensor<64xf32>, tensor<1x64x70xf32>
}"""


def test_threads_give_what_one_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    x = np.random.default_rng(3).random((1, 64, 600), np.float32)
    w = np.random.default_rng(4).random((600, 70), np.float32)
    found = []
    for openmp in (False, True):
        program = cpu.compile(TEXT, name="m", openmp=openmp)
        assert program.openmp is openmp
        assert ("__kmpc_fork_call" in program.generated.llvm_ir) is openmp
        program.save(tmp_path / "m.so")
        found.append(cpu.load(tmp_path / "m.so").run({"arg0": x, "arg1": w}).outputs)
    for name, one in found[0].items():
        np.testing.assert_array_equal(found[1][name], one)
    np.testing.assert_allclose(found[1]["output.2"], x @ w, rtol=1e-5)


def test_an_object_is_linked_by_the_system_s_compiler(tmp_path: Path):
    program = cpu.compile(TEXT, name="m", openmp=True)
    program.save(tmp_path / "m.o")
    (tmp_path / "main.c").write_text(
        '#include "m.h"\nstatic float x[64 * 600], w[600 * 70], y[64 * 600], s[64], p[64 * 70];\n'
        "int main(void) { for (int i = 0; i < 600 * 70; i++) w[i] = 1; for (int i = 0; i < 64 * 600; i++) x[i] = 2;\n"
        "m_weights none = {0}; return m_f(&none, x, w, y, s, p) || p[64 * 70 - 1] != 1200; }\n"
    )
    subprocess.run(["cc", "main.c", "m.o", *openmp_arguments(), "-lm", "-o", "main"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "main"], check=False).returncode == 0


LOOPS = """func.func @f(%x: memref<SHAPExf32>) {
  linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
    outs(%x : memref<SHAPExf32>) {
  ^bb0(%e: f32):
    %y = arith.addf %e, %e : f32
    linalg.yield %y : f32
  }
  return
}"""


@pytest.mark.parametrize(
    ("shape", "order"),
    [("1x64x600", ["parallel 64", "for 1", "for 600"]), ("2x8x8", ["for 2", "for 8", "for 8"])],
)
def test_the_first_long_dimension_of_many_steps_is_shared(shape: str, order: list[str]):
    with new_context(), ir.Location.unknown():
        module = ir.Module.parse(LOOPS.replace("SHAPE", shape))
        Pipeline((Builtin(pipeline="func.func(convert-linalg-to-parallel-loops)"), DivideLoops())).run(module)
        assert module.operation.verify()
        found = re.findall(r"scf\.(for|parallel)\b.*?to \(?%c(\d+)", str(module))
    assert [" ".join(loop) for loop in found] == order


def test_without_the_library_one_thread_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr("ttstack.targets.cpu.link.OPENMP", "-l:no-such-library.so")
    monkeypatch.setattr("ttstack.targets.cpu.link.OPENMP_WHEEL", "no-such-wheel")
    (tmp_path / "m.mlir").write_text(TEXT)
    target = tmp_path / "m.o"
    assert run(["compile", str(tmp_path / "m.mlir"), "--target", "cpu", "--openmp", "-o", str(target)]) == 0
    assert "runs on one thread: libomp is not installed" in capsys.readouterr().err
    assert b"__kmpc" not in target.read_bytes()


def test_threads_of_devices_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "m.mlir").write_text(TEXT)
    assert run(["compile", str(tmp_path / "m.mlir"), "--openmp"]) != 0
    assert "for processors alone: --openmp" in capsys.readouterr().err

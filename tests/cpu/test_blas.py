"""Matrix products by CBLAS, and by tiles of our own, give what NumPy gives."""

import ctypes
import os
from pathlib import Path

import numpy as np
import pytest

from tests.cpu.native import run_native
from tests.ops.case import Case
from ttstack.diagnostics import InputError
from ttstack.dialects.context import new_context
from ttstack.mlir import ir
from ttstack.ops.types import DType, TensorType
from ttstack.passes.base import Pipeline
from ttstack.passes.cpu.pipelines import bufferize
from ttstack.passes.cpu.registers import LARGE, SMALL, RegisterTile
from ttstack.passes.cpu.tile_products import TileProducts
from ttstack.passes.cpu.use_blas import UseBlas
from ttstack.passes.pipelines import ttir_to_linalg
from ttstack.passes.weights import Weights
from ttstack.targets import cpu
from ttstack.targets.cpu.loader import scipy_blas

TEXT = """func.func @f(%a: tensor<2x3x5x7xf32>, %b: tensor<3x9x7xf32>, %c: tensor<9x4xf64>) -> (tensor<2x3x5x9xf32>, tensor<4x4xf64>) {
  %0 = "ttir.matmul"(%a, %b) {transpose_b = true} : (tensor<2x3x5x7xf32>, tensor<3x9x7xf32>) -> tensor<2x3x5x9xf32>
  %1 = "ttir.matmul"(%c, %c) {transpose_a = true} : (tensor<9x4xf64>, tensor<9x4xf64>) -> tensor<4x4xf64>
  return %0, %1 : tensor<2x3x5x9xf32>, tensor<4x4xf64>
}"""


LIBRARIES = [pytest.param("openblas", marks=pytest.mark.system), "scipy"]
"""The system's OpenBLAS (Debian: libopenblas-dev), and that of SciPy's wheel."""


@pytest.mark.parametrize("library", LIBRARIES)
def test_products_are_those_of_numpy(library: str, tmp_path: Path):
    rng = np.random.default_rng(3)
    a, b = rng.random((2, 3, 5, 7), np.float32), rng.random((3, 9, 7), np.float32)
    c = rng.random((9, 4))
    program = cpu.compile(TEXT, name="products", blas=library)
    assert program.generated.stages["blas"].count("gemm(") >= 2
    assert "linalg.batch_matmul" not in program.generated.stages["blas"]
    program.save(tmp_path / "products.so")
    out = cpu.load(tmp_path / "products.so").run({"arg0": a, "arg1": b, "arg2": c}).outputs
    np.testing.assert_allclose(out["output.0"], a @ b.swapaxes(-1, -2), rtol=1e-5)
    np.testing.assert_allclose(out["output.1"], c.T @ c, rtol=1e-12)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("transposed", [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("sizes", [(1, 70, 90, 80), (1, 200, 37, 40), (4, 40, 50, 60), (1, 3, 4, 5)], ids=str)
def test_threads_share_what_a_library_multiplies(
    sizes: tuple[int, int, int, int],
    transposed: tuple[bool, bool],
    library: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    count, m, n, k = sizes
    shapes = [(count, k, m) if transposed[0] else (count, m, k), (count, n, k) if transposed[1] else (count, k, n)]
    a, b = (np.random.default_rng(i).random(shape, np.float32) for i, shape in enumerate(shapes))
    flags: dict[str, bool] = dict(zip(("transpose_a", "transpose_b"), transposed, strict=True))
    types = tuple(TensorType(shape, DType.F32) for shape in shapes)
    with new_context(), ir.Location.unknown():
        text = str(Case("matmul", types, flags).module())
    program = cpu.compile(text, name="m", blas=library, openmp=True)
    assert ("scf.parallel" in program.generated.stages["blas"]) == (m > 3)
    program.save(tmp_path / "m.so")
    (out,) = cpu.load(tmp_path / "m.so").run({"arg0": a, "arg1": b}).outputs.values()
    left, right = (x.swapaxes(1, 2) if turned else x for x, turned in zip((a, b), transposed, strict=True))
    np.testing.assert_allclose(out, left @ right, rtol=1e-5)


def test_a_library_has_one_thread_while_ours_compute_and_its_own_again_after(tmp_path: Path):
    cpu.compile(TEXT, name="m", blas="scipy", openmp=True).save(tmp_path / "m.so")
    loaded = cpu.load(tmp_path / "m.so")
    library = ctypes.CDLL(str(scipy_blas()))
    library.scipy_openblas_set_num_threads(2)
    loaded.run({"arg0": np.ones((2, 3, 5, 7), "f"), "arg1": np.ones((3, 9, 7), "f"), "arg2": np.ones((9, 4))})
    assert library.scipy_openblas_get_num_threads() == min(2, os.cpu_count() or 1)


@pytest.mark.parametrize(("tile", "dtype"), [(SMALL, np.float32), (LARGE, np.float32), (LARGE, np.float64)])
@pytest.mark.parametrize("sizes", [(4, 1, 5), (6, 16, 1), (7, 17, 9), (13, 33, 40), (3, 20, 8)])
@pytest.mark.parametrize("transposed", [(False, False), (True, False), (False, True)])
def test_products_without_a_library_are_tiles(
    sizes: tuple[int, int, int],
    transposed: tuple[bool, bool],
    tile: RegisterTile,
    dtype: type[np.floating],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("ttstack.passes.cpu.tile_products.tile_of_this_machine", lambda: tile)
    m, n, k = sizes
    shapes = [(2, k, m) if transposed[0] else (2, m, k), (2, n, k) if transposed[1] else (2, k, n)]
    flags = {"transpose_a": transposed[0], "transpose_b": transposed[1]}
    types = tuple(TensorType(s, DType.F32 if dtype is np.float32 else DType.F64) for s in shapes)
    rng = np.random.default_rng(3)
    a, b = (rng.random(s).astype(dtype) for s in shapes)
    with new_context(), ir.Location.unknown():
        code, (out,) = run_native(Case("matmul", types, flags).module(), [a, b])
        loops = Case("matmul", types, flags).module()
        Pipeline((*ttir_to_linalg().with_weights(Weights()).passes, *bufferize().passes, TileProducts())).run(loops)
        assert ("vector.fma" in str(loops)) == (m >= 4)
    assert code == 0
    left, right = (x.swapaxes(1, 2) if turned else x for x, turned in zip((a, b), transposed, strict=True))
    np.testing.assert_allclose(out, left @ right, rtol=1e-5)


def test_products_between_reshapes_stay_products():
    text = """func.func @f(%x: tensor<2x8x32xf32>, %w: tensor<32x64xf32>) -> tensor<2x4x8x16xf32> {
      %0 = "ttir.abs"(%x) : (tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
      %1 = "ttir.reshape"(%0) {shape = [16 : i32, 32 : i32]} : (tensor<2x8x32xf32>) -> tensor<16x32xf32>
      %2 = "ttir.matmul"(%1, %w) : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
      %3 = "ttir.reshape"(%2) {shape = [2 : i32, 8 : i32, 4 : i32, 16 : i32]} : (tensor<16x64xf32>) -> tensor<2x8x4x16xf32>
      %4 = "ttir.abs"(%3) : (tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32>
      %5 = "ttir.permute"(%4) {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x8x4x16xf32>) -> tensor<2x4x8x16xf32>
      return %5 : tensor<2x4x8x16xf32>
    }"""
    stages = cpu.compile(text).generated.stages
    assert stages["linalg"].count("linalg.matmul") == 1
    assert "vector.fma" in stages["loops"]


def test_an_unknown_library_is_refused():
    with pytest.raises(InputError, match="no BLAS 'mkl'"):
        cpu.compile(TEXT, blas="mkl")


def test_products_of_mixed_elements_vectors_and_unknown_sizes_stay():
    text = """func.func @f(%a: memref<4x4xf32>, %v: memref<4xf32>, %c: memref<4x4xf64>, %d: memref<4x4xf32>, %e: memref<?x4xf32>) {
      linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%c : memref<4x4xf64>)
      linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>]
        ins(%v, %a : memref<4xf32>, memref<4x4xf32>) outs(%d : memref<4x4xf32>)
      linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%d : memref<4x4xf32>)
      linalg.matmul ins(%e, %a : memref<?x4xf32>, memref<4x4xf32>) outs(%e : memref<?x4xf32>)
      return
    }"""
    with new_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        UseBlas().run(module)
        after = str(module)
    assert (after.count("linalg.matmul"), after.count("call @cblas_sgemm")) == (3, 1)

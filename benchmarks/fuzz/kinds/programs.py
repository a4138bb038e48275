"""Compiled programs, with weights inside or beside."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import ttstack
from benchmarks.fuzz.case import Files, Kind
from benchmarks.fuzz.digest import digest
from benchmarks.fuzz.mutate import programs
from tests.flatbuffer.conftest import make_binary, with_scan
from tests.flatbuffer.test_fields import QUANTIZED, TABLE
from ttstack.compiled_program import Program
from ttstack.flatbuffer import load, save
from ttstack.program.records import Binary, Weight
from ttstack.system_desc import load as load_system

_MODEL = """func.func @main(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %w = "ttir.constant"() <{value = dense<0.5> : tensor<64x64xf32>}> : () -> tensor<64x64xf32>
  %0 = "ttir.matmul"(%x, %w) : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %1 = "ttir.relu"(%0) : (tensor<32x64xf32>) -> tensor<32x64xf32>
  return %1 : tensor<32x64xf32>
}"""


def _binaries() -> list[Binary]:
    made = make_binary(load_system("wormhole"))
    quantized = Weight("quantized", QUANTIZED, np.zeros(QUANTIZED.shape, np.int8))
    whole = replace(made, tables=(TABLE,), weights={**made.weights, "quantized": quantized})
    return [made, whole, ttstack.compile(_MODEL, placement="optimal", placement_nodes=10).binary, with_scan(made)]


def _saved(binary: Binary, where: str) -> Files:
    with TemporaryDirectory() as folder:
        save(binary, Path(folder) / "model.ttb", weights=where)  # pyright: ignore[reportArgumentType]
        return {p.name: p.read_bytes() for p in sorted(Path(folder).iterdir(), key=lambda p: p.suffix != ".ttb")}


def read(path: Path) -> str:
    """The program, costed."""
    found = load(path, verify=True)
    for function in found.functions:
        Program(found).cost(function.name)
    return digest(found)


KINDS = [
    Kind("ttb", lambda: [_saved(b, "inline") for b in _binaries()], programs.INLINE, read, None, 36),
    Kind("ttb_beside", lambda: [_saved(b, "beside") for b in _binaries()[:2]], programs.BESIDE, read, None, 30),
]

"""MLIR text, bytecode, portable artifacts and exports of JAX."""

import random
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path

import numpy as np

import ttstack
from benchmarks.fuzz.case import Files, Kind
from benchmarks.fuzz.digest import digest
from benchmarks.fuzz.mutate import plain, text
from tests.forms import eltwise, lookup, matmul, movement, normalization, pool, reduction
from tests.frontends.stablehlo_modules import CASES as STABLEHLO
from tests.frontends.tosa_cases import CASES as TOSA
from tests.frontends.tosa_cases import spelled
from ttstack.dialects.context import new_context
from ttstack.frontends.source import import_model
from ttstack.frontends.text import parse
from ttstack.mlir import ir, register_stablehlo_dialects

_ROOT = Path(__file__).parents[3]
_STORED = _ROOT / "tests" / "frontends" / "jax_exports"
_LARGEST = 20_000
"""Bytes of a stored file that is still small."""
CALLS = (
    """func.func @main(%0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}""",
    """func.func private @f(%0: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  return %0, %c : tensor<4xf32>, tensor<f32>
}
func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {
  %1:2 = func.call @f(%0) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>)
  %2 = stablehlo.composite "a.b" %1#0 {decomposition = @g, composite_attributes = {a = 1 : i64}}
    : (tensor<4xf32>) -> tensor<4xf32>
  %3 = stablehlo.custom_call @tt.rms_norm(%2) {backend_config = {epsilon = 1.0e-5 : f32}}
    : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
func.func private @g(%0: tensor<4xf32>) -> tensor<4xf32> {
  return %0 : tensor<4xf32>
}""",
)


def _ttir() -> list[str]:
    families = (eltwise, lookup, matmul, movement, normalization, pool, reduction)
    return [form.function("main") for family in families for form in family.FORMS[::9]]


def _stablehlo() -> list[str]:
    made = [make(np.random.default_rng(seed)).text for make in STABLEHLO.values() for seed in range(2)]
    stored = [path.read_text() for path in sorted(_STORED.glob("*.mlir")) if path.stat().st_size < _LARGEST]
    return [*made, *CALLS, *stored]


def _tosa() -> list[str]:
    return [spelled(*case) for case in TOSA.values()]


def _bytecode() -> list[bytes]:
    found: list[bytes] = []
    with new_context(), ir.Location.unknown():
        register_stablehlo_dialects(ir.Context.current)
        for source in (*_ttir()[::4], *_stablehlo()[:-2:3], *_tosa()[::4]):
            out = BytesIO()
            parse(source, "seed").operation.write_bytecode(out)
            found.append(out.getvalue())
    return found


def _as_files(name: str, make: Callable[[], Sequence[str | bytes]]) -> Callable[[], Sequence[Files]]:
    return lambda: [{name: m.encode() if isinstance(m, str) else m} for m in make()]


def _stored(suffix: str) -> Callable[[], Sequence[bytes]]:
    return lambda: [p.read_bytes() for p in sorted(_STORED.glob(f"*.{suffix}")) if p.stat().st_size < _LARGEST]


def read(path: Path) -> str:
    """The program that the file is compiled to."""
    return digest(ttstack.compile(path).binary)


def prints_and_parses(path: Path, rng: random.Random) -> str | None:
    """Whether the TTIR that was read is that which its text gives."""
    if rng.randrange(3):
        return None
    with import_model(path) as found:
        printed = found.module.operation.get_asm(print_generic_op_form=bool(rng.randrange(2)))
        plainly = str(found.module)
    with new_context(), ir.Location.unknown():
        again = str(parse(printed, "printed"))
    return None if again == plainly else "what is printed parses to another module"


KINDS = [
    Kind("ttir", _as_files("model.mlir", _ttir), text.MUTATORS, read, prints_and_parses, 5),
    Kind("stablehlo", _as_files("model.mlir", _stablehlo), text.MUTATORS, read, prints_and_parses, 7),
    Kind("tosa", _as_files("model.mlir", _tosa), text.MUTATORS, read, prints_and_parses, 4),
    Kind("bytecode", _as_files("model.mlirbc", _bytecode), plain.mutators(), read, prints_and_parses, 7),
    Kind("artifact", _as_files("model.stablehlo", _stored("stablehlo")), plain.mutators(), read, prints_and_parses, 4),
    Kind("jax", _as_files("model.jax", _stored("jax")), plain.mutators(), read, prints_and_parses, 3),
]

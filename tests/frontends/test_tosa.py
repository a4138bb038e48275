"""TOSA against MLIR's own lowering of it, run as machine code: integers to the last bit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ttstack
from tests.frontends.conftest import Interpret
from tests.frontends.tosa_cases import BY_HAND, CASES, F, spelled
from tests.passes import jit
from ttstack.diagnostics import SourceError, UnsupportedOpError
from ttstack.dialects.functions import all_functions
from ttstack.dialects.signature import read_arguments
from ttstack.dialects.types import read_type
from ttstack.frontends.source import import_model
from ttstack.mlir import PassManager, ir

_TO_LINALG = (
    "tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith{include-apply-rescale=1},"
    "tosa-to-tensor,tosa-to-scf,refback-generalize-tensor-pad"
)


def drawn(t: Any, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    if t.dtype.is_float:
        return rng.normal(size=t.shape).astype(t.dtype.numpy)
    if t.dtype.bits == 1:
        return rng.integers(0, 2, t.shape).astype(bool)
    info = np.iinfo(t.dtype.numpy)
    return rng.integers(info.min // 2, info.max // 2, t.shape).astype(t.dtype.numpy)


def oracle(text: str, arrays: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        result = read_type(next(all_functions(module)).type.results[0])
        PassManager.parse(f"builtin.module(func.func({_TO_LINALG}))").run(module.operation)
        return jit.run(module, "main", arrays, result)


@pytest.mark.parametrize("name", [*CASES, *BY_HAND])
def test_op(name: str, interpret: Interpret):
    case, by_hand = (CASES[name], None) if name in CASES else BY_HAND[name]
    text = spelled(*case)
    with import_model(text) as found:
        (function,) = all_functions(found.module)
        rng = np.random.default_rng(3)
        inputs = [drawn(read_type(a.type), rng) for a in function.arguments if a.arg_number < len(case[0])]
        inputs = [np.abs(x) for x in inputs] if name in ("log", "rsqrt", "pow") else inputs
        weights = [found.weights[a.name] for a in read_arguments(function)[len(inputs) :]]
        (result,) = interpret(found.module, [*inputs, *weights])
    expected = by_hand(*inputs) if by_hand else oracle(text, inputs)
    assert result.shape == expected.shape
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)
    else:
        np.testing.assert_array_equal(result, expected)


def test_large_constants_are_weights():
    weight = f'dense<"0x{np.arange(2048, dtype=np.float32).tobytes().hex()}"> : tensor<1x32x64xf32>'
    text = f"""func.func @main(%x: tensor<1x4x32xf32>) -> tensor<1x4x64xf32> {{
      %w = "tosa.const"() {{values = {weight}}} : () -> tensor<1x32x64xf32>
      %z = "tosa.const"() {{values = dense<0.0> : tensor<1xf32>}} : () -> tensor<1xf32>
      %y = tosa.matmul %x, %w, %z, %z : (tensor<1x4x32xf32>, tensor<1x32x64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x64xf32>
      return %y : tensor<1x4x64xf32>
    }}"""
    program = ttstack.compile(text)
    assert [t.type.shape for t in program.function().parameters.values()] == [(1, 32, 64)]
    x = np.ones((1, 4, 32), np.float32)
    (y,) = program.run(dict.fromkeys(program.inputs(), x)).outputs.values()
    np.testing.assert_allclose(y, x @ np.arange(2048, dtype=np.float32).reshape(1, 32, 64), rtol=1e-6)


def test_bytecode(tmp_path: Path):
    with ir.Context(), (tmp_path / "model.mlirbc").open("wb") as file:
        ir.Module.parse(spelled(*CASES["tanh"])).operation.write_bytecode(file)
    assert [op.name for op in ttstack.compile(tmp_path / "model.mlirbc").cost().ops] == ["tanh"]


def test_unsupported_ops_are_all_listed():
    op = f"tosa.custom %0 {{operator_name = 'a', domain_name = 'b', implementation_attrs = ''}} : ({F}) -> {F}"
    with pytest.raises(UnsupportedOpError, match="1 op of 1 kind cannot be compiled") as e:
        ttstack.compile(spelled([F], op.replace("'", '"'), F))
    assert e.value.diagnostic.notes[0].startswith("tosa.custom: 1, first at <text>:")


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (
            spelled(["tensor<?x4xf32>"], "tosa.exp %0 : (tensor<?x4xf32>) -> tensor<?x4xf32>", "tensor<?x4xf32>"),
            SourceError,
            "the inputs of 'main' cannot be compiled as they are",
        ),
        (
            f"tosa.variable @v : tensor<4xf32>\n{spelled(*CASES['tanh'])}",
            UnsupportedOpError,
            "`tosa.variable` cannot be compiled",
        ),
        (
            spelled(
                ["tensor<i1>", F],
                f"tosa.while_loop (%a = %1) : ({F}) -> {F} {{ tosa.yield %0 : tensor<i1> }} do {{ ^bb0(%a: {F}): tosa.yield %a : {F} }}",
                F,
            ),
            UnsupportedOpError,
            "`tosa.while_loop` is a loop",
        ),
    ],
    ids=["dynamic", "variable", "loop"],
)
def test_refused(text: str, error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        ttstack.compile(text)


@pytest.mark.parametrize("inverse", [True, False])
def test_fourier_transforms_equal_numpy(inverse: bool):
    t, half, word = "tensor<2x4x8xf32>", "tensor<2x4x5xf32>", str(inverse).lower()
    program = ttstack.compile(
        f"""func.func @main(%x: {t}, %y: {t}) -> ({t}, {t}, {half}, {half}) {{
          %a, %b = "tosa.fft2d"(%x, %y) <{{inverse = {word}, local_bound = false}}> : ({t}, {t}) -> ({t}, {t})
          %c, %d = tosa.rfft2d %x : ({t}) -> ({half}, {half})
          return %a, %b, %c, %d : {t}, {t}, {half}, {half}
        }}"""
    )
    x, y = np.random.default_rng(0).normal(size=(2, 2, 4, 8)).astype(np.float32)
    re, im, half_re, half_im = program(x, y)
    wanted = np.fft.ifft2(x + 1j * y, norm="forward") if inverse else np.fft.fft2(x + 1j * y)
    np.testing.assert_allclose(re + 1j * im, wanted, atol=1e-5)
    np.testing.assert_allclose(half_re + 1j * half_im, np.fft.rfft2(x), atol=1e-5)


@pytest.mark.parametrize("holds", [True, False])
def test_branches_inside_of_branches(holds: bool):
    t = "tensor<2x3xf32>"
    inner = f"""%i = tosa.cond_if %d (%b = %a) : tensor<i1> ({t}) -> {t} {{
      ^bb0(%b: {t}):
        %n = tosa.negate %b, %z, %z : ({t}, tensor<1xf32>, tensor<1xf32>) -> {t}
        tosa.yield %n : {t}
      }} else {{
      ^bb0(%b: {t}):
        tosa.yield %b : {t}
      }}"""
    text = f"""func.func @main(%c: tensor<i1>, %d: tensor<i1>, %x: {t}) -> {t} {{
      %z = "tosa.const"() {{values = dense<0.0> : tensor<1xf32>}} : () -> tensor<1xf32>
      %0 = tosa.cond_if %c (%a = %x) : tensor<i1> ({t}) -> {t} {{
      ^bb0(%a: {t}):
        {inner}
        tosa.yield %i : {t}
      }} else {{
      ^bb0(%a: {t}):
        %e = tosa.exp %a : ({t}) -> {t}
        tosa.yield %e : {t}
      }}
      return %0 : {t}
    }}"""
    program, x = ttstack.compile(text), np.ones((2, 3), np.float32)
    for inside in (True, False):
        given = (np.array(holds), np.array(inside), x)
        (y,) = program.run(dict(zip(program.inputs(), given, strict=True))).outputs.values()
        np.testing.assert_allclose(y, (-x if inside else x) if holds else np.exp(x), rtol=1e-6)


def test_a_product_with_the_second_operand_turned():
    text = """func.func @main(%x: tensor<1x4x32xf32>, %w: tensor<1x64x32xf32>) -> tensor<1x4x64xf32> {
      %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
      %y = tosa.matmul_t %x, %w, %z, %z : (tensor<1x4x32xf32>, tensor<1x64x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x64xf32>
      return %y : tensor<1x4x64xf32>
    }"""
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal(shape, np.float32) for shape in ((1, 4, 32), (1, 64, 32)))
    program = ttstack.compile(text)
    (y,) = program.run(dict(zip(program.inputs(), (x, w), strict=True))).outputs.values()
    np.testing.assert_allclose(y, x @ w.swapaxes(1, 2), rtol=1e-4, atol=1e-5)

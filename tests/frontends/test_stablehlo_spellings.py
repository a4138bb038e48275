"""Ops beside today's StableHLO: Einstein's notation, and MLIR's own `arith` and `math`; values against PyTorch."""

from typing import Any

import numpy as np
import pytest
import torch

import ttstack
from tests.frontends.call_text import results_of, typed
from ttstack.diagnostics import UnsupportedOpError
from ttstack.frontends.stablehlo.arith import SPELLINGS

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(13)
EXTENTS = {"a": 3, "b": 4, "c": 5, "d": 2}

EQUATIONS = [
    "ab,bc->ac",
    "ab,cb->ca",
    "abc,acd->dab",
    "ab,ab->ba",
    "ab,ab->",
    "a,b->ba",
    "aab,b->a",
    "abc,bd->ad",
    "ab->ba",
    "abc->b",
    "aab->ba",
    "ab->",
    "...b,bc->...c",
    "ab...,b...->...a",
]


def einsum(equation: str, tensors: list[Array], result: Array) -> str:
    name = "einsum" if len(tensors) == 2 else "unary_einsum"
    given = ", ".join(f"%{i}" for i in range(len(tensors)))
    arguments = ", ".join(f"%{i}: {typed(x)}" for i, x in enumerate(tensors))
    types = ", ".join(map(typed, tensors))
    op = f'"stablehlo.{name}"({given}) <{{einsum_config = "{equation}"}}> : ({types}) -> {typed(result)}'
    return f"func.func @main({arguments}) -> {typed(result)} {{\n%r = {op}\nreturn %r : {typed(result)}\n}}"


@pytest.mark.parametrize("equation", EQUATIONS)
def test_einstein_sums(equation: str):
    terms = equation.partition("->")[0].replace("...", "cd" if "c" not in equation else "d").split(",")
    tensors = [RNG.standard_normal([EXTENTS[c] for c in term]).astype("f4") for term in terms]
    wanted = torch.einsum(equation, *map(torch.from_numpy, tensors)).numpy()
    (got,) = results_of(einsum(equation, tensors, wanted), tensors)
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("equation", ["ab,bc->ad", "abc,bc->a", "ab->a", "ab,bc->aa", "a1,1b->ab"])
def test_an_equation_that_does_not_fit_is_refused(equation: str):
    tensors = [RNG.standard_normal((3, 4)).astype("f4"), RNG.standard_normal((4, 5)).astype("f4")]
    with pytest.raises(UnsupportedOpError, match=rf"has the equation '{equation}', which does not fit tensor<3x4xf32>"):
        ttstack.compile(einsum(equation, tensors, np.zeros((3, 5), np.float32)))


REAL = {
    "arith.addf": torch.add,
    "arith.subf": torch.sub,
    "arith.mulf": torch.mul,
    "arith.divf": torch.div,
    "arith.remf": torch.fmod,
    "arith.maximumf": torch.maximum,
    "arith.minimumf": torch.minimum,
    "math.powf": torch.pow,
    "arith.negf": torch.neg,
    "math.absf": torch.abs,
    "math.ceil": torch.ceil,
    "math.cos": torch.cos,
    "math.exp": torch.exp,
    "math.expm1": torch.expm1,
    "math.floor": torch.floor,
    "math.log": torch.log,
    "math.log1p": torch.log1p,
    "math.rsqrt": torch.rsqrt,
    "math.sin": torch.sin,
    "math.sqrt": torch.sqrt,
    "math.tan": torch.tan,
    "math.tanh": torch.tanh,
}
WHOLE = {
    "arith.addi": torch.add,
    "arith.subi": torch.sub,
    "arith.muli": torch.mul,
    "arith.divsi": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "arith.remsi": torch.fmod,
    "arith.maxsi": torch.maximum,
    "arith.minsi": torch.minimum,
    "arith.andi": torch.bitwise_and,
    "arith.ori": torch.bitwise_or,
    "arith.xori": torch.bitwise_xor,
    "math.absi": torch.abs,
}
OTHERS = {"arith.constant", "arith.select", "arith.extf", "arith.truncf"}


def test_every_spelling_is_tested():
    assert SPELLINGS.keys() == REAL.keys() | WHOLE.keys() | OTHERS


@pytest.mark.parametrize("name", [*REAL, *WHOLE])
def test_elementwise_ops_on_tensors(name: str):
    reference, real = {**REAL, **WHOLE}[name], name in REAL
    unary = name == "arith.negf" or (name.startswith("math.") and name != "math.powf")
    count = 1 if unary else 2
    given = [RNG.uniform(0.1, 3, 7).astype("f4") if real else RNG.integers(-9, 0, 7).astype("i4") for _ in range(count)]
    t = typed(given[0])
    operands = ", ".join(f"%{i}" for i in range(count))
    arguments = ", ".join(f"%{i}: {t}" for i in range(count))
    text = f"""func.func @main({arguments}) -> {t} {{
      %r = {name} {operands} : {t}
      %s = stablehlo.add %r, %r : {t}
      return %s : {t}
    }}"""
    (got,) = results_of(text, given)
    wanted = 2 * reference(*map(torch.from_numpy, given)).numpy()
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


def test_constants_choices_and_formats():
    x = np.array([1.00390625, -2, 3], np.float32)
    text = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %c = arith.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
      %b = arith.constant dense<[true, false, true]> : tensor<3xi1>
      %n = arith.truncf %x : tensor<3xf32> to tensor<3xbf16>
      %w = arith.extf %n : tensor<3xbf16> to tensor<3xf32>
      %r = arith.select %b, %w, %c : tensor<3xi1>, tensor<3xf32>
      %s = stablehlo.negate %r : tensor<3xf32>
      return %s : tensor<3xf32>
    }"""
    (got,) = results_of(text, [x])
    np.testing.assert_array_equal(got, [-1, -20, -3])


def test_a_large_constant_is_a_weight():
    values = RNG.standard_normal((32, 32)).astype("f4")
    text = f"""func.func @main(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {{
      %c = arith.constant dense<{values.tolist()}> : tensor<32x32xf32>
      %r = stablehlo.dot_general %x, %c, contracting_dims = [1] x [0] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
      return %r : tensor<32x32xf32>
    }}"""
    (got,) = results_of(text, [values])
    np.testing.assert_allclose(got, values @ values, rtol=1e-5, atol=1e-5)


def test_a_number_everywhere_is_a_constant():
    text = """func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<2x2xi32>) {
      %c = arith.constant 2.5 : f32
      %n = arith.constant -7 : i32
      %t = arith.constant true
      %s = tensor.splat %c : tensor<3xf32>
      %m = tensor.splat %n : tensor<2x2xi32>
      %b = tensor.splat %t : tensor<3xi1>
      %r = stablehlo.select %b, %s, %x : tensor<3xi1>, tensor<3xf32>
      %e = stablehlo.add %x, %r : tensor<3xf32>
      return %e, %m : tensor<3xf32>, tensor<2x2xi32>
    }"""
    first, second = results_of(text, [np.array([1, 2, 3], np.float32)])
    np.testing.assert_array_equal(first, [3.5, 4.5, 5.5])
    np.testing.assert_array_equal(second, np.full((2, 2), -7))


def test_numbers_that_are_no_tensors_are_refused():
    text = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %c = arith.constant 1.0 : f32
      %d = arith.addf %c, %c : f32
      %s = tensor.splat %d : tensor<3xf32>
      %r = stablehlo.add %x, %s : tensor<3xf32>
      return %r : tensor<3xf32>
    }"""
    with pytest.raises(UnsupportedOpError, match=r"arith\.constant: 1, first at"):
        ttstack.compile(text)


def test_a_call_of_other_results_than_what_it_becomes_is_refused():
    t = "tensor<4xf32>"
    call = f"%0:2 = stablehlo.custom_call @mhlo.erf(%x) : ({t}) -> ({t}, {t})"
    text = f"func.func @main(%x: {t}) -> {t} {{\n{call}\nreturn %0#0 : {t}\n}}"
    with pytest.raises(UnsupportedOpError, match=r"`@mhlo\.erf` has 2 results, what it becomes has 1\n  --> <text>:2"):
        ttstack.compile(text)

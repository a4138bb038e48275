"""StableHLO on complex numbers: values equal NumPy's, of each op and of programs with state, loops and constants."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ttstack
from ttstack.diagnostics import InputError, UnsupportedOpError

Array = np.ndarray[Any, Any]
C, R, S = "tensor<4x6xcomplex<f32>>", "tensor<4x6xf32>", "tensor<complex<f32>>"
_ZERO = f"%c = stablehlo.constant dense<(0.0, 0.0)> : {S}\n"

UNARY: dict[str, Callable[[Array], Any]] = {
    "negate": np.negative,
    "exponential": np.exp,
    "exponential_minus_one": np.expm1,
    "log": np.log,
    "log_plus_one": np.log1p,
    "sqrt": np.sqrt,
    "rsqrt": lambda z: 1 / np.sqrt(z),
    "cbrt": lambda z: z ** (1 / 3),
    "sine": np.sin,
    "cosine": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "logistic": lambda z: 1 / (1 + np.exp(-z)),
    "sign": lambda z: z / np.abs(z),
}
BINARY: dict[str, Callable[[Array, Array], Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "power": np.power,
}
FORMS: dict[str, tuple[str, str, Callable[..., Any]]] = {
    "abs": (f"%r = stablehlo.abs %x : ({C}) -> {R}", R, lambda x, _: np.abs(x)),
    "real": (f"%r = stablehlo.real %x : ({C}) -> {R}", R, lambda x, _: x.real),
    "imag": (f"%r = stablehlo.imag %x : ({C}) -> {R}", R, lambda x, _: x.imag),
    "complex": (
        f"""%a = stablehlo.real %x : ({C}) -> {R}
        %b = stablehlo.imag %y : ({C}) -> {R}
        %r = stablehlo.complex %a, %b : {C}""",
        C,
        lambda x, y: x.real + 1j * y.imag,
    ),
    "convert": (
        f"""%a = stablehlo.real %x : ({C}) -> {R}
        %b = stablehlo.convert %a : ({R}) -> {C}
        %r = stablehlo.multiply %b, %y : {C}""",
        C,
        lambda x, y: x.real * y,
    ),
    "transpose": (
        f"%r = stablehlo.transpose %x, dims = [1, 0] : ({C}) -> tensor<6x4xcomplex<f32>>",
        "tensor<6x4xcomplex<f32>>",
        lambda x, _: x.T,
    ),
    "reshape": (
        f"%r = stablehlo.reshape %x : ({C}) -> tensor<24xcomplex<f32>>",
        "tensor<24xcomplex<f32>>",
        lambda x, _: x.reshape(-1),
    ),
    "slice": (
        f"%r = stablehlo.slice %x [0:4, 1:6:2] : ({C}) -> tensor<4x3xcomplex<f32>>",
        "tensor<4x3xcomplex<f32>>",
        lambda x, _: x[:, 1::2],
    ),
    "concatenate": (
        f"%r = stablehlo.concatenate %x, %y, dim = 0 : ({C}, {C}) -> tensor<8x6xcomplex<f32>>",
        "tensor<8x6xcomplex<f32>>",
        lambda x, y: np.concatenate([x, y]),
    ),
    "reverse": (f"%r = stablehlo.reverse %x, dims = [1] : {C}", C, lambda x, _: x[:, ::-1]),
    "pad": (
        f"{_ZERO}%r = stablehlo.pad %x, %c, low = [0, 1], high = [0, 2], interior = [0, 0] : ({C}, {S}) -> tensor<4x9xcomplex<f32>>",
        "tensor<4x9xcomplex<f32>>",
        lambda x, _: np.pad(x, ((0, 0), (1, 2))),
    ),
    "select": (
        f"""%q = stablehlo.compare NE, %x, %y : ({C}, {C}) -> tensor<4x6xi1>
        %r = stablehlo.select %q, %y, %x : (tensor<4x6xi1>, {C}, {C}) -> {C}""",
        C,
        lambda _, y: y,
    ),
    "dynamic_update_slice": (
        f"""%i = stablehlo.constant dense<1> : tensor<i32>
        %u = stablehlo.slice %y [0:2, 0:6] : ({C}) -> tensor<2x6xcomplex<f32>>
        %r = stablehlo.dynamic_update_slice %x, %u, %i, %i : ({C}, tensor<2x6xcomplex<f32>>, tensor<i32>, tensor<i32>) -> {C}""",
        C,
        lambda x, y: np.concatenate([x[:1], y[:2], x[3:]]),
    ),
    "dot_general": (
        f"%r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : ({C}, {C}) -> tensor<4x4xcomplex<f32>>",
        "tensor<4x4xcomplex<f32>>",
        lambda x, y: x @ y.T,
    ),
    "real by complex": (
        f"""%a = stablehlo.real %x : ({C}) -> {R}
        %b = stablehlo.convert %a : ({R}) -> {C}
        %r = stablehlo.dot_general %b, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1] : ({C}, {C}) -> tensor<4xcomplex<f32>>""",
        "tensor<4xcomplex<f32>>",
        lambda x, y: (x.real * y).sum(1),
    ),
    "reduce": (
        f"{_ZERO}%r = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : ({C}, {S}) -> tensor<4xcomplex<f32>>",
        "tensor<4xcomplex<f32>>",
        lambda x, _: x.sum(1),
    ),
    "constant": (
        """%c = stablehlo.constant dense<[(1.0, -2.0), (0.5, 0.0), (0.0, 3.0), (0.001, 1.0), (2.0, 2.0), (-1.0, 0.25)]> : tensor<6xcomplex<f32>>
        %b = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
        %r = stablehlo.multiply %x, %b : tensor<4x6xcomplex<f32>>""",
        C,
        lambda x, _: x * np.array([1 - 2j, 0.5, 3j, 1e-3 + 1j, 2 + 2j, -1 + 0.25j]),
    ),
    "fft": (f"%r = stablehlo.fft %x, type = FFT, length = [6] : ({C}) -> {C}", C, lambda x, _: np.fft.fft(x)),
    "ifft of two dimensions": (
        f"%r = stablehlo.fft %x, type = IFFT, length = [4, 6] : ({C}) -> {C}",
        C,
        lambda x, _: np.fft.ifft2(x),
    ),
    "rfft of two dimensions": (
        f"""%a = stablehlo.real %x : ({C}) -> {R}
        %r = stablehlo.fft %a, type = RFFT, length = [4, 6] : ({R}) -> tensor<4x4xcomplex<f32>>""",
        "tensor<4x4xcomplex<f32>>",
        lambda x, _: np.fft.rfft2(x.real),
    ),
    "irfft of two dimensions": (
        f"%r = stablehlo.fft %x, type = IRFFT, length = [4, 11] : ({C}) -> tensor<4x11xf32>",
        "tensor<4x11xf32>",
        lambda x, _: np.fft.irfft2(x, s=(4, 11)),
    ),
}
FORMS |= {n: (f"%r = stablehlo.{n} %x : {C}", C, lambda x, _, f=f: f(x)) for n, f in UNARY.items()}
FORMS |= {n: (f"%r = stablehlo.{n} %x, %y : {C}", C, f) for n, f in BINARY.items()}


def numbers(*shape: int, seed: int = 0) -> Array:
    draw = np.random.default_rng(seed)
    return (draw.standard_normal(shape) + 1j * draw.standard_normal(shape)).astype(np.complex64)


def main(body: str, result: str, arguments: str = f"%x: {C}, %y: {C}") -> str:
    return f"func.func @main({arguments}) -> {result} {{\n{body}\nreturn %r : {result}\n}}"


@pytest.mark.parametrize("name", FORMS)
def test_ops_equal_numpy(name: str):
    body, result, reference = FORMS[name]
    x, y = numbers(4, 6), numbers(4, 6, seed=1)
    found, wanted = ttstack.compile(main(body, result))(x, y), reference(x, y)
    assert found.shape == wanted.shape
    assert np.iscomplexobj(found) == np.iscomplexobj(wanted)
    assert np.abs(found - wanted).max() < 2e-6 * np.abs(wanted).max()


def test_large_arguments_do_not_overflow():
    body = f"%a = stablehlo.tanh %x : {C}\n%b = stablehlo.logistic %x : {C}\n%r = stablehlo.divide %a, %b : {C}"
    x = np.full((4, 6), 300 - 2j, np.complex64)
    np.testing.assert_allclose(ttstack.compile(main(body, C, f"%x: {C}"))(x), 1, atol=1e-6)


def test_complex128_has_parts_of_f64():
    wide = C.replace("f32", "f64")
    program = ttstack.compile(main(f"%r = stablehlo.exponential %x : {wide}", wide, f"%x: {wide}"))
    x = numbers(4, 6).astype(np.complex128)
    found = program(x)
    assert found.dtype == np.complex128
    np.testing.assert_allclose(found, np.exp(x), rtol=1e-12)


def test_large_constants_are_weights(tmp_path: Path):
    values = numbers(20, 30, seed=2)
    t = "tensor<20x30xcomplex<f32>>"
    body = f'%c = stablehlo.constant dense<"0x{values.tobytes().hex()}"> : {t}\n%r = stablehlo.add %x, %c : {t}'
    (tmp_path / "x.mlir").write_text(main(body, t, f"%x: {t}"))
    program, x = ttstack.compile(tmp_path / "x.mlir"), numbers(20, 30)
    np.testing.assert_allclose(program(x), x + values, rtol=1e-6)
    assert len(program.binary.weights) == 2


def test_a_diagonal_recurrence_with_complex_state():
    """A scan of a linear recurrent unit, whose state the program keeps."""
    t = "tensor<8xcomplex<f32>>"
    text = f"""func.func @main(%state: {t} {{tf.aliasing_output = 0 : i32}}, %x: tensor<5x8xf32>) -> ({t}, tensor<8xf32>) {{
      %w = stablehlo.constant dense<(0.5, 0.6)> : {t}
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %end = stablehlo.constant dense<5> : tensor<i32>
      %i, %s = stablehlo.while(%k = %zero, %h = %state) : tensor<i32>, {t}
      cond {{
        %q = stablehlo.compare LT, %k, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %q : tensor<i1>
      }} do {{
        %row = stablehlo.dynamic_slice %x, %k, %zero, sizes = [1, 8] : (tensor<5x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
        %flat = stablehlo.reshape %row : (tensor<1x8xf32>) -> tensor<8xf32>
        %u = stablehlo.convert %flat : (tensor<8xf32>) -> {t}
        %decayed = stablehlo.multiply %w, %h : {t}
        %next = stablehlo.add %decayed, %u : {t}
        %more = stablehlo.add %k, %one : tensor<i32>
        stablehlo.return %more, %next : tensor<i32>, {t}
      }}
      %out = stablehlo.real %s : ({t}) -> tensor<8xf32>
      return %s, %out : {t}, tensor<8xf32>
    }}"""
    state, x = numbers(8), np.random.default_rng(3).standard_normal((5, 8)).astype(np.float32)
    run = ttstack.compile(text).run({"arg0": state, "arg1": x})
    for row in x:
        state = (0.5 + 0.6j) * state + row
    np.testing.assert_allclose(run.updated["arg0"], state, rtol=1e-5)
    (out,) = run.outputs.values()
    np.testing.assert_allclose(out, state.real, rtol=1e-5)


def test_pairs_of_reals_are_refused():
    program = ttstack.compile(main(f"%r = stablehlo.negate %x : {C}", C, f"%x: {C}"))
    with pytest.raises(InputError, match=r"'arg0' holds pairs of real numbers, .*: give x\[..., 0\] \+ 1j"):
        program(np.zeros((4, 6, 2), np.float32))


@pytest.mark.parametrize(
    "body",
    [
        f"%r = stablehlo.atan2 %x, %y : {C}",
        f"{_ZERO}%r = stablehlo.reduce(%x init: %c) applies stablehlo.multiply across dimensions = [] : ({C}, {S}) -> {C}",
    ],
)
def test_ops_without_a_form_are_named(body: str):
    with pytest.raises(UnsupportedOpError, match=r"stablehlo.(atan2|reduce): 1, first at .*no form on pairs of real"):
        ttstack.compile(main(body, C))

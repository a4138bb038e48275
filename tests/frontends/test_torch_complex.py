"""Complex numbers of PyTorch models as pairs of reals: values equal PyTorch's."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack
from ttstack.diagnostics import InputError, UnsupportedOpError

OPS: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "real scale": lambda x, _: 3.0 * x,
    "complex scale": lambda x, _: (1 + 2j) * x,
    "complex offset": lambda x, _: x + 2j,
    "neg": lambda x, _: -x,
    "conj": lambda x, y: x.conj() * y,
    "abs": lambda x, _: x.abs(),
    "angle": lambda x, _: x.angle(),
    "real": lambda x, _: x.real,
    "imag": lambda x, _: x.imag,
    "view_as_real": lambda x, _: torch.view_as_real(x),
    "exp": lambda x, _: torch.exp(x),
    "log": lambda x, _: torch.log(x),
    "sqrt": lambda x, _: torch.sqrt(x),
    "sin": lambda x, _: torch.sin(x),
    "cos": lambda x, _: torch.cos(x),
    "tanh": lambda x, _: torch.tanh(x),
    "reciprocal": lambda x, _: torch.reciprocal(x),
    "square": lambda x, _: x**2,
    "sum": lambda x, _: x.sum(-1),
    "mean": lambda x, _: x.mean(0),
    "matmul": lambda x, y: x @ y.transpose(-1, -2),
    "einsum": lambda x, y: torch.einsum("ij,kj->ik", x, y),
    "reshape": lambda x, _: x.reshape(-1),
    "permute": lambda x, _: x.permute(1, 0),
    "cat": lambda x, y: torch.cat([x, y], 0),
    "stack": lambda x, y: torch.stack([x, y], 1),
    "slice": lambda x, _: x[:, 1:3],
    "index": lambda x, _: x[:, torch.tensor([2, 0])],
    "pad": lambda x, _: nn.functional.pad(x, (1, 2)),
    "where": lambda x, y: torch.where(x.real > 0, x, y),
    "flip": lambda x, _: x.flip(-1),
    "expand": lambda x, _: x[:, :1].expand(4, 6),
    "complex": lambda x, y: torch.complex(x.real, y.imag),
    "polar": lambda x, _: torch.polar(x.abs(), x.angle()),
    "to complex": lambda x, y: x.real.to(torch.complex64) * y,
    "zeros": lambda x, _: x + torch.zeros(4, 6, dtype=torch.complex64),
    "full": lambda x, _: x * torch.full((4, 6), 1 - 1j),
    "real by complex": lambda x, y: x.real * y,
    "real less complex": lambda x, y: x.real - y,
    "complex by real": lambda x, y: x / y.real,
    "number by complex": lambda x, _: 1j / x,
    "complex power": lambda x, y: x**y,
    "exp2": lambda x, _: torch.exp2(x),
    "expm1": lambda x, _: torch.expm1(x),
    "log2": lambda x, _: torch.log2(x),
    "log1p": lambda x, _: torch.log1p(x),
    "tan": lambda x, _: torch.tan(x),
    "sinh": lambda x, _: torch.sinh(x),
    "acos": lambda x, _: torch.acos(x),
    "acosh": lambda x, _: torch.acosh(x),
    "atanh": lambda x, _: torch.atanh(x),
    "sigmoid": lambda x, _: torch.sigmoid(x),
    "sgn": lambda x, _: torch.sgn(x),
    "rsqrt": lambda x, _: torch.rsqrt(x),
    "roll": lambda x, _: x.roll(2, -1),
    "tril": lambda x, _: x.tril(),
    "diag_embed": lambda x, _: torch.diag_embed(x),
    "unbind": lambda x, _: x.unbind(0)[2],
    "unfold": lambda x, _: x.unfold(1, 3, 2),
    "masked_fill": lambda x, _: x.masked_fill(x.real > 0, 1j),
    "where with a number": lambda x, _: torch.where(x.real > 0, x, 0.0),
    "index_put": lambda x, y: x.index_put((torch.tensor([1]),), y[0]),
    "pad by reflection": lambda x, _: nn.functional.pad(x[None], (1, 2), mode="reflect"),
    "pad by the other end": lambda x, _: nn.functional.pad(x[None], (1, 2), mode="circular"),
    "mv": lambda x, y: x @ y[0],
    "vdot": lambda x, y: torch.vdot(x[0], y[0]),
    "trace": lambda x, _: torch.trace(x),
    "prod": lambda x, _: x.prod(-1),
    "cumsum": lambda x, _: x.cumsum(-1),
    "std": lambda x, _: x.std(-1),
    "addcmul": lambda x, y: torch.addcmul(x, x, y),
    "lerp": lambda x, y: torch.lerp(x, y, 0.3),
    "conv1d": lambda x, y: nn.functional.conv1d(x[None], y[None, :, :3].contiguous()),
    "einsum of three": lambda x, y: torch.einsum("ij,ij,kj->ik", x, y, x),
    "equal": lambda x, y: torch.where(x == y, x, y),
    "to complex128": lambda x, _: x.to(torch.complex128),
    "fftshift": lambda x, _: torch.fft.fftshift(x),
    "hfft": lambda x, _: torch.fft.hfft(x),
    "fft of another length": lambda x, _: torch.fft.fft(x, n=9),
}


class Calls(nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def forward(self, *values: Tensor) -> Any:
        return self._function(*values)


def array(values: Tensor) -> np.ndarray[Any, Any]:
    return values.detach().resolve_conj().resolve_neg().numpy()


def error(model: nn.Module, *inputs: Tensor) -> float:
    """The largest difference from PyTorch, over the largest value."""
    program = ttstack.compile(model.eval(), inputs)
    found = program.run(dict(zip(program.inputs(), map(array, inputs), strict=True))).outputs
    wanted = model(*inputs)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    assert len(found) == len(wanted)
    errors = []
    for value, want in zip(found.values(), map(array, wanted), strict=True):
        assert (value.shape, value.dtype) == (want.shape, want.dtype)
        errors.append(float(np.abs(value - want).max() / np.abs(want).max()))
    return max(errors)


def complex_inputs(*shapes: tuple[int, ...]) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(shape, dtype=torch.complex64, generator=generator) for shape in shapes]


@pytest.mark.parametrize("name", OPS)
def test_ops_equal_pytorch(name: str):
    assert error(Calls(OPS[name]), *complex_inputs((4, 6), (4, 6))) < 2e-6


LENGTHS = [1, 2, 3, 7, 16, 31, 32, 48, 97, 127, 256, 257, 263, 360, 509, 1000, 1024, 1031, 2048, 4099]


@pytest.mark.parametrize("size", LENGTHS)
def test_fourier_transforms_of_all_lengths(size: int):
    """Primes beside powers of two: the last one is a convolution with a chirp."""
    (x,) = complex_inputs((2, size))
    assert error(Calls(torch.fft.fft), x) < 3e-6


@pytest.mark.parametrize("size", [1200, 3000, 4099])
def test_long_real_transforms_and_back(size: int):
    x = torch.randn(2, size, generator=torch.Generator().manual_seed(2))
    assert error(Calls(lambda x: torch.fft.irfft(torch.fft.rfft(x) * 2, n=size)), x) < 3e-6


@pytest.mark.parametrize("center", [False, True])
def test_signals_of_short_time_transforms(center: bool):
    x, window = torch.randn(2, 512), torch.hann_window(50) if center else torch.ones(64)

    def back(x: Tensor, window: Tensor) -> Tensor:
        found = torch.stft(x, 64, 16, window.shape[0], window=window, center=center, return_complex=True)
        return torch.istft(found * 0.5, 64, 16, window.shape[0], window=window, center=center)

    assert error(Calls(back), x, window) < 3e-6


def test_complex_signals_of_short_time_transforms():
    (x,) = complex_inputs((2, 33, 20))
    window = torch.hann_window(33)
    back = Calls(lambda x: torch.istft(x, 33, 8, window=window, onesided=False, length=160, return_complex=True))
    assert error(back, x) < 3e-6


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("size", [15, 16])
def test_forms_of_fourier_transforms(norm: str, size: int):
    real = torch.randn(2, 12, size, generator=torch.Generator().manual_seed(1))
    (x,) = complex_inputs((2, 12, size))
    assert error(Calls(lambda x: torch.fft.rfft(x, norm=norm)), real) < 3e-6
    assert error(Calls(lambda x: torch.fft.ifft(x, norm=norm, dim=1)), x) < 3e-6
    assert error(Calls(lambda x: torch.fft.irfft(x, n=size, norm=norm)), x[..., : size // 2 + 1]) < 3e-6
    assert error(Calls(lambda x: torch.fft.fft2(x, norm=norm)), x) < 3e-6
    assert error(Calls(lambda x: torch.fft.irfft2(torch.fft.rfft2(x, norm=norm), s=(12, size), norm=norm)), real) < 3e-6


class Accumulator(nn.Module):
    """A complex parameter, and a complex buffer that is written to."""

    total: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(6, 6, dtype=torch.complex64))
        self.register_buffer("total", torch.zeros(4, 6, dtype=torch.complex64))

    def forward(self, x: Tensor) -> Tensor:
        self.total.mul_(0.5).add_(x @ self.weight)
        return self.total.conj()


def test_complex_parameters_and_state_are_two_of_reals():
    (x,) = complex_inputs((4, 6))
    model = Accumulator()
    program = ttstack.compile(model, [x])
    assert {"weight.real", "weight.imag"} <= program.binary.weights.keys() | set(program.binary.fixed)
    first = program.run(x.numpy())
    second = program.run({"x": x.numpy()} | dict(first.updated))
    wanted = [model(x).resolve_conj().detach().numpy().copy() for _ in range(2)]
    for run, want in zip((first, second), wanted, strict=True):
        assert np.abs(run.outputs["output"] - want).max() < 1e-5
    assert second.updated.keys() == {"total.real", "total.imag"}


def test_complex_inputs_and_outputs_are_said_saved_and_loaded(tmp_path: Path):
    (x,) = complex_inputs((4, 6))
    program = ttstack.compile(Calls(lambda x: (x * 2j, x.real)), [x])
    program.save(tmp_path / "p.ttb")
    for each in (program, ttstack.load(tmp_path / "p.ttb")):
        assert {str(t) for t in each.inputs().values()} == {"tensor<4x6xcomplex<f32>>"}
        assert [str(t) for t in each.outputs().values()] == ["tensor<4x6xcomplex<f32>>", "tensor<4x6xf32>"]
        assert "tensor<4x6xcomplex<f32>>" in repr(each)
        turned, real = each(x)
        assert torch.equal(turned, x * 2j)
        assert torch.equal(real, x.real)
    assert next(iter(program.run(seed=3).outputs.values())).dtype == np.complex64


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            np.zeros((4, 6, 2), np.float32),
            r"'x.*' holds pairs of real numbers, not complex numbers \(complex64\): give",
        ),
        (np.zeros((4, 6), np.float32), r"'x.*' holds real numbers \(float32\), not complex numbers \(complex64\)"),
        (np.zeros((4, 7), np.complex64), r"'x.*' has shape \[4, 7\], not \[4, 6\]"),
        (np.full((4, 6), 1e300, np.complex128), r"'x.*' has values beyond the range of f32"),
    ],
)
def test_what_is_no_complex_array_of_the_input_is_refused(given: np.ndarray[Any, Any], message: str):
    program = ttstack.compile(Calls(lambda x: x * 2j), complex_inputs((4, 6)))
    with pytest.raises(InputError, match=message.replace("'x.*'", f"'{next(iter(program.inputs()))}'")):
        program.run(given)


def test_real_inputs_refuse_complex_arrays():
    program = ttstack.compile(Calls(lambda x: x + 1), [torch.zeros(4, 6)])
    with pytest.raises(InputError, match=r"holds complex numbers \(complex64\), not real numbers"):
        program.run(np.zeros((4, 6), np.complex64))


def test_what_has_no_form_is_named():
    with pytest.raises(UnsupportedOpError, match="has no form on pairs of real numbers") as e:
        ttstack.compile(Calls(lambda x: torch.linalg.inv(x).real), [torch.randn(4, 4, dtype=torch.complex64)])
    assert "linalg_inv" in e.value.diagnostic.message
    assert (e.value.diagnostic.loc or "").partition(":")[0].endswith("test_torch_complex.py")

"""Complex numbers of PyTorch models as pairs of reals: values equal PyTorch's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import ttstack
from ttstack.diagnostics import UnsupportedOpError
from ttstack.frontends.torch.fourier import DIRECT

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
}


class Calls(nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def forward(self, *values: Tensor) -> Any:
        return self._function(*values)


def pairs(values: Tensor) -> np.ndarray[Any, Any]:
    values = values.detach().resolve_conj().resolve_neg()
    return torch.view_as_real(values).numpy() if values.is_complex() else values.numpy()


def error(model: nn.Module, *inputs: Tensor) -> float:
    """The largest difference from PyTorch, over the largest value."""
    program = ttstack.compile(model.eval(), inputs)
    found = program.run(dict(zip(program.inputs(), map(pairs, inputs), strict=True))).outputs
    wanted = model(*inputs)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    assert len(found) == len(wanted)
    errors = []
    for value, want in zip(found.values(), map(pairs, wanted), strict=True):
        assert value.shape == want.shape
        errors.append(float(np.abs(value - want).max() / np.abs(want).max()))
    return max(errors)


def complex_inputs(*shapes: tuple[int, ...]) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(shape, dtype=torch.complex64, generator=generator) for shape in shapes]


@pytest.mark.parametrize("name", OPS)
def test_ops_equal_pytorch(name: str):
    assert error(Calls(OPS[name]), *complex_inputs((4, 6), (4, 6))) < 2e-6


@pytest.mark.parametrize("size", [1, 2, 7, 31, 48, 127, 256, 257, 360, 1024])
def test_fourier_transforms_of_all_lengths(size: int):
    (x,) = complex_inputs((3, size))
    assert error(Calls(torch.fft.fft), x) < 3e-6
    assert (size > DIRECT) == (size in (257, 360, 1024))


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


class Rotary(nn.Module):
    """Rotary embeddings in complex spelling, as Llama's first code has them."""

    turns: Tensor

    def __init__(self) -> None:
        super().__init__()
        angles = torch.outer(torch.arange(16.0), 10000.0 ** -(torch.arange(0, 8, 2) / 8))
        self.register_buffer("turns", torch.polar(torch.ones_like(angles), angles))

    def forward(self, x: Tensor) -> Tensor:
        turned = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * self.turns
        return torch.view_as_real(turned).flatten(-2)


class FNet(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real


class SpectralConvolution(nn.Module):
    """A layer of a Fourier neural operator."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 5, 8, dtype=torch.complex64) * 0.2)

    def forward(self, x: Tensor) -> Tensor:
        modes = torch.fft.rfft(x)
        kept = torch.zeros(x.shape[0], 5, x.shape[-1] // 2 + 1, dtype=torch.complex64)
        kept[:, :, :8] = torch.einsum("bix,iox->box", modes[:, :, :8], self.weight)
        return torch.fft.irfft(kept, n=x.shape[-1])


class Spectrogram(nn.Module):
    window: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(48))

    def forward(self, x: Tensor) -> Tensor:
        spectrum = torch.stft(x, 64, 16, 48, window=self.window, return_complex=True)
        return torch.log1p(spectrum.abs() ** 2)


@pytest.mark.parametrize(
    ("model", "shape"),
    [(Rotary(), (2, 16, 8)), (FNet(), (2, 32, 48)), (SpectralConvolution(), (2, 4, 64)), (Spectrogram(), (2, 512))],
)
def test_layers_equal_pytorch(model: nn.Module, shape: tuple[int, ...]):
    torch.manual_seed(3)
    assert error(model, torch.randn(shape)) < 5e-6


def test_complex_parameters_become_two():
    torch.manual_seed(3)
    program = ttstack.compile(SpectralConvolution(), [(2, 4, 64)])
    assert {"weight.real", "weight.imag"} <= {w.name for w in program.binary.weights.values()} | set(
        program.binary.fixed
    )


def test_what_has_no_form_is_named():
    with pytest.raises(UnsupportedOpError, match="has no form on pairs of real numbers") as e:
        ttstack.compile(Calls(lambda x: torch.linalg.inv(x).real), [torch.randn(4, 4, dtype=torch.complex64)])
    assert "linalg_inv" in e.value.diagnostic.message
    assert (e.value.diagnostic.loc or "").partition(":")[0].endswith("test_torch_complex.py")

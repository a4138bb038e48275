"""Networks with complex numbers, as their papers define them in small: values equal PyTorch's."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

import ttstack

T, HEADS, WIDTH = 32, 4, 64


def turns(rows: int = T, width: int = WIDTH) -> Tensor:
    angles = torch.outer(torch.arange(float(rows)), 10000.0 ** -(torch.arange(0, width, 2) / width))
    return torch.polar(torch.ones_like(angles), angles)


def rotate(x: Tensor, by: Tensor) -> Tensor:
    """Rotary embeddings in complex spelling; `by` broadcasts to the heads."""
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * by).flatten(-2).type_as(x)


class Llama(nn.Module):
    """Attention with rotary queries and keys."""

    turns: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(HEADS * WIDTH, 3 * HEADS * WIDTH)
        self.register_buffer("turns", turns())

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (p.reshape(1, T, HEADS, WIDTH) for p in self.qkv(x).chunk(3, -1))
        by = self.turns.view(1, T, 1, WIDTH // 2)
        q, k, v = (p.transpose(1, 2) for p in (rotate(q, by), rotate(k, by), v))
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)


class LatentAttention(nn.Module):
    """DeepSeek-V2: low-rank keys and values, and one rotary key that all heads share."""

    turns: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.q = nn.Linear(128, HEADS * 2 * WIDTH, bias=False)
        self.down, self.up = nn.Linear(128, 32 + WIDTH), nn.Linear(32, HEADS * 2 * WIDTH)
        self.register_buffer("turns", turns())

    def forward(self, x: Tensor) -> Tensor:
        plain, turned = self.q(x).view(1, T, HEADS, 2 * WIDTH).split(WIDTH, -1)
        latent, key = self.down(x).split([32, WIDTH], -1)
        by = self.turns.view(1, T, 1, WIDTH // 2)
        turned, key = rotate(turned, by), rotate(key.unsqueeze(2), by).expand(-1, -1, HEADS, -1)
        k, v = self.up(latent).view(1, T, HEADS, 2 * WIDTH).split(WIDTH, -1)
        q, k = torch.cat([plain, turned], -1), torch.cat([k, key], -1)
        scores = torch.einsum("bshd,bthd->bhst", q, k) / math.sqrt(2 * WIDTH)
        return torch.einsum("bhst,bthd->bshd", scores.softmax(-1), v).flatten(2)


class JointAttention(nn.Module):
    """Qwen-Image: text and image tokens with positions of their own in one attention."""

    def forward(self, text: Tensor, image: Tensor, text_turns: Tensor, image_turns: Tensor) -> Tensor:
        text = rotate(functional.rms_norm(text, (WIDTH,)), text_turns.unsqueeze(1))
        image = rotate(functional.rms_norm(image, (WIDTH,)), image_turns.unsqueeze(1))
        joint = torch.cat([text, image], 1).transpose(1, 2)
        return functional.scaled_dot_product_attention(joint, joint, joint).transpose(1, 2)


class FNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Linear(48, 48)

    def forward(self, x: Tensor) -> Tensor:
        return self.dense(functional.layer_norm(x + torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real, (48,)))


class FourierLayer(nn.Module):
    """A layer of a Fourier neural operator in one dimension."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 5, 8, dtype=torch.complex64) * 0.2)

    def forward(self, x: Tensor) -> Tensor:
        modes = torch.fft.rfft(x)
        kept = torch.zeros(x.shape[0], 5, x.shape[-1] // 2 + 1, dtype=torch.complex64)
        kept[:, :, :8] = torch.einsum("bix,iox->box", modes[:, :, :8], self.weight)
        return functional.gelu(torch.fft.irfft(kept, n=x.shape[-1]))


class FourierPlane(nn.Module):
    """The same in two dimensions, with positive and negative frequencies of rows."""

    def __init__(self) -> None:
        super().__init__()
        self.low = nn.Parameter(torch.randn(3, 3, 4, 4, dtype=torch.complex64) * 0.3)
        self.high = nn.Parameter(torch.randn(3, 3, 4, 4, dtype=torch.complex64) * 0.3)

    def forward(self, x: Tensor) -> Tensor:
        modes = torch.fft.rfft2(x)
        kept = torch.zeros_like(modes)
        kept[:, :, :4, :4] = torch.einsum("bixy,ioxy->boxy", modes[:, :, :4, :4], self.low)
        kept[:, :, -4:, :4] = torch.einsum("bixy,ioxy->boxy", modes[:, :, -4:, :4], self.high)
        return torch.fft.irfft2(kept, s=x.shape[-2:])


class MelFrontEnd(nn.Module):
    """Log energies of a bank of filters."""

    window: Tensor
    filters: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(48))
        self.register_buffer("filters", torch.rand(33, 20))

    def forward(self, x: Tensor) -> Tensor:
        spectrum = torch.stft(x, 64, 16, 48, window=self.window, return_complex=True)
        return torch.log((spectrum.abs() ** 2).transpose(1, 2) @ self.filters + 1e-3)


class Denoiser(nn.Module):
    """A mask on the frequencies of frames, and the signal of what it leaves."""

    window: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("window", torch.hann_window(64))
        self.mask = nn.Linear(33, 33)

    def forward(self, x: Tensor) -> Tensor:
        spectrum = torch.stft(x, 64, 16, window=self.window, return_complex=True)
        mask = torch.sigmoid(self.mask(spectrum.abs().transpose(1, 2))).transpose(1, 2)
        return torch.istft(spectrum * mask, 64, 16, window=self.window, length=x.shape[-1])


class ComplexPerceptron(nn.Module):
    """Two complex layers with a rectifier of magnitudes between."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(16, 32, dtype=torch.complex64)
        self.second = nn.Linear(32, 8, dtype=torch.complex64)
        self.bias = nn.Parameter(torch.randn(32) * 0.1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x)
        size = x.abs()
        return self.second(x * (torch.relu(size + self.bias) / (size + 1e-6)))


class LinearRecurrence(nn.Module):
    """A linear recurrent unit: a diagonal complex state, step by step."""

    def __init__(self) -> None:
        super().__init__()
        size, angle = torch.rand(16) * 0.3 + 0.6, torch.rand(16) * 3
        self.decay = nn.Parameter(torch.polar(size, angle))
        self.inward = nn.Parameter(torch.randn(8, 16, dtype=torch.complex64) * 0.3)
        self.outward = nn.Parameter(torch.randn(16, 8, dtype=torch.complex64) * 0.3)

    def forward(self, x: Tensor) -> Tensor:
        driven = x.to(torch.complex64) @ self.inward
        state, states = torch.zeros(x.shape[0], 16, dtype=torch.complex64), list[Tensor]()
        for t in range(x.shape[1]):
            state = self.decay * state + driven[:, t]
            states.append(state)
        return (torch.stack(states, 1) @ self.outward).real


class ComplexAttention(nn.Module):
    """Attention of complex tokens by the real part of Hermitian scores."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(16, 16, bias=False, dtype=torch.complex64) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        scores = self.query(x) @ self.key(x).mH
        return (scores.real / 4).softmax(-1).to(torch.complex64) @ self.value(x)


class PhaseCorrelation(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        cross = torch.fft.fft2(x) * torch.fft.fft2(y).conj()
        return torch.fft.ifft2(cross / (cross.abs() + 1e-3)).real


class HolographicMemory(nn.Module):
    """Keys bound to values by circular convolution, added, and one value retrieved by correlation."""

    def forward(self, keys: Tensor, values: Tensor) -> Tensor:
        bound = torch.fft.rfft(keys) * torch.fft.rfft(values)
        memory = bound.sum(-2, keepdim=True)
        return torch.fft.irfft(memory * torch.fft.rfft(keys).conj(), n=keys.shape[-1])


class StateSpaceConvolution(nn.Module):
    """S4D: the kernel of a diagonal state space with HiPPO's imaginary parts, applied by transforms of twice the length."""

    def __init__(self) -> None:
        super().__init__()
        self.poles = nn.Parameter(torch.complex(torch.full((8,), -0.5), math.pi * torch.arange(8.0)))
        self.weight = nn.Parameter(torch.randn(4, 8, dtype=torch.complex64))
        self.step = nn.Parameter(torch.rand(4, 1) * 0.1)

    def forward(self, x: Tensor) -> Tensor:
        length, steps = x.shape[-1], self.poles * self.step
        weight = self.weight * (torch.exp(steps) - 1) / self.poles
        powers = torch.exp(steps.unsqueeze(-1) * torch.arange(float(length)))
        kernel = 2 * torch.einsum("hn,hnl->hl", weight, powers).real
        spectrum = torch.fft.rfft(x, n=2 * length) * torch.fft.rfft(kernel, n=2 * length)
        return torch.fft.irfft(spectrum, n=2 * length)[..., :length]


def _complex(*shape: int) -> Tensor:
    return torch.randn(shape, dtype=torch.complex64)


NETWORKS: dict[str, tuple[type[nn.Module], Sequence[Sequence[int] | Tensor]]] = {
    "Llama": (Llama, [(1, T, HEADS * WIDTH)]),
    "DeepSeek-V2": (LatentAttention, [(1, T, 128)]),
    "Qwen-Image": (JointAttention, [(1, 8, HEADS, WIDTH), (1, 24, HEADS, WIDTH), turns(8), turns(24)]),
    "FNet": (FNet, [(2, 32, 48)]),
    "Fourier neural operator": (FourierLayer, [(2, 4, 64)]),
    "Fourier neural operator of planes": (FourierPlane, [(2, 3, 24, 32)]),
    "mel front end": (MelFrontEnd, [(2, 512)]),
    "denoiser": (Denoiser, [(2, 512)]),
    "complex perceptron": (ComplexPerceptron, [_complex(4, 16)]),
    "linear recurrent unit": (LinearRecurrence, [(2, 6, 8)]),
    "complex attention": (ComplexAttention, [_complex(2, 10, 16)]),
    "phase correlation": (PhaseCorrelation, [(2, 16, 24), (2, 16, 24)]),
    "holographic memory": (HolographicMemory, [(2, 3, 64), (2, 3, 64)]),
    "state space": (StateSpaceConvolution, [(2, 4, 50)]),
}
ROTARY = ("Llama", "DeepSeek-V2", "Qwen-Image")


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_equal_pytorch(name: str):
    torch.manual_seed(3)
    kind, described = NETWORKS[name]
    model = kind().eval()
    inputs = [d if isinstance(d, Tensor) else torch.randn(tuple(d)) for d in described]
    program = ttstack.compile(model, inputs)
    found, wanted = program(*inputs), model(*inputs).detach()
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    assert float((found - wanted).abs().max() / wanted.abs().max()) < 2e-5
    if name in ROTARY:
        assert "rotary_embedding" in {op.name for op in program.function().operations}


class RealRotary(nn.Module):
    """Rotary embeddings of interleaved pairs in real spelling."""

    cos: Tensor
    sin: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("cos", turns().real.repeat_interleave(2, -1).view(1, T, 1, WIDTH))
        self.register_buffer("sin", turns().imag.repeat_interleave(2, -1).view(1, T, 1, WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.cos + torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(3) * self.sin


class ComplexRotary(nn.Module):
    turns: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("turns", turns().view(1, T, 1, WIDTH // 2))

    def forward(self, x: Tensor) -> Tensor:
        return rotate(x, self.turns)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_complex_spelling_of_rotary_embeddings_is_the_same_program(dtype: torch.dtype):
    x = torch.randn(1, T, HEADS, WIDTH, dtype=dtype)
    programs = [ttstack.compile(model.to(dtype) if real else model, [x]) for model, real in _SPELLINGS]
    ops = [[op.name for op in p.function().operations if op.name == "rotary_embedding"] for p in programs]
    assert ops[0] == ops[1] == ["rotary_embedding"]
    first, second = (p(x).float().numpy() for p in programs)
    np.testing.assert_allclose(first, second, atol=0.03 if dtype is torch.bfloat16 else 1e-6)


_SPELLINGS = ((RealRotary(), True), (ComplexRotary(), False))

"""What a model's host code would compute is as precise as there, whatever the device's format is."""

import numpy as np
import pytest

import ttstack

torch = pytest.importorskip("torch")


class Adam(torch.nn.Module):
    """With the number of the step as an input."""

    def forward(self, gradient, first, second, step):
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient * gradient
        return 0.01 * (first / (1 - 0.9**step)) / (torch.sqrt(second / (1 - 0.999**step)) + 1e-8)


class Rotary(torch.nn.Module):
    """With tables that the model computes from positions, and from frequencies."""

    def __init__(self, *, buffer: bool) -> None:
        super().__init__()
        self.stored = buffer
        self.register_buffer("frequencies", self.computed())

    def computed(self):
        return 1 / 10000 ** (torch.arange(0, 16, dtype=torch.float32) / 16)

    def forward(self, x):
        frequencies = self.frequencies if self.stored else self.computed()
        angles = torch.arange(x.shape[-2], dtype=torch.float32)[:, None] * frequencies
        cos, sin = angles.cos(), angles.sin()
        left, right = x[..., :16], x[..., 16:]
        return torch.cat([left * cos - right * sin, right * cos + left * sin], -1)


class Schedule(torch.nn.Module):
    def forward(self, x):
        return x * (1 - 0.999 ** torch.arange(x.shape[-1], dtype=torch.float32))


def normal(*shape: int):
    """Numbers that bf16 has."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1)).to(torch.bfloat16).float()


def error(model, *given) -> float:
    """The error of the program in bf16, relative to the largest number that PyTorch gives in float32."""
    program = ttstack.compile(model, given, dtype="bf16")
    inputs = dict(zip(program.inputs(), (x.numpy() for x in given), strict=True))
    (have,) = program.run(inputs, numerics="device").outputs.values()
    want = model(*given).numpy()
    return float(np.abs(have - want).max() / np.abs(want).max())


@pytest.mark.parametrize("step", [1.0, 3.0, 1000.0])
def test_scalars_computed_from_a_scalar_input(step: float):
    squares = normal(32, 64).abs().to(torch.bfloat16).float()
    assert error(Adam(), normal(32, 64), normal(32, 64), squares, torch.tensor(step)) < 0.02


@pytest.mark.parametrize("buffer", [False, True])
def test_tables_of_positions(buffer: bool):
    assert error(Rotary(buffer=buffer), normal(1, 2, 2048, 32)) < 0.01


def test_constants():
    assert error(Schedule(), normal(8, 64)) < 0.004


class Products(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(normal(64, 64))

    def forward(self, x):
        return x @ self.weight * 0.3


def test_weights_and_inputs_are_rounded():
    program = ttstack.compile(Products(), (normal(32, 64),), dtype="bf16")
    (function,) = program.binary.functions
    formats = {t.name: str(t.layout.dtype) for t in function.tensors if t.type.size > 1}
    assert set(formats.values()) == {"bf16"}

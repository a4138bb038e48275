"""A program that was saved and loaded computes the same, to the byte."""

from pathlib import Path

import numpy as np
import torch
from torch import nn

import ttstack


class Strided(nn.Module):
    """Has a transposed weight, one that repeats an element, and what is computed from both."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.rand(65, 33).T)
        self.e = nn.Parameter(torch.tensor(1.7).expand(33, 65))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Matmuls and powers."""
        return x @ self.w, x @ torch.pow(self.w, self.e), torch.pow(x.sum() + self.w, self.e)


def test_values_do_not_depend_on_how_weights_lie_in_memory(tmp_path: Path):
    program = ttstack.compile(Strided().eval(), (torch.rand(7, 33),))
    assert any(not w.data.flags.c_contiguous for w in program.binary.weights.values() if w.data is not None)
    program.save(tmp_path / "m.ttb")
    inputs = {"x": np.random.default_rng(0).random((7, 33), np.float32)}
    before, after = program.run(inputs).outputs, ttstack.load(tmp_path / "m.ttb").run(inputs).outputs
    assert {name: values.tobytes() for name, values in before.items()} == {n: v.tobytes() for n, v in after.items()}

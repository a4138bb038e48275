"""Means of groups of columns are matmuls where that is faster, with the same values."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

import ttstack

NAME = "group-mean-to-matmul"


class Means(nn.Module):
    """Each column becomes the mean of its group of so many columns."""

    def __init__(self, each: int) -> None:
        super().__init__()
        self.each = each

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[rows, columns] to the same."""
        groups = x.reshape(x.shape[0], -1, self.each)
        return groups.mean(-1, keepdim=True).expand(groups.shape).reshape(x.shape)


class Norm(nn.Module):
    """A group norm between convolutions."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.before, self.after = nn.Conv2d(8, channels, 3, padding=1), nn.Conv2d(channels, 8, 3, padding=1)
        self.norm = nn.GroupNorm(32, channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Images to images."""
        return self.after(self.norm(self.before(x)))


class NormOfHeads(nn.Module):
    """Heads of 48 columns, each normalised, with a weight and a bias that all have."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(48)
        for parameter in self.norm.parameters():
            nn.init.normal_(parameter)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[rows, columns] to the same."""
        return self.norm(x.reshape(x.shape[0], -1, 48)).reshape(x.shape)


NORMS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "of heads": (NormOfHeads, (128, 576)),
    "of groups of channels": (lambda: nn.GroupNorm(12, 768, eps=64e-5), (1024, 768)),
}

FASTER: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "pairs": (lambda: Means(2), (1, 64)),
    "of sizes that are not powers of two": (lambda: Means(3), (2, 96)),
    "in a group norm": (lambda: Norm(64), (1, 8, 32, 32)),
}


def compiled(model: nn.Module, x: torch.Tensor, **options: str) -> ttstack.Program:
    return ttstack.compile(model, (x,), **options)  # pyright: ignore[reportArgumentType]


def names(program: ttstack.Program) -> list[str]:
    return [op.name for op in program.cost().ops]


@pytest.mark.parametrize(
    ("build", "shape", "gone"),
    [*((*case, "broadcast") for case in FASTER.values()), *((*case, "layer_norm") for case in NORMS.values())],
    ids=[*FASTER, *NORMS],
)
def test_means_and_norms_of_groups_are_matmuls(build: Callable[[], nn.Module], shape: tuple[int, ...], gone: str):
    torch.manual_seed(0)
    model, x = build().eval(), torch.randn(shape)
    changed, plain = compiled(model, x, dtype="bf16"), compiled(model, x, dtype="bf16", without=NAME)
    assert gone in names(plain)
    assert gone not in names(changed)
    assert changed.cost().total_ns < plain.cost().total_ns
    (found,) = changed.run({name: x.numpy() for name in changed.inputs()}).outputs.values()
    with torch.no_grad():
        torch.testing.assert_close(torch.from_numpy(found), model(x), rtol=1e-4, atol=1e-4)


def test_means_in_float32_stay():
    """The multiplier would truncate them."""
    assert "broadcast" in names(compiled(Means(2).eval(), torch.randn(1, 64)))


def test_means_of_rows_that_are_not_given_back_to_columns_stay():
    class Fewer(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            """[1, 64] to [1, 32]."""
            return x.reshape(1, 32, 2).mean(-1)

    assert "matmul" not in names(compiled(Fewer().eval(), torch.randn(1, 64), dtype="bf16"))

"""Rows of each image are pooled where they are: the same values, in less time."""

import pytest
import torch
from torch import nn

import ttstack


class Pooled(nn.Module):
    """Pixels of images in one dimension, as convolutions leave them, and their sum or mean for each image."""

    def __init__(self, images: int, kind: str) -> None:
        super().__init__()
        self.images = images
        self.kind = kind

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[1, 1, pixels of all images, channels] to [images, channels]."""
        each = torch.sin(x).reshape(self.images, -1, x.shape[-1])
        return each.mean(1) if self.kind == "mean" else each.sum(1)


def compiled(model: nn.Module, x: torch.Tensor, without: str | None = None) -> ttstack.Program:
    program = ttstack.compile(model.eval(), (x,), without=without)
    (found,) = program.run({name: x.numpy() for name in program.inputs()}).outputs.values()
    assert torch.allclose(torch.from_numpy(found), model(x), rtol=1e-5, atol=1e-5)
    return program


@pytest.mark.parametrize("kind", ["mean", "sum"])
def test_ragged_images_are_pooled_where_they_are(kind: str):
    model, x = Pooled(16, kind), torch.randn(1, 1, 16 * 49, 512)
    pooled, apart = (compiled(model, x, left).cost() for left in (None, "reduce-rows-by-pooling"))
    assert [op.name for op in pooled.ops] == ["sin", "avg_pool2d"] + ["multiply"] * (kind == "sum")
    assert kind in [op.name for op in apart.ops]
    assert pooled.total_ns < apart.total_ns


@pytest.mark.parametrize(("images", "pixels"), [(4, 64), (1, 49)], ids=["images of whole tiles", "one image"])
def test_images_that_are_views_stay(images: int, pixels: int):
    program = compiled(Pooled(images, "mean"), torch.randn(1, 1, images * pixels, 512))
    assert "mean" in [op.name for op in program.cost().ops]


@pytest.mark.parametrize("shape", [(3,), (7, 5), (2, 3, 4)])
def test_a_sum_of_one_dimension_compiles(shape: tuple[int, ...]):
    class Flat(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.reshape(-1).sum() + x.reshape(-1).mean()

    compiled(Flat(), torch.randn(*shape))

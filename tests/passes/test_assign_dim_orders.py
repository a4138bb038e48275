"""Orders of dimensions are chosen for all values that hang together: fewer moves, the same values."""

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

import ttstack
from ttstack.report.model import OpReport

_MOVES = {"permute", "transpose", "reshape"}


class HeadsLast(nn.Module):
    """Attention in blocks of rows whose heads become the last part of columns, as NesT has them."""

    def __init__(self, blocks: int, heads: int, width: int) -> None:
        super().__init__()
        self.sizes = blocks, heads, width
        self.qkv, self.proj = nn.Linear(heads * width, 3 * heads * width), nn.Linear(heads * width, heads * width)

    def forward(self, x: Tensor) -> Tensor:
        """[1, blocks, rows, columns]."""
        blocks, heads, width = self.sizes
        q, k, v = self.qkv(x).reshape(1, blocks, -1, 3, heads, width).permute(3, 0, 4, 1, 2, 5).unbind(0)
        return self.proj(scaled_dot_product_attention(q, k, v).permute(0, 2, 3, 4, 1).reshape(x.shape))


class Branches(nn.Module):
    """Channels that are split, convolved and joined between norms of each pixel, as InceptionNeXt has them."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm, self.out = nn.LayerNorm(channels), nn.Linear(channels, channels)
        self.conv = nn.Conv2d(channels // 2, channels // 2, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        """[batch, height, width, channels]."""
        kept, convolved = self.norm(x).permute(0, 3, 1, 2).chunk(2, 1)
        return self.out(torch.cat([kept.sigmoid(), self.conv(convolved)], 1).permute(0, 2, 3, 1))


class Factors(nn.Module):
    """Products of narrow heads, each with rows of its own, that are joined in the end: CoaT's convolutional positions."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """[1, rows, columns]."""
        heads = x.reshape(1, -1, 8, x.shape[-1] // 8).transpose(1, 2)
        return (heads.exp() * y.reshape(1, -1, 8, x.shape[-1] // 8).transpose(1, 2)).transpose(1, 2).reshape(x.shape)


def _times(model: nn.Module, *inputs: Tensor) -> list[tuple[float, float, list[str]]]:
    """Predicted time, that of moves, and ops: with the rewrite and without; both compute what PyTorch does."""
    model, found = model.eval(), list[tuple[float, float, list[str]]]()
    for without in ((), ("assign-dim-orders",)):
        program = ttstack.compile(model, inputs, dtype="f32", without=without)
        (result,) = program.run(dict(zip(program.inputs(), [v.numpy() for v in inputs], strict=True))).outputs.values()
        torch.testing.assert_close(torch.from_numpy(result), model(*inputs).detach(), rtol=1e-3, atol=1e-4)
        ops = program.cost().ops
        found.append((sum(op.elapsed_ns for op in ops), _moving(ops), [op.name for op in ops]))
    return found


def _moving(ops: Sequence[OpReport]) -> float:
    return sum(op.elapsed_ns for op in ops if op.name in _MOVES)


CASES: dict[str, tuple[nn.Module, tuple[tuple[int, ...], ...]]] = {
    "columns of known weights": (HeadsLast(4, 3, 32), ((1, 4, 196, 96),)),
    "parts of channels": (Branches(64), ((1, 28, 28, 64),)),
    "narrow heads": (Factors(), ((1, 784, 64), (1, 784, 64))),
}


@pytest.mark.parametrize("name", CASES)
def test_moves_go(name: str):
    model, shapes = CASES[name]
    torch.manual_seed(0)
    (ns, moving, ops), (before, moved, _) = _times(model, *(torch.randn(shape) for shape in shapes))
    assert ns < before
    assert moving < moved
    assert "permute" not in ops


class OwnShapes(nn.Module):
    """Results in their own shapes of what is permuted, which are not matrices of fewer dimensions in tiles."""

    def __init__(self, split: tuple[int, ...], order: tuple[int, ...]) -> None:
        super().__init__()
        self.split, self.order = split, order

    def forward(self, x: Tensor) -> Tensor:
        """Move, and multiply by a sigmoid."""
        moved = x.reshape(self.split).permute(self.order)
        return moved.sigmoid() * moved


@pytest.mark.parametrize(
    ("split", "order"),
    [((4, 8, 2, 31, 16), (4, 1, 2, 3, 0)), ((8, 1, 77), (2, 1, 0))],
    ids=["a split dimension", "a unit dimension"],
)
def test_permutations_keep_the_shapes_that_results_have(split: tuple[int, ...], order: tuple[int, ...]):
    (ns, *_), (before, *_) = _times(OwnShapes(split, order), torch.randn(split))
    assert ns <= before


class Softened(nn.Module):
    """Ops that hand on values in near memory, which two results in other orders of dimensions are made of."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """[batch, rows, columns]."""
        soft = (x.sigmoid() * 2).softmax(2)
        moved = soft.permute(1, 2, 0)
        return soft.sigmoid(), moved - moved.amax(2, keepdim=True)


class SharedMove(nn.Module):
    """A reshape that is a part of another result's moves, and made for it anyway."""

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """[batch, rows, columns]."""
        flat = x.reshape(x.shape[0], -1)
        return flat.permute(1, 0).contiguous(), flat * flat


@pytest.mark.parametrize(("model", "shape"), [(Softened(), (4, 128, 77)), (SharedMove(), (8, 49, 64))])
def test_what_pays_alone_and_not_placed_is_declined(model: nn.Module, shape: tuple[int, ...]):
    ns = list[float]()
    for without in ((), ("assign-dim-orders",)):
        program = ttstack.compile(model, [shape], dtype="bf16", without=without)
        ns.append(sum(op.elapsed_ns for op in program.cost().ops))
    assert ns[0] <= ns[1]


class Summed(nn.Module):
    """A running sum along rows, which says nothing of other orders, of moved images."""

    def forward(self, x: Tensor) -> Tensor:
        """[1, 8, 64, 64]."""
        return x.permute(0, 2, 3, 1).cumsum(1).permute(0, 3, 1, 2).contiguous()


def test_moves_around_an_op_without_a_rule_stay():
    (ns, moving, _), (before, moved, _) = _times(Summed(), torch.randn(1, 8, 64, 64))
    assert (ns, moving) == (before, moved)
    assert moving > 0

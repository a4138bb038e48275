"""Functions of several values are taken of them in the order in which the result is read."""

from collections import Counter

import pytest
import torch
from torch import nn

import ttstack


class Scaled(nn.Module):
    """Rows times columns that came from rows, read as rows again."""

    def __init__(self, *, shared: bool = False, cast: bool = False) -> None:
        super().__init__()
        self.shared = shared
        self.cast = cast

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """[1, 64, 1024] each."""
        columns = torch.sin(x).transpose(1, 2)
        scaled = (columns.double().float() if self.cast else columns) * y.transpose(1, 2)
        rows = scaled.transpose(1, 2)
        return (torch.cos(rows), torch.cos(scaled)) if self.shared else (torch.cos(rows),)


def compiled(model: nn.Module, without: list[str] | None = None) -> ttstack.Program:
    given = torch.randn(1, 64, 1024), torch.randn(1, 64, 1024)
    program = ttstack.compile(model.eval(), given, without=without)
    names = dict(zip(program.inputs(), (x.numpy() for x in given), strict=True))
    for found, wanted in zip(program.run(names).outputs.values(), model(*given), strict=True):
        assert torch.allclose(torch.from_numpy(found), wanted, rtol=1e-5, atol=1e-5)
    return program


def ops(program: ttstack.Program) -> Counter[str]:
    return Counter(op.name for op in program.cost().ops)


@pytest.mark.parametrize("cast", [False, True], ids=["of one type", "beside a cast"])
def test_moves_that_undo_each_other_are_gone(cast: bool):
    program = compiled(Scaled(cast=cast))
    assert ops(program)["permute"] == 0
    without = ["canonicalize-movement", "assign-dim-orders"]
    assert program.cost().total_ns < compiled(Scaled(cast=cast), without).cost().total_ns


def test_what_others_read_is_moved_once():
    assert ops(compiled(Scaled(shared=True)))["permute"] <= 2


def test_what_others_have_so_is_taken_from_there():
    class Both(nn.Module):
        def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
            columns = torch.sin(x).transpose(1, 2)
            rows = (columns.softmax(1) * y.transpose(1, 2)).transpose(1, 2)
            return torch.cos(rows), columns.softmax(1).transpose(1, 2).exp()

    assert ops(compiled(Both()))["permute"] <= 2


def test_two_casts_keep_what_the_first_rounded():
    class Rounded(nn.Module):
        def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
            columns = torch.sin(x).bfloat16().transpose(1, 2).float()
            return (torch.cos((columns * y.transpose(1, 2)).transpose(1, 2)),)

    compiled(Rounded())

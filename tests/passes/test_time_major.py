"""Scans over steps that lie within tiles: the same values, in less time."""

import torch
from torch import nn

import ttstack


class Scan(nn.Module):
    """A state space as Mamba has it, whose steps are the rows of matrices."""

    def forward(self, keep: torch.Tensor, add: torch.Tensor) -> torch.Tensor:
        """(1, channels, steps, states) twice to (1, channels, steps)."""
        state, found = torch.zeros_like(keep[:, :, 0]), list[torch.Tensor]()
        for t in range(keep.shape[2]):
            state = keep[:, :, t] * state + add[:, :, t]
            found.append(state.sum(-1))
        return torch.stack(found, 2)


def test_steps_of_a_scan_are_whole_tiles_after_one_permutation():
    given = (torch.rand(1, 96, 6, 16), torch.rand(1, 96, 6, 16))
    wanted = Scan()(*given)
    first, within = (
        ttstack.compile(Scan(), given, without=left) for left in ((), ("time-major", "interleave-by-permute"))
    )
    for program in (first, within):
        values = dict(zip(program.inputs(), (t.numpy() for t in given), strict=True))
        (found,) = program.run(values).outputs.values()
        assert torch.allclose(torch.from_numpy(found), wanted, atol=1e-5)
    turned, cut = ([op.name for op in program.cost().ops].count("permute") for program in (first, within))
    assert turned == cut + 2
    assert first.cost().total_ns < within.cost().total_ns


class Selective(nn.Module):
    """The same, of steps and inputs for each channel, and of what all channels have in common."""

    def forward(self, step: torch.Tensor, x: torch.Tensor, decay: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        """(1, channels, steps) twice, (channels, states) and (1, steps, states) to (1, channels, steps)."""
        keep = torch.exp(-step[..., None] * decay[None, :, None])
        return Scan()(keep, step[..., None] * b[:, None] * x[..., None])


def test_elementwise_ops_make_their_results_with_steps_first():
    shapes = ((1, 256, 8), (1, 256, 8), (256, 16), (1, 8, 16))
    given = tuple(torch.rand(shape) for shape in shapes)
    wanted = Selective()(*given)
    first, within = (ttstack.compile(Selective(), given, without=left) for left in (None, "time-major"))
    for program in (first, within):
        (found,) = program.run(dict(zip(program.inputs(), (t.numpy() for t in given), strict=True))).outputs.values()
        assert torch.allclose(torch.from_numpy(found), wanted, atol=1e-5)
    made = [op.results[0].type.shape for op in first.cost().ops if op.name == "exp"]
    assert made == [(8, 1, 256, 16)]
    assert first.cost().total_ns < within.cost().total_ns


class Cast(nn.Module):
    """The same of steps and inputs in 16 bits, which are cast once they are columns."""

    def forward(self, step: torch.Tensor, x: torch.Tensor, decay: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        """(1, channels, steps) twice, (channels, states) and (1, steps, states) to (1, channels, steps)."""
        step, x = (t[:, :, None].transpose(2, 3).float() for t in (step, x))
        return Scan()(torch.exp(-step * decay[None, :, None]), step * b[:, None] * x)


def test_columns_of_each_step_are_rows_that_are_transposed():
    """All rows are taken out of tiles once, where each element of a column was a row for itself."""
    torch.manual_seed(0)
    step, x, decay, b = (torch.rand(shape) for shape in ((1, 2048, 8), (1, 2048, 8), (2048, 16), (1, 8, 16)))
    given = (step.bfloat16(), x.bfloat16(), decay, b)
    program = ttstack.compile(Cast(), given)
    arrays = dict(zip(program.inputs(), (t.float().numpy() for t in given), strict=True))
    (found,) = program.run(arrays).outputs.values()
    assert torch.allclose(torch.from_numpy(found), Cast()(*given), atol=1e-5)
    moved = [op.results[0].type.shape for op in program.cost().ops if op.name in ("reshape", "unsqueeze")]
    assert moved.count((8, 1, 1, 2048)) == 2
    assert not [shape for shape in moved if shape[:3] == (1, 2048, 1)]

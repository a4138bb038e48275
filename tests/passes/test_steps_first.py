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
    first, within = (ttstack.compile(Scan(), given, without=left) for left in (None, "steps-first"))
    for program in (first, within):
        values = dict(zip(program.inputs(), (t.numpy() for t in given), strict=True))
        (found,) = program.run(values).outputs.values()
        assert torch.allclose(torch.from_numpy(found), wanted, atol=1e-5)
    names = [[op.name for op in program.cost().ops] for program in (first, within)]
    assert [found.count("permute") for found in names] == [2, 0]
    assert first.cost().total_ns < within.cost().total_ns

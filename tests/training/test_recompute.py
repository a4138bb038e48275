"""Activations that are computed again: the same values, in fewer bytes, at the least predicted time."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

import ttstack
from ttstack.diagnostics import CapacityError
from ttstack.placement.recompute_program import Stretch, solve
from ttstack.report.step_memory import step_memory
from ttstack.system_desc.what_if import what_if


class _Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(F.gelu(self.up(self.norm(x))))


X = torch.randn(64, 64, generator=torch.Generator().manual_seed(1))


def _step(**options: Any) -> ttstack.Program:
    torch.manual_seed(0)
    model = nn.Sequential(*(_Block(64) for _ in range(4)))
    return ttstack.compile_step(
        model, (X,), loss=F.mse_loss, targets=X, optimizer=partial(torch.optim.SGD, lr=0.1), **options
    )


def _again(program: ttstack.Program) -> list[str]:
    return [op.name for op in program.cost().ops if op.location.startswith("recompute")]


def _activations(program: ttstack.Program) -> int:
    *_, everything = step_memory(program.function(), 1)
    return everything["activations"]


@pytest.mark.parametrize("micro_batches", [1, 2])
def test_what_runs_again_changes_no_value(micro_batches: int):
    kept, again = (_step(recompute=how, micro_batches=micro_batches) for how in ("none", "all"))
    given = np.stack([X.numpy()] * micro_batches) if micro_batches > 1 else X.numpy()
    batch = dict.fromkeys(kept.inputs(), given)
    first, second = kept.run(batch), again.run(batch)
    assert first.outputs == second.outputs
    for name, value in first.updated.items():
        np.testing.assert_array_equal(value, second.updated[name])
    assert _again(again)
    assert _activations(again) < 0.9 * _activations(kept)


def test_nothing_runs_again_where_all_fits():
    assert not _again(_step())


def test_what_does_not_fit_is_computed_again_in_little_time(tmp_path: Path):
    """On a device whose DRAM is a little too small for all activations."""
    whole, least = (_step(recompute=how, placement="dram") for how in ("none", "all"))
    device = whole.binary.system_desc
    base = device.target(spans_mesh=False).dram_base
    used = [program.cost().memory["dram"] for program in (whole, least)]
    peaks = [of.peak // of.banks for of in used]
    assert peaks[1] < peaks[0]
    small, _ = what_if(device, [f"dram.unreserved_end={base + (3 * peaks[0] + peaks[1]) // 4}B"])
    with pytest.raises(CapacityError):
        _step(recompute="none", placement="dram", system_desc=small)
    fitting = _step(placement="dram", system_desc=small)
    assert 0 < len(_again(fitting)) < len(_again(least))
    chosen, fewest = (program.function().recomputation for program in (fitting, least))
    assert chosen is not None
    assert chosen.bound_ns is not None
    assert fewest is not None
    assert 0 < chosen.bound_ns <= chosen.ns < fewest.ns
    assert fewest.bound_ns is None
    (*_, everything), said = step_memory(fitting.function(), 1), json.loads(fitting.cost().to_json())
    assert everything["recomputation"] == said["recomputation"] == chosen.as_dict()
    fitting.save(tmp_path / "step.ttb")
    assert ttstack.load(tmp_path / "step.ttb").function().recomputation == chosen


def test_the_fastest_choice_within_the_bytes():
    """The result that is dear to make again is kept, the other is not; the third is needed by nothing."""
    stretch = Stretch(
        makes={0: [10], 1: [11], 2: [12]},
        reads={0: [], 1: [10], 2: [11]},
        ns={1: 5_000.0, 2: 1_000.0},
        nbytes={10: 1 << 20, 11: 2 << 20, 12: 2 << 20},
        needed=frozenset([10, 11, 12]),
        base=1 << 20,
    )
    after = Stretch(makes={3: [13]}, reads={3: [12]}, ns={}, nbytes={13: 1 << 20}, needed=frozenset([13]), base=1 << 20)
    everything = solve([stretch, after], 8 << 20)
    assert everything is not None
    assert (everything.again, everything.bound) == (frozenset(), 0.0)
    tight = solve([stretch, after], 6 << 20)
    assert tight is not None
    assert tight.again == {2}
    assert tight.bound == pytest.approx(1_000.0)
    assert solve([stretch, after], 4 << 20) is None

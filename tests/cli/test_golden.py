"""`ttstack run --golden` and `--per-op`."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Command


def test_outputs_are_those_of_a_file(ttstack: Command, program: Path, tmp_path: Path) -> None:
    golden = tmp_path / "out.npz"
    assert ttstack("run", program, "--output", golden).code == 0
    result = ttstack("run", program, "--golden", golden)
    assert result.code == 0
    assert "all outputs agree (PCC of at least 0.99)" in result.out
    found = json.loads(ttstack("run", program, "--golden", golden, "--per-op", "--json").out)
    assert {d["largest"] for d in found["golden"].values()} == {0.0}
    assert {op["name"] for op in found["per_op"]}


def test_another_output_ends_with_1(ttstack: Command, program: Path, tmp_path: Path) -> None:
    golden = tmp_path / "out.npz"
    assert ttstack("run", program, "--output", golden).code == 0
    values = dict(np.load(golden))
    np.savez(golden, **{name: -array for name, array in values.items()})
    result = ttstack("run", program, "--golden", golden)
    assert result.code == 1
    assert "differs: " in result.out
    assert ttstack("run", program, "--golden", golden, "--min-pcc", -1).code == 0


def test_what_does_not_fit_is_named(ttstack: Command, program: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", other=np.zeros(3))
    result = ttstack("run", program, "--golden", tmp_path / "other.npz")
    assert result.code == 1
    assert "'other' is not an output of the program" in result.err
    assert "is missing" in result.err
    assert "there is no input file" in ttstack("run", program, "--golden", tmp_path / "none.npz").err


@pytest.mark.parametrize("options", [("--steps", "2"), ("--cost-only",)])
def test_one_run_is_compared(ttstack: Command, program: Path, options: tuple[str, ...]) -> None:
    result = ttstack("run", program, "--per-op", *options)
    assert result.code == 2
    assert "compares one run" in result.err

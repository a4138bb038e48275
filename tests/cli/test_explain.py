"""`ttstack explain`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from ttstack import load


def test_values_are_those_of_the_table(ttstack: Command, program: Path) -> None:
    chosen, *others = json.loads(ttstack("explain", program, 0, "--json").out)
    assert chosen["chosen"]
    assert chosen["more_ns"] == 0
    assert others
    assert not any(other["chosen"] for other in others)
    table = ttstack("explain", program, 0).out
    assert table.startswith(f"op 0: {load(program).function().operations[0].name} ")
    for row in (chosen, *others):
        assert str(round(row["ns"] / 1000, 2)) in table
        assert row["grid"] in table


def test_others_stay_as_they_are_or_are_placed_anew(ttstack: Command, program: Path) -> None:
    assert "all other ops stay as they are; --resolve places them anew" in ttstack("explain", program, 0).out
    (staying, anew) = (json.loads(ttstack("explain", program, 0, "--json", *o).out) for o in ((), ("--resolve",)))
    assert [a["anew_ns"] for a in staying] == [None] * len(staying)
    assert all(a["anew_ns"] <= a["more_ns"] + 1e-6 for a in anew)


@pytest.mark.parametrize(
    ("op", "what"),
    [
        ("999", "there is no op 999"),
        ("nowhere", "no op is at 'nowhere'"),
        ("*", "2 ops are at '*'"),
        ("2", "op 2 is a 'deallocate'"),
    ],
)
def test_ops_that_cannot_be_explained(ttstack: Command, program: Path, op: str, what: str) -> None:
    result = ttstack("explain", program, op)
    assert result.code == 1
    assert what in result.err

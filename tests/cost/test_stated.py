"""What a preset states of its errors: sources count, one source is not enough, and wrong rows are named."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ttstack.system_desc import load

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "benchmarks" / "calibration"
PRELUDE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from boards import board_names
from expressed import Expressed, Forecast
from judged import Judged
from outliers import outliers
from rows import Row
from stated import row_weights, stated_errors

def judged(kind, source, *shares, op="add", first=1, board="n150"):
    for number, longer in enumerate(shares, first):
        row = Row(number, source, op=op, file=source, board=board)
        yield Judged(Expressed(row, kind, 100.0 * (1 + longer), None), Forecast(100.0, 10.0, "dram", alike=(kind,)))

def spread(share, count):
    return [share * (2 * i / (count - 1) - 1) for i in range(count)]

wide = [*judged("wide", "a", *spread(0.3, 12)), *judged("wide", "b", *spread(0.3, 12))]
"""


def run(code: str) -> Any:
    command = [sys.executable, "-c", f"{PRELUDE}\nprint(json.dumps({code}))", str(SCRIPTS)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_rows_of_a_source_count_as_the_square_root_of_their_number() -> None:
    rows = '[*judged("wide", "sweep", *[0.1] * 49), *judged("wide", "trace", 0.2)]'
    weights = run(f"list(row_weights({rows}))")
    assert sum(weights[:49]) == pytest.approx(7)
    assert weights[49] == 1


def test_what_is_stated_is_a_share_of_the_predicted_time() -> None:
    """Predictions that are 50 times too long say that measured times are up to 98 % shorter, not 5,000 %."""
    rows = '[*judged("k", "a", *[-0.98] * 9), *judged("k", "b", *[-0.98] * 9)]'
    assert run(f'stated_errors({rows}, ())["k"].stated') == pytest.approx(0.98)


def test_a_sweep_does_not_outvote_other_sources() -> None:
    """49 rows within 1 % and 7 sources of one row that are off by 30 %: half of what counts, not an eighth."""
    sweep = '[*judged("k", "sweep", *spread(0.01, 49)), *(j for s in "abcdefg" for j in judged("k", s, 0.3))]'
    assert run(f'stated_errors({sweep}, ())["k"].stated') == pytest.approx(0.3)


def test_a_class_of_one_source_states_the_spread_of_those_with_several() -> None:
    lone = 'judged("lone", "c", *spread(0.01, 30))'
    alone, beside, others = run(
        f"[stated_errors(rows, ())[name].stated"
        f' for rows, name in (([*{lone}], "lone"), ([*{lone}, *wide], "lone"), (wide, "wide"))]'
    )
    assert alone < 0.02
    assert beside == pytest.approx(others, abs=1e-3)


def test_a_class_of_one_source_states_no_less_than_its_own_spread() -> None:
    lone = '[*judged("lone", "c", *spread(0.8, 30))]'
    assert run(f'stated_errors([*{lone}, *wide], ())["lone"].stated') > 0.5


def test_a_row_that_is_far_out_is_named_and_left_out_of_what_is_stated() -> None:
    rows = '[*wide, *judged("wide", "b", 25.0, op="wrong", first=99)]'
    assert run(f"[j.expressed.row.op for j in outliers({rows})]") == ["wrong"]
    with_it, without = run(f'[stated_errors({rows}, (), no)["wide"].rows for no in ((), {{("b", 99)}})]')
    assert (with_it, without) == (25, 24)


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param('[*wide, *judged("tight", "c", *spread(0.01, 20), 0.1)]', id="plausible elsewhere"),
        pytest.param('[*wide, *judged("wide", "b", 25.0, 26.0, 24.0, op="mispriced")]', id="an op's price is wrong"),
        pytest.param('[*wide, *judged("few", "c", 0.0, 0.0, 25.0)]', id="too few rows to tell"),
    ],
)
def test_a_row_is_not_an_outlier(rows: str) -> None:
    assert run(f"[j.expressed.row.op for j in outliers({rows})]") == []


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("n150/n300 1 chip (64 cores)", ["n150", "n300"]),
        ("T3K, one chip of TP=8", ["t3000"]),
        ("p150a (10x11 grid)", ["p150"]),
        ("8xp150", ["p150"]),
        ("p100a", ["p100a"]),
        ("WH", []),
    ],
)
def test_boards_are_those_that_rows_name(said: str, names: list[str]) -> None:
    assert run(f"sorted(board_names(Row(1, board={said!r})))") == names


def test_a_wrong_row_does_not_widen_what_adds_state() -> None:
    """One of eight rows is 9.08 ms for an add of 384x768x32, 26 times the predicted time: it was stated as +2,533 %."""
    found = load("wormhole").chips[0].source_errors
    adds = {name: said.high for name, said in found.items() if name.startswith("binary_elementwise")}
    assert adds
    assert max(adds.values()) < 2

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.models.repeated import PROGRAMS
from ttstack.api import load
from ttstack.report.csv import csv_text

Command = Callable[..., Any]


def test_json_is_the_report(ttstack: Command, program: Path) -> None:
    result = ttstack("perf", program, "--json")
    assert (result.code, result.err) == (0, "")
    assert json.loads(result.out) == load(program).cost().to_dict()


def test_files(ttstack: Command, program: Path, tmp_path: Path) -> None:
    result = ttstack("perf", program, "--csv", tmp_path / "a.csv", "--html", tmp_path / "a.html")
    assert result.code == 0
    report = load(program).cost()
    assert (tmp_path / "a.csv").read_text() == csv_text(report)
    load(program).to_html(tmp_path / "b.html")
    assert (tmp_path / "a.html").read_text() == (tmp_path / "b.html").read_text()


def test_sorted_by_time(ttstack: Command, program: Path) -> None:
    rows = ttstack("perf", program, "--sort", "time").out.splitlines()
    header = next(i for i, row in enumerate(rows) if row.startswith("#"))
    longest = max(load(program).cost().ops, key=lambda op: op.elapsed_ns)
    assert rows[header + 1].split()[1] == longest.name


def test_top(ttstack: Command, program: Path) -> None:
    left = len(load(program).cost().ops) - 1
    assert f"and {left} more" in ttstack("perf", program, "--top", 1).out


def test_width_follows_the_terminal(ttstack: Command, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    narrow = ttstack("perf", program).out
    monkeypatch.setenv("COLUMNS", "200")
    wide = ttstack("perf", program).out
    assert max(map(len, narrow.splitlines())) <= 80 < max(map(len, wide.splitlines()))


def test_a_file_that_cannot_be_written(ttstack: Command, program: Path, tmp_path: Path) -> None:
    result = ttstack("perf", program, "--csv", tmp_path / "none/a.csv")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("error[TT0801]: ")


def test_ops_are_added_up(ttstack: Command, program: Path) -> None:
    found = json.loads(ttstack("perf", program, "--group-by", "class", "--json").out)
    assert {tuple(g["path"]): g["share"] for g in found["groups"]} == pytest.approx(
        {(name,): share for name, share in found["shares"].items()}
    )
    bounds = json.loads(ttstack("perf", program, "--group-by", "bound", "--json").out)
    for group in bounds["groups"]:
        of = [op["elapsed_ns"] for op in bounds["ops"] if [op["bound"]] == group["path"]]
        assert (group["ops"], group["elapsed_ns"]) == (len(of), pytest.approx(sum(of)))
    assert ttstack("perf", program, "--group-by", "module").out.splitlines()[1].split()[:2] == ["module", "ops"]
    assert ttstack("perf", program, "--group-by", "colour").code == 2


def test_a_page_opens_with_these_groups(ttstack: Command, program: Path, tmp_path: Path) -> None:
    ttstack("perf", program, "--html", tmp_path / "page.html", "--group-by", "op")
    assert 'aria-checked="true" data-by="op"' in (tmp_path / "page.html").read_text()


def test_samples_and_tokens_a_second(ttstack: Command, program: Path, tmp_path: Path) -> None:
    asked = ("perf", program, "--samples", 4, "--tokens", 256)
    rates = json.loads(ttstack(*asked, "--json").out)["rates"]
    assert [(r["what"], r["per_pass"]) for r in rates] == [("samples", 4), ("tokens", 256)]
    assert ttstack(*asked, "--html", tmp_path / "page.html").code == 0
    assert "256 per pass" in (tmp_path / "page.html").read_text()
    refused = ttstack(*asked, "--what-if", "clock=1.2GHz")
    assert (refused.code, refused.out) == (2, "")
    assert "leave out --what-if" in refused.err


@pytest.fixture(scope="module")
def recurrence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recurrence") / "lstm.ttb"
    PROGRAMS["lstm"]().save(path)
    return path


def numbers(text: str) -> list[int]:
    """Those of the rows of ops."""
    return [int(line.split()[0]) for line in text.splitlines() if re.match(r" *\d+  +[a-z_]+ +layer ", line)]


@pytest.mark.parametrize("words", [("perf",), ("run", "--perf")])
def test_a_step_that_repeats_is_printed_once_or_each_time(
    ttstack: Command, recurrence: Path, words: tuple[str, ...]
) -> None:
    count = len(load(recurrence).cost().ops)
    once = ttstack(words[0], recurrence, *words[1:], "--all")
    every = ttstack(words[0], recurrence, *words[1:], "--every-op")
    assert (once.code, every.code) == (0, 0)
    assert "a step that is called 6 times" in once.out
    assert numbers(every.out) == list(range(count))
    assert len(numbers(once.out)) < count // 2
    assert json.loads(ttstack("perf", recurrence, "--json").out)["ops"][-1]["index"] == count - 1


def test_inspect_prints_the_first_call_or_all(ttstack: Command, recurrence: Path) -> None:
    count = len(load(recurrence).function().operations)
    once, every = (ttstack("inspect", recurrence, "--section", "ops", *more).out for more in ([], ["--every-op"]))
    assert once.splitlines()[0].split()[:3] == ["#", "times", "op"]
    assert every.splitlines()[0].split()[:2] == ["#", "op"]
    assert once.count(" linear ") < every.count(" linear ")
    rows = json.loads(ttstack("inspect", recurrence, "--section", "ops", "--json").out)
    assert len(rows) == count
    assert "times" not in rows[0]

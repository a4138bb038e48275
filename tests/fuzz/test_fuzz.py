"""A small campaign of mutants, and that a campaign sees what it is to see."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")

from benchmarks.fuzz import tallies
from benchmarks.fuzz.campaign import Campaign, stored
from benchmarks.fuzz.case import CANARY, Mutator, Promise
from benchmarks.fuzz.kinds import KINDS
from benchmarks.fuzz.worker import drawn, seeds, written
from ttstack.diagnostics import InputError

pytestmark = pytest.mark.usefixtures("as_users_read")

SEED = 1


@pytest.mark.parametrize("kind", KINDS)
def test_no_mutant_is_a_finding(kind: str, tmp_path: Path):
    count = max(4, KINDS[kind].weight)
    outcomes = list(Campaign(tmp_path, SEED, (kind,)).run(range(count)))
    assert [o for o in outcomes if o.result == "finding"] == []
    assert sorted(o.number for o in outcomes) == list(range(count))


@pytest.mark.parametrize("kind", KINDS)
def test_seeds_are_read(kind: str, tmp_path: Path):
    for files in seeds(kind)[:2]:
        KINDS[kind].read(written(files, tmp_path / "case"))


def _runs_code(path: Path) -> str:
    os.mkdir(path.parent.parent / CANARY)  # noqa: PTH102
    return ""


def _reads_others(_: Path) -> str:
    return Path("/etc/hostname").read_text()


def _starts_a_process(_: Path) -> str:
    os.system("true")
    return ""


def _executes(_: Path) -> str:
    exec(f"x = '{CANARY}'")
    return ""


def _refuses(_: Path) -> str:
    raise InputError("no")


def _another(path: Path) -> str:
    return path.read_text("latin-1")


def _fails(_: Path) -> str:
    raise KeyError("raw")


def _dies(_: Path) -> str:
    os._exit(3)


def _takes_memory(_: Path) -> str:
    return str(len(bytearray(5 << 30)))


FAULTS: list[tuple[Callable[[Path], str], Promise, str]] = [
    (_runs_code, Promise.ANY, "planted code ran"),
    (_reads_others, Promise.ANY, "open /etc/hostname"),
    (_starts_a_process, Promise.ANY, "os.system"),
    (_executes, Promise.ANY, "planted code was executed"),
    (_refuses, Promise.EQUAL, "refused, although nothing was changed that matters"),
    (_another, Promise.SEALED, "accepted, and not the seed"),
    (_another, Promise.EQUAL, "accepted, and not the seed"),
    (_another, Promise.REFUSED, "accepted, and must be refused"),
    (_fails, Promise.ANY, "KeyError: \"'raw'\""),
    (_dies, Promise.ANY, "the process died: 3"),
    (_takes_memory, Promise.ANY, "MemoryError"),
]


@pytest.mark.parametrize(("read", "promise", "why"), FAULTS)
def test_what_a_campaign_finds(
    read: Callable[[Path], str], promise: Promise, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    mutator = Mutator("more", lambda _, files: {name: content + b"x" for name, content in files.items()}, promise)
    monkeypatch.setitem(KINDS, "npz", replace(KINDS["npz"], read=read, mutators=[mutator], check=None))
    (found,) = Campaign(tmp_path / "build", SEED, ("npz",)).run([0])
    assert found.result == "finding"
    assert why in found.detail


def test_the_same_number_is_the_same_input():
    again = [drawn(SEED, number, ("npz", "overrides")).files for number in range(20)]
    assert again == [drawn(SEED, number, ("npz", "overrides")).files for number in range(20)]


def test_a_campaign_goes_on_where_it_was_stopped(tmp_path: Path):
    outcomes = list(Campaign(tmp_path, SEED, ("npz",)).run(range(5)))
    (tmp_path / "outcomes").write_text("".join(json.dumps(o.as_dict()) + "\n" for o in outcomes))
    assert stored(tmp_path / "outcomes") == {o.number: o for o in outcomes}
    assert "5 mutated inputs, seed 1" in tallies.text(outcomes, SEED)

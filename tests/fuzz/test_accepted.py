"""The store of models that were accepted once, and what a check of it finds."""

from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("torch")

from benchmarks.fuzz.accepted import STORED, findings, judge, models, read, write
from benchmarks.replay.cases import Case

EXP = """
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "ttir.OP"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])


def test_stored_models_are_accepted_still():
    """A few of each kind; `python -m benchmarks.fuzz.accepted` takes all."""
    stored, known = read(), models()
    few = [name for kind in ("drawn any", "drawn graph", "examples/", "tests/") for name in _begin(stored, kind)[:2]]
    assert len(few) == 8
    assert [*findings(stored, judge(known, few))] == []


def _begin(stored: dict[str, str], kind: str) -> list[str]:
    return [name for name in stored if name.startswith(kind)]


def test_a_refused_model_another_model_and_a_lost_one_are_findings(tmp_path: Path):
    path = "examples/dlrm.mlir"
    known = {path: Case(path, partial(str, EXP.replace("OP", "no_such_op")))}
    (refused,) = findings({path: "0"}, judge(known, [path]))
    assert refused.startswith(f"{path}: accepted before, refused now: UnsupportedOpError")
    (changed,) = findings({path: "0"}, judge({path: Case(path, partial(str, EXP.replace("OP", "exp")))}, [path]))
    assert changed == f"{path}: it is another model: run with --add"
    assert [*findings({"old.mlir": "0"}, judge({}, ["old.mlir"]))] == ["old.mlir: it is gone"]
    write({"b": "2", "a b": "1"}, tmp_path / "stored")
    assert read(tmp_path / "stored") == {"a b": "1", "b": "2"}


def test_the_store_has_models_of_every_kind():
    assert STORED.is_file()
    stored = read()
    assert {name.split(" ")[0].split("/")[0].split(".")[0] for name in stored} >= {"drawn", "examples", "tests"}
    assert all(len(digest) == 16 for digest in stored.values())

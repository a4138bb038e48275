"""What the real library makes of programs: each runs to its end on the mock device of its board."""

import os
from pathlib import Path

import pytest

import ttstack
from tests.docs.pages import ROOT
from tests.library import stored
from ttstack.api import Program
from ttstack.library.run import VARIABLE, check

pytestmark = pytest.mark.library

PROGRAMS = {
    "encoder_layer": lambda: ttstack.compile(ROOT / "examples/encoder_layer.mlir"),
    "mlp": lambda: ttstack.compile(ROOT / "docs/mlp.mlir"),
    **{
        name: lambda name=name: ttstack.compile(ROOT / "tests/filecheck/passes/fold_maps.mlir", function=name)
        for name in ("products", "broadcasts", "ops_of_their_own", "masks")
    },
    **{
        name: lambda name=name: ttstack.compile(f"examples.zoo.{name}:small", dtype="bf16")
        for name in ("bert", "convnext", "dcn_v2", "efficientnet", "gpt2", "resnet", "unet", "vit")
    },
}


@pytest.fixture(scope="module")
def interpreter() -> Path:
    """That of an environment with ttnn; without one nothing here is tested."""
    path = Path(os.environ.get(VARIABLE, ""))
    if not path.is_file():
        pytest.skip(f"no ttnn: {VARIABLE} names no interpreter; `ttstack check --setup DIR` makes one where it can")
    return path


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_run_to_their_end(name: str, interpreter: Path):
    program: Program = PROGRAMS[name]()
    found = check(program.binary, program.function(), name, interpreter)
    assert [f"{v.number} {v.name}: {v.refusal}" for v in found.refused] == []
    assert [f"{v.number} {v.name}: {v.result}" for v in found.verdicts if v.result] == []
    assert found.refusal == ""
    assert len(found.verdicts) == len(program.cost().ops)


@pytest.mark.parametrize("name", stored.PROGRAMS)
def test_verdicts_are_those_that_are_stored(name: str, interpreter: Path, request: pytest.FixtureRequest):
    emission = stored.emission(name)
    judged = check(emission.binary, emission.function, name, interpreter)
    verdicts = list(stored.of_judgement(emission, judged))
    if request.config.getoption("--update-golden"):
        stored.store(name, verdicts)
    known = stored.stored()
    assert [verdict.line() for verdict in verdicts if known.get(verdict.call) != verdict] == []
    assert judged.refusal == ""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ttstack.cli.exit_codes import run

MODEL = """
func.func @forward(%x: tensor<64x128xf32> {ttir.name = "x"}, %y: tensor<64x128xf32> {ttir.name = "y"})
    -> tensor<64x128xf32> {
  %0 = "ttir.multiply"(%x, %y) : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  %1 = "ttir.softmax"(%0) <{dimension = 1 : si32}> : (tensor<64x128xf32>) -> tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}
"""


@dataclass(frozen=True)
class Result:
    """What a command line gave."""

    code: int
    out: str
    err: str


Command = Callable[..., Result]


@pytest.fixture(autouse=True)
def _as_users_read(as_users_read: None) -> None:
    """Commands are tested as they are."""


@pytest.fixture(autouse=True)
def _as_wide_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody says how wide the output is: those that run tests side by side do."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def ttstack(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command line in this process."""

    def call(*arguments: object) -> Result:
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "small.mlir"
    path.write_text(MODEL)
    return path


@pytest.fixture(scope="session")
def program(model: Path) -> Path:
    path = model.with_suffix(".ttb")
    assert run(["compile", str(model), "-o", str(path), "--keep-ir"]) == 0
    return path

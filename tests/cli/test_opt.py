import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]


def test_prints_what_the_passes_leave(ttstack: Command, model: Path) -> None:
    result = ttstack("opt", model, "-p", "attach-system-desc{system-desc=wormhole},simplify,lower")
    assert (result.code, result.err) == (0, "")
    assert '"ttnn.softmax"' in result.out
    assert "tt.address" in result.out


def test_without_passes_it_prints_the_module(ttstack: Command, model: Path) -> None:
    assert '"ttir.softmax"' in ttstack("opt", model).out


def test_reads_stdin(ttstack: Command, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(model.read_text()))
    assert '"ttir.softmax"' in ttstack("opt", "-", "-p", "canonicalize").out


def test_device_output_dumps_and_timings(ttstack: Command, model: Path, tmp_path: Path) -> None:
    target, dumps = tmp_path / "out.mlir", tmp_path / "ir"
    options = ("--system-desc", "wormhole", "-o", target, "--dump-ir", dumps, "--timings", "--locations")
    result = ttstack("opt", model, "-p", "lower", *options)
    assert (result.code, result.out) == (0, "")
    assert "loc(" in target.read_text()
    first, *others = [line.split()[-1] for line in result.err.splitlines()]
    assert first == "attach-system-desc{system-desc=wormhole}"
    assert "dispatch" in others
    assert (dumps / "00-input.mlir").exists()


def test_list(ttstack: Command) -> None:
    result = ttstack("opt", "--list")
    assert (result.code, result.err) == (0, "")
    for name in ("assign-addresses", "place", "placement=greedy", "ttir-to-ttnn", "canonicalize"):
        assert name in result.out


@pytest.mark.parametrize(
    ("pipeline", "said"),
    [
        ("simplfy", "did you mean 'simplify'?"),
        ("place{placement=best}", "bad options for 'place'"),
        ("fold-constants{limit=3}", "limit: no such option"),
        ("fold-constants{limit=3}", "its options: max-bytes"),
        ("ttir-to-ttnn{placemen=dram}", "placemen: no such option"),
        ("canonicalize{max-iterations=many}", "bad options for MLIR's 'canonicalize'"),
    ],
)
def test_pipelines_that_are_none(ttstack: Command, model: Path, pipeline: str, said: str) -> None:
    result = ttstack("opt", model, "-p", pipeline)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("error[TT0301]: ")
    assert said in result.err


def test_locations_name_the_file(ttstack: Command, model: Path) -> None:
    out = ttstack("opt", model, "--locations").out
    assert f'loc("{model}":2:' in out
    assert '"-"' not in out

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ttstack.cli.exit_codes import run

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
    assert (dumps / "000-input.mlir").exists()


def test_without_a_file_there_is_nothing_to_run_passes_on(ttstack: Command) -> None:
    result = ttstack("opt", "-p", "simplify")
    assert result.code != 0
    assert "missing argument 'FILE'" in result.err


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


def test_the_module_after_a_pass_of_a_name(ttstack: Command, model: Path) -> None:
    done = ttstack(
        "opt", model, "-p", "simplify,dispatch", "--system-desc", "wormhole", "--print-after", "fuse,dispatch"
    )
    printed = done.err.split("// -----// IR Dump After ")[1:]
    assert [text.partition(" ")[0] for text in printed] == ["fuse", "dispatch"]
    assert "ttir.generic" not in printed[0]
    assert "ttir.generic" in printed[1]
    assert "tt.system_desc = @n150_" in printed[0]
    assert max(map(len, printed[0].splitlines())) < 500
    wrong = ttstack("opt", model, "-p", "fuse", "--print-after", "fusse")
    assert (wrong.code, "did you mean 'fuse'?" in wrong.err) == (1, True)


def test_mlir_prints_and_times_all_passes_itself(model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code = run(["opt", str(model), "-p", "decompose,canonicalize", "--mlir-timing"])
    out, err = capfd.readouterr()
    assert code == 0
    report = err[err.index("Execution time report") :]
    assert "decompose" in report
    assert "CanonicalizerPass" in report
    assert run(["opt", str(model), "-p", "decompose,canonicalize"]) == 0
    assert out == capfd.readouterr().out


def test_what_a_pass_raises_comes_through_the_manager(ttstack: Command, model: Path) -> None:
    for way in ([], ["--mlir-timing"]):
        done = ttstack("opt", model, "-p", "place", *way)
        assert done.code == 1
        assert "the module has no device description" in done.err
    assert "cannot be combined with --dump-ir" in ttstack("opt", model, "-p", "cse", "--mlir-timing", "--timings").err


def test_loops_are_asked_for_where_there_are_none(ttstack: Command, model: Path) -> None:
    result = ttstack("opt", model, "-p", "loops-to-llvm")
    assert result.code == 1
    assert "ttir-to-llvm, which runs all passes" in result.err


def test_a_device_that_patterns_alone_ask_for_is_not_printed(ttstack: Command, model: Path, tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text(
        "from ttstack.patterns import pattern, ttir, views\n\n\n@pattern(if_faster=True)\n"
        "def slower(op: views.Multiply):\n    return ttir.exp(ttir.multiply(op.lhs, op.rhs))\n"
    )
    result = ttstack("opt", model, "--system-desc", "wormhole", "--patterns", tmp_path / "p.py")
    assert result.code == 0, result.err
    assert "system_desc" not in result.out
    assert "ttir.multiply" in result.out
    assert "ttir.exp" not in result.out

"""Options that tell what the compiler did: rewrites, values, pages; modules that run; bisection."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Command

WRONG = """from ttstack.patterns import pattern, ttir, views

@pattern
def wrong(op: views.Softmax):
    return ttir.relu(op.input)
"""


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    (tmp_path / "wrong.py").write_text(WRONG)
    return tmp_path / "wrong.py"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "a.ttb"


def test_a_rewrite_is_explained(ttstack: Command, model: Path, target: Path, wrong: Path) -> None:
    done = ttstack("compile", model, "-o", target, "--patterns", wrong, "--explain-rewrites", "wrong")
    assert "apply-patterns: wrong: matched 1, applied 1, declined 0, did not match 0" in done.err
    assert "#1 ttir.softmax at " in done.err
    done = ttstack("compile", model, "-o", target, "--explain-rewrites", "fuse-rotary")
    assert "'fuse-rotary' was tried on no op" in done.err or "did not match" in done.err


def test_conditions_that_fail_are_printed(ttstack: Command, model: Path, target: Path, tmp_path: Path) -> None:
    never = tmp_path / "never.py"
    never.write_text(
        WRONG.replace("    return", "    if op.dimension == 7:\n        return None\n    return None\n    return")
    )
    done = ttstack("compile", model, "-o", target, "--patterns", never, "--explain-rewrites", "wrong")
    assert "did not match, never.py:5: if op.dimension == 7: 1" in done.err


def test_rewrites_stop(ttstack: Command, model: Path, target: Path, wrong: Path) -> None:
    done = ttstack("compile", model, "-o", target, "--patterns", wrong, "--stop-after", "0")
    assert "rewrites applied" in done.err
    rewrites = ttstack("compile", model, "-o", target, "--stop-after", "0", "--explain-rewrites", "all", "--json")
    assert json.loads(rewrites.out)["rewrites"]


def test_values_are_checked(ttstack: Command, model: Path, target: Path, wrong: Path) -> None:
    assert ttstack("compile", model, "-o", target, "--check-values").code == 0
    done = ttstack("compile", model, "-o", target, "--patterns", wrong, "--check-values")
    assert (done.code, "TT0305" in done.err) == (1, True)
    done = ttstack("compile", model, "-o", target, "--check-values", "--check-numerics", "device")
    assert "PCC" in done.err
    assert "give exact or device" in ttstack("compile", model, "--check-values", "--check-numerics", "x").err


def test_the_page_of_a_compilation(ttstack: Command, model: Path, target: Path, tmp_path: Path) -> None:
    done = ttstack("compile", model, "-o", target, "--report-html", tmp_path / "page")
    assert done.code == 0
    assert str(tmp_path / "page/index.html") in done.out
    assert "Passes that changed the module" in (tmp_path / "page/index.html").read_text()
    assert (tmp_path / "page/ir/index.md").exists()


def test_the_wrong_rewrite_is_found(ttstack: Command, model: Path, tmp_path: Path, wrong: Path) -> None:
    small = tmp_path / "small.mlir"
    assert ttstack("bisect", model, "-o", small).out == "no pass changes values\n"
    done = ttstack("bisect", model, "-o", small, "--patterns", wrong)
    assert done.code == 1
    assert "application 1 of " in done.out
    assert small.read_text().count("ttir.") == 1
    command = done.out.partition("it fails alike: ")[2].split("'")
    assert ttstack("opt", small, "-p", command[1], "--check-values", "-o", tmp_path / "out.mlir").code == 1


def test_nothing_is_slower(ttstack: Command, model: Path, target: Path) -> None:
    ttstack("compile", model, "-o", target)
    done = ttstack("bisect", model, "--against", target)
    assert (done.code, "not slower by 1 %" in done.out) == (0, True)


def test_every_level_runs(ttstack: Command, model: Path, target: Path, tmp_path: Path) -> None:
    ttstack("compile", model, "-o", target, "--dump-ir", tmp_path / "ir")
    golden = tmp_path / "golden.npz"
    first, *others = sorted((tmp_path / "ir").glob("*.mlir"))
    assert ttstack("run", first, "--output", golden).code == 0
    assert len(np.load(golden).files) == 1
    for text in others:
        done = ttstack("run", text, "--golden", golden, "--min-pcc", "0.99999")
        assert done.code == 0, (text, done.out, done.err)
    assert "needs tensors with layouts" in ttstack("run", first, "--numerics", "device").err
    assert ttstack("run", others[-1], "--numerics", "device").code == 0
    assert "a module has values only" in ttstack("run", first, "--perf").err
    assert "is compared with values in a file" in ttstack("run", first, "--golden", "model.onnx").err


def test_only_some_ops_are_printed(ttstack: Command, model: Path, target: Path, tmp_path: Path) -> None:
    printed = ttstack("compile", model, "-o", target, "--print-after", "place", "--print-only", "softmax").err
    assert printed.count("ttir.generic") == 1
    ttstack("compile", model, "-o", target, "--dump-ir", tmp_path, "--dump-ir-diff")
    (diff,) = tmp_path.glob("*-place.diff")
    assert diff.read_text().startswith("--- before\n+++ ")

"""The worked examples: applied to a copy of the sources, their ops have every facet and run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT, blocks

MODEL = """\
func.func @forward(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = "ttir.hardshrink"(%x) {threshold = 1.0 : f32} : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}
"""
USE = """\
import re
from pathlib import Path
import numpy as np
import ttstack
from tests.forms.reduction import FORMS
program = ttstack.compile("hardshrink.mlir")
program.save("hardshrink.ttb")
x = np.linspace(-2, 2, 1024, dtype=np.float32).reshape(32, 32)
(y,) = ttstack.load("hardshrink.ttb").run({"x" if "x" in program.inputs() else "arg0": x}).outputs.values()
assert (y == np.where(abs(x) > 1, x, 0)).all()
assert [op.name for op in program.cost().ops] == ["hardshrink"]

form = next(form for form in FORMS if form.op == "extremes")
Path("extremes.mlir").write_text(form.function("f"))
program = ttstack.compile("extremes.mlir")
results = program.run(dict(zip(program.inputs(), form.arrays(), strict=True))).outputs.values()
for got, want in zip(results, form.expected(), strict=True):
    np.testing.assert_array_equal(got, want)
assert re.findall(r"ttnn\\.(min|max)\\(", program.to_python()) == ["min", "max"]
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources with the examples of the page in them."""
    target = tmp_path_factory.mktemp("checkout")
    for folder in ("ttstack", "runtime", "tests/ops", "tests/forms", "tests/ttnn_python"):
        shutil.copytree(ROOT / folder, target / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in (
        "pyproject.toml",
        *(f"tests/{name}.py" for name in ("__init__", "conftest", "every", "processor_time")),
    ):
        shutil.copy(ROOT / file, target / file)
    for block in (b for b in blocks(DOCS / "adding-an-op.md", "python") if b.file):
        _apply(target / str(block.file), block.text, block.after)
    (target / "hardshrink.mlir").write_text(MODEL)
    return target


def _apply(path: Path, text: str, after: str | None) -> None:
    source = path.read_text()
    if after is None:
        path.write_text(f"{source}\n\n{text}")
        return
    assert source.count(f"{after}\n") == 1, f"{path.name} has changed: tell the page where its line goes"
    path.write_text(source.replace(f"{after}\n", f"{after}\n{text}"))


def _python(folder: Path, *arguments: str) -> str:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(folder), str(folder / "runtime")))}
    environment.pop("PYTEST_XDIST_WORKER", None)
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_an_elementwise_op_takes_five_files():
    files = {b.file for b in blocks(DOCS / "adding-an-op.md", "python") if b.file}
    assert len([file for file in files if "eltwise" in file]) == 5


def test_the_contract_holds(copy: Path):
    tests = ("tests/ops/test_contract.py", "tests/ops/test_cost.py", "tests/ttnn_python/test_calls.py")
    printed = _python(
        copy,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        *tests,
        "--apart",
        "-k",
        "hardshrink or extremes or every_op_of",
    )
    assert " passed" in printed


def test_it_compiles_runs_and_is_costed(copy: Path):
    _python(copy, "-c", USE)

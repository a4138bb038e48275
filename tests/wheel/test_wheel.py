"""What `pip install` gives, in an environment of its own and away from the checkout, runs what the README shows first."""

import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks

pytestmark = pytest.mark.wheel

README = ROOT / "README.md"
GETTING_STARTED = ROOT / "docs" / "getting-started.md"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, as the build may leave files."""
    folder = tmp_path_factory.mktemp("wheel")
    ignored = shutil.ignore_patterns(".*", "build", "tests", "benchmarks", "typings", "__pycache__")
    source = shutil.copytree(ROOT, folder / "source", ignore=ignored)
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(folder), str(source), cwd=folder)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of executables of an environment that has the wheel and what it asks for."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", str(folder), cwd=folder)
    run(str(folder / "bin/python"), "-m", "pip", "install", "--quiet", str(wheel), cwd=folder)
    return folder / "bin"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder with the examples and nothing else of the checkout."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("zoo", "criteo.py"))
    return tmp_path


def run(*command: str, cwd: Path) -> str:
    """What it prints; nothing of our environment is passed on that says where packages are."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def first_commands() -> list[str]:
    """The first block of commands of the README."""
    _, start, rest = README.read_text().partition("\n\n    ttstack ")
    lines = f"ttstack {rest}".partition("\n\n")[0].splitlines()
    assert start
    assert all(line.strip().startswith("ttstack ") for line in lines)
    return [line.partition("#")[0].strip() for line in lines]


def test_the_first_commands(installed: Path, elsewhere: Path) -> None:
    for command in first_commands():
        program, *arguments = shlex.split(command)
        assert run(str(installed / program), *arguments, cwd=elsewhere), command


def test_the_first_python(installed: Path, elsewhere: Path) -> None:
    first = next(block.text for block in blocks(GETTING_STARTED, "python") if block.file is None)
    assert "µs" in run(str(installed / "python"), "-c", first, cwd=elsewhere)


def test_every_module_that_needs_no_extra_is_importable(installed: Path, elsewhere: Path) -> None:
    """From the wheel, and with PyTorch, ONNX and pandas absent."""
    code = (
        "import importlib, pkgutil, ttstack, ttstack_runtime\n"
        "assert 'site-packages' in ttstack.__file__\n"
        "extras = {'torch', 'onnx', 'pandas', 'matplotlib', 'dacite'}\n"
        "for package in (ttstack, ttstack_runtime):\n"
        "    for found in pkgutil.walk_packages(package.__path__, package.__name__ + '.', onerror=lambda name: None):\n"
        "        try:\n"
        "            found.name.endswith('__main__') or importlib.import_module(found.name)\n"
        "        except ModuleNotFoundError as error:\n"
        "            assert error.name in extras, (found.name, error)\n"
        "print('all')"
    )
    assert run(str(installed / "python"), "-c", code, cwd=elsewhere) == "all\n"


def test_the_wheel_holds_all_files_of_its_packages(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    for package in (ROOT / "ttstack", ROOT / "runtime/ttstack_runtime"):
        files = [p for p in package.rglob("*") if p.is_file() and "__pycache__" not in p.parts]
        missing = [p for p in files if p.relative_to(package.parent).as_posix() not in held]
        assert not missing


def test_the_plug_in_of_the_examples(installed: Path, elsewhere: Path) -> None:
    """Installed beside ttstack, it is found by its entry points."""
    run(
        str(installed / "pip"), "install", "--quiet", "--no-deps", str(elsewhere / "examples" / "plugin"), cwd=elsewhere
    )
    (elsewhere / "m.mlir").write_text(
        "func.func @f(%x: tensor<32x64xf32>, %s: tensor<32x1xf32>) -> tensor<32x64xf32> {\n"
        '  %0 = "ttir.multiply"(%x, %s) : (tensor<32x64xf32>, tensor<32x1xf32>) -> tensor<32x64xf32>\n'
        "  return %0 : tensor<32x64xf32>\n}\n"
    )
    ttstack = str(installed / "ttstack")
    run(ttstack, "compile", "m.mlir", "--insert-pass", "after:fuse=fuse-row-scale", cwd=elsewhere)
    assert "row_scale" in run(ttstack, "run", "m.ttb", "--perf", cwd=elsewhere)

"""What a command imports decides how fast it starts."""

import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import sys
from ttstack.cli.exit_codes import run
code = run(sys.argv[2:])
loaded = [name for name in sys.argv[1].split(",") if name in sys.modules]
sys.exit(f"loaded {loaded}" if loaded else code)
"""
COMPILER = ("torch_mlir", "torch", "transformers", "ttstack.mlir", "ttstack.passes", "pandas")


def start(forbidden: tuple[str, ...], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", CODE, ",".join(forbidden), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["compile", "--help"], ["run", "--help"], ["explore", "--help"]]
)
def test_help_imports_nothing_that_takes_time(arguments: list[str]) -> None:
    done = start((*COMPILER, "numpy", "rich.console", "yaml", "ttstack.ops", "ttstack.system_desc"), *arguments)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("command", [["inspect"], ["perf"], ["run"], ["run", "--cost-only"]])
def test_programs_are_read_without_the_compiler(command: list[str], program: Path) -> None:
    done = start(COMPILER, *command, str(program))
    assert (done.returncode, done.stderr) == (0, "")


def test_a_program_is_inspected_without_the_cost_model(program: Path) -> None:
    slow = ("ttstack.cost", "ttstack.report.build", "ttstack.tensor_train.analysis", "yaml")
    done = start((*COMPILER, *slow), "inspect", str(program))
    assert (done.returncode, done.stderr) == (0, "")


def test_devices_are_checked_without_the_compiler() -> None:
    done = start((*COMPILER, "ttstack.ops.eltwise"), "system-desc", "check", "wormhole")
    assert (done.returncode, done.stderr) == (0, "")


def test_programs_of_devices_are_compiled_without_the_dialects_of_the_cpu(model: Path, tmp_path: Path) -> None:
    of_cpu = ("torch_mlir.dialects.llvm", "torch_mlir.dialects.linalg")
    done = start(of_cpu, "compile", str(model), "-o", str(tmp_path / "model.ttb"))
    assert done.returncode == 0, done.stderr


def test_module_can_be_run() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ttstack.cli", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("ttstack ")

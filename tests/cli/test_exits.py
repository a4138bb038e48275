"""Exit codes, and what is said about a failure."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ttstack import api
from ttstack.cli import main

Command = Callable[..., Any]


def failing(error: BaseException) -> Callable[..., Any]:
    def load(path: Path) -> Any:
        raise error

    return load


def test_a_command_line_without_a_command_is_told_all(ttstack: Command) -> None:
    result = ttstack()
    assert result.code == 2
    assert "Usage: ttstack [OPTIONS] COMMAND" in result.out + result.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["bogus"],
        ["perf"],
        ["perf", "a.ttb", "--sort", "size"],
        ["compile", "a.mlir", "--dtype", "f8"],
        ["run", "a.ttb", "--cost-only", "--output", "a.npz"],
        ["inspect", "a.ttb", "--section", "everything"],
    ],
)
def test_wrong_usage(ttstack: Command, arguments: list[str]) -> None:
    result = ttstack(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error[TT1001]: ")
    assert "  --> ttstack" in result.err
    assert "  = help: " in result.err


@pytest.mark.parametrize(
    ("arguments", "said", "meant"),
    [
        (["compile", "a.mlir", "--placement", "grredy"], "'grredy' is not one of", "greedy"),
        (["compile", "a.mlir", "--placment", "greedy"], "there is no option '--placment'", "--placement"),
        (["inspect", "a.ttb", "--section", "weight"], "'weight' is not one of", "weights"),
        (["perf", "a.ttb", "--sort", "tim"], "'tim' is not one of", "time"),
        (["perf", "a.ttb", "--group-by", "modul"], "'modul' is not one of", "module"),
        (["completion"], "there is no command 'completion'", "--install-completion"),
        (["help"], "there is no command 'help'", "--help"),
        (["explor", "a.mlir"], "there is no command 'explor'", "explore"),
        (["system-desc", "lst"], "there is no command 'lst'", "list"),
    ],
)
def test_what_may_have_been_meant(ttstack: Command, arguments: list[str], said: str, meant: str) -> None:
    result = ttstack(*arguments)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert result.err.endswith(f"  = help: did you mean '{meant}'?\n")


@pytest.mark.parametrize("command", ["perf", "inspect"])
def test_a_file_that_is_no_program(ttstack: Command, command: str, model: Path) -> None:
    result = ttstack(command, model)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("error[TT0601]: ")
    assert "Traceback" not in result.err


def test_a_fault_of_ours(ttstack: Command, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "load", failing(RuntimeError("nobody\nexpected this")))
    monkeypatch.delenv("TTSTACK_DEBUG", raising=False)
    result = ttstack("perf", program)
    assert result.code == 70
    assert "RuntimeError: nobody expected this" in result.err
    assert "TTSTACK_DEBUG=1" in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    "error", [MemoryError(), ImportError("libtorch_cpu.so: failed to map segment from shared object")]
)
def test_too_little_memory(ttstack: Command, program: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr(api, "load", failing(error))
    result = ttstack("perf", program)
    assert result.code == 1
    assert result.err.startswith("error[TT0801]: there is not enough memory")


def test_a_fault_of_ours_in_detail(ttstack: Command, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "load", failing(RuntimeError("nobody expected this")))
    monkeypatch.setenv("TTSTACK_DEBUG", "1")
    result = ttstack("perf", program)
    assert result.code == 70
    assert result.err.startswith("Traceback")


def test_interrupted(program: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(api, "load", failing(KeyboardInterrupt()))
    monkeypatch.setattr(sys, "argv", ["ttstack", "perf", str(program)])
    with pytest.raises(SystemExit) as end:
        main()
    assert (end.value.code, capsys.readouterr().err) == (130, "interrupted\n")


INTERRUPT = """
import sys
from ttstack.cli import main

class Interrupt:
    left = int(sys.argv.pop(1))
    def find_spec(self, name, path=None, target=None):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
main()
"""


@pytest.mark.parametrize("imports", [0, 1, 30, 200])
def test_interrupted_while_it_starts(program: Path, imports: int) -> None:
    command = [sys.executable, "-c", INTERRUPT, str(imports), "perf", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "interrupted")


def test_nothing_is_imported_before_it_can_be_interrupted() -> None:
    code = "import sys, importlib; known = set(sys.modules); import ttstack.cli; print(sorted({*sys.modules} - known))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['ttstack', 'ttstack.cli']"


def shell(program: Path, stdout: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ttstack.cli", "inspect", str(program), "--section", "system-desc"]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)


def test_nobody_reads_on(program: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = shell(program, write)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_no_room_for_the_result(program: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = shell(program, full)
    assert (done.returncode, os.strerror(errno.ENOSPC) in done.stderr) == (1, True)
    assert "Traceback" not in done.stderr

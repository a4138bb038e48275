"""An environment with the library, and a stub of the kernel compiler, which a mock device never runs."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from ttstack.diagnostics import InputError, OutputError

TTNN = "0.81.1"
"""The version for validation."""

_PYTHONS = ("3.12", "3.10")
"""Versions of CPython with wheels."""

_TOOLS = ("ld", "as")
_PREFIX = "riscv64-unknown-elf-"


def set_up(folder: Path) -> Path:
    """Create a virtual environment with the library, keeping existing parts, and return its interpreter.

    Raises:
        InputError: there is no CPython with a wheel of the library, or no linker for the device's processors.
        OutputError: something could not be created.
    """
    lacking = [f"{_PREFIX}{tool}" for tool in _TOOLS if shutil.which(f"{_PREFIX}{tool}") is None]
    if lacking:
        raise InputError(
            f"{' and '.join(lacking)} link the stubs of kernels and are not installed",
            hint="install them: apt-get install binutils-riscv64-unknown-elf",
        )
    python = folder / "bin/python"
    if not python.exists():
        if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
            raise OutputError(f"'{folder}' is there already, and no environment", hint="give the name of a new folder")
        _run(str(_base_python()), "-m", "venv", str(folder))
    _run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"ttnn=={TTNN}")
    _stand_in(_packages(python) / "ttnn/runtime/sfpi/compiler/bin", _release(_packages(python)))
    return python


def _base_python() -> Path:
    for found in _candidates():
        version = subprocess.run(
            [found, "-c", "import sys, ensurepip; print('%d.%d' % sys.version_info[:2])"],
            capture_output=True,
            text=True,
            check=False,
        ).stdout.strip()
        if version in _PYTHONS:
            return found
    raise InputError(
        f"no CPython {' or '.join(_PYTHONS)} was found, for which ttnn {TTNN} has wheels",
        hint="install one, so that python3.12 is on the PATH",
    )


def _candidates() -> Iterator[Path]:
    """Yield this interpreter, those on the PATH, and those of version managers in their usual folders."""
    yield Path(sys.executable)
    yield from (Path(found) for version in _PYTHONS if (found := shutil.which(f"python{version}")))
    managers = (os.environ.get("PYENV_ROOT") or "~/.pyenv", "~/.local/share/uv/python")
    for version in _PYTHONS:
        yield from sorted(Path(managers[0]).expanduser().glob(f"versions/{version}.*/bin/python3"))
        yield from sorted(Path(managers[1]).expanduser().glob(f"cpython-{version}*/bin/python3"))


def _packages(python: Path) -> Path:
    return Path(_run(str(python), "-c", "import sysconfig; print(sysconfig.get_path('platlib'))").strip())


def _release(packages: Path) -> str:
    """Return the compiler version that the library requires."""
    file = packages / "ttnn/tt_metal/sfpi-version"
    return _run("sh", "-c", f'. "{file}" && echo "$sfpi_version[$sfpi_build]"').strip()


def _stand_in(tools: Path, release: str) -> None:
    """Install the stub where the library expects its compiler, unless there is a real one."""
    compiler = tools / "riscv-tt-elf-g++"
    if compiler.exists() and not (tools / "kernel.o").exists():
        return
    tools.mkdir(parents=True, exist_ok=True)
    ours = files("ttstack.library").joinpath("standin")
    compiler.write_text(ours.joinpath("riscv-tt-elf-g++").read_text().replace("@VERSION@", release))
    compiler.chmod(0o755)
    for name in ("gcc", "ld", "nm", "objcopy", "objdump"):
        link = tools / f"riscv-tt-elf-{name}"
        link.unlink(missing_ok=True)
        link.symlink_to(compiler.name)
    shutil.rmtree(tools / "linked", ignore_errors=True)
    source = str(ours.joinpath("kernel.s"))
    _run(f"{_PREFIX}as", "-march=rv32im", "-mabi=ilp32", source, "-o", str(tools / "kernel.o"))


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()][-5:]
        raise OutputError(f"'{' '.join(command)}' failed with code {done.returncode}", notes=tuple(said))
    return done.stdout

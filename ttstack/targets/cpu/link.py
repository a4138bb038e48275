"""Linking of object code to a shared library, by the system's C compiler."""

import ctypes
import importlib.metadata
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ttstack.diagnostics import OutputError

COMPILER = "CC"
"""The environment variable with another compiler than `cc`."""
OPENMP = "-l:libomp.so.5"
"""LLVM's OpenMP runtime for the linker: Debian's `libomp5`."""
OPENMP_WHEEL = "cmeel-libomp"
"""The wheel with the same runtime, in the extra `openmp`."""
_MATHS = "-lm"


def openmp_arguments() -> tuple[str, ...]:
    """Return the linker's arguments for LLVM's OpenMP runtime, the wheel's before the system's; none without both."""
    if (wheel := _wheel_openmp()) is not None:
        return str(wheel), f"-Wl,-rpath,{wheel.parent}"
    try:
        ctypes.CDLL(OPENMP.removeprefix("-l:"))
    except OSError:
        return ()
    return (OPENMP,)


def _wheel_openmp() -> Path | None:
    try:
        found = importlib.metadata.distribution(OPENMP_WHEEL).locate_file("cmeel.prefix/lib/libomp.so")
    except importlib.metadata.PackageNotFoundError:
        return None
    return path if (path := Path(str(found)).resolve()).is_file() else None


def link_library(code: bytes, libraries: Sequence[str] = ()) -> bytes:
    """Return the shared library of an object; `libraries` are further linker arguments.

    Raises:
        OutputError: there is no C compiler, or it fails.
    """
    compiler = os.environ.get(COMPILER) or "cc"
    if shutil.which(compiler) is None:
        raise OutputError(
            f"there is no C compiler '{compiler}' to link a library with",
            hint="install one (Debian: apt install gcc), name it in CC, or write an object file (.o)",
        )
    with tempfile.TemporaryDirectory(prefix="ttstack-") as folder:
        (Path(folder) / "model.o").write_bytes(code)
        command = [compiler, "-shared", "-Wl,-z,noexecstack", "-o", "model.so", "model.o", *libraries, _MATHS]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise OutputError(
                f"'{' '.join(command)}' fails",
                notes=tuple(done.stderr.strip().splitlines()[-5:]),
                hint="install the library that it cannot find (OpenBLAS on Debian: apt install libopenblas-dev), "
                "or write an object file (.o)",
            )
        return (Path(folder) / "model.so").read_bytes()

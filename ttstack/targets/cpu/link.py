"""Object code to a shared library, by the system's C compiler."""

import ctypes
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ttstack.diagnostics import OutputError

COMPILER = "CC"
"""The environment's variable that names another compiler than `cc`."""
OPENMP = "-l:libomp.so.5"
"""LLVM's runtime of OpenMP as the linker finds it: Debian's `libomp5`."""
_MATHS = "-lm"


def has_openmp() -> bool:
    """Whether LLVM's runtime of OpenMP is installed."""
    try:
        ctypes.CDLL(OPENMP.removeprefix("-l:"))
    except OSError:
        return False
    return True


def link_library(code: bytes, libraries: Sequence[str] = ()) -> bytes:
    """The shared library of an object; `libraries` are further arguments of the linker.

    Raises:
        OutputError: there is no C compiler, or it refuses.
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
            raise OutputError(f"'{' '.join(command)}' fails", notes=tuple(done.stderr.strip().splitlines()[-5:]))
        return (Path(folder) / "model.so").read_bytes()

"""Files that commands write."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ttstack.diagnostics import OutputError
from ttstack.report.files import write_whole

Arrays = Mapping[str, np.ndarray[Any, Any]]


def check_target(target: Path) -> None:
    """Check that a file can be put there, before any work is done for it.

    Raises:
        OutputError: its folder does not exist or cannot be written to, or it is a folder itself.
    """
    folder = target.absolute().parent
    if target.is_dir():
        raise OutputError(f"'{target}' is a folder", hint="give the name of a file")
    if not folder.is_dir():
        raise OutputError(f"the folder of '{target}' does not exist", hint=f"make it: mkdir -p '{folder}'")
    if not os.access(folder, os.W_OK):
        raise OutputError(f"cannot write into the folder of '{target}'")


def write_arrays(target: Path, arrays: Arrays) -> None:
    """Write arrays by name as `.npz`; bf16, which NumPy's files lack, as float32.

    Raises:
        OutputError: the file cannot be written.
    """
    import io

    plain = {name: a.astype(np.float32) if a.dtype.kind == "V" else a for name, a in arrays.items()}
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **plain)
    write_whole(target, buffer.getvalue())

"""Checks and output of files that commands write."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ttstack.diagnostics import OutputError
from ttstack.support.files import follow_links, is_special, report_refusals, write_whole

Arrays = Mapping[str, np.ndarray[Any, Any]]


def check_targets(
    *targets: Path | None, sources: Iterable[str | Path | None] = (), program: Path | None = None
) -> None:
    """Check that output files can be written, before any work is done for them.

    Sources are input files, or other names of models; `program` is the target that is a program.

    Raises:
        OutputError: a folder does not exist or is not writable; a target is a folder, a source, or another target, or
        has a program's name and is not one.
    """
    given = [target for target in targets if target is not None]
    for i, target in enumerate(given):
        _check(target)
        if target in given[:i] and not is_special(target):
            raise OutputError(f"'{target}' would be written twice", hint="give each output a name of its own")
        if any(_is_same(target, Path(source)) for source in sources if source):
            raise OutputError(f"'{target}' is what is read", hint="give another name to the output")
        if target.suffix == ".ttb" and target != program:
            raise OutputError(f"'{target}' would be the name of a program", hint="give another ending to the output")


def _is_same(target: Path, source: Path) -> bool:
    return source.exists() and target.exists() and target.samefile(source)


def check_ending(target: Path, ending: str, what: str) -> None:
    """Check that a file name has the ending of its content, so that models and programs are not overwritten.

    Raises:
        OutputError: it has another ending.
    """
    if target.suffix != ending and not is_special(target):
        raise OutputError(f"'{target}' is not a name of {what}", hint=f"end it with {ending}")


def check_new_folder(folder: Path) -> None:
    """Check that a folder can be created, before any work is done for it.

    Raises:
        OutputError: the name exists, or its parent is not writable.
    """
    with report_refusals(folder):
        there = folder.exists() or folder.is_symlink()
    if there:
        raise OutputError(f"'{folder}' is there already", hint="give the name of a folder that is to be made")
    _check(folder)


def _check(target: Path) -> None:
    if str(target) == "-":
        raise OutputError("'-' would be the name of a file", hint="name a file, or /dev/stdout for a pipe")
    if is_special(target) and os.access(target, os.W_OK):
        return
    if target.is_dir():
        raise OutputError(f"'{target}' is a folder", hint="give the name of a file")
    with report_refusals(target):
        folder = follow_links(target).parent
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"cannot write '{target}': '{folder}' is a file", hint="give the name of a file in a folder")
    if not folder.is_dir():
        raise OutputError(f"the folder of '{target}' does not exist", hint=f"make it: mkdir -p '{folder}'")
    if not os.access(folder, os.W_OK):
        raise OutputError(f"cannot write into the folder of '{target}'")


def print_paths(paths: Iterable[Path]) -> None:
    """Print the path and the size of each written file, and of each file in a written folder."""
    from ttstack.cli.console import write_line
    from ttstack.report.formatting import size

    for path in paths:
        if not is_special(path):
            files = [path] if path.is_file() else [inner for inner in path.rglob("*") if inner.is_file()]
            write_line(f"wrote {path}, {size(sum(file.stat().st_size for file in files))}")


def together(outputs: Arrays, updated: Arrays) -> dict[str, np.ndarray[Any, Any]]:
    """Return outputs, then updated inputs and parameters; one with an output's name gets the suffix `.updated`."""
    found = dict(outputs)
    taken = outputs.keys() | updated.keys()
    for name, array in updated.items():
        free = name
        while free in found or (free != name and free in taken):
            free += ".updated"
        found[free] = array
    return found


def write_arrays(target: Path, arrays: Arrays) -> None:
    """Write arrays by name as `.npz`; bf16, which NumPy does not have, as float32.

    Raises:
        OutputError: the file cannot be written.
    """
    import io

    plain = {name: a.astype(np.float32) if a.dtype.kind == "V" else a for name, a in arrays.items()}
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **plain)
    write_whole(target, buffer.getvalue())

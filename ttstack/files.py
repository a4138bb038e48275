"""Files that are written whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from ttstack.diagnostics import OutputError


def write_whole(path: str | PathLike[str], content: str | bytes) -> None:
    """Write a file in place of what was there; a failure leaves that untouched.

    Raises:
        OutputError: it cannot be written.
    """
    with replacing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """A file that takes the place of `path` once all of it is written, and vanishes where that fails.

    A link stays one, and its target is replaced. A device or pipe is written to as it stands.

    Raises:
        OutputError: it cannot be written.
    """
    try:
        if is_special(path):
            with Path(path).open("wb") as file:
                yield file
        else:
            yield from _beside(Path(path).resolve())
    except OSError as error:
        raise OutputError(
            f"cannot write '{os.fspath(path)}': {error.strerror or error}",
            hint="give a folder that exists, can be written to and has room",
        ) from error


def is_special(path: str | PathLike[str]) -> bool:
    """Whether there is something at `path` that no file may replace: a device, a pipe, a socket."""
    target = Path(path)
    return target.exists() and not target.is_file() and not target.is_dir()


def _beside(target: Path) -> Iterator[BinaryIO]:
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as file:
            yield file
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)

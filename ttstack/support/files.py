"""Atomic file writes, safe against concurrent writers and crashes."""

import errno
import os
import re
import shutil
import tempfile
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from ttstack.diagnostics import OutputError
from ttstack.support.operating_system import lock_file

_FOLDER_MODE = 0o755
"""The mode of folders that others may read."""


def write_whole(path: str | PathLike[str], content: str | bytes) -> None:
    """Replace a file atomically; a failure leaves the previous one untouched.

    Raises:
        OutputError: it cannot be written.
    """
    with replace_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def replace_file(path: str | PathLike[str]) -> Generator[BinaryIO]:
    """Yield a file that replaces `path` when it is complete, and is removed on failure.

    A link stays one, and its target is replaced. A device or pipe is written to directly.

    Raises:
        OutputError: it cannot be written.
    """
    with replace_files(path) as (file,):
        yield file


@contextmanager
def replace_files(*paths: str | PathLike[str]) -> Generator[tuple[BinaryIO, ...]]:
    """Yield files that replace `paths` together, as `replace_file` does: an earlier failure leaves all unchanged.

    Raises:
        OutputError: one cannot be written; errors while they are filled name the first.
    """
    with ExitStack() as opened, report_refusals(paths[0]):
        files = list[BinaryIO]()
        parts = list[tuple[PartialFile, Path]]()
        for path in paths:
            with report_refusals(path):
                if is_special(path):
                    files.append(opened.enter_context(Path(path).open("wb")))
                    continue
                target = follow_links(path)
                part = opened.enter_context(part_of(target))
                files.append(part.file)
                parts.append((part, target))
        yield tuple(files)
        for part, _ in parts:
            part.finish()
        for part, target in parts:
            with report_refusals(target):
                part.path.replace(target)


@contextmanager
def new_folder(path: str | PathLike[str]) -> Generator[Path]:
    """Yield a folder that gets its name when it is complete, and is removed on failure.

    Raises:
        OutputError: the name exists, or the folder cannot be created.
    """
    target = Path(path)
    with report_refusals(target):
        part = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
        try:
            yield part
            part.chmod(_FOLDER_MODE)
            if target.exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            part.rename(target)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def why_unread(error: OSError | ValueError) -> str:
    """Return the reason why a text was not read, in the system's words for a system error."""
    return (error.strerror or str(error)) if isinstance(error, OSError) else "it is not text"


@contextmanager
def report_refusals(path: str | PathLike[str]) -> Generator[None]:
    """Turn system errors into an `OutputError` that names the file."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"cannot write '{os.fspath(path)}': {error.strerror or error}",
            hint="give a folder that exists, can be written to and has room",
        ) from error


def is_special(path: str | PathLike[str]) -> bool:
    """Return True if `path` is a device, a pipe or a socket, which cannot be replaced."""
    target = Path(path)
    return target.exists() and not target.is_file() and not target.is_dir()


def follow_links(path: str | PathLike[str]) -> Path:
    """Return the file that a path leads to; raise `OSError` for circular links, or a folder."""
    try:
        target = Path(path).resolve()
    except (RuntimeError, ValueError) as error:  # a circle, before Python 3.13; a zero byte
        code = errno.ELOOP if isinstance(error, RuntimeError) else errno.EINVAL
        raise OSError(code, os.strerror(code)) from error
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return target


@dataclass(frozen=True)
class PartialFile:
    """A file that is being written, under a unique name."""

    file: BinaryIO
    path: Path

    def finish(self) -> None:
        """Flush the file to the disk, so that the old one can be replaced."""
        self.file.flush()
        os.fsync(self.file.fileno())

    def put(self, target: Path) -> None:
        """Finish the file and replace `target` atomically."""
        self.finish()
        self.path.replace(target)


@contextmanager
def part_of(target: Path) -> Generator[PartialFile]:
    """Yield a partial file next to `target`, which is removed unless used; remove those of dead processes too."""
    _remove_left_overs(target)
    part = _new_part(target)
    with part.file:
        try:
            yield part
        finally:
            part.path.unlink(missing_ok=True)


@contextmanager
def alone_in(folder: Path) -> Generator[bool]:
    """Wait for a lock on the folder; yield False if the file system does not support it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:
        yield False
        return
    try:
        yield lock_file(descriptor)
    finally:
        os.close(descriptor)


def settle(folder: Path) -> None:
    """Flush renames in a folder to the disk, if the file system supports it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _new_part(target: Path) -> PartialFile:
    """Return a new partial file, whose lock shows that its process is alive; retry if it was removed before that."""
    while True:
        path = target.with_name(f".{target.name}.{os.urandom(6).hex()}.part")
        file = path.open("xb")
        lock_file(file.fileno())
        if os.fstat(file.fileno()).st_nlink:
            return PartialFile(file, path)
        file.close()


def _remove_left_overs(target: Path) -> None:
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{12}}\.part")
    with suppress(OSError):
        for path in [p for p in target.parent.iterdir() if name.fullmatch(p.name) and p.is_file()]:
            with suppress(OSError), path.open("rb+") as file:
                if lock_file(file.fileno(), wait=False):
                    path.unlink()

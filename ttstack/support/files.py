"""Files that are written whole or not at all, whoever else writes them and whatever ends the process."""

import errno
import fcntl
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

_FOLDER_MODE = 0o755
"""What folders have that others may read."""


def write_whole(path: str | PathLike[str], content: str | bytes) -> None:
    """Write a file in place of what was there; a failure leaves that untouched.

    Raises:
        OutputError: it cannot be written.
    """
    with replace_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def replace_file(path: str | PathLike[str]) -> Generator[BinaryIO]:
    """A file that takes the place of `path` once all of it is written, and vanishes where that fails.

    A link stays one, and its target is replaced. A device or pipe is written to as it stands.

    Raises:
        OutputError: it cannot be written.
    """
    with replace_files(path) as (file,):
        yield file


@contextmanager
def replace_files(*paths: str | PathLike[str]) -> Generator[tuple[BinaryIO, ...]]:
    """Files that take the places of `paths` together, as `replace_file` does: a failure before leaves all as they were.

    Raises:
        OutputError: one cannot be written; the first is named for what fails while they are filled.
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
    """A folder that gets its name once all is in it, and vanishes where that fails.

    Raises:
        OutputError: there is something of that name, or it cannot be made.
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
    """Why a text was not read, in the system's words where it is the system that refused."""
    return (error.strerror or str(error)) if isinstance(error, OSError) else "it is no text"


@contextmanager
def report_refusals(path: str | PathLike[str]) -> Generator[None]:
    """What the system refuses becomes an `OutputError` that names the file."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"cannot write '{os.fspath(path)}': {error.strerror or error}",
            hint="give a folder that exists, can be written to and has room",
        ) from error


def is_special(path: str | PathLike[str]) -> bool:
    """Whether there is something at `path` that no file may replace: a device, a pipe, a socket."""
    target = Path(path)
    return target.exists() and not target.is_file() and not target.is_dir()


def follow_links(path: str | PathLike[str]) -> Path:
    """The file that a path leads to; raises `OSError` where links go in a circle, or it is a folder."""
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
    """A file that is being written, under a name that nobody else has."""

    file: BinaryIO
    path: Path

    def finish(self) -> None:
        """Bring all of it to the disk, so that what it is to replace can go."""
        self.file.flush()
        os.fsync(self.file.fileno())

    def put(self, target: Path) -> None:
        """Finish it and let it take the place of `target`, in one step."""
        self.finish()
        self.path.replace(target)


@contextmanager
def part_of(target: Path) -> Generator[PartialFile]:
    """A part beside `target`, which vanishes where it is not put in a place; those that dead processes left go too."""
    _remove_left_overs(target)
    part = _new_part(target)
    with part.file:
        try:
            yield part
        finally:
            part.path.unlink(missing_ok=True)


@contextmanager
def alone_in(folder: Path) -> Generator[bool]:
    """Waits for others that ask for the same; gives whether it does: some file systems have no locks for folders."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:
        yield False
        return
    try:
        yield _lock(descriptor)
    finally:
        os.close(descriptor)


def settle(folder: Path) -> None:
    """Bring what was renamed in a folder to the disk, where its file system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _new_part(target: Path) -> PartialFile:
    """Its lock says that its process lives; one that was taken for a left-over before it was locked is made anew."""
    while True:
        path = target.with_name(f".{target.name}.{os.urandom(6).hex()}.part")
        file = path.open("xb")
        _lock(file.fileno())
        if os.fstat(file.fileno()).st_nlink:
            return PartialFile(file, path)
        file.close()


def _remove_left_overs(target: Path) -> None:
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{12}}\.part")
    with suppress(OSError):
        for path in [p for p in target.parent.iterdir() if name.fullmatch(p.name) and p.is_file()]:
            with suppress(OSError), path.open("rb+") as file:
                if _lock(file.fileno(), wait=False):
                    path.unlink()


def _lock(descriptor: int, *, wait: bool = True) -> bool:
    """Whether the lock is held now, until the file is closed or the process ends, however it ends."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True

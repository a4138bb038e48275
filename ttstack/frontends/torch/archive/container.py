"""The zip archive of a `.pt2` file: known records, each once, and their bytes."""

import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import torch

from ttstack.diagnostics import SourceError

EXPORT = "write it with torch.export.save(torch.export.export(model, args), path)"
_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    LookupError,
    RuntimeError,
    OverflowError,
    MemoryError,
)
"""Exceptions of Python's readers of zip and JSON, and of torch's of files, for damaged data."""

_FOREIGN = {
    "constants.pkl": "a TorchScript archive",
    "data.pkl": "what torch.save writes: weights or a pickled object, without a graph",
    "serialized_exported_program.json": "a program that a PyTorch before 2.8 exported",
    "[Content_Types].xml": "an office document",
}
"""The kinds of other zip archives, by a file that they contain."""

_PROGRAM = re.compile(r"models/([^/]+)\.json")
_COMPILED = "data/aotinductor/"
_PICKLED = re.compile(r"data/(weights/[^/]+\.pt|constants/([^/]+\.pt|(custom|opaque)_obj_\d+))")
_READ = re.compile(
    r"archive_format|byteorder|models/[^/]+\.json|data/weights/weight_\d+|data/constants/tensor_\d+"
    r"|data/(weights/[^/]+_weights|constants/[^/]+_constants)_config\.json"
)
_LEFT = re.compile(
    r"archive_version|\.data/(version|serialization_id)|\.format_version|\.storage_alignment"
    r"|data/sample_inputs/[^/]+\.pt|data/aotinductor/.+|executorch/.+|extra/.+"
)
"""Records that torch writes next to the program, which are ignored."""

_MOST_JSON = 1 << 27
_DEFLATED = 1032
"""Maximum ratio of a record's size to its deflated size (https://zlib.net/zlib_tech.html)."""
_PIECE = 1 << 20


class ArchiveDamageError(Exception):
    """A file is damaged."""


@contextmanager
def _intact() -> Iterator[None]:
    """Raise `ArchiveDamageError` for errors of a library; use it only around library calls."""
    try:
        yield
    except _FAULTS as e:
        raise ArchiveDamageError(str(e)) from e


@dataclass(frozen=True)
class Container:
    """An open archive, its records by name without their common folder, and pending checks."""

    path: Path
    archive: zipfile.ZipFile
    records: dict[str, zipfile.ZipInfo]
    _pool: ThreadPoolExecutor
    _checks: "list[Future[None]]" = field(default_factory=list)

    @cached_property
    def program(self) -> str:
        """The name of the only program."""
        names = [match[1] for match in map(_PROGRAM.fullmatch, self.records) if match]
        if len(names) == 1:
            return names[0]
        compiled = any(name.startswith(_COMPILED) for name in self.records)
        other = "compiled code (AOTInductor) and no program" if compiled else "no program"
        held = f"programs {', '.join(sorted(names))}" if names else other
        raise SourceError(f"'{self.path}' holds {held}", hint=f"one program a file: {EXPORT}")

    def json(self, name: str) -> Any:
        """Parse a JSON record; raise `ArchiveDamageError` if it is missing or too long."""
        if (info := self.records.get(name)) is None:
            raise ArchiveDamageError(f"it has no {name}")
        if info.file_size > _MOST_JSON:
            raise ArchiveDamageError(f"{name} has {info.file_size:,} bytes, at most {_MOST_JSON:,} are read")
        try:
            with _intact(), self.archive.open(info) as stream:
                return json.loads(stream.read(info.file_size))
        except RecursionError as e:
            raise ArchiveDamageError(f"{name} is nested too deeply") from e

    def storage(self, name: str) -> torch.UntypedStorage:
        """Return the bytes of a record: mapped from the file, or decompressed in memory.

        Mapped bytes are compared with their checksum in the background; `wait_for_checks` waits for the result.
        """
        info = self.records[name]
        at = self._offset(info)
        if info.compress_type == zipfile.ZIP_STORED and at % 8 == 0:
            self._checks.append(self._pool.submit(self._check, info, at))
            return self._file[at : at + info.file_size]
        return self._inflate(info)

    def wait_for_checks(self) -> None:
        """Wait until all used parts of the file are compared with their checksums.

        Raises:
            ArchiveDamageError: one differs.
        """
        for check in self._checks:
            check.result()

    @cached_property
    def _file(self) -> Any:
        with _intact():
            return torch.UntypedStorage.from_file(str(self.path), shared=False, nbytes=self.path.stat().st_size)

    def _offset(self, info: zipfile.ZipInfo) -> int:
        """Return the start of a record's bytes, after a header that repeats its name."""
        with self.path.open("rb") as file:
            file.seek(info.header_offset)
            header = file.read(30)
        with _intact():
            name, extra = struct.unpack_from("<HH", header, 26)
        at = info.header_offset + len(header) + name + extra
        if at + info.compress_size > self.path.stat().st_size:
            raise ArchiveDamageError(f"{info.filename} ends behind the file")
        return at

    def _inflate(self, info: zipfile.ZipInfo) -> torch.UntypedStorage:
        if info.file_size > _DEFLATED * max(info.compress_size, 1):
            raise ArchiveDamageError(f"{info.filename} claims {info.file_size:,} bytes")
        place = 0
        with _intact(), self.archive.open(info) as stream:
            values = bytearray(info.file_size)
            while piece := stream.read(_PIECE):
                values[place : place + len(piece)] = piece
                place += len(piece)
        if place != len(values):
            raise ArchiveDamageError(f"{info.filename} has {place:,} bytes instead of {len(values):,}")
        return torch.frombuffer(values, dtype=torch.uint8).untyped_storage() if values else torch.UntypedStorage(0)

    def _check(self, info: zipfile.ZipInfo, at: int) -> None:
        """Read a record in pieces, without keeping it in memory, and compare its checksum."""
        buffer, left, found = memoryview(bytearray(_PIECE)), info.file_size, 0
        with self.path.open("rb", buffering=0) as file:
            file.seek(at)
            while left and (read := file.readinto(buffer[:left])):
                found = zlib.crc32(buffer[:read], found)
                left -= read
        if left or found != info.CRC:
            raise ArchiveDamageError(f"Bad CRC-32 for file {info.filename!r}")


@contextmanager
def open_archive(path: Path) -> Iterator[Container]:
    """Yield the archive at `path` while it is open.

    Raises:
        SourceError: it is not an archive of an exported program, or contains unknown records.
    """
    with ThreadPoolExecutor(2, "checksums") as pool:
        try:
            with _archive(path) as archive:
                yield Container(path, archive, _records(path, archive), pool)
        except ArchiveDamageError as e:
            raise SourceError(f"'{path}' is cut off or damaged", notes=(str(e),), hint=EXPORT) from e
        finally:
            pool.shutdown(cancel_futures=True)


def _archive(path: Path) -> zipfile.ZipFile:
    with _intact():
        return zipfile.ZipFile(path)


def _records(path: Path, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    entries = [info for info in archive.infolist() if not info.filename.endswith("/")]  # `is_dir` needs a name
    records = {info.filename.partition("/")[2] or info.filename: info for info in entries}
    if _text(archive, records.get("archive_format")) != b"pt2":
        what = next((what for record, what in _FOREIGN.items() if record in records), "another zip archive")
        raise SourceError(f"'{path}' is not an exported program; it looks like {what}", hint=EXPORT)
    if faults := list(_faults(entries)):
        more = [f"and {len(faults) - 8} more"] if len(faults) > 8 else []
        raise SourceError(
            f"'{path}' has records that exported programs do not have", notes=(*faults[:8], *more), hint=EXPORT
        )
    if pickled := sorted(filter(_PICKLED.fullmatch, records)):
        raise pickles(path, pickled)
    if _text(archive, records.get("byteorder")) not in (None, b"little"):
        raise SourceError(f"'{path}' was written on a machine of another byte order", hint=EXPORT)
    return records


def _text(archive: zipfile.ZipFile, info: zipfile.ZipInfo | None) -> bytes | None:
    """Return the content of a short record, or None."""
    if info is None:
        return None
    with _intact(), archive.open(info) as stream:
        return stream.read(16)


def pickles(path: Path, names: Iterable[str]) -> SourceError:
    """Return the error for pickled tensors of other classes and other objects, as a pickle runs code."""
    return SourceError(
        f"'{path}' holds pickled objects, which are not read",
        notes=(", ".join(names),),
        hint="load it with torch.export.load, if you trust it, and compile the result",
    )


def _faults(entries: list[zipfile.ZipInfo]) -> Iterator[str]:
    """Yield reasons why entries are invalid: duplicates or names that readers could interpret differently."""
    seen = set[str]()
    folder = entries[0].filename.partition("/")[0]
    for info in entries:
        spelled, (top, _, name) = ascii(info.filename), info.filename.partition("/")
        if info.filename.casefold() in seen:
            yield f"{spelled} occurs twice, ignoring case"
        elif top != folder or not any(known.fullmatch(name) for known in (_READ, _LEFT, _PICKLED)):
            yield f"{spelled} is unknown"
        elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            yield f"{spelled} is compressed in another way than by deflate"
        elif info.flag_bits & 1:
            yield f"{spelled} is encrypted"
        elif info.compress_type == zipfile.ZIP_STORED and info.file_size != info.compress_size:
            yield f"{spelled} has two sizes"
        seen.add(info.filename.casefold())

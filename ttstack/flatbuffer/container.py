"""The container of a `.ttb` file: a header with a checksum of every byte after it.

    offset  bytes  content
         0      4  magic, "TTSB"
         4      2  schema version, major
         6      2  schema version, minor
         8      8  bytes of the flatbuffer
        16      8  bytes of the weights section
        24      8  zero
        32     32  SHA-256 of the 32 bytes before it and everything after it
        64         flatbuffer; zeros up to a multiple of 64; weights section; nothing may follow

Numbers are little-endian. Later versions with the same major version keep this header.
"""

import hashlib
import os
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ttstack.diagnostics import BinaryFormatError
from ttstack.support.suggestion import file_meant

MAGIC = b"TTSB"
SCHEMA_VERSION = (1, 1)
ALIGNMENT = 64
"""Alignment of weights in bytes."""
CHUNK = 1 << 22
"""Number of bytes that are hashed or written at a time."""
_FIELDS = struct.Struct("<4sHHQQ8x")
HEADER_BYTES = _FIELDS.size + hashlib.sha256().digest_size
_RECOMPILE = "compile the model again with this ttstack"

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True)
class FileContents:
    """The checked content of a file."""

    program: bytes
    """The flatbuffer."""
    weights: Bytes
    """The weights section, mapped."""


def align(offset: int) -> int:
    """Return the first multiple of the alignment from `offset` on."""
    return -(-offset // ALIGNMENT) * ALIGNMENT


def write(file: BinaryIO, program: bytes, weights_bytes: int, weights: Iterable[Any]) -> None:
    """Write a complete file; `weights` is the weights section in pieces of any size."""
    fields = _FIELDS.pack(MAGIC, *SCHEMA_VERSION, len(program), weights_bytes)
    digest = hashlib.sha256(fields)
    file.write(fields + bytes(digest.digest_size))
    for piece in _pieces(program, weights_bytes, weights):
        file.write(piece)
        digest.update(piece)
    file.seek(len(fields))
    file.write(digest.digest())


def _pieces(program: bytes, weights_bytes: int, weights: Iterable[Any]) -> Iterator[Any]:
    yield program
    if weights_bytes:
        end = HEADER_BYTES + len(program)
        yield bytes(align(end) - end)
        yield from weights


def read(path: Path) -> FileContents:
    """Check a file and return its parts; it is read once, and weights are mapped and take no memory before use.

    Raises:
        BinaryFormatError: the file does not exist, or is truncated, altered, or of an unknown version.
    """
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            raw = file.read(HEADER_BYTES)
            header = _header(path, raw, size)
            program = file.read(header.program_bytes)
            _check_hash(path, header, hashlib.sha256(raw[: _FIELDS.size] + program), file)
            if header.version > SCHEMA_VERSION:
                raise _wrong_version(path, header.version)
            return FileContents(program, map_bytes(file, header.weights_start, header.weights_bytes))
    except OSError as error:
        hint = file_meant(path) or "give a file that `ttstack compile` wrote"
        raise BinaryFormatError(f"this file cannot be read: {error.strerror}", loc=path, hint=hint) from error


def flatbuffer_of(path: Path) -> bytes:
    """Return the flatbuffer in a file, unchecked; empty for a file of another format."""
    with path.open("rb") as file:
        raw = file.read(HEADER_BYTES)
        if len(raw) < HEADER_BYTES or not raw.startswith(MAGIC):
            return b""
        return file.read(min(_FIELDS.unpack_from(raw)[3], os.fstat(file.fileno()).st_size))


@dataclass(frozen=True)
class _Header:
    version: tuple[int, int]
    program_bytes: int
    weights_bytes: int
    digest: bytes

    @property
    def weights_start(self) -> int:
        """The start of the weights section, even if it is empty."""
        return align(HEADER_BYTES + self.program_bytes)

    @property
    def file_bytes(self) -> int:
        """Return the size of the file in bytes."""
        end = HEADER_BYTES + self.program_bytes
        return self.weights_start + self.weights_bytes if self.weights_bytes else end


def _header(path: Path, raw: bytes, size: int) -> _Header:
    """Return the header of a file of `size` bytes, after all checks that do not need its content."""
    if raw[:4] != MAGIC[: len(raw)]:
        raise BinaryFormatError(
            "this is not a compiled program",
            loc=path,
            notes=(f"it starts with {raw[:4]!r}, a .ttb file with {MAGIC!r}",),
            hint="give a file that `ttstack compile` wrote",
        )
    if len(raw) < HEADER_BYTES:
        raise _truncated(path, HEADER_BYTES, size)
    _, major, minor, program_bytes, weights_bytes = _FIELDS.unpack_from(raw)
    header = _Header((major, minor), program_bytes, weights_bytes, raw[_FIELDS.size :])
    if major != SCHEMA_VERSION[0]:
        raise _wrong_version(path, header.version)
    if size < header.file_bytes:
        raise _truncated(path, header.file_bytes, size)
    if size > header.file_bytes:
        raise BinaryFormatError(
            "this file is longer than its header states",
            loc=path,
            notes=(f"expected {header.file_bytes:,} bytes, found {size:,}",),
            hint=f"copy it again from where it was compiled, or {_RECOMPILE}",
        )
    return header


def _check_hash(path: Path, header: _Header, digest: Any, rest: BinaryIO) -> None:
    """Compare the recorded hash with `digest` continued over the rest of the file."""
    while piece := rest.read(CHUNK):
        digest.update(piece)
    if digest.digest() != header.digest:
        raise BinaryFormatError(
            "this file was altered after it was written",
            loc=path,
            notes=(f"SHA-256 recorded {header.digest.hex()}", f"SHA-256 found    {digest.hexdigest()}"),
            hint=f"copy it again from where it was compiled, or {_RECOMPILE}",
        )


def map_bytes(file: BinaryIO, start: int, nbytes: int) -> Bytes:
    """Map bytes of the open file, even if another has replaced it at its path."""
    if not nbytes:
        return np.zeros(0, np.uint8)
    return np.asarray(np.memmap(file, np.uint8, "r", start, nbytes))  # pyright: ignore[reportArgumentType, reportCallIssue]


def _truncated(path: Path, expected: int, found: int) -> BinaryFormatError:
    return BinaryFormatError(
        "this file is incomplete",
        loc=path,
        notes=(f"expected {expected:,} bytes, found {found:,}",),
        hint=f"it was copied or written only in part: copy it again, or {_RECOMPILE}",
    )


def _wrong_version(path: Path, found: tuple[int, int]) -> BinaryFormatError:
    major, minor = SCHEMA_VERSION
    upgrade = "install a newer ttstack (pip install --upgrade ttstack), or " if found > SCHEMA_VERSION else ""
    return BinaryFormatError(
        f"this file is of schema version {found[0]}.{found[1]}",
        loc=path,
        notes=(f"this ttstack reads versions {major}.0 to {major}.{minor}",),
        hint=f"{upgrade}{_RECOMPILE}",
    )

"""Saved exported programs (`.pt2`): zip archives of a graph as JSON and of weights, which are mapped into memory."""

import json
import zipfile
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path
from textwrap import shorten
from typing import Any

import torch
from torch._export.serde.schema import SCHEMA_VERSION
from torch.export import ExportedProgram
from torch.export.pt2_archive import PT2ArchiveReader
from torch.export.pt2_archive._package import _load_exported_programs

from ttstack.diagnostics import SourceError
from ttstack.frontends.torch.quiet import quiet

_EXPORT = "write it with torch.export.save(torch.export.export(model, args), path)"
_SAMPLES = "data/sample_inputs/"
_FOREIGN = {
    "constants.pkl": "a TorchScript archive",
    "data.pkl": "what torch.save writes: weights or a pickled object, without a graph",
    "serialized_exported_program.json": "a program that a PyTorch before 2.8 exported",
    "[Content_Types].xml": "an office document",
}
"""What other zip archives are, by a file that they hold."""


def load_archive(path: Path) -> ExportedProgram:
    """The exported program in a `.pt2` file. Nothing is unpickled: example inputs are left out.

    Raises:
        SourceError: the file is no such archive, is damaged, or holds what this PyTorch or ttstack does not read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            name = _model_name(path, archive)
            _check_version(path, _json(archive, f"models/{name}.json"))
            _refuse_pickles(path, archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, KeyError, RuntimeError) as e:
        raise SourceError(f"'{path}' is cut off or damaged", notes=(str(e),), hint=_EXPORT) from e
    try:
        with quiet():
            reader = _Mapped(path)
            return _load_exported_programs(reader, reader.get_file_names(), None)[name]
    except Exception as e:
        reason = shorten(str(e) or type(e).__name__, 160, placeholder=" ...")
        raise SourceError(f"PyTorch cannot read '{path}': {reason}", hint=_EXPORT) from e


class _Mapped(PT2ArchiveReader):
    """Weights are parts of the file, of which the system loads what is used; there are no example inputs."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.archive_file = _Records(self.archive_file, path)

    def read_bytes(self, name: str) -> bytes:
        """A record; nothing where it is an example input."""
        return b"" if name.startswith(_SAMPLES) else super().read_bytes(name)


class _Records:
    """Torch's reader of records, but for those that are asked for as storage."""

    def __init__(self, reader: Any, path: Path) -> None:
        self._reader = reader
        self._file = torch.UntypedStorage.from_file(str(path), shared=False, nbytes=path.stat().st_size)

    def get_storage_from_record(self, name: str, count: int, dtype: torch.dtype) -> torch.Tensor:
        """`count` elements of the file itself, as torch's reader gives them of a copy."""
        at: int = self._reader.get_record_offset(name)
        record: Any = self._file[at : at + count * dtype.itemsize]
        return torch.empty(0, dtype=dtype).set_(record, 0, (count,), (1,))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)


def _model_name(path: Path, archive: zipfile.ZipFile) -> str:
    records = _records(archive)
    if "archive_format" not in records or _read(archive, "archive_format") != b"pt2":
        what = next((what for record, what in _FOREIGN.items() if record in records), "another zip archive")
        raise SourceError(f"'{path}' is no exported program; it looks like {what}", hint=_EXPORT)
    names = [r.removeprefix("models/").removesuffix(".json") for r in records if r.startswith("models/")]
    if len(names) == 1:
        return names[0]
    held = f"programs {', '.join(sorted(names))}" if names else "compiled code (AOTInductor) and no program"
    raise SourceError(f"'{path}' holds {held}", hint=f"one program a file: {_EXPORT}")


def _check_version(path: Path, program: Mapping[str, Any]) -> None:
    version, known = program["schema_version"], ".".join(map(str, SCHEMA_VERSION))
    if version["major"] != SCHEMA_VERSION[0]:
        by = f"PyTorch {program.get('torch_version', 'of another version')}"
        raise SourceError(
            f"'{path}' was written by {by} in schema {version['major']}.{version['minor']}",
            notes=(f"PyTorch {torch.__version__} reads schema {known}",),
            hint="install the PyTorch that wrote it, or export the model again",
        )


def _refuse_pickles(path: Path, archive: zipfile.ZipFile) -> None:
    """Tensors of other classes and other objects are pickled, and a pickle runs code."""
    configs = [r for r in _records(archive) if r.startswith("data/") and r.endswith("_config.json")]
    entries = {name: entry for r in configs for name, entry in _json(archive, r)["config"].items()}
    pickled = sorted(name for name, entry in entries.items() if entry["use_pickle"])
    if pickled:
        raise SourceError(
            f"'{path}' holds pickled objects, which are not read",
            notes=(", ".join(pickled),),
            hint="load it with torch.export.load, if you trust it, and compile what that gives",
        )


def _records(archive: zipfile.ZipFile) -> Collection[str]:
    """Names without the folder that all are in."""
    return [name.partition("/")[2] or name for name in archive.namelist()]


def _read(archive: zipfile.ZipFile, record: str) -> bytes:
    folder = archive.namelist()[0].partition("/")[0]
    return archive.read(f"{folder}/{record}")


def _json(archive: zipfile.ZipFile, record: str) -> Any:
    return json.loads(_read(archive, record))

"""Finding and reading device descriptions: a path that exists, otherwise the preset of that name."""

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from ttstack.diagnostics import SystemDescError
from ttstack.support.plugins import installed_devices
from ttstack.support.suggestion import did_you_mean, file_meant
from ttstack.system_desc.at_release import chip_at_release
from ttstack.system_desc.chip import ChipDesc
from ttstack.system_desc.faults import MISSING, Fault, error_of, faults_of
from ttstack.system_desc.inheritance import resolve_bases
from ttstack.system_desc.measured_figures import record_changes
from ttstack.system_desc.shares import state_shares_of
from ttstack.system_desc.system import SystemDesc

if TYPE_CHECKING:
    from ttstack.system_desc.document import Document

PRESETS = Path(__file__).parent / "presets"


_BOARDS = {
    "n150": "wormhole",
    "n300": "wormhole_n300",
    "t3000": "wormhole_t3000",
    "p100a": "blackhole_p100a",
    "p150": "blackhole_p150",
}
"""Names of boards, which mean the preset of theirs too."""


MEASURED = ("wormhole", "wormhole_n300", "blackhole_p150", "blackhole_p100a")
"""Presets that have all chips with measurements, harvested ones too; chips of other presets are the same."""


def presets() -> tuple[str, ...]:
    """Return the names of the presets, sorted: ours, and those that installed plug-ins bring."""
    return tuple(sorted({*_own(), *installed_devices()}))


def names() -> tuple[str, ...]:
    """Return all names that `load` accepts: presets, then boards."""
    return (*presets(), *_BOARDS)


def _own() -> tuple[str, ...]:
    return tuple(path.stem for path in PRESETS.glob("*.yaml"))


def load(name: str | os.PathLike[str]) -> SystemDesc:
    """The description in the file `name`, else the preset of that name, with or without `.yaml`.

    Raises:
        SystemDescError: there is no such file or preset, or it has faults; one note each, with file and line.
    """
    text = os.fspath(name)
    path = _locate(text, Path())
    return _load_preset(path) if path.parent == PRESETS else _compare(_validate(_read(path, text, ())))


def loads(text: str, *, origin: str = "<text>") -> SystemDesc:
    """The description in a YAML text; bases are looked for from the working directory.

    Raises:
        SystemDescError: the text has faults; one note each, with line.
    """
    from ttstack.system_desc.document import parse  # a program is read without YAML

    document = parse(text, origin)
    resolve_bases(document, lambda base: _find_base(base, Path(), ()))
    state_shares_of(document)
    return _compare(_validate(document))


def _compare(desc: SystemDesc) -> SystemDesc:
    """Record in which figures chips differ from the measured ones whose calibration they have."""
    return desc.model_copy(update={"chips": tuple(map(_compare_chip, desc.chips))})


def _compare_chip(chip: ChipDesc) -> ChipDesc:
    presets = (_load_preset(PRESETS / f"{name}.yaml") for name in MEASURED if chip.arch.startswith(name.split("_")[0]))
    measured = [c for desc in presets for c in desc.chips if c.calibration and c.calibration == chip.calibration]
    found = [record_changes(chip, chip_at_release(other, chip.ttnn)) for other in measured]
    return min(found, key=lambda changed: len(changed.measured_figures), default=chip)


@cache
def _load_preset(path: Path) -> SystemDesc:
    return _validate(_read(path, path.name, ()))


def _validate(document: "Document") -> SystemDesc:
    faults = list(document.faults)
    try:
        desc = SystemDesc.model_validate(document.value)
    except ValidationError as error:
        faults += [fault for fault in faults_of(error, document.value, document.marks) if not _follows(fault, document)]
    else:
        if not faults:
            return desc
    raise error_of(faults, document.file)


def _follows(fault: Fault, document: "Document") -> bool:
    """Return True if a fault only follows from an earlier read error."""
    inherited = fault.message == MISSING and fault.path[:2] in document.unresolved
    return inherited or any(fault.path == read.path for read in document.faults)


def _locate(name: str, folder: Path) -> Path:
    """Return the path of a named file relative to `folder`; raise `SystemDescError` if it does not exist."""
    path = folder / name
    try:
        is_folder = bool(name) and path.is_dir()
        if name and path.exists() and not is_folder:
            return path
    except OSError as error:
        raise SystemDescError(f"cannot read '{name[:80]}': {error.strerror}") from error
    stem = name.removesuffix(".yaml")
    if (preset := _BOARDS.get(stem.lower(), stem)) in _own():
        return PRESETS / f"{preset}.yaml"
    if stem in installed_devices():
        return installed_devices()[stem]
    hint = did_you_mean(Path(stem).name, names()) or file_meant(path) or "name a preset or the path of a YAML file"
    what = "is a folder" if is_folder else "is neither a file nor a preset"
    raise SystemDescError(f"'{name}' {what}", notes=(f"presets: {', '.join(presets())}",), hint=hint)


def _read(path: Path, label: str, users: tuple[Path, ...]) -> "Document":
    """Return the document at `path` with its bases resolved; `users` are the files that led here."""
    from ttstack.system_desc.document import parse

    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise SystemDescError(f"cannot read '{label}': {error.strerror}", loc=label) from error
    except UnicodeDecodeError as error:
        raise error_of(
            [Fault(f"{label} is not UTF-8 text: byte {error.start} is {error.object[error.start]:#04x}")],
            label,
        ) from error
    document = parse(text, label, ours=path.parent == PRESETS)
    chain = (*users, path.resolve())
    resolve_bases(document, lambda base: _find_base(base, path.parent, chain))
    state_shares_of(document)
    return document


def _find_base(name: str, folder: Path, users: tuple[Path, ...]) -> "Document":
    path = _locate(name, folder)
    if path.resolve() in users:
        raise SystemDescError(f"'{name}' is based on itself")
    return _read(path, path.name if path.parent == PRESETS else str(path), users)

"""Saving and loading programs."""

from pathlib import Path

from ttstack.diagnostics import BinaryFormatError, OutputError, SystemDescError
from ttstack.flatbuffer import beside, container, safetensors
from ttstack.flatbuffer._generated.binary_generated import Storage
from ttstack.flatbuffer.arrays import value_bytes
from ttstack.flatbuffer.container import FileContents
from ttstack.flatbuffer.decode import decode
from ttstack.flatbuffer.encode import WeightLocation, encode
from ttstack.flatbuffer.weights import Finder, StoredWeight, WeightsSection
from ttstack.options.choices import WeightStorage
from ttstack.program.records import Binary, Weight
from ttstack.program.validate import validate_binary
from ttstack.support.files import follow_links, is_special, part_of, replace_file, report_refusals

INLINE_LIMIT = 64 << 20
"""Maximum bytes of weights that `auto` stores in the `.ttb` file itself."""


def save(binary: Binary, path: str | Path, *, weights: WeightStorage = "auto") -> list[Path]:
    """Write a program atomically, and return the paths of the program and of the weights next to it.

    Args:
        binary: The program.
        path: The file, replaced if it exists.
        weights: Where the values are stored: in the file, in `<stem>.<hash>.weights.safetensors` next to it, or
        (`auto`) in the file up to 64 MiB in total, or if it is a device such as /dev/null.

    Raises:
        OutputError: the file cannot be written, or `weights` is not one of the three.
        ValueError: the values of a weight are not of its type, or an attribute's value has no encoding.
    """
    if weights not in ("auto", "inline", "beside"):
        raise OutputError(f"weights is {weights!r}", hint="give 'auto', 'inline' or 'beside'")
    path = Path(path)
    present = [w for w in binary.weights.values() if isinstance(w, StoredWeight) or w.data is not None]
    small = sum(value_bytes(w.type) for w in present) <= INLINE_LIMIT
    if weights == "inline" or not present or (weights == "auto" and (small or is_special(path))):
        _save_inline(binary, path, WeightsSection(present))
        return [path]
    return [path, _save_beside(binary, path, present)]


def load(path: str | Path, *, verify: bool = False) -> Binary:
    """Read a program; every byte of the file and every reference in it is checked.

    Values of weights inside the file are mapped. Those in a separate file are mapped and checked on first use of
    `Weight.data`, so that a program can be inspected and priced without them.

    Args:
        path: The file.
        verify: Whether to check separate weights immediately.

    Raises:
        BinaryFormatError: the file, or the separate one, is missing, incomplete, altered, of an unknown version, or
        contains an inconsistent program.
    """
    path = Path(path)
    binary = _with_its_weights(path, container.read(path))
    validate_binary(binary, origin=str(path))
    for weight in binary.weights.values() if verify else ():
        _ = weight.data
    return binary


def _with_its_weights(path: Path, contents: FileContents) -> Binary:
    """Return the program; if another program has replaced it and its weights meanwhile, that one."""
    while True:
        finder = Finder(path, contents.weights)
        binary = _decode(path, contents, finder)
        if not finder.misses_any or (now := container.read(path)).program == contents.program:
            return binary
        contents = now


def _decode(path: Path, contents: FileContents, finder: Finder) -> Binary:
    try:
        return decode(contents.program, finder, origin=str(path))
    except (ValueError, SystemDescError) as error:
        notes = error.diagnostic.notes if isinstance(error, SystemDescError) else (str(error),)
        raise BinaryFormatError(
            "this program cannot be decoded",
            loc=path,
            notes=notes,
            hint="compile the model again with this ttstack",
        ) from error


def _save_inline(binary: Binary, path: Path, section: WeightsSection) -> None:
    program = encode(binary, section.places)
    if is_special(path):
        with replace_file(path) as file:
            container.write(file, program, section.nbytes, section)
        return
    with report_refusals(path), part_of(target := follow_links(path)) as part:
        container.write(part.file, program, section.nbytes, section)
        beside.put(part, target)


def _save_beside(binary: Binary, path: Path, weights: list[Weight]) -> Path:
    if is_special(path):
        raise OutputError(f"'{path}' is a device: no file can be next to it", hint="give 'inline'")
    with report_refusals(path), part_of(target := follow_links(path)) as part, part_of(target) as values:
        hashes = safetensors.write(values.file, weights, beside.USE)
        places = {name: WeightLocation(Storage.BESIDE, 0, sha256) for name, sha256 in hashes.items()}
        name = beside.file_name(target, weights, hashes)
        container.write(part.file, encode(binary, places, name), 0, ())
        beside.put(part, target, values, name)
    return path.with_name(name)

"""Weights files next to programs: names, atomic replacement together with the program, and removal.

A weights file is named by its content, so that it never replaces one that another program needs. It is put in place
first, and the program that names it follows in one step, so that there is always an old or a new program with its
weights. Files that no program in the folder names are removed last.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ttstack.flatbuffer import container, safetensors
from ttstack.program.records import Weight
from ttstack.support.files import PartialFile, alone_in, settle

USE = "a program"
"""The owner that is recorded in the file; files of other owners are never removed."""
_SUFFIX = "weights.safetensors"


def file_name(program: Path, weights: Sequence[Weight], hashes: Mapping[str, str]) -> str:
    """Return `<stem>.<hash>.weights.safetensors`, with the program's stem and a hash of the weights."""
    content = repr([(weight.name, str(weight.type), hashes[weight.name]) for weight in weights])
    return f"{_stem(program)}.{hashlib.sha256(content.encode()).hexdigest()[:12]}.{_SUFFIX}"


def put(program: PartialFile, target: Path, weights: PartialFile | None = None, name: str = "") -> None:
    """Replace `target` by a program, after its separate weights file if there is one.

    Raises:
        OSError: the file system refuses; the previous files are still there.
    """
    for part in filter(None, (weights, program)):
        part.finish()
    with alone_in(target.parent) as alone:
        if weights:
            weights.put(target.with_name(name))
            settle(target.parent)
        program.put(target)
        settle(target.parent)
        with suppress(OSError):  # what cannot be read may need any of them
            for unused in _unused(target) if alone else ():
                target.with_name(unused).unlink()


def _unused(target: Path) -> Iterator[str]:
    """Yield weights files of programs with this stem that no program in the folder names."""
    hashed = re.compile(rf"{re.escape(_stem(target))}\.[0-9a-f]{{12}}\.{re.escape(_SUFFIX)}")
    files = [target, *(path for path in target.parent.iterdir() if path.is_file())]
    named = (path for path in files if hashed.fullmatch(path.name))
    found = {path.name for path in named if safetensors.use_of(path) == USE}
    for path in files:
        if not found:
            break
        content = container.flatbuffer_of(path)
        found = {name for name in found if name.encode() not in content}
    yield from found


def _stem(program: Path) -> str:
    """Return the stem as a program can store it, in UTF-8."""
    return program.stem.encode(errors="replace").decode()

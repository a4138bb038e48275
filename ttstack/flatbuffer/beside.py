"""Weights files beside programs: how they are named, put in place together with the program, and removed.

A weights file is named by what it holds, so that it never replaces one that another program needs. It is put in
place first; the program that names it follows in one step, so that there is always an old or a new program, with its
weights. Files that no program in the folder names any more go last.
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
"""Whose the weights are, in their file; no other file is ever removed."""
_SUFFIX = "weights.safetensors"


def file_name(program: Path, weights: Sequence[Weight], hashes: Mapping[str, str]) -> str:
    """`<stem>.<hash>.weights.safetensors`, by the stem of the program and by the weights with the hashes of values."""
    content = repr([(weight.name, str(weight.type), hashes[weight.name]) for weight in weights])
    return f"{_stem(program)}.{hashlib.sha256(content.encode()).hexdigest()[:12]}.{_SUFFIX}"


def put(program: PartialFile, target: Path, weights: PartialFile | None = None, name: str = "") -> None:
    """Put a program in the place of `target`, after the weights that it names, where they are beside it.

    Raises:
        OSError: the file system refuses; what was there is still there.
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
    """Yield the weights files that say they are of a program, of this stem, and that no program in the folder names."""
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
    """The stem as a program can name it: in UTF-8."""
    return program.stem.encode(errors="replace").decode()

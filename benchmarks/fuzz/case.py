"""What a campaign consists of: files, changes to them, and kinds of file with their readers."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

Files = Mapping[str, bytes]
"""What lies in a folder, by name: first the file that is read, then those beside it."""
CANARY = "ttstack-canary"
"""What planted code makes: a folder of this name beside the folder of the case."""


class Promise(StrEnum):
    """What must hold of a mutant, beside that it is read or refused."""

    ANY = "any"
    """It is accepted or refused."""
    EQUAL = "equal"
    """Its meaning is that of the seed: it is accepted, and gives the same."""
    SEALED = "sealed"
    """A checksum says that it was changed: it is refused, or gives the same as the seed."""
    REFUSED = "refused"
    """It asks for what is never allowed."""


@dataclass(frozen=True)
class Mutator:
    """One way to change files."""

    name: str
    change: Callable[[random.Random, Files], Files]
    promise: Promise = Promise.ANY


@dataclass(frozen=True)
class Kind:
    """One kind of file that is read.

    `read` gives text that is the same for equal meanings, and raises `TTStackError` where the file is refused.
    """

    name: str
    seeds: Callable[[], Sequence[Files]]
    mutators: Sequence[Mutator]
    read: Callable[[Path], str]
    check: Callable[[Path, random.Random], str | None] | None = None
    """How an accepted file differs from what others read in it; None where it does not."""
    weight: int = 10
    """Its share of a campaign."""


def first(files: Files) -> str:
    """The name of the file that is read."""
    return next(iter(files))


def with_first(files: Files, content: bytes) -> Files:
    """The files with other content of the first."""
    return {**files, first(files): content}


def on_first(change: Callable[[random.Random, bytes], bytes]) -> Callable[[random.Random, Files], Files]:
    """A change of the first file."""
    return lambda rng, files: with_first(files, change(rng, files[first(files)]))


def on_last(change: Callable[[random.Random, bytes], bytes]) -> Callable[[random.Random, Files], Files]:
    """A change of the last file, which is the one beside where there are two."""

    def apply(rng: random.Random, files: Files) -> Files:
        last = list(files)[-1]
        return {**files, last: change(rng, files[last])}

    return apply

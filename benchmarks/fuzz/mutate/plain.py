"""Changes of bytes, whatever they mean."""

import random

from benchmarks.fuzz.case import Mutator, Promise, on_first, on_last


def flip(rng: random.Random, data: bytes) -> bytes:
    """Some bits are others."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 4, 16))):
        found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    return bytes(found)


def overwrite(rng: random.Random, data: bytes) -> bytes:
    """A run of bytes that numbers and lengths are extreme with."""
    at, run = rng.randrange(len(data)), rng.choice((b"\0", b"\xff", b"\x7f\xff\xff\xff", b"\xff" * 8, b"\x80", b"-"))
    return data[:at] + run + data[at + len(run) :]


def insert(rng: random.Random, data: bytes) -> bytes:
    """Bytes more."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.randbytes(rng.choice((1, 1, 3, 40))) + data[at:]


def delete(rng: random.Random, data: bytes) -> bytes:
    """Bytes less."""
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice((1, 1, 2, 8, 64)) :]


def truncate(rng: random.Random, data: bytes) -> bytes:
    """The end is missing."""
    return data[: rng.randrange(len(data))]


def splice(rng: random.Random, data: bytes) -> bytes:
    """A piece stands in another place too."""
    begin, at = rng.randrange(len(data)), rng.randrange(len(data))
    piece = data[begin : begin + rng.randrange(1, 64)]
    return data[:at] + piece + data[at + rng.choice((0, len(piece))) :]


_CHANGES = (flip, overwrite, insert, delete, truncate, splice)


def mutators(promise: Promise = Promise.ANY, *, beside: bool = False) -> list[Mutator]:
    """All changes of bytes of the first file, or of the one beside it."""
    where = on_last if beside else on_first
    return [Mutator(change.__name__, where(change), promise) for change in _CHANGES]

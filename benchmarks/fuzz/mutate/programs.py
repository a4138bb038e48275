"""Changes of compiled programs, under a hash that is renewed or not."""

import io
import random
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from benchmarks.fuzz.case import Files, Mutator, Promise, first, with_first
from benchmarks.fuzz.mutate import plain, tensors
from tests.flatbuffer.test_fields import Fault, FaultyWriter, wrong_value
from ttstack.flatbuffer import container, encode, load
from ttstack.flatbuffer.container import ALIGNMENT, FileContents
from ttstack.flatbuffer.weights import WeightsSection


def opened(files: Files) -> FileContents:
    """The parts of the program."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / first(files)
        path.write_bytes(files[first(files)])
        found = container.read(path)
        return FileContents(found.program, found.weights.copy())


def sealed(program: bytes, weights: bytes) -> bytes:
    """A whole file with a hash that fits."""
    out = io.BytesIO()
    container.write(out, program, len(weights), [weights])
    return out.getvalue()


def _bytes(rng: random.Random, files: Files) -> Files:
    found = opened(files)
    change = rng.choice((plain.flip, plain.overwrite, plain.insert, plain.delete, plain.truncate, plain.splice))
    return with_first(files, sealed(change(rng, found.program), found.weights.tobytes()))


def _words(rng: random.Random, files: Files) -> Files:
    """Offsets, lengths and numbers, which lie at multiples of four."""
    found = opened(files)
    program = bytearray(found.program)
    for _ in range(rng.choice((1, 1, 1, 3))):
        at, size = rng.randrange(0, len(program) - 8, 4), rng.choice((4, 8))
        number = rng.choice((0, 1, 4, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63, len(program), rng.getrandbits(16)))
        program[at : at + size] = (number % 2 ** (8 * size)).to_bytes(size, "little")
    return with_first(files, sealed(bytes(program), found.weights.tobytes()))


def _weights(rng: random.Random, files: Files) -> Files:
    """The weights section: shorter, longer, other values."""
    found = opened(files)
    weights = found.weights.tobytes()
    if not weights:
        return _bytes(rng, files)
    change = rng.choice((plain.truncate, plain.insert, plain.delete))
    return with_first(files, sealed(found.program, change(rng, weights)))


def _fields(rng: random.Random, files: Files) -> Files:
    """A field of a table is absent, a string, or an impossible number."""
    with TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        binary = load(Path(folder) / first(files))
        section = WeightsSection(list(binary.weights.values())) if len(files) == 1 else None
        while True:
            FaultyWriter.fault = Fault(rng.randrange(400), wrong_value(rng))
            try:
                with patch.object(encode, "Writer", FaultyWriter):
                    program = encode.encode(binary, section.places if section else None)
            except Exception:  # what the field cannot hold
                continue
            weights = b"".join(bytes(memoryview(p).cast("B")) for p in section) if section else b""
            return with_first(files, sealed(program, weights))


def _header(rng: random.Random, files: Files) -> Files:
    data = bytearray(files[first(files)])
    at = rng.choice((4, 6, 8, 16, 24, 32))
    data[at : at + 2] = rng.choice((b"\0\0", b"\xff\xff", b"\x01\x00", b"\x09\x00"))
    return with_first(files, bytes(data))


def _resealed(rng: random.Random, files: Files) -> Files:
    """Zeros where nothing is said: what lies between the program and the weights."""
    found = opened(files)
    return with_first(files, sealed(found.program + bytes(4 * rng.randrange(ALIGNMENT // 8)), found.weights.tobytes()))


INLINE = [
    *plain.mutators(Promise.SEALED),
    Mutator("ttb_header", _header, Promise.SEALED),
    *(Mutator(f"ttb{c.__name__}", c) for c in (_bytes, _words, _words, _words, _weights, _fields, _fields, _fields)),
    Mutator("ttb_resealed", _resealed, Promise.EQUAL),
]
BESIDE = [*tensors.BESIDE, Mutator("ttb_bytes", _bytes), Mutator("ttb_words", _words)]

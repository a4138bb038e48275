"""Changes of safetensors files: their header, under a length that fits or not."""

import json
import random

from benchmarks.fuzz.case import Files, Mutator, Promise, first, on_first, on_last, with_first
from benchmarks.fuzz.mutate import documents, plain


def split(data: bytes) -> tuple[bytes, bytes]:
    """Header and values."""
    length = int.from_bytes(data[:8], "little")
    return data[8 : 8 + length], data[8 + length :]


def joined(header: bytes, values: bytes) -> bytes:
    """A file with a length of the header that fits."""
    return len(header).to_bytes(8, "little") + header + values


def _header(rng: random.Random, data: bytes) -> bytes:
    header, values = split(data)
    entries = json.loads(header)
    for _ in range(rng.choice((1, 1, 2))):
        entries = documents.change_value(rng, entries)
    return joined(json.dumps(entries).encode(errors="replace"), values)


def _numbers(rng: random.Random, data: bytes) -> bytes:
    """Offsets and shapes that overlap, leave gaps, or have other types of number."""
    header, values = split(data)
    entries = json.loads(header)
    entry = entries[rng.choice([name for name in entries if name != "__metadata__"])]
    field = rng.choice(("shape", "data_offsets"))
    if entry[field]:
        at = rng.randrange(len(entry[field]))
        entry[field][at] = rng.choice((0, 1, 8, -8, 2**63, 2**64, True, 1.0, "8", entry[field][at] + 4))
    return joined(json.dumps(entries).encode(), values)


def _type(rng: random.Random, data: bytes) -> bytes:
    header, values = split(data)
    entries = json.loads(header)
    entry = entries[rng.choice([name for name in entries if name != "__metadata__"])]
    entry["dtype"] = rng.choice(
        ("F32", "F64", "I64", "BF16", "F16", "BOOL", "U64", "F8_E4M3", "C64", "NOPE", "I32", "U8")
    )
    return joined(json.dumps(entries).encode(), values)


def _spelling(rng: random.Random, data: bytes) -> bytes:
    """Keys twice, padding, deep nesting, other bytes behind."""
    header, values = split(data)
    text = header.decode().strip()
    found = rng.choice(
        (
            text[:-1] + "," + text[1:],
            "[" * 100_000,
            '{"x":' * 100_000,
            text[:-1] + ', "__metadata__": {"a": 1}}',
            text[:-1] + ', "__metadata__": {"a": "b"}}',
            text + "x",
            " " + text,
            text.replace("0", "0.0", 1),
            text.replace("0", "1e400", 1),
            text.replace("0", "9" * 5000, 1),
            text.replace('"', '"\\ud800', 1),
            "NaN",
        )
    )
    return joined(found.encode(), values + rng.choice((b"", b"", b"more")))


def _length(rng: random.Random, data: bytes) -> bytes:
    length = rng.choice((0, 1, 7, 2**63, 2**64 - 1, 100_000_001, len(data), rng.getrandbits(64)))
    return length.to_bytes(8, "little") + data[8:]


def _stays(rng: random.Random, files: Files) -> Files:
    header, values = split(files[first(files)])
    entries = list(json.loads(header).items())
    rng.shuffle(entries)
    text = json.dumps(dict(entries), indent=rng.choice((None, 1))).encode()
    return with_first(files, joined(text + b" " * rng.randrange(9), values))


def _facts(rng: random.Random, data: bytes) -> bytes:
    """The JSON that stands in the metadata."""
    header, values = split(data)
    entries = json.loads(header)
    metadata = entries["__metadata__"]
    key = rng.choice(list(metadata))
    facts = json.loads(metadata[key])
    for _ in range(rng.choice((1, 1, 2))):
        facts = documents.change_value(rng, facts)
    metadata[key] = rng.choice((json.dumps(facts), json.dumps(facts), "[" * 100_000))
    return joined(json.dumps(entries).encode(errors="replace"), values)


_CHANGES = (_header, _numbers, _type, _spelling, _length)

MUTATORS = [
    *plain.mutators(),
    *(Mutator(f"tensors{change.__name__}", on_first(change)) for change in _CHANGES),
    Mutator("tensors_stays", _stays, Promise.EQUAL),
]
FACTS = [*MUTATORS, *(Mutator("tensors_facts", on_first(_facts)),) * 3]
"""Mutators of files with metadata."""
BESIDE = [
    *plain.mutators(Promise.SEALED, beside=True),
    *(Mutator(f"tensors{change.__name__}", on_last(change), Promise.SEALED) for change in _CHANGES),
]
"""Mutators of weights beside a program, which has their hashes."""

"""Changes of zip archives, and of the arrays and records in them: names, lengths and checksums forged or renewed."""

import io
import json
import os
import pickle
import random
import struct
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.fuzz.case import CANARY, Files, Mutator, Promise, first, on_first, with_first
from benchmarks.fuzz.mutate import documents, plain
from benchmarks.fuzz.mutate.numbers import WHOLE

Records = Mapping[str, bytes]
_STORED, _DEFLATED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
_NAMES = (
    "../secret",
    "/etc/passwd",
    "a\\b",
    "x.npy",
    "",
    "é" * 100,
    "data/../../x",
    "CON",
    "x/",
    "model/data/constants/opaque_obj_0",
)


def unpacked(data: bytes) -> dict[str, bytes]:
    """Entries by name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def packed(entries: Records, *more: tuple[str, bytes], how: int = _STORED) -> bytes:
    """An archive with checksums that fit; names may stand twice."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", how) as archive:
        warnings.simplefilter("ignore", UserWarning)
        for name, content in (*entries.items(), *more):
            archive.writestr(zipfile.ZipInfo(name), content, how)
    return out.getvalue()


def _name(rng: random.Random, data: bytes) -> bytes:
    entries = unpacked(data)
    old = rng.choice(list(entries))
    new = rng.choice((*_NAMES, old.upper(), old + " ", old.replace("/", "//", 1), f"./{old}", old[:-1]))
    return packed({new if name == old else name: content for name, content in entries.items()})


def _twice(rng: random.Random, data: bytes) -> bytes:
    entries = unpacked(data)
    name = rng.choice(list(entries))
    other = plain.flip(rng, entries[name]) if entries[name] else b"x"
    return packed(entries, (rng.choice((name, name.upper(), name.title())), other))


def _dropped(rng: random.Random, data: bytes) -> bytes:
    entries = unpacked(data)
    del entries[rng.choice(list(entries))]
    return packed(entries)


def _added(rng: random.Random, data: bytes) -> bytes:
    return packed(unpacked(data), (rng.choice(_NAMES), rng.randbytes(rng.choice((0, 10, 3000)))))


def _content(rng: random.Random, data: bytes) -> bytes:
    """Bytes of an entry, under a checksum that fits."""
    entries = unpacked(data)
    name = rng.choice([n for n, c in entries.items() if c])
    change = rng.choice((plain.flip, plain.overwrite, plain.insert, plain.delete, plain.truncate, plain.splice))
    return packed({**entries, name: change(rng, entries[name])}, how=rng.choice((_STORED, _STORED, _DEFLATED)))


def _forged(rng: random.Random, data: bytes) -> bytes:
    """A field of a local header, of the directory, or of its end: method, flags, checksum, lengths, offsets, counts."""
    magic, low, high = rng.choice(((b"PK\x03\x04", 4, 30), (b"PK\x01\x02", 4, 46), (b"PK\x05\x06", 4, 22)))
    found = []
    at = data.find(magic)
    while at >= 0:
        found.append(at)
        at = data.find(magic, at + 1)
    if not found:
        return data + magic
    field = rng.choice(found) + rng.randrange(low, high - 3, 2)
    value = struct.pack("<I", rng.choice((0, 1, 8, 12, 99, 0x7FFFFFFF, 0xFFFFFFFF, 0xFFFFFFFE, rng.getrandbits(32))))
    width = rng.choice((2, 4))
    return data[:field] + value[:width] + data[field + width :]


def _bomb(rng: random.Random, data: bytes) -> bytes:
    entries = unpacked(data)
    name = rng.choice(list(entries))
    return packed({**entries, name: entries[name] + bytes(rng.choice((1 << 20, 1 << 24)))}, how=_DEFLATED)


class _Command:
    """Whoever unpickles it makes a folder."""

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (str(Path("..") / CANARY),)


def pickled(rng: random.Random) -> bytes:
    """A pickle that makes the canary."""
    return pickle.dumps(_Command(), rng.randrange(2, 6))


def _planted(rng: random.Random, data: bytes) -> bytes:
    """A pickle in the place of an entry, or in a new one."""
    entries = unpacked(data)
    folder = first(entries).partition("/")[0] if "/" in first(entries) else ""
    known = ("data.pkl", "data/constants/opaque_obj_0", "data/weights/model.pt", "data/constants/model.pt", "x.npy")
    name = rng.choice((*entries, *(f"{folder}/{k}" if folder else k for k in known)))
    return packed({**entries, name: pickled(rng)})


def _rezipped(rng: random.Random, files: Files) -> Files:
    """As another tool packs it: deflated, or stored."""
    how = rng.choice((_STORED, _DEFLATED))
    return with_first(files, packed(unpacked(files[first(files)]), how=how))


ZIP = [
    *plain.mutators(Promise.SEALED),
    *(Mutator(f"zip{c.__name__}", on_first(c)) for c in (_name, _twice, _dropped, _added, _content, _content, _bomb)),
    Mutator("zip_forged", on_first(_forged), Promise.SEALED),
    Mutator("zip_planted", on_first(_planted)),
    Mutator("zip_rezipped", _rezipped, Promise.EQUAL),
]
"""Mutators of archives whose every entry has a checksum."""


def _json(rng: random.Random, data: bytes) -> bytes:
    """A value of a record in JSON."""
    entries = unpacked(data)
    name = rng.choice([n for n in entries if n.endswith(".json")])
    value = json.loads(entries[name])
    for _ in range(rng.choice((1, 1, 2))):
        value = documents.change_value(rng, value)
    return packed({**entries, name: json.dumps(value).encode(errors="replace")})


def _expression(rng: random.Random, data: bytes) -> bytes:
    """Code in the place of a text of the program: sizes, names of ops, arguments, metadata."""
    code = rng.choice(
        (f"__import__('os').mkdir('../{CANARY}')", f"x=__import__('os').mkdir('../{CANARY}')", "os.system")
    )
    entries = unpacked(data)
    name = next(n for n in entries if n.endswith("model.json"))
    program = json.loads(entries[name])
    texts = [p for p in documents.places(program) if p and isinstance(_at(program, p), str)]
    path = rng.choice(texts)
    _at(program, path[:-1])[path[-1]] = code
    if rng.randrange(2):
        sizes = [p for p in documents.places(program) if p and p[-1] == "as_int"]
        path = rng.choice(sizes)
        holder = _at(program, path[:-1])
        holder.clear()
        holder["as_expr"] = {"expr_str": code, "hint": {"as_int": 2}}
    return packed({**entries, name: json.dumps(program).encode()})


def _at(value: object, path: tuple[object, ...]) -> object:
    for key in path:
        value = value[key]  # pyright: ignore
    return value


PT2 = [*ZIP, *(Mutator(f"pt2{c.__name__}", on_first(c)) for c in (_json, _json, _json, _expression))]


def _npy(rng: random.Random, data: bytes) -> bytes:
    """The header of an array: its type, order, shape, version or length."""
    entries = unpacked(data)
    name = rng.choice(list(entries))
    array = entries[name]
    header_end = array.index(b"\n") + 1
    header = array[10:header_end].decode("latin1")
    number = str(rng.choice((*WHOLE, 2**70)))
    odd = rng.choice(
        (
            (
                "'<i8'",
                rng.choice(("'|O'", "'<f8'", "'|V8'", "[('a', '<i8')]", "'<U2'", "'>i8'", "'<M8[s]'", "'<c16'", "'?'")),
            ),
            ("'<f4'", rng.choice(("'|O'", "'<f2'", "'|V4'", "'>f4'", "'|S4'", "'<f4' * 9", "f" * 400))),
            ("(2,", f"({number},"),
            ("3)", f"{number})"),
            ("False", rng.choice(("True", "None", "1", "[" * 200 + "]" * 200))),
            ("'shape'", rng.choice(("'shape2'", "'shape': (1,), 'shape'", "__import__('os')"))),
            ("{", rng.choice(("", "{{", "{**{}, ", f"{{'x': __import__('os').mkdir('../{CANARY}'), "))),
        )
    )
    text = header.replace(*odd).rstrip() + "\n"
    length = rng.choice((len(text), len(text), len(text), 0, 65535))
    version = rng.choice((b"\x01\x00",) * 5 + (b"\x02\x00", b"\x03\x00", b"\x09\x09"))
    made = b"\x93NUMPY" + version + struct.pack("<H", length) + text.encode("latin1", "replace") + array[header_end:]
    return packed({**entries, name: made}, how=rng.choice((_STORED, _DEFLATED)))


NPZ = [*ZIP, *(Mutator(f"npz{c.__name__}", on_first(c)) for c in (_npy, _npy, _npy))]

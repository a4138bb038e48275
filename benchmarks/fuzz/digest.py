"""What a program is, as one short text: equal where nothing differs."""

import hashlib

from ttstack.flatbuffer.encode import encode
from ttstack.program.records import Binary


def digest(binary: Binary) -> str:
    """The hash of a program as it is saved, and of the values of its weights."""
    found = hashlib.sha256(encode(binary))
    for weight in binary.weights.values():
        values = weight.data
        found.update(f"{weight.name!r} {weight.type} {values is None}".encode(errors="surrogatepass"))
        if values is not None:
            found.update(values.tobytes())
    return found.hexdigest()

"""MLIR text: from a file or as a string."""

import time
from pathlib import Path

from ttstack.diagnostics import SourceError
from ttstack.frontends.readers.kind import Source
from ttstack.frontends.text import parse


def read(path: Path, _inputs: None = None) -> Source:
    """The module of a text file.

    Raises:
        SourceError: it is not UTF-8.
        InvalidIRError: it does not parse or verify.
        UnsupportedOpError: it has ops that have no conversion to TTIR.
    """
    try:
        return read_string(path.read_text("utf-8"), str(path))
    except UnicodeDecodeError as e:
        line = path.read_bytes().count(b"\n", 0, e.start) + 1
        raise SourceError(f"'{path}' is not UTF-8 text", loc=f"{path}:{line}") from e


def read_string(text: str, name: str) -> Source:
    """The module of a text that errors call `name`; raises as `read` does."""
    start = time.perf_counter()
    module = parse(text, name)
    return Source(module, name=name, phases={"parse": time.perf_counter() - start})

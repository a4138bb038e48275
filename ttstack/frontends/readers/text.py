"""Reader of MLIR text from a file or a string."""

import time
from pathlib import Path

from ttstack.diagnostics import SourceError
from ttstack.dialects.text import stored_attributes
from ttstack.frontends.readers.dialects import prepare_for, to_ttir
from ttstack.frontends.readers.entry import choose_function
from ttstack.frontends.readers.kind import SourceModel
from ttstack.frontends.readers.sound import check_nesting
from ttstack.frontends.resources import cut, has_constants, inline_resources
from ttstack.frontends.text import parse
from ttstack.mlir import ir, register_stablehlo_dialects

_STABLEHLO = ("stablehlo.", "chlo.", "vhlo.")
_SHARDING = "#sdy."
"""The prefix of JAX's sharding attributes, which are optional and ignored."""


def prepare(head: bytes) -> None:
    """Import the frontends of the dialects in the beginning of a text."""
    prepare_for(head.decode(errors="replace"))


def read(path: Path, function: str | None = None, inputs: object = None) -> SourceModel:
    """Return the module of a text file.

    Raises:
        SourceError: it is not UTF-8, or has no such function.
        InvalidIRError: it does not parse or verify.
        UnsupportedOpError: it has ops without a conversion to TTIR.
    """
    try:
        return read_string(path.read_text("utf-8"), str(path), function, inputs)
    except UnicodeDecodeError as e:
        line = path.read_bytes().count(b"\n", 0, e.start) + 1
        raise SourceError(f"'{path}' is not UTF-8 text", loc=f"{path}:{line}") from e


def read_string(text: str, name: str, function: str | None = None, inputs: object = None) -> SourceModel:
    """Return the module of a text that errors call `name`; raise errors as `read` does."""
    start, context = time.perf_counter(), ir.Context.current
    unregistered = context.allow_unregistered_dialects
    stored = stored_attributes(text)
    plain, data = cut(text)
    check_nesting(plain, name)
    if data and has_constants(plain):
        plain = inline_resources(plain, data)
    if any(dialect in plain for dialect in _STABLEHLO):
        register_stablehlo_dialects(context)
        context.allow_unregistered_dialects = unregistered or _SHARDING in plain
    module = parse(plain, name, stored)
    context.allow_unregistered_dialects = unregistered
    parsed = time.perf_counter()
    choose_function(module, function)
    weights = to_ttir(module, data, inputs)
    return SourceModel(module, weights, name, {"parse": parsed - start, "import": time.perf_counter() - parsed})

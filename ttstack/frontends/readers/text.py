"""MLIR text: from a file or as a string."""

import time
from pathlib import Path

from ttstack.diagnostics import SourceError
from ttstack.frontends.readers.dialects import prepare_for, to_ttir
from ttstack.frontends.readers.entry import choose_function
from ttstack.frontends.readers.kind import SourceModel
from ttstack.frontends.readers.resources import cut, inline_resources
from ttstack.frontends.readers.sound import check_nesting
from ttstack.frontends.text import parse
from ttstack.mlir import ir, register_stablehlo_dialects

_STABLEHLO = ("stablehlo.", "chlo.", "vhlo.")
_CONSTANT = '"ttir.constant"'
_SHARDING = "#sdy."
"""Attributes by which JAX says how ops may be spread over chips: StableHLO can be read without."""


def prepare(head: bytes) -> None:
    """Import the frontends of the dialects that the beginning of a text names."""
    prepare_for(head.decode(errors="replace"))


def read(path: Path, function: str | None = None, inputs: object = None) -> SourceModel:
    """The module of a text file.

    Raises:
        SourceError: it is not UTF-8, or has no such function.
        InvalidIRError: it does not parse or verify.
        UnsupportedOpError: it has ops that have no conversion to TTIR.
    """
    try:
        return read_string(path.read_text("utf-8"), str(path), function, inputs)
    except UnicodeDecodeError as e:
        line = path.read_bytes().count(b"\n", 0, e.start) + 1
        raise SourceError(f"'{path}' is not UTF-8 text", loc=f"{path}:{line}") from e


def read_string(text: str, name: str, function: str | None = None, inputs: object = None) -> SourceModel:
    """The module of a text that errors call `name`; raises as `read` does."""
    start = time.perf_counter()
    plain, data = cut(text)
    check_nesting(plain, name)
    if data and _CONSTANT in plain:
        plain = inline_resources(plain, data)
    if any(dialect in plain for dialect in _STABLEHLO):
        register_stablehlo_dialects(ir.Context.current)
        ir.Context.current.allow_unregistered_dialects = _SHARDING in plain
    module = parse(plain, name)
    ir.Context.current.allow_unregistered_dialects = False
    parsed = time.perf_counter()
    choose_function(module, function)
    weights = to_ttir(module, data, inputs)
    return SourceModel(module, weights, name, {"parse": parsed - start, "import": time.perf_counter() - parsed})

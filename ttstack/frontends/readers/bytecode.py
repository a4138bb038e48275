"""Reader of MLIR bytecode, StableHLO's portable artifacts, and serialized exports of JAX."""

import time
from pathlib import Path

from ttstack.frontends.readers.artifact import read_bytes
from ttstack.frontends.readers.dialects import prepare_for, to_ttir
from ttstack.frontends.readers.entry import choose_function
from ttstack.frontends.readers.kind import SourceModel
from ttstack.frontends.resources import resources


def prepare(_head: bytes) -> None:
    """Import the StableHLO frontend, which most binary files need; their dialect names are at the end."""
    prepare_for("stablehlo")


def read(path: Path, function: str | None = None, inputs: object = None) -> SourceModel:
    """Return the module of a binary file.

    Raises:
        SourceError: the artifact is truncated, damaged, of another kind, or newer than this reader; or the function
        does not exist.
        InvalidIRError: the bytecode is truncated or damaged, or does not verify.
        UnsupportedOpError: it has ops without a conversion to TTIR.
    """
    start = time.perf_counter()
    module = read_bytes(path.read_bytes(), str(path))
    parsed = time.perf_counter()
    choose_function(module, function)
    weights = to_ttir(module, resources(module), inputs)
    phases = {"parse": parsed - start, "import": time.perf_counter() - parsed}
    return SourceModel(module, weights, str(path), phases)

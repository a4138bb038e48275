"""MLIR bytecode."""

import time
from pathlib import Path

from ttstack.frontends.readers.kind import Source
from ttstack.mlir import ir
from ttstack.session import as_diagnostics


def read(path: Path, _inputs: None = None) -> Source:
    """The module of a bytecode file.

    Raises:
        InvalidIRError: it is cut off or damaged, or does not verify.
    """
    start = time.perf_counter()
    with as_diagnostics("cannot read the module", str(path)):
        module = ir.Module.parse(path.read_bytes())
    return Source(module, name=str(path), phases={"parse": time.perf_counter() - start})

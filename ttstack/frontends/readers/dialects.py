"""Modules of other dialects than TTIR: the frontend that converts each."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from ttstack.diagnostics import SourceError
from ttstack.frontends.calls import check_calls
from ttstack.mlir import ir, load_libraries

_FRONTENDS = {
    **dict.fromkeys(("stablehlo", "chlo", "vhlo"), "ttstack.frontends.stablehlo"),
    "tosa": "ttstack.frontends.tosa",
}
"""By the dialect of a module's ops, the package whose `convert_module` makes it TTIR."""


def prepare_for(text: str) -> None:
    """Import the frontends of the dialects that a text names, and the libraries that register them."""
    for package in {package for dialect, package in _FRONTENDS.items() if dialect in text}:
        import_module(package)
        load_libraries()


def to_ttir(
    module: ir.Module, resources: Mapping[str, memoryview], inputs: object = None
) -> Mapping[str, np.ndarray[Any, Any]]:
    """Convert a module in place by the first of its ops that is of a known dialect; the values of its weights.

    `inputs` are shapes that the user gives for its arguments.

    Raises:
        InvalidIRError: calls that stand for too many ops.
        SourceError: shapes that stay open, or are given where none is, or resources without data.
        UnsupportedOpError: ops that have no conversion to TTIR; all of them.
    """
    check_calls(module)
    found: list[str] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if (dialect := op.name.partition(".")[0]) in _FRONTENDS:
            found.append(_FRONTENDS[dialect])
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    if found:
        return import_module(found[0]).convert_module(module, resources, inputs)
    if inputs is not None:
        raise SourceError("TTIR has the shapes of its inputs in its text", hint="leave `inputs` and --input out")
    return {}

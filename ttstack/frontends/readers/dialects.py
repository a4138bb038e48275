"""Conversion of modules of other dialects to TTIR, by their frontend."""

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
"""By dialect, the package whose `convert_module` converts to TTIR."""


def prepare_for(text: str) -> None:
    """Import the frontends, and the libraries that register the dialects, for the dialects in a text."""
    for package in {package for dialect, package in _FRONTENDS.items() if dialect in text}:
        import_module(package)
        load_libraries()


def to_ttir(
    module: ir.Module, resources: Mapping[str, memoryview], inputs: object = None
) -> Mapping[str, np.ndarray[Any, Any]]:
    """Convert a module in place by the first known dialect of its ops; return the values of its weights.

    `inputs` are the user's shapes for its arguments.

    Raises:
        InvalidIRError: calls expand to too many ops.
        SourceError: shapes are unknown, or given for other inputs than those that are open, or resources have no data.
        UnsupportedOpError: lists all ops without a conversion to TTIR.
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

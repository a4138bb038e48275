"""Modules of other dialects than TTIR: the frontend that converts each."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from ttstack.frontends.calls import check_calls
from ttstack.mlir import ir

_FRONTENDS = {
    **dict.fromkeys(("stablehlo", "chlo", "vhlo"), "ttstack.frontends.stablehlo"),
    "tosa": "ttstack.frontends.tosa",
}
"""By the dialect of a module's ops, the package whose `convert_module` makes it TTIR."""


def prepare_for(text: str) -> None:
    """Import the frontends of the dialects that a text names."""
    for package in {package for dialect, package in _FRONTENDS.items() if dialect in text}:
        import_module(package)


def to_ttir(module: ir.Module, resources: Mapping[str, memoryview]) -> Mapping[str, np.ndarray[Any, Any]]:
    """Convert a module in place by the first of its ops that is of a known dialect; the values of its weights.

    Raises:
        InvalidIRError: calls that stand for too many ops.
        SourceError: dynamic shapes, or resources without data.
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
    return import_module(found[0]).convert_module(module, resources) if found else {}

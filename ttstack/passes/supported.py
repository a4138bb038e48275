"""Refuse a module with ops that no pass knows, all at once."""

from collections import Counter
from difflib import get_close_matches
from typing import Any

from ttstack.diagnostics import UnsupportedOpError
from ttstack.dialects.location import read_location
from ttstack.mlir import ir
from ttstack.ops.base import OPS
from ttstack.passes.functions import functions

_HOST = {"func.return", "func.call", "tensor.empty", "builtin.unrealized_conversion_cast"}


def check_supported(module: ir.Module) -> None:
    """Every op of every public function is one of `ttir`'s.

    Raises:
        UnsupportedOpError: with all the others, how often each occurs, and where first.
    """
    found: Counter[str] = Counter()
    first: dict[str, str] = {}
    for function in functions(module):
        for block in function.regions[0].blocks:
            for op in block.operations:
                _visit(op.operation, found, first)
    if found:
        raise unsupported(found, first)


def unsupported(found: Counter[str], first: dict[str, str]) -> UnsupportedOpError:
    """The error for ops by name: how often each occurs, and where first."""
    notes = []
    for name, count in found.most_common():
        where = f", first at {first[name]}" if first.get(name) else ""
        close = get_close_matches(name.rpartition(".")[2], OPS, 1)
        notes.append(f"{name}: {count}{where}" + (f"; the nearest supported op is ttir.{close[0]}" if close else ""))
    total = sum(found.values())
    return UnsupportedOpError(
        f"{total} op{'s' * (total > 1)} of {len(found)} kind{'s' * (len(found) > 1)} cannot be compiled",
        notes=tuple(notes),
        hint="rewrite the model without them, or add them as docs/adding-an-op shows",
    )


def _visit(op: Any, found: Counter[str], first: dict[str, str]) -> None:
    if op.name.startswith("ttir.") or op.name in _HOST:
        return
    found[op.name] += 1
    first.setdefault(op.name, read_location(op.location))

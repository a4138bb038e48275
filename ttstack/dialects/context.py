"""MLIR contexts with ttstack's dialects, and the conversion of MLIR's errors."""

from collections.abc import Iterator
from contextlib import contextmanager

from ttstack.diagnostics import InvalidIRError
from ttstack.dialects.location import read_location
from ttstack.dialects.tt import TT
from ttstack.dialects.ttir import TTIR
from ttstack.dialects.ttnn import TTNN
from ttstack.mlir import ir
from ttstack.support.fork_lock import ForkLock
from ttstack.support.plugins import OPS, load_entry_points

_LOADING = ForkLock()
"""A lock: dialects defined from Python store their last load on their class, so one thread loads at a time."""


def new_context() -> ir.Context:
    """Create a context with `tt`, `ttir`, `ttnn` and upstream dialects, without its own threads."""
    with _LOADING:
        context = ir.Context()
        context.enable_multithreading(False)
        load_entry_points(OPS)
        with context, ir.Location.unknown():
            for dialect in (TT, TTIR, TTNN):
                dialect.ensure_loaded()
    return context


@contextmanager
def as_diagnostics(what: str, source: str = "") -> Iterator[None]:
    """Turn an `MLIRError` raised inside the block into an `InvalidIRError` that keeps its locations in `source`."""
    try:
        yield
    except ir.MLIRError as e:
        if not e.error_diagnostics:
            raise InvalidIRError(f"{what}: {e.message}") from e
        first, *rest = e.error_diagnostics
        places = [read_location(d.location, source, column=True) for d in e.error_diagnostics]
        notes = tuple(n.message for n in first.notes if not n.message.startswith("see current operation"))
        notes += tuple(f"{place}: {d.message}" for place, d in zip(places[1:], rest, strict=True))
        raise InvalidIRError(f"{what}: {first.message}", loc=places[0] or None, notes=notes) from e

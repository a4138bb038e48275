"""Errors for shapes that are unknown at compile time."""

from collections.abc import Sequence

from ttstack.diagnostics import SourceError

Extents = tuple[int | str, ...]
"""Extents of a tensor, with names for dynamic ones; None instead of extents stands for a number."""


def dynamic_inputs(inputs: Sequence[tuple[str, Extents | None]]) -> SourceError:
    """Return the error for inputs with dynamic shapes, by name."""
    return SourceError(
        "the program has dynamic shapes",
        notes=tuple(f"input `{name}` is {_spell(extents)}{_free(extents)}" for name, extents in inputs),
        hint="export without `dynamic_shapes`, or with these dimensions fixed: one program for each shape",
    )


def dynamic_result(op: str, extents: Extents | None, loc: str | None) -> SourceError:
    """Return the error for an op whose result shape depends on values."""
    return SourceError(
        f"the result of `{op}` depends on values: it is {_spell(extents)}",
        loc=loc,
        hint="every shape must be known when the model is compiled",
    )


def _spell(extents: Extents | None) -> str:
    return "a number" if extents is None else f"of shape ({', '.join(map(str, extents))})"


def _free(extents: Extents | None) -> str:
    """Return text that lists the dynamic dimensions of an input."""
    free = [str(i) for i, extent in enumerate(extents or ()) if isinstance(extent, str)]
    return f": fix dimension{'s' * (len(free) > 1)} {', '.join(free)}" if free else ""

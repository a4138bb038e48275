"""The errors for shapes that are not known when a model is compiled."""

from collections.abc import Sequence

from ttstack.diagnostics import SourceError

Extents = tuple[int | str, ...]
"""Extents of a tensor, a name for each that is free. None in its place stands for a number."""


def dynamic_inputs(inputs: Sequence[tuple[str, Extents | None]]) -> SourceError:
    """The error for inputs by name whose shapes are free."""
    return SourceError(
        "the program has dynamic shapes",
        notes=tuple(f"input `{name}` is {_spell(extents)}{_free(extents)}" for name, extents in inputs),
        hint="export without `dynamic_shapes`, or with these dimensions fixed: one program for each shape",
    )


def dynamic_result(op: str, extents: Extents | None, loc: str | None) -> SourceError:
    """The error for an op whose result has a shape that depends on values."""
    return SourceError(
        f"the result of `{op}` depends on values: it is {_spell(extents)}",
        loc=loc,
        hint="every shape must be known when the model is compiled",
    )


def _spell(extents: Extents | None) -> str:
    return "a number" if extents is None else f"of shape ({', '.join(map(str, extents))})"


def _free(extents: Extents | None) -> str:
    """Which dimensions of an input are dynamic."""
    free = [str(i) for i, extent in enumerate(extents or ()) if isinstance(extent, str)]
    return f": fix dimension{'s' * (len(free) > 1)} {', '.join(free)}" if free else ""

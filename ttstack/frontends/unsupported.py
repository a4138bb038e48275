"""The one error for all ops of a model that have no conversion."""

from collections import Counter
from collections.abc import Mapping
from difflib import get_close_matches

from ttstack.diagnostics import UnsupportedOpError
from ttstack.ops.base import OPS


def unsupported(found: Counter[str], first: Mapping[str, str]) -> UnsupportedOpError:
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

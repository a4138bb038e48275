"""The one error for all ops of a model that have no conversion."""

from collections import Counter
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from types import MappingProxyType

from ttstack.diagnostics import UnsupportedOpError
from ttstack.ops.base import OPS

_OF_TRAINING = {"torch.aten.native_dropout", "torch.aten._native_batch_norm_legit_functional"}


def unsupported(
    found: Counter[str],
    first: Mapping[str, str],
    known: Collection[str] = tuple(f"ttir.{name}" for name in OPS),
    reasons: Mapping[str, str] = MappingProxyType({}),
) -> UnsupportedOpError:
    """The error for ops by name: how often each occurs, and where first; `known` are the supported ones.

    `reasons` say of some ops why there is no conversion, and what to do instead.
    """
    stems = {_stem(name): name for name in sorted(known, reverse=True)}
    notes = []
    for name, count in found.most_common():
        where = f", first at {first[name]}" if first.get(name) else ""
        close = get_close_matches(_stem(name), stems, 1, 0.7)
        nearest = f"; the nearest supported op is {stems[close[0]]}" if close else ""
        why = f"; {reasons[name]}" if name in reasons else nearest
        notes.append(f"{name}: {count}{where}{why}")
    total = sum(found.values())
    return UnsupportedOpError(
        f"{total} op{'s' * (total > 1)} of {len(found)} kind{'s' * (len(found) > 1)} cannot be compiled",
        notes=tuple(notes),
        hint=_way_out(found),
    )


def _way_out(found: Collection[str]) -> str:
    if _OF_TRAINING & set(found):
        return "the model is in training mode: call its .eval() first"
    if all(name.startswith("ttnn.") for name in found):
        return "the module is lowered already: compile the TTIR that it comes from"
    return "rewrite the model without them, or add them as docs/adding-an-op shows"


def _stem(name: str) -> str:
    """An op's name without dialect, namespace and overload: `torch.aten.mean.dim` is a `mean`."""
    words = name.split(".")
    return words[2] if words[0] == "torch" and len(words) > 2 else words[-1]

"""The error for all unsupported ops of a model."""

from collections import Counter
from collections.abc import Collection, Mapping
from types import MappingProxyType

from ttstack.diagnostics import UnsupportedOpError
from ttstack.ops.base import OPS
from ttstack.support.suggestion import closest

_OF_TRAINING = {"torch.aten.native_dropout", "torch.aten._native_batch_norm_legit_functional"}


def unsupported_error(
    found: Counter[str],
    first: Mapping[str, str],
    known: Collection[str] = tuple(f"ttir.{name}" for name in OPS),
    reasons: Mapping[str, str] = MappingProxyType({}),
) -> UnsupportedOpError:
    """Return the error for ops by name: how often each occurs, and where first; `known` are the supported ones.

    `reasons` state for some ops why there is no conversion, and a workaround.
    """
    notes = []
    for name, count in found.most_common():
        where = f", first at {first[name]}" if first.get(name) else ""
        close = _closest(name, known)
        nearest = f"; the nearest supported op is {close}" if close else ""
        why = f"; {reasons[name]}" if name in reasons else nearest
        notes.append(f"{name}: {count}{where}{why}")
    total = sum(found.values())
    return UnsupportedOpError(
        f"{total} op{'s' * (total > 1)} of {len(found)} kind{'s' * (len(found) > 1)} cannot be compiled",
        notes=tuple(notes),
        hint=_way_out(found, known),
    )


def _closest(name: str, known: Collection[str]) -> str | None:
    """Return the closest known name, preferably of the same namespace."""
    found = closest(_stem(name), {_stem(other) for other in known})
    alike = sorted(other for other in known if _stem(other) == found)
    return closest(name, alike) or next(iter(alike), None)


def _way_out(found: Collection[str], known: Collection[str]) -> str:
    if _OF_TRAINING & set(found):
        return "the model is in training mode: call its .eval() first, or train it with ttstack.compile_step"
    if all(name.startswith("ttnn.") for name in found):
        return "the module is lowered already: compile the TTIR that it comes from"
    if all(name.startswith("@") for name in found):
        return f"the calls that are known are {', '.join(_calls(found, known))}"
    return "rewrite the model without them, or add them as docs/adding-an-op shows"


def _calls(found: Collection[str], known: Collection[str]) -> list[str]:
    """Return the calls of the same namespaces; all calls if there are none."""
    spaces = {name.partition(".")[0] for name in found}
    calls = sorted(name for name in known if name.startswith("@"))
    return [name for name in calls if name.partition(".")[0] in spaces] or calls


def _stem(name: str) -> str:
    """Return an op's name without dialect, namespace and overload: `torch.aten.mean.dim` is a `mean`."""
    words = name.split(".")
    return words[2] if words[0] == "torch" and len(words) > 2 else words[-1]

"""The p-norm of overlapping times."""

from collections.abc import Iterable


def soft_maximum(times: Iterable[float], exponent: float) -> float:
    """Return the p-norm of `times`: their maximum, or slightly more if several are close to it."""
    present = [t for t in times if t > 0]
    if len(present) < 2:
        return sum(present)
    top = max(present)
    return top * sum((t / top) ** exponent for t in present) ** (1 / exponent)

"""How times that overlap add up."""

from collections.abc import Iterable


def soft_maximum(times: Iterable[float], exponent: float) -> float:
    """The p-norm of `times`: the largest of them, a little more where several are close."""
    present = [t for t in times if t > 0]
    if len(present) < 2:
        return sum(present)
    top = max(present)
    return top * sum((t / top) ** exponent for t in present) ** (1 / exponent)

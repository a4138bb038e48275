"""Unique names."""

from collections.abc import Container
from itertools import chain, count


def free_name(name: str, taken: Container[str], separator: str = "") -> str:
    """Return the name, followed by a separator and the smallest free number from 2 on if it is taken."""
    return next(n for n in chain([name], (f"{name}{separator}{i}" for i in count(2))) if n not in taken)

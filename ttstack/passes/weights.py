"""Values of parameters that passes read, and add to."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass
class Weights:
    """Parameters by name; of a parameter that was only described, there is none."""

    arrays: dict[str, Array] = field(default_factory=dict[str, Array])

    @staticmethod
    def of(arrays: Mapping[str, Array]) -> "Weights":
        """The same arrays, not copied."""
        return Weights(dict(arrays))


def free_name(name: str, taken: Container[str]) -> str:
    """The name, with the least number from 2 on after it where it is taken."""
    return next(of for of in chain([name], (f"{name}{i}" for i in count(2))) if of not in taken)

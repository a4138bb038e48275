"""Values of parameters that passes read, and add to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
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

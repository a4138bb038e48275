"""Values of parameters that passes read and add to."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from ttstack.program.finite_values import is_finite

Array = np.ndarray[Any, Any]


@dataclass
class Weights:
    """Parameters by name, except those without values."""

    arrays: dict[str, Array] = field(default_factory=dict[str, Array])
    fixed: dict[str, None] = field(default_factory=dict[str, None])
    """Names of parameters whose values the program was computed from, which cannot be updated alone."""
    finite: dict[str, None] = field(default_factory=dict[str, None])
    """Names of the model's parameters that the program assumes to be finite."""
    _sources: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The model's parameters that each added parameter was computed from."""

    def derive(self, name: str, sources: Iterable[str], values: Array | None) -> None:
        """Add a parameter that is computed from others, with its values if available."""
        self._sources[name] = self.fix(sources)
        if values is not None:
            self.arrays[name] = values

    def fix(self, names: Iterable[str]) -> tuple[str, ...]:
        """Record that the program depends on the values of these parameters.

        Return the model's parameters among them.
        """
        found = self._of_model(names)
        self.fixed.update(dict.fromkeys(found))
        return found

    def assume_finite(self, names: Collection[str]) -> bool:
        """Record that the program assumes these parameters to be finite; return False if one is not."""
        if not all(is_finite(self.arrays[name]) for name in names if name in self.arrays):
            return False
        self.finite.update(dict.fromkeys(self._of_model(names)))
        return True

    def _of_model(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(chain.from_iterable(self._sources.get(name, (name,)) for name in names)))

    def copy(self) -> "Weights":
        """Copy the names; arrays are shared."""
        return Weights(dict(self.arrays), dict(self.fixed), dict(self.finite), dict(self._sources))

    @staticmethod
    def of(arrays: Mapping[str, Array]) -> "Weights":
        """Wrap arrays without a copy."""
        return Weights(dict(arrays))

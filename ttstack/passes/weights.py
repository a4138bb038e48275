"""Values of parameters that passes read, and add to."""

from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

import numpy as np

from ttstack.program.finite_values import is_finite

Array = np.ndarray[Any, Any]


@dataclass
class Weights:
    """Parameters by name; of a parameter that was only described, there is none."""

    arrays: dict[str, Array] = field(default_factory=dict[str, Array])
    fixed: dict[str, None] = field(default_factory=dict[str, None])
    """Names of the model's parameters that the program was computed with: a new value of one would not reach it all."""
    finite: dict[str, None] = field(default_factory=dict[str, None])
    """Names of the model's parameters that the program takes to be finite."""
    _sources: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The model's parameters that each parameter which a pass added was computed from."""

    def derive(self, name: str, sources: Iterable[str], values: Array | None) -> None:
        """Add a parameter that is computed from others, with its values where these are known."""
        self._sources[name] = self.fix(sources)
        if values is not None:
            self.arrays[name] = values

    def fix(self, names: Iterable[str]) -> tuple[str, ...]:
        """Note that the program depends on the values of these parameters; return those of the model among them."""
        found = self._of_model(names)
        self.fixed.update(dict.fromkeys(found))
        return found

    def assume_finite(self, names: Collection[str]) -> bool:
        """Note that the program takes these parameters to be finite; return False if one is known not to be."""
        if not all(is_finite(self.arrays[name]) for name in names if name in self.arrays):
            return False
        self.finite.update(dict.fromkeys(self._of_model(names)))
        return True

    def _of_model(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(chain.from_iterable(self._sources.get(name, (name,)) for name in names)))

    @staticmethod
    def of(arrays: Mapping[str, Array]) -> "Weights":
        """The same arrays, not copied."""
        return Weights(dict(arrays))


def free_name(name: str, taken: Container[str]) -> str:
    """The name, with the least number from 2 on after it where it is taken."""
    return next(of for of in chain([name], (f"{name}{i}" for i in count(2))) if of not in taken)

"""Frozen records with shared methods: `dataclass` would compile them for each class, which takes 1 ms."""

from collections.abc import KeysView
from dataclasses import MISSING, FrozenInstanceError, dataclass, fields
from functools import cache, cached_property
from inspect import get_annotations
from typing import Any, NoReturn, dataclass_transform


@dataclass_transform(frozen_default=True, kw_only_default=True)
class FrozenRecord:
    """An immutable record of the fields that its class annotates, compared and hashed by value."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if get_annotations(cls):  # else there is no field to add
            dataclass(init=False, repr=False, eq=False, kw_only=True)(cls)

    def __init__(self, **values: Any) -> None:
        """Set the fields; raise `TypeError` with the names of missing or unknown fields."""
        found = self._defaults() | values
        if found.keys() != self._names():
            wrong = {"misses": self._names() - found.keys(), "has no": found.keys() - self._names()}
            said = ", ".join(f"{how} {', '.join(sorted(names))}" for how, names in wrong.items() if names)
            raise TypeError(f"{type(self).__name__} {said}")
        self.__dict__.update(found)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FrozenRecord) or type(other) is not type(self):
            return NotImplemented
        return self is other or self._values == other._values

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        pairs = zip(self._names(), self._values, strict=True)
        return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    @cached_property
    def _values(self) -> tuple[Any, ...]:
        return tuple(self.__dict__[name] for name in self._names())

    @cached_property
    def _hash(self) -> int:
        """The cached hash: placement looks up thousands of prices of the same ops."""
        return hash(self._values)

    @classmethod
    @cache
    def _names(cls) -> KeysView[str]:
        """Return the field names in order, comparable with the keys of values."""
        every = fields(cls)  # pyright: ignore[reportArgumentType]
        return dict.fromkeys(f.name for f in every).keys()

    @classmethod
    @cache
    def _defaults(cls) -> dict[str, Any]:
        every = fields(cls)  # pyright: ignore[reportArgumentType]
        return {f.name: f.default for f in every if f.default is not MISSING}

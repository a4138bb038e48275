"""What all parts of a device description share: they are frozen, and know no field but their own."""

from collections.abc import Hashable, Iterable
from typing import Annotated, Any, NoReturn, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Fault = tuple[tuple[str | int, ...], str]


class Desc(BaseModel):
    """A part of a device description: immutable, hashable, unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, validate_default=True)


class FrozenDict(dict[K, V]):
    """A dict that does not change once it is built, hence hashable."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def _refuse(self, *_args: object, **_kwargs: object) -> NoReturn:
        raise TypeError("a device description is frozen")

    __setitem__ = __delitem__ = __ior__ = _refuse  # type: ignore[assignment]
    clear = pop = popitem = setdefault = update = _refuse  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type, tuple[dict[K, V]]]:
        return FrozenDict, (dict(self),)

    def __copy__(self) -> "FrozenDict[K, V]":
        return self

    def __deepcopy__(self, _memo: dict[int, Any]) -> "FrozenDict[K, V]":
        return self


def _freeze(value: dict[str, Any]) -> dict[str, Any]:
    return FrozenDict(value)


Frozen = AfterValidator(_freeze)
Sources = Annotated[dict[str, Annotated[str, Field(min_length=1)]], Frozen]


def reject(title: str, faults: Iterable[Fault], value: object) -> None:
    """Raise pydantic's error with one located line per fault, where there is a fault."""
    details = [
        InitErrorDetails(type=PydanticCustomError("inconsistent", "{why}", {"why": why}), loc=loc, input=value)
        for loc, why in faults
    ]
    if details:
        raise ValidationError.from_exception_data(title, details)

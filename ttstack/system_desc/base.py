"""Base of all parts of a device description: frozen, with known fields only, and consistent."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Annotated, Any, NoReturn, Self, TypeVar, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from ttstack.escape import name_fault

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Fault = tuple[tuple[str | int, ...], str]
INCONSISTENT = "inconsistent"
"""Type of pydantic's errors for contradictory fields."""


def _check_line(text: str) -> str:
    if why := name_fault(text):
        raise ValueError(why)
    return text


Line = Annotated[str, AfterValidator(_check_line)]
"""A text on one line, without control characters: reports and programs show it."""


class Desc(BaseModel):
    """A part of a device description: immutable, hashable, unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, validate_default=True)

    def relations(self) -> tuple[Iterable[Fault], ...]:
        """Return the relations between fields, each as the faults that it finds."""
        return ()

    @model_validator(mode="after")
    def _check_relations(self) -> Self:
        details = [
            InitErrorDetails(type=PydanticCustomError(INCONSISTENT, "{why}", {"why": why}), loc=loc, input=self)
            for loc, why in chain.from_iterable(self.relations())
        ]
        if details:
            raise ValidationError.from_exception_data(type(self).__name__, details)
        return self


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


def replace_figure(part: Any, path: Sequence[str], value: Any) -> Any:
    """Return a part of a description with another figure at a path; nothing is validated."""
    name, *rest = path
    if isinstance(part, dict):
        table = cast(dict[str, Any], part)
        return type(table)({**table, name: value})
    new = replace_figure(getattr(part, name), rest, value) if rest else value
    return part.model_copy(update={name: new})


def power_of_two(alignment_bytes: int) -> Iterator[Fault]:
    """Yield a fault if the field `alignment_bytes` is not a power of two."""
    if alignment_bytes & (alignment_bytes - 1):
        yield ("alignment_bytes",), f"must be a power of two, not {alignment_bytes}"

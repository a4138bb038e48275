"""Operands and attributes of an op's class, read from its fields, with MLIR form and default."""

from dataclasses import fields
from enum import Enum
from functools import cache
from types import UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from ttstack.ops.attributes import Spelling


class Arity(Enum):
    """How many operands one field has."""

    ONE = "one"
    OPTIONAL = "optional"
    VARIADIC = "variadic"


@cache
def read_fields(cls: type[Any]) -> list[tuple[str, Arity, Spelling | None]]:
    """Return (name, arity, spelling) of every field; operands have no spelling."""
    hints = get_type_hints(cls, include_extras=True)
    return [(f.name, *_read_hint(hints[f.name])) for f in fields(cls)]


def _read_hint(hint: Any) -> tuple[Arity, Spelling | None]:
    if isinstance(hint, UnionType) or (get_origin(hint) is not Annotated and type(None) in get_args(hint)):
        inner = next(a for a in get_args(hint) if a is not type(None))
        return Arity.OPTIONAL, _read_hint(inner)[1]
    if get_origin(hint) is Annotated:
        return Arity.ONE, get_args(hint)[1]
    return (Arity.VARIADIC if get_origin(hint) is tuple else Arity.ONE), None


def default_of(cls: type[Any], name: str) -> Any:
    """Return the default of a field; `MISSING` if it has none."""
    return next(f.default for f in fields(cls) if f.name == name)

"""Decoding of torch's schema from JSON, with checks of types, names, and kinds of values.

The checks ensure that nothing executes code. The schema is that of `torch._export.serde.schema`, whose classes torch's
own reader uses. That reader trusts its input: names become Python code, and expressions are evaluated.
"""

import dataclasses
from collections.abc import Callable
from enum import IntEnum
from functools import cache
from types import UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from torch._export.serde import schema
from torch._export.serde.union import _Union

from ttstack.frontends.torch.archive.allowed import CHECKS, REFUSED, MisfitError, shorten_text

Decoder = Callable[[Any], Any]

_LARGEST = 2**63


def decode_object(kind: type, value: object) -> Any:
    """Decode an object of torch's schema from plain values; unknown keys are ignored.

    Raises:
        MisfitError: the values have another form, or an unsupported kind.
    """
    return _decoder(kind)(value)


@cache
def _decoder(kind: Any) -> Decoder:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        (some,) = (t for t in inner if t is not type(None))
        return lambda value: None if value is None else _decoder(some)(value)
    if origin is list:
        return _list(inner[0])
    if origin is dict:
        return _mapping(inner[1])
    if issubclass(kind, _Union):
        return _union(kind)
    if dataclasses.is_dataclass(kind):
        return _record(cast(type, kind))
    return _enumeration(kind) if issubclass(kind, IntEnum) else _PLAIN[kind]


def _within(place: object, decode: Decoder, value: object) -> Any:
    try:
        return decode(value)
    except MisfitError as misfit:
        misfit.path.insert(0, str(place))
        raise


def _list(inner: Any) -> Decoder:
    def decode(value: object) -> list[Any]:
        if not isinstance(value, list):
            raise MisfitError("is not a list")
        each = _decoder(inner)
        return [_within(i, each, item) for i, item in enumerate(value)]

    return decode


def _mapping(inner: Any) -> Decoder:
    def decode(value: object) -> dict[str, Any]:
        each = _decoder(inner)
        return {key: _within(key, each, item) for key, item in _object(value).items()}

    return decode


def _record(kind: type) -> Decoder:
    types = cache(lambda: get_type_hints(kind, dict(vars(schema))))
    fields = dataclasses.fields(kind)
    check = CHECKS.get(kind, lambda _: None)

    def decode(value: object) -> Any:
        held = _object(value)
        missing = [f.name for f in fields if f.name not in held and _required(f)]
        if missing:
            raise MisfitError(f"has no {missing[0]}")
        found = {f.name: _within(f.name, _decoder(types()[f.name]), held[f.name]) for f in fields if f.name in held}
        made = kind(**found)
        check(made)
        return made

    return decode


def _required(entry: "dataclasses.Field[Any]") -> bool:
    return entry.default is dataclasses.MISSING and entry.default_factory is dataclasses.MISSING


def _union(kind: type[_Union]) -> Decoder:
    types = cache(lambda: get_type_hints(kind, dict(vars(schema))))
    refused = REFUSED.get(kind, {})
    check = CHECKS.get(kind, lambda _: None)

    def decode(value: object) -> Any:
        held = _object(value)
        if len(held) != 1:
            raise MisfitError(f"has {len(held)} values instead of one")
        ((tag, inner),) = held.items()
        if tag not in types() or tag in refused:
            raise MisfitError(refused.get(tag, f"is {shorten_text(tag)}, which is unknown"))
        made = kind.create(**{tag: _within(tag, _decoder(types()[tag]), inner)})
        check(made)
        return made

    return decode


def _enumeration(kind: type[IntEnum]) -> Decoder:
    members = {int(member): member for member in kind}

    def decode(value: object) -> IntEnum:
        if isinstance(value, bool) or not isinstance(value, int) or value not in members:
            raise MisfitError(f"is not a {kind.__name__}")
        return members[value]

    return decode


def _object(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MisfitError("is not an object")
    return value


def _integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise MisfitError("is not an integer")
    if not -_LARGEST <= value < _LARGEST:
        raise MisfitError("is beyond 64 bits")
    return value


def _number(value: object) -> float:
    if value in ("Infinity", "-Infinity", "NaN"):
        return float(str(value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MisfitError("is not a number")
    return float(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise MisfitError("is not text")
    return value


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise MisfitError("is not a truth value")
    return value


_PLAIN: dict[Any, Decoder] = {int: _integer, float: _number, str: _text, bool: _truth}

"""Python expressions, and how they are laid out in lines."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

WIDTH = 110
"""Characters of the longest line, where it can be divided."""


@dataclass(frozen=True)
class Name:
    """What stands as it is: a variable, or an attribute of a module."""

    text: str


@dataclass(frozen=True)
class Call:
    """A call of `function`; arguments that are None are left out."""

    function: str
    arguments: Sequence[Any] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Item:
    """`value[index]`."""

    value: Any
    index: int


Expression = Name | Call | Item


def call(function: str, *arguments: Any, **keywords: Any) -> Call:
    """A call of `ttnn.function`."""
    given = {name: value for name, value in keywords.items() if value is not None}
    return Call(f"ttnn.{function}", arguments, given)


def spell(value: Any, indent: int = 0, before: int = 0) -> str:
    """The text of a value: on the rest of a line after `before` characters, or an argument a line."""
    line = _in_line(value)
    if len(line) + before + indent <= WIDTH or not isinstance(value, Call):
        return line
    inner = indent + 4
    parts = [f"{' ' * inner}{prefix}{spell(v, inner, len(prefix) + 1)},\n" for prefix, v in _arguments(value)]
    return f"{value.function}(\n{''.join(parts)}{' ' * indent})"


def find_names(value: Any) -> Iterator[str]:
    """All names in a value, in order."""
    match value:
        case Name():
            yield value.text
        case Item():
            yield from find_names(value.value)
        case Call():
            yield from (name for _, argument in _arguments(value) for name in find_names(argument))
        case list() | tuple():
            yield from (name for entry in cast("Sequence[Any]", value) for name in find_names(entry))
        case _:
            pass


def rename(value: Any, names: Mapping[str, str]) -> Any:
    """The value with other names."""
    return substitute(value, {name: Name(other) for name, other in names.items()})


def substitute(value: Any, values: Mapping[str, Expression]) -> Any:
    """The value with expressions in place of names."""
    match value:
        case Name():
            return values.get(value.text, value)
        case Item():
            return Item(substitute(value.value, values), value.index)
        case Call():
            keywords = {name: substitute(argument, values) for name, argument in value.keywords.items()}
            return Call(value.function, [substitute(argument, values) for argument in value.arguments], keywords)
        case list() | tuple():
            return [substitute(entry, values) for entry in cast("Sequence[Any]", value)]
        case _:
            return value


def _in_line(value: Any) -> str:
    match value:
        case Name():
            text = value.text
        case Item():
            text = f"{_in_line(value.value)}[{value.index}]"
        case Call():
            text = f"{value.function}({', '.join(prefix + _in_line(v) for prefix, v in _arguments(value))})"
        case list() | tuple():
            text = f"[{', '.join(map(_in_line, cast(Sequence[Any], value)))}]"
        case float() if not math.isfinite(value):
            text = f'float("{value}")'
        case str():
            text = json.dumps(value, ensure_ascii=False)
        case _:
            text = repr(value)
    return text


def _arguments(found: Call) -> Iterator[tuple[str, Any]]:
    yield from (("", value) for value in found.arguments)
    yield from ((f"{name}=", value) for name, value in found.keywords.items())

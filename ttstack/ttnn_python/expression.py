"""Python expressions, and their layout in lines."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

WIDTH = 110
"""Maximum line length, if a line can be divided."""


@dataclass(frozen=True)
class Name:
    """Verbatim text: a variable, or an attribute of a module."""

    text: str


@dataclass(frozen=True)
class Call:
    """A call of `function`, without arguments that are None."""

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
    """Return a call of `ttnn.function`."""
    given = {name: value for name, value in keywords.items() if value is not None}
    return Call(f"ttnn.{function}", arguments, given)


def spell(value: Any, indent: int = 0, before: int = 0) -> str:
    """Format a value: on the rest of a line after `before` characters, or one argument per line."""
    line = _in_line(value)
    if len(line) + before + indent <= WIDTH or not isinstance(value, Call):
        return line
    inner = indent + 4
    parts = [f"{' ' * inner}{prefix}{spell(v, inner, len(prefix) + 1)},\n" for prefix, v in _arguments(value)]
    return f"{value.function}(\n{''.join(parts)}{' ' * indent})"


def find_names(value: Any) -> Iterator[str]:
    """Yield all names in a value, in order."""
    return (leaf.text for leaf in _leaves(value) if isinstance(leaf, Name))


def find_integers(value: Any) -> Iterator[int]:
    """Yield all integers in a value, in order, except item positions."""
    return (leaf for leaf in _leaves(value) if type(leaf) is int)


def rename(value: Any, names: Mapping[str, str]) -> Any:
    """Return the value with renamed variables."""
    return substitute(value, {name: Name(other) for name, other in names.items()})


def substitute(value: Any, values: Mapping[str, Expression]) -> Any:
    """Return the value with expressions in place of names."""
    return _with_leaves(value, lambda leaf: values.get(leaf.text, leaf) if isinstance(leaf, Name) else leaf)


def with_integers(value: Any, integers: Iterator[int | Name]) -> Any:
    """Return the value with its integers replaced, in order."""
    return _with_leaves(value, lambda leaf: next(integers) if type(leaf) is int else leaf)


def _leaves(value: Any) -> Iterator[Any]:
    match value:
        case Item():
            yield from _leaves(value.value)
        case Call():
            yield from (leaf for _, argument in _arguments(value) for leaf in _leaves(argument))
        case list() | tuple():
            yield from (leaf for entry in cast("Sequence[Any]", value) for leaf in _leaves(entry))
        case _:
            yield value


def _with_leaves(value: Any, change: Callable[[Any], Any]) -> Any:
    match value:
        case Item():
            return Item(_with_leaves(value.value, change), value.index)
        case Call():
            arguments = [_with_leaves(argument, change) for argument in value.arguments]
            keywords = {name: _with_leaves(argument, change) for name, argument in value.keywords.items()}
            return Call(value.function, arguments, keywords)
        case list() | tuple():
            return [_with_leaves(entry, change) for entry in cast("Sequence[Any]", value)]
        case _:
            return change(value)


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

"""Functions that take options as `**options`, with each option in the signature that `help()` prints."""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import ParamSpec, TypeVar, get_type_hints

from ttstack.options.choices import CHOICES, Choices

_P = ParamSpec("_P")
_T = TypeVar("_T")


def spell_options(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Return the function, whose signature has a keyword for each option of its last parameter."""
    plain = signature(function)
    *own, rest = plain.parameters.values()
    assert rest.kind is Parameter.VAR_KEYWORD
    types = get_type_hints(Choices)
    options = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=choice.default, annotation=types[name])
        for name, choice in CHOICES.items()
    ]
    function.__signature__ = plain.replace(parameters=[*own, *options])  # pyright: ignore[reportFunctionMemberAccess]
    return function

"""The function of several that a user means."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

from ttstack.diagnostics import InputError
from ttstack.program.records import Binary, Function
from ttstack.support.suggestion import did_you_mean

HOW_TO_NAME = "name one of them: --function NAME, or function= in Python"


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_Function = TypeVar("_Function", bound=_Named)


def named_function(functions: Iterable[_Function], name: str | None, owner: str = "the program") -> _Function:
    """The function of that name, or the only one.

    Raises:
        InputError: there is no such function, or several and no name.
    """
    known = {function.name: function for function in functions}
    if name is None and len(known) == 1:
        return next(iter(known.values()))
    if name is None or name not in known:
        what = "a function must be named" if name is None else f"there is no function '{name}'"
        hint = did_you_mean(name or "", known) or HOW_TO_NAME
        raise InputError(f"{what}; {owner} has {', '.join(known) or 'none'}", hint=hint)
    return known[name]


def program_function(binary: Binary, name: str | None) -> Function:
    """The function of that name, which may be one that a loop runs, or the only program.

    Raises:
        InputError: there is no such function, or several programs and no name.
    """
    inside = [inner for program in binary.functions for inner in program.with_loops] if name else binary.functions
    return named_function(inside, name)

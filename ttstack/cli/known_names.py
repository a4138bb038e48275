"""Errors for unknown names on the command line."""

from collections.abc import Iterable

from ttstack.diagnostics import InputError
from ttstack.support.suggestion import did_you_mean


def unknown_name(what: str, name: str, meant: str, known: Iterable[str], command: str) -> InputError:
    """Return the error for an unknown name, with the closest name to `meant` or the command that lists all."""
    return InputError(f"there is no {what} '{name}'", hint=did_you_mean(meant, known) or f"`{command}` lists all")

"""Errors of command-line usage, in the format of other errors.

The command parser may be of several packages: its errors are recognized by their attributes.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from pydantic import ValidationError

from ttstack.diagnostics import UsageError
from ttstack.support.suggestion import closest

_CHOICE = re.compile(r"'(?P<given>[^']*)' is not one of (?P<known>'.*')")
_COMMAND = re.compile(r"No such command '(?P<given>[^']*)'")
_COMPLETION = {"completion": "--install-completion"}


def is_wrong_usage(error: Exception) -> bool:
    """Return True if the command parser raised it."""
    return hasattr(error, "format_message") and hasattr(error, "exit_code")


def wrong_usage(error: Any, arguments: Sequence[str]) -> UsageError:
    """Return the usage error with the parser's message and suggestions."""
    context: Any = getattr(error, "ctx", None)
    said = " ".join(error.format_message().split()).replace("Value error, ", "").rstrip(".")
    said = said.removeprefix("Invalid value: ")
    if isinstance(error.__cause__, ValidationError):
        said = said.replace("Input should", f"'{error.__cause__.errors()[0]['input']}' should").partition(", unable")[0]
    where = context.command_path if context else _place(arguments)
    option: str | None
    if option := getattr(error, "option_name", None) if "No such option" in said else None:
        said, known = f"there is no option '{option}'", _options(context)
        given = option.lstrip("-")
    elif command := _COMMAND.search(said):
        given = command["given"]
        said, known = f"there is no command '{given}'", _commands(context)
    elif choice := _CHOICE.search(said):
        given, known = choice["given"], {name: name for name in re.findall("'([^']*)'", choice["known"])}
    else:
        given, known = "", {}
    hint = _of_others(context, option)
    if not hint and (meant := closest(given, known)):
        hint = f"did you mean '{known[meant]}'?"
    hint = hint or f"`{where} --help` lists its arguments and options"
    return UsageError(said[:1].lower() + said[1:], loc=where, hint=hint)


def _place(arguments: Sequence[str]) -> str:
    """Return the command of a command line, for an error without a context."""
    return " ".join(["ttstack", *takewhile(lambda word: not word.startswith("-"), arguments[:1])])


def _of_others(context: Any, option: str | None) -> str:
    """Return the commands that have an option, as text; empty if none has."""
    commands = getattr(context.find_root().command, "commands", {}) if context and option else {}
    found = [name for name, command in commands.items() if any(option in param.opts for param in command.params)]
    return f"it is an option of {', '.join(found)}" if found else ""


def _options(context: Any) -> Mapping[str, str]:
    """Return the options of a command, by their names without dashes."""
    params = context.command.params if context else ()
    spelled = (name for param in params if _is_option(param) for name in (*param.opts, *param.secondary_opts))
    return {name.lstrip("-"): name for name in spelled} | {"help": "--help"}


def _is_option(param: Any) -> bool:
    return param.param_type_name == "option"


def _commands(context: Any) -> Mapping[str, str]:
    """Return the commands and options of a group, as candidates for an unknown command."""
    return {**_options(context), **_COMPLETION, **{name: name for name in context.command.commands}}

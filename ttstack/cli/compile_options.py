"""The compile options on the command line, derived from `ttstack.options.choices`."""

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, cast

import typer

from ttstack.cli.help import AS_IN_COMPILE
from ttstack.cli.shared_options import device_names, optional_passes
from ttstack.options.choices import CHOICES, Choice, Choices, Target

_COMPLETED = {"system_desc": device_names, "without": optional_passes}
"""Options with shell completion in addition to files and choices."""


def with_choices(command: Callable[..., None], *, described: bool = True) -> Callable[..., None]:
    """Return the command with an option for each choice; the command receives the chosen values.

    A configuration file is the default for options that the command line leaves open, unless it has `--no-config`.
    Options that are not `described` are only listed in its help, which refers to `ttstack compile --help`.
    """

    @wraps(command)
    def chosen(*, no_config: bool, context: typer.Context, **values: Any) -> None:
        if not no_config and not _resumes(values):
            values |= _configured(context)
        made = {name: value for name, value in values.items() if name not in CHOICES or value is not None}
        command(**made, **({"context": context} if takes_context else {}))

    own = [parameter for parameter in signature(command).parameters.values() if parameter.kind != Parameter.VAR_KEYWORD]
    takes_context = any(parameter.name == "context" for parameter in own)
    first = [] if takes_context else [Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)]
    parameters = [
        *first,
        *(parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in own),
        *(_parameter(name, choice, choice.group if described else AS_IN_COMPILE) for name, choice in CHOICES.items()),
        Parameter("no_config", Parameter.KEYWORD_ONLY, default=False, annotation=_ConfigOption),
    ]
    chosen.__signature__ = signature(command).replace(parameters=parameters)  # pyright: ignore[reportAttributeAccessIssue]
    chosen.__annotations__ = {p.name: p.annotation for p in parameters}
    return chosen


_ConfigOption = Annotated[
    bool, typer.Option("--no-config", help="Ignore ttstack.toml and pyproject.toml.", show_default=False)
]


def _resumes(values: Mapping[str, Any]) -> bool:
    """Return True if the configuration is not read: for a program, for IR with its own options, for CPU code."""
    program = str(values.get("model", "")).endswith(".ttb")
    return program or values.get("compile_from") is not None or values.get("made_for") is Target.CPU


def _configured(context: typer.Context) -> dict[str, Any]:
    """Return the options of the configuration file that the command line leaves open."""
    from pathlib import Path

    from ttstack.cli.configuration import defaults_for, read_configuration

    found = read_configuration(Path.cwd())
    return defaults_for(found.options, said_of(context, CHOICES)) if found else {}


def option_name(choice: str) -> str:
    """Return the command-line name of a Python choice."""
    return CHOICES[choice].option or f"--{choice.replace('_', '-')}"


def _parameter(name: str, choice: Choice, group: str) -> Parameter:
    option = typer.Option(
        option_name(name),
        metavar=choice.metavar,
        help=choice.help,
        show_default=choice.default is not None and "default" not in choice.help,
        rich_help_panel=group,
        autocompletion=_COMPLETED.get(name),
    )
    kind = choice.type | None if choice.default is None else choice.type
    return Parameter(name, Parameter.KEYWORD_ONLY, default=choice.default, annotation=Annotated[kind, option])


def said_of(context: typer.Context, choices: Mapping[str, Any]) -> Choices:
    """Return the options that the command line has, without defaults."""
    said = {name for name in choices if str(getattr(context.get_parameter_source(name), "name", "")) != "DEFAULT"}
    return cast(Choices, {name: value for name, value in choices.items() if name in said})

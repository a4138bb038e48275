"""The options of a compilation on the command line, made of what `ttstack.options.choices` says of them."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, cast

import typer

from ttstack.cli.shared_options import device_names, optional_passes
from ttstack.options.choices import CHOICES, Choice, Choices

_COMPLETED = {"system_desc": device_names, "without": optional_passes}
"""What shells complete beside files, and beside choices, which they complete by themselves."""


def with_choices(command: Callable[..., None]) -> Callable[..., None]:
    """The command, which takes all choices by name, with an option for each; it gets those that were made."""

    @wraps(command)
    def chosen(**values: Any) -> None:
        command(**{name: value for name, value in values.items() if name not in CHOICES or value is not None})

    *own, _ = signature(command).parameters.values()
    parameters = [*own, *(_parameter(name, choice) for name, choice in CHOICES.items())]
    chosen.__signature__ = signature(command).replace(parameters=parameters)  # pyright: ignore[reportAttributeAccessIssue]
    chosen.__annotations__ = {p.name: p.annotation for p in parameters}
    return chosen


def _parameter(name: str, choice: Choice) -> Parameter:
    option = typer.Option(
        choice.option or f"--{name.replace('_', '-')}",
        metavar=choice.metavar,
        help=choice.help,
        show_default=choice.default is not None,
        autocompletion=_COMPLETED.get(name),
    )
    kind = choice.type | None if choice.default is None else choice.type
    return Parameter(name, Parameter.KEYWORD_ONLY, default=choice.default, annotation=Annotated[kind, option])


def said_of(context: typer.Context, choices: Choices) -> Choices:
    """Those that the command line says, without defaults."""
    said = {name for name in choices if str(getattr(context.get_parameter_source(name), "name", "")) != "DEFAULT"}
    return cast(Choices, {name: value for name, value in choices.items() if name in said})

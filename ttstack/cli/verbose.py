"""`--verbose`: log lines on standard error."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any

import typer

_COUNT = "ttstack.verbose"


def _add(context: typer.Context, count: int) -> int:
    """Enable log lines, except during shell completion."""
    if count and not context.resilient_parsing:
        import logging

        from ttstack.support.logs import CHANNELS, stop_logs, write_logs

        meta = context.find_root().meta
        meta[_COUNT] = meta.get(_COUNT, 0) + count
        write_logs(dict.fromkeys(CHANNELS, logging.INFO if meta[_COUNT] == 1 else logging.DEBUG))
        context.find_root().call_on_close(stop_logs)
    return count


VerboseOption = Annotated[
    int,
    typer.Option(
        "-v",
        "--verbose",
        count=True,
        is_eager=True,
        show_default=False,
        callback=_add,
        help="Log passes, placement and more; -vv logs details.",
    ),
]
"""Counts of `ttstack` and of a command add up."""


def with_verbose(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with the option."""

    @wraps(command)
    def logged(*, verbose: int, **values: Any) -> None:  # noqa: ARG001  (acted on by its callback)
        command(**values)

    option = Parameter("verbose", Parameter.KEYWORD_ONLY, default=0, annotation=VerboseOption)
    own = signature(command)
    parameters = [*own.parameters.values(), option]
    logged.__signature__ = own.replace(parameters=parameters)  # pyright: ignore[reportAttributeAccessIssue]
    logged.__annotations__ = {p.name: p.annotation for p in parameters}
    return logged

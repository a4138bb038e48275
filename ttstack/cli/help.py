"""Help with options in groups and examples at its end, wrapped at words in narrow terminals."""

import sys
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperGroup

from ttstack.cli.command_examples import EXAMPLES

_HYPHEN, _UNBROKEN = "-", "\N{NON-BREAKING HYPHEN}"
_COLUMN = 26
"""Maximum width of the column of names; longer names get a separate line."""

GENERAL = "General"
"""The group of options without a group."""

_FEW = 2
"""Number of options outside of `GENERAL` up to which all options form one group."""

AS_IN_COMPILE = "Compilation, as in `ttstack compile --help`"
"""The group of options that are listed by name only."""

DEBUGGING = "Debugging"
_MANY = 6
"""Options for debugging above which help lists their names, and `--help-debugging` describes them."""
_LAST = (DEBUGGING, GENERAL)
"""Groups that come last."""


class _Formatter(TyperCommand.context_class.formatter_class):
    """A formatter that does not break lines at hyphens, which are in names of passes and options."""

    def write_dl(self, rows: Any, col_max: int = _COLUMN, col_spacing: int = 2) -> None:
        """Write a list of names and their descriptions."""
        kept = [(name, text.replace(_HYPHEN, _UNBROKEN)) for name, text in rows]
        super().write_dl(kept, min(col_max, _COLUMN), col_spacing)

    def write_text(self, text: str) -> None:
        """Write a paragraph."""
        super().write_text(text.replace(_HYPHEN, _UNBROKEN))

    def getvalue(self) -> str:
        """Return the text, with ordinary hyphens that can be copied."""
        return super().getvalue().replace(_UNBROKEN, _HYPHEN)


if TYPE_CHECKING:
    _Base = TyperCommand
else:
    _Base = object


class _Help(_Base):
    """The help of a command or of a command group."""

    def get_help(self, ctx: Any) -> str:
        """Return the text of `--help`."""
        ctx.formatter_class = _Formatter
        return super().get_help(ctx)

    def get_short_help_str(self, limit: int = 45) -> str:  # noqa: ARG002  (lines are broken instead)
        """Return the full first sentence for a list of commands."""
        return super().get_short_help_str(limit=sys.maxsize)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then the groups of options."""
        params = ctx.command.get_params(ctx)
        arguments = [p for p in params if p.param_type_name == "argument"]
        _write_section(formatter, "Arguments", [p.get_help_record(ctx) for p in arguments])
        groups = _groups(p for p in params if p not in arguments)
        listed = {AS_IN_COMPILE: groups.pop(AS_IN_COMPILE, [])}
        if len(groups.get(DEBUGGING, [])) > _MANY:
            listed[f"{DEBUGGING}, described by `{ctx.command_path} --help-debugging`"] = groups.pop(DEBUGGING)
        rows = {name: [r for p in some if (r := p.get_help_record(ctx))] for name, some in groups.items()}
        width = max((len(row[0]) for some in rows.values() for row in some if len(row[0]) <= _COLUMN), default=0)
        general = rows.pop(GENERAL, [])
        if sum(map(len, rows.values())) <= _FEW:
            general, rows = [*chain(*rows.values()), *general], {}
        for name, some in rows.items():
            _write_section(formatter, name, some, width)
        for name, some in listed.items():
            if some:
                with formatter.section(name):
                    formatter.write_text(", ".join(p.opts[0] for p in some))
        _write_section(formatter, GENERAL if rows else "Options", general, width)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples of the command."""
        if examples := EXAMPLES.get(ctx.command_path):
            with formatter.section("Examples"):
                for line in examples:
                    formatter.write(f"  {line}\n")


class Command(_Help, TyperCommand):
    """A command with such help."""


def print_debugging_help(ctx: Any, value: bool) -> None:
    """Print the options for debugging of a command and exit, if its help only lists their names."""
    if value and not ctx.resilient_parsing:
        params = [p for p in ctx.command.get_params(ctx) if getattr(p, "rich_help_panel", None) == DEBUGGING]
        formatter = _Formatter(width=ctx.terminal_width, max_width=ctx.max_content_width)
        _write_section(formatter, DEBUGGING, [p.get_help_record(ctx) for p in params])
        sys.stdout.write(formatter.getvalue())
        ctx.exit()


class CommandGroup(_Help, TyperGroup):
    """A command group with such help, whose commands have headings."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, then the commands."""
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands below their headings."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        width = max(map(len, commands))
        for heading, some in _groups((c for c in commands.values() if c), "Commands").items():
            _write_section(formatter, heading, [(c.name, c.get_short_help_str()) for c in some], width)


def _groups(items: Iterable[Any], default: str = GENERAL) -> dict[str, list[Any]]:
    """Return options or commands by heading, in the order of help."""
    found: dict[str, list[Any]] = {}
    for item in items:
        panel = getattr(item, "rich_help_panel", None)
        found.setdefault(panel if isinstance(panel, str) else default, []).append(item)
    return dict(sorted(found.items(), key=lambda group: _LAST.index(group[0]) if group[0] in _LAST else -1))


def _write_section(formatter: Any, name: str, rows: Sequence[Any], width: int = 0) -> None:
    """Write names and their descriptions, with a minimum width of the column of names."""
    if rows:
        with formatter.section(name):
            formatter.write_dl([(name.ljust(width), text) for name, text in rows])

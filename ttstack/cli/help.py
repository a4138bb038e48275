"""Help that fits narrow terminals without breaking words."""

import sys
from typing import Any

from typer.core import TyperCommand

_HYPHEN, _UNBROKEN = "-", "\N{NON-BREAKING HYPHEN}"


class _Formatter(TyperCommand.context_class.formatter_class):
    """Lines are not broken at hyphens, which names of passes and options have."""

    def write_dl(self, rows: Any, *widths: int, **other_widths: int) -> None:
        """A list of names and what is said of each."""
        kept = [(name, said.replace(_HYPHEN, _UNBROKEN)) for name, said in rows]
        super().write_dl(kept, *widths, **other_widths)

    def write_text(self, text: str) -> None:
        """A paragraph."""
        super().write_text(text.replace(_HYPHEN, _UNBROKEN))

    def getvalue(self) -> str:
        """All that was written, with the hyphens that can be copied."""
        return super().getvalue().replace(_UNBROKEN, _HYPHEN)


class Command(TyperCommand):
    """A command with such help, of which a list of commands has the whole first sentence."""

    def get_help(self, ctx: Any) -> str:
        """The text of `--help`."""
        ctx.formatter_class = _Formatter
        return super().get_help(ctx)

    def get_short_help_str(self, limit: int = 45) -> str:  # noqa: ARG002  (lines are broken instead)
        """The sentence that a list of commands shows."""
        return super().get_short_help_str(limit=sys.maxsize)

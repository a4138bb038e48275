"""The error family."""

from collections.abc import Iterator

from ttstack import diagnostics
from ttstack.diagnostics import TTStackError
from ttstack_docs.markdown import literal, paragraph, table


def error_classes() -> Iterator[type[TTStackError]]:
    """All error classes, by code."""
    found = (c for c in vars(diagnostics).values() if isinstance(c, type) and issubclass(c, TTStackError))
    yield from sorted(found, key=lambda c: c.code)


def error_table() -> str:
    """Code, class and meaning."""
    rows = [(literal(c.code), literal(c.__name__), paragraph(c)) for c in error_classes()]
    return table(("code", "class", "meaning"), rows)

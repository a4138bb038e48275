"""The error family."""

from collections.abc import Iterator

from ttstack import diagnostics
from ttstack.diagnostics import TTStackError
from ttstack.system_desc import loads
from ttstack_docs.markdown import code, literal, paragraph, table


def error_classes() -> Iterator[type[TTStackError]]:
    """All error classes, by code."""
    found = (c for c in vars(diagnostics).values() if isinstance(c, type) and issubclass(c, TTStackError))
    yield from sorted(found, key=lambda c: c.code)


def error_table() -> str:
    """Code, class and meaning."""
    rows = [(literal(c.code), literal(c.__name__), paragraph(c)) for c in error_classes()]
    return table(("code", "class", "meaning"), rows)


def error_example() -> str:
    """What a device file with two faults gives."""
    text = (
        "name: mine\nchips:\n  - base: wormhole.yaml\n    l1:\n      size_byte: 1 MiB\n      alignment_bytes: 16 GHz\n"
    )
    try:
        loads(text, origin="mine.yaml")
    except TTStackError as error:
        return code(str(error))
    raise RuntimeError("the example of an error is none")

"""The options that a program was compiled with, as titles of pages spell them."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ttstack.options.choices import CHOICES
from ttstack.program.saved_options import saved_options

_LONGEST = 160
"""Characters of all options together, and of one value."""
_SPELLED = frozenset((str, int, float, bool))
"""Types of values that a command line can have."""


def changed_options(options: str) -> str:
    """Return the options that differ from their defaults, as `--dtype bfp8_b --placement optimal`.

    `options` is the JSON that a saved program holds. Options that name files are left out, as programs hold their
    content only; text that is not such JSON has none.
    """
    text = " ".join(_spelled(saved_options(options)))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _spelled(values: Mapping[str, Any]) -> Iterator[str]:
    for name, choice in CHOICES.items():
        value = values.get(name)
        if value is None or value == choice.default:
            continue
        parts = cast("list[Any]", value) if isinstance(value, list) else [value]
        text = ",".join(map(str, parts))
        if all(type(part) in _SPELLED for part in parts) and text.isprintable():
            option = choice.option or f"--{name.replace('_', '-')}"
            yield option if value is True else f"{option} {text or 'none'}"

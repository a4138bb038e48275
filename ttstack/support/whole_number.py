"""Whole numbers in texts that anybody may have written."""

_DIGITS = 18
"""Digits of a number that fits 64 bits; Python refuses to read texts of more than 4,300."""


def whole_number(text: str) -> int | None:
    """Return the number that a text of at most 18 ASCII digits spells, or None for any other text."""
    return int(text) if len(text) <= _DIGITS and text.isascii() and text.isdecimal() else None
